"""Record what happens in a journal that is private to this machine, and find it again."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from muninn_core.model.event import Event
from muninn_core.model.value import Meta, Value, field
from muninn_core.protocol.base import Result, Text
from muninn_core.protocol.method import Family, Method

ProjectId = Annotated[
    str,
    Meta(
        description="The project. Empty is that of the session, else that of the configuration, else the name of the"
        " repository's folder."
    ),
]
OwnProject = Annotated[Text, Meta(description="The project; a session belongs to the project of its first call.")]
OwnSession = Annotated[Text, Meta(description="The session.")]
OwnTurn = Annotated[Text, Meta(description="The turn. Its id is used once per session.")]
Token = Annotated[str, Meta(description="The ack_token that `turn.begin` returned.")]
RequireTurn = Annotated[bool, Meta(description="Refuse an event without an open turn and its token.")]
EventId = Annotated[Text, Meta(description="The event's id.")]
Since = Annotated[str, Meta(description="Only events that occurred at or after this RFC 3339 time or date (UTC).")]
Until = Annotated[str, Meta(description="Only events that occurred before this RFC 3339 time or date (UTC).")]
Limit = Annotated[int, Meta(ge=1, le=1000, description="The most events.")]


class EventAppendParams(Value):
    """The event to record."""

    event_type: Annotated[Text, Meta(description="What happened, such as `tool_call`; `muninn.` is reserved.")]
    payload: Annotated[dict[str, Any], Meta(description="What is recorded of it: any JSON object, at most 16 MiB.")] = (
        field(default_factory=dict)
    )
    project_id: ProjectId = ""
    session_id: Annotated[str, Meta(description="The session.")] = ""
    turn_id: Annotated[str, Meta(description="The turn; an event of a turn needs its `ack_token`.")] = ""
    ack_token: Token = ""
    require_turn: RequireTurn = False
    stream_id: Annotated[
        str, Meta(description="The stream; without it that of the turn, else that of the session.")
    ] = ""
    stream_seq: (
        Annotated[int, Meta(ge=1, description="The event's number in its stream; refused when another one is next.")]
        | None
    ) = None
    event_version: Annotated[int, Meta(ge=1, description="The version of the payload's form.")] = 1
    occurred_at: Annotated[str, Meta(description="When it happened, an RFC 3339 time; now when empty.")] = ""
    actor: Annotated[str, Meta(description="Who caused it: user, assistant, tool or another word.")] = "user"
    source: Annotated[str, Meta(description="The program that records it.")] = ""
    idempotency_key: Annotated[
        str | None, Meta(description="A key of the project: a second event with it is not recorded.")
    ] = None
    trace_id: Annotated[str | None, Meta(description="A trace that the event belongs to.")] = None


class EventAppendResult(Result):
    """The recorded event. `duplicate`: it was recorded before, under the same key; `masked` counts masked secrets."""

    event: Event
    duplicate: bool
    masked: int


class EventQueryParams(Value):
    """What to look for. An event must pass all filters that are given."""

    text: Annotated[str, Meta(description="What the event is about, found by words and by meaning.")] = ""
    where: Annotated[
        dict[str, Any],
        Meta(description='Values of columns and of payload fields: {"event_type": "tool", "payload.exit_status": 1}.'),
    ] = field(default_factory=dict)
    event_type: Annotated[str, Meta(description="Only events of this type.")] = ""
    project_id: Annotated[str, Meta(description="Only events of this project.")] = ""
    session_id: Annotated[str, Meta(description="Only events of this session.")] = ""
    turn_id: Annotated[str, Meta(description="Only events of this turn.")] = ""
    stream_id: Annotated[str, Meta(description="Only events of this stream.")] = ""
    source: Annotated[str, Meta(description="Only events from this program.")] = ""
    id: Annotated[str, Meta(description="The event with this id.")] = ""
    since: Since = ""
    until: Until = ""
    limit: Limit = 20
    before: (
        Annotated[int, Meta(ge=1, description="Only events before this position: the `next` of the page before.")]
        | None
    ) = None


class EventHit(Value):
    """A found event. With a text: its score and its ranks by words and by meaning, from 1; 0 is not found that way."""

    event: Event
    score: float = 0.0
    words: int = 0
    meaning: int = 0


class EventQueryResult(Result):
    """The events, newest first, or with a text best first. `next` is `before` of the next page, None at the end.

    `notes` of an empty answer name the values that no event has.
    """

    hits: tuple[EventHit, ...]
    next: int | None = None
    notes: tuple[str, ...] = ()


class EventStatisticsParams(Value):
    """The events to count."""

    project_id: Annotated[str, Meta(description="Only events of this project.")] = ""
    since: Since = ""
    until: Until = ""


class EventStatisticsResult(Result):
    """The number of events, in all and `by` event_type, actor, source and day; `turns` counts turns by state.

    Deleted events are not counted, redacted ones are. `first` and `last` are days (UTC).
    """

    events: int
    by: dict[str, dict[str, int]]
    turns: dict[str, int]
    first: str
    last: str


class EventChangeParams(Value):
    """The event to change."""

    id: EventId
    reason: Annotated[str, Meta(description="The reason; it is recorded.")] = ""


class EventRedactParams(EventChangeParams):
    """The event to erase the payload of."""

    dry_run: Annotated[bool, Meta(description="Return the event that would be erased; change nothing.")] = False


class EventChangeResult(Result):
    """The event that records the change; with `dry_run` the one that would change."""

    event: Event


class TurnBeginParams(Value):
    """The turn to begin."""

    project_id: OwnProject
    session_id: OwnSession
    turn_id: OwnTurn
    client_id: Annotated[str, Meta(description="The client program.")] = ""
    seconds: Annotated[int, Meta(ge=1, le=86_400, description="After how many seconds the token expires.")] | None = (
        None
    )


class TurnBeginResult(Result):
    """The turn's token, which is shown only here, and when it expires (RFC 3339)."""

    ack_token: str
    expires_at: str
    event_position: int


