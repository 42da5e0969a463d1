"""Resolves imports to files of a repository, by the conventions of each language.

It reads no file except `tsconfig.json`. Imports of standard libraries and dependencies resolve to nothing.
"""

from __future__ import annotations

import posixpath
import re
import sys
from typing import TYPE_CHECKING, Protocol

from muninn_core.source.code.aliases import resolve_alias
from muninn_core.source.code.definition import Import

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

_SCRIPT_ENDINGS = (".ts", ".tsx", ".d.ts", ".js", ".jsx", ".mjs", ".cjs", ".mts", ".json", ".vue", ".svelte")
_JVM_ENDINGS = (".java", ".kt", ".kts", ".scala")
_CAPITAL = re.compile(r"(?<=[a-z0-9])([A-Z])")
_MAX_FOLDER_FILES = 30
"""The maximum number of files that an import of a whole folder resolves to."""


class FileIndex(Protocol):
    """Access to the files of a repository."""

    def exists(self, path: str) -> bool:
        """Whether a file exists."""

    def with_stem(self, stem: str) -> Sequence[str]:
        """Return the files whose name without suffix, as used in imports, is `stem`, sorted."""

    def folder(self, path: str) -> Sequence[str]:
        """Return the files directly in a folder, sorted."""

    def text(self, path: str) -> str:
        """Return a file's text, "" when it does not exist."""


def resolve_import(path: str, language: str, statement: Import, files: FileIndex) -> tuple[str, ...]:
    """Return the files that an import in the file `path` means, sorted; empty when it leaves the repository."""
    resolve = _RESOLVERS.get(language)
    found = resolve(path, statement, files) if resolve is not None else ()
    return tuple(sorted({candidate for candidate in found if candidate != path}))


def _python(path: str, statement: Import, files: FileIndex) -> Iterable[str]:
    module = statement.module.lstrip(".")
    dots = len(statement.module) - len(module)
    parts = module.split(".") if module else []
    if dots:
        base = posixpath.dirname(path)
        for _ in range(dots - 1):
            base = posixpath.dirname(base)
        roots: Iterable[str] = [base]
    elif parts[0] in sys.stdlib_module_names:
        return ()
    else:
        roots = _python_roots(path, parts, statement.names, files)
    for root in roots:
        found = _python_files(_join(root, *parts), statement.names, files)
        if found:
            return found
    return ()


def _python_roots(path: str, parts: list[str], names: Sequence[str], files: FileIndex) -> Iterator[str]:
    """Yield the folders in which a module may be: the root, `src`, those around the file, those that contain it."""
    yield ""
    yield "src"
    yield from _ancestors(path)[:-1]
    for last in (parts[-1], parts[0]):
        for candidate in files.with_stem(last):
            stem = _without_ending(candidate).removesuffix("/__init__")
            wanted = "/".join(parts if last == parts[-1] else parts[:1])
            if candidate.endswith((".py", ".pyi")) and stem.endswith("/" + wanted):
                root = stem[: -len(wanted) - 1]
                # A file within a package is not a top-level module.
                if len(parts) > 1 or not files.exists(_join(root, "__init__.py")):
                    yield root


def _python_files(base: str, names: Sequence[str], files: FileIndex) -> list[str]:
    """Return what `from base import names` means: submodules of these names, else the module itself."""
    own = [
        candidate for candidate in (f"{base}.py", f"{base}.pyi", _join(base, "__init__.py")) if files.exists(candidate)
    ][:1]
    below = [
        candidate for name in names for candidate in _first_existing(files, _join(base, name), (".py", "/__init__.py"))
    ]
    return below + own if len(below) < max(len(names), 1) else below


