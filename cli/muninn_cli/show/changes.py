"""What a verb changed: files written, sessions sealed, memory consolidated, a daemon gone."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from muninn_cli.screen import line, sentence
from muninn_cli.show.facts import count
from muninn_cli.show.registry import renders

if TYPE_CHECKING:
    import argparse

    from rich.console import Console


@renders("init")
def init(console: Console, result: dict[str, Any], given: argparse.Namespace) -> None:
    """List the files that were written, and say what to do next."""
    created = result["created"]
    if not created:
        line(console, ("Already initialised: ", "good"), (result["root"], "path"))
        return
    line(console, ("Initialised ", "good"), (result["root"], "path"))
    _paths(console, created)
    line(console, ("Commit these; then `muninn remember TEXT` and `muninn recall QUERY`.", "hint"))


@renders("seal")
def seal(console: Console, result: dict[str, Any], given: argparse.Namespace) -> None:
    """List the segments that were written."""
    if not result["segments"]:
        line(console, ("Nothing to seal: every session is in its file.", "good"))
        return
    line(console, ("Sealed ", "good"), (count(result["records"], "record"), "name"))
    _paths(console, result["segments"])
    line(console, ("Commit them with your work, so that the memory travels with it.", "hint"))


@renders("reconcile")
def reconcile(console: Console, result: dict[str, Any], given: argparse.Namespace) -> None:
    """Print the line for people and what was merged; say where a person has to decide."""
    sentence(console, (result["summary"], "name"))
    for merge in result["merges"]:
        others = ", ".join(merge["merged"])
        line(console, (f"  {merge['kept']}", "name"), (f" speaks for {others}  {merge['reason']}", "faint"))
    if result["conflicts"]:
        waiting = count(result["conflicts"], "conflict waits", "conflicts wait")
        line(console, (f"{waiting} for you: `muninn conflicts`.", "warn"))
    if result["dry_run"]:
        line(console, ("Nothing was changed.", "hint"))


@renders("undo")
def undo(console: Console, result: dict[str, Any], given: argparse.Namespace) -> None:
    """Say what was taken back, and list the files that are as they were."""
    line(console, (f"Undone {result['kind']}: ", "good"), (result["summary"], "name"))
    _paths(console, result["files"])


@renders("prune")
def prune(console: Console, result: dict[str, Any], given: argparse.Namespace) -> None:
    """Say what left, where to, and how large main.jsonl was and is."""
    sentence(console, (result["summary"], "name"))
    if result["archive"]:
        _paths(console, [*result["memories"], result["archive"]])
        sizes = f"main.jsonl: {result['before']:,} bytes before, {result['after']:,} after"
        line(console, (sizes, "faint"))
    if result["dry_run"]:
        line(console, ("Nothing was changed.", "hint"))
    elif result["archive"]:
        line(console, ("`muninn undo` takes it back.", "hint"))


@renders("capture")
def capture(console: Console, result: dict[str, Any], given: argparse.Namespace) -> None:
    """Print what was remembered."""
    note = result["note"] or "Nothing to remember."
    sentence(console, (note, "good" if result["ids"] else ""))
    _paths(console, result["ids"])


@renders("shutdown")
def shutdown(console: Console, result: dict[str, Any], given: argparse.Namespace) -> None:
    """Name the daemon that leaves."""
    line(console, (f"The daemon (pid {result['pid']}) leaves.", "good"))


def _paths(console: Console, paths: list[str]) -> None:
    for path in paths:
        sentence(console, (f"  {path}", "path"))
