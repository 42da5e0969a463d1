"""Record decisions and patterns in the journal, and return what a project's next turn needs."""

from __future__ import annotations

from typing import Annotated, Any

from muninn_core.model.event import Event
from muninn_core.model.value import Meta, Value, field
from muninn_core.protocol.base import Result, Text
from muninn_core.protocol.families.events import ProjectId, RequireTurn, Since, Span, Token
from muninn_core.protocol.method import Family, Method


class Recorded(Value):
    """What all recording verbs take."""

    project_id: ProjectId = ""
    session_id: Annotated[str, Meta(description="The session.")] = ""
    turn_id: Annotated[str, Meta(description="The turn; an event of a turn needs its `ack_token`.")] = ""
    ack_token: Token = ""
    require_turn: RequireTurn = False
    idempotency_key: Annotated[
        str | None, Meta(description="A key of the project: a second event with it is not recorded.")
    ] = None


class RecordedResult(Result):
    """The recorded event. `duplicate`: it was recorded before, under the same key; `masked` counts masked secrets."""

    event: Event
    duplicate: bool
    masked: int


class DecisionFields(Recorded, kw_only=True):
    """What a decision has."""

    title: Annotated[Text, Meta(description="The decision, in one sentence.")]
    rationale: Annotated[str, Meta(description="Why.")] = ""
    context: Annotated[str, Meta(description="The situation in which it was made.")] = ""
    outcome: Annotated[str, Meta(description="What came of it.")] = ""
    success: Annotated[bool, Meta(description="Whether it turned out well.")] | None = None
    status: Annotated[Text, Meta(description="Its state, such as accepted, proposed or rejected.")] = "accepted"
    edges: Annotated[
        dict[str, str], Meta(description="Relations to earlier decisions, by their ids: refines, depends_on.")
    ] = field(default_factory=dict)
    artifacts: Annotated[
        dict[str, str | int | tuple[str, ...]],
        Meta(description="What belongs to it, by kind: commit, file_path, pr, note; one or a list."),
    ] = field(default_factory=dict)


class DecisionRecordParams(DecisionFields, kw_only=True):
    """The decision to record."""

    decision_id: Annotated[str, Meta(description="Its id; without one that of its event.")] = ""


class DecisionSupersedeParams(DecisionFields, kw_only=True):
    """The decision that takes the place of another one."""

    supersedes: Annotated[Text, Meta(description="The id of the decision that no longer holds.")]
    decision_id: Annotated[str, Meta(description="The id of the new decision; without one that of its event.")] = ""


class DecisionListParams(Value):
    """Which decisions to list."""

    project_id: ProjectId = ""
    status: Annotated[str, Meta(description="Only decisions in this state, such as accepted or superseded.")] = ""
    since: Since = ""
    limit: Annotated[int, Meta(ge=1, le=1000, description="The most decisions.")] = 20


class RecordedDecision(Value):
    """A decision. `supersedes` are the decisions before it in the chain, the nearest first."""

    decision_id: str
    title: str
    rationale: str
    status: str
    session_id: str
    occurred_at: str
    event_id: str
    supersedes: tuple[str, ...] = ()
    context: str = ""
    outcome: str = ""
    success: bool | None = None


class DecisionListResult(Result):
    """The decisions, the newest first."""

    decisions: tuple[RecordedDecision, ...]


class PatternRecordParams(Recorded, kw_only=True):
    """The pattern to record."""

    type: Annotated[Text, Meta(description="The kind of pattern.")]
    description: Annotated[Text, Meta(description="What recurs.")]
    confidence: Annotated[float, Meta(ge=0, le=1, description="How sure it is.")] = 0.5
    data: Annotated[dict[str, Any], Meta(description="More fields.")] = field(default_factory=dict)


class JournalContextParams(Value):
    """The project, and what the next turn is about."""

    project_id: ProjectId = ""
    session_id: Annotated[str, Meta(description="The session that asks; it must belong to the project.")] = ""
    query: Annotated[str, Meta(description="What facts should be about; empty gives the newest.")] = ""
    turns: Annotated[int, Meta(ge=0, le=100, description="The most turns.")] = 5
    facts: Annotated[int, Meta(ge=0, le=200, description="The most facts.")] = 10
    decisions: Annotated[int, Meta(ge=0, le=200, description="The most decisions.")] = 20
    token_budget: Annotated[int, Meta(ge=1, description="The most tokens, estimated.")] | None = None


class TurnEvents(Value):
    """A turn and its last events, in their order. `more`: it has earlier ones, too."""

    turn: Span
    events: tuple[Event, ...]
    more: bool = False


class JournalContextResult(Result):
    """Active decisions, newest first; facts, best or newest first; turns, newest first.

    With a budget, decisions come first, then facts, then turns; `left_out` counts what had no room.
    """

    decisions: tuple[RecordedDecision, ...]
    facts: tuple[Event, ...]
    turns: tuple[TurnEvents, ...]
    tokens: int
    left_out: int


FAMILY = Family(
    name="decisions",
    title="Decisions",
    summary="Record decisions and patterns in the journal, and return what a project's next turn needs.",
    groups={
        "decision": "Decisions of the journal and their lineage.",
        "pattern": "Patterns of the journal.",
        "journal": "What the next turn needs.",
    },
    plumbing=True,
    methods=(
        Method(
            verb="decision.record",
            title="Record a decision in the journal",
            summary="Record a decision as an event of the journal; it can't be changed, only superseded.",
            params=DecisionRecordParams,
            result=RecordedResult,
            effect="append",
            idempotent=False,
            exact=True,
            positional=("title",),
            example={"title": "Sessions expire after an hour.", "rationale": "Theft."},
        ),
        Method(
            verb="decision.supersede",
            title="Supersede a decision",
            summary="Record a decision that takes the place of an earlier one.",
            params=DecisionSupersedeParams,
            result=RecordedResult,
            effect="append",
            idempotent=False,
            exact=True,
            positional=("supersedes", "title"),
            example={"supersedes": "01kjmzt7mg0000000000000001", "title": "Sessions last a day."},
        ),
        Method(
            verb="decision.list",
            title="List decisions of the journal",
            summary="List the journal's decisions with their state and lineage.",
            params=DecisionListParams,
            result=DecisionListResult,
            effect="read",
        ),
        Method(
            verb="pattern.record",
            title="Record a pattern",
            summary="Record a pattern as an event of the journal.",
            params=PatternRecordParams,
            result=RecordedResult,
            effect="append",
            idempotent=False,
            exact=True,
            positional=("type", "description"),
            example={"type": "habit", "description": "Deploys happen on Tuesdays."},
        ),
        Method(
            verb="journal.context",
            title="Return the context of a turn",
            summary="Return the active decisions, the facts and the recent turns of a project.",
            params=JournalContextParams,
            result=JournalContextResult,
            effect="read",
            positional=("query",),
            may_omit=("query",),
            example={"query": "how long sessions last"},
        ),
    ),
)
