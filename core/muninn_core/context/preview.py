"""Markdown previews of the targets of references.

Texts from outside the repository are quoted and labelled with their origin.
"""

from __future__ import annotations

from collections.abc import Sequence

from muninn_core.context.hover import facts, headline, provenance, shorten
from muninn_core.context.staleness import warning
from muninn_core.model.answer import Hit
from muninn_core.model.citation import Citation
from muninn_core.model.memory import Memory

LINES = 12
"""The maximum number of lines of a file in a preview."""

WIDTH = 160
TEXT_LENGTH = 600


def memory_preview(memory: Memory, citations: Sequence[Citation]) -> str:
    """Return a memory: title, facts, warning, quoted text, files and id."""
    stale = warning(citations)
    parts = [f"**{headline(memory)}**", " · ".join(facts(memory))]
    parts += [f"⚠ {stale}"] if stale else []
    text = shorten(memory.text, TEXT_LENGTH)
    parts += [f"> {text}"] if text and text != headline(memory) else []
    parts += [f"about {', '.join(memory.files[:5])}"] if memory.files else []
    return "\n\n".join([*parts, f"`{memory.id}`"])


def text_preview(path: str, lines: Sequence[str], start: int, language: str, notes: Sequence[str] = ()) -> str:
    """Return the first of the lines, which begin at `start` (1-based), in a fence, with `notes` above it."""
    shown = [line if len(line) <= WIDTH else line[: WIDTH - 1] + "…" for line in lines[:LINES]]
    shown += ["…"] if len(lines) > LINES else []
    fence = "```"
    while any(fence in line for line in shown):
        fence += "`"
    place = f"{path}:{start}-{start + len(lines) - 1}" if lines else path
    head = " · ".join([f"`{place}`", *notes])
    return "\n".join([head, "", f"{fence}{language}", *shown, fence])


def question_preview(question: str, hits: Sequence[Hit]) -> str:
    """Return the hits of a question, one line each."""
    if not hits:
        return f"**{shorten(question, 100)}** finds nothing."
    found = [
        f"- {hit.kind}: {shorten(hit.title or hit.symbol or hit.text, 90)}"
        + (f" `{hit.path}:{hit.start_line}`" if hit.kind != "memory" and hit.path else "")
        + "".join(f" ({note})" for note in provenance(hit.trust, hit.origin)[:1])
        for hit in hits
    ]
    return "\n".join([f"**{shorten(question, 100)}** finds", "", *found])
