"""The journal: recorded and found events, turns, the audit, and projections."""

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

_SHOWN = 300
"""Characters of a payload in a list."""


@renders("event.append")
def append(console: Console, result: dict[str, Any], options: argparse.Namespace) -> None:
    """Print the recorded event's id and place."""
    event = result["event"]
    done = "Recorded before as " if result["duplicate"] else "Recorded "
    line(console, (done, "good"), (event["event_id"], "name"), (f"  {_place(event)}", "faint"))
    if result["masked"]:
        line(console, (f"{number_of(result['masked'], 'secret')} masked.", "warn"))


@renders("event.query")
def query(console: Console, result: dict[str, Any], options: argparse.Namespace) -> None:
    """Print the found events."""
    if not result["hits"]:
        line(console, ("No event matches.", ""))
        for note in result["notes"]:
            line(console, (note, "hint"))
    for hit in result["hits"]:
        show_event(console, hit["event"], whole=len(result["hits"]) == 1)
    if result["next"]:
        line(console, (f"More with `--before {result['next']}`.", "hint"))


@renders("event.statistics")
def statistics(console: Console, result: dict[str, Any], options: argparse.Namespace) -> None:
    """Print the numbers of events and turns."""
    span = f"from {result['first']} to {result['last']}" if result["first"] else ""
    line(console, (number_of(result["events"], "event"), "name"), (f"  {span}", "faint"))
    for name in ("event_type", "actor", "source"):
        for value, number in sorted(result["by"][name].items(), key=lambda pair: (-pair[1], pair[0])):
            line(console, (f"  {number:8,} ", ""), (f"{name.removeprefix('event_')} ", "faint"), (value or "-", ""))
    for status, number in result["turns"].items():
        line(console, (f"  {number:8,} ", ""), ("turns ", "faint"), (status, ""))


@renders("event.redact")
def redact(console: Console, result: dict[str, Any], options: argparse.Namespace) -> None:
    """Print the redacted event; with `--dry-run` the one that would be."""
    if options.dry_run:
        line(console, ("Erases for good, from the journal, the payload of", "warn"))
        show_event(console, result["event"])
        return
    line(console, ("Redacted ", "good"), (result["event"]["payload"]["event_id"], "name"))


@renders("event.tombstone")
def tombstone(console: Console, result: dict[str, Any], options: argparse.Namespace) -> None:
    """Print the hidden event."""
    line(console, ("Hidden ", "good"), (result["event"]["payload"]["event_id"], "name"))
    line(console, ("The audit still shows it. `muninn event redact` erases its payload.", "hint"))


@renders("event.wait")
def wait(console: Console, result: dict[str, Any], options: argparse.Namespace) -> None:
    """Print the events that came."""
    if not result["events"]:
        line(console, ("No event came in time.", ""))
    for event in result["events"]:
        show_event(console, event)


@renders("turn.begin")
def turn_begin(console: Console, result: dict[str, Any], options: argparse.Namespace) -> None:
    """Print the token alone, so that a script can take it."""
    verbatim(console, result["ack_token"])


@renders("turn.end")
def turn_end(console: Console, result: dict[str, Any], options: argparse.Namespace) -> None:
    """Print the end of the turn."""
    event = result["event"]
    line(console, ("Ended ", "good"), (event["turn_id"], "name"), (f"  {event['payload']['outcome']}", "faint"))


@renders("span.list")
def spans(console: Console, result: dict[str, Any], options: argparse.Namespace) -> None:
    """List the spans."""
    if not result["spans"]:
        line(console, ("No session, turn or capsule matches.", ""))
    for span in result["spans"]:
        style = {"open": "good", "incomplete": "warn"}.get(span["status"], "")
        facts = joined(span["project_id"], span["type"], span["intent"], moment(span["opened_at"]))
        line(console, (f"{span['status']:<10} ", style), (span["id"], "name"), (f"  {facts}", "faint"))


