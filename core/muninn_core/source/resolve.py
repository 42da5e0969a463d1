"""Says which files of a repository an import means, by the customs of its language.

It reads no file: it knows which paths there are, and asks for the text of a `tsconfig.json`. What lies outside of the
repository, a standard library or a dependency, leads nowhere.
"""

from __future__ import annotations

import posixpath
import sys
from typing import TYPE_CHECKING, Protocol

from muninn_core.source.aliases import aliased
from muninn_core.source.definition import Import

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

_SCRIPT_ENDINGS = (".ts", ".tsx", ".d.ts", ".js", ".jsx", ".mjs", ".cjs", ".mts", ".json", ".vue", ".svelte")
_JVM_ENDINGS = (".java", ".kt", ".kts", ".scala")
_MOST = 30
"""Files of one folder that an import of the whole folder leads to."""


class World(Protocol):
    """The files that there are."""

    def exists(self, path: str) -> bool:
        """Whether there is such a file."""

    def with_stem(self, stem: str) -> Sequence[str]:
        """Return the files that are called so where they are imported, sorted."""

    def folder(self, path: str) -> Sequence[str]:
        """Return the files right in a folder, sorted."""

    def text(self, path: str) -> str:
        """Return what a file says, "" where there is none."""


def targets(path: str, language: str, one: Import, world: World) -> tuple[str, ...]:
    """Return the files that an import in the file `path` means, sorted; none when it leads out of the repository."""
    resolve = _RESOLVERS.get(language)
    found = resolve(path, one, world) if resolve is not None else ()
    return tuple(sorted({each for each in found if each != path}))


def _python(path: str, one: Import, world: World) -> Iterable[str]:
    module = one.module.lstrip(".")
    dots = len(one.module) - len(module)
    parts = module.split(".") if module else []
    if dots:
        base = posixpath.dirname(path)
        for _ in range(dots - 1):
            base = posixpath.dirname(base)
        roots: Iterable[str] = [base]
    elif parts[0] in sys.stdlib_module_names:
        return ()
    else:
        roots = _python_roots(path, parts, one.names, world)
    for root in roots:
        found = _python_files(_join(root, *parts), one.names, world)
        if found:
            return found
    return ()


def _python_roots(path: str, parts: list[str], names: Sequence[str], world: World) -> Iterator[str]:
    """Yield the folders that a module may be looked for in: the root, `src`, those around, those that hold it."""
    yield ""
    yield "src"
    yield from _ancestors(path)[:-1]
    for last in (parts[-1], parts[0]):
        for candidate in world.with_stem(last):
            stem = _without_ending(candidate).removesuffix("/__init__")
            wanted = "/".join(parts if last == parts[-1] else parts[:1])
            if candidate.endswith((".py", ".pyi")) and stem.endswith("/" + wanted):
                root = stem[: -len(wanted) - 1]
                # A single file in the midst of a package is no module of its own.
                if len(parts) > 1 or not world.exists(_join(root, "__init__.py")):
                    yield root


def _python_files(base: str, names: Sequence[str], world: World) -> list[str]:
    """Return what `from base import names` means: submodules of that name, else the module itself."""
    own = [each for each in (f"{base}.py", f"{base}.pyi", _join(base, "__init__.py")) if world.exists(each)][:1]
    below = [each for name in names for each in _first(world, _join(base, name), (".py", "/__init__.py"))]
    return below + own if len(below) < max(len(names), 1) else below


def _script(path: str, one: Import, world: World) -> Iterable[str]:
    module = one.module
    if module.startswith("."):
        return _script_file(posixpath.normpath(_join(posixpath.dirname(path), module)), world)
    for base in aliased(path, module, world):
        if found := _script_file(base, world):
            return found
    if module.startswith(("@/", "~/")):
        for root in _ancestors(path):
            found = _script_file(_join(root, "src", module[2:]), world) or _script_file(_join(root, module[2:]), world)
            if found:
                return found
    return ()


def _script_file(base: str, world: World) -> list[str]:
    if world.exists(base):
        return [base]
    endings = (*_SCRIPT_ENDINGS, *(f"/index{ending}" for ending in _SCRIPT_ENDINGS))
    bare = base[:-3] if base.endswith((".js", ".mjs", ".cjs")) else base
    return _first(world, base, endings) or _first(world, bare, endings)


def _go(path: str, one: Import, world: World) -> Iterable[str]:
    """A package is a folder; its path begins with a module's, which is cut off until a folder is left."""
    parts = one.module.split("/")
    if len(parts) < 2 and "." not in parts[0]:
        return ()
    for cut in range(1, len(parts)):
        for root in _ancestors(path):
            found = [each for each in world.folder(_join(root, *parts[cut:])) if each.endswith(".go")]
            if found:
                return [each for each in found if not each.endswith("_test.go")][:_MOST]
        if "." not in parts[0]:
            break  # a module without a domain has one part; `net/http` is none of ours
    return ()


def _rust(path: str, one: Import, world: World) -> Iterable[str]:
    parts = [*one.module.split("::"), *one.names]
    folder, _, name = path.rpartition("/")
    inside = folder if name in ("mod.rs", "lib.rs", "main.rs") else _join(folder, name.removesuffix(".rs"))
    if parts[0] in ("self", "super"):
        base = inside
        while parts and parts[0] in ("self", "super"):
            base = posixpath.dirname(base) if parts[0] == "super" else base
            parts = parts[1:]
    elif parts[0] == "crate":
        base = next((root for root in _ancestors(path) if root.rpartition("/")[2] == "src"), posixpath.dirname(path))
        parts = parts[1:]
    else:
        libraries = [each for each in world.with_stem(parts[0]) if each.endswith("lib.rs")]
        if not libraries:
            return _rust_module(inside, parts, world) if len(parts) > 1 else ()
        base, parts = posixpath.dirname(libraries[0]), parts[1:]
    return _rust_module(base, parts, world)