def _script(path: str, statement: Import, files: FileIndex) -> Iterable[str]:
    module = statement.module
    if module.startswith("."):
        return _script_file(posixpath.normpath(_join(posixpath.dirname(path), module)), files)
    for base in resolve_alias(path, module, files):
        if found := _script_file(base, files):
            return found
    if module.startswith(("@/", "~/")):
        for root in _ancestors(path):
            found = _script_file(_join(root, "src", module[2:]), files) or _script_file(_join(root, module[2:]), files)
            if found:
                return found
    return ()


def _script_file(base: str, files: FileIndex) -> list[str]:
    if files.exists(base):
        return [base]
    endings = (*_SCRIPT_ENDINGS, *(f"/index{ending}" for ending in _SCRIPT_ENDINGS))
    bare = base[:-3] if base.endswith((".js", ".mjs", ".cjs")) else base
    return _first_existing(files, base, endings) or _first_existing(files, bare, endings)


def _go(path: str, statement: Import, files: FileIndex) -> Iterable[str]:
    """Resolve a package, which is a folder.

    Its path begins with the module's, which is removed until a folder matches.
    """
    parts = statement.module.split("/")
    if len(parts) < 2 and "." not in parts[0]:
        return ()
    for skipped in range(1, len(parts)):
        for root in _ancestors(path):
            found = [
                candidate for candidate in files.folder(_join(root, *parts[skipped:])) if candidate.endswith(".go")
            ]
            if found:
                return [candidate for candidate in found if not candidate.endswith("_test.go")][:_MAX_FOLDER_FILES]
        if "." not in parts[0]:
            break  # a module without a domain has one part; `net/http` is the standard library's
    return ()


def _rust(path: str, statement: Import, files: FileIndex) -> Iterable[str]:
    parts = [*statement.module.split("::"), *statement.names]
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
        libraries = [candidate for candidate in files.with_stem(parts[0]) if candidate.endswith("lib.rs")]
        if not libraries:
            return _rust_module(inside, parts, files) if len(parts) > 1 else ()
        base, parts = posixpath.dirname(libraries[0]), parts[1:]
    return _rust_module(base, parts, files)


def _rust_module(base: str, parts: Sequence[str], files: FileIndex) -> list[str]:
    """Return the file of the longest module path that has one; the rest are names in it."""
    for end in range(len(parts), 0, -1):
        found = _first_existing(files, _join(base, *parts[:end]), (".rs", "/mod.rs"))
        if found:
            return found
    return _first_existing(files, base, ("/lib.rs", "/mod.rs", ".rs", "/main.rs"))


def _jvm(path: str, statement: Import, files: FileIndex) -> Iterable[str]:
    parts = statement.module.split(".")
    if statement.names:
        for end in (len(parts), len(parts) - 1):
            if end > 0 and (found := _match_suffix(path, parts[:end], _JVM_ENDINGS, files, len(parts[:end]))):
                return found
        return ()
    return _folder_around(path, parts, _JVM_ENDINGS, files)


def _csharp(path: str, statement: Import, files: FileIndex) -> Iterable[str]:
    parts = statement.module.split(".")
    for skipped in range(len(parts)):
        found = _folder_around(path, parts[skipped:], (".cs",), files)
        if found:
            return found
    return ()


def _include(path: str, statement: Import, files: FileIndex) -> Iterable[str]:
    name = statement.module.lstrip("<")
    beside = posixpath.normpath(_join(posixpath.dirname(path), name))
    if not statement.module.startswith("<") and files.exists(beside):
        return [beside]
    base = posixpath.basename(name)
    matches = [
        candidate for candidate in files.with_stem(base.partition(".")[0]) if f"/{candidate}".endswith(f"/{name}")
    ]
    # `<string.h>` is a system header unless an include folder has it.
    if statement.module.startswith("<") and "/" not in name:
        matches = [candidate for candidate in matches if "include/" in candidate]
    return _nearest(path, matches)


