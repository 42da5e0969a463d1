"""Check files of .muninn and resolve the references in them."""

from __future__ import annotations

from typing import Annotated, Any

from muninn_core.model.value import Meta, Value, field
from muninn_core.protocol.base import Result, Text, TextOfFile
from muninn_core.protocol.method import Family, Method

OwnPath = Annotated[Text, Meta(description="A file of .muninn, a context file, or a decision record.")]


class LintParams(Value):
    """The file to look at."""

    path: OwnPath
    text: TextOfFile = None


class Fix(Value):
    """A way to mend a fault: other text for a span of its line (as in `Fault`), or else a verb with its parameters."""

    title: str
    column: int = 0
    end: int = 0
    text: str = ""
    verb: str = ""
    params: dict[str, Any] = field(default_factory=dict)


class Fault(Value):
    """What is wrong in a file. `line` and `column` count from 1, in characters; `end` is the column behind it.

    `end` 0 is the end of the line. `level` is error, warning or information; `rule` is that of `check`.
    """

    rule: str
    level: str
    message: str
    line: int
    column: int = 1
    end: int = 0
    hint: str = ""
    fixes: tuple[Fix, ...] = ()


class LintResult(Result):
    """The faults of a file in the order of its lines; `kind` says as what it was read. `ok`: none is an error."""

    path: str
    kind: str
    ok: bool
    faults: tuple[Fault, ...]


class ReferencesParams(Value):
    """The file whose references to resolve."""

    path: OwnPath
    text: TextOfFile = None
    line: Annotated[int, Meta(ge=0, description="Only those on this line, from 1; 0 is all of them.")] = 0


class Meaning(Value):
    """What a reference means: a memory, document, knowledge, file, folder, symbol or question.

    `line` and `column` are the reference's, from 1; `path`, `start` and `end` (lines, 0: the whole) are where it leads.
    `markdown` is what to show of it. `problem` says what of it is not there; `near` what may have been meant.
    """

    kind: str
    text: str
    line: int
    column: int
    end: int
    title: str = ""
    path: str = ""
    start: int = 0
    last: int = 0
    id: str = ""
    markdown: str = ""
    problem: str = ""
    near: str = ""


class ReferencesResult(Result):
    """The references that a file makes, in its order."""

    path: str
    references: tuple[Meaning, ...]


class BacklinksParams(Value):
    """What to look for."""

    target: Annotated[
        Text, Meta(description="A path, a memory's id, a decision's name, or a reference: [[ADR 7]], @src/a.py#f.")
    ]
    path: Annotated[str, Meta(description="The file that the target was written in; paths may be relative to it.")] = ""


class Backlink(Value):
    """A reference to something: where it stands (from 1; `end` exclusive), and its line's text.

    Of a memory `id` is set, and the place is that of its record, if that is in a file of the work tree.
    """

    path: str
    line: int
    column: int
    end: int
    text: str
    id: str = ""


class BacklinksResult(Result):
    """What refers to a file, document or memory, by path and line; memories come last, by id. `target` is its name."""

    target: str
    backlinks: tuple[Backlink, ...]


class RelinkParams(Value):
    """Which files get other names."""

    moves: Annotated[tuple[Text, ...], Meta(min_length=1, description="Old and new path in turn, of files or folders.")]


class Edit(Value):
    """Other text for a span of a line (from 1; `end` exclusive)."""

    path: str
    line: int
    column: int
    end: int
    text: str


class RelinkResult(Result):
    """The edits that keep links right when files get other names, by path, line and column."""

    edits: tuple[Edit, ...]


class NamesParams(Value):
    """Which names to list."""

    text: Annotated[str, Meta(description="What the name contains, whatever the case; nothing lists them all.")] = ""
    kinds: Annotated[
        tuple[Annotated[str, Meta(pattern="^(memory|document|knowledge|context|file|symbol|tag)$")], ...],
        Meta(description="memory, document, knowledge, context, file, symbol or tag; the first four by default."),
    ] = ()
    file: Annotated[str, Meta(description="For symbols: the file that defines them.")] = ""
    limit: Annotated[int, Meta(ge=1, le=1000, description="The most names to return.")] = 50


class Name(Value):
    """Something that can be named in a text: `insert` is how. `kind` is as in `Meaning`, or context or tag."""

    kind: str
    name: str
    insert: str
    detail: str = ""
    markdown: str = ""
    path: str = ""
    line: int = 0
    id: str = ""


class NamesResult(Result):
    """The names that match, best first; `more` says that there are others."""

    names: tuple[Name, ...]
    more: bool = False


FAMILY = Family(
    name="reference",
    title="References",
    summary="Check files of .muninn and resolve the references in them.",
    methods=(
        Method(
            verb="lint",
            title="Check a file",
            summary="Check one file of .muninn, or a context file: keys, links, citations, lines, secrets.",
            params=LintParams,
            result=LintResult,
            effect="read",
            positional=("path",),
            example={"path": ".muninn/config.yaml"},
            absolute_paths=("path",),
        ),
        Method(
            verb="references",
            title="Resolve references",
            summary="Say what the references in a context or knowledge file mean.",
            params=ReferencesParams,
            result=ReferencesResult,
            effect="read",
            positional=("path",),
            example={"path": ".muninn/context/review.md"},
            absolute_paths=("path",),
        ),
        Method(
            verb="backlinks",
            title="Find references",
            summary="Find the knowledge, context files, documents and memories that refer to something.",
            params=BacklinksParams,
            result=BacklinksResult,
            effect="read",
            positional=("target",),
            example={"target": "[[ADR 7]]"},
        ),
        Method(
            verb="relink",
            title="Links after a rename",
            summary="Say which edits keep links right when files get other names; nothing is changed.",
            params=RelinkParams,
            result=RelinkResult,
            effect="read",
            positional=("moves",),
            example={"moves": ["src/tokens.py", "src/auth/tokens.py"]},
        ),
        Method(
            verb="names",
            title="List names",
            summary="List what a text can name: memories, documents, knowledge, context files, files, symbols, tags.",
            params=NamesParams,
            result=NamesResult,
            effect="read",
            positional=("text",),
            example={"text": "cache"},
            rooted_paths=("file",),
            searches=True,
        ),
    ),
)
