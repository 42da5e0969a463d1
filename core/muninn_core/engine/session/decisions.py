"""The verbs of decisions: events of the types `decision` and `pattern`, and the context of a turn."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from typing import Any

from muninn_core.engine.session.journal import At, append, project_of, span_of
from muninn_core.errors import BadParams, NotFoundError, PreconditionError, UsageError
from muninn_core.journal.capsules import CHARS_PER_TOKEN, tokens_of
from muninn_core.journal.preparation import moment
from muninn_core.journal.projectors import ARTIFACTS
from muninn_core.journal.search import Filter
from muninn_core.journal.spans import SPAN_COLUMNS, Span, bound_project
from muninn_core.model.event import SYSTEM, Event
from muninn_core.model.value import Value, encode_json
from muninn_core.protocol.families.decisions import (
    DecisionFields,
    DecisionListParams,
    DecisionListResult,
    DecisionRecordParams,
    DecisionSupersedeParams,
    JournalContextParams,
    JournalContextResult,
    PatternRecordParams,
    Recorded,
    RecordedDecision,
    RecordedResult,
    TurnEvents,
)
from muninn_core.protocol.families.events import EventAppendParams
from muninn_core.worktree.call_context import CallContext

INACTIVE = ("superseded", "rejected", "deprecated")
"""States of decisions that no longer hold."""

EVENT_HEAD = 35
"""The estimated tokens of what is shown of an event besides its payload."""

_TURN_EVENTS = 50
_recording = threading.Lock()  # one process writes a journal: no other decision comes between a check and its event


def record(
    at: At, params: DecisionRecordParams | DecisionSupersedeParams, supersedes: str, call: CallContext
) -> RecordedResult:
    """Record a decision, in the place of another one if `supersedes` names it.

    Raises BadParams for an unknown kind of artifact, NotFoundError for an unknown decision, UsageError for an id that
    is used and for a decision that is superseded already, and what `append` raises.
    """
    for kind in params.artifacts:
        if kind not in ARTIFACTS:
            raise BadParams(f"'{kind}' is no kind of artifact", hint=f"The kinds are {', '.join(ARTIFACTS)}.")
    project = project_of(at, params.project_id, params.session_id)
    payload = _payload(params, params.decision_id, supersedes)
    with _recording:
        if not _is_repeated(at, project, params.idempotency_key):
            _check_lineage(at, project, params, supersedes)
        return _append(at, params, "decision", payload, call)


def record_pattern(at: At, params: PatternRecordParams, call: CallContext) -> RecordedResult:
    """Record a pattern."""
    payload: dict[str, Any] = {
        "type": params.type,
        "description": params.description,
        "confidence": params.confidence,
        **({"data": params.data} if params.data else {}),
    }
    return _append(at, params, "pattern", payload, call)


def list_decisions(at: At, params: DecisionListParams) -> DecisionListResult:
    """List decisions, the newest first."""
    project = project_of(at, params.project_id, "")
    since = moment(params.since, "since")
    at.open.projections.catch_up()
    found = _decisions(
        at,
        "project_id = ?1 AND (?2 = '' OR status = ?2) AND (?3 = '' OR occurred_at >= ?3)",
        (project, params.status, since),
        params.limit,
    )
    return DecisionListResult(decisions=found, saw=at.workspace.read_state())


def context(at: At, params: JournalContextParams) -> JournalContextResult:
    """Return active decisions, facts and recent turns. Raises PreconditionError for a session of another project."""
    project = project_of(at, params.project_id, params.session_id)
    with at.open.journal.connections.one() as connection:
        bound = bound_project(connection, params.session_id) if params.session_id else None
    if bound is not None and bound != project:
        raise PreconditionError(
            f"the session '{params.session_id}' belongs to the project '{bound}', not to '{project}'",
            hint="Give the session's own project_id, or use another session.",
            data={"precondition": "project"},
        )
    at.open.expire_turns()
    at.open.projections.catch_up()
    marks = ", ".join(f"'{status}'" for status in INACTIVE)
    decisions = _decisions(at, f"project_id = ?1 AND status NOT IN ({marks})", (project,), params.decisions)
    facts = _facts(at, project, params.query, params.facts)
    turns = _turns(at, project, params.turns)
    room = _Room(params.token_budget)
    return JournalContextResult(
        decisions=tuple(one for one in decisions if room.takes(_tokens(one))),
        facts=tuple(one for one in facts if room.takes(_event_tokens(one))),
        turns=tuple(one for one in turns if room.takes(_tokens(one.turn) + sum(map(_event_tokens, one.events)))),
        tokens=room.used,
        left_out=room.left_out,
        saw=at.workspace.read_state(),
    )


def _tokens(value: Value) -> int:
    """Return the estimated tokens of a value with all of its fields."""
    return -(-len(encode_json(value).decode()) // CHARS_PER_TOKEN)


def _event_tokens(event: Event) -> int:
    """Return the estimated tokens of an event as it is shown: its payload, position, time, type, author and ids."""
    return tokens_of(event) + EVENT_HEAD


class _Room:
    """A budget of tokens; None has no end."""

    def __init__(self, budget: int | None) -> None:
        self._budget = budget
        self.used = 0
        self.left_out = 0

    def takes(self, tokens: int) -> bool:
        """Whether an item of so many tokens fits; it is counted."""
        if self._budget is not None and self.used + tokens > self._budget:
            self.left_out += 1
            return False
        self.used += tokens
        return True


def _append(at: At, params: Recorded, kind: str, payload: dict[str, Any], call: CallContext) -> RecordedResult:
    event = EventAppendParams(
        event_type=kind,
        payload=payload,
        project_id=params.project_id,
        session_id=params.session_id,
        turn_id=params.turn_id,
        ack_token=params.ack_token,
        require_turn=params.require_turn,
        idempotency_key=params.idempotency_key,
    )
    done = append(at, event, call)
    return RecordedResult(event=done.event, duplicate=done.duplicate, masked=done.masked, saw=done.saw)


def _payload(params: DecisionFields, identity: str, supersedes: str) -> dict[str, Any]:
    given: Mapping[str, Any] = {
        "title": params.title,
        "rationale": params.rationale,
        "decision_id": identity,
        "status": params.status,
        "supersedes": [supersedes] if supersedes else [],
        "edges": [{"to": other, "relation": relation} for other, relation in params.edges.items()],
        "artifacts": {kind: _listed(given) for kind, given in params.artifacts.items()},
        "context": params.context,
        "outcome": params.outcome,
        "success": params.success,
    }
    return {name: value for name, value in given.items() if value not in (None, "", [], (), {})}


def _listed(given: str | int | tuple[str, ...]) -> list[str]:
    return list(given) if isinstance(given, tuple) else [str(given)]


def _is_repeated(at: At, project: str, key: str | None) -> bool:
    """Whether an event has the key already: the journal then compares the payloads."""
    if key is None:
        return False
    sql = (
        "SELECT 1 FROM raw_events WHERE idempotency_key = ?1 AND project_id = ?2"
        " UNION ALL SELECT 1 FROM sealed_keys WHERE idempotency_key = ?1 AND project_id = ?2"
    )
    with at.open.journal.connections.one() as connection:
        return connection.execute(sql, (key, project)).fetchone() is not None


def _check_lineage(
    at: At, project: str, params: DecisionRecordParams | DecisionSupersedeParams, supersedes: str
) -> None:
    projections = at.open.projections
    projections.catch_up()
    sql = "SELECT status FROM decisions WHERE project_id = ? AND decision_id = ?"
    if params.decision_id and projections.rows(sql, (project, params.decision_id)):
        raise UsageError(
            f"there is a decision '{params.decision_id}' already",
            hint="Decisions can't be changed: supersede it with decision.supersede. Nothing was recorded.",
        )
    wanted = [supersedes] if supersedes else []
    for identity in (*wanted, *params.edges):
        if not projections.rows(sql, (project, identity)):
            raise NotFoundError(
                f"there is no decision '{identity}'", hint="decision.list lists decisions. Nothing was recorded."
            )
    for identity in wanted:
        newer = projections.rows(
            "SELECT from_decision_id FROM decision_edges WHERE project_id = ? AND to_decision_id = ?"
            " AND relation = 'supersedes' ORDER BY position",
            (project, identity),
        )
        if newer:
            raise UsageError(
                f"the decision '{identity}' is superseded by '{newer[0][0]}'",
                hint=f"Supersede '{newer[0][0]}' instead; nothing was recorded.",
            )


def _decisions(at: At, where: str, parameters: tuple[object, ...], limit: int) -> tuple[RecordedDecision, ...]:
    rows = at.open.projections.rows(
        "SELECT decision_id, title, rationale, status, session_id, occurred_at, event_id, project_id, position"
        f" FROM decisions WHERE {where} ORDER BY position DESC LIMIT {limit:d}",
        parameters,
    )
    payloads = {event.position: event.payload or {} for event in at.open.journal.events([row[8] for row in rows])}
    found = []
    for identity, title, rationale, status, session, occurred_at, event_id, project, position in rows:
        more = payloads.get(position, {})
        success = more.get("success")
        found.append(
            RecordedDecision(
                decision_id=identity,
                title=title,
                rationale=rationale,
                status=status,
                session_id=session,
                occurred_at=occurred_at,
                event_id=event_id,
                supersedes=_chain(at, project, identity),
                context=str(more.get("context", "")),
                outcome=str(more.get("outcome", "")),
                success=success if isinstance(success, bool) else None,
            )
        )
    return tuple(found)


def _chain(at: At, project: str, identity: str) -> tuple[str, ...]:
    """Return the decisions that a decision took the place of, step by step."""
    seen = {identity: None}
    waiting = [identity]
    while waiting:
        rows = at.open.projections.rows(
            "SELECT to_decision_id FROM decision_edges WHERE project_id = ? AND from_decision_id = ?"
            " AND relation = 'supersedes' ORDER BY to_decision_id",
            (project, waiting.pop(0)),
        )
        new = [row[0] for row in rows if row[0] not in seen]
        seen |= dict.fromkeys(new)
        waiting += new
    return tuple(seen)[1:]


def _facts(at: At, project: str, query: str, limit: int) -> list[Event]:
    """Return facts, the last of those with one id: by words and meaning, without a query the newest."""
    if not limit:
        return []
    where = {"project_id": project, "event_type": "fact"}
    if query:
        events = [hit.event for hit in at.open.search.find(query, Filter(where=where), limit * 2)]
    else:
        events = at.open.search.recent(Filter(where=where), limit * 2)
    latest = dict(
        at.open.projections.rows(
            "SELECT fact_id, max(position) FROM memory_facts WHERE project_id = ? GROUP BY fact_id", (project,)
        )
    )
    kept = set(latest.values())
    return [event for event in events if event.position in kept][:limit]


def _turns(at: At, project: str, limit: int) -> list[TurnEvents]:
    sql = f"SELECT {SPAN_COLUMNS} FROM spans WHERE kind = 'turn' AND project_id = ?"
    sql += " ORDER BY opened_position DESC LIMIT ?"
    with at.open.journal.connections.one() as connection:
        spans = [Span(*row) for row in connection.execute(sql, (project, limit))]
    found = []
    for span in spans:
        where = {"project_id": project, "session_id": span.session_id, "turn_id": span.turn_id}
        events = at.open.search.recent(Filter(where=where), _TURN_EVENTS + 3)
        own = [event for event in events if not event.event_type.startswith(SYSTEM)]
        found.append(
            TurnEvents(turn=span_of(span), events=tuple(own[:_TURN_EVENTS][::-1]), more=len(own) > _TURN_EVENTS)
        )
    return found
