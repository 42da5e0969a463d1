"""Memories: lists of them, one of them in full, and pairs that contradict each other."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from muninn_cli.screen import joined, line, sentence
from muninn_cli.show.citations import plain_place, stale, told
from muninn_cli.show.facts import count, moment, own_title, place, seen, whereabouts
from muninn_cli.show.registry import renders

if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence

    from rich.console import Console

CHARS = 300
"""How much of a memory a list shows."""


_REVIEWS = {"pending": "waits for approval", "approved": "approved", "rejected": "rejected"}


@renders("remember")
def remember(console: Console, result: dict[str, Any], given: argparse.Namespace) -> None:
    """Say what was stored under which id."""
    if result["memory"] is None:
        line(console, ("Remembered ", "good"), (count(len(result["ids"]), "memory", "memories"), "name"))
    else:
        line(console, ("Remembered ", "good"), (result["ids"][0], "name"))
        listed(console, result["memory"])
        if result["memory"]["review"] == "pending":
            line(console, (f"It is recalled once a person approves it: `muninn approve {result['ids'][0]}`.", "hint"))
    if result["masked"]:
        secrets = count(result["masked"], "secret was", "secrets were")
        line(console, (f"{secrets} masked before anything was written.", "warn"))


@renders("memories")
def memories(console: Console, result: dict[str, Any], given: argparse.Namespace) -> None:
    """List the memories, newest first; one that was asked for by its id is shown in full."""
    found = result["memories"]
    also = result["mentions"]
    citations = result["citations"]
    if given.id and len(found) == 1:
        full(console, found[0], citations.get(found[0]["id"], ()), access=result["access"])
        return
    if not found:
        line(console, ("No memory matches.", "warn"))
        line(console, ("`muninn remember TEXT` stores one.", "hint"))
    _mentions(console, also)
    if not found:
        return
    for memory in found:
        listed(console, memory, citations=citations.get(memory["id"], ()))
        console.print()
    shown = f"{len(found):,} of {count(result['total'], 'memory', 'memories')}"
    line(console, (joined(shown, seen(result["saw"])), "faint"))


@renders("show")
def show(console: Console, result: dict[str, Any], given: argparse.Namespace) -> None:
    """Print a memory whole, then each link with the headline of the memory at its other end."""
    memory = result["memory"]
    full(console, {**memory, "links": ()}, result["citations"], result["access"])
    if result["links"]:
        console.print()
    for link in result["links"]:
        away = link["target"] in result["linked"]
        other = link["target" if away else "source"]
        said = f"{link['relation']} {other}" if away else f"{other} {link['relation']} this"
        sentence(console, (said, "hint"), (f"  {result['linked'].get(other, '')}", ""), indent=2)
    line(console, (seen(result["saw"]), "faint"))


@renders("sessions")
def sessions(console: Console, result: dict[str, Any], given: argparse.Namespace) -> None:
    """List the sessions, two lines each; say how the open ones get into git."""
    if not result["sessions"]:
        line(console, ("No session has remembered anything.", "warn"))
        return
    for one in result["sessions"]:
        state = (f"open, {one['waiting']} not sealed", "warn") if one["state"] == "open" else ("sealed", "good")
        line(console, (one["title"], "name"), ("  ", ""), state)
        begin, end = moment(one["begin"]), moment(one["end"])
        span = begin if end == begin else f"{begin} to {end[11:] if end[:10] == begin[:10] else end}"
        left = count(one["memories"], "memory", "memories")
        name = one["session"] if one["session"] != one["title"] else ""
        facts = joined(span, left, one["branch"], one["task"], one["agent"] or one["actor"], name)
        line(console, (f"  {facts}", "faint"))
    shown = f"{len(result['sessions']):,} of {count(result['total'], 'session')}"
    line(console, (joined(shown, seen(result["saw"])), "faint"))


def _mentions(console: Console, mentions: list[dict[str, Any]]) -> None:
    for found in mentions:
        where = place(found["path"], found["start_line"], found["end_line"])
        line(console, (f"{found['origin']}  ", "knowledge"), (where, "path"), (f"  {found['title']}", "faint"))
    if mentions:
        console.print()


@renders("forget", "restore")
def forget(console: Console, result: dict[str, Any], given: argparse.Namespace) -> None:
    """Say whether the memory is archived now."""
    memory = result["memory"]
    done = "Archived " if memory["archived"] else "Restored "
    line(console, (done, "good"), (memory["id"], "name"))
    listed(console, memory)
    if memory["archived"]:
        line(console, (f"`muninn restore {memory['id']}` brings it back.", "hint"))


@renders("promote")
def promote(console: Console, result: dict[str, Any], given: argparse.Namespace) -> None:
    """Show the memory in its wider scope."""
    line(console, ("Promoted ", "good"), (result["source"], "name"), (f" to {result['memory']['scope']}", ""))
    listed(console, result["memory"])


@renders("approve")
def approve(console: Console, result: dict[str, Any], given: argparse.Namespace) -> None:
    """List what speaks from now on."""
    _decided(console, "Approved ", result)


@renders("reject")
def reject(console: Console, result: dict[str, Any], given: argparse.Namespace) -> None:
    """List what is kept and does not speak."""
    _decided(console, "Rejected ", result)


def _decided(console: Console, done: str, result: dict[str, Any]) -> None:
    line(console, (done, "good"), (count(len(result["memories"]), "memory", "memories"), "name"))
    for memory in result["memories"]:
        listed(console, memory)


@renders("conflicts")
def conflicts(console: Console, result: dict[str, Any], given: argparse.Namespace) -> None:
    """Show both sides of every conflict, and how to decide it."""
    if not result["conflicts"]:
        line(console, ("No conflicts.", "good"))
    for conflict in result["conflicts"]:
        line(console, ("conflict ", "bad"), (conflict["id"], "name"), (f"  {moment(conflict['ts'])}", "faint"))
        sentence(console, (conflict["reason"], ""))
        for side in ("left", "right"):
            memory = conflict[side]
            listed(console, memory, label=side, citations=result["citations"].get(memory["id"], ()))
            _provenance(console, memory)
            for code in conflict["code"]:
                if code["side"] == side:
                    _code(console, code)
        line(console, (f"`muninn resolve {conflict['id']} --keep left|right|both` decides it.", "hint"))
        console.print()


def _provenance(console: Console, memory: dict[str, Any]) -> None:
    who = joined(memory["actor"], memory["agent"] or "", *memory["sessions"], memory["task"] or "")
    commit = joined(memory["branch"] or "", (memory["commit"] or "")[:12])
    weight = f"trust {memory['trust']}, confidence {memory['confidence']:g}"
    sentence(console, (joined(who, commit, weight), "faint"), indent=2)


def _code(console: Console, code: dict[str, Any]) -> None:
    where = place(code["path"], code["start"], code["end"])
    line(console, (f"  cites {where}", "path"), (f"  {code['problem']}" if code["problem"] else "", "warn"))
    for text in code["text"].splitlines():
        line(console, (f"    {text}", "faint"))


@renders("resolve")
def resolve(console: Console, result: dict[str, Any], given: argparse.Namespace) -> None:
    """Say what holds from now on."""
    line(console, ("Resolved ", "good"), (result["conflict"], "name"))
    for side in ("left", "right"):
        listed(console, result[side], label=side)


def listed(
    console: Console, memory: dict[str, Any], *, label: str = "", citations: Sequence[dict[str, Any]] = ()
) -> None:
    """Print a memory in a few lines: what, about what, since when. `label` says which of several it is."""
    about = " ".join([*memory["files"], *(f"#{tag}" for tag in memory["tags"])])
    line(
        console,
        (f"{label}: " if label else "", "hint"),
        (memory["type"], "memory"),
        (f"  {about}" if about else "", "path"),
    )
    title = own_title(memory["title"], memory["text"])
    if title:
        sentence(console, (title, "name"), indent=2)
    words = " ".join(memory["text"].split())
    if words:
        sentence(console, (words if len(words) <= CHARS else words[:CHARS].rstrip() + "…", ""), indent=2)
    stale(console, citations, indent=2)
    marks = joined(*_marks(memory))
    line(console, (f"  {memory['id']}  {moment(memory['ts'])}", "faint"), (f"  {marks}" if marks else "", "hint"))


def full(
    console: Console,
    memory: dict[str, Any],
    citations: Sequence[dict[str, Any]] = (),
    access: dict[str, Any] | None = None,
) -> None:
    """Print everything that is known of a memory."""
    title = own_title(memory["title"], memory["text"])
    sentence(console, (memory["type"], "memory"), (f"  {title}" if title else "", "name"))
    sentence(console, (memory["text"], ""))
    console.print()
    cites = ", ".join([told(one) for one in citations] or [plain_place(cite) for cite in memory["cites"]])
    links = ", ".join(f"{link['relation']} {link['target']}" for link in memory["links"])
    rows = {
        "id": memory["id"],
        "when": moment(memory["ts"]) + (f", updated {moment(memory['updated'])}" if memory["updated"] else ""),
        "files": ", ".join(memory["files"]),
        "cites": cites,
        "tags": ", ".join(memory["tags"]),
        "entities": ", ".join(memory["entities"]),
        "links": links,
        "weight": f"importance {memory['importance']}, confidence {memory['confidence']:g}, trust {memory['trust']}",
        "from": joined(memory["actor"], memory["agent"] or "", memory["session"] or "", memory["task"] or ""),
        "commit": joined(memory["branch"] or "", (memory["commit"] or "")[:12]),
        "expires": moment(memory["expires"] or ""),
        "recalled": f"{count(access['count'], 'time')} here, last {moment(access['last'])}"
        if access and access["count"]
        else "",
        "state": joined(*_marks(memory)),
        **{key: value if isinstance(value, str) else str(value) for key, value in memory["details"].items()},
    }
    for name, value in rows.items():
        if value:
            sentence(console, (f"{name:>10}  ", "faint"), (value, ""))


def _marks(memory: dict[str, Any]) -> list[str]:
    return [
        _REVIEWS.get(memory["review"], ""),
        "pinned" if memory["pinned"] else "",
        "archived" if memory["archived"] else "",
        "expired" if memory["expired"] else "",
        "redacted" if memory["redacted"] else "",
        f"superseded by {memory['superseded_by']}" if memory["superseded_by"] else "",
        f"merged into {memory['merged_into']}" if memory["merged_into"] else "",
        f"backfill from {memory['details']['backfill']}" if "backfill" in memory["details"] else "",
        _limit(memory),
        *whereabouts(memory),
    ]


def _limit(memory: dict[str, Any]) -> str:
    """Say who else can see a memory."""
    scopes = {"session": "of its session only", "global": "global"}
    kept = "private" if memory["private"] else "" if memory["sealed"] else "not sealed yet"
    return scopes.get(memory["scope"], kept)
