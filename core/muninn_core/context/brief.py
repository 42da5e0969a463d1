"""The brief that a session starts with: what must not be forgotten, within a number of characters."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from muninn_core.context.staleness import warning
from muninn_core.model.citation import Citation
from muninn_core.model.memory import Memory
from muninn_core.model.value import Value
from muninn_core.protocol.repository import FocusStatus
from muninn_core.source.project import Project
from muninn_core.source.shortcode import same_code

IMPORTANT = 7
"""From this importance on a memory is part of a brief without being asked for."""

RECENT = 20
"""How many of the newest are part of a brief whatever they are, where there is room."""

LEARNED = 8
"""How many of the newest memories of the current task come first."""

ITEM_CHARS = 320
"""The most characters of one memory in a brief; recall has the rest."""

SHORTEST_LINE = len("- [entity, 2026-01-01] x\n")
"""With less room than this left, no memory needs to be tried."""


TOUCHED, STALE, LEFT_OPEN = 8, 3, 2
"""How many memories of the files in work, stale ones, and lists of what was left open are told."""


class CitationLookup(NamedTuple):
    """Where a session starts: the project, what is being worked at, and the newest learned on the current task.

    `since` are lines about what happened since the session before, `records` and `disputes` about decision records
    that the work tree's changes touch, and about contradictions. `touched` are memories of the files that the work tree
    changes, `stale` those whose code is not what it was, `left_open` what earlier sessions did not finish.
    """

    project: Project
    focus: FocusStatus
    learned: Sequence[Memory] = ()
    since: Sequence[str] = ()
    touched: Sequence[Memory] = ()
    records: Sequence[str] = ()
    stale: Sequence[Memory] = ()
    left_open: Sequence[Memory] = ()
    disputes: Sequence[str] = ()


class Brief(Value):
    """The brief's markdown, "" when there is nothing to say, and the memories in it."""

    text: str
    ids: tuple[str, ...]


def make_brief(
    memories: Iterable[Memory],
    *,
    pinned: Sequence[Memory],
    session: str | None,
    after_compaction: bool,
    conflicts: int,
    pending: int = 0,
    max_chars: int,
    standing: Callable[[Memory], Sequence[Citation]] = lambda _memory: (),
    place: CitationLookup | None = None,
) -> Brief:
    """Make a brief of the memories that may be recalled, given from the newest to the oldest; so are the pinned ones.

    What is being worked at stands in the heading. After a compaction comes first what this session stored: the agent
    has just lost it. Then what happened since the session before, what is remembered about the files in work and was
    learned on the current task, pins, contradictions, what is important, newest first, what was left open or has gone
    stale, then the newest of the rest. `standing` says how a memory's citations are; one that is stale is marked.
    `pending` memories wait for an approval and are only counted.
    """
    most = max_chars // SHORTEST_LINE  # there may be thousands: only so many are looked at for which there is room
    own: list[Memory] = []
    if after_compaction and session is not None:
        memories = list(memories)
        own = [memory for memory in memories if session in (memory.session, *memory.sessions)]
    important: list[Memory] = []
    recent: list[Memory] = []
    for memory in memories:
        if len(recent) < RECENT:
            recent.append(memory)
        if memory.importance >= IMPORTANT and len(important) < most:
            important.append(memory)
        if len(important) == most and len(recent) == RECENT:
            break
    sections: list[tuple[str, Sequence[Memory | str]]] = [
        ("Kept from before the compaction", own),
        ("Since the session before", place.since if place else ()),
        ("About the files that you are changing", (*place.touched[:TOUCHED], *place.records) if place else ()),
        (f"Learned on {place.focus.task}" if place else "", place.learned[:LEARNED] if place else ()),
        ("Pinned", pinned),
        ("Contradictions that wait for a person", place.disputes if place else ()),
        ("Important", [memory for memory in important if not place or memory not in place.left_open]),
        ("Left open by earlier sessions", place.left_open[:LEFT_OPEN] if place else ()),
        ("Stale: confirm, update or forget", place.stale[:STALE] if place else ()),
        ("Recent", recent),
    ]
    head = "# Memory of this repository (Muninn)\n" if place is None else _head(place, max_chars)
    said = place is not None and bool(place.focus.items or place.since or place.records or place.disputes)
    foot = '\nMore: the `recall` and `context` tools, or `muninn recall "…"`.\n'
    if conflicts:
        wait = "contradictions in memory wait" if conflicts > 1 else "contradiction in memory waits"
        foot = f"\n{conflicts} {wait} for a person: `muninn conflicts`.\n{foot}"
    if pending:
        wait = "memories wait" if pending > 1 else "memory waits"
        foot = f"\n{pending} {wait} for approval: `muninn memories --pending`.\n{foot}"
    return _fill(sections, head, foot, max_chars, lambda memory: warning(standing(memory)), alone=said or pending > 0)


