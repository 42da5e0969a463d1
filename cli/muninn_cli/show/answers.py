"""What was found: hits of recall, a brief."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from muninn_cli.screen import clipped, joined, line, untouched
from muninn_cli.show.citations import stale
from muninn_cli.show.facts import count, own_title, place, provenance, seen, whereabouts

if TYPE_CHECKING:
    import argparse

    from rich.console import Console

LINES = 4
"""How many lines of a hit are shown."""

BAR = 8
"""The cells of a score's bar."""

_EIGHTHS = " ▏▎▍▌▋▊▉"


def recall(console: Console, result: dict[str, Any], given: argparse.Namespace) -> None:
    """Print the hits, best first: where, how good, the first lines, with `--why` the reasons."""
    hits = result["hits"]
    if not hits:
        line(console, ("Nothing found.", "warn"))
        line(console, ("Other words may do, or `muninn status` says whether the index is complete.", "hint"))
        return
    top = max(hit["score"] for hit in hits)
    for hit in hits:
        _hit(console, hit, top, why=given.why)
    line(console, (joined(count(len(hits), "hit"), seen(result["saw"])), "faint"))


def brief(console: Console, result: dict[str, Any], given: argparse.Namespace) -> None:
    """Print the brief's markdown as it is."""
    untouched(console, result["text"])


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
        (_limit(hit), "hint"),
    )
    stale(console, hit["cites"], indent=7)
    title = own_title(hit["title"], hit["text"])
    if title:
        line(console, (f"       {title}", "name"))
    marks = joined(*provenance(hit), hit["status"], *whereabouts(hit))
    if marks:
        line(console, (f"       {marks}", "hint"))
    for row in clipped(hit["text"], LINES):
        line(console, (f"       {row}", ""))
    if why:
        for reason in hit["why"]:
            _reason(console, reason)
    console.print()


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
