"""Search, read and list the files of the work tree."""

from __future__ import annotations

from typing import Annotated, Literal

from muninn_core.model.chunk import SourceKind
from muninn_core.model.value import Meta, Value
from muninn_core.protocol.base import Names, Result, Text
from muninn_core.protocol.method import Family, Method

Globs = Annotated[Names, Meta(description="Only files that match any of these globs, as in .gitignore: src/**, *.py.")]

Languages = Annotated[Names, Meta(description="Only files in these languages: python, ts, go.")]


class GrepParams(Value):
    """What to search for, and in which files."""

    pattern: Annotated[
        Text,
        Meta(
            max_length=1000,
            description="A regular expression of RE2, matched within single lines: no lookaround, no back references.",
        ),
    ]
    path: Globs = ()
    lang: Languages = ()
    fixed: Annotated[bool, Meta(description="The pattern is plain text instead of a regular expression.")] = False
    ignore_case: Annotated[bool, Meta(description="Upper and lower case match each other.")] = False
    word: Annotated[bool, Meta(description="Match whole words only.")] = False
    context: Annotated[int, Meta(ge=0, le=10, description="How many lines to show before and after each match.")] = 0
    count: Annotated[bool, Meta(description="Return only the files, with the number of their matching lines.")] = False
    limit: Annotated[int, Meta(ge=1, le=1000, description="The most lines, or with `count` files, to return.")] = 50


class GrepLine(Value):
    """A matching line, with the lines around it. A long line is cut around its first match."""

    path: str
    line: int
    text: str
    before: tuple[str, ...] = ()
    after: tuple[str, ...] = ()


class GrepFile(Value):
    """A file with matches, and the number of its matching lines."""

    path: str
    lines: int


class GrepResult(Result):
    """The matching lines, by path and line; with `count` the files instead.

    `total` counts the matching lines of the searched files, `files` the files that have one, `searched` the files that
    were read. `omitted` counts matching lines beyond the limit, `unsearched` files that were not read because the time
    was up.
    """

    pattern: str
    matches: tuple[GrepLine, ...]
    counts: tuple[GrepFile, ...]
    total: int
    files: int
    searched: int
    omitted: int = 0
    unsearched: int = 0


class ReadParams(Value):
    """Which lines of which file to read."""

    path: Annotated[Text, Meta(description="A file, relative to the root.")]
    start: Annotated[int, Meta(ge=1, description="The first line, counted from 1.")] = 1
    end: Annotated[int, Meta(ge=0, description="The last line; 0 is that of the file.")] = 0
    limit: Annotated[int, Meta(ge=1, le=2000, description="The most lines to return.")] = 400


class ReadResult(Result):
    """Lines of a file, as they are on disk. `total` counts its lines, `omitted` those after `end` that were asked for.

    `cut` counts the characters that were removed from lines of more than 2,000 characters.
    """

    path: str
    language: str
    start: int
    end: int
    total: int
    lines: tuple[str, ...]
    omitted: int = 0
    cut: int = 0


class TreeParams(Value):
    """Which folder to show, and how deep."""

    path: Annotated[str, Meta(description="Only this folder, relative to the root.")] = ""
    depth: Annotated[int, Meta(ge=1, le=20, description="How many levels of folders to open.")] = 2
    limit: Annotated[int, Meta(ge=1, le=2000, description="The most entries to return; upper levels come first.")] = 200


class TreeEntry(Value):
    """A file, or a folder with the number of files below it. The path of a folder ends with a slash."""

    path: str
    files: int = 0


class TreeResult(Result):
    """The files and folders below a folder, by path.

    `files` counts all files below it. `omitted` counts entries within the depth that are beyond the limit.
    """

    path: str
    entries: tuple[TreeEntry, ...]
    files: int
    omitted: int = 0


class FilesParams(Value):
    """Which files to list."""

    path: Globs = ()
    lang: Languages = ()
    kind: Annotated[Literal["code", "knowledge"] | None, Meta(description="Only code, or only knowledge.")] = None
    limit: Annotated[int, Meta(ge=1, le=5000, description="The most files to return.")] = 200
    offset: Annotated[int, Meta(ge=0, description="How many files to skip.")] = 0


class ListedFile(Value):
    """A file of the work tree."""

    path: str
    kind: SourceKind
    language: str


class FilesResult(Result):
    """The files by path. `total` counts all that match, `omitted` those after the last one returned."""

    files: tuple[ListedFile, ...]
    total: int
    omitted: int = 0


FAMILY = Family(
    name="files",
    title="Files",
    summary="Search, read and list the files of the work tree.",
    methods=(
        Method(
            verb="grep",
            title="Search files for a pattern",
            summary="Search the files of the work tree for a regular expression, in linear time.",
            params=GrepParams,
            result=GrepResult,
            effect="read",
            positional=("pattern", "path"),
            synonyms=("rg", "ag"),
            use="Call to find every place of an exact name or text; `recall` finds places by meaning.",
            example={"pattern": "def \\w+_user", "path": ["src/**"]},
            may_omit=("path",),
            searches=True,
        ),
        Method(
            verb="read",
            title="Read a file",
            summary="Show lines of a file of the work tree.",
            params=ReadParams,
            result=ReadResult,
            effect="read",
            positional=("path",),
            synonyms=("cat", "head", "type"),
            use="Call to read a place that another answer names, by its lines.",
            example={"path": "src/users.py", "start": 1, "end": 20},
            rooted_paths=("path",),
            searches=True,
        ),
        Method(
            verb="tree",
            title="Show folders and files",
            summary="Show the folders and files of the work tree, without ignored ones.",
            params=TreeParams,
            result=TreeResult,
            effect="read",
            positional=("path",),
            may_omit=("path",),
            use="Call to see which files a folder has; `map` shows how folders depend on each other.",
            example={"path": "src", "depth": 1},
            rooted_paths=("path",),
            searches=True,
        ),
        Method(
            verb="files",
            title="List files",
            aliases=("ls",),
            summary="List files of the work tree by glob, language or kind, without ignored ones.",
            params=FilesParams,
            result=FilesResult,
            effect="read",
            positional=("path",),
            may_omit=("path",),
            use="Call to find files by their names: `**/test_*.py`.",
            example={"path": ["src/*.py"]},
            searches=True,
        ),
    ),
)
