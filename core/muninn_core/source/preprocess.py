"""Writes code so that its grammar understands it: what only a preprocessor or a newer grammar knows becomes blanks.

Nothing moves: what is found in such a text stands at the same bytes of the real one. Where an expression takes
something away that mattered, it was wrong about a text that its grammar did not understand either.
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

_CALLED = re.compile(
    rb"\b(?!(?:if|for|while|switch|return|sizeof|defined|do|else|case|throw|catch)\b)"
    rb"\w+[ \t]*\([^()\n]*\)(?=[ \t]+[A-Za-z_]\w*\()"
)
"""A macro with arguments in front of a name: `void printflike(1, 2) log_debug(`."""

_BRANCH = re.compile(
    rb"^[ \t]*#[ \t]*(if|ifdef|ifndef|elif|elifdef|elifndef|else|endif)\b(?:[^\n\\]|\\\n|\\.)*", re.MULTILINE
)
_DIRECTIVE = re.compile(rb"^[ \t]*#(?:[^\n\\]|\\\n|\\.)*", re.MULTILINE)
_UNDONE = re.compile(rb"^[ \t]*#[ \t]*undef[ \t]+(\w+)", re.MULTILINE)
_USED = re.compile(
    rb"^[ \t]*(?:#[ \t]*(?:define|undef)[ \t]+(\w+)(?:[^\n\\]|\\\n|\\.)*|\w+\((\w+)\)[ \t]*$)", re.MULTILINE
)
_ITSELF = re.compile(rb"^[ \t]*#[ \t]*define[ \t]+(\w+)[ \t]+\1[ \t]*$", re.MULTILINE)
_ALONE = re.compile(rb"[;{}](?:[ \t]*(?:/\*[^*\n]*\*/|//[^\n]*))?[ \t]*\n\s*([A-Z][A-Z0-9]*_[A-Z0-9_]*)(?=[ \t]*\n)")
"""A macro on a line of its own, where something may begin: `UV_HANDLE_FIELDS`."""

_TYPED_STAR = re.compile(rb"^(?:export )(type)(?= \* )", re.MULTILINE)
_SCRIPT_OF_CSHARP = re.compile(rb"^#[:!][^\n]*", re.MULTILINE)
_GENERIC_MEMBER = re.compile(rb"[\w\])}>'\"](\n)(?:[ \t]*(?://[^\n]*)?\n){0,20}[ \t]*<")
_LETTERS = re.compile(rb"[^\n]")


def clear(grammar: str, data: bytes) -> bytes:
    """Return a text without what its grammar takes for something else, without telling of an error."""
    if grammar == "cpp":
        return _blanked(data, (found.span(1) for found in _EXPORTED.finditer(data)))
    if grammar in ("typescript", "tsx"):
        return _blanked(data, (found.span(1) for found in _TYPED_STAR.finditer(data)))
    return _blanked(data, (found.span() for found in _SCRIPT_OF_CSHARP.finditer(data))) if grammar == "csharp" else data


def blank_unparsable(grammar: str, data: bytes) -> Iterator[bytes]:
    """Yield a text of which a grammar did not understand some part as it may understand more of it, ever less of it."""
    if grammar in ("c", "cpp"):
        yield _without_macros(data)
        yield _without_macros(_blanked(data, _other_branches(data, other=b"__cplusplus" if grammar == "c" else b"")))
    elif grammar == "typescript":
        yield _ended(data)


def _without_macros(data: bytes) -> bytes:
    """Leave no macros in front of types and names, and none that are for some lines only."""
    data = _blanked(data, _local_macros(data))
    directives = [found.span() for found in _DIRECTIVE.finditer(data)]
    code = _blanked(data, directives)
    for expression in (_CALLED, _SPECIFIER, _SPECIFIER, _ALONE, _ALONE):  # two of them in a row are no rarity
        spans = [found.span(found.re.groups and 1) for found in expression.finditer(code)]
        code, data = _blanked(code, spans), _blanked(data, spans)
    return data


def _local_macros(data: bytes) -> Iterator[tuple[int, int]]:
    """Yield where macros stand that are undone again or mean themselves, and lines that only give one to another."""
    yield from (found.span() for found in _ITSELF.finditer(data))
    undone = {found[1] for found in _UNDONE.finditer(data)}
    yield from (found.span() for found in _USED.finditer(data) if (found[1] or found[2]) in undone)


def _other_branches(data: bytes, *, other: bytes) -> Iterator[tuple[int, int]]:
    """Yield where the conditions of a preprocessor stand, and what holds only when their first one does not.

    Where that speaks of `other`, a language that this text is not read as, it is all that the condition holds.
    """
    open_: list[int | None] = []  # where the branch that is left out begins, of each condition that is open
    for found in _BRANCH.finditer(data):
        word = found[1]
        yield found.span()
        if word.startswith(b"if"):
            foreign = bool(other) and other in found[0] and word != b"ifndef" and b"!" not in found[0]
            open_.append(found.end() if foreign else None)
        elif open_ and word.startswith(b"el") and open_[-1] is None:
            open_[-1] = found.end()
        elif open_ and word == b"endif":
            begin = open_.pop()
            if begin is not None:
                yield begin, found.start()


def _ended(data: bytes) -> bytes:
    """End members of an interface in front of those that begin with type parameters, which the grammar joins."""
    spans = [found.span(1) for found in _GENERIC_MEMBER.finditer(data)]
    eased = bytearray(data)
    for start, _ in spans:
        eased[start] = ord(";")
    return bytes(eased)


def _blanked(data: bytes, spans: Iterator[tuple[int, int]] | list[tuple[int, int]]) -> bytes:
    """Return a text with blanks in place of some spans; newlines stay."""
    eased = None
    for start, end in spans:
        eased = bytearray(data) if eased is None else eased
        eased[start:end] = _LETTERS.sub(b" ", data[start:end])
    return data if eased is None else bytes(eased)
