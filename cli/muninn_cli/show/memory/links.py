"""Links between memories, the overview, updates and consolidations."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from muninn_cli.show.diagrams import diagram
from muninn_cli.show.formatting import snapshot
from muninn_cli.show.memory.memories import print_memory
from muninn_cli.show.registry import renders
from muninn_cli.terminal.console import bar, joined, line, paragraph, sparkline, verbatim
from muninn_core.model.counting import number_of
from muninn_core.model.sentence import ALL_KEPT, consolidated, kept_apart

if TYPE_CHECKING:
    import argparse

    from rich.console import Console


BAR = 20
"""The width of the longest bar, in cells."""


@renders("links")
def links(console: Console, result: dict[str, Any], options: argparse.Namespace) -> None:
    """Print the memories by distance, each with its links; or a diagram of them."""
    if options.format != "text":
        nodes = {
            memory["id"]: f"{memory['type']}: {memory['title'] or memory['text']}" for memory in result["memories"]
        }
        edges = [(link["source"], link["relation"], link["target"]) for link in result["links"]]
        verbatim(console, diagram(options.format, nodes, edges))
        return
    for memory, depth in zip(result["memories"], result["depths"], strict=True):
        print_memory(console, memory, label=f"{number_of(depth, 'link')} away" if depth else "")
        for link in result["links"]:
            if memory["id"] == link["source"]:
                _link(console, f"{link['relation']} {link['target']}", link)
        console.print()
    more = f"{result['omitted']:,} left out" if result["omitted"] else ""
    total = joined(number_of(len(result["memories"]), "memory", "memories"), number_of(len(result["links"]), "link"))
    line(console, (joined(total, more, snapshot(result["saw"])), "state"))


@renders("overview")
def overview(console: Console, result: dict[str, Any], options: argparse.Namespace) -> None:
    """Print the project, its recent and important memories, and their links."""
    project = result["project"]
    line(console, (project["name"], "name"), (f"  {project['description']}" if project["description"] else "", ""))
    if not result["memories"]:
        paragraph(console, ("Nothing is remembered. `muninn remember TEXT` stores a memory.", "hint"))
    for item in result["focus"]["items"]:
        line(console, (f"{item['level']} {item['code']} ", "hint"), (item["title"], ""))
    for name in ("recent", "important"):
        if result[name]:
            console.print()
            line(console, (name.capitalize(), "hint"))
        for memory in result[name]:
            print_memory(console, memory)
    if result["links"]:
        console.print()
        line(console, ("Links", "hint"))
    for link in result["links"]:
        _link(console, f"{link['source']} {link['relation']} {link['target']}", link)
    for identity, headline in result["linked"].items():
        paragraph(console, (headline, ""), (f"  {identity}", "faint"), indent=2)
    _counts(console, result)
    density = f"{result['density']:g} links each" if result["density"] else ""
    line(
        console,
        (joined(number_of(result["memories"], "memory", "memories"), density, snapshot(result["saw"])), "state"),
    )


def _counts(console: Console, result: dict[str, Any]) -> None:
    """Print the memories of each week as a sparkline, and bars for types and files."""
    if any(result["weeks"]):
        console.print()
        made = f"{sum(result['weeks'])} in {number_of(len(result['weeks']), 'week')}, {result['weeks'][-1]} in the last"
        line(console, ("Weeks  ", "hint"), (sparkline(result["weeks"]), "bar"), (f"  {made}", "faint"))
    files = {each["path"]: each["memories"] for each in result["files"]}
    for title, counts in (("Types", result["kinds"]), ("Files with the most memory", files)):
        if counts:
            console.print()
            line(console, (title, "hint"))
        width, most = max(map(len, counts), default=0), max(counts.values(), default=1)
        for name, number in counts.items():
            line(console, (f"  {name:<{width}}  ", ""), (bar(number, most, BAR), "bar"), (f"  {number:,}", "faint"))


@renders("update", "pin", "unpin")
def update(console: Console, result: dict[str, Any], options: argparse.Namespace) -> None:
    """Print the changed fields, and which files do not exist."""
    if not result["changed"]:
        line(console, ("Nothing to change.", "warn"))
    else:
        line(console, ("Updated ", "good"), (result["memory"]["id"], "name"), (f"  {', '.join(result['changed'])}", ""))
    print_memory(console, result["memory"])
    if result["masked"]:
        line(console, (f"{number_of(result['masked'], 'secret was', 'secrets were')} masked.", "warn"))
    for notice in result["notices"]:
        paragraph(console, (notice, "warn"))


@renders("consolidate")
def consolidate(console: Console, result: dict[str, Any], options: argparse.Namespace) -> None:
    """Print which memory replaces which, and why the others are kept."""
    for said in result["contradictions"]:
        paragraph(console, ("contradiction: ", "bad"), (said, ""))
    if result["kept"] is None:
        line(console, (ALL_KEPT, "hint"))
        _separate(console, result)
        return
    done = consolidated(result["decision"], dry_run=result["dry_run"])
    line(
        console,
        (f"{done.capitalize()} ", "good"),
        (result["kept"]["id"], "name"),
        (f"  {', '.join(result['gone'])}", ""),
    )
    print_memory(console, result["kept"])
    _separate(console, result)


def _separate(console: Console, result: dict[str, Any]) -> None:
    for group in result["separate"]:
        count = kept_apart(len(group["ids"]))
        paragraph(console, (f"{count}: ", "name"), (f"{group['reason']}  ", ""), (", ".join(group["ids"]), "faint"))


def _link(console: Console, said: str, link: dict[str, Any]) -> None:
    strength = "" if link["strength"] == 1 else f"  {link['strength']:g}"
    paragraph(
        console, (said, "hint"), (strength, "faint"), (f"  {link['reason']}" if link["reason"] else "", ""), indent=2
    )
