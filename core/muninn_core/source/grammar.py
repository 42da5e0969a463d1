"""Parses code with tree-sitter. The only importer of tree-sitter and its grammars, each loaded when it is first needed.

What is looked for in a tree stands in `queries/`, one file a grammar, with what several share in others. It gives back
what was captured, and knows nothing of what that means.
"""

from __future__ import annotations

import re
import threading
import time
import zlib
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tree_sitter import Language, Query
    from tree_sitter import Node as Node

LARGEST = 500_000
"""Bytes: a larger file of code is generated or data, and would hold the processor for too long."""

LONGEST_LINE = 10_000
"""Bytes: a file with a longer line is minified or data."""

LONGEST_SECONDS = 2.0
"""Of the processor, for one file: what people write takes hundredths. Some nonsense takes a time that grows with the
square of its length, and an index must not wait for that."""

_WINDOW = 32_768
"""Bytes of a text in which matches are looked for at once."""

_MODULES = {
    "bash": ("tree_sitter_bash", "language"),
    "c": ("tree_sitter_c", "language"),
    "cpp": ("tree_sitter_cpp", "language"),
    "csharp": ("tree_sitter_c_sharp", "language"),
    "go": ("tree_sitter_go", "language"),
    "java": ("tree_sitter_java", "language"),
    "javascript": ("tree_sitter_javascript", "language"),
    "json": ("tree_sitter_json", "language"),
    "kotlin": ("tree_sitter_kotlin", "language"),
    "php": ("tree_sitter_php", "language_php"),
    "python": ("tree_sitter_python", "language"),
    "ruby": ("tree_sitter_ruby", "language"),
    "rust": ("tree_sitter_rust", "language"),
    "toml": ("tree_sitter_toml", "language"),
    "tsx": ("tree_sitter_typescript", "language_tsx"),
    "typescript": ("tree_sitter_typescript", "language_typescript"),
    "yaml": ("tree_sitter_yaml", "language"),
}

GRAMMARS: frozenset[str] = frozenset(_MODULES)
"""The grammars that are there."""

_BRACKETS = ((b"(", b")"), (b"[", b"]"), (b"{", b"}"))
_UNCLOSED = 1_000
_NESTED = b"(" * 100
_OPENED = bytes.maketrans(b"[{", b"((")
_BLANKS = b" \t\n\r\v\f"
_BLOCK = 2_048
_SIGNS = 0.6
"""The share of a block that may be neither letter, digit nor blank."""

_CALM = 24_000
"""Bytes: what grows with the square or the cube of a text's length takes a second or two of one that is no longer."""

_CALM_SHARE = 1 / 16
"""What is left of a text when it is compressed. What people write leaves three times as much and more; most nonsense
that a parser stumbles over is one thing again and again."""

_CALM_INDENT = re.compile(rb"^[ \t]{160}", re.MULTILINE)
_CALM_SERIES = re.compile(rb"(?:[-?:][ \t]+){40}|(?:<<.*?){40}")
_CALM_DEPTH = 60
_NEITHER = bytes(code for code in range(256) if code not in b"()[]{}")

_WORDS = bytes(code for code in range(256) if code > 127 or chr(code).isalnum() or chr(code).isspace() or code == 95)

_INHERITS = re.compile(r"; inherits: (.+)\n")

_LOADING = threading.Lock()


class Parsed(NamedTuple):
    """A parsed text: its root, and the captures of each match, by name. A match may be there twice."""

    root: Node
    matches: list[Mapping[str, list[Node]]]


def parse(grammar: str, data: bytes) -> Parsed | None:
    """Parse UTF-8 text. Returns None for what is not worth it: too large, with lines that nobody writes, or nonsense.

    Other threads wait meanwhile, and nothing stops it: who can't bear that asks `is_calm` before, or is a process that
    may end. Raises KeyError for a grammar that is not among `GRAMMARS`.
    """
    if len(data) > LARGEST or _longest_line(data) > LONGEST_LINE or _is_nonsense(data):
        return None
    from tree_sitter import Parser

    language, query = _loaded(grammar)
    until = time.thread_time() + LONGEST_SECONDS
    # Not piece by piece, by which it could be ended: the library (0.26) never frees what it was given so, nor does it
    # survive being stopped by its own means.
    tree = Parser(language).parse(data)
    found = _matches(query, tree.root_node, len(data), until)
    return None if found is None else Parsed(tree.root_node, found)


def is_calm(data: bytes) -> bool:
    """Whether a text can be parsed where nothing must break: what is not is left to a process that may be lost.

    Some parsers count open blocks and texts in a kilobyte, and write beyond it; others come to no end with nonsense.
    A text that `parse` turns down at once is calm.
    """
    if len(data) > LARGEST:
        return True
    return (
        len(data) <= _CALM
        and len(zlib.compress(data, 1)) >= _CALM_SHARE * len(data)
        and _CALM_INDENT.search(data) is None
        and _CALM_SERIES.search(data) is None
        and _shallow(data.translate(None, _NEITHER))
    )


def _shallow(brackets: bytes) -> bool:
    """Whether brackets hold one another at most `_CALM_DEPTH` deep, but for a few that are no pairs."""
    for _ in range(_CALM_DEPTH):
        before, brackets = brackets, brackets.replace(b"()", b"").replace(b"[]", b"").replace(b"{}", b"")
        if len(brackets) == len(before):
            break
    return len(brackets) <= 2 * _CALM_DEPTH


def _matches(query: Query, root: Node, size: int, until: float) -> list[Mapping[str, list[Node]]] | None:
    """Return the captures of all matches; None when they take too long.

    What reaches over an edge of `_WINDOW` comes twice: the effort grows with the square of the depth, so that it has
    to be looked at between.
    """
    from tree_sitter import QueryCursor

    found: list[Mapping[str, list[Node]]] = []
    for at in range(0, max(size, 1), _WINDOW):
        if time.thread_time() > until:
            return None
        cursor = QueryCursor(query)
        if size > _WINDOW:
            cursor.set_byte_range(at, at + _WINDOW)
        found += [captures for _, captures in cursor.matches(root)]
    return None if time.thread_time() > until else found


def _is_nonsense(data: bytes) -> bool:
    """Whether a text would keep a parser busy for minutes: long runs of signs, or brackets that nobody closes.

    What parsers make of errors grows with the square of their number, and can't be stopped in the midst of it.
    """
    unclosed = sum(abs(data.count(opening) - data.count(closing)) for opening, closing in _BRACKETS)
    return (
        unclosed > _UNCLOSED
        or _NESTED in data.translate(_OPENED, _BLANKS)
        or any(
            len(data[at : at + _BLOCK].translate(None, _WORDS)) > _SIGNS * _BLOCK for at in range(0, len(data), _BLOCK)
        )
    )


def _longest_line(data: bytes) -> int:
    return max(map(len, data.split(b"\n")))


def _loaded(grammar: str) -> tuple[Language, Query]:
    with _LOADING:  # two threads must not compile the same query
        return _load(grammar)


@cache
def _load(grammar: str) -> tuple[Language, Query]:
    from tree_sitter import Language, Query

    module, function = _MODULES[grammar]
    language = Language(getattr(import_module(module), function)())
    return language, Query(language, _query(grammar))


def _query(name: str) -> str:
    """Return a query with those that its first line takes in: `; inherits: script, jsx`."""
    source = (Path(__file__).parent / "queries" / f"{name}.scm").read_text(encoding="utf-8")
    taken = _INHERITS.match(source)
    return "".join([*map(_query, taken.group(1).split(", ") if taken else ()), source])
