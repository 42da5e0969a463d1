"""Times as text: RFC 3339 in UTC to the millisecond, so that comparing the text compares the times."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta

_CANONICAL = re.compile(r"\d{4}-[01]\d-[0-3]\dT[0-2]\d:[0-5]\d:[0-5]\d\.\d{3}Z")
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def timestamp(moment: datetime) -> str:
    """Return an aware moment as canonical text, such as 2026-01-07T10:00:00.000Z. Raises ValueError on a naive one."""
    if moment.tzinfo is None:
        raise ValueError("a time needs its zone")
    return moment.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def normalise(text: str) -> str:
    """Return an RFC 3339 time in canonical form; a time without a zone is UTC. Raises ValueError."""
    if _CANONICAL.fullmatch(text):
        datetime.fromisoformat(text)
        return text
    if len(text) < len("2026-01-07T10:00"):
        raise ValueError(f"'{text}' is no time")
    moment = datetime.fromisoformat(text)
    try:
        return timestamp(moment if moment.tzinfo else moment.replace(tzinfo=UTC))
    except OverflowError:
        raise ValueError(f"'{text}' is no time in UTC") from None


def milliseconds(canonical: str) -> int:
    """Return the milliseconds since 1970 of a canonical time; earlier times count as 0, for ids know no others."""
    return max(0, (datetime.fromisoformat(canonical) - EPOCH) // timedelta(milliseconds=1))


def later(canonical: str) -> str:
    """Return the next millisecond; the last one of all times is followed by itself."""
    try:
        return timestamp(datetime.fromisoformat(canonical) + timedelta(milliseconds=1))
    except OverflowError:
        return canonical
