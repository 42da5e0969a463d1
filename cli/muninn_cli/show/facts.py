"""Small facts in words: counts, times, sizes, and what an answer saw."""

from __future__ import annotations

from typing import Any

from muninn_cli.screen import joined


def count(number: int, thing: str, things: str = "") -> str:
    """Return '1 file', '2 files'; `things` is the plural where it is not regular."""
    return f"{number:,} {thing if number == 1 else things or thing + 's'}"


def size(number: float) -> str:
    """Return bytes in the largest unit that leaves a figure of 1 or more, by powers of 1,000."""
    units = ("B", "kB", "MB", "GB")
    at = 0
    while number >= 1000 and at < len(units) - 1:
        number /= 1000
        at += 1
    return f"{number:.0f} {units[at]}"


def duration(seconds: float) -> str:
    """Return a span of time, roughly: '4 s', '3 min', '2 h', '5 days'."""
    for unit, name in ((86_400, "day"), (3_600, "h"), (60, "min")):
        if seconds >= unit:
            number = int(seconds // unit)
            return f"{number} {name}{'s' if name == 'day' and number != 1 else ''}"
    return f"{int(seconds)} s"


def moment(ts: str) -> str:
    """Return an RFC 3339 time to the minute, as it is: in UTC."""
    return ts[:16].replace("T", " ")


def place(path: str, start: int, end: int) -> str:
    """Return `path:start-end`, as terminals and editors open it; only the path when there are no lines."""
    if not path or not start:
        return path
    return f"{path}:{start}" + (f"-{end}" if end > start else "")


def lagging(index: dict[str, Any]) -> str:
    """Return by how many files an index lags, and how many of them are found all the same; "" where it does not."""
    found = f", {index['surveyed']:,} of them found by their words" if index["surveyed"] else ""
    return f"lags by {count(index['lag'], 'file')}{found}" if index["lag"] else ""


def seen(saw: dict[str, Any]) -> str:
    """Return what an answer saw: branch, commit, log position, and how far the index lags."""
    head = "@".join(part for part in (saw.get("branch") or "", (saw.get("commit") or "")[:8]) if part)
    behind = f"the index {lagging(saw['index'])}" if saw["index"]["lag"] else ""
    missing = saw["index"]["unembedded"]
    meaning = f"{count(missing, 'chunk')} found by words alone so far" if missing else ""
    return joined(head, f"log {saw['log']}", behind, meaning, saw["note"])


def whereabouts(found: dict[str, Any]) -> list[str]:
    """Return what HEAD makes of a hit or memory: which branches alone hold it, what became of its work."""
    elsewhere = f"only on {', '.join(found['elsewhere'])}" if found["elsewhere"] else ""
    return [elsewhere, f"its work was {found['work']}" if found["work"] in ("reverted", "abandoned") else found["work"]]


def provenance(hit: dict[str, Any]) -> list[str]:
    """Return where a hit comes from that is not this project's own work, and what that is worth."""
    worth = {"outside": "from outside", "agent": "an agent's word" if hit["origin"] else ""}
    return [hit["origin"], worth.get(hit["trust"] or "", "")]


def own_title(title: str, text: str) -> str:
    """Return a title that says more than the text's beginning; "" for one that was only cut from it."""
    return "" if text.strip().startswith(title.rstrip("….").strip()) else title
