"""Group observations into capsules with summaries and pins, and retrieve what belongs to a question."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from muninn_core.model.event import Event
from muninn_core.model.value import Meta, Value, field
from muninn_core.protocol.base import Result, Text
from muninn_core.protocol.families.events import ProjectId, Span
from muninn_core.protocol.method import Family, Method

CapsuleId = Annotated[Text, Meta(description="The capsule's id.")]
Scope = Annotated[dict[str, str], Meta(description="Ids that it is bound to: session, repository, agent, user.")]
OpenedAfter = Annotated[str, Meta(description="Only capsules opened at or after this RFC 3339 time or date (UTC).")]
OpenedBefore = Annotated[str, Meta(description="Only capsules opened before this RFC 3339 time or date (UTC).")]


class CapsuleOpenParams(Value):
    """The capsule to open."""

    type: Annotated[Text, Meta(description="What kind of work it is: session, task, node or another word.")]
    intent: Annotated[str, Meta(description="What the work is for.")] = ""
    scope: Scope = field(default_factory=dict)
    parent: Annotated[str, Meta(description="The open capsule that contains it.")] = ""
    project_id: ProjectId = ""


class CapsuleResult(Result):
    """The capsule."""

    capsule: Span


class CapsuleCloseParams(Value):
    """The capsule to close."""

    id: CapsuleId
    summary: Annotated[str, Meta(description="A last summary of the work.")] = ""
    project_id: ProjectId = ""


class CapsuleObserveParams(Value):
    """What was observed."""

    id: CapsuleId
    text: Annotated[str, Meta(description="The observation in words.")] = ""
    kind: Annotated[str, Meta(description="The kind: tool_call, command, file_diff, error, message.")] = "message"
    details: Annotated[dict[str, Any], Meta(description="Fields of its kind: inputs, outputs, errors.")] = field(
        default_factory=dict
    )
    key: Annotated[str | None, Meta(description="An idempotency key: a second event with it is not recorded.")] = None
    project_id: ProjectId = ""


class CapsuleSummariseParams(Value):
    """The summary of an open capsule. The latest one counts."""

    id: CapsuleId
    text: Annotated[Text, Meta(description="The summary.")]
    project_id: ProjectId = ""


class CapsuleEventResult(Result):
    """The recorded event. `duplicate`: it was recorded before, under the same key; `masked` counts masked secrets."""

    event: Event
    duplicate: bool = False
    masked: int = 0


class CapsulePinParams(Value):
    """The event to pin, or to take out of the pins."""

    id: Annotated[Text, Meta(description="The event's id.")]
    scope: Scope = field(default_factory=dict)
    reason: Annotated[str, Meta(description="The reason; it is recorded.")] = ""
    remove: Annotated[bool, Meta(description="Remove it from the pins of this scope.")] = False
    project_id: ProjectId = ""


class CapsuleListParams(Value):
    """Which capsules to list."""

    scope: Scope = field(default_factory=dict)
    status: Annotated[Literal["open", "closed"] | None, Meta(description="Only capsules in this state.")] = None
    after: OpenedAfter = ""
    before: OpenedBefore = ""
    project_id: ProjectId = ""


class CapsuleListResult(Result):
    """The capsules, the last opened first."""

    capsules: tuple[Span, ...]


class CapsuleRetrieveParams(Value):
    """The question, and the scope that the answer comes from."""

    query: Annotated[str, Meta(description="What to look for; empty gives the latest observations.")] = ""
    scope: Scope = field(default_factory=dict)
    token_budget: Annotated[int, Meta(ge=1, description="The most tokens, estimated.")] | None = None
    limit: Annotated[int, Meta(ge=1, le=200, description="The most candidates.")] = 20
    project_id: ProjectId = ""


class RetrievedItem(Value):
    """An item. `tier` is pin, summary or candidate; `score` and the ranks by words and meaning are a candidate's."""

    tier: str
    event: Event
    tokens: int
    score: float = 0.0
    words: int = 0
    meaning: int = 0


class CapsuleRetrieveResult(Result):
    """Pins, then the latest summaries of open capsules, then candidates.

    Pins and summaries are never left out. `over` counts the tokens by which they exceed the budget; the answer then has
    no candidates. `left_out` counts the candidates that did not fit.
    """

    items: tuple[RetrievedItem, ...]
    tokens: int
    over: int
    left_out: int


