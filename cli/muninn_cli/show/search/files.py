"""Files of the work tree: matching lines, lines of a file, folders and lists."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from muninn_cli.show.formatting import place, snapshot
from muninn_cli.show.registry import renders
from muninn_cli.terminal.console import joined, line, paragraph
from muninn_core.model.counting import number_of

if TYPE_CHECKING:
    import argparse

    from rich.console import Console


@renders("grep")
def grep(console: Console, result: dict[str, Any], options: argparse.Namespace) -> None:
    """Print the matching lines as grep does; with `--count` the files."""
    for each in result["counts"]:
        line(console, (each["path"], "path"), (f":{each['lines']}", "faint"))
    for number, match in enumerate(result["matches"]):
        if number and options.context:
            line(console, ("--", "faint"))
        first = match["line"] - len(match["before"])
        for at, text in enumerate((*match["before"], match["text"], *match["after"]), first):
            mark = ":" if at == match["line"] else "-"
            paragraph(console, (match["path"], "path"), (f"{mark}{at}{mark}", "faint"), (text, ""), hang=4)
    if not result["total"]:
        line(console, ("No line matches.", "warn"))
    found = f"{number_of(result['total'], 'line')} in {number_of(result['files'], 'file')} of {result['searched']:,}"
    omitted = f"{result['omitted']:,} left out" if result["omitted"] else ""
    late = f"{number_of(result['unsearched'], 'file')} not searched in time" if result["unsearched"] else ""
    line(console, (joined(found, omitted, late, snapshot(result["saw"])), "state"))


@renders("read")
def read(console: Console, result: dict[str, Any], options: argparse.Namespace) -> None:
    """Print the lines with their numbers."""
    width = len(str(result["end"]))
    for number, text in enumerate(result["lines"], result["start"]):
        paragraph(console, (f"{number:>{width}}  ", "faint"), (text, ""), hang=width + 2)
    omitted = f"{number_of(result['omitted'], 'line')} left out" if result["omitted"] else ""
    cut = f"{number_of(result['cut'], 'character')} of long lines left out" if result["cut"] else ""
    where = f"{place(result['path'], result['start'], result['end'])} of {number_of(result['total'], 'line')}"
    line(console, (joined(where, omitted, cut), "state"))


@renders("tree")
def tree(console: Console, result: dict[str, Any], options: argparse.Namespace) -> None:
    """Print the folders and files, indented by their level."""
    top = "" if result["path"] == "." else result["path"] + "/"
    line(console, (result["path"], "name"), (f"  {number_of(result['files'], 'file')}", "faint"))
    for entry in result["entries"]:
        inner = entry["path"].removeprefix(top)
        level, name = inner.rstrip("/").count("/"), inner.rstrip("/").rpartition("/")[2]
        folder = inner.endswith("/")
        held = f"  {number_of(entry['files'], 'file')}" if folder else ""
        line(console, ("  " * (level + 1) + name + ("/" if folder else ""), "path" if folder else ""), (held, "faint"))
    omitted = f"{number_of(result['omitted'], 'entry', 'entries')} left out" if result["omitted"] else ""
    line(console, (joined(omitted, snapshot(result["saw"])), "state"))


@renders("files")
def list_files(console: Console, result: dict[str, Any], options: argparse.Namespace) -> None:
    """Print the paths with their languages."""
    for each in result["files"]:
        line(console, (each["path"], "path"), (f"  {each['language']}", "faint"))
    if not result["total"]:
        line(console, ("No file matches.", "warn"))
    omitted = f"{result['omitted']:,} left out" if result["omitted"] else ""
    line(console, (joined(number_of(result["total"], "file"), omitted, snapshot(result["saw"])), "state"))
