"""Context files: packs, templates, problems, references, names, edits."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from muninn_cli.show.registry import renders
from muninn_cli.terminal.console import line, paragraph, verbatim
from muninn_core.model.counting import number_of

if TYPE_CHECKING:
    import argparse

    from rich.console import Console

_STYLES = {"error": "bad", "warning": "warn", "information": "hint"}


@renders("render")
def render(console: Console, result: dict[str, Any], options: argparse.Namespace) -> None:
    """Print the pack, then its size and unresolved references."""
    verbatim(console, result["text"])
    line(console, (f"{result['tokens']} of {number_of(result['budget'], 'token')}", "hint"))
    if result["cut"]:
        line(console, ("The end of the text is cut off: it exceeds the budget.", "warn"))
    for each in result["references"]:
        if each["problem"]:
            paragraph(
                console,
                (f"{result['path']}:{each['line']} ", "path"),
                (each["text"], "name"),
                (f": {each['problem']}", "warn"),
            )


@renders("template.list")
def templates(console: Console, result: dict[str, Any], options: argparse.Namespace) -> None:
    """List the templates."""
    for each in result["templates"]:
        line(console, (f"  {each['name']:<13}", "name"), (each["summary"], ""))
    line(console, ("`muninn context new NAME --template bugfix` creates a context file.", "hint"))


@renders("template.new")
def new(console: Console, result: dict[str, Any], options: argparse.Namespace) -> None:
    """Name the new file."""
    line(console, ("Created ", "good"), (result["path"], "path"), (f" from {result['template']}", "faint"))
    line(console, (f"`muninn context render {result['path']}` shows its pack.", "hint"))


@renders("lint")
def lint(console: Console, result: dict[str, Any], options: argparse.Namespace) -> None:
    """List the problems as compilers do."""
    for each in result["faults"]:
        place = f"{result['path']}:{each['line']}:{each['column']}"
        paragraph(
            console, (f"{place}: ", "path"), (each["level"], _STYLES[each["level"]]), (f": {each['message']}", "")
        )
        if each["hint"]:
            paragraph(console, (each["hint"], "hint"), indent=2)
    if not result["faults"]:
        line(console, ("No problems", "good"), (f" in {result['path']}.", ""))


@renders("references")
def references(console: Console, result: dict[str, Any], options: argparse.Namespace) -> None:
    """List the references with their targets."""
    for each in result["references"]:
        place = f"{result['path']}:{each['line']}:{each['column']} "
        meant = f"{each['kind']} {each['title']}" if each["kind"] else each["problem"]
        lead = f" {each['path']}:{each['start'] or 1}" if each["path"] else ""
        paragraph(console, (place, "path"), (each["text"], "name"), (f" → {meant}", ""), (lead, "path"))
    if not result["references"]:
        line(console, ("No references", "good"), (f" in {result['path']}.", ""))


@renders("backlinks")
def backlinks(console: Console, result: dict[str, Any], options: argparse.Namespace) -> None:
    """List the references to the target."""
    for each in result["backlinks"]:
        place = f"{each['path']}:{each['line']} " if each["path"] else ""
        paragraph(console, (place, "path"), (f"{each['id']} " if each["id"] else "", "name"), (each["text"], ""))
    line(console, (f"{number_of(len(result['backlinks']), 'reference')} to {result['target']}", "hint"))


@renders("relink")
def relink(console: Console, result: dict[str, Any], options: argparse.Namespace) -> None:
    """List the edits, which were not applied."""
    for each in result["edits"]:
        place = f"{each['path']}:{each['line']}:{each['column']}-{each['end']} "
        paragraph(console, (place, "path"), (each["text"], ""))
    line(console, (f"{number_of(len(result['edits']), 'edit')}; nothing was changed", "hint"))


@renders("names")
def names(console: Console, result: dict[str, Any], options: argparse.Namespace) -> None:
    """List the names with the text that refers to them."""
    for each in result["names"]:
        paragraph(
            console,
            (f"{each['kind']} ", "hint"),
            (each["insert"], "name"),
            (f"  {each['name']}", ""),
            (f"  {each['detail']}", "faint"),
        )
    if not result["names"]:
        line(console, ("No such name.", "warn"))
    elif result["more"]:
        line(console, ("There are more: type more of the name, or raise --limit.", "hint"))
