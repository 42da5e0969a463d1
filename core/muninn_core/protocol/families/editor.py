"""Show what is remembered about a file, a line or a name."""

from __future__ import annotations

from typing import Annotated, Literal

from muninn_core.model.note import Doubt, Lens, Note, Pointer
from muninn_core.model.value import Meta, Value
from muninn_core.protocol.base import Result, Text
from muninn_core.protocol.method import Family, Method


class AnnotateParams(Value):
    """The file to annotate."""

    file: Annotated[Text, Meta(description="The file, relative to the root.")]


class AnnotateResult(Result):
    """The annotations of a file: notes by line and id, code lenses, and doubtful citations.

    `pointers` are the places where its text names memories and decisions. `omitted` counts memories beyond the limit,
    `pending` citations that were not checked in time; the next answer has them.
    """

    path: str
    notes: tuple[Note, ...]
    lenses: tuple[Lens, ...]
    doubts: tuple[Doubt, ...]
    pointers: tuple[Pointer, ...] = ()
    omitted: int = 0
    pending: int = 0


class AboutParams(Value):
    """A place in the code."""

    file: Annotated[Text, Meta(description="The file, relative to the root; the command line also takes FILE:LINE.")]
    line: Annotated[int, Meta(ge=0, description="The line (1-based); 0 is the whole file.")] = 0
    name: Annotated[str, Meta(description="The name at that place, to ask about it alone.")] = ""
    links: Annotated[
        bool, Meta(description="Link memories as `muninn:` documents, for clients that can open them.")
    ] = False
    rich: Annotated[
        bool,
        Meta(description="Fold details with HTML and link actions as `command:`, for clients that show both."),
    ] = False


class AboutResult(Result):
    """What is remembered about the place, as markdown ("" for nothing), and the ids of the memories in it.

    Where nothing is remembered, `notice` says how much is about the rest of the file, or that the file does not exist,
    with the nearest path.
    """

    text: str
    ids: tuple[str, ...]
    notice: str = ""


class DocumentParams(Value):
    """The document to read."""

    uri: Annotated[
        Text,
        Meta(
            description="muninn:/memory/ID.md, muninn:/notes/PATH.md, muninn:/commit/SHA.md, "
            "muninn:/context/PATH.md or muninn:/pack.md?query=TEXT&budget=TOKENS."
        ),
    ]
    form: Annotated[
        Literal["text", "page", "card", "plain"],
        Meta(
            description="text is plain markdown. page folds history and details with HTML and links actions as "
            "`command:`, for clients that show both. card is such a page of a memory without links and history. "
            "plain is a memory without markdown, to compare it with another."
        ),
    ] = "text"


class DocumentResult(Result):
    """The document's title, and its text as markdown."""

    uri: str
    title: str
    text: str


class DraftParams(Value):
    """The memory to draft."""

    type: Annotated[Text, Meta(description="insight, decision, attempt, constraint or any other kind of memory.")] = (
        "insight"
    )
    path: Annotated[str, Meta(description="The file that the memory is about, relative to the root.")] = ""
    start: Annotated[int, Meta(ge=0, description="The first line to cite; 0 cites none.")] = 0
    end: Annotated[int, Meta(ge=0, description="The last line to cite.")] = 0
    supersedes: Annotated[str, Meta(description="The memory that it supersedes.")] = ""


class DraftResult(Result):
    """The draft file; saving it in an editor stores the memory. `path` is absolute."""

    path: str
    text: str


FAMILY = Family(
    name="editor",
    title="Editors",
    summary="Show what is remembered about a file, a line or a name.",
    plumbing=True,
    methods=(
        Method(
            verb="annotate",
            title="Annotate a file",
            summary="Return the notes on a file by line, and the citations of it that are doubtful.",
            params=AnnotateParams,
            result=AnnotateResult,
            effect="read",
            positional=("file",),
            example={"file": "src/users.py"},
            rooted_paths=("file",),
        ),
        Method(
            verb="about",
            title="Show notes on a place",
            everyday="Show what is remembered about a file or a line.",
            synonyms=("blame", "explain", "whatis"),
            summary="Show what is remembered about a line or a name in the code, and how it is related.",
            params=AboutParams,
            result=AboutResult,
            effect="read",
            positional=("file",),
            use="Call before you change a line or definition, to learn what was decided or tried about it.",
            example={"file": "src/users.py"},
            rooted_paths=("file",),
        ),
        Method(
            verb="document",
            title="Read a document",
            summary="Return a memory, the notes on a file, a commit or a pack as a page to read.",
            params=DocumentParams,
            result=DocumentResult,
            effect="read",
            positional=("uri",),
            example={"uri": "muninn:/notes/src/users.py.md"},
        ),
        Method(
            verb="draft",
            title="Draft a memory",
            summary=(
                "Create a file to write a memory in; saving it in an editor that Muninn serves stores the memory."
            ),
            params=DraftParams,
            result=DraftResult,
            effect="write",
            idempotent=False,
        ),
    ),
)
