"""How memories hang together, the project's memory at a glance, and what was changed or consolidated."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from muninn_cli.screen import joined, line, sentence
from muninn_cli.show.facts import count, seen
from muninn_cli.show.memories import listed
from muninn_cli.show.registry import renders

if TYPE_CHECKING:
    import argparse

    from rich.console import Console


@renders("links")
def links(console: Console, result: dict[str, Any], given: argparse.Namespace) -> None:
    """Print the memories by their distance, and below each the links that lead to it."""
    for memory, depth in zip(result["memories"], result["depths"], strict=True):
        listed(console, memory, label="" if not depth else count(depth, "link"))
        for link in result["links"]:
            if memory["id"] == link["source"]:
                _link(console, f"{link['relation']} {link['target']}", link)
        console.print()
    more = f"{result['omitted']:,} left out" if result["omitted"] else ""
    total = joined(count(len(result["memories"]), "memory", "memories"), count(len(result["links"]), "link"))
    line(console, (joined(total, more, seen(result["saw"])), "faint"))


@renders("overview")
def overview(console: Console, result: dict[str, Any], given: argparse.Namespace) -> None:
    """Print the project, what is recent and important in its memory, and how it hangs together."""
    project = result["project"]
    line(console, (project["name"], "name"), (f"  {project['description']}" if project["description"] else "", ""))
    for item in result["focus"]["items"]:
        line(console, (f"{item['level']} {item['code']} ", "hint"), (item["title"], ""))
    for name in ("recent", "important"):
        if result[name]:
            console.print()
            line(console, (name.capitalize(), "hint"))
        for memory in result[name]:
            listed(console, memory)
    if result["links"]:
        console.print()
        line(console, ("Links", "hint"))
    for link in result["links"]:
        _link(console, f"{link['source']} {link['relation']} {link['target']}", link)
    for identity, headline in result["linked"].items():
        sentence(console, (f"{identity}  ", "faint"), (headline, ""), indent=2)
    console.print()
    kinds = ", ".join(f"{number} {kind}" for kind, number in result["kinds"].items())
    density = f"{result['density']:g} links each"
    line(console, (joined(count(result["memories"], "memory", "memories"), kinds, density), "faint"))


@renders("update")
def update(console: Console, result: dict[str, Any], given: argparse.Namespace) -> None:
    """Say what changed."""
    if not result["changed"]:
        line(console, ("It is so already.", "warn"))
    else:
        line(console, ("Updated ", "good"), (result["memory"]["id"], "name"), (f"  {', '.join(result['changed'])}", ""))
    listed(console, result["memory"])
    if result["masked"]:
        line(console, (f"{count(result['masked'], 'secret was', 'secrets were')} masked.", "warn"))


@renders("consolidate")
def consolidate(console: Console, result: dict[str, Any], given: argparse.Namespace) -> None:
    """Say who speaks now, and for whom."""
    for said in result["contradictions"]:
        sentence(console, ("contradiction: ", "bad"), (said, ""))
    if result["kept"] is None:
        line(console, ("All of them are kept.", "hint"))
        return
    would = "Would be " if result["dry_run"] else ""
    done = "merged into" if result["decision"] == "merge" else "superseded by"
    line(console, (f"{would}{done} ", "good"), (result["kept"]["id"], "name"), (f"  {', '.join(result['gone'])}", ""))
    listed(console, result["kept"])


def _link(console: Console, said: str, link: dict[str, Any]) -> None:
    strength = "" if link["strength"] == 1 else f"  {link['strength']:g}"
    sentence(
        console, (said, "hint"), (strength, "faint"), (f"  {link['reason']}" if link["reason"] else "", ""), indent=2
    )
