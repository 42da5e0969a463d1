"""Create context files and render them as packs."""

from __future__ import annotations

from typing import Annotated, Literal

from muninn_core.model.value import Meta, Value
from muninn_core.protocol.base import Result, SessionId, Text, TextOfFile
from muninn_core.protocol.method import Family, Method


class RenderParams(Value):
    """The context file to render."""

    path: Annotated[
        Text, Meta(description="A context file; a bare name is that of a file in .muninn/context, without .md.")
    ]
    text: TextOfFile = None
    budget: Annotated[int, Meta(ge=0, le=200_000, description="The token budget; 0 takes the file's own, or 8000.")] = 0
    session: SessionId | None = None


class Rendered(Value):
    """A reference of a context file: its tokens in the pack, or the problem why it is missing.

    `known` is true when the pack already has its content, because of another reference.
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

    `cut` is true when even the file's own text does not fit and its end is missing.
    """

    path: str
    title: str
    text: str
    tokens: int
    budget: int
    references: tuple[Rendered, ...]
    cut: bool = False


class TemplateNewParams(Value):
    """The context file to create."""

    name: Annotated[Text, Meta(description="The name of the new file in .muninn/context, without .md.")]
    template: Annotated[
        Literal["api", "architecture", "bugfix", "feature", "refactor"] | None,
        Meta(description="The template. Without it the one of the file's name, else feature."),
    ] = None
    title: Annotated[str, Meta(description="A one-line title; made from the name when absent.")] = ""


class TemplateNewResult(Result):
    """The context file that was created, relative to the root."""

    path: str
    template: str
    text: str


class TemplateListParams(Value):
    """`template.list` takes no parameters."""


class Template(Value):
    """A template of context files."""

    name: str
    summary: str


class TemplateListResult(Result):
    """The templates, by name."""

    templates: tuple[Template, ...]


FAMILY = Family(
    name="context_file",
    title="Context files",
    summary="Create context files and render them as packs.",
    groups={"template": "Create context files; `muninn context new` is the same as `muninn template new`."},
    methods=(
        Method(
            verb="render",
            title="Render a context file",
            summary="Return a context file with the content of its references, within its budget.",
            params=RenderParams,
            result=RenderResult,
            effect="read",
            positional=("path",),
            use=(
                "Call when the user names or passes a context file: it returns the file with the content of "
                "its references."
            ),
            example={"path": "review"},
            searches=True,
            shown=("path", "budget"),
            aliases=("context render",),
        ),
        Method(
            verb="template.new",
            title="Create a context file",
            summary="Create a context file from a template; an existing file is not changed.",
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
