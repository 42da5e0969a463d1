"""Active agents, their leases and hand-offs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from muninn_cli.show.formatting import moment
from muninn_cli.show.registry import renders
from muninn_cli.terminal.console import joined, line, paragraph, verbatim
from muninn_core.model.counting import number_of

if TYPE_CHECKING:
    import argparse

    from rich.console import Console


@renders("agent.register")
def register(console: Console, result: dict[str, Any], _given: argparse.Namespace) -> None:
    """Print the key alone, so that a script can take it."""
    verbatim(console, result["agent_key"])


@renders("agent.heartbeat")
def heartbeat(console: Console, result: dict[str, Any], _given: argparse.Namespace) -> None:
    """Print the agent and what waits for it."""
    _agent(console, result["agent"])
    for overlap in result["overlaps"]:
        paragraph(console, (overlap, "warn"))
    _notes(console, result["handoffs"])


@renders("agent.leave")
def leave(console: Console, result: dict[str, Any], _given: argparse.Namespace) -> None:
    """Print who left."""
    line(console, (f"'{result['name']}' has left.", ""))


@renders("agent.list")
def agents(console: Console, result: dict[str, Any], _given: argparse.Namespace) -> None:
    """List agents and hand-offs."""
    if not result["agents"]:
        line(console, ("No agents.", ""))
    for agent in result["agents"]:
        _agent(console, agent)
    _notes(console, result["handoffs"])


@renders("agent.grant")
def grant(console: Console, result: dict[str, Any], _given: argparse.Namespace) -> None:
    """Print what was granted."""
    state = "has" if result["granted"] else "no longer has"
    line(console, (f"'{result['name']}' {state} the rights of the role {result['role']}.", ""))


@renders("agent.handoff")
def handoff(console: Console, result: dict[str, Any], _given: argparse.Namespace) -> None:
    """Print the number of the note."""
    line(console, (f"Hand-off {result['handoff']['number']} waits for {result['handoff']['to'] or 'anyone'}.", ""))


@renders("agent.take")
def take(console: Console, result: dict[str, Any], _given: argparse.Namespace) -> None:
    """Print the note and its leases."""
    _notes(console, [result["handoff"]])
    _leases(console, result["leases"])


@renders("lease.claim", "lease.list")
def leases(console: Console, result: dict[str, Any], _given: argparse.Namespace) -> None:
    """List leases."""
    if not result["leases"]:
        line(console, ("No leases.", ""))
    _leases(console, result["leases"])


@renders("lease.release")
def release(console: Console, result: dict[str, Any], _given: argparse.Namespace) -> None:
    """List what is free now."""
    line(console, (f"Released: {', '.join(result['released']) or 'nothing'}.", ""))


@renders("barrier.wait")
def barrier(console: Console, result: dict[str, Any], _given: argparse.Namespace) -> None:
    """List who passed."""
    line(console, (f"Passed by {', '.join(result['agents'])}.", ""))


def _agent(console: Console, agent: dict[str, Any]) -> None:
    granted = "granted" if agent["granted"] else ""
    facts = joined(agent["role"], granted, agent["client"], agent["root"], f"{agent['seconds_left']:.0f} s left")
    line(console, (agent["name"], "name"), (f"  {facts}", "faint"))
    for text in (agent["task"], ", ".join(agent["leases"])):
        if text:
            paragraph(console, (text, ""), indent=2)


def _leases(console: Console, found: list[dict[str, Any]]) -> None:
    for lease in found:
        facts = joined(lease["agent"], f"token {lease['token']}", moment(lease["claimed_at"]))
        line(console, (lease["resource"], "name"), (f"  {facts}", "faint"))


def _notes(console: Console, notes: list[dict[str, Any]]) -> None:
    for note in notes:
        leases = number_of(len(note["resources"]), "lease") if note["resources"] else ""
        facts = joined(f"from {note['sender']}", f"to {note['to'] or 'anyone'}", leases, moment(note["sent_at"]))
        line(console, (f"hand-off {note['number']}", "name"), (f"  {facts}", "faint"))
        paragraph(console, (note["text"], ""), indent=2)
