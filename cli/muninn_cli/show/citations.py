"""The state of the code that memories cite."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from muninn_cli.show.formatting import place, snapshot
from muninn_cli.show.registry import renders
from muninn_cli.terminal.console import joined, line
from muninn_core.model.counting import number_of

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterable, Sequence

    from rich.console import Console

_STYLES = {"fresh": "good", "moved": "hint", "drifted": "warn", "gone": "bad", "unchecked": "faint"}

_ADVICE = {
    "gone": "The code is gone: run `muninn forget ID`, or remember a replacement with `--link supersedes:ID`.",
    "drifted": "The code has changed: read it, then confirm, supersede or forget the memory.",
    "moved": "`muninn verify --fix` updates the citations.",
}


@renders("verify")
def verify(console: Console, result: dict[str, Any], options: argparse.Namespace) -> None:
    """Print each memory with changed citations, the counts, and what to do."""
    for memory in result["found"]:
        head = "fixed " if memory["fixed"] else ""
        line(console, (head, "good"), (memory["id"], "name"), (f"  {memory['type']}  {memory['title']}", ""))
        for cite in memory["cites"]:
            if cite["state"] != "fresh":
                line(console, (f"  {cite['state']:<9} ", _STYLES[cite["state"]]), (describe(cite, state=False), "path"))
    parts = [f"{number} {state}" for state, number in result["states"].items() if number]
    total = sum(result["states"].values())
    if not total:
        line(console, ("No memory cites code.", "good"))
        return
    summary = joined(number_of(total, "citation"), *parts)
    line(console, (summary, "name"), (f"  in {number_of(result['memories'], 'memory', 'memories')}", "faint"))
    if result["fixed"]:
        fixed = number_of(result["fixed"], "memory cites", "memories cite")
        line(console, (f"{fixed} the new places now.", "good"))
    for state, advice in _ADVICE.items():
        if result["states"][state] and not (state == "moved" and options.fix):
            line(console, (advice, "hint"))
    line(console, (snapshot(result["saw"]), "state"))


def print_stale(console: Console, citations: Iterable[dict[str, Any]], *, indent: int) -> None:
    """Print the cited code that has changed or is gone, if any."""
    for state, words in (("drifted", "code changed since:"), ("gone", "code gone:")):
        places = [cite["was"] or plain_place(cite) for cite in citations if cite["state"] == state]
        if places:
            line(console, (f"{'':{indent}}{words} ", _STYLES[state]), (", ".join(dict.fromkeys(places)), "path"))


def describe(cite: dict[str, Any], *, state: bool = True) -> str:
    """Return a citation's place, symbol, state and former place."""
    parts = [plain_place(cite), cite["symbol"], cite["state"] if state else ""]
    parts += [f"from {cite['was']}" if cite["was"] else "", f"({cite['note']})" if cite["note"] else ""]
    return " ".join(part for part in parts if part)


def present_places(memory: dict[str, Any], citations: Sequence[dict[str, Any]]) -> list[str]:
    """Return the files and lines that a memory is about; those of its judged `citations` as they are now."""
    cited = {cite["path"] for cite in memory["cites"]}
    moved = {each["was"]: each["path"] for each in citations if each["state"] == "moved" and not each["start"]}
    whole = [moved.get(path, path) for path in memory["files"] if path not in cited]
    cites = citations[: len(memory["cites"])] or memory["cites"]
    return list(dict.fromkeys([*whole, *(plain_place(cite) for cite in cites)]))


def plain_place(cite: dict[str, Any]) -> str:
    """Return the place of a citation."""
    return place(cite["path"], cite["start"], cite["end"])
