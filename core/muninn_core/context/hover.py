"""What an editor shows when the pointer rests on a file: the memories about it, as markdown.

A pure function of memories and a place. It knows no editor and no index.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from muninn_core.context.standing import warning
from muninn_core.model.citation import Citation
from muninn_core.model.memory import Memory
from muninn_core.protocol.results import Mention

Citations = Mapping[str, Sequence[Citation]]
"""How memories' citations stand, by the memory's id."""

_NONE: Citations = {}

SHOWN = 5
"""A hover with more memories than this is not read."""

TEXT_LENGTH = 300
"""Characters of a memory's text; the whole of it is one `memories` call away."""

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

_MARKS = re.compile(r"([\\`*_\[\]<>#|])")


def hover_markdown(
    memories: Sequence[Memory],
    path: str,
    line: int,
    citations: Citations = _NONE,
    origin: str = "",
    mentions: Sequence[Mention] = (),
) -> str | None:
    """Return the memories about `path` as markdown, those whose spans cover `line` (1-based) first; None for none.

    Beyond that the given order is kept, pinned ones ahead. Texts are quoted, so that none of them can pass for the
    editor's own words. A memory whose code has changed since is marked. `origin` is the pack that the file belongs to;
    `mentions` of other tools come last.
    """
    source = [_plain(" · ".join(provenance("outside", origin)))] if origin else []
    also = ["\n".join(["**Also in**", "", *(f"- {_plain(mentioned(each))}" for each in mentions)])] if mentions else []
    if not memories:
        return "\n\n".join([*source, *also]) or None
    ordered = sorted(memories, key=lambda memory: (not covers(memory, path, line, citations), not memory.pinned))
    parts = [*source, f"**Remembered about** `{path}`"]
    parts += [_entry(memory, path, citations.get(memory.id, ())) for memory in ordered[:SHOWN]]
    if len(ordered) > SHOWN:
        parts.append(f"… and {len(ordered) - SHOWN} more")
    return "\n\n".join([*parts, *also])


def covers(memory: Memory, path: str, line: int, citations: Citations = _NONE) -> bool:
    """Whether a memory cites a span of `path` that contains `line`. A citation of the whole file is no span.

    Where it is known how the citations stand, the span is where the code is now.
    """
    spans = citations.get(memory.id) or memory.cites
    return any(one.path == path and 0 < one.start <= line <= one.end for one in spans)


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


def _entry(memory: Memory, path: str, citations: Sequence[Citation]) -> str:
    cited = citations or memory.cites
    spans = [f"lines {one.start}-{one.end}" for one in cited if one.path == path and one.start]
    lines = [f"**{_plain(headline(memory))}**  ", _plain(" · ".join(facts(memory) + spans[:2]))]
    stale = warning(citations)
    lines += ["", f"⚠ {_plain(stale)}"] if stale else []
    text = shorten(memory.text, TEXT_LENGTH)
    if text and text != headline(memory):
        lines += ["", f"> {_plain(text)}"]
    return "\n".join(lines)


def _plain(text: str) -> str:
    """Take the meaning from the characters that markdown gives one."""
    return _MARKS.sub(r"\\\1", text)
