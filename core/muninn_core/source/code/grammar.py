"""Parses code with tree-sitter. The only module that imports tree-sitter and its grammars, each on first use.

The queries are in `queries/`, one file per grammar and shared parts. The captures are returned uninterpreted.
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

MAX_BYTES = 500_000
"""A larger file is generated or data, and would take too long."""

MAX_LINE_BYTES = 10_000
"""A file with a longer line is minified or data."""

MAX_SECONDS = 2.0
"""The processor time for one file; ordinary code takes hundredths of a second. Some input takes quadratic time."""

_WINDOW = 32_768
"""The number of bytes in which matches are searched at once."""

_MODULES = {
    "bash": ("tree_sitter_bash", "language"),
    "c": ("tree_sitter_c", "language"),
    "cpp": ("tree_sitter_cpp", "language"),
    "csharp": ("tree_sitter_c_sharp", "language"),
    "elixir": ("tree_sitter_elixir", "language"),
    "go": ("tree_sitter_go", "language"),
    "java": ("tree_sitter_java", "language"),
    "javascript": ("tree_sitter_javascript", "language"),
    "json": ("tree_sitter_json", "language"),
    "kotlin": ("tree_sitter_kotlin", "language"),
    "php": ("tree_sitter_php", "language_php"),
    "python": ("tree_sitter_python", "language"),
    "ruby": ("tree_sitter_ruby", "language"),
    "rust": ("tree_sitter_rust", "language"),
    "swift": ("tree_sitter_swift", "language"),
    "toml": ("tree_sitter_toml", "language"),
    "tsx": ("tree_sitter_typescript", "language_tsx"),
    "typescript": ("tree_sitter_typescript", "language_typescript"),
    "yaml": ("tree_sitter_yaml", "language"),
}

GRAMMARS: frozenset[str] = frozenset(_MODULES)
"""The available grammars."""

_BRACKETS = ((b"(", b")"), (b"[", b"]"), (b"{", b"}"))
_MAX_UNCLOSED = 1_000
_NESTED = b"(" * 100
_OPENED = bytes.maketrans(b"[{", b"((")
_BLANKS = b" \t\n\r\v\f"
_BLOCK = 2_048
_MAX_PUNCTUATION_SHARE = 0.6
"""The maximum share of a block that is neither letter, digit nor blank."""

SAFE_BYTES = 24_000
"""Up to this size, quadratic and cubic behaviour costs a second or two at most."""

_MIN_COMPRESSED_SHARE = 1 / 16
"""The minimum compressed share of a safe text.

Ordinary code has three times as much; most pathological input repeats itself.
"""

_DEEP_INDENT = re.compile(rb"^[ \t]{160}", re.MULTILINE)
_LONG_SERIES = re.compile(rb"(?:[-?:][ \t]+){40}|(?:<<(?:[^<\n]|<(?!<))*+){40}")
_MAX_BRACKET_DEPTH = 60
_NEITHER = bytes(code for code in range(256) if code not in b"()[]{}")

_WORDS = bytes(code for code in range(256) if code > 127 or chr(code).isalnum() or chr(code).isspace() or code == 95)

_INHERITS = re.compile(r"; inherits: (.+)\n")

_LOADING = threading.Lock()


class Parsed(NamedTuple):
    """A parsed text: its root, and the captures of each match by name. A match may occur twice."""

    root: Node
    matches: list[Mapping[str, list[Node]]]


def parse(grammar: str, data: bytes) -> Parsed | None:
    """Parse UTF-8 text. Returns None when it is too large, has very long lines, or is pathological.

    It holds the GIL and cannot be cancelled: check `is_safe_to_parse` first, or run it in a worker. Raises KeyError for
    a grammar that is not in `GRAMMARS`.
    """
    if len(data) > MAX_BYTES or _longest_line(data) > MAX_LINE_BYTES or _is_pathological(data):
        return None
    from tree_sitter import Parser

    language, query = _load_locked(grammar)
    deadline = time.thread_time() + MAX_SECONDS
    # Do not pass a read callback, which could stop the parser: tree-sitter 0.26 leaks the input, and its own means to
    # stop crash it.
    tree = Parser(language).parse(data)
    found = _matches(query, tree.root_node, len(data), deadline)
    return None if found is None else Parsed(tree.root_node, found)


def is_safe_to_parse(data: bytes) -> bool:
    """Whether a text can be parsed in a process that must survive; parse others in a worker.

    Some parsers count open blocks and strings in a fixed buffer and write beyond it; others do not terminate on
    pathological input. A text that `parse` refuses is safe.
    """
    if len(data) > MAX_BYTES:
        return True
    return (
        len(data) <= SAFE_BYTES
        and len(zlib.compress(data, 1)) >= _MIN_COMPRESSED_SHARE * len(data)
        and _DEEP_INDENT.search(data) is None
        and _LONG_SERIES.search(data) is None
        and _shallow(data.translate(None, _NEITHER))
    )


def _shallow(brackets: bytes) -> bool:
    """Whether brackets nest at most `_MAX_BRACKET_DEPTH` deep, apart from a few unpaired ones."""
    for _ in range(_MAX_BRACKET_DEPTH):
        before, brackets = brackets, brackets.replace(b"()", b"").replace(b"[]", b"").replace(b"{}", b"")
        if len(brackets) == len(before):
            break
    return len(brackets) <= 2 * _MAX_BRACKET_DEPTH


def _matches(query: Query, root: Node, size: int, deadline: float) -> list[Mapping[str, list[Node]]] | None:
    """Return the captures of all matches; None after the deadline.

    A match across the edge of a window occurs twice. The cost grows with the square of the depth, so the time is
    checked between windows.
    """
    from tree_sitter import QueryCursor

    found: list[Mapping[str, list[Node]]] = []
    for at in range(0, max(size, 1), _WINDOW):
        if time.thread_time() > deadline:
            return None
        cursor = QueryCursor(query)
        if size > _WINDOW:
            cursor.set_byte_range(at, at + _WINDOW)
        found += [captures for _, captures in cursor.matches(root)]
    return None if time.thread_time() > deadline else found


def _is_pathological(data: bytes) -> bool:
    """Whether a text would keep a parser busy for minutes: long runs of punctuation, or unclosed brackets.

    Error recovery takes quadratic time and can't be interrupted.
    """
    unclosed = sum(abs(data.count(opening) - data.count(closing)) for opening, closing in _BRACKETS)
    return (
        unclosed > _MAX_UNCLOSED
        or _NESTED in data.translate(_OPENED, _BLANKS)
        or any(
            len(data[at : at + _BLOCK].translate(None, _WORDS)) > _MAX_PUNCTUATION_SHARE * _BLOCK
            for at in range(0, len(data), _BLOCK)
        )
    )


def _longest_line(data: bytes) -> int:
    return max(map(len, data.split(b"\n")))


def _load_locked(grammar: str) -> tuple[Language, Query]:
    with _LOADING:  # two threads must not compile the same query
        return _load(grammar)


@cache
def _load(grammar: str) -> tuple[Language, Query]:
    from tree_sitter import Language, Query

    module, function = _MODULES[grammar]
    language = Language(getattr(import_module(module), function)())
    return language, Query(language, _query(grammar))


def _query(name: str) -> str:
    """Return a query with the queries that its first line inherits: `; inherits: script, jsx`."""
    source = (Path(__file__).parent / "queries" / f"{name}.scm").read_text(encoding="utf-8")
    inherited = _INHERITS.match(source)
    return "".join([*map(_query, inherited.group(1).split(", ") if inherited else ()), source])
