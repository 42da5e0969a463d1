"""Capsules: bounded units of work with observations, summaries and pins, all of them events.

An open capsule takes observations and summaries. Capsules nest: a capsule closes after those inside it. A pin names an
event that every retrieval in its scope returns.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from muninn_core.errors import BadParams, NotFoundError, UsageError
from muninn_core.journal.journal import Appended, Journal, stream_of
from muninn_core.journal.preparation import moment
from muninn_core.journal.row import Row
from muninn_core.journal.search import Filter, Search
from muninn_core.journal.spans import SPAN_COLUMNS, Span, close_span, find_span, insert_span, session_span
from muninn_core.journal.turns import Turns, journal_time
from muninn_core.journal.writer import Refused, Transaction
from muninn_core.model.event import (
    CAPSULE_CLOSED,
    CAPSULE_OPENED,
    OBSERVATION,
    PIN,
    REDACTED,
    SUMMARY,
    UNPIN,
    Event,
    EventDraft,
)
from muninn_core.model.value import Value, replace

SCOPES = ("session", "repository", "agent", "user")
"""The kinds of ids that a capsule can be bound to."""

CHARS_PER_TOKEN = 4
"""The estimate of a token's length that budgets use."""


class Retrieved(Value):
    """One item of a retrieval. `tier` is pin, summary or candidate; `score` and the ranks are those of a candidate."""

    tier: str
    event: Event
    tokens: int
    score: float = 0.0
    words: int = 0
    meaning: int = 0


class Retrieval(NamedTuple):
    """The items, those that can't be evicted first. `over` is by how many tokens these alone exceed the budget."""

    items: list[Retrieved]
    tokens: int
    over: int
    left_out: int


