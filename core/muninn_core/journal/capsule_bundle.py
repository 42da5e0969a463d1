"""Bundles of capsules: export to plain data in a fixed order, and import, all or nothing.

An observation, a summary and a pin have the id of the event that first recorded them; an imported one keeps it in its
payload (`id`), and a redaction keeps it. What is redacted here is never replaced. Times are those at which the items
occurred. The same content therefore gives the same bundle on every machine. `exported_at` is the time of the newest
item.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from muninn_core.errors import BadParams, UsageError
from muninn_core.journal.capsules import Capsules, check_scope
from muninn_core.journal.journal import Journal
from muninn_core.journal.preparation import Prepared
from muninn_core.journal.search import Filter, Search
from muninn_core.journal.spans import Span, find_span, insert_span, session_span
from muninn_core.journal.writer import Transaction
from muninn_core.model.event import CAPSULE_OPENED, OBSERVATION, PIN, SUMMARY, TOMBSTONE, Event, EventDraft

VERSION = "1"
_KINDS = {"observations": OBSERVATION, "summaries": SUMMARY}
_PAGE = 500


class Imported(NamedTuple):
    """The outcome: numbers of new, replaced and known items, and the ids of those that were skipped."""

    imported: int
    replaced: int
    known: int
    skipped: list[str]


def export(
    capsules: Capsules,
    search: Search,
    project: str,
    scope: Mapping[str, str],
    after: str = "",
    before: str = "",
) -> dict[str, Any]:
    """Return the capsules of a scope that were opened at or after one time and before another, with their content.

    Hidden items are left out; a redacted one is exported without content. Raises BadParams.
    """
    chosen = capsules.in_scope(project, scope, after, before)
    bundle: dict[str, Any] = {"version": VERSION, "exported_at": "", "scope_filter": dict(sorted(scope.items()))}
    for name, kind in _KINDS.items():
        events = [event for span in chosen for event in _events(search, project, kind, span.span_id)]
        items = [_item(event, capsules) for event in events]
        bundle[name] = sorted(items, key=lambda item: (item["occurred_at"], item["id"]))
    bundle["capsules"] = sorted(map(_capsule, chosen), key=lambda item: (item["opened_at"], item["id"]))
    inside = {item["id"] for name in _KINDS for item in bundle[name]}
    pins = [
        {"id": item, "scope": dict(where), "reason": reason, "occurred_at": at}
        for item, where, reason, at in capsules.pins(project)
        if item in inside
    ]
    bundle["pins"] = sorted(pins, key=lambda pin: (pin["occurred_at"], pin["id"], json.dumps(pin, sort_keys=True)))
    times = [item["occurred_at"] for name in (*_KINDS, "pins") for item in bundle[name]]
    bundle["exported_at"] = max([*times, *(item["opened_at"] for item in bundle["capsules"])], default="")
    return bundle


class Importer:
    """Imports one bundle into a project. `on_conflict` is skip, overwrite or error."""

    def __init__(
        self, journal: Journal, capsules: Capsules, search: Search, project: str, on_conflict: str,
        patterns: Sequence[str] = (),
    ) -> None:  # fmt: skip
        self._journal = journal
        self._capsules = capsules
        self._search = search
        self._project = project
        self._on_conflict = on_conflict
        self._patterns = patterns
        self._work: list[Callable[[Transaction], object]] = []
        self._counts = {"imported": 0, "replaced": 0, "known": 0}
        self._skipped: list[str] = []

    def run(self, bundle: Mapping[str, Any]) -> Imported:
        """Import all items in one transaction, or none. Raises BadParams for a bundle of another form, and UsageError
        for a conflict when `on_conflict` is error, or for an item that another event's idempotency key contradicts.
        """
        _check(bundle)
        with self._capsules.importing:  # what is known is read before the transaction begins
            return self._run(bundle)

    def _run(self, bundle: Mapping[str, Any]) -> Imported:
        for item in bundle["capsules"]:
            self._capsule(item)
        for name, kind in _KINDS.items():
            for item in bundle[name]:
                self._item(kind, item)
        there = {(item, json.dumps(where, sort_keys=True)) for item, where, _, _ in self._capsules.pins(self._project)}
        for pin in bundle["pins"]:
            if (pin["id"], json.dumps(pin["scope"], sort_keys=True)) in there:
                self._counts["known"] += 1
            else:
                payload = {"event_id": pin["id"], "scope": pin["scope"], "reason": pin["reason"]}
                self._add(PIN, payload, pin["scope"].get("session", ""), "", pin["occurred_at"])
                self._counts["imported"] += 1
        self._journal.writer.run(lambda transaction: [step(transaction) for step in self._work])
        return Imported(**self._counts, skipped=self._skipped)

    def _decide(self, identity: str, known: Mapping[str, Any] | None, given: Mapping[str, Any]) -> bool:
        """Return whether an item is to be written."""
        if known is None:
            self._counts["imported"] += 1
            return True
        if known == given:
            self._counts["known"] += 1
        elif self._on_conflict == "error":
            raise UsageError(
                f"'{identity}' differs from what is recorded here",
                hint="Import with skip or overwrite; nothing was imported.",
                data={"id": identity},
            )
        elif self._on_conflict == "overwrite" and not _is_redacted(known):
            self._counts["replaced"] += 1
            return True
        else:
            self._skipped.append(identity)
        return False

    def _capsule(self, item: Mapping[str, Any]) -> None:
        with self._journal.connections.one() as connection:
            span = find_span(connection, "project_id = ? AND span_id = ?", (self._project, item["id"]))
        if not self._decide(item["id"], _capsule(span) if span else None, item):
            return
        prepared = self._prepare(
            CAPSULE_OPENED, dict(item), item["scope"].get("session", ""), item["id"], item["opened_at"]
        )

        def write(transaction: Transaction) -> None:
            row, _ = self._journal.add(transaction, prepared)
            transaction.connection.execute(
                "DELETE FROM spans WHERE project_id = ? AND span_id = ?", (self._project, item["id"])
            )
            session = item["scope"].get("session", "")
            insert_span(
                transaction,
                session_span(self._project, session, item["type"], item["opened_at"], row.position)._replace(
                    span_id=item["id"],
                    kind="capsule",
                    parent=item["parent"],
                    intent=item["intent"],
                    scope_json=json.dumps(item["scope"], sort_keys=True, ensure_ascii=False),
                    status=item["status"],
                    closed_at=item["closed_at"],
                ),
            )

        self._work.append(write)

    def _item(self, kind: str, item: Mapping[str, Any]) -> None:
        event = self._capsules.item(self._project, item["id"])
        if not self._decide(item["id"], _item(event, self._capsules) if event else None, item):
            return
        if event is not None:
            about = {"event_id": event.event_id, "reason": "replaced by an import"}
            self._add(TOMBSTONE, about, event.session_id, event.stream_id, "", key=f"{TOMBSTONE}:{event.event_id}")
        payload = {**(item["content"] or {}), "scope": item["scope"], "id": item["id"]}
        if item["content"] is None:
            payload["redacted"] = True
        self._add(kind, payload, item["scope"].get("session", ""), item["capsule"], item["occurred_at"],
                  actor=item["actor"], source=item["source"])  # fmt: skip

    def _add(self, kind: str, payload: Mapping[str, Any], session: str, stream: str, at: str, **more: Any) -> None:
        prepared = self._prepare(kind, payload, session, stream, at, **more)
        self._work.append(lambda transaction: self._journal.add(transaction, prepared))

    def _prepare(
        self, kind: str, payload: Mapping[str, Any], session: str, stream: str, at: str,
        *, actor: str = "user", source: str = "import", key: str | None = None,
    ) -> Prepared:  # fmt: skip
        draft = EventDraft(
            event_type=kind,
            payload=dict(payload),
            project_id=self._project,
            session_id=session,
            stream_id=stream,
            occurred_at=at,
            actor=actor,
            source=source,
            idempotency_key=key,
        )
        return self._journal.prepare(draft, self._patterns, system=True)


def _events(search: Search, project: str, kind: str, capsule: str) -> list[Event]:
    found: list[Event] = []
    before = None
    while True:
        where = {"project_id": project, "event_type": kind, "stream_id": capsule}
        page = search.recent(Filter(where=where), _PAGE, before)
        found += page
        if len(page) < _PAGE:
            return found
        before = page[-1].position


def _capsule(span: Span) -> dict[str, Any]:
    return {
        "id": span.span_id,
        "type": span.type,
        "intent": span.intent,
        "scope": json.loads(span.scope_json),
        "status": span.status,
        "parent": span.parent,
        "opened_at": span.opened_at,
        "closed_at": span.closed_at,
    }


def _is_redacted(item: Mapping[str, Any]) -> bool:
    """Whether an observation or summary was erased."""
    return "content" in item and item["content"] is None


def _item(event: Event, capsules: Capsules) -> dict[str, Any]:
    payload = event.payload if isinstance(event.payload, dict) else {}
    content: dict[str, Any] | None = {name: value for name, value in payload.items() if name not in ("scope", "id")}
    if event.payload is None or payload.get("redacted") is True:
        content = None
    return {
        "id": capsules.identity(event),
        "capsule": event.stream_id,
        "content": content,
        "scope": capsules.scope_of(event),
        "occurred_at": event.occurred_at,
        "actor": event.actor,
        "source": event.source,
    }


_FORM: dict[str, dict[str, type | tuple[type, ...]]] = {
    "capsules": {"id": str, "type": str, "intent": str, "scope": dict, "status": str, "parent": str,
                 "opened_at": str, "closed_at": str},
    "observations": {"id": str, "capsule": str, "content": (dict, type(None)), "scope": dict, "occurred_at": str,
                     "actor": str, "source": str},
    "summaries": {"id": str, "capsule": str, "content": (dict, type(None)), "scope": dict, "occurred_at": str,
                  "actor": str, "source": str},
    "pins": {"id": str, "scope": dict, "reason": str, "occurred_at": str},
}  # fmt: skip


def _check(bundle: Mapping[str, Any]) -> None:
    """Raise BadParams, which names the place, for a bundle of another form."""
    if bundle.get("version") != VERSION:
        raise BadParams(
            f"the bundle has version {bundle.get('version')!r}, not '{VERSION}'",
            hint="Export it with this version of Muninn; nothing was imported.",
        )
    for name, form in _FORM.items():
        items = bundle.get(name)
        if not isinstance(items, list):
            raise BadParams(f"the bundle has no list '{name}'", hint="Nothing was imported.")
        for number, item in enumerate(items):
            for field, kind in form.items():
                if not isinstance(item, dict) or not isinstance(item.get(field), kind):
                    raise BadParams(
                        f"{name}[{number}].{field} is missing or of another type", hint="Nothing was imported."
                    )
            check_scope(item["scope"])
            if name == "capsules" and item["status"] not in ("open", "closed"):
                raise BadParams(f"capsules[{number}].status is neither open nor closed", hint="Nothing was imported.")
            if name == "capsules" and (not item["id"] or item["id"].startswith(("session:", "turn:"))):
                raise BadParams(
                    f"capsules[{number}].id can't be '{item['id'][:100]}': a capsule is no session or turn",
                    hint="Give the capsule another id, such as capsule:1. Nothing was imported.",
                )