def _head(place: CitationLookup, max_chars: int) -> str:
    """Return the heading: the project, what it is, and what is being worked at; at most half of the room."""
    name, described = place.project.name, place.project.description
    title = f"# Memory of {name} (Muninn)\n" if name else "# Memory of this repository (Muninn)\n"
    lines = [title, f"\n{described}\n"] if described else [title]
    now = place.focus
    for number, item in enumerate(now.items):
        current = ", current" if now.task and same_code(item.code, now.task) else ""
        learned = f", {item.memories} remembered" if item.memories else ""
        phase = item.phase or "no phase"
        lines.append("\n## Focus\n\n" if not number else "")
        lines.append(f"- {item.level} {item.code}: {item.title} ({phase}{current}{learned})\n")
    if now.task and not any(same_code(item.code, now.task) for item in now.items):
        lines.append(f"\nThe current task is {now.task}.\n")
    while len(lines) > 1 and utf16_length("".join(lines)) > max_chars // 2:
        lines.pop()
    return "".join(lines)


def _fill(
    sections: Sequence[tuple[str, Sequence[Memory | str]]],
    head: str,
    foot: str,
    max_chars: int,
    warn: Callable[[Memory], str],
    *,
    alone: bool,
) -> Brief:
    """Put in what there is room for. `alone`: head, foot and plain lines are worth reading without any memory."""
    parts, ids = [head], dict[str, None]()
    left = max_chars - utf16_length(head + foot)
    for title, entries in sections:
        heading = f"\n## {title}\n\n"
        for entry in entries:
            if left < len(heading) + SHORTEST_LINE:
                break
            if isinstance(entry, Memory) and entry.id in ids:
                continue
            line = heading + (entry if isinstance(entry, str) else memory_line(entry, warn(entry)))
            length = utf16_length(line)
            if length > left:
                continue  # a shorter one may still fit
            parts.append(line)
            left -= length
            heading = ""
            if isinstance(entry, Memory):
                ids[entry.id] = None
    said = bool(ids) or (alone and left >= 0)
    return Brief(text="".join([*parts, foot]) if said else "", ids=tuple(ids))


def memory_line(memory: Memory, warned: str) -> str:
    """Return a memory as one line of a list; `warned` says what is stale about it."""
    said = " ".join(memory.text.split())
    if len(said) > ITEM_CHARS:
        said = said[: ITEM_CHARS - 1].rstrip() + "…"
    files = f" ({', '.join(memory.files[:3])})" if memory.files else ""
    mark = memory.scope if memory.scope != "project" else "private" if memory.private else ""
    kind = f"{memory.type}, {mark}" if mark else memory.type
    return f"- [{kind}, {memory.ts[:10]}] {said}{files}{f' [{warned}]' if warned else ''}\n"


def utf16_length(text: str) -> int:
    """Return the length in UTF-16 units, in which agents count their limits."""
    return len(text.encode("utf-16-le", "surrogatepass")) // 2
