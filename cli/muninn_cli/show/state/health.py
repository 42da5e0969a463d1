"""The state of the daemon, the index and the log."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from muninn_cli.show.formatting import lagging, place, size
from muninn_cli.show.registry import renders
from muninn_cli.terminal.console import joined, line, paragraph
from muninn_core.launch.repository_location import nested_advice
from muninn_core.model.byline import duration
from muninn_core.model.counting import number_of
from muninn_core.model.memory import MANY_SESSIONS, MANY_STEPS

if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence

    from rich.console import Console

_MAX_NESTED = 5
"""The most repositories inside this one that are named."""

_MODES = {"read-write": "good", "read-only": "warn", "uninitialised": "warn"}


@renders("status")
def status(console: Console, result: dict[str, Any], options: argparse.Namespace) -> None:
    """Print a summary, then each problem with its hint."""
    mode = result["mode"]
    new = mode == "uninitialised"
    line(
        console,
        ("Muninn ", "name"),
        (result["version"], "name"),
        ("  ● ", _MODES.get(mode, "bad")),
        (f"{mode}  ", _MODES.get(mode, "bad")),
        (result["root"], "path"),
    )
    project = result["project"]
    if project["description"] or not result["root"].endswith(f"/{project['name']}"):
        described = f"  {project['description']}" if project["description"] else ""
        paragraph(console, ("  project ", "faint"), (project["name"], "name"), (described, "faint"), hang=10)
    for name, value, style in (
        ("daemon", _daemon(result), ""),
        ("index", "" if new else _index(result["index"]), "warn" if result["index"]["lag"] else ""),
        ("memory", "" if new else _log(result["log"]), ""),
        ("encoder", "" if new else _encoder(result["index"], result["log"]["memories"]), ""),
        *((("bridges", read, ""),) if (read := _bridges(result["bridges"])) else ()),
        ("global", _shared(result["shared"]), ""),
        *((("journal", events, ""),) if (events := _journal(result["journal"])) else ()),
        ("git", _head(result["saw"]), ""),
    ):
        if value:
            line(console, (f"  {name:<8}", "faint"), (value, style))
    print_nested(console, result["index"]["repositories"])
    for item in result["focus"]["items"]:
        _focus(console, item, result["focus"]["task"])
    if result["problems"]:
        console.print()
        line(console, (number_of(len(result["problems"]), "problem"), "bad"))
    for problem in result["problems"]:
        _problem(console, problem)


@renders("ready")
def ready(console: Console, result: dict[str, Any], options: argparse.Namespace) -> None:
    """Print each check, with its hint when it failed."""
    for check in result["checks"]:
        verdict, style = ("ok", "good") if check["ok"] else ("fail", "bad")
        paragraph(console, (f"{verdict:<5}", style), (f"{check['name']:<12}", "name"), (check["message"], ""))
        if check["hint"] and not check["ok"]:
            paragraph(console, (check["hint"], "hint"), indent=17)


@renders("metrics")
def metrics(console: Console, result: dict[str, Any], options: argparse.Namespace) -> None:
    """Print the text as it is."""
    for row in result["text"].splitlines():
        line(console, (row, ""))


@renders("index")
def index(console: Console, result: dict[str, Any], options: argparse.Namespace) -> None:
    """Print the size of the index and what was updated."""
    held = joined(number_of(result["files"], "file"), number_of(result["chunks"], "chunk"))
    updated = [f"{result[name]:,} {name}" for name in ("changed", "removed") if result[name]]
    done = joined(*updated, f"{result['seconds']:.1f} s")
    line(console, ("Indexed ", "good"), (held, "name"), (f"  {done}", "faint"))
    for reason, number in sorted(result["skipped"].items()):
        line(console, (f"  {number:,} left out: {reason}", "faint"))


def print_nested(console: Console, folders: Sequence[str]) -> None:
    """Print the repositories inside this one, which it does not index, and what to do about them."""
    for folder in folders[:_MAX_NESTED]:
        line(console, ("  nested  ", "faint"), (folder, "path"), ("  a repository of its own, not indexed here", ""))
    if len(folders) > _MAX_NESTED:
        line(console, (f"          and {len(folders) - _MAX_NESTED:,} more", "faint"))
    if folders:
        paragraph(console, (nested_advice(folders[0]), "hint"), indent=10)


def _problem(console: Console, problem: dict[str, Any]) -> None:
    where = place(problem["path"], problem["line"], problem["line"])
    parts = (("✗ ", "bad"), (f"{where} " if where else "", "path"), (problem["message"], ""))
    paragraph(console, *parts, indent=2, hang=2)
    if problem["hint"]:
        paragraph(console, (problem["hint"], "hint"), indent=4)


def _daemon(result: dict[str, Any]) -> str:
    return joined(
        f"pid {result['pid']}",
        f"up {duration(result['uptime_seconds'])}",
        number_of(result["clients"], "client"),
        size(result["rss_bytes"]),
        f"longest stall {result['longest_stall_ms']:.0f} ms",
    )


def _index(index: dict[str, Any]) -> str:
    files = joined(number_of(index["files"], "file"), number_of(index["chunks"], "chunk"))
    following = index["state"] == "ready" and index["vectors"] < index["chunks"]
    meaning = f"words ready, meaning of {index['vectors']:,} of them so far" if following else ""
    return joined(index["state"], files, lagging(index), meaning, index["model"])


def _encoder(index: dict[str, Any], memories: int) -> str:
    if not index["encoder"]:
        return "not installed; memories are compared by the table of tokens"
    encoded = index["encoded"]
    behind = encoded < memories
    return joined(
        index["encoder"], f"{encoded:,} of {number_of(memories, 'memory', 'memories')} encoded" if behind else ""
    )


def _log(log: dict[str, Any]) -> str:
    return joined(
        number_of(log["memories"], "memory", "memories"),
        number_of(log["records"], "record"),
        f"{log['unsealed']:,} not sealed" if log["unsealed"] else "",
        number_of(log["segments"], "segment") if log["segments"] else "",
        f"{log['malformed']:,} malformed" if log["malformed"] else "",
        f"{log['conflicts']:,} in conflict" if log["conflicts"] else "",
        f"{log['pending']:,} waiting for approval" if log["pending"] else "",
        f"{number_of(log['sessions'], 'session')} to reconcile: `muninn reconcile`"
        if log["sessions"] >= MANY_SESSIONS
        else "",
        f"{number_of(log['upkeep'], 'step')} of upkeep: `muninn evolve`" if log["upkeep"] >= MANY_STEPS else "",
        f"reconcile in the background: {log['reconcile']}" if log["reconcile"] else "",
    )


def _bridges(bridges: list[dict[str, Any]]) -> str:
    """Return which memories of other tools are read, and which are off."""
    read = [f"{bridge['title']} ({bridge['files']:,})" for bridge in bridges if bridge["files"]]
    off = [bridge["title"] for bridge in bridges if not bridge["on"] and bridge["name"] != "claude_memory"]
    return joined(*read, f"off: {', '.join(off)}" if off else "")


def _journal(journal: dict[str, Any]) -> str:
    lag = f"projections lag by {journal['lag']:,}" if journal["lag"] else ""
    failure = f"problem: {journal['failure']}" if journal["failure"] else ""
    events = number_of(journal["events"], "event") if journal["events"] else ""
    return joined(events, lag, failure) if events or failure else ""


def _shared(shared: dict[str, Any]) -> str:
    return number_of(shared["memories"], "memory", "memories") if shared["memories"] else ""


def _focus(console: Console, item: dict[str, Any], task: str) -> None:
    learned = number_of(item["memories"], "memory", "memories") if item["memories"] else ""
    marks = joined(item["phase"], "current" if item["code"] == task else "", learned)
    kind = "vision" if item["level"] == "vision" else "focus"
    line(console, (f"  {kind:<8}", "faint"), (f"{item['code']} {item['title']}", "name"), (f"  {marks}", "faint"))
    if item["summary"]:
        paragraph(console, (item["summary"], ""), indent=10)


def _head(saw: dict[str, Any]) -> str:
    if not saw["branch"]:
        return f"detached at {saw['commit'][:12]}" if saw["commit"] else "no repository"
    return joined(saw["branch"], saw["commit"][:12] if saw["commit"] else "no commit yet")
