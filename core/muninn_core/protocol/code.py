"""Look definitions and their relations up."""

from __future__ import annotations

from typing import Annotated

from muninn_core.model.value import Meta, Value
from muninn_core.protocol.base import Result, Text
from muninn_core.protocol.method import Family, Method


class SymbolsParams(Value):
    """Which definitions to find."""

    query: Annotated[
        str,
        Meta(
            min_length=1,
            max_length=200,
            description="A name, its beginning, its humps (`gUN` for getUserName) or a part; `Class.method`, too.",
        ),
    ]
    kind: Annotated[str | None, Meta(description="Only of this kind: class, function, method, constant …")] = None
    language: Annotated[str | None, Meta(description="Only of this language: python, typescript, go …")] = None
    path: Annotated[str | None, Meta(description="Only in this folder, or in files of this pattern: `src/*.py`.")] = (
        None
    )
    limit: Annotated[int, Meta(ge=1, le=500, description="The most definitions.")] = 20


class CodeSymbol(Value):
    """A definition. `container` are the names around it, `signature` its head; `children` are there in an outline."""

    name: str
    kind: str
    container: str
    path: str
    start_line: int
    end_line: int
    signature: str = ""
    comment: str = ""
    children: tuple[CodeSymbol, ...] = ()


class SymbolsResult(Result):
    """The best first: the whole name, its beginning, humps, parts. `total` is how many there are."""

    symbols: tuple[CodeSymbol, ...]
    total: int


class OutlineParams(Value):
    """Whose definitions to tell."""

    path: Annotated[Text, Meta(description="A file, relative to the root.")]


class OutlineResult(Result):
    """The definitions of a file as a tree, in the order of their lines."""

    path: str
    language: str
    symbols: tuple[CodeSymbol, ...]
    comment: str = ""


class GraphParams(Value):
    """What to look around from, and where to."""

    start: Annotated[
        Text, Meta(description="A file, a definition (`name`, `Class.method`), or one of a file: `path#Class.method`.")
    ]
    relation: Annotated[
        str,
        Meta(
            description="What to follow: definitions, imports, importers, callers, callees, tests, or neighbours, "
            "which are all but definitions."
        ),
    ] = "neighbours"
    depth: Annotated[int, Meta(ge=1, le=3, description="How many steps to go.")] = 1
    limit: Annotated[int, Meta(ge=1, le=500, description="The most edges.")] = 50


class GraphEdge(Value):
    """What hangs together with `origin`: a file, or a definition in it with `name`, `kind` and lines.

    It is written at `at_path`, line `at_line`; `how` says why a call means this definition: it is in the same file,
    imported, in the same package, or the only one of its name.
    """

    depth: int
    relation: str
    origin: str
    path: str
    name: str = ""
    kind: str = ""
    start_line: int = 0
    end_line: int = 0
    signature: str = ""
    at_path: str = ""
    at_line: int = 0
    how: str = ""


class GraphResult(Result):
    """What is around a file or definition, by depth, relation and place; `omitted` did not fit the limit."""

    target: str
    symbol: CodeSymbol | None
    relation: str
    edges: tuple[GraphEdge, ...]
    omitted: int = 0


FAMILY = Family(
    name="code",
    title="Code",
    summary="Look definitions and their relations up.",
    methods=(
        Method(
            verb="symbols",
            title="Find definitions",
            summary="Find classes, functions and other definitions by name.",
            params=SymbolsParams,
            result=SymbolsResult,
            effect="read",
            positional=("query",),
            use="Call when you know the name of a class or function, or a part of it, and want its place.",
            example={"query": "UserStore"},
            searches=True,
        ),
        Method(
            verb="outline",
            title="Outline a file",
            summary="Show what a file defines, as a tree with heads and comments.",
            params=OutlineParams,
            result=OutlineResult,
            effect="read",
            positional=("path",),
            use="Call before you read a long file: it shows what the file defines, with lines to read from.",
            example={"path": "src/users.py"},
            searches=True,
        ),
        Method(
            verb="graph",
            title="Look around in the code",
            summary="Show what a file or definition imports, calls, is called by and is tested by.",
            params=GraphParams,
            result=GraphResult,
            effect="read",
            positional=("start", "relation"),
            use="Call before you change a definition that others use: it shows who imports, calls and tests it.",
            example={"start": "src/users.py#User.rename"},
            searches=True,
        ),
    ),
)
