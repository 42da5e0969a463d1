"""Outcomes of the memories and files that sessions were given (used, confirmed, refuted), from journal and log.

What follows in the same session decides: a file of the memory is opened or edited, its command is run, the memory is
confirmed or contradicted. That a file was opened after a memory about it was given does not prove that the memory was
the reason.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from typing import Any, NamedTuple

from muninn_core.capture.turns.turn_events import TOOL_CALL
from muninn_core.engine.session.agent_journal import GIVEN
from muninn_core.engine.session.journal import At
from muninn_core.journal.search import Filter
from muninn_core.model.event import Event
from muninn_core.model.memory import Memory
from muninn_core.protocol.families.session import (
    GivenAnswer,
    GivenCounts,
    GivenItem,
    GivenParams,
    GivenResult,
    Outcome,
    Withheld,
)
from muninn_core.store.records.change import required_ids
from muninn_core.store.records.record import Record
from muninn_core.worktree.workspace import Workspace

MAX_CALLS = 2000
"""The most tool calls of a session that are read, the newest."""

MAX_DELIVERIES = 500
"""The most times that a memory was given which are counted, the newest."""

_REFUTED = {"archive": "forgotten", "supersede": "superseded", "reject": "rejected", "conflict": "contradicted"}
_CONFIRMED = {"approve": "approved", "pin": "pinned", "restore": "restored"}
_ORDER: tuple[Outcome, ...] = ("refuted", "confirmed", "used", "unused")


class Sign(NamedTuple):
    """One thing that happened to an item: its outcome, and how in a few words."""

    outcome: Outcome
    how: str


def given(at: At, params: GivenParams) -> GivenResult:
    """Return what a session was given, or how often a memory was given, with the outcomes; the newest first."""
    where: dict[str, Any] = {"event_type": GIVEN}
    if params.session:
        where["session_id"] = params.session
    if params.id:
        where["payload.ids"] = params.id
    events = at.open.search.recent(Filter(where=where), params.limit, params.before)
    known = at.workspace.memory.all()
    judge = _Judge(at, known)
    following = events[-1].position if len(events) == params.limit else None
    answers = tuple(_answer(event, judge, known, params.id) for event in events)
    items = [item for answer in answers for item in answer.items]
    return GivenResult(answers=answers, counts=_count(items), next=following, saw=at.workspace.read_state())


def counts(at: At | None, memory: Memory) -> GivenCounts:
    """Return how often a memory was given to sessions, and what came of it. Without a journal it never was."""
    if at is None:
        return GivenCounts(shown=0, used=0, confirmed=0, refuted=0)
    where = {"event_type": GIVEN, "payload.ids": memory.id}
    judge = _Judge(at, {memory.id: memory})
    events = at.open.search.recent(Filter(where=where), MAX_DELIVERIES)
    return _count([judge.item(event, memory.id) for event in events])


def _count(items: Sequence[GivenItem]) -> GivenCounts:
    found = dict.fromkeys(_ORDER, 0)
    for item in items:
        found[item.outcome] += 1
    used = found["used"] + found["confirmed"]
    return GivenCounts(shown=len(items), used=used, confirmed=found["confirmed"], refuted=found["refuted"])


def _answer(event: Event, judge: _Judge, known: Mapping[str, Memory], only: str) -> GivenAnswer:
    payload = event.payload or {}
    ids = [each for each in _texts(payload.get("ids")) if not only or each == only]
    return GivenAnswer(
        position=event.position,
        at=event.occurred_at,
        session=event.session_id,
        verb=str(payload.get("verb", "")),
        query=str(payload.get("query", "")),
        bundle=str(payload.get("bundle", "")),
        items=tuple(judge.item(event, each) for each in ids),
        withheld=tuple(
            Withheld(id=each["id"], why=str(each.get("why", "")), title=_title(known, each["id"]))
            for each in _list(payload.get("withheld"))
            if isinstance(each, dict) and isinstance(each.get("id"), str)
        ),
    )


def _list(value: object) -> list[Any]:
    """Return a value if it is a list, else an empty one: any program can record an event of any form."""
    return value if isinstance(value, list) else []


def _texts(value: object) -> list[str]:
    """Return the texts of a list."""
    return [each for each in _list(value) if isinstance(each, str)]


def _title(known: Mapping[str, Memory], identity: str) -> str:
    return known[identity].title if identity in known else ""


class _Judge:
    """Finds the outcomes of what sessions were given. Reads each session once."""

    def __init__(self, at: At, known: Mapping[str, Memory]) -> None:
        self._known = known
        self._calls = cache(lambda session: tuple(_tool_calls(at, session)))
        self._changes = cache(lambda session: _changes(at.workspace, session, known))

    def item(self, event: Event, identity: str) -> GivenItem:
        """Return one item of a given event with its outcome."""
        memory = self._known.get(identity)
        changes = self._changes(event.session_id).get(identity, ()) if memory is not None else ()
        signs = [sign for stamp, sign in changes if stamp >= event.occurred_at]
        paths = _paths(memory) if memory is not None else {identity.rpartition(":")[0] or identity}
        command = str(memory.details.get("command", "")) if memory is not None else ""
        for call in self._calls(event.session_id):
            if call.position > event.position:
                signs += _signs(call.payload or {}, paths, command)
        best = min((_ORDER.index(sign.outcome) for sign in signs), default=_ORDER.index("unused"))
        how = dict.fromkeys(sign.how for sign in signs)
        return GivenItem(id=identity, title=_title(self._known, identity), outcome=_ORDER[best], how=tuple(how)[:5])


def _paths(memory: Memory) -> set[str]:
    return {*memory.files, *(cite.path for cite in memory.cites)}


def _tool_calls(at: At, session: str) -> Iterable[Event]:
    return at.open.search.recent(Filter(where={"event_type": TOOL_CALL, "session_id": session}), MAX_CALLS)


def _signs(payload: Mapping[str, Any], paths: set[str], command: str) -> Iterable[Sign]:
    """Yield what a tool call did with an item's files or command."""
    run = str(payload.get("command", ""))
    if command and run.strip() == command.strip():
        yield Sign("used", f"ran {command}")
    edited = _texts(payload.get("files"))
    opened = [] if edited else _opened(payload)
    for path in sorted(paths):
        if any(_is_path(file, path) for file in edited):
            yield Sign("used", f"edited {path}")
        elif any(_is_path(file, path) for file in opened) or (run and path in run):
            yield Sign("used", f"opened {path}")