def _rust_module(base: str, parts: Sequence[str], world: World) -> list[str]:
    """Return the file of the longest path of modules that has one; the rest are names in it."""
    for end in range(len(parts), 0, -1):
        found = _first(world, _join(base, *parts[:end]), (".rs", "/mod.rs"))
        if found:
            return found
    return _first(world, base, ("/lib.rs", "/mod.rs", ".rs", "/main.rs"))


def _jvm(path: str, one: Import, world: World) -> Iterable[str]:
    parts = one.module.split(".")
    if one.names:
        for end in (len(parts), len(parts) - 1):
            if end > 0 and (found := _suffixed(path, parts[:end], _JVM_ENDINGS, world, len(parts[:end]))):
                return found
        return ()
    return _folder_around(path, parts, _JVM_ENDINGS, world)


def _csharp(path: str, one: Import, world: World) -> Iterable[str]:
    parts = one.module.split(".")
    for cut in range(len(parts)):
        found = _folder_around(path, parts[cut:], (".cs",), world)
        if found:
            return found
    return ()


def _include(path: str, one: Import, world: World) -> Iterable[str]:
    name = one.module.lstrip("<")
    beside = posixpath.normpath(_join(posixpath.dirname(path), name))
    if not one.module.startswith("<") and world.exists(beside):
        return [beside]
    base = posixpath.basename(name)
    known = [each for each in world.with_stem(base.partition(".")[0]) if f"/{each}".endswith(f"/{name}")]
    # `<string.h>` is the system's, unless a folder for that holds one.
    if one.module.startswith("<") and "/" not in name:
        known = [each for each in known if "include/" in each]
    return _nearest(path, known)


def _ruby(path: str, one: Import, world: World) -> Iterable[str]:
    if one.module.startswith("."):
        return _first(world, posixpath.normpath(_join(posixpath.dirname(path), one.module)), ("", ".rb"))
    for root in _ancestors(path):
        found = _first(world, _join(root, "lib", one.module), (".rb",)) or _first(
            world, _join(root, one.module), (".rb",)
        )
        if found:
            return found
    return _suffixed(path, one.module.split("/"), (".rb",), world, 2) if "/" in one.module else ()


def _php(path: str, one: Import, world: World) -> Iterable[str]:
    if one.module.startswith("./"):
        for root in _ancestors(path):
            found = _first(world, posixpath.normpath(_join(root, one.module)), ("",))
            if found:
                return found
        return ()
    parts = one.module.split("\\")
    return _suffixed(path, parts, (".php",), world, max(1, len(parts) - 1))


def _bash(path: str, one: Import, world: World) -> Iterable[str]:
    for root in _ancestors(path):
        base = posixpath.normpath(_join(root, one.module))
        if world.exists(base):
            return [base]
    # A path behind a variable is known by its end alone.
    name = one.module.removeprefix("./")
    known = world.with_stem(posixpath.basename(name).partition(".")[0]) if "/" in name else ()
    return _nearest(path, [each for each in known if each.endswith("/" + name)])


def _suffixed(path: str, parts: Sequence[str], endings: Sequence[str], world: World, least: int) -> list[str]:
    """Return the file whose last parts are these, at least so many of them; of several, the nearest one."""
    best: list[str] = []
    most = least
    for candidate in world.with_stem(parts[-1]):
        if not candidate.endswith(tuple(endings)):
            continue
        own = _without_ending(candidate).split("/")
        same = 0
        while same < min(len(own), len(parts)) and own[-1 - same].lower() == parts[-1 - same].lower():
            same += 1
        if same > most:
            best, most = [candidate], same
        elif same == most:
            best.append(candidate)
    return _nearest(path, best)


def _folder_around(path: str, parts: Sequence[str], endings: Sequence[str], world: World) -> list[str]:
    """Return the files of a folder that lies in one of those around a file."""
    for root in _ancestors(path):
        found = [each for each in world.folder(_join(root, *parts)) if each.endswith(tuple(endings))]
        if found:
            return found[:_MOST]
    return []


def _nearest(path: str, candidates: Iterable[str]) -> list[str]:
    """Return the candidate that shares most folders with a file; of equals the shortest, then the first by name."""
    ranked = sorted(candidates, key=lambda each: (-len(posixpath.commonprefix([path, each])), len(each), each))
    return ranked[:1]


def _first(world: World, base: str, endings: Iterable[str]) -> list[str]:
    return next(([base + ending] for ending in endings if world.exists(base + ending)), [])


def _ancestors(path: str) -> list[str]:
    """Return the folders around a file, the innermost first, "" for the root at last."""
    found = []
    folder = posixpath.dirname(path)
    while folder:
        found.append(folder)
        folder = posixpath.dirname(folder)
    return [*found, ""]


def _join(*parts: str) -> str:
    return "/".join(part for part in parts if part)


def _without_ending(path: str) -> str:
    folder, slash, name = path.rpartition("/")
    return folder + slash + name.partition(".")[0]


_RESOLVERS: dict[str, Callable[[str, Import, World], Iterable[str]]] = {
    "python": _python,
    **dict.fromkeys(("javascript", "typescript", "vue", "svelte"), _script),
    "go": _go,
    "rust": _rust,
    **dict.fromkeys(("java", "kotlin"), _jvm),
    "csharp": _csharp,
    **dict.fromkeys(("c", "cpp"), _include),
    "ruby": _ruby,
    "php": _php,
    "shell": _bash,
}
