"""Markdown previews of the targets of references.

Texts from outside the repository are quoted and labelled with their origin. All texts are escaped, because editors show
previews with working links, and would load images.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from muninn_core.context.editor.markdown import escape
from muninn_core.context.memory_summary import facts, headline, one_line, provenance, shorten
from muninn_core.context.staleness import warning
from muninn_core.model.answer import Hit
from muninn_core.model.citation import Citation
from muninn_core.model.memory import Memory

LINES = 12
"""The maximum number of lines of a file in a preview."""

WIDTH = 160
TEXT_LENGTH = 600


def memory_preview(memory: Memory, citations: Sequence[Citation], now: datetime) -> str:
    """Return a memory: title, facts, warning, quoted text, files and id."""
    stale = warning(citations)
    parts = [f"**{escape(headline(memory))}**", escape(" · ".join(facts(memory, now)))]
    parts += [f"⚠ {escape(stale)}"] if stale else []
    text = shorten(one_line(memory), TEXT_LENGTH)
    parts += [f"> {escape(text)}"] if text and text != headline(memory) else []
    parts += [escape(f"about {shorten(', '.join(memory.files[:5]), TEXT_LENGTH)}")] if memory.files else []
    return "\n\n".join([*parts, code(memory.id)])


def text_preview(path: str, lines: Sequence[str], start: int, language: str, notes: Sequence[str] = ()) -> str:
    """Return the first of the lines, which begin at `start` (1-based), in a fence, with `notes` above it."""
    shown = [line if len(line) <= WIDTH else line[: WIDTH - 1] + "…" for line in lines[:LINES]]
    shown += ["…"] if len(lines) > LINES else []
    fence = "```"
    while any(fence in line for line in shown):
        fence += "`"
    place = f"{path}:{start}-{start + len(lines) - 1}" if lines else path
    head = " · ".join([code(place), *map(escape, notes)])
    return "\n".join([head, "", f"{fence}{language}", *shown, fence])


def question_preview(question: str, hits: Sequence[Hit]) -> str:
    """Return the hits of a question, one line each."""
    if not hits:
        return f"**{escape(shorten(question, 100))}** finds nothing."
    found = [
        f"- {hit.kind}: {escape(shorten(hit.title or hit.symbol or hit.text, 90))}"
        + (f" {code(f'{hit.path}:{hit.start_line}')}" if hit.kind != "memory" and hit.path else "")
        + "".join(f" ({escape(note)})" for note in provenance(hit.trust, hit.origin)[:1])
        for hit in hits
    ]
    return "\n".join([f"**{escape(shorten(question, 100))}** finds", "", *found])


def code(text: str) -> str:
    """Return a text on one line as code; one with a backtick, which would end the code, escaped."""
    line = " ".join(text.split())
    return escape(line) if "`" in line or not line else f"`{line}`"
