"""Convert chunks and memories to hits."""

from __future__ import annotations

from collections.abc import Sequence
from operator import attrgetter

from muninn_core.model.answer import Hit, Reason
from muninn_core.model.byline import writer
from muninn_core.model.chunk import Chunk
from muninn_core.model.citation import Citation, present_paths
from muninn_core.model.memory import Memory
from muninn_core.source.bridges.bridge import bridge_of, origin_of

_contribution = attrgetter("contribution")


def hit_of(
    chunk: Chunk, memory: Memory | None, reasons: Sequence[Reason], citations: Sequence[Citation] = (), newer: str = ""
) -> Hit:
    """Return the hit of a chunk, or of `memory` if one is given. The score is the sum of the reasons' contributions.

    `newer` is the id of a newer version of the memory's fact.
    """
    score = round(sum(map(_contribution, reasons)), 4)
    if memory is None:
        bridge = bridge_of(chunk.path) if chunk.kind == "knowledge" else None
        return Hit(
            kind=chunk.kind,
            id=f"{chunk.path}:{chunk.start}-{chunk.end}",
            path=chunk.path,
            start_line=chunk.start,
            end_line=chunk.end,
            score=score,
            why=tuple(reasons),
            text=chunk.text,
            title=chunk.title,
            type=chunk.language,
            symbol=chunk.symbol,
            trust=bridge.trust if bridge else None,
            origin=origin_of(chunk.path) if bridge else "",
        )
    return memory_hit(memory, reasons, citations, newer)


def memory_hit(memory: Memory, reasons: Sequence[Reason], citations: Sequence[Citation] = (), newer: str = "") -> Hit:
    """Return the hit of a memory. `citations` are its citations in the current work tree."""
    path, start, end = location_of(memory, citations)
    return Hit(
        kind="memory",
        id=memory.id,
        path=path,
        start_line=start,
        end_line=end,
        score=round(sum(map(_contribution, reasons)), 4),
        why=tuple(reasons),
        text=memory.text,
        title=memory.title,
        type=memory.type,
        elsewhere=memory.elsewhere,
        work=memory.work,
        private=memory.private,
        scope=memory.scope,
        trust=memory.trust,
        cites=tuple(citations),
        origin=memory.origin,
        author=writer(memory.author, memory.actor, memory.agent),
        ts=memory.ts,
        newer=newer,
        repository=memory.repository,
    )


def location_of(memory: Memory, citations: Sequence[Citation] = ()) -> tuple[str, int, int]:
    """Return (path, first line, last line) of a memory's first cite, else of its first file with lines 0.

    `citations` are in the order of `memory.cites` and hold the current places of the code.
    """
    if memory.cites and citations:
        return citations[0].path, citations[0].start, citations[0].end
    if memory.cites:
        cite = memory.cites[0]
        return cite.path, cite.start, cite.end
    return next(iter(present_paths(memory.files, citations)), ""), 0, 0
