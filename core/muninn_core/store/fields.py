"""Reading a memory's fields from a record, leniently: what does not fit its field becomes a detail, never an error."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from muninn_core.model.memory import TRUST_ORDER, Cite, Link, Scope, Trust
from muninn_core.model.value import ValidationError, from_plain
from muninn_core.store.approval import is_pending
from muninn_core.store.record import ENVELOPE, Record
from muninn_core.store.stamp import normalise

TITLE_LENGTH = 80
_NO_FIELDS = frozenset(ENVELOPE) - {"task"}
_BY_ACTOR: dict[str, Trust] = {
    "user": "user",
    "hook": "commit",
    "tool": "commit",
    "assistant": "agent",
    "import": "outside",
}


class _Unfit(ValueError):
    """A value that is not of its field's type."""


_BY_BACKFILL: dict[str, Trust] = {"git": "commit", "transcripts": "agent"}
"""What was made from things that were there already: from commits, or from what agents' transcripts say."""


def born(record: Record) -> dict[str, Any] | None:
    """Return the fields of the memory that a record creates, None when it has no text and so creates none."""
    data = record.data
    fields, rest = read_fields(data, _NO_FIELDS)
    if not fields.get("text", "").strip() and data.get("redacted") is not True:
        fields.pop("text", None)
        fields = {**_told(record.type, data), **fields}
        if "text" not in fields:
            return None
    fields.setdefault("text", "")
    if ("pending" in data or "imported" in data) and is_pending(data):  # asked of every record: most have neither
        fields["review"] = "pending"
    fields.pop("pending", None)
    details = rest.pop("details", {})
    fields["details"] = {**rest, **details} if isinstance(details, dict) else {**rest, "details": details}
    fields["title"] = fields.get("title") or headline(fields["text"])
    fields["actor"] = _text_or(data.get("actor"), "")
    fields["trust"] = lowest(fields.get("trust"), cap_of(data))
    fields["sessions"] = (record.session,) if record.session else ()
    for name in ("agent", "branch", "commit"):
        fields[name] = _text_or(data.get(name), None)
    fields.update(id=record.id, ts=record.ts, type=record.type, session=record.session or None, updated=record.ts)
    return fields


