"""Results of verbs that change something: init, seal, reconcile, undo, prune, capture, shutdown."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from muninn_cli.show.registry import renders
from muninn_cli.show.state.health import print_nested
from muninn_cli.terminal.console import line, paragraph
from muninn_core.model.counting import number_of

if TYPE_CHECKING:
    import argparse

    from rich.console import Console


_NO_GIT = "This folder is in no git repository: `git init` makes one, in which memory is shared and has a history."


@renders("init")
def init(console: Console, result: dict[str, Any], options: argparse.Namespace) -> None:
    """List the files that were written, and the next step."""
    created = result["created"]
    if not created:
        line(console, ("Already initialised: ", "good"), (result["root"], "path"))
        return
    line(console, ("Initialised ", "good"), (result["root"], "path"))
    _paths(console, created)
    kept = "Commit these." if _in_git(result) else _NO_GIT
    paragraph(console, (f"{kept} Next: `muninn remember TEXT` and `muninn recall QUERY`.", "hint"))
    if result["memorable"]:
        found = f"{result['memorable']:,} of the newest {number_of(result['looked'], 'commit')}"
        paragraph(console, (f"`muninn backfill git` lists what it would remember: {found}.", "hint"))
    print_nested(console, result["repositories"])


@renders("seal")
def seal(console: Console, result: dict[str, Any], options: argparse.Namespace) -> None:
    """List the segments that were written."""
    if not result["segments"]:
        sealed = f"the session {options.session} has no unsealed records"
        line(console, (f"Nothing to seal: {sealed if options.session else 'all records are sealed'}.", "good"))
        return
    line(console, ("Sealed ", "good"), (number_of(result["records"], "record"), "name"))
    _paths(console, result["segments"])
    paragraph(console, ("Commit them with your work." if _in_git(result) else _NO_GIT, "hint"))


@renders("reconcile")
def reconcile(console: Console, result: dict[str, Any], options: argparse.Namespace) -> None:
    """Print the summary, the merges, the superseded memories, and how many conflicts need a decision.

    After a dry run print the conflicts, which `muninn conflicts` does not list yet.
    """
    paragraph(console, (result["summary"], "name"))
    for merge in result["merges"]:
        others = ", ".join(merge["merged"])
        paragraph(console, (merge["kept"], "name"), (f" replaces {others}  {merge['reason']}", "faint"), indent=2)
    for each in result["superseded"]:
        replaced = f" supersedes {each['older']}  {each['reason']}"
        paragraph(console, (each["newer"], "name"), (replaced, "faint"), indent=2)
    for conflict in result["opened"] if result["dry_run"] else ():
        paragraph(console, ("conflict", "warn"), (f"  {conflict['reason']}", "faint"), indent=2)
        for side in ("left", "right"):
            paragraph(console, (conflict[side]["text"], ""), (f"  {conflict[side]['id']}", "faint"), indent=4)
    if result["conflicts"] and not result["dry_run"]:
        waiting = number_of(result["conflicts"], "conflict needs", "conflicts need")
        line(console, (f"{waiting} your decision: `muninn conflicts`.", "warn"))
    if result["dry_run"]:
        line(console, ("Nothing was changed.", "hint"))
    elif result["segments"]:
        commit = "Commit .muninn/memory. " if _in_git(result) else ""
        line(console, (f"{commit}`muninn undo` restores the files.", "hint"))


@renders("undo")
def undo(console: Console, result: dict[str, Any], options: argparse.Namespace) -> None:
    """Print what was undone, and list the restored files."""
    paragraph(console, (f"Undone {result['kind']}: ", "good"), (result["summary"], "name"))
    _paths(console, result["files"])


@renders("prune")
def prune(console: Console, result: dict[str, Any], options: argparse.Namespace) -> None:
    """Print what was archived and where, and the size of main.jsonl before and after."""
    paragraph(console, (result["summary"], "name"))
    if result["archive"]:
        _paths(console, [*result["memories"], result["archive"]])
        sizes = f"main.jsonl: {result['before']:,} bytes before, {result['after']:,} after"
        line(console, (sizes, "faint"))
    if result["dry_run"]:
        line(console, ("Nothing was changed.", "hint"))
    elif result["archive"]:
        line(console, ("`muninn undo` restores it.", "hint"))


@renders("evolve")
def evolve(console: Console, result: dict[str, Any], options: argparse.Namespace) -> None:
    """Print each step with its reason, and what became of them."""
    for step in result["steps"]:
        change = f"  {step['before']:g} to {step['after']:g}" if step["kind"] in ("importance", "link") else ""
        other = f", {step['other']}" if step["other"] else ""
        line(console, (f"{step['kind']:<10} ", "code"), (step["title"], "name"), (change, "hint"))
        paragraph(console, (f"{step['target']}{other}  {step['reason']}", "faint"), indent=11)
    if not result["steps"]:
        line(console, ("Nothing to take back." if result["undone"] else "No upkeep is due.", "state"))
        return
    steps = number_of(len(result["steps"]), "step")
    done = "taken back" if result["undone"] else "recorded; `muninn evolve --undo --apply` takes them back"
    ahead = "--apply takes them back" if result["undone"] else "--apply records them"
    more = f" {result['further']:,} more wait." if result["further"] else ""
    line(console, (f"{steps} {done}.{more}" if options.apply else f"{steps}; {ahead}.{more}", "state"))


@renders("capture")
def capture(console: Console, result: dict[str, Any], options: argparse.Namespace) -> None:
    """Print what was stored."""
    note = result["note"] or "Nothing to remember."
    paragraph(console, (note, "good" if result["ids"] else ""))
    _paths(console, result["ids"])


@renders("shutdown")
def shutdown(console: Console, result: dict[str, Any], options: argparse.Namespace) -> None:
    """Name the daemon that stops."""
    line(console, (f"The daemon (pid {result['pid']}) is stopping.", "good"))


def _paths(console: Console, paths: list[str]) -> None:
    for path in paths:
        paragraph(console, (f"  {path}", "path"))


def _in_git(result: dict[str, Any]) -> bool:
    return bool(result["saw"]["branch"] or result["saw"]["commit"])
