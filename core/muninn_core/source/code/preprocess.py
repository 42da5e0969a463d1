"""Blanks parts of code that its grammar does not understand: macros, preprocessor branches, newer syntax.

Byte offsets do not change. A wrong blank does little harm, because it is only tried on text with syntax errors.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

_EXPORTED = re.compile(
    rb"\b(?:class|struct|union|enum)[ \t]+([A-Z][A-Z0-9_]{2,}(?:\([^()\n]*\))?)[ \t]+"
    rb"(?=[A-Za-z_]\w*[^\w;=,()*&]*[:{\n])"
)
"""A macro between `class` and its name: `class LEVELDB_EXPORT Status {`."""

_SPECIFIER = re.compile(rb"\b([A-Z][A-Z0-9]*_[A-Z0-9_]*)[ \t\n]+(?=[A-Za-z_]\w*(?:[ \t\n]+[A-Za-z_*&]|[*&<]|::))")
"""A macro in front of a type: `SPDLOG_INLINE void flush()`."""

_MACRO_CALL = re.compile(
    rb"\b(?!(?:if|for|while|switch|return|sizeof|defined|do|else|case|throw|catch)\b)"
    rb"\w+[ \t]*\([^()\n]*\)(?=[ \t]+[A-Za-z_]\w*\()"
)
"""A macro call in front of a name: `void printflike(1, 2) log_debug(`."""

_BRANCH = re.compile(
    rb"^[ \t]*#[ \t]*(if|ifdef|ifndef|elif|elifdef|elifndef|else|endif)\b(?:[^\n\\]|\\\n|\\.)*", re.MULTILINE
)
_DIRECTIVE = re.compile(rb"^[ \t]*#(?:[^\n\\]|\\\n|\\.)*", re.MULTILINE)
_UNDEF = re.compile(rb"^[ \t]*#[ \t]*undef[ \t]+(\w+)", re.MULTILINE)
_MACRO_USE = re.compile(
    rb"^[ \t]*(?:#[ \t]*(?:define|undef)[ \t]+(\w+)(?:[^\n\\]|\\\n|\\.)*|\w+\((\w+)\)[ \t]*$)", re.MULTILINE
)
_SELF_DEFINED = re.compile(rb"^[ \t]*#[ \t]*define[ \t]+(\w+)[ \t]+\1[ \t]*$", re.MULTILINE)
_MACRO_LINE = re.compile(
    rb"[;{}](?:[ \t]*(?:/\*[^*\n]*\*/|//[^\n]*))?[ \t]*\n\s*([A-Z][A-Z0-9]*_[A-Z0-9_]*)(?=[ \t]*\n)"
)
"""A macro on a line of its own: `UV_HANDLE_FIELDS`."""

_TYPED_STAR = re.compile(rb"^(?:export )(type)(?= \* )", re.MULTILINE)
_SCRIPT_OF_CSHARP = re.compile(rb"^#[:!][^\n]*", re.MULTILINE)
_GENERIC_MEMBER = re.compile(rb"[\w\])}>'\"](\n)(?:[ \t]*(?://[^\n]*)?\n){0,20}[ \t]*<")
_LETTERS = re.compile(rb"[^\n]")


def blank_known_extensions(grammar: str, data: bytes) -> bytes:
    """Blank constructs that the grammar is known to misread."""
    if grammar == "cpp":
        return _blank(data, (found.span(1) for found in _EXPORTED.finditer(data)))
    if grammar in ("typescript", "tsx"):
        return _blank(data, (found.span(1) for found in _TYPED_STAR.finditer(data)))
    return _blank(data, (found.span() for found in _SCRIPT_OF_CSHARP.finditer(data))) if grammar == "csharp" else data


def blank_unparsable(grammar: str, data: bytes) -> Iterator[bytes]:
    """Yield variants of a text that has syntax errors, each with more blanked than the one before."""
    if grammar in ("c", "cpp"):
        yield _without_macros(data)
        yield _without_macros(_blank(data, _other_branches(data, other=b"__cplusplus" if grammar == "c" else b"")))
    elif grammar == "typescript":
        yield _terminate_members(data)


def _without_macros(data: bytes) -> bytes:
    """Blank macros in front of types and names, and macros that are local to some lines."""
    data = _blank(data, _local_macros(data))
    directives = [found.span() for found in _DIRECTIVE.finditer(data)]
    code = _blank(data, directives)
    for expression in (
        _MACRO_CALL,
        _SPECIFIER,
        _SPECIFIER,
        _MACRO_LINE,
        _MACRO_LINE,
    ):  # macros are often doubled
        spans = [found.span(found.re.groups and 1) for found in expression.finditer(code)]
        code, data = _blank(code, spans), _blank(data, spans)
    return data


def _local_macros(data: bytes) -> Iterator[tuple[int, int]]:
    """Yield the spans of macros that are undefined again or defined as themselves, and of lines that only use one."""
    yield from (found.span() for found in _SELF_DEFINED.finditer(data))
    undone = {found[1] for found in _UNDEF.finditer(data)}
    yield from (found.span() for found in _MACRO_USE.finditer(data) if (found[1] or found[2]) in undone)


def _other_branches(data: bytes, *, other: bytes) -> Iterator[tuple[int, int]]:
    """Yield the spans of preprocessor conditions and of their `else` branches.

    For a condition on `other`, a language that this text is not parsed as, the first branch is yielded instead.
    """
    open_branches: list[int | None] = []  # the start of the skipped branch, per open condition
    for found in _BRANCH.finditer(data):
        word = found[1]
        yield found.span()
        if word.startswith(b"if"):
            foreign = bool(other) and other in found[0] and word != b"ifndef" and b"!" not in found[0]
            open_branches.append(found.end() if foreign else None)
        elif open_branches and word.startswith(b"el") and open_branches[-1] is None:
            open_branches[-1] = found.end()
        elif open_branches and word == b"endif":
            begin = open_branches.pop()
            if begin is not None:
                yield begin, found.start()


def _terminate_members(data: bytes) -> bytes:
    """Insert `;` between interface members when the next one begins with type parameters.

    The grammar would join them.
    """
    spans = [found.span(1) for found in _GENERIC_MEMBER.finditer(data)]
    blanked = bytearray(data)
    for start, _ in spans:
        blanked[start] = ord(";")
    return bytes(blanked)


def _blank(data: bytes, spans: Iterator[tuple[int, int]] | list[tuple[int, int]]) -> bytes:
    """Replace spans by blanks; newlines stay."""
    blanked = None
    for start, end in spans:
        blanked = bytearray(data) if blanked is None else blanked
        blanked[start:end] = _LETTERS.sub(b" ", data[start:end])
    return data if blanked is None else bytes(blanked)
