"""Capsules: opened, observed, retrieved and exported."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from muninn_cli.show.formatting import moment
from muninn_cli.show.registry import renders
from muninn_cli.terminal.console import joined, line, paragraph, verbatim
from muninn_core.model.counting import number_of

if TYPE_CHECKING:
    import argparse

    from rich.console import Console


@renders("capsule.open")
def open_capsule(console: Console, result: dict[str, Any], options: argparse.Namespace) -> None:
    """Print the id alone, so that a script can take it."""
    verbatim(console, result["capsule"]["id"])


@renders("capsule.close")
def close(console: Console, result: dict[str, Any], options: argparse.Namespace) -> None:
    """Print the closed capsule."""
    line(console, ("Closed ", "good"), (result["capsule"]["id"], "name"))


@renders("capsule.observe")
@renders("capsule.summarise")
@renders("capsule.pin")
def record(console: Console, result: dict[str, Any], options: argparse.Namespace) -> None:
    """Print the recorded event's id."""
    done = "Recorded before as " if result["duplicate"] else "Recorded "
    line(console, (done, "good"), (result["event"]["event_id"], "name"))
    if result["masked"]:
        line(console, (f"{number_of(result['masked'], 'secret')} masked.", "warn"))


@renders("capsule.list")
def list_capsules(console: Console, result: dict[str, Any], options: argparse.Namespace) -> None:
    """List the capsules."""
    if not result["capsules"]:
        line(console, ("No capsules.", ""))
    for capsule in result["capsules"]:
        scope = ", ".join(f"{name}={value}" for name, value in capsule["scope"].items())
        facts = joined(capsule["type"], capsule["intent"], scope, moment(capsule["opened_at"]))
        style = "good" if capsule["status"] == "open" else ""
        line(console, (f"{capsule['status']:<7} ", style), (capsule["id"], "name"), (f"  {facts}", "faint"))


@renders("capsule.retrieve")
def retrieve(console: Console, result: dict[str, Any], options: argparse.Namespace) -> None:
    """Print the items in the order of their tiers."""
    if not result["items"]:
        line(console, ("Nothing found.", ""))
    for item in result["items"]:
        event = item["event"]
        facts = joined(moment(event["occurred_at"]), event["event_id"])
        line(console, (f"{item['tier']} ", "name"), (facts, "faint"))
        paragraph(
            console, (event["payload"].get("text") or json.dumps(event["payload"], ensure_ascii=False), ""), indent=2
        )
    if result["over"]:
        line(console, (f"Pins and summaries exceed the budget by {number_of(result['over'], 'token')}.", "warn"))
    if result["left_out"]:
        line(console, (f"{number_of(result['left_out'], 'observation')} without room.", "hint"))


@renders("capsule.export")
def export(console: Console, result: dict[str, Any], options: argparse.Namespace) -> None:
    """Print the bundle as JSON."""
    verbatim(console, json.dumps(result["bundle"], ensure_ascii=False, indent=1, sort_keys=True))


@renders("capsule.import")
def import_bundle(console: Console, result: dict[str, Any], options: argparse.Namespace) -> None:
    """Print the numbers."""
    numbers = joined(f"{result['replaced']} replaced", f"{result['known']} known", f"{len(result['skipped'])} skipped")
    line(console, (f"Imported {number_of(result['imported'], 'item')}", "good"), (f"  {numbers}", "faint"))
