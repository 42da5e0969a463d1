"""The verbs of the journal: converts parameters to events, and events to results."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from itertools import islice
from typing import Any, NamedTuple

from muninn_core.errors import BadParams, PreconditionError, UsageError
from muninn_core.journal.event_types import EventTypes
from muninn_core.journal.journal import Appended
from muninn_core.journal.preparation import moment
from muninn_core.journal.row import event_of
from muninn_core.journal.sealing import drop_sealed, month_before, preview, seal_months
from muninn_core.journal.search import Filter
from muninn_core.journal.spans import SPAN_COLUMNS, bound_project
from muninn_core.journal.spans import Span as SpanRow
from muninn_core.journal.writer import Refused, Transaction, Writer
from muninn_core.model.answer import ReadState
from muninn_core.model.event import EventDraft
from muninn_core.near_match import NAMES, did_you_mean, nearest
from muninn_core.protocol.families.audit import (
    AuditReplayParams,
    AuditReplayResult,
    AuditSealParams,
    AuditSealResult,
    AuditTailParams,
    AuditTailResult,
    AuditVerifyResult,
    ProjectionsShowParams,
    ProjectionsShowResult,
    ProjectionsStatusResult,
)
from muninn_core.protocol.families.events import (
    EventAppendParams,
    EventAppendResult,
    EventHit,
    EventQueryParams,
    EventQueryResult,
    EventStatisticsParams,
    EventStatisticsResult,
    Span,
    SpanListParams,
    SpanListResult,
    TurnBeginParams,
    TurnBeginResult,
    TurnEndParams,
    TurnEndResult,
)
from muninn_core.source.files.path_containment import can_name_file
from muninn_core.store.files.disk import translate_errors
from muninn_core.store.records.timestamps import EPOCH, timestamp
from muninn_core.worktree.call_context import CallContext
from muninn_core.worktree.journals import OpenJournal
from muninn_core.worktree.workspace import Workspace

_NAMED = ("event_type", "project_id", "session_id", "turn_id", "stream_id", "source")
_OF_AGENTS = ("assistant", "tool")
"""Who a client that can't act as a user may say caused an event."""

_ORDER = {"memory_facts": "position", "decisions": "position", "patterns": "last_seen"}


class At(NamedTuple):
    """A work tree with its repository's journal and the types of events that it has schemas for."""

    workspace: Workspace
    open: OpenJournal
    types: EventTypes


def append(at: At, params: EventAppendParams, call: CallContext) -> EventAppendResult:
    """Record an event. A client that can't act as a user records as the assistant."""
    return _appended(at.open.journal.writer.run(_appending(at, params, call)), at.workspace.read_state())


def append_all(appends: Sequence[tuple[At, EventAppendParams, CallContext]]) -> list[EventAppendResult | BaseException]:
    """Record events as `append` does, those of one journal in one transaction.

    Return the result of each, or the error that `append` would raise.
    """
    outcomes: dict[int, EventAppendResult | BaseException] = {}
    waiting: dict[Writer, list[tuple[int, Callable[[Transaction], Appended | Refused]]]] = {}
    for number, (at, params, call) in enumerate(appends):
        try:
            operation = _appending(at, params, call)
            waiting.setdefault(at.open.journal.writer, []).append((number, operation))
        except Exception as error:  # that of one event, which its client gets
            outcomes[number] = error
    for writer, operations in waiting.items():
        try:
            done: Sequence[Appended | BaseException] = writer.run_all([each for _, each in operations])
        except Exception as error:  # the journal is closed
            done = [error] * len(operations)
        states: dict[Workspace, ReadState] = {}
        for (number, _), one in zip(operations, done, strict=True):
            if isinstance(one, BaseException):
                outcomes[number] = one
                continue
            workspace = appends[number][0].workspace
            if workspace not in states:
                states[workspace] = workspace.read_state()
            outcomes[number] = _appended(one, states[workspace])
    return [outcomes[number] for number in range(len(appends))]