@renders("audit.replay")
def replay(console: Console, result: dict[str, Any], options: argparse.Namespace) -> None:
    """Print the lines as they are; with a file, their number and digest."""
    if result["path"]:
        line(console, (f"{number_of(result['count'], 'event')} to ", "good"), (result["path"], "path"))
        line(console, (f"sha256 {result['digest']}", "faint"))
    elif result["lines"]:
        verbatim(console, "\n".join(result["lines"]))


@renders("audit.verify")
def verify(console: Console, result: dict[str, Any], options: argparse.Namespace) -> None:
    """Print whether the chain is intact, and the first broken place."""
    broken = result["broken"]
    if broken is None:
        line(console, ("The journal is intact: ", "good"), (number_of(result["events"], "event"), "name"))
    else:
        line(console, (f"The journal is broken ({broken['kind']}).", "bad"))
        paragraph(console, (f"{broken['message']}.", "bad"))
        line(console, (f"The {number_of(result['events'], 'event')} before it are as recorded.", "hint"))
    if result["redacted"]:
        line(console, (f"{number_of(len(result['redacted']), 'event')} redacted.", "faint"))
    if result["removed"]:
        line(console, (f"{number_of(result['removed'], 'event')} removed by retention.", "faint"))


@renders("audit.tail")
def tail(console: Console, result: dict[str, Any], options: argparse.Namespace) -> None:
    """Print the last events, the last one at the end."""
    if not result["events"]:
        line(console, ("No events.", ""))
    for event in result["events"]:
        show_event(console, event)


@renders("audit.seal")
def seal(console: Console, result: dict[str, Any], options: argparse.Namespace) -> None:
    """Print the sealed and removed files."""
    words = ("Would seal ", "Would remove ") if options.dry_run else ("Sealed ", "Removed ")
    for name, done in zip(("sealed", "removed"), words, strict=True):
        for file in result[name]:
            line(console, (done, "good"), (f"{result['folder']}/{file}", "path"))
    if not result["sealed"] and not result["removed"]:
        line(console, ("No past month has events that are not sealed.", ""))


@renders("projections.status")
def projections_status(console: Console, result: dict[str, Any], options: argparse.Namespace) -> None:
    """Print how far each projection is."""
    line(console, (number_of(result["events"], "event"), "name"))
    for one in result["projections"]:
        behind = f"lags by {one['lag']:,}" if one["lag"] else "up to date"
        line(console, (f"  {one['name']:<14} ", ""), (behind, "warn" if one["lag"] else "good"))
    if result["failure"]:
        paragraph(console, (f"They do not follow: {result['failure']}", "bad"))


@renders("projections.rebuild")
def projections_rebuild(console: Console, result: dict[str, Any], options: argparse.Namespace) -> None:
    """Print the digest of each projection, and whether it changed."""
    for one in result["rebuilt"]:
        same = ("same", "good") if one["same"] else ("changed", "warn")
        line(console, (f"{one['name']:<14} ", "name"), (f"{one['digest'][:16]} ", "faint"), same)


@renders("projections.show")
def projections_show(console: Console, result: dict[str, Any], options: argparse.Namespace) -> None:
    """Print each row as JSON."""
    if not result["rows"]:
        line(console, ("No rows.", ""))
    for row in result["rows"]:
        verbatim(console, json.dumps(row, ensure_ascii=False))


def show_event(console: Console, event: dict[str, Any], *, whole: bool = False) -> None:
    """Print an event: time, type, actor, place and id, then its payload, cut unless it is wanted `whole`."""
    line(
        console,
        (f"{moment(event['occurred_at'])} ", "faint"),
        (f"{event['event_type']} ", "name"),
        (event["actor"], ""),
        (f"  {_place(event)} · {event['event_id']}", "faint"),
    )
    text = "[redacted]" if event["stored"] == "redacted" else json.dumps(event["payload"], ensure_ascii=False)
    shown = text if whole or len(text) <= _SHOWN else text[:_SHOWN] + "…"
    paragraph(console, (shown, ""), indent=2)


def _place(event: dict[str, Any]) -> str:
    return f"{event['stream_id']} #{event['stream_seq']}"
