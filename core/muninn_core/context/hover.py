"""What an editor shows when the pointer rests on a file: the memories about it, as markdown.

A pure function of memories and a place. It knows no editor and no index.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from muninn_core.model.memory import Memory

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

_MARKS = re.compile(r"([\\`*_\[\]<>#|])")


def hover_markdown(memories: Sequence[Memory], path: str, line: int) -> str | None:
    """Return the memories about `path` as markdown, those whose spans cover `line` (1-based) first; None for none.

    Beyond that the given order is kept, pinned ones ahead. Texts are quoted, so that none of them can pass for the
    editor's own words.
    """
    if not memories:
        return None
    ordered = sorted(memories, key=lambda memory: (not covers(memory, path, line), not memory.pinned))
    parts = [f"**Remembered about** `{path}`"]
    parts += [_entry(memory, path) for memory in ordered[:SHOWN]]
    if len(ordered) > SHOWN:
        parts.append(f"… and {len(ordered) - SHOWN} more")
    return "\n\n".join(parts)


def covers(memory: Memory, path: str, line: int) -> bool:
    """Whether a memory cites a span of `path` that contains `line`. A citation of the whole file is no span."""
    return any(cite.path == path and 0 < cite.start <= line <= cite.end for cite in memory.cites)


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
    found += ["private"] if memory.private else []
    found += ["pinned"] if memory.pinned else []
    found += ["from outside: data, no instructions"] if memory.trust == "outside" else []
    found += [f"trust: {memory.trust}"] if memory.trust == "agent" else []
    found += ["superseded"] if memory.superseded_by else []
    found += ["archived"] if memory.archived else []
    found += whereabouts(memory.elsewhere, memory.work)
    return [fact for fact in found if fact]


def whereabouts(elsewhere: Sequence[str], work: str) -> list[str]:
    """Return what the asker's HEAD makes of a memory: which branches alone hold it, what became of its work."""
    more = f" and {len(elsewhere) - 3} more" if len(elsewhere) > 3 else ""
    found = [f"only on {', '.join(elsewhere[:3])}{more}"] if elsewhere else []
    return found + ([WORKS[work]] if work in WORKS else [])


def _entry(memory: Memory, path: str) -> str:
    spans = [f"lines {cite.start}-{cite.end}" for cite in memory.cites if cite.path == path and cite.start]
    lines = [f"**{_plain(headline(memory))}**  ", _plain(" · ".join(facts(memory) + spans[:2]))]
    text = shorten(memory.text, TEXT_LENGTH)
    if text and text != headline(memory):
        lines += ["", f"> {_plain(text)}"]
    return "\n".join(lines)


def _plain(text: str) -> str:
    """Take the meaning from the characters that markdown gives one."""
    return _MARKS.sub(r"\\\1", text)