def read_fields(
    data: Mapping[str, Any], ignored: frozenset[str] = frozenset()
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Split data into fields of a memory, converted, and the rest; absent and null ones of optional fields are None."""
    fields: dict[str, Any] = {}
    rest: dict[str, Any] = {}
    for name, value in data.items():
        reader = _READERS.get(name)
        if reader is None:
            if name not in ignored:
                rest[name] = value
            continue
        try:
            fields[name] = reader(value)
        except (_Unfit, ValidationError):
            rest[name] = value
    return fields, rest


def headline(text: str) -> str:
    """Return the first sentence of a text, at most 80 characters, cut between words."""
    line = text.strip()  # each step only where there is something to do: asked of every memory of a log
    if "\n" in line:
        line = line[: line.index("\n")].rstrip()
    if ". " in line:
        line = line[: line.index(". ")]
    if "! " in line:
        line = line[: line.index("! ")]
    if "? " in line:
        line = line[: line.index("? ")]
    line = line.rstrip(".")
    if len(line) <= TITLE_LENGTH:
        return line
    short = line[: TITLE_LENGTH - 1]
    return short[: short.rfind(" ")].rstrip(" ,;:") + "…" if " " in short[40:] else short + "…"


def trust_of(actor: str) -> Trust:
    """Return the most that an actor can vouch for."""
    return _BY_ACTOR.get(actor, "agent")


def cap_of(data: Mapping[str, Any]) -> Trust:
    """Return the most that a record is trusted: its actor's, unless it was imported and nobody vouched for it.

    What a backfill has made is worth as much as what it was made from.
    """
    imported = data.get("imported")
    if isinstance(imported, dict) and imported.get("trust") != "keep":
        return "outside"
    source = data.get("backfill")
    if data.get("actor") == "import" and isinstance(source, str) and source in _BY_BACKFILL:
        return _BY_BACKFILL[source]
    return trust_of(_text_or(data.get("actor"), ""))


def lowest(*trusts: Trust | None) -> Trust:
    """Return the lowest of the trusts that are given."""
    return min((trust for trust in trusts if trust), key=TRUST_ORDER.index)


def read_link(data: Any) -> Link:
    """Read one link. Raises ValueError when it is none."""
    if not isinstance(data, dict):
        raise _Unfit
    strength = data.get("strength", 1.0)
    return Link(
        relation=_text(data.get("relation")),
        target=_text(data.get("target")),
        strength=_fraction(strength),
        reason=_text_or(data.get("reason"), ""),
        by=_text_or(data.get("by"), ""),
    )


def _told(kind: str, data: Mapping[str, Any]) -> dict[str, Any]:
    """The text of the older forms that have none; the fields that it is made of stay in the details."""
    if kind == "pattern" and isinstance(data.get("pattern"), str):
        entities = _list_of(data.get("entities"))
        text = f"{data['pattern']}: {', '.join(entities)}" if entities else data["pattern"]
        return {"text": text, "title": headline(data["pattern"])}
    if kind == "context_hit" and (files := _list_of(data.get("files"))):
        query = _text_or(data.get("query"), "") or _text_or(data.get("query_hash"), "")
        told: dict[str, Any] = {"text": f"Relevant for query {query}: {', '.join(files)}"}
        if isinstance(data.get("relevance"), int | float):
            told["confidence"] = min(1.0, max(0.0, float(data["relevance"])))
        return told
    if kind == "session_summary":
        files = _list_of(data.get("files_touched"))
        learnings = _list_of(data.get("learnings"))
        if learnings or files:
            return {"text": "\n".join(learnings) or f"Touched {', '.join(files)}", "files": files}
    return {}


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise _Unfit
    return value


def _text_or(value: Any, default: Any) -> Any:
    return value if isinstance(value, str) and value else default


def _optional(value: Any) -> str | None:
    return None if value is None else _text(value) or None


def _strings(value: Any) -> tuple[str, ...]:
    if isinstance(value, str):
        return (value,)
    if not isinstance(value, list):
        raise _Unfit
    for item in value:  # a loop costs a third of `all`, and every record of a log passes here
        if not isinstance(item, str):
            raise _Unfit
    return tuple(dict.fromkeys(value))


def _list_of(value: Any) -> tuple[str, ...]:
    try:
        return _strings(value)
    except _Unfit:
        return ()


def _whole(value: Any) -> int:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise _Unfit
    return min(10, max(1, round(value)))


def _fraction(value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise _Unfit
    return min(1.0, max(0.0, float(value)))


def _flag(value: Any) -> bool:
    if not isinstance(value, bool):
        raise _Unfit
    return value


def _trust(value: Any) -> Trust:
    if value not in TRUST_ORDER:
        raise _Unfit
    return TRUST_ORDER[TRUST_ORDER.index(value)]


def _scope(value: Any) -> Scope:
    if value == "session":
        return "session"
    if value != "project":
        raise _Unfit  # "global" is where a record lies, and no log of a repository holds one
    return "project"


def _expires(value: Any) -> str | None:
    try:
        return None if value is None else normalise(_text(value))
    except ValueError:
        raise _Unfit from None


def _cites(value: Any) -> tuple[Cite, ...]:
    if not isinstance(value, list) or not all(isinstance(item, dict) for item in value):
        raise _Unfit
    known = Cite.__struct_fields__
    return tuple(from_plain({name: item[name] for name in known if name in item}, Cite) for item in value)


def _links(value: Any) -> tuple[Link, ...]:
    if not isinstance(value, list):
        raise _Unfit
    return tuple(read_link(item) for item in value)


_READERS: dict[str, Callable[[Any], Any]] = {
    "text": _text,
    "title": _text,
    "tags": _strings,
    "entities": _strings,
    "files": _strings,
    "cites": _cites,
    "importance": _whole,
    "confidence": _fraction,
    "trust": _trust,
    "expires": _expires,
    "pinned": _flag,
    "private": _flag,
    "scope": _scope,
    "pending": _flag,
    "links": _links,
    "task": _optional,
}

FIELDS: tuple[str, ...] = tuple(_READERS)
"""The fields of a memory that have a type; whatever else a record has is a detail of its kind."""
