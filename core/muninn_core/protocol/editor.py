"""Show what is remembered about a file, a line or a name."""

from __future__ import annotations

from typing import Annotated

from muninn_core.model.note import Doubt, Lens, Note, Pointer
from muninn_core.model.value import Meta, Value
from muninn_core.protocol.base import Result, Text
from muninn_core.protocol.method import Family, Method


class AnnotateParams(Value):
    """The file to say it of."""

    file: Annotated[Text, Meta(description="The file, relative to the root.")]


class AnnotateResult(Result):
    """What is remembered about a file, in its places: notes by line and id, what to show above what, what is in doubt.

    `pointers` are where its text names memories and decisions; `omitted` counts memories that were not looked at,
    `pending` citations that there was no time to check: the next answer does.
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

    file: Annotated[Text, Meta(description="The file, relative to the root.")]
    line: Annotated[int, Meta(ge=0, description="The line (1-based); 0 is the file as a whole.")] = 0
    name: Annotated[str, Meta(description="The name that stands there, if one is meant.")] = ""
    links: Annotated[
        bool, Meta(description="Link records as `muninn:` documents, for a client that can open them.")
    ] = False


class AboutResult(Result):
    """What is remembered about a place, as markdown, "" for nothing, and the ids of the memories that it shows."""

    text: str
    ids: tuple[str, ...]


class DocumentParams(Value):
    """The document to read."""

    uri: Annotated[
        Text,
        Meta(
            description="muninn:/memory/ID.md, muninn:/notes/PATH.md, muninn:/commit/SHA.md, "
            "muninn:/context/PATH.md or muninn:/pack.md?query=TEXT&budget=TOKENS."
        ),
    ]


class DocumentResult(Result):
    """A document for reading: its title, and its text as markdown."""

    uri: str
    title: str
    text: str


class DraftParams(Value):
    """What to begin a draft of."""

    type: Annotated[Text, Meta(description="insight, decision, attempt, constraint or any other kind of memory.")] = (
        "insight"
    )
    path: Annotated[str, Meta(description="The file that it is about, relative to the root.")] = ""
    start: Annotated[int, Meta(ge=0, description="The first line that it cites; 0 cites none.")] = 0
    end: Annotated[int, Meta(ge=0, description="The last line that it cites.")] = 0
    supersedes: Annotated[str, Meta(description="The memory that it takes the place of.")] = ""


class DraftResult(Result):
    """A file to write a memory into: saved in an editor, it is remembered. `path` is that of the file, whole."""

    path: str
    text: str


FAMILY = Family(
    name="editor",
    title="Editors",
    summary="Show what is remembered about a file, a line or a name.",
    methods=(
        Method(
            verb="annotate",
            title="Annotate a file",
            summary="Say what is remembered about a file in the places of that file, and what of it is in doubt.",
            params=AnnotateParams,
            result=AnnotateResult,
            effect="read",
            positional=("file",),
            example={"file": "src/users.py"},
            rooted_paths=("file",),
        ),
        Method(
            verb="about",
            title="Tell about a place",
            summary="Say what is remembered about a line or a name in the code, and why it has to do with it.",
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
            summary="Show a memory, what is known of a file, or a pack as a page for reading.",
            params=DocumentParams,
            result=DocumentResult,
            effect="read",
            positional=("uri",),
            example={"uri": "muninn:/notes/src/users.py.md"},
        ),
        Method(
            verb="draft",
            title="Begin a draft",
            summary="Make a file to write a memory into; saved in an editor that Muninn serves, it is remembered.",
            params=DraftParams,
            result=DraftResult,
            effect="write",
            idempotent=False,
        ),
    ),
)
