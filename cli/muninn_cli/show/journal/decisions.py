"""Decisions and patterns of the journal, and the context of a turn."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from muninn_cli.show.formatting import moment
from muninn_cli.show.journal.events import append
from muninn_cli.show.registry import renders
from muninn_cli.terminal.console import joined, line, paragraph
from muninn_core.model.counting import number_of

if TYPE_CHECKING:
    import argparse

    from rich.console import Console


@renders("decision.record")
@renders("decision.supersede")
@renders("pattern.record")
def record(console: Console, result: dict[str, Any], options: argparse.Namespace) -> None:
    """Print the recorded event's id and place."""
    append(console, result, options)


@renders("decision.list")
def list_decisions(console: Console, result: dict[str, Any], options: argparse.Namespace) -> None:
    """List the decisions."""
    if not result["decisions"]:
        line(console, ("No decisions.", ""))
    for decision in result["decisions"]:
        _decision(console, decision)


@renders("journal.context")
def context(console: Console, result: dict[str, Any], options: argparse.Namespace) -> None:
    """Print decisions, facts and turns."""
    if not (result["decisions"] or result["facts"] or result["turns"] or result["left_out"]):
        line(console, ("The journal has no decision, fact or turn of this project.", ""))
    for decision in result["decisions"]:
        _decision(console, decision)
    for fact in result["facts"]:
        line(console, ("fact  ", "name"), (moment(fact["occurred_at"]), "faint"))
        paragraph(console, (fact["payload"]["text"], ""), indent=2)
    for each in result["turns"]:
        turn = each["turn"]
        line(console, ("turn  ", "name"), (joined(turn["session_id"], turn["turn_id"], turn["status"]), "faint"))
        for event in each["events"]:
            line(
                console, (f"  {event['event_type']} ", ""), (json.dumps(event["payload"], ensure_ascii=False), "faint")
            )
    if result["left_out"]:
        line(console, (f"{number_of(result['left_out'], 'item')} had no room.", "hint"))


def _decision(console: Console, decision: dict[str, Any]) -> None:
    facts = joined(decision["status"], moment(decision["occurred_at"]))
    line(console, (decision["decision_id"], "name"), (f"  {facts}", "faint"))
    paragraph(console, (decision["title"], ""), indent=2)
    if decision["supersedes"]:
        line(console, (f"  supersedes {', '.join(decision['supersedes'])}", "faint"))