def _opened(payload: Mapping[str, Any]) -> list[str]:
    """Return the texts in a tool's input, among which are the paths of what it read."""
    given = payload.get("input")
    return [value for value in given.values() if isinstance(value, str)] if isinstance(given, dict) else []


def _is_path(file: str, path: str) -> bool:
    """Whether a file, relative or below any work tree's root, is the file at a path relative to the root."""
    return file == path or file.replace("\\", "/").endswith(f"/{path}")


def _changes(workspace: Workspace, session: str, known: Mapping[str, Memory]) -> Mapping[str, list[tuple[str, Sign]]]:
    """Return what the records of a session say about memories, by id, each with its time."""
    found: dict[str, list[tuple[str, Sign]]] = {}
    for record in workspace.memory.log.records.values():
        if record.session == session and record.id not in known:
            for identity, sign in _record_signs(record):
                found.setdefault(identity, []).append((record.ts, sign))
        elif record.session == session:
            for identity, sign in _link_signs(record):
                found.setdefault(identity, []).append((record.ts, sign))
    return found


def _record_signs(record: Record) -> Iterable[tuple[str, Sign]]:
    """Yield what a change says about each memory that it names."""
    data, kind = record.data, record.type
    if kind == "update":
        confirmed = set(data.get("set", ())) == {"cites"}
        yield str(data.get("target", "")), Sign("confirmed", "confirmed") if confirmed else Sign("used", "updated")
    elif kind == "feedback":
        useful = data.get("useful") is True
        yield str(data.get("target", "")), Sign("confirmed" if useful else "refuted", "feedback")
    elif kind in _REFUTED:
        named = required_ids(data) if kind == "conflict" else (str(data.get("target", "")),)
        yield from ((identity, Sign("refuted", _REFUTED[kind])) for identity in named)
    elif kind in _CONFIRMED:
        yield str(data.get("target", "")), Sign("confirmed", _CONFIRMED[kind])


def _link_signs(record: Record) -> Iterable[tuple[str, Sign]]:
    """Yield what the links of a new memory say about the memories that they lead to."""
    links = record.data.get("links")
    for link in links if isinstance(links, list) else ():
        if isinstance(link, dict) and isinstance(link.get("target"), str):
            against = link.get("relation") in ("contradicts", "supersedes")
            yield link["target"], Sign("refuted" if against else "used", f"{link.get('relation')} by a new memory")
