"""Looking back and judging: a memory's history, a branch's memory, a check."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from muninn_cli.screen import joined, line, safe, sentence
from muninn_cli.show.facts import count, moment, place
from muninn_cli.show.memories import listed
from muninn_cli.show.registry import renders

if TYPE_CHECKING:
    import argparse

    from rich.console import Console

CHARS = 200
"""How much of a field's value is shown."""

_STYLES = {"error": "bad", "warn": "warn"}


@renders("history")
def history(console: Console, result: dict[str, Any], given: argparse.Namespace) -> None:
    """Print a memory as it is now, then its events, oldest first."""
    listed(console, result["memory"])
    for event in result["events"]:
        console.print()
        where = "@".join(part for part in (event["branch"], event["commit"][:12]) if part)
        who = joined(event["actor"], event["agent"], event["session"], event["task"], where)
        line(console, (f"{moment(event['ts'])}  ", "faint"), (event["type"], "name"), (f"  {who}", "faint"))
        sentence(console, (event["summary"], ""), indent=2)
        for change in event["changes"]:
            if change["before"] or change["after"]:
                _value(console, f"- {change['name']}: ", change["before"])
                _value(console, f"+ {change['name']}: ", change["after"])
        line(console, (f"  {event['id']}{'' if event['sealed'] else '  not sealed yet'}", "faint"))


@renders("diff")
def diff(console: Console, result: dict[str, Any], given: argparse.Namespace) -> None:
    """Print the review as the core has written it."""
    # To a program the text goes untouched; a terminal must not obey what the text says.
    console.file.write(safe(result["text"]) if console.is_terminal else result["text"])


@renders("check")
def check(console: Console, result: dict[str, Any], given: argparse.Namespace) -> None:
    """Print a line for each finding, as compilers do, and what to do about it."""
    for finding in result["findings"]:
        where = place(finding["path"], finding["line"], finding["line"]) or finding["id"]
        sentence(
            console,
            (f"{where}: " if where else "", "path"),
            (finding["level"], _STYLES[finding["level"]]),
            (f": {finding['message']} ", ""),
            (f"[{finding['rule']}]", "faint"),
            (f" {finding['id']}" if finding["id"] and finding["path"] else "", "faint"),
        )
        if finding["hint"]:
            sentence(console, (finding["hint"], "hint"), indent=2)
    read = f"{count(result['files'], 'file')} with {count(result['memories'], 'memory', 'memories')}"
    found = joined(count(result["errors"], "error"), count(result["warnings"], "warning"))
    line(console, (found, "good" if result["ok"] else "bad"), (f"  {read}", "faint"))


def _value(console: Console, name: str, value: str) -> None:
    words = " ".join(value.split())
    short = words if len(words) <= CHARS else words[:CHARS].rstrip() + "…"
    sentence(console, (name, "faint"), (short or "nothing", ""), indent=4)