def _appending(at: At, params: EventAppendParams, call: CallContext) -> Callable[[Transaction], Appended | Refused]:
    """Return the operation that records an event. Raises the errors of its parameters."""
    config = at.workspace.config.journal
    if (config.require_turns or params.require_turn) and not params.turn_id:
        by = "configuration" if config.require_turns else "call"
        raise PreconditionError(
            f"the {by} requires a turn for each event",
            hint="Begin one with turn.begin, and send turn_id and ack_token. Nothing was recorded.",
            data={"precondition": "missing"},
        )
    at.types.check(params.event_type, params.payload, config.types)
    draft = EventDraft(
        event_type=params.event_type,
        payload=params.payload,
        project_id=project_of(at, params.project_id, params.session_id),
        session_id=params.session_id,
        turn_id=params.turn_id,
        stream_id=params.stream_id,
        stream_seq=params.stream_seq,
        event_version=params.event_version,
        occurred_at=params.occurred_at,
        actor=call.actor if call.actor and params.actor not in _OF_AGENTS else params.actor,
        source=params.source or call.client,
        idempotency_key=params.idempotency_key,
        trace_id=params.trace_id,
    )
    return at.open.turns.appending(draft, params.ack_token, at.workspace.config.memory.secrets)


def _appended(done: Appended, saw: ReadState) -> EventAppendResult:
    return EventAppendResult(event=done.event, duplicate=done.duplicate, masked=done.masked, saw=saw)


def project_of(at: At, given: str, session: str) -> str:
    """Return the project of a call. Raises PreconditionError when the configuration allows only another one."""
    only = at.workspace.config.journal.project_id
    if only and given and given != only:
        raise PreconditionError(
            f"this repository records the project '{only}', not '{given}'",
            hint="Give the configured project_id, or change journal.project_id. Nothing was recorded.",
            data={"precondition": "project"},
        )
    if given or only:
        return given or only
    if session:
        with at.open.journal.connections.one() as connection:
            bound = bound_project(connection, session)
        if bound is not None:
            return bound
    return at.workspace.location.project


def begin_turn(at: At, params: TurnBeginParams, call: CallContext) -> TurnBeginResult:
    """Begin a turn of the given project."""
    project = project_of(at, params.project_id, params.session_id)
    seconds = params.seconds or at.workspace.config.journal.turn_seconds
    turn = at.open.turns.begin(
        project,
        params.session_id,
        params.turn_id,
        client=params.client_id or call.client,
        actor=call.actor or "user",
        seconds=seconds,
    )
    return TurnBeginResult(
        ack_token=turn.ack_token,
        expires_at=turn.expires_at,
        event_position=turn.position,
        saw=at.workspace.read_state(),
    )


def end_turn(at: At, params: TurnEndParams, call: CallContext) -> TurnEndResult:
    """End a turn."""
    project = project_of(at, params.project_id, params.session_id)
    done = at.open.turns.end(
        project, params.session_id, params.turn_id, params.ack_token, params.outcome, actor=call.actor or "user"
    )
    return TurnEndResult(event=done.event, saw=at.workspace.read_state())


def query(at: At, params: EventQueryParams) -> EventQueryResult:
    """Find events by fields, time and text. Raises BadParams."""
    saw = at.workspace.read_state()
    if params.id:
        event = at.open.journal.event(at.open.capsules.event_id(params.id))
        return EventQueryResult(hits=(EventHit(event=event),), saw=saw)
    where = dict(params.where)
    for name in _NAMED:
        if value := getattr(params, name):
            where[name] = value
    chosen = Filter(where=where, since=params.since, until=params.until)
    if params.text:
        if params.before is not None:
            raise BadParams("'before' has no meaning with a text", hint="Raise 'limit' to see more events.")
        hits = tuple(at.open.search.find(params.text, chosen, params.limit))
        return EventQueryResult(hits=hits, notes=() if hits else _unmatched(at, where), saw=saw)
    events = at.open.search.recent(chosen, params.limit, params.before)
    following = events[-1].position if len(events) == params.limit and events[-1].position > 1 else None
    notes = () if events or params.before is not None else _unmatched(at, where)
    hits = tuple(EventHit(event=event) for event in events)
    return EventQueryResult(hits=hits, next=following, notes=notes, saw=saw)


def _unmatched(at: At, where: Mapping[str, Any]) -> tuple[str, ...]:
    """Return a sentence for each project, type and source that no event has, with the nearest one."""
    notes = []
    for name, values in at.open.search.known_values().items():
        given = where.get(name)
        if isinstance(given, str) and given not in values:
            ends = sorted(value for value in values if value.rpartition(".")[2] == given)
            near = ends[0] if ends else nearest(given, sorted(values), NAMES)
            notes.append(f"no event has the {name} '{given}'" + (f"; did you mean '{near}'?" if near else ""))
    return tuple(notes)


