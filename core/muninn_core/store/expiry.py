"""When a memory expires, as its author says it: a span from now, a day, or a time."""

from __future__ import annotations

import re
from datetime import datetime, timedelta

from muninn_core.errors import BadParams
from muninn_core.store.stamp import normalise, timestamp

_SPAN = re.compile(r"(\d{1,5})\s*([hdwmy])", re.I)
_DAY = re.compile(r"\d{4}-\d\d-\d\d")
_UNITS = {
    "h": timedelta(hours=1),
    "d": timedelta(days=1),
    "w": timedelta(weeks=1),
    "m": timedelta(days=30),
    "y": timedelta(days=365),
}


def span_of(said: str) -> timedelta | None:
    """Return the span that `30d` means (h, d, w, m of 30 days, y of 365); None for what is no span."""
    span = _SPAN.fullmatch(said.strip())
    return int(span[1]) * _UNITS[span[2].lower()] if span else None


def until(said: str, now: str) -> str:
    """Return the canonical time of `30d` (h, d, w, m of 30 days, y of 365), `2026-12-31` (its last moment) or a time.

    `now` is canonical. Raises BadParams.
    """
    text = said.strip()
    span = span_of(text)
    try:
        if span is not None:
            return timestamp(datetime.fromisoformat(now) + span)
        return normalise(f"{text}T23:59:59.999Z" if _DAY.fullmatch(text) else text)
    except (ValueError, OverflowError):
        raise BadParams(
            f"'expires' is no time: '{said}'", hint="Write 30d, 2026-12-31 or, as in RFC 3339, 2026-12-31T12:00:00Z."
        ) from None
