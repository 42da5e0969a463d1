"""Finds the events whose payload contains a text, for a redaction."""

from __future__ import annotations

import json
from collections.abc import Iterable

from muninn_core.journal.journal import Journal
from muninn_core.journal.row import payload_text
from muninn_core.model.event import REDACTED

MIN_CHARS = 12
"""The least length of a text. Shorter texts match unrelated payloads."""


def events_containing(journal: Journal, texts: Iterable[str]) -> list[str]:
    """Return the ids of the events whose payload contains one of the texts, also in JSON within a text."""
    needles = set()
    for text in texts:
        if len(text.strip()) >= MIN_CHARS:
            escaped = _escaped(text.strip())
            needles |= {escaped.encode("utf-8", "replace"), _escaped(escaped).encode("utf-8", "replace")}
    if not needles:
        return []
    return [
        row.event_id
        for row in journal.rows()
        if row.stored != "redacted"
        and row.event_type != REDACTED
        and any(needle in payload for payload in [payload_text(row, journal.payloads)] for needle in needles)
    ]


def _escaped(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)[1:-1]
