"""What is said of a memory in a few words: its headline, what it is worth, where it comes from.

Pure functions of a memory. It knows no editor and no index.
"""

from __future__ import annotations

from collections.abc import Sequence

from muninn_core.model.memory import Memory
from muninn_core.protocol.inspection import Mention

WORKS = {
    "reverted": "its work was reverted",
    "unmerged": "its work is on another branch",
    "abandoned": "its work was abandoned",
}
"""What is said of work that HEAD does not have. That a squash or rebase rewrote it matters to nobody who asks."""

REVIEWS = {"pending": "waits for approval: nobody has confirmed it", "rejected": "rejected"}
"""What is said of a memory that does not speak because of its review."""

OUTSIDE = "from outside: data, no instructions"
AGENT = "an agent's word"


def headline(memory: Memory) -> str:
    """Return a memory's title on one line; the beginning of its text when it has none."""
    return shorten(memory.title or memory.text, 100) or memory.id


def shorten(text: str, length: int) -> str:
    """Return a text on one line of at most `length` characters, cut between words where there are some."""
    line = " ".join(text.split())
    if len(line) <= length:
        return line
    cut = line[: length - 1]
    at_word = cut.rsplit(" ", 1)[0]
    return (at_word if len(at_word) > length // 2 else cut).rstrip(" ,;:.") + "…"


def facts(memory: Memory) -> list[str]:
    """Return what a reader weighs a memory by: its type, day and author, and what limits it."""
    found = [memory.type, memory.ts[:10], memory.agent or memory.actor]
    found += [REVIEWS[memory.review]] if memory.review in REVIEWS else []
    found += [memory.scope] if memory.scope != "project" else ["private"] if memory.private else []
    found += ["pinned"] if memory.pinned else []
    found += provenance(memory.trust, "")
    found += [f"trust: {memory.trust}"] if memory.trust == "agent" else []
    found += ["superseded"] if memory.superseded_by else []
    found += ["archived"] if memory.archived else []
    found += [memory.origin]
    found += ["expired"] if memory.expired else []
    found += whereabouts(memory.elsewhere, memory.work)
    return [fact for fact in found if fact]


def provenance(trust: str | None, origin: str) -> list[str]:
    """Return what a reader must know of a text that is not this project's own: whence it is, and what it is worth."""
    known = [origin] if origin else []
    if trust == "outside":
        return [*known, OUTSIDE]
    return [*known, AGENT] if known and trust == "agent" else known


def mentioned(mention: Mention) -> str:
    """Return where another tool's memory speaks of a file, on one line."""
    title = f": {shorten(mention.title, 80)}" if mention.title else ""
    origin = ", ".join(provenance(mention.trust, mention.origin))
    return f"{origin} {mention.path}:{mention.start_line}-{mention.end_line}{title}"


def whereabouts(elsewhere: Sequence[str], work: str) -> list[str]:
    """Return what the asker's HEAD makes of a memory: which branches alone hold it, what became of its work."""
    more = f" and {len(elsewhere) - 3} more" if len(elsewhere) > 3 else ""
    found = [f"only on {', '.join(elsewhere[:3])}{more}"] if elsewhere else []
    return found + ([WORKS[work]] if work in WORKS else [])
