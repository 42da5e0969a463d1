"""What passes filters when nothing is asked beside them: memories by what they weigh, files in the order of paths."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from muninn_core.model.chunk import Chunk, SourceKind
from muninn_core.retrieval import weights as w
from muninn_core.retrieval.reader import ids_of_files, read_chunks
from muninn_core.retrieval.recall import HYBRID, Bounds, Candidate, Focus, Hybrid, Ranking, is_recallable
from muninn_core.retrieval.scoring import file_signals, memory_signals, unasked

if TYPE_CHECKING:
    from datetime import datetime

    from muninn_core.model.memory import Memory
    from muninn_core.retrieval.filters import FilterSet
    from muninn_core.retrieval.reader import Reader

MOST_FILES = 500
"""Files whose pieces are read, the first ones by path: who wants others narrows further."""


def browse(
    reader: Reader,
    sieve: FilterSet,
    bounds: Bounds,
    memories: Mapping[str, Memory],
    *,
    now: datetime,
    kind: SourceKind | None,
    focus: Focus,
    half_life: float = w.DECAY_DAYS,
    hybrid: Hybrid = HYBRID,
) -> Ranking:
    """Return what passes the sieve and is within the bounds, without a question to rank it by."""
    asked = unasked(now, focus, half_life, hybrid)
    chunks: list[tuple[Chunk, Memory | None]] = []
    if kind != "memory" and not sieve.memories_alone:
        paths = [path for path, tier, language in reader.paths() if sieve.file(path, tier, language)]
        of_files = read_chunks(reader, ids_of_files(reader, paths[:MOST_FILES]))
        chunks += [(chunk, None) for chunk in of_files if kind in (None, chunk.kind)]
    if kind in (None, "memory"):
        chunks += [
            (Chunk(kind="memory", path=each.id, start=1, end=1, text=each.text, title=each.title), each)
            for each in memories.values()
            if sieve.memory(each) and is_recallable(each, now)
        ]
    found = [
        Candidate(
            chunk,
            memory,
            file_signals(asked, chunk.path, chunk.kind)
            if memory is None
            else memory_signals(asked, memory, 0.0, 0.0, None),
        )
        for chunk, memory in chunks
        if bounds.admits(chunk, memory)
    ]
    return Ranking(sorted(found, key=lambda each: each.order))
