"""The history of one memory: its records in order, each with what it changed.

What a record changed is found by folding what was there before it and with it, so that this tells nothing else than
the fold does.
"""

from __future__ import annotations

from collections.abc import Iterable

from muninn_core.engine.memory.lookup import memory_of
from muninn_core.model.memory import Memory
from muninn_core.model.value import encode_json, replace, to_plain
from muninn_core.protocol.inspection import Changed, Event, HistoryParams, HistoryResult
from muninn_core.store.approval import may_approve
from muninn_core.store.change import required_ids
from muninn_core.store.fold import fold
from muninn_core.store.record import Record
from muninn_core.worktree.workspace import Workspace

_TOLD = ("id", "ts", "type", "updated", "sealed", "session", "sources", "elsewhere", "work", "actor", "agent")
"""Fields that the event says itself, or that change with every one."""

_WORDS = {
    "link": "linked to another memory",
    "unlink": "took a link back",
    "pin": "pinned it",
    "unpin": "unpinned it",
    "archive": "archived it",
    "restore": "restored it",
    "approve": "approved it",
    "reject": "rejected it",
    "redact": "redacted it: its content is gone, its id and links stay",
    "merge": "merged what says the same",
    "conflict": "put it before a person: two memories can't both hold",
    "resolve": "decided a conflict",
}


def memory_history(workspace: Workspace, params: HistoryParams) -> HistoryResult:
    """Return a memory and the records that made and changed it. Raises NotFoundError or UsageError."""
    store = workspace.memory
    records, sealed, state = store.log.records, store.log.sealed_ids(), store.log.state
    memory = memory_of(store.all(state), params.id)
    if memory.scope == "global":
        records = store.shared_log().records
    (labelled,) = workspace.work_states.label([memory])
    events = history(memory, tuple(records.values()), sealed)
    return HistoryResult(memory=labelled, events=events, saw=workspace.read_state(state=state))


def history(memory: Memory, records: Iterable[Record], sealed: set[str]) -> tuple[Event, ...]:
    """Return the events of a memory among all records of a log, in the order in which they take effect."""
    about = _about(memory.id, records)
    events = []
    so_far: list[Record] = []
    before: Memory | None = None
    # Reconcile has the time of the latest thing that it saw; a memory begins before anything befalls it at that time.
    for record in sorted(about.values(), key=lambda record: (record.stamp[0], record.id != memory.id, record.stamp)):
        so_far.append(record)
        after = fold(so_far).memories.get(memory.id)
        concerns = record.id == memory.id or memory.id in _named(record)
        changes = _changes(before, after) if after is not None and record.id != memory.id else ()
        if concerns or changes:
            hidden = tuple(Changed(name=change.name, before="", after="") for change in changes)
            event = _event(record, memory.id, hidden if memory.redacted else changes, record.id in sealed)
            if record.type == "approve" and not may_approve(about[memory.id].data, record.data):
                event = replace(event, summary="an approval by its own author, which does not count")
            events.append(event)
        before = after
    return tuple(events)


def _about(identity: str, records: Iterable[Record]) -> dict[str, Record]:
    """Return the records that bear on a memory: those that name it, and the births and conflicts that these name."""
    everything = {record.id: record for record in records}
    said = identity.encode()
    about = {
        record.id: record
        for record in everything.values()
        if record.id == identity or (_may_name(record, said) and identity in _named(record))
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


def _may_name(record: Record, said: bytes) -> bool:
    """Whether an id may stand in a record: most lines need not be read to know that it does not."""
    line = record.line
    return not line or said in line or b"\\u" in line  # any letter may be escaped


def _named(record: Record) -> set[str]:
    """Return the ids that a record names."""
    links = record.data.get("links")
    told = (
        {link["target"] for link in links if isinstance(link, dict) and isinstance(link.get("target"), str)}
        if (isinstance(links, list))
        else set()
    )
    linked = {record.data["to"]} if record.type in ("link", "unlink") else set()
    return {*required_ids(record.data), *told, *linked}


def _event(record: Record, identity: str, changes: tuple[Changed, ...], sealed: bool) -> Event:
    data = record.data

    def text(name: str) -> str:
        value = data.get(name)
        return value if isinstance(value, str) else ""

    return Event(
        id=record.id,
        ts=record.ts,
        type=record.type,
        actor=text("actor"),
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
            said = f"remembered as {record.type}"
        case "update":
            said = f"changed {', '.join(sorted(data['set']))}"
        case "supersede":
            said = f"superseded by {data['by']}" if data["by"] else "took a superseding back"
            said = f"stands in the place of {data['target']}" if data["by"] == identity else said
        case "merge":
            others = ", ".join(data["sources"])
            said = f"speaks for {others}" if data["keep"] == identity else f"merged into {data['keep']}"
        case "resolve":
            said = f"decided a conflict: keep {data['keep']}"
        case "link" | "unlink":
            verb = "linked" if record.type == "link" else "no longer"
            said = f"{verb}: {data['target']} {data['relation']} {data['to']}"
        case "feedback":
            said = "found useful" if data["useful"] else "found of no use"
        case kind if kind in _WORDS:
            said = _WORDS[kind]
        case _:
            said = f"named by the {record.type} {record.id}"
    return f"{said}: {reason}" if reason else said


def _changes(before: Memory | None, after: Memory | None) -> tuple[Changed, ...]:
    old = to_plain(before) if before is not None else {}
    new = to_plain(after) if after is not None else {}
    return tuple(
        Changed(name=name, before=_shown(old.get(name)), after=_shown(new.get(name)))
        for name in sorted(old.keys() & new.keys())
        if old[name] != new[name] and name not in _TOLD
    )


def _shown(value: object) -> str:
    if value is None or isinstance(value, str):
        return value or ""
    return encode_json(value).decode()