class CapsuleExportParams(Value):
    """Which capsules to export."""

    scope: Scope = field(default_factory=dict)
    after: OpenedAfter = ""
    before: OpenedBefore = ""
    project_id: ProjectId = ""


class CapsuleExportResult(Result):
    """The bundle: the same content gives the same bundle."""

    bundle: dict[str, Any]


class CapsuleImportParams(Value):
    """The bundle, and what to do with items that differ here."""

    path: Annotated[str, Meta(description="The bundle's file; - is standard input.")] = ""
    bundle: Annotated[dict[str, Any] | None, Meta(description="The bundle itself, instead of a file.")] = None
    on_conflict: Annotated[
        Literal["skip", "overwrite", "error"],
        Meta(description="What to do with an item that differs here; error imports nothing."),
    ] = "skip"
    project_id: ProjectId = ""


class CapsuleImportResult(Result):
    """The numbers of new, replaced and known items, and the ids of those that differ here and were skipped."""

    imported: int
    replaced: int
    known: int
    skipped: tuple[str, ...]


FAMILY = Family(
    name="capsules",
    title="Capsules",
    summary="Group observations into capsules with summaries and pins, and retrieve what belongs to a question.",
    groups={"capsule": "Bounded units of work in the journal."},
    plumbing=True,
    methods=(
        Method(
            verb="capsule.open",
            title="Open a capsule",
            summary="Open a capsule for a unit of work.",
            params=CapsuleOpenParams,
            result=CapsuleResult,
            effect="append",
            idempotent=False,
            exact=True,
            positional=("type", "intent"),
            example={"type": "task", "intent": "fix the login", "scope": {"session": "s-1"}},
        ),
        Method(
            verb="capsule.close",
            title="Close a capsule",
            summary="Close a capsule, with a last summary.",
            params=CapsuleCloseParams,
            result=CapsuleResult,
            effect="append",
            idempotent=False,
            exact=True,
            positional=("id", "summary"),
            may_omit=("summary",),
            example={"id": "capsule:01kjmzt7mg0000000000000001", "summary": "The login works."},
        ),
        Method(
            verb="capsule.observe",
            title="Record an observation",
            summary="Record an observation in an open capsule.",
            params=CapsuleObserveParams,
            result=CapsuleEventResult,
            effect="append",
            idempotent=False,
            exact=True,
            positional=("id", "text"),
            may_omit=("text",),
            example={"id": "capsule:01kjmzt7mg0000000000000001", "text": "The token expired."},
        ),
        Method(
            verb="capsule.summarise",
            title="Summarise a capsule",
            summary="Record a summary of an open capsule; the latest one is part of each retrieval.",
            params=CapsuleSummariseParams,
            result=CapsuleEventResult,
            effect="append",
            idempotent=False,
            exact=True,
            positional=("id", "text"),
            example={"id": "capsule:01kjmzt7mg0000000000000001", "text": "The clock erred."},
        ),
        Method(
            verb="capsule.pin",
            title="Pin an event",
            summary="Pin an event in a scope, so that each retrieval there returns it; or unpin it.",
            params=CapsulePinParams,
            result=CapsuleEventResult,
            effect="append",
            idempotent=False,
            positional=("id",),
            example={"id": "01kjmzt7mg0000000000000001", "scope": {"session": "s-1"}},
        ),
        Method(
            verb="capsule.list",
            title="List capsules",
            summary="List the capsules of a scope.",
            params=CapsuleListParams,
            result=CapsuleListResult,
            effect="read",
        ),
        Method(
            verb="capsule.retrieve",
            title="Retrieve from capsules",
            summary="Return pins, the latest summaries of open capsules, and observations that match a question.",
            params=CapsuleRetrieveParams,
            result=CapsuleRetrieveResult,
            effect="read",
            positional=("query",),
            may_omit=("query",),
            example={"query": "why logins fail", "scope": {"session": "s-1"}},
        ),
        Method(
            verb="capsule.export",
            title="Export capsules",
            summary="Return the capsules of a scope with their observations, summaries and pins, as a bundle.",
            params=CapsuleExportParams,
            result=CapsuleExportResult,
            effect="read",
        ),
        Method(
            verb="capsule.import",
            title="Import capsules",
            summary="Import a bundle of capsules, all or nothing.",
            params=CapsuleImportParams,
            result=CapsuleImportResult,
            effect="append",
            destructive=True,
            positional=("path",),
            example={"path": "capsules.json"},
            absolute_paths=("path",),
        ),
    ),
)
