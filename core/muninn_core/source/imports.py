"""Takes import statements apart: which module, and which names of it, as each language writes them.

It finds no files: a module is what the text says, `..base`, `./util`, `crate::index`, `<stdio.h>`. Where that lies is
for `resolve.py` to say.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from muninn_core.source.definition import Import

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

Found = tuple[str, tuple[str, ...]]
"""A module and the names that are taken from it."""

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
"""A file that a shell takes in: wherever a variable or a command in front points to, the rest of the path is known."""

_LONGEST_PATH = 400
_MOST = 2_000
"""Characters of a statement that are read."""


def read(grammar: str, statements: Iterable[tuple[int, str]]) -> Iterator[Import]:
    """Yield the imports of (line, text of the statement), in their order. A language without any has none."""
    split = _SPLITTERS.get(grammar)
    if split is None:
        return
    for line, text in statements:
        for module, names in split(text[:_MOST]):
            if module:
                yield Import(line, module, tuple(dict.fromkeys(name for name in names if name)))


def _python(text: str) -> Iterator[Found]:
    flat = " ".join(_COMMENT.sub("", text).replace("\\", " ").split())
    if flat.startswith("from "):
        module, _, names = flat[5:].partition(" import ")
        yield module.replace(" ", ""), _listed(names.strip("() "))
    else:
        for module in _listed(flat.removeprefix("import ")):
            yield module, ()


def _script(text: str) -> Iterator[Found]:
    quoted = list(_QUOTED.finditer(text))
    if not quoted:
        return
    last = quoted[-1] if text.startswith(("import ", "import{", "export")) else quoted[0]
    head = text[: last.start()]
    names: list[str] = []
    for braced in _BRACES.findall(head):
        names += _listed(braced)
    before = _TYPE_ONLY.sub("", _BRACES.sub("", head).partition(" from")[0].removeprefix("import"))
    names += [name.strip() for name in before.split(",") if _WORD.fullmatch(name.strip()) and text.startswith("import")]
    yield last.group(2), tuple(name.removeprefix("type ").strip() for name in names)


def _go(text: str) -> Iterator[Found]:
    for found in _QUOTED.finditer(text):
        yield found.group(2), ()


def _rust(text: str) -> Iterator[Found]:
    flat = " ".join(text.split())
    flat = re.sub(r"^(?:#\[[^\]]*\]\s*)*(?:pub(?:\([^)]*\))?\s+)?", "", flat).rstrip(";")
    if flat.startswith("mod "):
        yield f"self::{flat[4:].strip()}", ()
    elif flat.startswith("use "):
        yield from _rust_tree(flat[4:].strip().removeprefix("::"), "")


def _rust_tree(text: str, prefix: str, depth: int = 0) -> Iterator[Found]:
    """Take `a::{b, c::{d}}` apart: one path each, the last part being the name."""
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
    """Split at the commas that stand in no braces."""
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
    found = re.search(r"[\"<]([^\">\n]+)[\">]", text)
    if found:
        yield ("" if '"' in found.group() else "<") + found.group(1), ()


def _ruby(text: str) -> Iterator[Found]:
    found = _QUOTED.search(text)
    if found:
        path = found.group(2)
        relative = text.startswith("require_relative") and not path.startswith(".")
        yield (f"./{path}" if relative else path), ()


def _php(text: str) -> Iterator[Found]:
    flat = " ".join(text.split()).rstrip("; ")
    if not flat.startswith("use "):
        found = _QUOTED.search(flat)
        if found:
            yield "./" + found.group(2).lstrip("./"), ()
        return
    path = re.sub(r"^use\s+(?:function\s+|const\s+)?", "", flat)
    head, brace, rest = path.partition("{")
    for part in rest.rstrip("} ").split(",") if brace else path.split(","):
        whole = (head if brace else "") + _ALIAS.sub("", part.strip())
        yield whole.strip("\\ "), (whole.rpartition("\\")[2].strip(),)


def _bash(text: str) -> Iterator[Found]:
    found = _SOURCED.fullmatch(" ".join(text[:_LONGEST_PATH].split()))
    if found:
        yield "./" + (found["quoted"] or found["bare"] or "").removeprefix("./"), ()


def _listed(text: str) -> tuple[str, ...]:
    """Return the names of a list with commas, without their other names."""
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
    "bash": _bash,
}


def tails(module: str, names: Sequence[str]) -> set[str]:
    """Return the last parts that a file or folder could have to be meant by an import: what it is looked up by."""
    parts = [part for part in re.split(r"[./\\]|::", module.lstrip("<")) if part]
    found = {*parts[-4:], *names}
    name = module.rpartition("/")[2]
    found.add(name.partition(".")[0] or name)
    return {part for part in found if part not in ("*", "self", "super", "crate")}
