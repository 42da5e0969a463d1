"""Reads a memory's fields from a record. A value that does not fit its field becomes a detail, never an error."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from muninn_core.model.memory import TRUST_ORDER, Cite, Link, Scope, Trust
from muninn_core.model.value import ValidationError, from_plain
from muninn_core.store.records.approval import is_pending
from muninn_core.store.records.record import ENVELOPE, Record
from muninn_core.store.records.timestamps import normalise

TITLE_LENGTH = 80
MAX_AUTHOR = 200
"""The maximum number of characters of an author's name with its address."""

_ENVELOPE_FIELDS = frozenset(ENVELOPE) - {"task"}
_ACTOR_TRUST: dict[str, Trust] = {
    "user": "user",
    "hook": "commit",
    "tool": "commit",
    "assistant": "agent",
    "import": "outside",
}


class _WrongType(ValueError):
    """A value that does not have its field's type."""


_BACKFILL_TRUST: dict[str, Trust] = {"git": "commit", "transcripts": "agent"}
"""Trust of backfilled memories, by their source."""


def memory_fields(record: Record) -> dict[str, Any] | None:
    """Return the fields of the memory that a record creates; None when it has no text."""
    data = record.data
    fields, rest = read_fields(data, _ENVELOPE_FIELDS)
    if not fields.get("text", "").strip() and data.get("redacted") is not True:
        fields.pop("text", None)
        fields = {**_legacy_text(record.type, data), **fields}
        if "text" not in fields:
            return None
    fields.setdefault("text", "")
    if ("pending" in data or "imported" in data) and is_pending(data):  # a cheap test first: most records have neither
        fields["review"] = "pending"
    fields.pop("pending", None)
    details = rest.pop("details", {})
    fields["details"] = {**rest, **details} if isinstance(details, dict) else {**rest, "details": details}
    fields["title"] = fields.get("title") or headline(fields["text"])
    fields["actor"] = _text_or(data.get("actor"), "")
    fields["trust"] = lowest_trust(fields.get("trust"), max_trust(data))
    fields["sessions"] = (record.session,) if record.session else ()
    fields["author"] = author_name(data.get("author"), fields["details"])
    for name in ("agent", "branch", "commit"):
        fields[name] = _text_or(data.get(name), None)
    fields.update(id=record.id, ts=record.ts, type=record.type, session=record.session or None, updated=record.ts)
    return fields


