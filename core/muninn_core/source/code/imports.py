"""Parses import statements: the module as written and the imported names, such as `..base`, `./util` or `<stdio.h>`.

`resolve` finds the files.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from muninn_core.source.code.definition import Import

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

Found = tuple[str, tuple[str, ...]]
"""A module and the names imported from it."""

_COMMENT = re.compile(r"#[^\n]*")
_QUOTED = re.compile(r"""(["'`])([^"'`\n]+)\1""")
_BRACES = re.compile(r"\{([^{}]*)\}")
_ALIAS = re.compile(r"\s+as\s+[\w$]+")
_TYPE_ONLY = re.compile(r"^\s+type\b(?!\s*,|\s*$(?<=type))")
_WORD = re.compile(r"[A-Za-z_$][\w$]*")
_SOURCED = re.compile(
    r"(?:source|\.) (?:[\"']?(?:\$\(.*\)|\$\{[^}]*\}|\$\w+)[\"']?/)*"
    r"(?:[\"'](?P<quoted>[^\"']+)[\"']|(?P<bare>[^\s\"']+))[\"']?(?: .*)?"
)
"""A file that a shell sources. A leading variable or command is dropped, because the rest of the path is known."""

_MAX_PATH_LENGTH = 400
_MAX_STATEMENT = 2_000
"""The number of characters of a statement that are read."""


def read_imports(grammar: str, statements: Iterable[tuple[int, str]]) -> Iterator[Import]:
    """Yield the imports of (line, statement) pairs, in order. Nothing for a language without imports."""
    split = _SPLITTERS.get(grammar)
    if split is None:
        return
    for line, text in statements:
        for module, names in split(text[:_MAX_STATEMENT]):
            if module:
                yield Import(line, module, tuple(dict.fromkeys(name for name in names if name)))


def _python(text: str) -> Iterator[Found]:
    flat = " ".join(_COMMENT.sub("", text).replace("\\", " ").split())
    if flat.startswith("from "):
        module, _, names = flat[5:].partition(" import ")
        yield module.replace(" ", ""), _imported_names(names.strip("() "))
    else:
        for module in _imported_names(flat.removeprefix("import ")):
            yield module, ()


def _script(text: str) -> Iterator[Found]:
    quoted = list(_QUOTED.finditer(text))
    if not quoted:
        return
    last = quoted[-1] if text.startswith(("import ", "import{", "export")) else quoted[0]
    head = text[: last.start()]
    names: list[str] = []
    for braced in _BRACES.findall(head):
        names += _imported_names(braced)
    before = _TYPE_ONLY.sub("", _BRACES.sub("", head).partition(" from")[0].removeprefix("import"))
    names += [name.strip() for name in before.split(",") if _WORD.fullmatch(name.strip()) and text.startswith("import")]
    yield last.group(2), tuple(name.removeprefix("type ").strip() for name in names)


def _go(text: str) -> Iterator[Found]:
    for match in _QUOTED.finditer(text):
        yield match.group(2), ()


def _rust(text: str) -> Iterator[Found]:
    flat = " ".join(text.split())
    flat = re.sub(r"^(?:#\[[^\]]*\]\s*)*(?:pub(?:\([^)]*\))?\s+)?", "", flat).rstrip(";")
    if flat.startswith("mod "):
        yield f"self::{flat[4:].strip()}", ()
    elif flat.startswith("use "):
        yield from _rust_tree(flat[4:].strip().removeprefix("::"), "")


def _rust_tree(text: str, prefix: str, depth: int = 0) -> Iterator[Found]:
    """Yield the paths of `a::{b, c::{d}}`; the last part is the name."""
    head, brace, rest = text.partition("{")
    if brace and depth < 8:
        for part in _split_outside(rest.rpartition("}")[0]):
            yield from _rust_tree(part.strip(), prefix + head.strip(), depth + 1)
        return
    path = _ALIAS.sub("", prefix + text).strip()
    module, colons, name = path.rpartition("::")
    if name in ("self", "*"):
        yield module, ()
    else:
        yield (module, (name,)) if colons else (name, ())


def _split_outside(text: str) -> Iterator[str]:
    """Split at commas outside of braces."""
    depth, begin = 0, 0
    for at, char in enumerate(text):
        depth += (char == "{") - (char == "}")
        if char == "," and depth == 0:
            yield text[begin:at]
            begin = at + 1
    if text[begin:].strip():
        yield text[begin:]


def _java(text: str) -> Iterator[Found]:
    path = _ALIAS.sub("", " ".join(text.split())).removeprefix("import ").rstrip("; ")
    if path.startswith("static "):
        path = path.removeprefix("static ").rpartition(".")[0]
    module, _, name = path.replace(" ", "").rpartition(".")
    yield (module, ()) if name == "*" else (path.replace(" ", ""), (name,))


def _csharp(text: str) -> Iterator[Found]:
    path = " ".join(text.split()).removeprefix("global ").removeprefix("using ").removeprefix("static ").rstrip("; ")
    yield path.rpartition("=")[2].strip(), ()


def _include(text: str) -> Iterator[Found]:
    match = re.search(r"[\"<]([^\">\n]+)[\">]", text)
    if match:
        yield ("" if '"' in match.group() else "<") + match.group(1), ()


def _ruby(text: str) -> Iterator[Found]:
    match = _QUOTED.search(text)
    if match:
        path = match.group(2)
        relative = text.startswith("require_relative") and not path.startswith(".")
        yield (f"./{path}" if relative else path), ()


def _php(text: str) -> Iterator[Found]:
    flat = " ".join(text.split()).rstrip("; ")
    if not flat.startswith("use "):
        match = _QUOTED.search(flat)
        if match:
            yield "./" + match.group(2).lstrip("./"), ()
        return
    path = re.sub(r"^use\s+(?:function\s+|const\s+)?", "", flat)
    head, brace, rest = path.partition("{")
    for part in rest.rstrip("} ").split(",") if brace else path.split(","):
        whole = (head if brace else "") + _ALIAS.sub("", part.strip())
        yield whole.strip("\\ "), (whole.rpartition("\\")[2].strip(),)


def _elixir(text: str) -> Iterator[Found]:
    flat = " ".join(_COMMENT.sub("", text).split()).partition(" ")[2]
    path, brace, rest = flat.partition(".{")
    for name in rest.partition("}")[0].split(",") if brace else [""]:
        module = f"{path}.{name.strip()}" if brace else path.partition(",")[0].strip()
        yield module, (module.rpartition(".")[2],)


def _swift(text: str) -> Iterator[Found]:
    module = text.split()[-1]
    yield module, (module.rpartition(".")[2],)


def _bash(text: str) -> Iterator[Found]:
    match = _SOURCED.fullmatch(" ".join(text[:_MAX_PATH_LENGTH].split()))
    if match:
        yield "./" + (match["quoted"] or match["bare"] or "").removeprefix("./"), ()


def _imported_names(text: str) -> tuple[str, ...]:
    """Return the names of a comma-separated list, without aliases."""
    parts = (re.sub(r"\s+as\s+.*|\s*:\s.*", "", part.strip()) for part in text.split(","))
    return tuple(part for part in parts if part)


_SPLITTERS: dict[str, Callable[[str], Iterator[Found]]] = {
    "python": _python,
    **dict.fromkeys(("javascript", "typescript", "tsx"), _script),
    "go": _go,
    "rust": _rust,
    **dict.fromkeys(("java", "kotlin"), _java),
    "csharp": _csharp,
    **dict.fromkeys(("c", "cpp"), _include),
    "ruby": _ruby,
    "php": _php,
    "elixir": _elixir,
    "swift": _swift,
    "bash": _bash,
}


def lookup_names(module: str, names: Sequence[str]) -> set[str]:
    """Return the names of files or folders that an import may mean, by which importers are indexed."""
    parts = [part for part in re.split(r"[./\\]|::", module.lstrip("<")) if part]
    match = {*parts[-4:], *names}
    name = module.rpartition("/")[2]
    match.add(name.partition(".")[0] or name)
    return {part for part in match if part not in ("*", "self", "super", "crate")}
