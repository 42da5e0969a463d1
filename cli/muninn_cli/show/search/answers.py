"""Hits of recall, briefs and reminders."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from muninn_cli.show.citations import print_stale
from muninn_cli.show.formatting import branch_facts, in_repository, lagging, moment, place, provenance, snapshot
from muninn_cli.show.registry import renders
from muninn_cli.terminal.console import (
    bar,
    excerpt,
    for_people,
    joined,
    line,
    paragraph,
    source_line,
    verbatim,
    wrapped_line,
)
from muninn_core.model.counting import number_of
from muninn_core.model.list_entry import begins_entry
from muninn_core.model.title import own_title

if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence

    from rich.console import Console

MAX_LINES = 4
"""Lines of a hit that are shown."""

MAX_SYMBOLS = 2
"""Names of a hit's definitions that a terminal shows."""

INDENT = 7
"""Columns before the text of a hit: those of a score or of a line's number."""

BAR = 8
"""The width of a score's bar, in cells."""

_ENDS = re.compile(r"[.!?:…][\"'`*)\]]*\s*$")
"""The end of a line with which a sentence ends."""

_BLOCK = re.compile(r"\s*(?:#{1,6}\s|[>|]|```)")
"""The beginning of a line of markdown that goes on with no sentence, beside an entry of a list."""


@renders("recall")
def recall(console: Console, result: dict[str, Any], options: argparse.Namespace) -> None:
    """Print the memories that answer, then the hits, with score, place and excerpt; with `--why` also the reasons.

    The memories that answer are not in the order of the scores, so they have none, and neither has a list.
    """
    remembered = result["remembered"]
    shown = {hit["id"] for hit in remembered}
    hits = [hit for hit in result["hits"] if hit["id"] not in shown]
    if not hits and not remembered:
        line(console, ("Nothing found.", "warn"))
        _notes(console, result["notes"])
        if not result["notes"]:
            behind = lagging(result["saw"]["index"])
            waits = f"The index {behind}; `muninn index --wait` waits for it."
            paragraph(console, (waits if behind else "Try other words, or fewer filters.", "hint"))
        return
    if remembered:
        line(console, ("Remembered", "name"))
    for hit in remembered:
        _hit(console, hit, ((" " * INDENT, ""),), why=options.why)
    if remembered and hits:
        line(console, ("Other hits", "name"))
    top = max((hit["score"] for hit in hits), default=0.0)
    for hit in hits:
        score = ((f"{hit['score']:6.3f} ", "name"), (bar(hit["score"], top, BAR) + " ", "bar"))
        _hit(console, hit, score if result["ranked"] else ((" " * INDENT, ""),), why=options.why)
    _notes(console, result["notes"])
    line(console, (joined(number_of(len(hits) + len(remembered), "hit"), snapshot(result["saw"])), "state"))
    if result["saw"]["index"]["lag"]:
        line(console, ("`muninn index --wait` waits for the rest of the index.", "hint"))
    if result["next"]:
        line(console, (f"more: muninn recall --page {result['next']}", "faint"))


@renders("brief")
def brief(console: Console, result: dict[str, Any], options: argparse.Namespace) -> None:
    """Print the brief's markdown, on a terminal in wrapped lines with its headings in bold."""
    if not console.is_terminal:
        verbatim(console, result["text"])
        return
    for row in result["text"].rstrip("\n").split("\n"):
        paragraph(console, (row, "name" if row.startswith("#") else ""), hang=2 if row.startswith("- ") else 0)


@renders("remind")
def remind(console: Console, result: dict[str, Any], options: argparse.Namespace) -> None:
    """Print the reminder, or that there is none."""
    verbatim(console, result["text"] or "No memory is relevant enough and new to this session.\n")


def _hit(console: Console, hit: dict[str, Any], lead: Sequence[tuple[str, str]], *, why: bool) -> None:
    """Print a hit; its first line begins with `lead`."""
    label = hit["type"] or hit["kind"]
    title = own_title(hit["title"], hit["text"])
    if hit["kind"] == "memory" and hit["snippet"] and hit["snippet"][0]["line"] > 1:
        title = hit["title"]  # the text begins with it, but its excerpt does not
    container = f" in {title}" if title and hit["kind"] == "code" else ""
    where = place(hit["path"], hit["start_line"], hit["end_line"])
    line(
        console,
        *lead,
        (label, hit["kind"]),
        (f" {in_repository(hit, where)}" if where else "", "path"),
        ("" if where or hit["kind"] == "memory" else f" {hit['id']}", "name"),
        (_symbols(hit["symbol"]), "name"),
        (container, "faint"),
        (f"  {number_of(hit['chunks'], 'piece')}" if hit["chunks"] > 1 else "", "faint"),
        (_limit(hit), "hint"),
    )
    print_stale(console, hit["cites"], indent=7)
    if title and not container:
        line(console, (f"       {title}", "name"))
    for part in (_excerpt, _marks) if hit["kind"] == "memory" else (_marks, _excerpt):
        part(console, hit)
    if why:
        _certainty(console, hit)
        for reason in hit["why"]:
            _reason(console, reason)
    console.print()


