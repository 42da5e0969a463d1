"""The memories that a backfill would create, or has created."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from muninn_cli.show.registry import renders
from muninn_cli.terminal.console import joined, line, paragraph
from muninn_core.model.counting import number_of

if TYPE_CHECKING:
    import argparse

    from rich.console import Console

MAX_ROWS = 50
"""Memories that are listed. `--json` has all."""

MAX_BAD_LINES = 10


@renders("backfill")
def backfill(console: Console, result: dict[str, Any], options: argparse.Namespace) -> None:
    """List the new memories, newest first; then what was skipped and why, and the next step."""
    fresh = [found for found in result["found"] if not found["known"]]
    for found in fresh[: -MAX_ROWS - 1 : -1]:
        _row(console, found)
    if len(fresh) > MAX_ROWS:
        line(console, (f"… and {number_of(len(fresh) - MAX_ROWS, 'older one')} (--json shows all)", "faint"))
    if fresh:
        console.print()
    done = "Remembered " if result["applied"] else "Would remember "
    looked = number_of(result["looked"], "commit" if result["source"] == "git" else "transcript")
    known = len(result["found"]) - len(fresh)
    left_out = {what: number for what, number in {"known already": known, **result["skipped"]}.items() if number}
    origin = f" from {looked}{'; left out:' if left_out else ''}"
    line(console, (done, "good"), (number_of(len(fresh), "memory", "memories"), "name"), (origin, "faint"))
    for what, number in left_out.items():
        line(console, (f"  {number:,} ", "name"), (what, "faint"))
    _problems(console, result)
    if fresh:
        again = "`muninn memories --tag backfill` lists them; `muninn seal` writes them to a file to commit."
        whole = options.source == "git" and (options.since, options.until, options.limit) == (None, None, None)
        command = "`muninn backfill git --apply`" if whole else "The same command with `--apply`"
        apply = f"Nothing was stored. {command} stores them."
        paragraph(console, (again if result["applied"] else apply, "hint"))


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
        secrets = number_of(result["masked"], "secret was", "secrets were")
        line(console, (f"{secrets} masked before anything was written.", "warn"))
    bad = result["malformed"]
    if bad:
        line(console, (f"{number_of(len(bad), 'line')} skipped as unreadable:", "warn"))
    for place in bad[:MAX_BAD_LINES]:
        line(console, (f"  {place}", "path"))
    if len(bad) > MAX_BAD_LINES:
        line(console, (f"  … and {len(bad) - MAX_BAD_LINES:,} more", "faint"))
    if result["saw"]["note"]:
        line(console, (result["saw"]["note"], "hint"))
