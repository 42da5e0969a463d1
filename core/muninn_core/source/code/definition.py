"""The definitions, imports and calls of a file, as values."""

from __future__ import annotations

from typing import NamedTuple


class Definition(NamedTuple):
    """A definition in a file. Lines are 1-based and inclusive.

    `container` has the names of the enclosing definitions, joined by dots. `lead` is the first line of its comments and
    decorators. `signature` is its head on one line, `comment` its documentation.
    """

    name: str
    kind: str
    container: str
    start: int
    end: int
    lead: int
    signature: str = ""
    comment: str = ""

    @property
    def qualified(self) -> str:
        """The name with its container: `Class.method`."""
        return f"{self.container}.{self.name}" if self.container else self.name


class Import(NamedTuple):
    """An import statement: the module as written, and the imported names."""

    line: int
    module: str
    names: tuple[str, ...] = ()


class Calls(NamedTuple):
    """The lines of a file that call a name or create an instance of it."""

    name: str
    lines: tuple[int, ...]


class Syntax(NamedTuple):
    """What a file defines, in the order of its lines, imports and calls."""

    definitions: tuple[Definition, ...] = ()
    imports: tuple[Import, ...] = ()
    calls: tuple[Calls, ...] = ()
    comment: str = ""
    """The file's own documentation, at its beginning."""


KINDS: tuple[str, ...] = (
    "class", "interface", "trait", "struct", "enum", "type", "function", "method", "macro", "module", "property",
    "field", "constant", "variant", "variable", "prototype", "definition", "key", "heading",
)  # fmt: skip
"""The kinds of definitions, from those most often meant by a name to those seldom meant."""

SCOPES: frozenset[str] = frozenset({"class", "interface", "trait", "struct", "enum", "impl"})
"""Kinds in which a function is a method."""
