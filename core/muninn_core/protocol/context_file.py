"""Write context files and turn them into packs."""

from __future__ import annotations

from typing import Annotated, Literal

from muninn_core.model.value import Meta, Value
from muninn_core.protocol.base import Result, SessionId, Text, TextOfFile
from muninn_core.protocol.method import Family, Method


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


class Rendered(Value):
    """What became of one reference of a context file: its tokens in the pack, or the problem why it is not there.

    `known`: what it means was there already, for another reference.
    """

    text: str
    line: int
    column: int
    title: str = ""
    tokens: int = 0
    problem: str = ""
    known: bool = False


class RenderResult(Result):
    """The pack of a context file as markdown; `tokens` counts all of it and never exceeds `budget`.

    `cut` says that not even the file's own text fits, so that its end is missing.
    """

    path: str
    title: str
    text: str
    tokens: int
    budget: int
    references: tuple[Rendered, ...]
    cut: bool = False


class TemplateNewParams(Value):
    """The context file to make."""

    name: Annotated[Text, Meta(description="The name of the new file in .muninn/context, without its ending.")]
    template: Annotated[
        Literal["api", "architecture", "bugfix", "feature", "refactor"], Meta(description="What it begins as.")
    ] = "feature"
    title: Annotated[str, Meta(description="What it is about, on one line; made from the name when absent.")] = ""


class TemplateNewResult(Result):
    """The context file that was made, relative to the root."""

    path: str
    template: str
    text: str


class TemplateListParams(Value):
    """Nothing to say: all templates are listed."""


class Template(Value):
    """A template of context files."""

    name: str
    summary: str


class TemplateListResult(Result):
    """The templates by name."""

    templates: tuple[Template, ...]


FAMILY = Family(
    name="context_file",
    title="Context files",
    summary="Write context files and turn them into packs.",
    groups={"template": "Begin context files; `muninn context new` is the same as `muninn template new`."},
    methods=(
        Method(
            verb="render",
            title="Render a context file",
            summary="Make the pack of a context file: its text, and what its references mean, within its budget.",
            params=RenderParams,
            result=RenderResult,
            effect="read",
            positional=("path",),
            use="Call when a person names a context file, or hands one over: it returns the file's text with what its "
            "references mean, within its budget.",
            example={"path": "review"},
            searches=True,
            shown=("path", "budget"),
            aliases=("context render",),
        ),
        Method(
            verb="template.new",
            title="New context file",
            summary="Make a context file from a template; one that is there stays as it is.",
            params=TemplateNewParams,
            result=TemplateNewResult,
            effect="write",
            idempotent=False,
            positional=("name",),
            example={"name": "review"},
            aliases=("context new",),
        ),
        Method(
            verb="template.list",
            title="List templates",
            summary="List the templates of context files.",
            params=TemplateListParams,
            result=TemplateListResult,
            effect="read",
        ),
    ),
)
