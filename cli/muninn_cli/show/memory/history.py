"""The history of a memory, the memory of a branch, and checks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from muninn_cli.show.formatting import moment, place, signed, snapshot
from muninn_cli.show.memory.memories import print_memory
from muninn_cli.show.registry import renders
from muninn_cli.terminal.console import joined, line, paragraph, verbatim
from muninn_core.model.byline import writer
from muninn_core.model.counting import number_of

if TYPE_CHECKING:
    import argparse

    from rich.console import Console

MAX_CHARS = 200
"""Characters of a field's value that are shown."""

_STYLES = {"error": "bad", "warn": "warn"}

_TOLD = {
    **dict.fromkeys(("link", "unlink"), ("links",)),
    **dict.fromkeys(("archive", "restore"), ("archived", "details")),
    **dict.fromkeys(("pin", "unpin"), ("pinned",)),
}
"""The changes of a kind of event that its summary states already."""


@renders("history")
def history(console: Console, result: dict[str, Any], options: argparse.Namespace) -> None:
    """Print a memory, then its events, oldest first."""
    print_memory(console, result["memory"])
    for event in result["events"]:
        console.print()
        where = "@".join(part for part in (event["branch"], event["commit"][:12]) if part)
        who = joined(writer(event["author"], event["actor"], event["agent"]), event["session"], event["task"], where)
        line(console, (f"{moment(event['ts'])}  ", "faint"), (event["type"], "name"), (f"  {who}", "faint"))
        paragraph(console, (event["summary"], ""), indent=2)
        for change in event["changes"]:
            told = change["name"] in _TOLD.get(event["type"], ())
            if not told and (change["before"] or change["after"]):
                _value(console, f"- {change['name']}: ", change["before"])
                _value(console, f"+ {change['name']}: ", change["after"])
        line(console, (f"{_kept(event)}  {event['id']}", "faint"))


def _kept(event: dict[str, Any]) -> str:
    """Return what keeps a record out of git, "" for a sealed one."""
    return "" if event["sealed"] else "  private" if event["private"] else "  not sealed yet"


@renders("log")
def log(console: Console, result: dict[str, Any], options: argparse.Namespace) -> None:
    """Print the headline of each record's memory, with what the record says, who wrote it, and the id below."""
    if not result["entries"]:
        line(console, ("Nothing was recorded.", "warn"))
        line(console, ("`muninn remember TEXT` stores a memory.", "hint"))
    for entry in result["entries"]:
        event = entry["event"]
        elsewhere = event["branch"] if event["branch"] != result["saw"]["branch"] else ""
        who = joined(signed(event), elsewhere)
        paragraph(console, (entry["title"], "name"))
        paragraph(
            console,
            (event["summary"], ""),
            (f"  {who}", "faint"),
            (_kept(event), "hint"),
            (f"  {entry['memory']}", "faint"),
            indent=2,
        )
    shown = f"{len(result['entries']):,} of {number_of(result['total'], 'record')}"
    line(console, (joined(shown, snapshot(result["saw"])), "state"))


@renders("diff")
def diff(console: Console, result: dict[str, Any], options: argparse.Namespace) -> None:
    """Print the review: text on a terminal in wrapped lines with short ids, otherwise as it is."""
    if not console.is_terminal:
        console.file.write(result["text"])
    elif options.format != "markdown":
        for row in result["text"].rstrip("\n").split("\n"):
            line(console, (row, ""))
    else:
        verbatim(console, result["text"])


@renders("check")
def check(console: Console, result: dict[str, Any], options: argparse.Namespace) -> None:
    """Print each finding as compilers do, with its hint."""
    for finding in result["findings"]:
        where = place(finding["path"], finding["line"], finding["line"]) or finding["id"]
        paragraph(
            console,
            (f"{where}: " if where else "", "path"),
            (finding["level"], _STYLES[finding["level"]]),
            (f": {finding['message']} ", ""),
            (f"[{finding['rule']}]", "faint"),
            (f" {finding['id']}" if finding["id"] and finding["path"] else "", "faint"),
            hang=4,
        )
        if finding["hint"]:
            paragraph(console, (finding["hint"], "hint"), indent=2)
    read = f"{number_of(result['files'], 'file')} with {number_of(result['memories'], 'memory', 'memories')}"
    found = joined(number_of(result["errors"], "error"), number_of(result["warnings"], "warning"))
    line(console, (found, "good" if result["ok"] else "bad"), (f"  {read}", "faint"))


def _value(console: Console, name: str, value: str) -> None:
    words = " ".join(value.split())
    short = words if len(words) <= MAX_CHARS else words[:MAX_CHARS].rstrip() + "…"
    paragraph(console, (name, "faint"), (short or "nothing", ""), indent=4)
