"""Find definitions and follow the relations between them."""

from __future__ import annotations

from typing import Annotated

from muninn_core.model.answer import AskedRepository
from muninn_core.model.value import Meta, Value
from muninn_core.protocol.base import Names, OtherRepositories, Result, Text
from muninn_core.protocol.method import Family, Method


class SymbolsParams(Value):
    """Which definitions to find."""

    query: Annotated[
        str,
        Meta(
            min_length=1,
            max_length=200,
            description="A name, its beginning, its capitals (`gUN` for getUserName), a part of it, or `Class.method`.",
        ),
    ]
    kind: Annotated[
        str | None, Meta(description="Only definitions of this kind: class, function, method, constant …")
    ] = None
    language: Annotated[str | None, Meta(description="Only in files of this language: python, typescript, go …")] = None
    path: Annotated[
        str | None, Meta(description="Only in this folder, or in files that match this pattern: `src/*.py`.")
    ] = None
    limit: Annotated[int, Meta(ge=1, le=500, description="The most definitions to return.")] = 20
    repos: OtherRepositories = ()


class CodeSymbol(Value):
    """A definition. `container` names the definitions around it, `signature` is its head.

    `children` are filled in an outline only. `repository` is the name of another repository, "" for this one.
    """

    name: str
    kind: str
    container: str
    path: str
    start_line: int
    end_line: int
    signature: str = ""
    comment: str = ""
    children: tuple[CodeSymbol, ...] = ()
    repository: str = ""


class SymbolsResult(Result):
    """The definitions, best first: matches of the whole name, its beginning, its capitals, a part. `total` counts all
    matches. `repositories` are the other repositories that were asked.
    """

    symbols: tuple[CodeSymbol, ...]
    total: int
    repositories: tuple[AskedRepository, ...] = ()


class OutlineParams(Value):
    """The file to outline."""

    path: Annotated[Text, Meta(description="A file, relative to the root.")]


class OutlineResult(Result):
    """The definitions of a file as a tree, in the order of their lines."""

    path: str
    language: str
    symbols: tuple[CodeSymbol, ...]
    comment: str = ""


class GraphParams(Value):
    """Where to start, and which relation to follow."""

    start: Annotated[
        Text,
        Meta(
            description="A file, a definition (`name`, `Class.method`), or one in a file: `path#Class.method`; "
            "with `repos` also `.`, all that this repository publishes."
        ),
    ]
    relation: Annotated[
        str,
        Meta(
            description="The relation to follow: definitions, imports, importers, callers, callees, tests, "
            "changes (files that commits changed together), or neighbours (all except definitions and changes)."
        ),
    ] = "neighbours"
    depth: Annotated[int, Meta(ge=1, le=3, description="How many steps to follow.")] = 1
    limit: Annotated[int, Meta(ge=1, le=500, description="The most edges to return.")] = 50
    repos: Annotated[
        Names,
        Meta(description="Find importers in these repositories of your list as well, by name; `all` is every one."),
    ] = ()


class GraphEdge(Value):
    """A relation from `origin` to a file, or to a definition in it (`name`, `kind` and lines).

    It is written in `at_path` at line `at_line`. `how` is why a call refers to this definition: it is in the same file,
    imported, in the same package, or the only one of its name; for `changes` it is in how many commits both changed.
    `repository` names the repository of both paths, "" for this one; such an edge is an import of a package that this
    repository publishes, or its declaration.
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
    repository: str = ""


class GraphResult(Result):
    """The relations of a file or definition, by depth, relation and place. `omitted` counts those beyond the limit.

    Edges from other repositories come last. `repositories` are those that were asked.
    """

    target: str
    symbol: CodeSymbol | None
    relation: str
    edges: tuple[GraphEdge, ...]
    omitted: int = 0
    repositories: tuple[AskedRepository, ...] = ()


class MapParams(Value):
    """Which part of the repository to show, and how finely."""

    path: Annotated[str, Meta(description="Only this folder, relative to the root.")] = ""
    depth: Annotated[int, Meta(ge=1, le=5, description="How many levels of folders are told apart.")] = 2
    limit: Annotated[int, Meta(ge=1, le=200, description="The most folders to return.")] = 30


class MapFolder(Value):
    """A folder with everything below it that no other entry has. `path` is "." for the root.

    `imports` are the folders that its files import, those with the most importing files first. `memories` counts the
    recallable memories that name one of its files.
    """

    path: str
    files: int
    definitions: int
    languages: dict[str, int]
    memories: int
    imports: tuple[MapImport, ...] = ()


class MapImport(Value):
    """A folder that is imported, and the number of files that import it."""

    path: str
    files: int


class MapResult(Result):
    """The repository by folders, largest first. `omitted` counts folders beyond the limit.

    `files`, `definitions` and `languages` (files by language) count everything below `path`. `central` are the files
    that the most other files import, tests not counted.
    """

    path: str
    files: int
    definitions: int
    languages: dict[str, int]
    folders: tuple[MapFolder, ...]
    central: tuple[MapImport, ...]
    omitted: int = 0


FAMILY = Family(
    name="code",
    title="Code",
    summary="Find definitions and follow the relations between them.",
    methods=(
        Method(
            verb="symbols",
            title="Find definitions",
            summary="Find classes, functions and other definitions by name.",
            params=SymbolsParams,
            result=SymbolsResult,
            effect="read",
            positional=("query",),
            use="Call when you know a name of a class or function, or part of it, and want its location.",
            example={"query": "UserStore"},
            searches=True,
        ),
        Method(
            verb="outline",
            title="Outline a file",
            summary="Show the definitions of a file as a tree, with signatures and comments.",
            params=OutlineParams,
            result=OutlineResult,
            effect="read",
            positional=("path",),
            use="Call before you read a long file: it lists the definitions with their lines.",
            example={"path": "src/users.py"},
            searches=True,
        ),
        Method(
            verb="map",
            title="Map the repository",
            synonyms=("architecture", "structure"),
            summary="Show the repository by folders: languages, definitions, memories, and which folder imports which.",
            params=MapParams,
            result=MapResult,
            effect="read",
            positional=("path",),
            may_omit=("path",),
            use="Call first in an unknown repository: it shows the parts and how they depend on each other.",
            example={"path": "src"},
            searches=True,
        ),
        Method(
            verb="graph",
            title="Follow relations in the code",
            synonyms=("callers", "callees", "calls", "imports", "importers"),
            summary="Show what a file or definition imports and calls, and what imports, calls and tests it.",
            params=GraphParams,
            result=GraphResult,
            effect="read",
            positional=("start", "relation"),
            use=("Call before you change a definition that others use: it lists what imports, calls and tests it."),
            example={"start": "src/users.py#User.rename"},
            searches=True,
        ),
    ),
)
