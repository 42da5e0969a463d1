"""Reads Metis documents: markdown with YAML frontmatter, in which a key without a value and `NULL` both mean nothing.

What is not said in the frontmatter is taken from the short code's letter, the tags, the folder and the first heading,
so that a document with broken frontmatter still has a place.
"""

from __future__ import annotations

import re
from datetime import date, datetime
from typing import Any

from muninn_core.source import frontmatter
from muninn_core.source.document import LEVELS, Document, Flaw, Level, mentions
from muninn_core.source.shortcode import level_of

_PHASE = "#phase/"
_HEADING = re.compile(r"^# +(.+?)\s*#*\s*$", re.M)
_FOLDERS: tuple[tuple[str, Level], ...] = (
    ("/tasks/", "task"),
    ("/adrs/", "adr"),
    ("/initiatives/", "initiative"),
    ("/strategies/", "strategy"),
)
_SUPERSEDED = re.compile(r"(?i)superseded by:?\s+\[?`?([A-Z][A-Z0-9]*-A-\d+|ADR[- ]?\d+)")


def read(path: str, text: str) -> Document:
    """Return the document at a path below `.metis`. What can't be read is among its flaws."""
    fields, after = frontmatter.read(text)
    body = "\n".join(text.split("\n")[after:])
    tags = tuple(str(tag) for tag in _list(fields.get("tags")))
    code = _text(fields, "short_code")
    level = _level(path, code, tags, _text(fields, "level"))
    phase = next((tag[len(_PHASE) :].casefold() for tag in tags if tag.casefold().startswith(_PHASE)), "")
    archived = fields.get("archived") is True or "/archived/" in f"/{path}"
    heading = _HEADING.search(body)
    named = mentions(path, body)
    superseded_by = _text(fields, "superseded_by") or _superseder(body)
    number = fields.get("number")
    return Document(
        path=path,
        level=level,
        id=_text(fields, "id"),
        short_code=code,
        title=_text(fields, "title") or (heading[1] if heading else ""),
        number=number if isinstance(number, int) and not isinstance(number, bool) else None,
        phase=phase,
        status=_status(level, phase, archived),
        archived=archived,
        parent=_text(fields, "parent") or _text(fields, "initiative_id") or _text(fields, "strategy_id"),
        created=_text(fields, "created_at"),
        updated=_text(fields, "updated_at"),
        decided=_text(fields, "decision_date"),
        tags=tags,
        supersedes=tuple(str(each) for each in _list(fields.get("supersedes"))),
        superseded_by=superseded_by if phase == "superseded" else "",
        codes=tuple(each for each in named.codes if each != code),
        files=named.files,
        symbols=named.symbols,
        flaws=tuple(Flaw(line=fault.line, message=fault.message) for fault in frontmatter.faults(text)),
    )


def _level(path: str, code: str, tags: tuple[str, ...], said: str) -> Level:
    told = {each.casefold().lstrip("#") for each in tags}
    for level in LEVELS:
        if level == said.casefold():
            return level
    for level in LEVELS:
        if level in told or level == level_of(code):
            return level
    return next((level for folder, level in _FOLDERS if folder in path), "vision")


def _status(level: Level, phase: str, archived: bool) -> str:
    if archived:
        return "archived"
    if level != "adr":
        return phase
    return {"accepted": "decided", "draft": "proposed", "discussion": "proposed"}.get(phase, phase)


def _superseder(body: str) -> str:
    found = _SUPERSEDED.search(body)
    return found[1] if found else ""


def _text(fields: dict[str, Any], name: str) -> str:
    """Return a field's text; null, an empty value and the word NULL are nothing."""
    value = fields.get(name)
    if isinstance(value, datetime | date):
        return value.isoformat()
    text = "" if value is None or isinstance(value, dict | list) else str(value).strip()
    return "" if text == "NULL" else text


def _list(value: Any) -> list[Any]:
    return [each for each in value if each is not None] if isinstance(value, list) else [value] if value else []