class TurnEndParams(Value):
    """The turn to end."""

    project_id: OwnProject
    session_id: OwnSession
    turn_id: OwnTurn
    ack_token: Token
    outcome: Annotated[
        Literal["closed", "incomplete"], Meta(description="closed: it is complete; incomplete: it was abandoned.")
    ] = "closed"


class TurnEndResult(Result):
    """The event that ended the turn."""

    event: Event


class SpanListParams(Value):
    """Which spans to list."""

    kind: Annotated[
        Literal["session", "turn", "capsule"] | None, Meta(description="Only sessions, turns or capsules.")
    ] = None
    status: Annotated[Literal["open", "closed", "incomplete"] | None, Meta(description="Only spans in this state.")] = (
        None
    )
    project_id: Annotated[str, Meta(description="Only spans of this project.")] = ""
    session_id: Annotated[str, Meta(description="Only spans of this session.")] = ""
    since: Annotated[str, Meta(description="Only spans opened at or after this RFC 3339 time or date (UTC).")] = ""
    limit: Annotated[int, Meta(ge=1, le=1000, description="The most spans.")] = 100


class Span(Value):
    """A session, a turn or a capsule. Its events have its id as their stream. `type` of a session is its client.

    `reason` says why a turn is incomplete: expired or ended. `scope` holds the ids that a capsule is bound to.
    """

    id: str
    kind: str
    project_id: str
    session_id: str
    turn_id: str
    parent: str
    type: str
    intent: str
    scope: dict[str, str]
    status: str
    reason: str
    opened_at: str
    closed_at: str
    expires_at: str = ""


class SpanListResult(Result):
    """The spans, the last opened first."""

    spans: tuple[Span, ...]


def _change(verb: str, title: str, summary: str, params: type[EventChangeParams] = EventChangeParams) -> Method:
    """Return a verb that takes something away from an event."""
    return Method(
        verb=verb,
        title=title,
        summary=summary,
        params=params,
        result=EventChangeResult,
        effect="append",
        destructive=True,
        irreversible=params is EventRedactParams,
        positional=("id",),
        example={"id": "01kjmzt7mg0000000000000001"},
    )


