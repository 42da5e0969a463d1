"""Check files of .muninn, and resolve, find and update references."""

from __future__ import annotations

from typing import Annotated, Any

from muninn_core.model.value import Meta, Value, field
from muninn_core.protocol.base import Result, Text, TextOfFile
from muninn_core.protocol.method import Family, Method

OwnPath = Annotated[Text, Meta(description="A file of .muninn, a context file, or a decision record.")]


class LintParams(Value):
    """The file to check."""

    path: OwnPath
    text: TextOfFile = None


class Fix(Value):
    """A fix: replacement text for a span of the fault's line, or a verb with its parameters."""

    title: str
    column: int = 0
    end: int = 0
    text: str = ""
    verb: str = ""
    params: dict[str, Any] = field(default_factory=dict)


class Fault(Value):
    """A fault in a file.

    `line` and `column` are 1-based and count characters; `end` is the column after the fault, 0 for the end of the
    line. `level` is error, warning or information; `rule` is a rule of `check`.
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
    """The faults of a file, by line. `kind` is the kind of file; `ok` is true without errors."""

    path: str
    kind: str
    ok: bool
    faults: tuple[Fault, ...]


class ReferencesParams(Value):
    """The file whose references to resolve."""

    path: OwnPath
    text: TextOfFile = None
    line: Annotated[int, Meta(ge=0, description="Only references on this line (1-based); 0 is all.")] = 0


class Meaning(Value):
    """The target of a reference: a memory, document, knowledge, file, folder, symbol or question.

    `line` and `column` are the reference's, 1-based. `path`, `start` and `last` (lines, 0 for the whole file) are the
    target's. `markdown` is the text to show. `problem` is what is missing; `near` is a similar name.
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
    """The references of a file, in its order."""

    path: str
    references: tuple[Meaning, ...]


class BacklinksParams(Value):
    """The target to find references to."""

    target: Annotated[
        Text, Meta(description="A path, a memory's id, a decision's name, or a reference: [[ADR 7]], @src/a.py#f.")
    ]
    path: Annotated[str, Meta(description="The file that contains the target; paths may be relative to it.")] = ""


class Backlink(Value):
    """A reference and its place: `line` and `column` are 1-based, `end` is exclusive; `text` is the line's text.

    For a reference in a memory `id` is set, and the place is that of its record, if a file of the work tree has it.
    """

    path: str
    line: int
    column: int
    end: int
    text: str
    id: str = ""


class BacklinksResult(Result):
    """References to a file, document or memory, by path and line; those in memories come last, by id. `target` is its
    name.
    """

    target: str
    backlinks: tuple[Backlink, ...]


class RelinkParams(Value):
    """The files to rename."""

    moves: Annotated[
        tuple[Text, ...], Meta(min_length=1, description="Old and new path of each file or folder, alternating.")
    ]


class Edit(Value):
    """Replacement text for a span of a line (1-based; `end` exclusive)."""

    path: str
    line: int
    column: int
    end: int
    text: str


class RelinkResult(Result):
    """The edits that keep links valid after a rename, by path, line and column."""

    edits: tuple[Edit, ...]


class NamesParams(Value):
    """Which names to list."""

    text: Annotated[
        str, Meta(description="Text that the name contains; case does not matter. Without it all names match.")
    ] = ""
    kinds: Annotated[
        tuple[Annotated[str, Meta(pattern="^(memory|document|knowledge|context|file|symbol|tag)$")], ...],
        Meta(description="memory, document, knowledge, context, file, symbol or tag; the first four by default."),
    ] = ()
    file: Annotated[str, Meta(description="For symbols: the file that defines them.")] = ""
    limit: Annotated[int, Meta(ge=1, le=1000, description="The most names to return.")] = 50


class Name(Value):
    """A name that a text can refer to; `insert` is the text to write. `kind` is as in `Meaning`, or context or tag."""

    kind: str
    name: str
    insert: str
    detail: str = ""
    markdown: str = ""
    path: str = ""
    line: int = 0
    id: str = ""


class NamesResult(Result):
    """The matching names, best first. `more` is true when there are others."""

    names: tuple[Name, ...]
    more: bool = False


FAMILY = Family(
    name="reference",
    title="References",
    summary="Check files of .muninn, and resolve, find and update references.",
    plumbing=True,
    methods=(
        Method(
            verb="lint",
            title="Check a file",
            summary="Check a file of .muninn or a context file: keys, links, citations, lines, secrets.",
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
            summary="Return the targets of the references in a context or knowledge file.",
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
            summary="Find references to a target in knowledge, context files, documents and memories.",
            params=BacklinksParams,
            result=BacklinksResult,
            effect="read",
            positional=("target",),
            example={"target": "[[ADR 7]]"},
        ),
        Method(
            verb="relink",
            title="List the edits of a rename",
            summary="Return the edits that keep links valid when files are renamed; nothing is changed.",
            params=RelinkParams,
            result=RelinkResult,
            effect="read",
            positional=("moves",),
            example={"moves": ["src/tokens.py", "src/auth/tokens.py"]},
        ),
        Method(
            verb="names",
            title="List names",
            summary=(
                "List names that a text can refer to: memories, documents, knowledge, context files, files, "
                "symbols, tags."
            ),
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
