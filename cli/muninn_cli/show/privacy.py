"""What was blanked, and what git still holds of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from muninn_cli.screen import line, sentence
from muninn_cli.show.facts import count, moment
from muninn_cli.show.registry import renders

if TYPE_CHECKING:
    import argparse

    from rich.console import Console

_WAY = (
    "Whoever has a clone has the text: if it is a secret, change the secret first. Then, in a fresh clone:",
    "  muninn purge {id} --show-commits --json | jq -r '.blobs[]' > blobs.txt",
    "  git filter-repo --strip-blobs-with-ids blobs.txt",
    "  git push --force --all && git push --force --tags",
    "Everybody else clones again, or drops what their clones keep:",
    "  git reflog expire --expire=now --all && git gc --prune=now",
)
"""How a person takes blobs out of the history; commits get new ids by it, so nobody else does it for them."""


@renders("redact")
def redact(console: Console, result: dict[str, Any], given: argparse.Namespace) -> None:
    """Say what was blanked where, and where the text may still be."""
    line(console, ("Redacted ", "good"), (", ".join(result["ids"]), "name"))
    for path in result["files"]:
        sentence(console, (f"  {path}", "path"))
    line(
        console, ("Commit these files. ", "hint"), (f"`muninn purge {given.id}` looks for the text in history.", "hint")
    )


@renders("purge")
def purge(console: Console, result: dict[str, Any], given: argparse.Namespace) -> None:
    """Name the commits, branches and tags that hold the text, and how to take it out."""
    if not result["redacted"]:
        line(console, (f"The memory is not redacted yet: `muninn redact {given.id}` comes first.", "warn"))
    if not result["total"]:
        line(console, ("No commit holds it.", "good"))
        return
    line(console, (count(result["total"], "commit"), "bad"), (" put it into history or took it out again.", ""))
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
    if not given.show_commits:
        line(console, ("`--show-commits` names them.", "hint"))
        return
    console.print()
    for step in _WAY:
        line(console, (step.format(id=given.id), "hint"))