class EventWaitParams(Value):
    """The events to wait for. An event must pass all filters that are given."""

    event_type: Annotated[str, Meta(description="Only events of this type.")] = ""
    where: Annotated[
        dict[str, Any], Meta(description='Values of columns and of payload fields: {"payload.service": "shop"}.')
    ] = field(default_factory=dict)
    after: (
        Annotated[int, Meta(ge=0, description="Only events after this position; without it those from now on.")] | None
    ) = None
    wait: Annotated[float, Meta(ge=0, le=3600, description="How long to wait, in seconds.")] = 60.0
    limit: Limit = 100


class EventWaitResult(Result):
    """The events in their order, none when the time was over. `last` is the `after` of the next call."""

    events: tuple[Event, ...]
    last: int


FAMILY = Family(
    name="events",
    title="Events",
    summary="Record what happens in a journal that is private to this machine, and find it again.",
    groups={
        "event": "Record events, and find them.",
        "turn": "Begin and end turns, whose events need a token.",
        "span": "Sessions, turns and capsules.",
    },
    plumbing=True,
    methods=(
        Method(
            verb="event.append",
            title="Record an event",
            summary="Record an event in the journal; it is on disk when this returns.",
            params=EventAppendParams,
            result=EventAppendResult,
            effect="append",
            idempotent=False,
            exact=True,
            positional=("event_type",),
            example={"event_type": "deploy", "payload": {"service": "shop", "replicas": 3}},
            shown=("event_type", "payload", "session_id"),
            use="Call to record that something happened. An event is not stored as a memory.",
        ),
        Method(
            verb="event.query",
            title="Find events",
            summary="Find events by their fields, their time, and words and meaning of a text.",
            params=EventQueryParams,
            result=EventQueryResult,
            effect="read",
            positional=("text",),
            example={"text": "tests that failed", "where": {"payload.exit_status": 1}},
            may_omit=("text",),
            shown=("text", "where", "since", "limit"),
            use="Call to find out what happened before.",
        ),
        Method(
            verb="event.wait",
            title="Wait for events",
            summary="Wait until an event is recorded that passes the filters, and return it; call again with `last`.",
            params=EventWaitParams,
            result=EventWaitResult,
            effect="read",
            waits=True,
            positional=("event_type",),
            may_omit=("event_type",),
            synonyms=("subscribe",),
        ),
        Method(
            verb="event.statistics",
            title="Count events",
            summary="Count the journal's events by type, actor, source and day, and its turns by state.",
            params=EventStatisticsParams,
            result=EventStatisticsResult,
            effect="read",
        ),
        _change(
            "event.redact",
            "Redact an event",
            "Erase the payload of an event for good; its place in the journal stays, and the chain verifies.",
            EventRedactParams,
        ),
        _change(
            "event.tombstone",
            "Hide an event",
            "Hide an event from everything but the audit; its payload stays in the journal.",
        ),
        Method(
            verb="turn.begin",
            title="Begin a turn",
            summary="Begin a turn, and return the token that its events need.",
            params=TurnBeginParams,
            result=TurnBeginResult,
            effect="append",
            idempotent=False,
            positional=("project_id", "session_id", "turn_id"),
            example={"project_id": "shop", "session_id": "s-1", "turn_id": "t-1"},
        ),
        Method(
            verb="turn.end",
            title="End a turn",
            summary="End a turn; its token can't be used again.",
            params=TurnEndParams,
            result=TurnEndResult,
            effect="append",
            idempotent=False,
            positional=("project_id", "session_id", "turn_id"),
            example={"project_id": "shop", "session_id": "s-1", "turn_id": "t-1", "ack_token": "A" * 43},
        ),
        Method(
            verb="span.list",
            title="List sessions and turns",
            summary="List sessions, turns and capsules with their state.",
            params=SpanListParams,
            result=SpanListResult,
            effect="read",
        ),
    ),
)
