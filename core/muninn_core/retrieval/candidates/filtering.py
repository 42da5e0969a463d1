"""Applies filters and phrases before ranking, so that a filter never hides a lower-ranked match.

The ids of the passing chunks are computed first, and search is restricted to them. When more than half of a kind, or
more than `MAX_IDS` of its chunks pass, the whole kind is searched, `admits` rejects single chunks, and the search
widens its candidates.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from muninn_core.index.file_list import FileList
from muninn_core.model.chunk import SOURCE_KINDS, Chunk, SourceKind
from muninn_core.retrieval.candidates.generation import memory_chunk
from muninn_core.retrieval.decay import is_recallable
from muninn_core.retrieval.reader import Ids, Reader, ids_of_files, ids_of_memories
from muninn_core.retrieval.request import Bounds, Passing
from muninn_core.retrieval.text.phrase import holding, index_words

if TYPE_CHECKING:
    from datetime import datetime

    from muninn_core.model.memory import Memory
    from muninn_core.retrieval.candidates.memory_table import MemoryTable
    from muninn_core.retrieval.query.filters import FilterSet

MAX_IDS = 20_000
"""The most ids per kind in a restricted search. A search among this many costs some milliseconds."""

MAX_COMPARED = 3_000
"""The most chunks that are compared with a phrase: the best of those that contain all of its words."""

_SHARE = 0.5
"""A filter that passes a larger share of a kind's files, or of the memories, is applied by `admits` only."""


class Restrictions(NamedTuple):
    """What a question demands of each hit: it passes `filters`, contains all `phrases` and none of `without`."""

    filters: FilterSet
    phrases: Sequence[str] = ()
    without: Sequence[str] = ()


class Filtering(NamedTuple):
    """Bounds that include the filters.

    `files` and `memories` count those that pass the filters, None without filters. `compared` is false when more than
    `MAX_COMPARED` chunks may contain a phrase and only the best were compared.
    """

    bounds: Bounds
    files: int | None
    memories: int | None
    compared: bool


def apply_filters(
    reader: Reader,
    bounds: Bounds,
    memories: Mapping[str, Memory],
    restrictions: Restrictions,
    now: datetime,
    table: MemoryTable | None = None,
) -> Filtering:
    """Return `bounds` narrowed to what the restrictions admit.

    `table` has the columns of `memories`; None if there is no table of them.
    """
    filters, phrases, without = restrictions
    allowed: dict[SourceKind, Ids | None] = dict.fromkeys(SOURCE_KINDS)
    files = count = kept = passing_files = None
    if filters.filters:
        passing_files = _allow_files(reader, filters, allowed)
        files = len(passing_files)
        if table is not None:
            kept = table.passing(filters, now)
        else:
            passing_memories = (each for each in memories.values() if filters.memory(each))
            ids_kept = sorted(each.id for each in passing_memories if is_recallable(each, now))
            kept = Passing(tuple(ids_kept), frozenset(ids_kept))
        count = len(kept.ids)
        if count <= _SHARE * len(memories) and count <= MAX_IDS:
            allowed["memory"] = ids_of_memories(reader, kept.ids)
    compared = True
    for kind, ids in allowed.items() if phrases else ():
        allowed[kind], whole = _with_phrases(reader, kind, ids, phrases)
        compared = compared and whole
    within = _admitting(bounds, restrictions)._replace(allowed=allowed, passing=kept)
    if not (phrases or without):
        within = within._replace(
            admits_passing=bounds.admits_project, files=passing_files if bounds.admits_files else None
        )
    return Filtering(within, files, count, compared)


def _admitting(bounds: Bounds, restrictions: Restrictions) -> Bounds:
    filters = restrictions.filters
    holds = holding(restrictions.phrases)
    refused = [holding([phrase]) for phrase in restrictions.without]

    def admits(chunk: Chunk, memory: Memory | None) -> bool:
        passes = filters.file(chunk.path, chunk.kind, chunk.language) if memory is None else filters.memory(memory)
        return passes and bounds.admits(chunk, memory) and holds(chunk) and not any(has(chunk) for has in refused)

    return Bounds(admits, [each for each in bounds.required if admits(memory_chunk(each), each)], filters)


def _allow_files(reader: Reader, filters: FilterSet, allowed: dict[SourceKind, Ids | None]) -> frozenset[str]:
    """Set `allowed` to the chunks of the passing files where they are few; return the passing files."""
    files = reader.paths() if not filters.memories_alone else FileList()
    # What passes depends on the filters' fields alone: only memories have a time.
    passing = files.passing(filters.filters, filters.file)
    for kind, paths in passing.paths.items():
        if len(paths) <= _SHARE * passing.total[kind] and len(paths) <= MAX_IDS:
            ids = ids_of_files(reader, paths)
            allowed[kind] = ids if sum(map(len, ids)) <= MAX_IDS else None
    return passing.members


def _with_phrases(reader: Reader, kind: SourceKind, allowed: Ids | None, phrases: Sequence[str]) -> tuple[Ids, bool]:
    """Return the ids of a kind's chunks that contain all phrases, and whether all possible chunks were compared."""
    words = [word for phrase in phrases for word in index_words(phrase)]
    holds: Callable[[Chunk], bool] = holding(phrases)
    found: list[list[int]] = []
    compared = 0
    for position, source in enumerate(reader.sources):
        only = None if allowed is None else allowed[position]
        matches = source.lexical(words, MAX_COMPARED, kind, only=only, every=words) if only is None or only else ()
        compared += len(matches)
        numbers = sorted(number for number, _ in matches)
        found.append([number for number, chunk in source.chunks(numbers).items() if holds(chunk)])
    return found, compared < MAX_COMPARED
