"""Reads the expiry of a memory: a span from now, a day, or a time."""

from __future__ import annotations

import re
from datetime import datetime, timedelta

from muninn_core.errors import BadParams
from muninn_core.store.records.timestamps import normalise, timestamp

_SPAN = re.compile(r"(\d{1,5})\s*([hdwmy])", re.I)
_DAY = re.compile(r"\d{4}-\d\d-\d\d")
_UNITS = {
    "h": timedelta(hours=1),
    "d": timedelta(days=1),
    "w": timedelta(weeks=1),
    "m": timedelta(days=30),
    "y": timedelta(days=365),
}


def parse_span(text: str) -> timedelta | None:
    """Return the span of text such as `30d` (h, d, w, m of 30 days, y of 365); None for other text."""
    span = _SPAN.fullmatch(text.strip())
    return int(span[1]) * _UNITS[span[2].lower()] if span else None


def parse_expiry(text: str, now: str) -> str:
    """Return the canonical time of a span from `now`, a day (`2026-12-31`: its last millisecond) or an RFC 3339 time.

    `now` is canonical. See `parse_span` for spans. Raises BadParams.
    """
    stripped = text.strip()
    span = parse_span(stripped)
    try:
        if span is not None:
            return timestamp(datetime.fromisoformat(now) + span)
        return normalise(f"{stripped}T23:59:59.999Z" if _DAY.fullmatch(stripped) else stripped)
    except (ValueError, OverflowError):
        raise BadParams(
            f"'expires' is not a time: '{text}'", hint="Write 30d, 2026-12-31 or 2026-12-31T12:00:00Z (RFC 3339)."
        ) from None
