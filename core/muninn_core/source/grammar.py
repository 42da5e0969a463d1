"""Parses code with tree-sitter. The only importer of tree-sitter and its grammars, each loaded when it is first needed.

What is looked for in a tree stands in `queries/`, one file a grammar. It gives back what was captured, and knows
nothing of what that means.
"""

from __future__ import annotations

import threading
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

_SLICE = 16_384
"""Bytes that the parser reads at once. Between slices other threads have their turn."""

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

_LOADING = threading.Lock()


class Parsed(NamedTuple):
    """A parsed text: its root, and the captures of each match, by name, in the order in which they begin."""

    root: Node
    matches: list[Mapping[str, list[Node]]]


def parse(grammar: str, data: bytes) -> Parsed | None:
    """Parse UTF-8 text. Returns None for what is not worth it: too large, or with lines that nobody writes.

    The limits are of size and not of time, so that the same file has the same outcome on every machine. Raises
    KeyError for a grammar that is not among `GRAMMARS`.
    """
    if len(data) > LARGEST or _longest_line(data) > LONGEST_LINE:
        return None
    from tree_sitter import Parser, QueryCursor

    language, query = _loaded(grammar)
    if len(data) <= _SLICE:
        tree = Parser(language).parse(data)
    else:
        tree = Parser(language).parse(lambda at, _point: data[at : at + _SLICE])
    found = QueryCursor(query).matches(tree.root_node)
    return Parsed(tree.root_node, [captures for _, captures in found])


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
    source = (Path(__file__).parent / "queries" / f"{grammar}.scm").read_text(encoding="utf-8")
    return language, Query(language, source)