def read_fields(
    data: Mapping[str, Any], ignored: frozenset[str] = frozenset()
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Split data into typed fields of a memory and the rest. Null gives None for an optional field."""
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
        except (_WrongType, ValidationError):
            rest[name] = value
    return fields, rest


def headline(text: str) -> str:
    """Return the first sentence of a text, at most 80 characters, cut between words."""
    line = text.strip()  # hot: every memory of a log passes here
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


def author_name(author: Any, details: Mapping[str, Any]) -> str:
    """Return a memory's author on one line: the name in its record, else that of the commit a backfill read."""
    name = next((each for each in (author, details.get("author")) if isinstance(each, str) and each), "")
    if len(name) > MAX_AUTHOR or not name.isprintable():
        name = " ".join(name.split())[:MAX_AUTHOR]
    return name


def question_lines(questions: Iterable[str]) -> tuple[str, ...]:
    """Return questions on one line each, every one once, without blank ones."""
    lines = (each.strip() if each.isprintable() else " ".join(each.split()) for each in questions)
    return tuple(dict.fromkeys(filter(None, lines)))


def actor_trust(actor: str) -> Trust:
    """Return the highest trust that an actor can give."""
    return _ACTOR_TRUST.get(actor, "agent")


def max_trust(data: Mapping[str, Any]) -> Trust:
    """Return the highest trust of a record: its actor's, "outside" when imported and not vouched for.

    A backfilled record has the trust of its source.
    """
    imported = data.get("imported")
    if isinstance(imported, dict) and imported.get("trust") != "keep":
        return "outside"
    source = data.get("backfill")
    if data.get("actor") == "import" and isinstance(source, str) and source in _BACKFILL_TRUST:
        return _BACKFILL_TRUST[source]
    return actor_trust(_text_or(data.get("actor"), ""))


def lowest_trust(*trusts: Trust | None) -> Trust:
    """Return the lowest of the given trusts; None values are ignored."""
    return min((trust for trust in trusts if trust), key=TRUST_ORDER.index)


def read_link(data: Any) -> Link:
    """Return one link. Raises ValueError when it is malformed."""
    if not isinstance(data, dict):
        raise _WrongType
    strength = data.get("strength", 1.0)
    return Link(
        relation=_read_text(data.get("relation")),
        target=_read_text(data.get("target")),
        strength=_read_fraction(strength),
        reason=_text_or(data.get("reason"), ""),
        by=_text_or(data.get("by"), ""),
    )


def _legacy_text(kind: str, data: Mapping[str, Any]) -> dict[str, Any]:
    """Return text and title for older kinds that have no text. Their own fields stay in the details."""
    if kind == "pattern" and isinstance(data.get("pattern"), str):
        entities = _strings_or_empty(data.get("entities"))
        text = f"{data['pattern']}: {', '.join(entities)}" if entities else data["pattern"]
        return {"text": text, "title": headline(data["pattern"])}
    if kind == "context_hit" and (files := _strings_or_empty(data.get("files"))):
        query = _text_or(data.get("query"), "") or _text_or(data.get("query_hash"), "")
        told: dict[str, Any] = {"text": f"Relevant for query {query}: {', '.join(files)}"}
        if isinstance(data.get("relevance"), int | float):
            told["confidence"] = min(1.0, max(0.0, float(data["relevance"])))
        return told
    if kind == "session_summary":
        files = _strings_or_empty(data.get("files_touched"))
        learnings = _strings_or_empty(data.get("learnings"))
        if learnings or files:
            return {"text": "\n".join(learnings) or f"Touched {', '.join(files)}", "files": files}
    return {}


def _read_text(value: Any) -> str:
    if not isinstance(value, str):
        raise _WrongType
    return value


def _text_or(value: Any, default: Any) -> Any:
    return value if isinstance(value, str) and value else default


def _read_optional(value: Any) -> str | None:
    return None if value is None else _read_text(value) or None


def _read_strings(value: Any) -> tuple[str, ...]:
    if isinstance(value, str):
        return (value,)
    if not isinstance(value, list):
        raise _WrongType
    for item in value:  # hot: a loop costs a third of `all`
        if not isinstance(item, str):
            raise _WrongType
    return tuple(dict.fromkeys(value))


def _read_questions(value: Any) -> tuple[str, ...]:
    return question_lines(_read_strings(value))


def _strings_or_empty(value: Any) -> tuple[str, ...]:
    try:
        return _read_strings(value)
    except _WrongType:
        return ()


def _read_importance(value: Any) -> int:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise _WrongType
    return min(10, max(1, round(value)))


def _read_fraction(value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise _WrongType
    return min(1.0, max(0.0, float(value)))


def _read_flag(value: Any) -> bool:
    if not isinstance(value, bool):
        raise _WrongType
    return value


def _read_trust(value: Any) -> Trust:
    if value not in TRUST_ORDER:
        raise _WrongType
    return TRUST_ORDER[TRUST_ORDER.index(value)]


def _read_scope(value: Any) -> Scope:
    if value == "session":
        return "session"
    if value != "project":
        raise _WrongType  # global memories are in a log of their own
    return "project"


def _read_expires(value: Any) -> str | None:
    try:
        return None if value is None else normalise(_read_text(value))
    except ValueError:
        raise _WrongType from None


def _read_cites(value: Any) -> tuple[Cite, ...]:
    if not isinstance(value, list) or not all(isinstance(item, dict) for item in value):
        raise _WrongType
    known = Cite.__struct_fields__
    return tuple(from_plain({name: item[name] for name in known if name in item}, Cite) for item in value)


def _read_links(value: Any) -> tuple[Link, ...]:
    if not isinstance(value, list):
        raise _WrongType
    return tuple(read_link(item) for item in value)


_READERS: dict[str, Callable[[Any], Any]] = {
    "text": _read_text,
    "title": _read_text,
    "tags": _read_strings,
    "entities": _read_strings,
    "questions": _read_questions,
    "files": _read_strings,
    "cites": _read_cites,
    "importance": _read_importance,
    "confidence": _read_fraction,
    "trust": _read_trust,
    "expires": _read_expires,
    "pinned": _read_flag,
    "private": _read_flag,
    "scope": _read_scope,
    "pending": _read_flag,
    "links": _read_links,
    "task": _read_optional,
}

FIELDS: tuple[str, ...] = tuple(_READERS)
"""The typed fields of a memory. All other fields of a record are details."""
