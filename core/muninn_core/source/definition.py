"""What a file defines and what it refers to, as plain values. They know nothing of how they are found."""

from __future__ import annotations

from typing import NamedTuple


class Definition(NamedTuple):
    """A definition of a file. Lines are 1-based and inclusive.

    `container` are the names of the definitions around it, with dots between them. `lead` is the first line of the
    comments and decorators that belong to it. `signature` is its head on one line, `comment` what is written about it.
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
        """The name with those around it: `Class.method`."""
        return f"{self.container}.{self.name}" if self.container else self.name


class Import(NamedTuple):
    """A line that takes something in: the module as it is written there, and the names that come from it."""

    line: int
    module: str
    names: tuple[str, ...] = ()


class Calls(NamedTuple):
    """The lines of a file that call a name, or make one."""

    name: str
    lines: tuple[int, ...]


class Syntax(NamedTuple):
    """All of it, of one file: definitions in the order of their lines, imports, calls by name."""

    definitions: tuple[Definition, ...] = ()
    imports: tuple[Import, ...] = ()
    calls: tuple[Calls, ...] = ()
    comment: str = ""
    """What the file says of itself at its beginning."""


KINDS: tuple[str, ...] = (
    "class", "interface", "trait", "struct", "enum", "type", "function", "method", "macro", "module", "property",
    "field", "constant", "variant", "variable", "prototype", "definition", "key", "heading",
)  # fmt: skip
"""The kinds of definitions, from those that are mostly meant by a name to those that seldom are."""

SCOPES: frozenset[str] = frozenset({"class", "interface", "trait", "struct", "enum", "impl"})
"""Kinds in which a function is a method."""
