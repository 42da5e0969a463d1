"""Parameters about files as editors see them: notes, references, checks, templates, documents."""

from __future__ import annotations

from typing import Annotated, Literal

from muninn_core.model.value import Meta, Value
from muninn_core.protocol.params.base import SessionId, Text

TextOfFile = Annotated[
    str | None, Meta(description="The file's text, where an editor has it unsaved; else the file is read.")
]

OwnPath = Annotated[Text, Meta(description="A file of .muninn, a context file, or a decision record.")]


class LintParams(Value):
    """The file to look at."""

    path: OwnPath
    text: TextOfFile = None


class ReferencesParams(Value):
    """The file whose references to resolve."""

    path: OwnPath
    text: TextOfFile = None
    line: Annotated[int, Meta(ge=0, description="Only those on this line, from 1; 0 is all of them.")] = 0


class BacklinksParams(Value):
    """What to look for."""

    target: Annotated[
        Text, Meta(description="A path, a memory's id, a decision's name, or a reference: [[ADR 7]], @src/a.py#f.")
    ]
    path: Annotated[str, Meta(description="The file that the target was written in; paths may be relative to it.")] = ""


class RelinkParams(Value):
    """Which files get other names."""

    moves: Annotated[tuple[Text, ...], Meta(min_length=1, description="Old and new path in turn, of files or folders.")]


class NamesParams(Value):
    """Which names to list."""

    text: Annotated[str, Meta(description="What the name contains, whatever the case; nothing lists them all.")] = ""
    kinds: Annotated[
        tuple[Annotated[str, Meta(pattern="^(memory|document|knowledge|context|file|symbol|tag)$")], ...],
        Meta(description="memory, document, knowledge, context, file, symbol or tag; the first four by default."),
    ] = ()
    file: Annotated[str, Meta(description="For symbols: the file that defines them.")] = ""
    limit: Annotated[int, Meta(ge=1, le=1000, description="The most names to return.")] = 50


class RenderParams(Value):
    """The context file to render."""

    path: Annotated[
        Text, Meta(description="A context file; a bare name is that of a file in .muninn/context, without its ending.")
    ]
    text: TextOfFile = None
    budget: Annotated[
        int, Meta(ge=0, le=200_000, description="The most tokens; 0 is what the file says, or else 8000.")
    ] = 0
    session: SessionId | None = None


class TemplateListParams(Value):
    """Nothing to say: all templates are listed."""


class TemplateNewParams(Value):
    """The context file to make."""

    name: Annotated[Text, Meta(description="The name of the new file in .muninn/context, without its ending.")]
    template: Annotated[
        Literal["api", "architecture", "bugfix", "feature", "refactor"], Meta(description="What it begins as.")
    ] = "feature"
    title: Annotated[str, Meta(description="What it is about, on one line; made from the name when absent.")] = ""


class AnnotateParams(Value):
    """The file to say it of."""

    file: Annotated[Text, Meta(description="The file, relative to the root.")]


class AboutParams(Value):
    """A place in the code."""

    file: Annotated[Text, Meta(description="The file, relative to the root.")]
    line: Annotated[int, Meta(ge=0, description="The line (1-based); 0 is the file as a whole.")] = 0
    name: Annotated[str, Meta(description="The name that stands there, if one is meant.")] = ""
    links: Annotated[
        bool, Meta(description="Link records as `muninn:` documents, for a client that can open them.")
    ] = False


class DocumentParams(Value):
    """The document to read."""

    uri: Annotated[
        Text,
        Meta(
            description="muninn:/memory/ID.md, muninn:/notes/PATH.md, muninn:/commit/SHA.md, "
            "muninn:/context/PATH.md or muninn:/pack.md?query=TEXT&budget=TOKENS."
        ),
    ]


class DraftParams(Value):
    """What to begin a draft of."""

    type: Annotated[Text, Meta(description="insight, decision, attempt, constraint or any other kind of memory.")] = (
        "insight"
    )
    path: Annotated[str, Meta(description="The file that it is about, relative to the root.")] = ""
    start: Annotated[int, Meta(ge=0, description="The first line that it cites; 0 cites none.")] = 0
    end: Annotated[int, Meta(ge=0, description="The last line that it cites.")] = 0
    supersedes: Annotated[str, Meta(description="The memory that it takes the place of.")] = ""
