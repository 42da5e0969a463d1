"""Formats counts, times, sizes, and the state that an answer is based on."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from muninn_cli.terminal.console import for_people, joined
from muninn_core.model.byline import relative, writer
from muninn_core.model.counting import number_of


def size(number: float) -> str:
    """Return a number of bytes in the largest unit of at least 1, by powers of 1,000."""
    units = ("B", "kB", "MB", "GB")
    at = 0
    while number >= 1000 and at < len(units) - 1:
        number /= 1000
        at += 1
    return f"{number:.0f} {units[at]}"


def moment(ts: str) -> str:
    """Return an RFC 3339 time: for people relative to now, else to the minute in UTC."""
    if ts and for_people():
        return relative(ts, datetime.now(UTC))
    return ts[:16].replace("T", " ")


def signed(found: dict[str, Any]) -> str:
    """Return who wrote a memory or record and when: 'NAME, 3 days ago'."""
    return ", ".join((writer(found["author"], found["actor"], found["agent"]), moment(found["ts"])))


def place(path: str, start: int, end: int) -> str:
    """Return `path:start-end`, as terminals and editors open it; only the path if there are no lines."""
    if not path or not start:
        return path
    return f"{path}:{start}" + (f"-{end}" if end > start else "")


def in_repository(found: dict[str, Any], where: str) -> str:
    """Return a place as `NAME:PATH:START-END` where it is in another repository."""
    return f"{found['repository']}:{where}" if found["repository"] and where else where


def lagging(index: dict[str, Any]) -> str:
    """Return how many files the index lacks, and how many of them are found by words; "" if it lacks none."""
    found = f", {index['surveyed']:,} of them found by their words" if index["surveyed"] else ""
    return f"lags by {number_of(index['lag'], 'file')}{found}" if index["lag"] else ""


def snapshot(saw: dict[str, Any]) -> str:
    """Return the state that an answer is based on: branch, commit, log position, lag of the index."""
    head = "@".join(part for part in (saw.get("branch") or "", (saw.get("commit") or "")[:8]) if part)
    behind = f"the index {lagging(saw['index'])}" if saw["index"]["lag"] else ""
    missing = saw["index"]["unembedded"]
    meaning = f"{number_of(missing, 'chunk')} found by words alone so far" if missing else ""
    waiting = saw["index"]["unencoded"]
    encoding = f"{number_of(waiting, 'memory', 'memories')} not encoded yet" if waiting else ""
    return joined(head, f"log {saw['log']}", behind, meaning, encoding, saw["note"])


def branch_facts(found: dict[str, Any]) -> list[str]:
    """Return on which other branches a hit or memory is, and what became of its work."""
    elsewhere = f"only on {', '.join(found['elsewhere'])}" if found["elsewhere"] else ""
    return [elsewhere, f"its work was {found['work']}" if found["work"] in ("reverted", "abandoned") else found["work"]]


def provenance(hit: dict[str, Any]) -> list[str]:
    """Return the origin of a hit from outside this project, and its trust."""
    worth = {"outside": "from outside", "agent": "an agent's word" if hit["origin"] else ""}
    repository = f"in the repository {hit['repository']}" if hit["repository"] else ""
    return [repository, hit["origin"], worth.get(hit["trust"] or "", "")]
