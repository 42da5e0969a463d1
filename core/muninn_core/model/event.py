"""An event of the journal: one thing that happened, as it was recorded."""

from __future__ import annotations

from typing import Any, Literal

from muninn_core.model.value import Value, field

Stored = Literal["inline", "file", "redacted"]
"""Where a payload is: in the row, in a file named by its content, or nowhere since its redaction."""

SYSTEM = "muninn."
"""The prefix of the types that only the journal itself appends."""

REDACTED = SYSTEM + "redacted"
TOMBSTONE = SYSTEM + "tombstone"
TURN_BEGUN = SYSTEM + "turn.begun"
TURN_ENDED = SYSTEM + "turn.ended"
TURN_INCOMPLETE = SYSTEM + "turn.incomplete"
CAPSULE_OPENED = SYSTEM + "capsule.opened"
CAPSULE_CLOSED = SYSTEM + "capsule.closed"
OBSERVATION = SYSTEM + "observation"
SUMMARY = SYSTEM + "summary"
PIN = SYSTEM + "pin"
UNPIN = SYSTEM + "unpin"
CANDIDATE = SYSTEM + "candidate"
CANDIDATE_DECIDED = SYSTEM + "candidate.decided"
AGENT_REGISTERED = SYSTEM + "agent.registered"
AGENT_GRANTED = SYSTEM + "agent.granted"
AGENT_LEFT = SYSTEM + "agent.left"
LEASE_CLAIMED = SYSTEM + "lease.claimed"
LEASE_RELEASED = SYSTEM + "lease.released"
HANDOFF = SYSTEM + "handoff"
HANDOFF_TAKEN = SYSTEM + "handoff.taken"
BARRIER_PASSED = SYSTEM + "barrier.passed"


class Event(Value):
    """One event. `position` is its place in the journal, `stream_seq` its place in its stream, both from 1.

    `occurred_at` is the time that its author states, `recorded_at` the journal's own, which never decreases; both are
    RFC 3339 in UTC with milliseconds. `payload_hash` is the sha256 of the payload's canonical JSON. `hash` is the
    sha256 of the hash before it and of this event's fields. A redacted event has no payload.
    """

    position: int
    event_id: str
    project_id: str
    session_id: str
    turn_id: str
    stream_id: str
    stream_seq: int
    event_type: str
    event_version: int
    occurred_at: str
    recorded_at: str
    actor: str
    source: str
    payload: Any
    payload_hash: str
    hash: str
    stored: Stored = "inline"
    idempotency_key: str | None = None
    trace_id: str | None = None


class EventDraft(Value):
    """An event as its author gives it. The journal adds id, sequence, times and hashes.

    An empty `stream_id` is the stream of the turn, or else of the session. `stream_seq` is checked when it is given:
    it must be the next one of the stream. `occurred_at` is the current time when it is empty.
    """

    event_type: str
    payload: Any = field(default_factory=dict)
    project_id: str = ""
    session_id: str = ""
    turn_id: str = ""
    stream_id: str = ""
    stream_seq: int | None = None
    event_version: int = 1
    occurred_at: str = ""
    actor: str = "user"
    source: str = ""
    idempotency_key: str | None = None
    trace_id: str | None = None