def statistics(at: At, params: EventStatisticsParams) -> EventStatisticsResult:
    """Count events, and turns by state."""
    counts = at.open.search.statistics(params.project_id, params.since, params.until)
    at.open.expire_turns()
    with at.open.journal.connections.one() as connection:
        turns = connection.execute(
            "SELECT status, count(*) FROM spans WHERE kind = 'turn' AND (?1 = '' OR project_id = ?1)"
            " AND (?2 = '' OR opened_at >= ?2) AND (?3 = '' OR opened_at < ?3) GROUP BY status ORDER BY status",
            (params.project_id, moment(params.since, "since"), moment(params.until, "until")),
        ).fetchall()
    return EventStatisticsResult(
        events=counts.events,
        by=counts.by,
        turns=dict(turns),
        first=counts.first,
        last=counts.last,
        saw=at.workspace.read_state(),
    )


def spans(at: At, params: SpanListParams) -> SpanListResult:
    """List spans, the last opened first."""
    at.open.expire_turns()
    filters = {
        "kind = ?": params.kind,
        "status = ?": params.status,
        "project_id = ?": params.project_id,
        "session_id = ?": params.session_id,
        "opened_at >= ?": moment(params.since, "since"),
    }
    given = {condition: value for condition, value in filters.items() if value}
    where = f"WHERE {' AND '.join(given)}" if given else ""
    sql = f"SELECT {SPAN_COLUMNS} FROM spans {where} ORDER BY opened_position DESC, kind DESC, span_id LIMIT ?"
    with at.open.journal.connections.one() as connection:
        rows = [SpanRow(*row) for row in connection.execute(sql, (*given.values(), params.limit))]
    return SpanListResult(spans=tuple(map(span_of, rows)), saw=at.workspace.read_state())


def span_of(row: SpanRow) -> Span:
    """Return a span without its token's hash."""
    expires = timestamp(EPOCH + timedelta(milliseconds=row.expires_at)) if row.expires_at is not None else ""
    return Span(
        id=row.span_id,
        kind=row.kind,
        project_id=row.project_id,
        session_id=row.session_id,
        turn_id=row.turn_id,
        parent=row.parent,
        type=row.type,
        intent=row.intent,
        scope=json.loads(row.scope_json),
        status=row.status,
        reason=row.reason,
        opened_at=row.opened_at,
        closed_at=row.closed_at,
        expires_at=expires,
    )


def replay(at: At, params: AuditReplayParams, call: CallContext) -> AuditReplayResult:
    """Return a page of lines, or write all of them to a new file."""
    lines = at.open.journal.replay(
        project=params.project_id, stream=params.stream, since=params.since, until=params.until, after=params.after
    )
    if params.path:
        return _replay_to(at, params, lines, call)
    page = list(islice(lines, params.limit + 1))
    more, page = len(page) > params.limit, page[: params.limit]
    content = b"".join(line + b"\n" for _, line in page)
    return AuditReplayResult(
        lines=tuple(line.decode() for _, line in page),
        count=len(page),
        digest=hashlib.sha256(content).hexdigest(),
        next=page[-1][0] if more else None,
        saw=at.workspace.read_state(),
    )


def _replay_to(
    at: At, params: AuditReplayParams, lines: Iterator[tuple[int, bytes]], call: CallContext
) -> AuditReplayResult:
    path = at.workspace.layout.root / params.path
    if not can_name_file(str(path.relative_to(path.anchor))):
        raise BadParams("'path' can't name a file", hint="Give the name of a new file.")
    content, count = hashlib.sha256(), 0
    with translate_errors(path):
        try:
            file = path.open("xb")
        except FileExistsError:
            raise UsageError(f"{path} exists already", hint="Give the name of a new file.") from None
        try:
            with file:
                path.chmod(0o600)
                for _, line in lines:
                    file.write(line + b"\n")
                    content.update(line + b"\n")
                    count += 1
                    if count % 1000 == 0:
                        call.raise_if_cancelled()
        except BaseException:
            path.unlink(missing_ok=True)
            raise
    return AuditReplayResult(
        lines=(), count=count, digest=content.hexdigest(), path=str(path), saw=at.workspace.read_state()
    )


