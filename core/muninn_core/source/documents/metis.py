"""Reads Metis documents: markdown with YAML frontmatter, in which an empty value and `NULL` mean none.

What the frontmatter lacks is taken from the short code, the tags, the folder and the first heading, so that a document
with broken frontmatter is still classified.
"""

from __future__ import annotations

import re
from datetime import date, datetime
from typing import Any

from muninn_core.source.documents import frontmatter
from muninn_core.source.documents.document import LEVELS, Document, DocumentProblem, Level, find_mentions
from muninn_core.source.documents.markup import heading_text
from muninn_core.source.documents.project import first_paragraph
from muninn_core.source.documents.shortcode import level_of

_PHASE = "#phase/"
_HEADING = re.compile(r"^# +(.+)$", re.M)
_FOLDERS: tuple[tuple[str, Level], ...] = (
    ("/tasks/", "task"),
    ("/adrs/", "adr"),
    ("/initiatives/", "initiative"),
    ("/strategies/", "strategy"),
)
_SUPERSEDED = re.compile(r"(?i)superseded by:?\s+\[?`?([A-Z][A-Z0-9]*-A-\d+|ADR[- ]?\d+)")


def read_metis(path: str, text: str) -> Document:
    """Return the document at a path below `.metis`. Frontmatter errors are in `flaws`."""
    fields, after = frontmatter.read_frontmatter(text)
    body = "\n".join(text.split("\n")[after:])
    tags = tuple(str(tag) for tag in _list(fields.get("tags")))
    code = _text(fields, "short_code")
    level = _level(path, code, tags, _text(fields, "level"))
    phase = next((tag[len(_PHASE) :].casefold() for tag in tags if tag.casefold().startswith(_PHASE)), "")
    archived = fields.get("archived") is True or "/archived/" in f"/{path}"
    heading = _HEADING.search(body)
    mentioned = find_mentions(path, body)
    superseded_by = _text(fields, "superseded_by") or _superseder(body)
    number = fields.get("number")
    return Document(
        path=path,
        level=level,
        id=_text(fields, "id"),
        short_code=code,
        title=_text(fields, "title") or (heading_text(heading[1]) if heading else ""),
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
        summary=first_paragraph(body.split("\n")) if level == "vision" else "",
        codes=tuple(each for each in mentioned.codes if each != code),
        files=mentioned.files,
        symbols=mentioned.symbols,
        flaws=tuple(
            DocumentProblem(line=fault.line, message=fault.message) for fault in frontmatter.syntax_errors(text)
        ),
    )


def _level(path: str, code: str, tags: tuple[str, ...], stated_level: str) -> Level:
    tag_words = {each.casefold().lstrip("#") for each in tags}
    for level in LEVELS:
        if level == stated_level.casefold():
            return level
    for level in LEVELS:
        if level in tag_words or level == level_of(code):
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
    """Return a field's text; null, an empty value and the word NULL give ""."""
    value = fields.get(name)
    if isinstance(value, datetime | date):
        return value.isoformat()
    text = "" if value is None or isinstance(value, dict | list) else str(value).strip()
    return "" if text == "NULL" else text


def _list(value: Any) -> list[Any]:
    return [each for each in value if each is not None] if isinstance(value, list) else [value] if value else []
