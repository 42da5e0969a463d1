"""Times as text: RFC 3339 in UTC with milliseconds, so that text order is time order."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta

_CANONICAL = re.compile(r"\d{4}-[01]\d-[0-3]\dT[0-2]\d:[0-5]\d:[0-5]\d\.\d{3}Z")
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def timestamp(moment: datetime) -> str:
    """Return an aware datetime as canonical text, such as 2026-01-07T10:00:00.000Z.

    Raises ValueError on a naive one.
    """
    if moment.tzinfo is None:
        raise ValueError("the time has no zone")
    return moment.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def normalise(text: str) -> str:
    """Return an RFC 3339 time in canonical form; a time without a zone counts as UTC. Raises ValueError."""
    if _CANONICAL.fullmatch(text):
        datetime.fromisoformat(text)
        return text
    if len(text) < len("2026-01-07T10:00"):
        raise ValueError(f"'{text}' is not a time")
    moment = datetime.fromisoformat(text)
    try:
        return timestamp(moment if moment.tzinfo else moment.replace(tzinfo=UTC))
    except OverflowError:
        raise ValueError(f"'{text}' is out of range in UTC") from None


def milliseconds(canonical: str) -> int:
    """Return a canonical time in milliseconds since 1970; earlier times give 0, the minimum of a ULID."""
    since = datetime.fromisoformat(canonical) - EPOCH
    return max(0, (since.days * 86_400 + since.seconds) * 1000 + since.microseconds // 1000)


def next_millisecond(canonical: str) -> str:
    """Return the time one millisecond later; the maximum time is returned unchanged."""
    try:
        return timestamp(datetime.fromisoformat(canonical) + timedelta(milliseconds=1))
    except OverflowError:
        return canonical