class Capsules:
    """The capsules of one journal."""

    def __init__(self, journal: Journal, turns: Turns, search: Search) -> None:
        self._journal = journal
        self._turns = turns
        self._search = search
        self.importing = threading.Lock()
        """Two imports of the same bundle take turns, so that the second one knows the items of the first."""

    def open(
        self,
        project: str,
        kind: str,
        intent: str,
        scope: Mapping[str, str],
        *,
        parent: str = "",
        client: str = "",
        actor: str = "user",
        patterns: Sequence[str] = (),
    ) -> Span:
        """Open a capsule, inside an open one when `parent` names it.

        Raises BadParams for an unknown scope or an empty type, NotFoundError or UsageError for a parent that does not
        exist or is closed, and PreconditionError when the session belongs to another project.
        """
        check_scope(scope)
        if not kind:
            raise BadParams("a capsule needs a type", hint="Give a word such as session, task or node.")
        session = scope.get("session", "")
        payload = {"type": kind, "intent": intent, "scope": dict(scope), "parent": parent}
        identity = f"capsule:{self._journal.new_id()}"
        prepared = self._journal.prepare(
            _about(CAPSULE_OPENED, project, session, identity, payload, actor), patterns, system=True
        )
        shown = json.loads(prepared.text)

        def operation(transaction: Transaction) -> Span | Refused:
            if parent:
                self._open_one(transaction, project, parent)
            if session:
                refused = self._turns.bind(transaction, project, session, client, journal_time(transaction))
                if refused is not None:
                    return refused
            row, _ = self._journal.add(transaction, prepared)
            span = session_span(project, session, shown["type"], row.occurred_at, row.position)._replace(
                span_id=identity,
                kind="capsule",
                parent=parent or (stream_of(session, "") if session else ""),
                intent=shown["intent"],
                scope_json=json.dumps(shown["scope"], sort_keys=True, ensure_ascii=False),
            )
            insert_span(transaction, span)
            return span

        return self._journal.writer.run(operation)

    def close(
        self,
        project: str,
        capsule: str,
        summary: str = "",
        *,
        actor: str = "user",
        source: str = "",
        patterns: Sequence[str] = (),
    ) -> Span:
        """Close a capsule, with a last summary if one is given.

        Raises NotFoundError, and UsageError for a capsule that is closed or has an open one inside.
        """
        known = self.find(project, capsule)
        closing = self._journal.prepare(
            _about(CAPSULE_CLOSED, project, known.session_id, capsule, {}, actor), system=True
        )
        payload = {"text": summary, "scope": json.loads(known.scope_json)}
        draft = _about(SUMMARY, project, known.session_id, capsule, payload, actor)
        text = self._journal.prepare(replace(draft, source=source), patterns, system=True)

        def operation(transaction: Transaction) -> Span:
            span = self._open_one(transaction, project, capsule)
            inside = find_span(
                transaction.connection, "project_id = ? AND parent = ? AND status = 'open'", (project, capsule)
            )
            if inside is not None:
                raise UsageError(
                    f"the capsule '{capsule}' contains the open capsule '{inside.span_id}'",
                    hint="Close that one first; nothing was recorded.",
                )
            if summary:
                self._journal.add(transaction, text)
            row, _ = self._journal.add(transaction, closing)
            close_span(transaction, span, "closed", "", row.occurred_at)
            return span._replace(status="closed", closed_at=row.occurred_at)

        return self._journal.writer.run(operation)

    def record(
        self,
        project: str,
        capsule: str,
        kind: str,
        payload: Mapping[str, Any],
        *,
        actor: str = "user",
        source: str = "",
        key: str | None = None,
        occurred_at: str = "",
        patterns: Sequence[str] = (),
    ) -> Appended:
        """Record an observation or a summary in an open capsule, whose scope it gets.

        Raises NotFoundError, UsageError for a closed capsule, and what `Journal.append` raises.
        """
        known = self.find(project, capsule)
        payload = {**payload, "scope": json.loads(known.scope_json)}
        draft = EventDraft(
            event_type=kind,
            payload=payload,
            project_id=project,
            session_id=known.session_id,
            stream_id=capsule,
            actor=actor,
            source=source,
            idempotency_key=key,
            occurred_at=occurred_at,
        )
        prepared = self._journal.prepare(draft, patterns, system=True)

        def operation(transaction: Transaction) -> tuple[Row, bool]:
            self._open_one(transaction, project, capsule)
            return self._journal.add(transaction, prepared)

        row, duplicate = self._journal.writer.run(operation)
        return self._journal.appended(row, prepared, duplicate=duplicate)

    def pin(
        self, project: str, event_id: str, scope: Mapping[str, str], reason: str = "", *, actor: str = "user"
    ) -> Event:
        """Pin an event in a scope; a second pin in it changes nothing. Raises NotFoundError and BadParams."""
        check_scope(scope)
        event = self.item(project, event_id) or self._visible(project, event_id)
        return self._pinned(project, PIN, self.identity(event), scope, reason, actor)

    def unpin(self, project: str, event_id: str, scope: Mapping[str, str], *, actor: str = "user") -> Event:
        """Take a pin out of a scope. Raises NotFoundError when the event is not pinned there."""
        check_scope(scope)
        if event_id not in self._pins(project, scope, exactly=True):
            raise NotFoundError(
                f"the event '{event_id}' is not pinned in this scope", hint="`muninn capsule retrieve` shows the pins."
            )
        return self._pinned(project, UNPIN, event_id, scope, "", actor)

    def find(self, project: str, capsule: str) -> Span:
        """Return a capsule. Raises NotFoundError."""
        with self._journal.connections.one() as connection:
            where = "project_id = ? AND span_id = ? AND kind = 'capsule'"
            span = find_span(connection, where, (project, capsule))
        if span is None:
            raise _unknown(capsule)
        return span

    def in_scope(self, project: str, scope: Mapping[str, str], after: str = "", before: str = "") -> list[Span]:
        """Return the capsules of a scope, the last opened first.

        `after` and `before` are RFC 3339 times or dates: only capsules opened at or after the one, before the other.
        Raises BadParams.
        """
        check_scope(scope)
        begin, end = moment(after, "after"), moment(before, "before")
        with self._journal.connections.one() as connection:
            sql = f"SELECT {SPAN_COLUMNS} FROM spans WHERE project_id = ? AND kind = 'capsule'"
            rows = [Span(*row) for row in connection.execute(f"{sql} ORDER BY opened_position DESC", (project,))]
        return [
            span
            for span in rows
            if begin <= span.opened_at
            and (not end or span.opened_at < end)
            and _within(json.loads(span.scope_json), scope)
        ]

    def retrieve(
        self, project: str, query: str, scope: Mapping[str, str], budget: int | None = None, limit: int = 20
    ) -> Retrieval:
        """Return what belongs to a question: pins, the latest summary of each open capsule, then candidates.

        Pins and summaries are never left out: when they alone exceed the budget (in tokens), they are all returned, no
        candidate is, and `over` says by how much. Candidates are ranked by words and meaning, without a query by their
        time, and taken in this order while they fit.
        """
        check_scope(scope)
        fixed = [("pin", event) for event in self._pinned_events(project, scope)]
        seen = {event.event_id for _, event in fixed}
        for event in self._summaries(project, scope):
            if event.event_id not in seen:
                seen.add(event.event_id)
                fixed.append(("summary", event))
        items = [Retrieved(tier=tier, event=event, tokens=tokens_of(event)) for tier, event in fixed]
        used = sum(item.tokens for item in items)
        over = max(0, used - budget) if budget is not None else 0
        left_out = 0
        for item in self._candidates(project, query, scope, limit + len(seen)):
            if item.event.event_id in seen or len(items) - len(fixed) >= limit:
                continue
            if over or (budget is not None and used + item.tokens > budget):
                left_out += 1
                continue
            items.append(item)
            used += item.tokens
        return Retrieval(items, used, over, left_out)

    def item(self, project: str, identity: str) -> Event | None:
        """Return the visible event of an id, None for none. An imported observation or summary keeps its first id."""
        imported = self._imported(identity, project)
        if imported is not None:
            return imported
        where = {"project_id": project, "event_type": REDACTED, "payload.item": identity}
        redactions = self._search.recent(Filter(where=where), 1)
        try:
            event = self._visible(project, redactions[0].payload["event_id"] if redactions else identity)
        except NotFoundError:
            return None
        return event if self.identity(event) == identity else None

    def identity(self, event: Event) -> str:
        """Return the id of an observation or summary in bundles: that of its event, or the one it was imported with."""
        if event.event_type not in (OBSERVATION, SUMMARY):
            return event.event_id
        if event.payload is not None:
            return str(event.payload.get("id", event.event_id))
        where = {"event_type": REDACTED, "payload.event_id": event.event_id}
        redactions = self._search.recent(Filter(where=where), 1)
        return str(redactions[0].payload.get("item", event.event_id)) if redactions else event.event_id

    def event_id(self, identity: str) -> str:
        """Return the id of the event that has an id in bundles; another id is returned as it is."""
        imported = self._imported(identity)
        return imported.event_id if imported is not None else identity

    def scope_of(self, event: Event) -> dict[str, str]:
        """Return the scope of an observation or summary; that of its capsule once the payload is erased."""
        if event.payload is not None:
            return dict(event.payload.get("scope", {}))
        scope: dict[str, str] = json.loads(self.find(event.project_id, event.stream_id).scope_json)
        return scope

    def _imported(self, identity: str, project: str = "") -> Event | None:
        """Return the visible event that was imported under an id, into one project or any."""
        for kind in (OBSERVATION, SUMMARY):
            where = {"event_type": kind, "payload.id": identity} | ({"project_id": project} if project else {})
            found = self._search.recent(Filter(where=where), 1)
            if found:
                return found[0]
        return None

    def pins(self, project: str) -> list[tuple[str, dict[str, str], str, str]]:
        """Return (id, scope, reason, time) of all pins of a project that hold, in the order of their time."""
        state: dict[tuple[str, str], tuple[str, dict[str, str], str, str] | None] = {}
        for event in self._changes(project):
            payload = event.payload
            key = (payload["event_id"], json.dumps(payload["scope"], sort_keys=True))
            known = state.get(key)
            if event.event_type == UNPIN:
                state[key] = None
            elif known is None:
                state[key] = (payload["event_id"], payload["scope"], payload["reason"], event.occurred_at)
        return [pin for pin in state.values() if pin is not None]

    def _candidates(self, project: str, query: str, scope: Mapping[str, str], limit: int) -> list[Retrieved]:
        where = {"project_id": project, "event_type": OBSERVATION}
        where |= {f"payload.scope.{name}": value for name, value in scope.items()}
        if query:
            hits = self._search.find(query, Filter(where=where), limit)
            return [
                Retrieved(
                    tier="candidate",
                    event=hit.event,
                    tokens=tokens_of(hit.event),
                    score=hit.score,
                    words=hit.words,
                    meaning=hit.meaning,
                )
                for hit in hits
            ]
        events = self._search.recent(Filter(where=where), limit)
        return [Retrieved(tier="candidate", event=event, tokens=tokens_of(event)) for event in events if event.payload]

    def _summaries(self, project: str, scope: Mapping[str, str]) -> list[Event]:
        found = []
        for span in self.in_scope(project, scope):
            if span.status == "open":
                where = {"project_id": project, "event_type": SUMMARY, "stream_id": span.span_id}
                latest = [event for event in self._search.recent(Filter(where=where), 5) if event.payload is not None]
                found += latest[:1]
        return found

    def _pinned_events(self, project: str, scope: Mapping[str, str]) -> list[Event]:
        events = []
        for event_id in self._pins(project, scope, exactly=False):
            event = self.item(project, event_id)  # None: it was hidden or removed since
            if event is not None and event.payload is not None:
                events.append(event)
        return events

    def _pins(self, project: str, scope: Mapping[str, str], *, exactly: bool) -> list[str]:
        """Return the ids that are pinned in a scope, in the order of their pins; not `exactly`: and in wider scopes."""
        pins = self.pins(project)
        inside = [
            item for item, where, _, _ in pins if (where == dict(scope) if exactly else _within(dict(scope), where))
        ]
        return list(dict.fromkeys(inside))

    def _changes(self, project: str) -> list[Event]:
        """Return all pins and unpins of a project, oldest first."""
        found: list[Event] = []
        for kind in (PIN, UNPIN):
            before = None
            while True:
                page = self._search.recent(Filter(where={"project_id": project, "event_type": kind}), 500, before)
                found += [event for event in page if event.payload is not None]
                if len(page) < 500:
                    break
                before = page[-1].position
        return sorted(found, key=lambda event: event.position)

    def _visible(self, project: str, event_id: str) -> Event:
        event = self._journal.event(event_id)
        if event.project_id != project or self._search.is_hidden(event.position):
            raise NotFoundError(f"there is no event '{event_id}'", hint="`muninn event query` lists events.")
        return event

    def _pinned(
        self, project: str, kind: str, event_id: str, scope: Mapping[str, str], reason: str, actor: str
    ) -> Event:
        payload = {"event_id": event_id, "scope": dict(scope), "reason": reason}
        session = scope.get("session", "")
        prepared = self._journal.prepare(_about(kind, project, session, "", payload, actor), system=True)
        row, duplicate = self._journal.writer.run(lambda transaction: self._journal.add(transaction, prepared))
        return self._journal.appended(row, prepared, duplicate=duplicate).event

    def _open_one(self, transaction: Transaction, project: str, capsule: str) -> Span:
        where = "project_id = ? AND span_id = ? AND kind = 'capsule'"
        span = find_span(transaction.connection, where, (project, capsule))
        if span is None:
            raise _unknown(capsule)
        if span.status != "open":
            raise UsageError(
                f"the capsule '{capsule}' is closed", hint="Open a new one with capsule.open; nothing was recorded."
            )
        return span


def tokens_of(event: Event) -> int:
    """Return the estimated number of tokens of an event's payload."""
    text = json.dumps(event.payload, ensure_ascii=False)
    return -(-len(text) // CHARS_PER_TOKEN)


def check_scope(scope: Mapping[str, str]) -> None:
    """Raise BadParams for a kind of id that capsules don't have."""
    for name, value in scope.items():
        if name not in SCOPES or not value:
            raise BadParams(f"'{name}={value}' is no scope", hint=f"Scopes are {', '.join(SCOPES)}, each with an id.")


def _within(scope: Mapping[str, str], wider: Mapping[str, str]) -> bool:
    """Whether a scope has all ids of a wider one."""
    return all(scope.get(name) == value for name, value in wider.items())


def _about(kind: str, project: str, session: str, stream: str, payload: Mapping[str, Any], actor: str) -> EventDraft:
    return EventDraft(
        event_type=kind,
        payload=dict(payload),
        project_id=project,
        session_id=session,
        stream_id=stream,
        actor=actor,
        source="muninn",
    )


def _unknown(capsule: str) -> NotFoundError:
    return NotFoundError(f"there is no capsule '{capsule}'", hint="`muninn capsule list` lists capsules.")