def _notes(console: Console, notes: list[str]) -> None:
    for note in notes:
        paragraph(console, (note, "hint"))


def _marks(console: Console, hit: dict[str, Any]) -> None:
    """Print who wrote a memory and when, what limits it, and its id."""
    newer = f"newer: {hit['newer']}" if hit["newer"] else ""
    marks = joined(newer, _signed(hit), *provenance(hit), hit["status"], *branch_facts(hit))
    identity = hit["id"] if hit["kind"] == "memory" else ""
    if marks or identity:
        between = "  " if marks and identity else ""
        paragraph(console, (marks, "hint"), (f"{between}{identity}", "faint"), indent=INDENT)


def _excerpt(console: Console, hit: dict[str, Any]) -> None:
    """Print the lines that match the query, highlighted; without any, the beginning of the text.

    Lines of files are cut at the width of a terminal, sentences of memories continue below and to their end.
    """
    for row in hit["snippet"]:
        marked = _marked(row["text"], row["marks"])
        if hit["kind"] == "memory":
            wrapped_line(console, *marked, indent=INDENT)
        else:
            source_line(console, (f"{row['line']:6} ", "faint"), *marked)
    if hit["kind"] == "memory" and hit["snippet"]:
        for further in _rest_of_sentence(hit["text"].split("\n"), hit["snippet"][-1]["line"]):
            wrapped_line(console, (further, ""), indent=INDENT)
    if not hit["snippet"]:
        for begin in excerpt(hit["text"], MAX_LINES):
            if hit["kind"] == "memory":
                wrapped_line(console, (begin, ""), indent=INDENT)
            else:
                source_line(console, (f"{' ' * INDENT}{begin}", ""))


def _rest_of_sentence(rows: Sequence[str], after: int) -> list[str]:
    """Return the lines behind line `after`, from 1, to the end of its sentence or paragraph.

    The last one is "…" if the end is further than `MAX_LINES` away.
    """
    found: list[str] = []
    last = rows[after - 1]
    for row in rows[after:]:
        if not row.strip() or not last.strip() or _ENDS.search(last) or begins_entry(row) or _BLOCK.match(row):
            return found
        if len(found) == MAX_LINES:
            return [*found, "…"]
        found.append(row.rstrip())
        last = row
    return found


def _marked(text: str, marks: list[dict[str, int]]) -> list[tuple[str, str]]:
    """Return a line in (text, style) parts. Marks count UTF-16 code units."""
    units = text.encode("utf-16-le", "surrogatepass")
    parts, at = [], 0
    for mark in marks:
        parts += [(units[2 * at : 2 * mark["start"]], ""), (units[2 * mark["start"] : 2 * mark["end"]], "mark")]
        at = mark["end"]
    parts.append((units[2 * at :], ""))
    return [(part.decode("utf-16-le", "replace").expandtabs(4), style) for part, style in parts]


def _signed(hit: dict[str, Any]) -> str:
    """Return who wrote a memory and when; "" for a hit in a file."""
    return ", ".join(part for part in (hit["author"], moment(hit["ts"])) if part)


def _symbols(names: str) -> str:
    """Return the names that a hit defines; a terminal gets the first ones."""
    each = names.split()
    more = len(each) - MAX_SYMBOLS if for_people() else 0
    return f"  {' '.join(each[:MAX_SYMBOLS])} +{more}" if more > 0 else f"  {names}" if names else ""


def _limit(hit: dict[str, Any]) -> str:
    scope = hit["scope"]
    return f"  {scope}" if scope != "project" else "  private" if hit["private"] else ""


def _certainty(console: Console, hit: dict[str, Any]) -> None:
    """Print how sure it is that a memory answers, and from which value on one is shown above the others."""
    if hit["certainty"] is None:
        return
    beside = "" if hit["certainty"] >= hit["least_certainty"] else "; one a little below is added"
    line(
        console,
        (f"       {hit['certainty']:6.3f} ", "bar"),
        ("certainty ", "name"),
        (f"{hit['least_certainty']:.2f} or more is listed first{beside}", "faint"),
    )


def _reason(console: Console, reason: dict[str, Any]) -> None:
    line(
        console,
        (f"       {reason['contribution']:+.3f} ", "bar"),
        (f"{reason['signal']} ", "name"),
        (f"{reason['value']:.3g} × {reason['weight']:.3g}", "faint"),
        (f"  {reason['note']}" if reason["note"] else "", "faint"),
    )
