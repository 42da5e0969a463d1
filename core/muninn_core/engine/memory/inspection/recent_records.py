"""The newest records of the log, each with the memory that it concerns."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime

from muninn_core.engine.memory.inspection.memory_history import event_of
from muninn_core.errors import BadParams
from muninn_core.model.memory import Memory
from muninn_core.model.value import replace
from muninn_core.protocol.families.inspection import LogEntry, LogParams, LogResult
from muninn_core.retrieval.query.filters import parse_moment
from muninn_core.store.records.change import required_ids
from muninn_core.store.records.record import Record
from muninn_core.worktree.workspace import Workspace


def recent_records(workspace: Workspace, params: LogParams, now: datetime) -> LogResult:
    """Return the newest records, without those of other sessions' notes. Raises BadParams for an invalid `since`."""
    first = parse_moment(params.since, now) if params.since else ""
    if first is None:
        raise BadParams(f"'since': '{params.since}' is no time", hint="Write 12h, 3d, 2w or 2026-01-31.")
    log = workspace.memory.log
    records, sealed, memories = log.records, log.sealed_ids(), workspace.memory.all(log.state)
    wanted = sorted((record for record in records.values() if record.ts >= first), key=_stamp, reverse=True)
    entries: list[LogEntry] = []
    hidden = 0
    for record in wanted:
        if len(entries) == params.limit:
            break
        identity = _memory_of(record, records)
        memory = memories.get(identity)
        if memory is not None and memory.scope == "session" and memory.session != params.session:
            hidden += 1
            continue
        entries.append(_entry(record, identity, memories, record.id in sealed))
    return LogResult(entries=tuple(entries), total=len(wanted) - hidden, saw=workspace.read_state(state=log.state))


def _stamp(record: Record) -> tuple[str, str]:
    return record.stamp


def _memory_of(record: Record, records: Mapping[str, Record]) -> str:
    """Return the id of the memory that a record creates or changes; for a conflict that of its left side."""
    ids = required_ids(record.data)
    if not ids:
        return record.id
    if record.type == "resolve" and ids[0] in records:
        return _memory_of(records[ids[0]], records)
    return ids[0]


def _entry(record: Record, identity: str, memories: Mapping[str, Memory], sealed: bool) -> LogEntry:
    memory = memories.get(identity)
    return LogEntry(
        memory=identity,
        title=memory.title if memory is not None else "",
        event=replace(event_of(record, identity, (), sealed), private=memory is not None and memory.private),
    )