def _ruby(path: str, statement: Import, files: FileIndex) -> Iterable[str]:
    if statement.module.startswith("."):
        return _first_existing(files, posixpath.normpath(_join(posixpath.dirname(path), statement.module)), ("", ".rb"))
    for root in _ancestors(path):
        found = _first_existing(files, _join(root, "lib", statement.module), (".rb",)) or _first_existing(
            files, _join(root, statement.module), (".rb",)
        )
        if found:
            return found
    return _match_suffix(path, statement.module.split("/"), (".rb",), files, 2) if "/" in statement.module else ()


def _php(path: str, statement: Import, files: FileIndex) -> Iterable[str]:
    if statement.module.startswith("./"):
        for root in _ancestors(path):
            found = _first_existing(files, posixpath.normpath(_join(root, statement.module)), ("",))
            if found:
                return found
        return ()
    parts = statement.module.split("\\")
    return _match_suffix(path, parts, (".php",), files, max(1, len(parts) - 1))


def _elixir(path: str, statement: Import, files: FileIndex) -> Iterable[str]:
    parts = [_CAPITAL.sub(r"_\1", part).lower() for part in statement.module.split(".")]
    return _match_suffix(path, parts, (".ex", ".exs"), files, max(1, len(parts) - 1))


def _bash(path: str, statement: Import, files: FileIndex) -> Iterable[str]:
    for root in _ancestors(path):
        base = posixpath.normpath(_join(root, statement.module))
        if files.exists(base):
            return [base]
    # The start of the path is a variable: match its end.
    name = statement.module.removeprefix("./")
    matches = files.with_stem(posixpath.basename(name).partition(".")[0]) if "/" in name else ()
    return _nearest(path, [candidate for candidate in matches if candidate.endswith("/" + name)])


def _match_suffix(path: str, parts: Sequence[str], endings: Sequence[str], files: FileIndex, least: int) -> list[str]:
    """Return the file whose path ends in most of `parts`, at least `least`; of several, the nearest one."""
    nearest: list[str] = []
    longest = least
    for candidate in files.with_stem(parts[-1]):
        if not candidate.endswith(tuple(endings)):
            continue
        own = _without_ending(candidate).split("/")
        shared = 0
        while shared < min(len(own), len(parts)) and own[-1 - shared].lower() == parts[-1 - shared].lower():
            shared += 1
        if shared > longest:
            nearest, longest = [candidate], shared
        elif shared == longest:
            nearest.append(candidate)
    return _nearest(path, nearest)


def _folder_around(path: str, parts: Sequence[str], endings: Sequence[str], files: FileIndex) -> list[str]:
    """Return the files of a folder next to one of the file's ancestors."""
    for root in _ancestors(path):
        found = [candidate for candidate in files.folder(_join(root, *parts)) if candidate.endswith(tuple(endings))]
        if found:
            return found[:_MAX_FOLDER_FILES]
    return []


def _nearest(path: str, candidates: Iterable[str]) -> list[str]:
    """Return the candidate that shares the longest path prefix; then the shortest, then the first by name."""
    ranked = sorted(
        candidates, key=lambda candidate: (-len(posixpath.commonprefix([path, candidate])), len(candidate), candidate)
    )
    return ranked[:1]


def _first_existing(files: FileIndex, base: str, endings: Iterable[str]) -> list[str]:
    return next(([base + ending] for ending in endings if files.exists(base + ending)), [])


def _ancestors(path: str) -> list[str]:
    """Return the folders around a file, innermost first, ending with "" for the root."""
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


_RESOLVERS: dict[str, Callable[[str, Import, FileIndex], Iterable[str]]] = {
    "python": _python,
    **dict.fromkeys(("javascript", "typescript", "vue", "svelte"), _script),
    "go": _go,
    "rust": _rust,
    **dict.fromkeys(("java", "kotlin"), _jvm),
    "csharp": _csharp,
    **dict.fromkeys(("c", "cpp"), _include),
    "ruby": _ruby,
    "php": _php,
    "elixir": _elixir,
    "shell": _bash,
}
