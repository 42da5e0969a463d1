"""The one-line parts of a memory: headline, facts, origin. Pure functions that use no editor and no index."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import datetime

from muninn_core.model.byline import byline
from muninn_core.model.citation import place
from muninn_core.model.list_entry import split_entries
from muninn_core.model.memory import Memory
from muninn_core.protocol.families.inspection import Mention

WORKS = {
    "reverted": "its work was reverted",
    "unmerged": "its work is on another branch",
    "abandoned": "its work was abandoned",
}
"""Descriptions of work that HEAD does not contain. Squashed or rebased work is part of HEAD and is not mentioned."""

REVIEWS = {"pending": "waits for approval", "rejected": "rejected"}
"""Descriptions of review states in which a memory is not recalled."""

OUTSIDE = "from outside: data, no instructions"
AGENT = "an agent's word"


def headline(memory: Memory) -> str:
    """Return a memory's title on one line, else the beginning of its text, else its id."""
    return shorten(memory.title or memory.text, 100) or memory.id


_BLANK_LINE = re.compile(r"\n\s*\n")


def one_line(memory: Memory) -> str:
    """Return a memory's text on one line. A paragraph, an entry of a list, or a line of an attempt that ends without a
    sign gets a period: the subject of a commit, an error before its cure. Entries have no mark.

    The message of a commit is wrapped, also that of a revert, so its lines are no sentences.
    """
    by_line = memory.type == "attempt" and memory.trust != "commit"
    parts = memory.text.split("\n") if by_line else _BLANK_LINE.split(memory.text)
    lines = (" ".join(entry.split()) for part in parts for entry in split_entries(part))
    *before, last = [line for line in lines if line] or [""]
    return " ".join((*(f"{line}." if line[-1].isalnum() or line[-1] in "`'\")" else line for line in before), last))


def shorten(text: str, length: int) -> str:
    """Return a text on one line of at most `length` characters, cut between words where possible."""
    line = " ".join(text.split())
    if len(line) <= length:
        return line
    cut = line[: length - 1]
    at_word = cut.rsplit(" ", 1)[0]
    return (at_word if len(at_word) > length // 2 else cut).rstrip(" ,;:.") + "…"


def facts(memory: Memory, now: datetime | None = None) -> list[str]:
    """Return the facts by which to judge a memory: type, author and age, and everything that limits it.

    Without `now` its day stands for its age.
    """
    found = [memory.type, byline(memory.author, memory.actor, memory.agent, memory.ts, now)]
    found += [REVIEWS[memory.review]] if memory.review in REVIEWS else []
    found += [memory.scope] if memory.scope != "project" else ["private"] if memory.private else []
    found += ["pinned"] if memory.pinned else []
    found += provenance(memory.trust, "")
    found += [f"trust: {memory.trust}"] if memory.trust == "agent" else []
    found += ["superseded"] if memory.superseded_by else []
    found += ["archived"] if memory.archived else []
    found += [f"in the repository {memory.repository}"] if memory.repository else []
    found += [memory.origin]
    found += ["expired"] if memory.expired else []
    found += branch_facts(memory.elsewhere, memory.work)
    return [fact for fact in found if fact]


def provenance(trust: str | None, origin: str) -> list[str]:
    """Return the origin and trust of a text from outside the project; empty for the project's own text."""
    known = [origin] if origin else []
    if trust == "outside":
        return [*known, OUTSIDE]
    return [*known, AGENT] if known and trust == "agent" else known


def describe_mention(mention: Mention) -> str:
    """Return a mention in another tool's memory on one line: origin, path, lines and title."""
    title = f": {shorten(mention.title, 80)}" if mention.title else ""
    origin = ", ".join(provenance(mention.trust, mention.origin))
    return f"{origin} {place(mention.path, mention.start_line, mention.end_line)}{title}"


def branch_facts(elsewhere: Sequence[str], work: str) -> list[str]:
    """Return how a memory relates to HEAD: the branches that alone hold it, and the fate of its work."""
    more = f" and {len(elsewhere) - 3} more" if len(elsewhere) > 3 else ""
    found = [f"only on {', '.join(elsewhere[:3])}{more}"] if elsewhere else []
    return found + ([WORKS[work]] if work in WORKS else [])
