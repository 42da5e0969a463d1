"""The memories that sessions were given, and their outcomes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from muninn_cli.show.formatting import moment
from muninn_cli.show.registry import renders
from muninn_cli.terminal.console import joined, line
from muninn_core.model.counting import number_of

if TYPE_CHECKING:
    import argparse

    from rich.console import Console

_STYLES = {"refuted": "bad", "confirmed": "good", "used": "good", "unused": "faint"}


@renders("given")
def given(console: Console, result: dict[str, Any], _given: argparse.Namespace) -> None:
    """List the answers with the outcome of each item, then the counts."""
    if not result["answers"]:
        line(console, ("No session received anything that matches.", ""))
        return
    for answer in result["answers"]:
        facts = joined(moment(answer["at"]), answer["session"], answer["query"][:100])
        line(console, (answer["verb"], "name"), (f"  {facts}", "faint"))
        for item in answer["items"]:
            how = f"  {', '.join(item['how'])}" if item["how"] else ""
            name = joined(item["title"], item["id"])
            line(console, (f"  {item['outcome']:<10}", _STYLES[item["outcome"]]), (name, ""), (how, "faint"))
        for one in answer["withheld"]:
            line(console, ("  withheld  ", "faint"), (joined(one["title"], one["why"], one["id"]), "faint"))
    line(console, (counted(result["counts"]), "state"))


def counted(counts: dict[str, Any]) -> str:
    """Return the counts of something given in words."""
    return f"given {number_of(counts['shown'], 'time')}, used {counts['used']:,}, refuted {counts['refuted']:,}"
