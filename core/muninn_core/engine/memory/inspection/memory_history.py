"""The history of one memory: its records in order, each with what it changed.

The change of a record is the difference of the fold without and with it, so history and fold always agree.
"""

from __future__ import annotations

from collections.abc import Iterable

from muninn_core.engine.memory.lookup import memory_of
from muninn_core.model.memory import Memory
from muninn_core.model.value import encode_json, replace, to_plain
from muninn_core.protocol.families.inspection import Changed, Event, HistoryParams, HistoryResult
from muninn_core.store.folding.fold import fold
from muninn_core.store.records.approval import may_approve
from muninn_core.store.records.change import required_ids
from muninn_core.store.records.record import Record
from muninn_core.worktree.workspace import Workspace

_IMPLIED_FIELDS = (
    "id",
    "ts",
    "type",
    "updated",
    "sealed",
    "session",
    "sources",
    "elsewhere",
    "work",
    "actor",
    "author",
    "agent",
)
"""Fields that an event states itself, or that change with every record."""

_SUMMARIES = {
    "link": "linked it to another memory",
    "unlink": "removed a link",
    "pin": "pinned it",
    "unpin": "unpinned it",
    "archive": "archived it",
    "restore": "restored it",
    "approve": "approved it",
    "reject": "rejected it",
    "redact": "redacted it: its content is gone, its id and links stay",
    "merge": "merged duplicates into it",
    "conflict": "reported a contradiction; a person must decide",
    "resolve": "decided a conflict",
}
"""{record type: summary}"""


def memory_history(workspace: Workspace, params: HistoryParams) -> HistoryResult:
    """Return a memory and the records that created and changed it. Raises NotFoundError or UsageError."""
    store = workspace.memory
    records, sealed, state = store.log.records, store.log.sealed_ids(), store.log.state
    memory = memory_of(store.all(state), params.id)
    if memory.scope == "global":
        records = store.shared_log().records
    (labelled,) = workspace.labelled([memory])
    events = history(memory, tuple(records.values()), sealed)
    return HistoryResult(memory=labelled, events=events, saw=workspace.read_state(state=state))


def history(memory: Memory, records: Iterable[Record], sealed: set[str]) -> tuple[Event, ...]:
    """Return a memory's events among all records of a log, in the order in which they take effect."""
    about = _about(memory.id, records)
    events = []
    applied: list[Record] = []
    before: Memory | None = None
    # A reconcile record has the time of the latest record it read; the memory's own record sorts before it.
    for record in sorted(about.values(), key=lambda record: (record.stamp[0], record.id != memory.id, record.stamp)):
        applied.append(record)
        after = fold(applied).memories.get(memory.id)
        concerns = record.id == memory.id or memory.id in _named(record) or record.type == "resolve"
        changes = _changes(before, after) if after is not None and record.id != memory.id else ()
        if concerns or changes:
            hidden = tuple(Changed(name=change.name, before="", after="") for change in changes)
            event = event_of(record, memory.id, hidden if memory.redacted else changes, record.id in sealed)
            event = replace(event, private=memory.private)
            if record.type == "approve" and not may_approve(about[memory.id].data, record.data):
                event = replace(event, summary="an approval by its own author, which does not count")
            events.append(event)
        before = after
    return tuple(events)


def _about(identity: str, records: Iterable[Record]) -> dict[str, Record]:
    """Return the records that affect a memory: those that name it, and the memories and conflicts that those name."""
    everything = {record.id: record for record in records}
    needle = identity.encode()
    about = {
        record.id: record
        for record in everything.values()
        if record.id == identity or (_may_name(record, needle) and identity in _named(record))
    }
    conflicts = {record.id for record in about.values() if record.type == "conflict"}
    about |= {
        record.id: record
        for record in everything.values()
        if record.type == "resolve" and record.data["conflict"] in conflicts
    }
    for record in list(about.values()):
        about |= {other: everything[other] for other in _named(record) if other in everything}
    return about


def _may_name(record: Record, needle: bytes) -> bool:
    """Whether a record may contain an id; false allows to skip parsing the line."""
    line = record.line
    return not line or needle in line or b"\\u" in line  # the id may be escaped


def _named(record: Record) -> set[str]:
    """Return the ids that a record names."""
    links = record.data.get("links")
    targets = (
        {link["target"] for link in links if isinstance(link, dict) and isinstance(link.get("target"), str)}
        if (isinstance(links, list))
        else set()
    )
    linked = {record.data["to"]} if record.type in ("link", "unlink") else set()
    return {*required_ids(record.data), *targets, *linked}


def event_of(record: Record, identity: str, changes: tuple[Changed, ...], sealed: bool) -> Event:
    """Return a record as an event of the memory `identity`, with its changes and whether git can track it."""
    data = record.data

    def text(name: str) -> str:
        value = data.get(name)
        return value if isinstance(value, str) else ""

    return Event(
        id=record.id,
        ts=record.ts,
        type=record.type,
        actor=text("actor"),
        author=text("author"),
        agent=text("agent"),
        session=record.session,
        task=text("task"),
        branch=text("branch"),
        commit=text("commit"),
        summary=_summary(record, identity, text("reason")),
        changes=changes,
        sealed=sealed,
    )


def _summary(record: Record, identity: str, reason: str) -> str:
    data = record.data
    match record.type:
        case _ if record.id == identity:
            summary = f"remembered as {record.type}"
        case "update":
            summary = f"changed {', '.join(sorted(data['set']))}"
        case "supersede":
            summary = f"superseded by {data['by']}" if data["by"] else "no longer superseded"
            summary = f"supersedes {data['target']}" if data["by"] == identity else summary
        case "merge":
            others = ", ".join(data["sources"])
            summary = f"absorbed {others}" if data["keep"] == identity else f"merged into {data['keep']}"
        case "verdict":
            other = data["right"] if data["left"] == identity else data["left"]
            summary = f"a model compared it with {other}: {data.get('verdict')}"
        case "resolve":
            summary = f"decided a conflict: keep {data['keep']}"
        case "link" | "unlink":
            verb = "linked" if record.type == "link" else "no longer"
            summary = f"{verb}: {data['target']} {data['relation']} {data['to']}"
        case "feedback":
            summary = "marked as useful" if data["useful"] else "marked as not useful"
        case kind if kind in _SUMMARIES:
            summary = _SUMMARIES[kind]
        case _:
            summary = f"named by the {record.type} {record.id}"
    return f"{summary}: {reason}" if reason else summary


def _changes(before: Memory | None, after: Memory | None) -> tuple[Changed, ...]:
    old = to_plain(before) if before is not None else {}
    new = to_plain(after) if after is not None else {}
    return tuple(
        Changed(name=name, before=_shown(old.get(name)), after=_shown(new.get(name)))
        for name in sorted(old.keys() & new.keys())
        if old[name] != new[name] and name not in _IMPLIED_FIELDS
    )


def _shown(value: object) -> str:
    if value is None or isinstance(value, str):
        return value or ""
    return encode_json(value).decode()
