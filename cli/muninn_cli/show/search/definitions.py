"""Definitions, outlines and the graph of code."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from muninn_cli.show.diagrams import diagram
from muninn_cli.show.formatting import in_repository, lagging, place, snapshot
from muninn_cli.show.registry import renders
from muninn_cli.terminal.console import joined, line, paragraph, source_line, verbatim
from muninn_core.model.counting import number_of

if TYPE_CHECKING:
    import argparse

    from rich.console import Console


@renders("symbols")
def symbols(console: Console, result: dict[str, Any], options: argparse.Namespace) -> None:
    """Print the definitions, best first, with signature and comment."""
    found = result["symbols"]
    if not found:
        line(console, ("No definition has such a name.", "warn"))
        if result["saw"]["index"]["lag"]:
            hint = f"The index {lagging(result['saw']['index'])}; `muninn index --wait` waits for it."
        else:
            hint = "`muninn recall` finds code by its meaning."
        paragraph(console, (hint, "hint"))
        return
    for one in found:
        name = f"{one['container']}.{one['name']}" if one["container"] else one["name"]
        where = in_repository(one, place(one["path"], one["start_line"], one["end_line"]))
        line(console, (f"{one['kind']:<10} ", "code"), (name, "name"), (f"  {where}", "path"))
        _details(console, one, "           ")
    total = f"of {result['total']:,}" if result["total"] > len(found) else ""
    line(console, (joined(f"{number_of(len(found), 'definition')} {total}".strip(), snapshot(result["saw"])), "state"))


@renders("outline")
def outline(console: Console, result: dict[str, Any], options: argparse.Namespace) -> None:
    """Print a file's definitions as a tree."""
    line(console, (result["path"], "path"), (f"  {result['language']}", "faint"))
    if result["comment"]:
        line(console, (result["comment"], "hint"))
    if not result["symbols"]:
        line(console, ("No definitions.", "warn"))
    _tree(console, result["symbols"], "")


@renders("graph")
def graph(console: Console, result: dict[str, Any], options: argparse.Namespace) -> None:
    """Print the target's neighbours by relation, as a tree; or a diagram of them."""
    if options.format != "text":
        verbatim(console, diagram(options.format, {result["target"]: result["target"]}, map(_arrow, result["edges"])))
        return
    symbol = result["symbol"]
    line(console, (result["target"], "name"), (f"  {symbol['signature']}" if symbol else "", "faint"))
    edges = result["edges"]
    if not edges:
        what = "No neighbours are known." if result["relation"] == "neighbours" else f"No {result['relation']} known."
        line(console, (what, "warn"))
        return
    _branches(console, edges, result["target"], 1, "")
    more = f"{result['omitted']:,} left out" if result["omitted"] else ""
    line(console, (joined(number_of(len(edges), "edge"), more, snapshot(result["saw"])), "state"))


_REVERSED = {"importers": "imports", "callers": "calls", "tests": "tests"}
"""Relations whose edges lead to the start, and the word for an edge."""

_FORWARD = {"imports": "imports", "callees": "calls", "definitions": "defines", "changes": "changes with"}


def _arrow(edge: dict[str, Any]) -> tuple[str, str, str]:
    """Return an edge in the direction in which it is written."""
    label = f"{edge['path']}#{edge['name']}" if edge["name"] else in_repository(edge, edge["path"])
    if edge["relation"] in _REVERSED:
        return label, _REVERSED[edge["relation"]], edge["origin"]
    return edge["origin"], _FORWARD[edge["relation"]], label


@renders("map")
def repository_map(console: Console, result: dict[str, Any], options: argparse.Namespace) -> None:
    """Print a line for each folder with what it imports below, then the files that most others import."""
    head = joined(
        number_of(result["files"], "file"), number_of(result["definitions"], "definition"), _most(result["languages"])
    )
    line(console, (result["path"], "name"), (f"  {head}", "faint"))
    widest = max((len(folder["path"]) for folder in result["folders"]), default=0)
    for folder in result["folders"]:
        memories = number_of(folder["memories"], "memory", "memories") if folder["memories"] else ""
        held = joined(number_of(folder["files"], "file"), _most(folder["languages"]))
        line(
            console,
            (f"  {folder['path']:<{widest}}", "path"),
            (f"  {held}", "faint"),
            (f"  {memories}" if memories else "", "memory"),
        )
        if folder["imports"]:
            needed = ", ".join(f"{each['path']} ({each['files']})" for each in folder["imports"])
            line(console, (f"  {'':<{widest}}  imports {needed}", "hint"))
    if result["central"]:
        line(console, ("imported by the most files", "name"))
    for each in result["central"]:
        line(console, (f"  {each['files']:>5}  ", "faint"), (each["path"], "path"))
    more = f"{number_of(result['omitted'], 'folder')} left out" if result["omitted"] else ""
    line(console, (joined(number_of(len(result["folders"]), "folder"), more, snapshot(result["saw"])), "state"))


def _most(languages: dict[str, int]) -> str:
    """Return the three languages with the most files; plain text counts where there is nothing else."""
    code = {name: files for name, files in languages.items() if name != "text"} or languages
    return ", ".join(f"{name} {files:,}" for name, files in list(code.items())[:3])


def _branches(console: Console, edges: list[dict[str, Any]], origin: str, depth: int, indent: str) -> None:
    relation = ""
    for edge in edges:
        if edge["depth"] != depth or edge["origin"] != origin:
            continue
        if edge["relation"] != relation:
            relation = edge["relation"]
            line(console, (f"{indent}  {relation}", "hint"))
        label = f"{edge['path']}#{edge['name']}" if edge["name"] else in_repository(edge, edge["path"])
        at = f"  {edge['at_path']}:{edge['at_line']}"
        how = f"  {edge['how']}" if edge["how"] else ""
        line(console, (f"{indent}    {label}", "path"), (at, "faint"), (how, "faint"))
        _branches(console, edges, label, depth + 1, indent + "    ")


def _tree(console: Console, found: list[dict[str, Any]], indent: str) -> None:
    # `a, b = 1, 2` defines two names in one line.
    found = [one for one, before in zip(found, [{}, *found], strict=False) if _row(one) != _row(before)]
    for number, one in enumerate(found):
        last = number == len(found) - 1
        lines, head = _row(one)
        source_line(
            console,
            (indent + ("└─ " if last else "├─ "), "faint"),
            (f"{lines}  ", "path"),
            (head, "name"),
            (f"  {one['kind']}", "faint"),
        )
        below = indent + ("   " if last else "│  ")
        if one["comment"]:
            source_line(console, (below + ("│  " if one["children"] else "   "), "faint"), (one["comment"], "hint"))
        _tree(console, one["children"], below)


def _row(one: dict[str, Any]) -> tuple[str, str]:
    """Return the lines and the signature of a definition; empty for none."""
    if not one:
        return "", ""
    start, end = one["start_line"], one["end_line"]
    return f"{start}" if start == end else f"{start}-{end}", one["signature"] or one["name"]


def _details(console: Console, one: dict[str, Any], indent: str) -> None:
    if one["signature"]:
        source_line(console, (indent + one["signature"], ""))
    if one["comment"]:
        source_line(console, (indent + one["comment"], "hint"))
