"""Candidates for memory."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from muninn_cli.show.formatting import moment
from muninn_cli.show.journal.events import show_event
from muninn_cli.show.registry import renders
from muninn_cli.show.state.models import show_spent
from muninn_cli.terminal.console import joined, line, paragraph
from muninn_core.model.counting import number_of

if TYPE_CHECKING:
    import argparse

    from rich.console import Console


@renders("candidate.list")
def list_candidates(console: Console, result: dict[str, Any], _given: argparse.Namespace) -> None:
    """List candidates, and their events when these were asked for."""
    if not result["candidates"]:
        line(console, ("No candidates.", ""))
    for each in result["candidates"]:
        _candidate(console, each)
    for each in result["events"]:
        show_event(console, each)
    if any(each["status"] == "open" for each in result["candidates"]):
        line(console, ("muninn candidate promote ID stores one, muninn candidate discard ID drops one.", "hint"))


@renders("candidate.distil")
def distil(console: Console, result: dict[str, Any], _given: argparse.Namespace) -> None:
    """List the new candidates."""
    for each in result["candidates"]:
        _candidate(console, each)
    known = f"; {number_of(result['known'], 'finding')} known already" if result["known"] else ""
    line(console, (f"{number_of(len(result['candidates']), 'new candidate')}{known}.", ""))
    if result["problem"]:
        paragraph(console, (f"The model's answer is not used: {result['problem']}.", "warn"))
    if result["spent"]["calls"]:
        show_spent(console, result["spent"])


@renders("candidate.promote")
def promote(console: Console, result: dict[str, Any], _given: argparse.Namespace) -> None:
    """Print the id of the memory."""
    line(console, (f"Remembered as {result['memory']['id']}.", ""))


@renders("candidate.discard")
def discard(console: Console, result: dict[str, Any], _given: argparse.Namespace) -> None:
    """Print what was discarded."""
    line(console, (f"Discarded {result['candidate']['id']}.", ""))


def _candidate(console: Console, each: dict[str, Any]) -> None:
    state = each["status"] if each["status"] != "promoted" else f"memory {each['memory']}"
    facts = joined(each["kind"], each["type"], state, moment(each["found_at"]), each["session_id"])
    line(console, (each["id"], "name"), (f"  {facts}", "faint"))
    paragraph(console, (" ".join(each["text"].split()), ""), indent=2)
    if each["questions"]:
        paragraph(console, (f"answers {' | '.join(each['questions'])}", "faint"), indent=2)
    line(console, (f"  {number_of(len(each['evidence']), 'event')}", "faint"))
