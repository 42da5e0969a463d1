"""What a backfill would remember, or has."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from muninn_cli.screen import joined, line
from muninn_cli.show.facts import count
from muninn_cli.show.registry import renders

if TYPE_CHECKING:
    import argparse

    from rich.console import Console

ROWS = 50
"""Memories that are listed; `--json` has all of them."""

BAD_LINES = 10


@renders("backfill")
def backfill(console: Console, result: dict[str, Any], given: argparse.Namespace) -> None:
    """List what is new, the newest first; then what was passed over and why, and what to do next."""
    fresh = [found for found in result["found"] if not found["known"]]
    for found in fresh[: -ROWS - 1 : -1]:
        _row(console, found)
    if len(fresh) > ROWS:
        line(console, (f"… and {len(fresh) - ROWS:,} older ones (--json shows all)", "faint"))
    if fresh:
        console.print()
    done = "Remembered " if result["applied"] else "Would remember "
    looked = count(result["looked"], "commit" if result["source"] == "git" else "transcript")
    line(console, (done, "good"), (count(len(fresh), "memory", "memories"), "name"), (f"  of {looked}", "faint"))
    known = len(result["found"]) - len(fresh)
    for what, number in {"known already": known, **result["skipped"]}.items():
        if number:
            line(console, (f"  {number:,} ", "name"), (what, "faint"))
    _problems(console, result)
    if fresh:
        again = "`muninn memories --tag backfill` lists them; `muninn seal` makes them a file that git can carry."
        line(console, (again if result["applied"] else "Nothing was stored: --apply does it.", "hint"))


def _row(console: Console, found: dict[str, Any]) -> None:
    files = [*found["files"][:1], *([f"+{len(found['files']) - 1}"] if len(found["files"]) > 1 else [])]
    line(
        console,
        (f"{found['time'][:10]}  ", "faint"),
        (f"{found['type']:<15} ", "memory"),
        (f"{found['importance']}  ", "faint"),
        (found["title"], "name"),
        (f"  {joined(found['commit'][:10], ' '.join(files))}", "path"),
    )


def _problems(console: Console, result: dict[str, Any]) -> None:
    if result["masked"]:
        secrets = count(result["masked"], "secret was", "secrets were")
        line(console, (f"{secrets} masked before anything was written.", "warn"))
    bad = result["malformed"]
    if bad:
        line(console, (f"{count(len(bad), 'line')} can't be read, passed over:", "warn"))
    for place in bad[:BAD_LINES]:
        line(console, (f"  {place}", "path"))
    if len(bad) > BAD_LINES:
        line(console, (f"  … and {len(bad) - BAD_LINES:,} more", "faint"))
    if result["saw"]["note"]:
        line(console, (result["saw"]["note"], "hint"))
