"""What was found: hits of recall, a brief."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from muninn_cli.screen import clipped, joined, line, sentence, untouched
from muninn_cli.show.citations import stale
from muninn_cli.show.facts import count, own_title, place, provenance, seen, whereabouts
from muninn_cli.show.registry import renders

if TYPE_CHECKING:
    import argparse

    from rich.console import Console

LINES = 4
"""How many lines of a hit are shown."""

BAR = 8
"""The cells of a score's bar."""

_EIGHTHS = " ▏▎▍▌▋▊▉"


@renders("recall")
def recall(console: Console, result: dict[str, Any], given: argparse.Namespace) -> None:
    """Print the hits, best first: where, how good, the first lines, with `--why` the reasons."""
    hits = result["hits"]
    if not hits:
        line(console, ("Nothing found.", "warn"))
        _notes(console, result["notes"])
        if not result["notes"]:
            line(console, ("Other words may do, or `muninn status` says whether the index is complete.", "hint"))
        return
    top = max(hit["score"] for hit in hits)
    for hit in hits:
        _hit(console, hit, top, why=given.why)
    _notes(console, result["notes"])
    line(console, (joined(count(len(hits), "hit"), seen(result["saw"])), "faint"))
    if result["next"]:
        line(console, (f"more: muninn recall --page {result['next']}", "faint"))


@renders("brief")
def brief(console: Console, result: dict[str, Any], given: argparse.Namespace) -> None:
    """Print the brief's markdown as it is."""
    untouched(console, result["text"])


@renders("remind")
def remind(console: Console, result: dict[str, Any], given: argparse.Namespace) -> None:
    """Print the reminder as it is, or that there is none."""
    untouched(console, result["text"] or "Nothing that is sure enough, or new to this session.\n")


def _hit(console: Console, hit: dict[str, Any], top: float, *, why: bool) -> None:
    label = hit["type"] or hit["kind"]
    where = place(hit["path"], hit["start_line"], hit["end_line"])
    line(
        console,
        (f"{hit['score']:6.3f} ", "name"),
        (_bar(hit["score"], top) + " ", "bar"),
        (f"{label} ", hit["kind"]),
        (where or hit["id"], "path"),
        (f"  {hit['symbol']}" if hit["symbol"] else "", "name"),
        (f"  {count(hit['chunks'], 'piece')}" if hit["chunks"] > 1 else "", "faint"),
        (_limit(hit), "hint"),
    )
    stale(console, hit["cites"], indent=7)
    title = own_title(hit["title"], hit["text"])
    if title:
        line(console, (f"       {title}", "name"))
    marks = joined(*provenance(hit), hit["status"], *whereabouts(hit))
    if marks:
        line(console, (f"       {marks}", "hint"))
    _excerpt(console, hit)
    if why:
        for reason in hit["why"]:
            _reason(console, reason)
    console.print()


def _notes(console: Console, notes: list[str]) -> None:
    for note in notes:
        sentence(console, (note, "hint"))


def _excerpt(console: Console, hit: dict[str, Any]) -> None:
    """Print the lines that hold the question's words, these highlighted; without any, how the text begins."""
    for row in hit["snippet"]:
        number = f"{row['line']:6} " if hit["kind"] != "memory" else " " * 7
        line(console, (number, "faint"), *_marked(row["text"], row["marks"]))
    if not hit["snippet"]:
        for begin in clipped(hit["text"], LINES):
            line(console, (f"       {begin}", ""))


def _marked(text: str, marks: list[dict[str, int]]) -> list[tuple[str, str]]:
    """Return a line in parts; marks count UTF-16 code units."""
    units = text.encode("utf-16-le", "surrogatepass")
    parts, at = [], 0
    for mark in marks:
        parts += [(units[2 * at : 2 * mark["start"]], ""), (units[2 * mark["start"] : 2 * mark["end"]], "mark")]
        at = mark["end"]
    parts.append((units[2 * at :], ""))
    return [(part.decode("utf-16-le", "replace").expandtabs(4), style) for part, style in parts]


def _limit(hit: dict[str, Any]) -> str:
    scope = hit["scope"]
    return f"  {scope}" if scope != "project" else "  private" if hit["private"] else ""


def _reason(console: Console, reason: dict[str, Any]) -> None:
    line(
        console,
        (f"       {reason['contribution']:+.3f} ", "bar"),
        (f"{reason['signal']} ", "name"),
        (f"{reason['value']:.3g} × {reason['weight']:.3g}", "faint"),
        (f"  {reason['note']}" if reason["note"] else "", "faint"),
    )


def _bar(score: float, top: float) -> str:
    """Return a bar in proportion to the best score."""
    eighths = round(max(0.0, score) / top * BAR * 8) if top > 0 else 0
    whole, part = divmod(eighths, 8)
    return ("█" * whole + (_EIGHTHS[part] if part else "")).ljust(BAR)