def verify(at: At) -> AuditVerifyResult:
    """Check the chain."""
    done = at.open.journal.verify()
    return AuditVerifyResult(
        ok=done.broken is None,
        events=done.events,
        head=done.head,
        redacted=done.redacted,
        removed=done.removed,
        broken=done.broken,
        saw=at.workspace.read_state(),
    )


def tail(at: At, params: AuditTailParams) -> AuditTailResult:
    """Return the last events, or the first ones after a position, in their order."""
    journal = at.open.journal
    if params.after is None:
        rows = list(islice(journal.rows_newest_first(), params.limit))[::-1]
    else:
        rows = list(islice(journal.rows(params.after + 1), params.limit))
    return AuditTailResult(
        events=tuple(event_of(row, journal.payloads) for row in rows),
        last=rows[-1].position if rows else params.after or 0,
        saw=at.workspace.read_state(),
    )


def seal(at: At, params: AuditSealParams, now: datetime) -> AuditSealResult:
    """Seal past months, then remove sealed months beyond the retention of the configuration."""
    before = params.before or timestamp(now)[:7]
    if params.dry_run:
        sealed, removed = preview(at.open.journal, before, _retained_from(at, now))
    else:
        sealed, removed = _seal(at, before, now)
    return AuditSealResult(
        sealed=tuple(sealed),
        removed=tuple(removed),
        folder=str(at.open.journal.folder),
        saw=at.workspace.read_state(),
    )


def keep_small(at: At, now: datetime) -> None:
    """Do what `audit seal` does for the months that `journal.seal_months` names. Raises StorageError or BusyError."""
    months = at.workspace.config.journal.seal_months
    if months and at.open.journal.can_write():
        _seal(at, month_before(now, months), now)


def _seal(at: At, before: str, now: datetime) -> tuple[list[str], list[str]]:
    """Seal months and apply the retention. Returns the files written and removed."""
    sealed = [one.file for one in seal_months(at.open.journal, before)]
    limit = _retained_from(at, now)
    return sealed, [] if limit is None else drop_sealed(at.open.journal, limit)


def _retained_from(at: At, now: datetime) -> str | None:
    """Return the time whose older events retention removes, None without retention."""
    days = at.workspace.config.journal.retention_days
    return timestamp(now - timedelta(days=days)) if days else None


def projections_status(at: At) -> ProjectionsStatusResult:
    """Return the state of the projections."""
    projections = at.open.projections
    return ProjectionsStatusResult(
        events=at.open.journal.position,
        projections=tuple(projections.status()),
        failure=projections.failure,
        saw=at.workspace.read_state(),
    )


def show(at: At, params: ProjectionsShowParams) -> ProjectionsShowResult:
    """Return rows of a table, after the projections caught up. Raises BadParams for an unknown column."""
    projections = at.open.projections
    projections.catch_up()
    columns = [row[0] for row in projections.rows("SELECT name FROM pragma_table_info(?)", (params.table,))]
    where: dict[str, Any] = {**params.where, **({"project_id": params.project_id} if params.project_id else {})}
    for name, value in where.items():
        if name not in columns:
            hint = did_you_mean(name, columns, f"The columns are {', '.join(columns)}.")
            raise BadParams(f"'{params.table}' has no column '{name}'", hint=hint)
        if isinstance(value, dict | list):
            raise BadParams(f"'{name}' can't be compared with an object or a list", hint="Give a single value.")
    conditions = " AND ".join(f"{name} = ?" for name in where)
    order = _ORDER.get(params.table, "position")
    names = ", ".join(columns)
    filtered = f" WHERE {conditions}" if where else ""
    sql = f"SELECT {names} FROM {params.table}{filtered} ORDER BY {order} DESC, 1, 2, 3 LIMIT ?"
    rows = [dict(zip(columns, row, strict=True)) for row in projections.rows(sql, (*where.values(), params.limit))]
    if params.table == "patterns":
        _add_data(at, rows)
    return ProjectionsShowResult(rows=tuple(rows), saw=at.workspace.read_state())


def _add_data(at: At, rows: list[dict[str, Any]]) -> None:
    """Add to each stated pattern the `data` of its last event."""
    events = {event.position: event for event in at.open.journal.events([row["position"] for row in rows])}
    for row in rows:
        event = events.get(row["position"])
        if event is not None and event.event_type == "pattern" and (data := (event.payload or {}).get("data")):
            row["data"] = data
