"""Lists of memories, single memories, and conflicts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from muninn_cli.show.citations import describe, plain_place, present_places, print_stale
from muninn_cli.show.formatting import branch_facts, moment, place, signed, snapshot
from muninn_cli.show.memory.outcomes import counted
from muninn_cli.show.registry import renders
from muninn_cli.terminal.console import for_people, joined, line, paragraph, source_line
from muninn_cli.terminal.display import DISPLAY
from muninn_core.model.byline import writer
from muninn_core.model.counting import number_of
from muninn_core.model.detail import detail_text
from muninn_core.model.list_entry import split_entries
from muninn_core.model.sentence import unreconciled
from muninn_core.model.title import own_title

if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence

    from rich.console import Console

MAX_CHARS = 300
"""Characters of a memory that a list shows."""

MAX_PLACES = 4
"""Files and lines of a memory that a list shows on a terminal."""

_REVIEWS = {"pending": "waits for approval", "approved": "approved", "rejected": "rejected"}


@renders("remember")
def remember(console: Console, result: dict[str, Any], options: argparse.Namespace) -> None:
    """Print the ids of the stored memories."""
    if result["memory"] is None:
        line(console, ("Remembered ", "good"), (number_of(len(result["ids"]), "memory", "memories"), "name"))
    else:
        line(console, ("Remembered ", "good"), (result["ids"][0], "name"))
        print_memory(console, result["memory"])
        if result["memory"]["review"] == "pending":
            line(console, (f"It is recalled once a person approves it: `muninn approve {result['ids'][0]}`.", "hint"))
    for notice in result["notices"]:
        paragraph(console, (notice, "warn"))
    if result["masked"]:
        secrets = number_of(result["masked"], "secret was", "secrets were")
        line(console, (f"{secrets} masked before anything was written.", "warn"))


@renders("memories")
def memories(console: Console, result: dict[str, Any], options: argparse.Namespace) -> None:
    """List the memories, newest first. A memory requested by id is printed whole."""
    found = result["memories"]
    also = result["mentions"]
    citations = result["citations"]
    if options.id and len(found) == 1:
        print_whole_memory(console, found[0], citations.get(found[0]["id"], ()), access=result["access"])
        return
    if not found:
        line(console, ("No memory matches.", "warn"))
        for note in result["notes"]:
            line(console, (note, "hint"))
        if not result["notes"]:
            line(console, ("`muninn remember TEXT` stores one.", "hint"))
    _mentions(console, also)
    if not found:
        return
    for memory in found:
        print_memory(console, memory, citations=citations.get(memory["id"], ()))
        console.print()
    shown = f"{len(found):,} of {number_of(result['total'], 'memory', 'memories')}"
    line(console, (joined(shown, snapshot(result["saw"])), "state"))


@renders("show")
def show(console: Console, result: dict[str, Any], options: argparse.Namespace) -> None:
    """Print a memory, then each link with the headline of the linked memory."""
    memory = result["memory"]
    print_whole_memory(console, {**memory, "links": ()}, result["citations"], result["access"])
    if result["given"]["shown"]:
        line(console, (f"To agents: {counted(result['given'])}.", "faint"))
    if result["links"]:
        console.print()
    for link in result["links"]:
        away = link["target"] in result["linked"]
        other = link["target" if away else "source"]
        title = result["linked"].get(other, "")
        before, after = (f"{link['relation']} ", "") if away else ("", f" {link['relation']} this")
        paragraph(console, (before, "hint"), (title, ""), (after, "hint"), (f"  {other}", "faint"), indent=2)
    line(console, (snapshot(result["saw"]), "state"))


@renders("sessions")
def sessions(console: Console, result: dict[str, Any], options: argparse.Namespace) -> None:
    """List the sessions, two lines each."""
    if not result["sessions"]:
        line(console, ("No session has memories.", "warn"))
        return
    for one in result["sessions"]:
        state = (f"open, {one['waiting']} not sealed", "warn") if one["state"] == "open" else ("sealed", "good")
        line(console, (one["title"], "name"), ("  ", ""), state)
        begin, end = moment(one["begin"]), moment(one["end"])
        span = begin if end == begin else f"{begin} to {end[11:] if end[:10] == begin[:10] else end}"
        left = number_of(one["memories"], "memory", "memories")
        name = one["session"] if one["session"] != one["title"] else ""
        who = writer(one["author"], one["actor"], one["agent"])
        facts = joined(span, left, one["branch"], one["task"], who, name)
        line(console, (f"  {facts}", "faint"))
    shown = f"{len(result['sessions']):,} of {number_of(result['total'], 'session')}"
    line(console, (joined(shown, snapshot(result["saw"])), "state"))


def _mentions(console: Console, mentions: list[dict[str, Any]]) -> None:
    for found in mentions:
        where = place(found["path"], found["start_line"], found["end_line"])
        line(console, (f"{found['origin']}  ", "knowledge"), (where, "path"), (f"  {found['title']}", "faint"))
    if mentions:
        console.print()


@renders("forget", "restore")
def forget(console: Console, result: dict[str, Any], options: argparse.Namespace) -> None:
    """Print whether the memory was archived or restored, or was so before."""
    memory = result["memory"]
    if result["changed"]:
        line(console, ("Archived " if memory["archived"] else "Restored ", "good"), (memory["id"], "name"))
    else:
        state = "Archived already: " if memory["archived"] else "Nothing to restore: "
        line(console, (state, "warn"), (memory["id"], "name"))
    print_memory(console, memory)
    if memory["archived"]:
        line(console, (f"`muninn restore {memory['id']}` restores it.", "hint"))


@renders("promote")
def promote(console: Console, result: dict[str, Any], options: argparse.Namespace) -> None:
    """Print the memory with its new scope."""
    line(console, ("Promoted ", "good"), (result["source"], "name"), (f" to {result['memory']['scope']}", ""))
    print_memory(console, result["memory"])


@renders("approve")
def approve(console: Console, result: dict[str, Any], options: argparse.Namespace) -> None:
    """List the approved memories."""
    _decided(console, "Approved ", result)


@renders("reject")
def reject(console: Console, result: dict[str, Any], options: argparse.Namespace) -> None:
    """List the rejected memories."""
    _decided(console, "Rejected ", result)


def _decided(console: Console, done: str, result: dict[str, Any]) -> None:
    line(console, (done, "good"), (number_of(len(result["memories"]), "memory", "memories"), "name"))
    for memory in result["memories"]:
        print_memory(console, memory)


@renders("conflicts")
def conflicts(console: Console, result: dict[str, Any], options: argparse.Namespace) -> None:
    """Print both sides of each conflict, and how to resolve it; then how many sessions are not reconciled."""
    if not result["conflicts"]:
        line(console, ("No conflicts.", "good"))
    for conflict in result["conflicts"]:
        line(console, ("conflict ", "bad"), (conflict["id"], "name"), (f"  {moment(conflict['ts'])}", "faint"))
        paragraph(console, (conflict["reason"], ""))
        for side in ("left", "right"):
            memory = conflict[side]
            print_memory(console, memory, label=side, citations=result["citations"].get(memory["id"], ()))
            _provenance(console, memory)
            for code in conflict["code"]:
                if code["side"] == side:
                    _code(console, code)
        done = f"decided: {conflict['keep']}; " if conflict["keep"] else ""
        again = "decides it again" if conflict["keep"] else "resolves it"
        line(console, (f"{done}`muninn resolve {conflict['id']} --keep left|right|both` {again}.", "hint"))
        console.print()
    if result["unreconciled"]:
        line(console, (unreconciled(result["unreconciled"]), "warn"))


def _provenance(console: Console, memory: dict[str, Any]) -> None:
    who = joined(*memory["sessions"], memory["task"] or "")
    commit = joined(memory["branch"] or "", (memory["commit"] or "")[:12])
    weight = f"trust {memory['trust']}, confidence {memory['confidence']:g}"
    paragraph(console, (joined(who, commit, weight), "faint"), indent=2)


def _code(console: Console, code: dict[str, Any]) -> None:
    where = place(code["path"], code["start"], code["end"])
    line(console, (f"  cites {where}", "path"), (f"  {code['problem']}" if code["problem"] else "", "warn"))
    for text in code["text"].splitlines():
        source_line(console, (f"    {text}", "faint"))


@renders("resolve")
def resolve(console: Console, result: dict[str, Any], options: argparse.Namespace) -> None:
    """Print both sides after the decision."""
    before = f"  It was decided before: {result['before']}." if result["before"] else ""
    done = ("Resolved ", "good") if result["changed"] else ("Nothing changed: ", "warn")
    line(console, done, (result["conflict"], "name"), (before, "hint"))
    for side in ("left", "right"):
        print_memory(console, result[side], label=side)
    if result["changed"]:
        line(console, ("`muninn seal` writes the decision to a file to commit.", "hint"))


def print_memory(
    console: Console, memory: dict[str, Any], *, label: str = "", citations: Sequence[dict[str, Any]] = ()
) -> None:
    """Print a memory in a few lines, after its `label`."""
    places = present_places(memory, citations)
    more = len(places) - MAX_PLACES if for_people() else 0
    shown = [*places[:MAX_PLACES], f"+{more}"] if more > 0 else places
    about = " ".join([*shown, *(f"#{tag}" for tag in memory["tags"])])
    line(
        console,
        (f"{label}: " if label else "", "hint"),
        (memory["type"], "memory"),
        (f"  {about}" if about else "", "path"),
    )
    title = own_title(memory["title"], memory["text"])
    if title:
        paragraph(console, (title, "name"), indent=2)
    for words in _beginning(memory["text"]):
        paragraph(console, (words, ""), indent=2)
    for asked in memory["questions"] if DISPLAY.verbose or memory["review"] == "pending" else ():
        paragraph(console, (f"answers {asked}", "faint"), indent=2)
    print_stale(console, citations, indent=2)
    marks = joined(*_marks(memory))
    line(
        console,
        (f"  {signed(memory)}", "faint"),
        (f"  {marks}" if marks else "", "hint"),
        (f"  {memory['id']}", "faint"),
    )


def _beginning(text: str) -> list[str]:
    """Return the beginning of a text: a headline of its own, and what follows as one paragraph.

    Entries of a list are separated by semicolons.
    """
    head, _, rest = text.strip().partition("\n\n")
    entries = (" ".join(entry.split()).rstrip(";") for entry in split_entries(rest))
    parts = [" ".join(head.split()), "; ".join(entry for entry in entries if entry).replace(":; ", ": ")]
    if DISPLAY.verbose:
        return [part for part in parts if part]
    left = MAX_CHARS
    shown = []
    for part in parts:
        if part and left > 0:
            shown.append(part if len(part) <= left else part[:left].rsplit(" ", 1)[0].rstrip(" ,;:.") + "…")
            left -= len(part)
    return shown


def print_whole_memory(
    console: Console,
    memory: dict[str, Any],
    citations: Sequence[dict[str, Any]] = (),
    access: dict[str, Any] | None = None,
) -> None:
    """Print all fields of a memory."""
    title = own_title(memory["title"], memory["text"])
    paragraph(console, (memory["type"], "memory"), (f"  {title}" if title else "", "name"))
    paragraph(console, (memory["text"], ""))
    console.print()
    cites = ", ".join([describe(one) for one in citations] or [plain_place(cite) for cite in memory["cites"]])
    links = ", ".join(f"{link['relation']} {link['target']}" for link in memory["links"])
    changed = memory["updated"] not in ("", memory["ts"])
    rows = {
        "id": memory["id"],
        "when": moment(memory["ts"]) + (f", updated {moment(memory['updated'])}" if changed else ""),
        "files": ", ".join(memory["files"]),
        "cites": cites,
        "tags": ", ".join(memory["tags"]),
        "entities": ", ".join(memory["entities"]),
        "answers": " | ".join(memory["questions"]),
        "links": links,
        "weight": f"importance {memory['importance']}, confidence {memory['confidence']:g}, trust {memory['trust']}",
        "by": joined(
            writer(memory["author"], memory["actor"], memory["agent"]), memory["session"] or "", memory["task"] or ""
        ),
        "commit": joined(memory["branch"] or "", (memory["commit"] or "")[:12]),
        "expires": moment(memory["expires"] or ""),
        "recalled": f"{number_of(access['count'], 'time')} here, last {moment(access['last'])}"
        if access and access["count"]
        else "",
        "state": joined(*_marks(memory)),
        **{name: detail_text(value) for name, value in memory["details"].items()},
    }
    for name, value in rows.items():
        if value:
            paragraph(console, (f"{name:>10}  ", "faint"), (value, "id" if name == "id" else ""))


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
        f"in the repository {memory['repository']}" if memory["repository"] else "",
        *branch_facts(memory),
    ]


def _limit(memory: dict[str, Any]) -> str:
    """Return who else can see a memory."""
    scopes = {"session": "of its session only", "global": "global"}
    kept = "private" if memory["private"] else "" if memory["sealed"] else "not sealed yet"
    return scopes.get(memory["scope"], kept)
