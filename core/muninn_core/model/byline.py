"""Who wrote a memory, and when, in words. Plain functions of texts, so that the command line can use them, too."""

from __future__ import annotations

from datetime import datetime

_HALF_A_YEAR = 180 * 86_400


def duration(seconds: float) -> str:
    """Return an approximate duration: '4 s', '3 min', '2 h', '5 days'."""
    for unit, name in ((86_400, "day"), (3_600, "h"), (60, "min")):
        if seconds >= unit:
            number = int(seconds // unit)
            return f"{number} {name}{'s' if name == 'day' and number != 1 else ''}"
    return f"{int(seconds)} s"


def relative(ts: str, now: datetime) -> str:
    """Return an RFC 3339 time relative to now: 'just now', '5 min ago', 'in 3 days'. After half a year it is a date."""
    try:
        seconds = (now - datetime.fromisoformat(ts)).total_seconds()
    except ValueError:
        return ts
    if abs(seconds) > _HALF_A_YEAR:
        return ts[:10]
    if -1 < seconds < 60:
        return "just now"
    return f"{duration(seconds)} ago" if seconds > 0 else f"in {duration(-seconds)}"


def writer(author: str, actor: str, agent: str | None) -> str:
    """Return who wrote a record: the author's name, and for an agent's word 'AGENT for NAME'.

    Without a name it is the agent or the actor: user, assistant, tool, hook or import.
    """
    if not author:
        return agent or actor
    return author if actor != "assistant" else f"{agent or actor} for {author}"


def byline(author: str, actor: str, agent: str | None, ts: str, now: datetime | None) -> str:
    """Return who wrote a record and when: 'NAME, 3 days ago'. Without `now`, the day: 'NAME, 2026-03-01'."""
    when = relative(ts, now) if now is not None else ts[:10]
    return ", ".join(part for part in (writer(author, actor, agent), when) if part)
