"""Reads an export of claude-mem: one JSON object with observations and summaries of sessions.

Format: scripts/export-memories.ts, docs/public/usage/export-import.mdx and src/services/sqlite/types.ts of
github.com/thedotmack/claude-mem. Lists are JSON in a text, as in its database, or lists.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from muninn_core.capture.foreign.foreign_memory import (
    ForeignMemories,
    ForeignMemory,
    content_key,
    iso_time,
    kind_of,
    malformed,
    tags_of,
)
from muninn_core.model.value import decode_json
from muninn_core.protocol.families.memory import MemoryDraft

_SLUG = "claude-mem"
_SECTIONS = ("request", "investigated", "learned", "completed", "next_steps", "notes")


def is_export(value: object) -> bool:
    """Whether a value is an export of claude-mem."""
    return (
        isinstance(value, dict)
        and isinstance(value.get("observations"), list)
        and ("exportedAt" in value or "totalObservations" in value)
    )


def read_export(name: str, value: Mapping[str, Any]) -> ForeignMemories:
    """Return a memory for each observation and each summary. Raises BadParams that names the first invalid one."""
    memories: list[ForeignMemory] = []
    counts = {"observations": 0, "summaries": 0}
    empty = 0
    for title, plural, read in (("observation", "observations", _observation), ("summary", "summaries", _summary)):
        for number, item in enumerate(_items(name, value, plural), 1):
            place = f"{name}, {title} {number}"
            if not isinstance(item, dict):
                raise malformed(place, "it is not a JSON object")
            counts[plural] += 1
            draft = read(place, item)
            if draft is None:
                empty += 1
            else:
                memories.append(ForeignMemory(draft, place, _time(place, item)))
    left_out = {"prompts": len(_items(name, value, "prompts")), "items without a text": empty}
    return ForeignMemories(
        "claude-mem", _SLUG, tuple(memories), counts, {what: number for what, number in left_out.items() if number}
    )


def _items(name: str, value: Mapping[str, Any], field: str) -> list[Any]:
    found = value.get(field) or []
    if not isinstance(found, list):
        raise malformed(name, f"'{field}' is not a list")
    return found


def _observation(place: str, item: Mapping[str, Any]) -> MemoryDraft | None:
    title, kind = _text(item, "title"), _text(item, "type")
    facts = "\n".join(f"- {fact}" for fact in _strings(place, item, "facts"))
    body = _text(item, "narrative") or _text(item, "text")
    text = "\n\n".join(part for part in (body, facts) if part) or _text(item, "subtitle") or title
    if not text:
        return None
    files = (*_strings(place, item, "files_modified"), *_strings(place, item, "files_read"))
    return MemoryDraft(
        text=text,
        title=title,
        type=kind_of(kind),
        tags=tags_of([kind, *_strings(place, item, "concepts")]),
        entities=_project(item),
        files=tuple(dict.fromkeys(files)),
        actor="assistant",
        key=content_key(_SLUG, "observation", _text(item, "memory_session_id"), _made(item), title, text),
    )


def _summary(_place: str, item: Mapping[str, Any]) -> MemoryDraft | None:
    parts = [f"{name.replace('_', ' ').capitalize()}: {text}" for name in _SECTIONS if (text := _text(item, name))]
    if not parts:
        return None
    return MemoryDraft(
        text="\n\n".join(parts),
        title=_text(item, "request").split("\n")[0][:80],
        type="session_summary",
        entities=_project(item),
        actor="assistant",
        key=content_key(_SLUG, "summary", _text(item, "memory_session_id"), _made(item), *parts),
    )


def _project(item: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the name of an item's project: an export holds those of all projects unless one was named."""
    name = _text(item, "project")
    return (name,) if name else ()


def _text(item: Mapping[str, Any], field: str) -> str:
    value = item.get(field)
    return value.strip() if isinstance(value, str) else ""


def _strings(place: str, item: Mapping[str, Any], field: str) -> list[str]:
    value = item.get(field) or []
    if isinstance(value, str):
        try:
            value = decode_json(value)
        except ValueError as error:
            raise malformed(place, f"'{field}' is not a list in JSON: {error}") from None
    if not isinstance(value, list) or not all(isinstance(each, str) for each in value):
        raise malformed(place, f"'{field}' is not a list of texts")
    return [each.strip() for each in value if each.strip()]


def _made(item: Mapping[str, Any]) -> str:
    return str(item.get("created_at_epoch") or item.get("created_at") or "")


def _time(place: str, item: Mapping[str, Any]) -> str:
    epoch = item.get("created_at_epoch")
    try:
        if isinstance(epoch, int | float) and not isinstance(epoch, bool):
            return datetime.fromtimestamp(epoch / 1000, UTC).isoformat()
        return iso_time(_text(item, "created_at"))
    except (ValueError, OverflowError, OSError):
        raise malformed(place, "'created_at_epoch' and 'created_at' are no times") from None
