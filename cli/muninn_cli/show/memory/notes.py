"""Memories about files and places, documents, confirmations and drafts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from muninn_cli.show.citations import plain_place
from muninn_cli.show.formatting import snapshot
from muninn_cli.show.registry import renders
from muninn_cli.terminal.console import joined, line, markdown
from muninn_core.model.counting import number_of

if TYPE_CHECKING:
    import argparse

    from rich.console import Console


@renders("annotate")
def annotate(console: Console, result: dict[str, Any], options: argparse.Namespace) -> None:
    """List the memories about a file's places, and those that no longer match the code."""
    for note in result["notes"]:
        where = f"  {plain_place({**note, 'path': result['path']})}" if note["start"] else ""
        state = f"  {note['state']}" if note["state"] else ""
        style = "warn" if note["state"] in ("drifted", "gone") else "faint"
        line(console, (note["type"], "memory"), (where, "path"), (state, style), (f"  {note['title']}", ""))
        line(console, (f"  {note['id'] or note['path']}", "faint"))
    for doubt in result["doubts"]:
        where = f"{result['path']}:{doubt['start']}  "
        line(console, (where, "path"), (doubt["message"], "warn"))
    if not result["notes"]:
        line(console, (f"No memory is about {result['path']}.", "warn"))
    shown = number_of(len({note["id"] or note["path"] for note in result["notes"]}), "note", "notes")
    line(console, (joined(shown, snapshot(result["saw"])), "state"))


@renders("about")
def about(console: Console, result: dict[str, Any], options: argparse.Namespace) -> None:
    """Print the memories about a place, each with its id."""
    if not result["text"]:
        line(console, ("No memory is about this place.", "warn"))
        if result["notice"]:
            line(console, (result["notice"], "hint"))
        return
    markdown(console, result["text"])
    if result["ids"]:
        line(console, ("`muninn show ID` prints a memory in full.", "hint"))


@renders("document")
def document(console: Console, result: dict[str, Any], options: argparse.Namespace) -> None:
    """Print the document."""
    markdown(console, result["text"])


@renders("confirm")
def confirm(console: Console, result: dict[str, Any], options: argparse.Namespace) -> None:
    """Print the code that the memory cites now, or the files that it names."""
    memory, cites = result["memory"], result["cites"]
    line(console, ("Confirmed ", "good"), (memory["id"], "name"))
    for cite in cites:
        line(console, ("  ", ""), (plain_place(cite), "path"), (f"  {cite['state']}", "faint"))
    for path in () if cites else memory["files"]:
        line(console, (f"  {path}", "path"))
    if not cites and not memory["files"]:
        line(console, ("Nothing was changed: the memory names no code.", "hint"))


@renders("draft")
def draft(console: Console, result: dict[str, Any], options: argparse.Namespace) -> None:
    """Print the path of the draft."""
    line(console, ("Draft ", "good"), (result["path"], "path"))
    line(console, ("Edit it in an editor connected to `muninn lsp`. Saving it stores the memory.", "hint"))
