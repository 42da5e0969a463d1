"""Redacted memories, and what git history still has of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from muninn_cli.show.formatting import moment
from muninn_cli.show.memory.memories import print_memory
from muninn_cli.show.registry import renders
from muninn_cli.terminal.console import line, paragraph
from muninn_core.model.counting import number_of

if TYPE_CHECKING:
    import argparse

    from rich.console import Console

_WAY = (
    "Every clone has the text: if it is a secret, replace the secret first. Then, in a fresh clone:",
    "  muninn purge {id} --show-commits --json | jq -r '.blobs[]' > blobs.txt",
    "  git filter-repo --strip-blobs-with-ids blobs.txt",
    "  git push --force --all && git push --force --tags",
    "Everyone else clones again, or removes it from their clone:",
    "  git reflog expire --expire=now --all && git gc --prune=now",
)
"""How to remove blobs from history. Commits get new ids, so Muninn does not do it."""


@renders("redact")
def redact(console: Console, result: dict[str, Any], options: argparse.Namespace) -> None:
    """Print the redacted memories and files, and how to find the text in history; with `--dry-run` what would be."""
    if options.dry_run:
        merged = len(result["ids"]) - 1
        line(console, ("Erases for good, in all work trees:", "warn"))
        print_memory(console, result["memory"])
        if merged:
            line(console, (f"and {number_of(merged, 'memory', 'memories')} merged with it, ", ""), ("from", "warn"))
        else:
            line(console, ("from", "warn"))
    else:
        line(console, ("Redacted ", "good"), (", ".join(result["ids"]), "name"))
    for path in result["files"]:
        paragraph(console, (f"  {path}", "path"))
    if result["events"]:
        line(console, (f"  and the payload of {number_of(result['events'], 'event')} of the journal", ""))
    if options.dry_run:
        line(console, ("Git's history, other clones and backups keep the text.", "hint"))
        return
    commit = "Commit these files. " if any("/memory/" in path for path in result["files"]) else ""
    line(console, (commit, "hint"), (f"`muninn purge {options.id}` finds the text in history.", "hint"))


@renders("purge")
def purge(console: Console, result: dict[str, Any], options: argparse.Namespace) -> None:
    """Print the commits, branches and tags that contain the text, and how to remove it."""
    if not result["redacted"]:
        line(console, (f"The memory is not redacted yet: run `muninn redact {options.id}` first.", "warn"))
    if not result["total"]:
        line(console, ("No commit contains it.", "good"))
        return
    line(console, (number_of(result["total"], "commit"), "bad"), (" added or removed it.", ""))
    for commit in result["commits"]:
        line(
            console,
            (f"  {commit['commit'][:12]} ", "name"),
            (f"{moment(commit['time'])}  ", "faint"),
            (f"{commit['effect']:<8}", "bad" if commit["effect"] == "holds" else "good"),
            (commit["subject"], ""),
        )
    for ref in result["refs"]:
        line(console, ("  in the tree of ", "warn"), (ref, "path"))
    if not options.show_commits:
        line(console, ("`--show-commits` lists them.", "hint"))
        return
    console.print()
    for step in _WAY:
        line(console, (step.format(id=options.id), "hint"))
