"""Finds the candidates of a question within its filters and limits, by words and vectors on one scale."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING

from muninn_core.model.chunk import SOURCE_KINDS, Among, Chunk, SourceKind
from muninn_core.retrieval import weights as w
from muninn_core.retrieval.concurrent import LARGE, start
from muninn_core.retrieval.decay import recallable_among
from muninn_core.retrieval.pool import Pool, ScoredChunk
from muninn_core.retrieval.query.query_terms import parse_query
from muninn_core.store.folding.lazy_mapping import getter

if TYPE_CHECKING:
    import numpy as np

    from muninn_core.model.memory import Memory
    from muninn_core.retrieval.reader import Asked, Ids, Matches, Reader, Source
    from muninn_core.retrieval.request import Allowed, SearchRequest

_tuple = tuple.__new__

FILE_KINDS: Sequence[SourceKind] = ("code", "knowledge")
"""The kinds that the table's vectors are always compared with."""

Scores = Mapping[int, tuple[float, float]]
"""The match by words and by meaning, 0..1, of the candidates of one source, by id."""


def candidates(reader: Reader, request: SearchRequest) -> Pool:
    """Return the best candidates within the bounds.

    The search widens while the bounds reject too many candidates, up to `MOST_CANDIDATES`.
    """
    query, limit, kind, bounds = parse_query(request.text, request.title), request.limit, request.kind, request.bounds
    asked = query.factors if request.title else query.words
    whole_files = start(reader.documents, lambda: () if kind == "memory" else reader.whole_files(asked, w.FILES, kind))
    files: Mapping[str, float] | None = None
    reach = w.CANDIDATES
    while True:
        lexical = start(reader.documents, partial(lexical_matches, reader, asked, reach, kind, bounds.allowed))
        early = near_matches(reader, request, reach) if reader.documents >= LARGE else None
        words = lexical()
        if files is None:
            files = _scaled_files(whole_files())
        # Last in a small index: until then, another thread encodes the question.
        dense, encoded = early or near_matches(reader, request, reach)
        known = _completed(reader, request, words, encoded)
        fused = fuse(words, dense, known, mixed=kind is None)
        best = _best(fused, max(w.SCORED, 3 * limit) * reach // w.CANDIDATES)
        if kind is None:
            best = _with_memories(best, fused, known)
        found = admitted_chunks(reader, request, best, fused)
        enough = len(found) >= limit or len(found) == _count(best) or _count(fused) < reach
        if enough or reach >= w.MOST_CANDIDATES:
            nearest = max(_top(dense), _top(encoded))
            small = _count(dense) + _count(encoded) < reach
            return Pool(query, found, files, nearest, small, _top(words))
        reach *= w.GROWTH


def admitted_chunks(reader: Reader, request: SearchRequest, ids: Ids, scores: Sequence[Scores]) -> list[ScoredChunk]:
    """Return the chunks among `ids` that the request may find, with their scores."""
    memory_of, now, admits = getter(request.memories), request.now, request.bounds.admits
    every_file, project = request.bounds.admits_files, request.bounds.admits_project
    passing = request.bounds.files
    known = request.bounds.passing if request.bounds.admits_passing else None
    members = known.members if known is not None else frozenset()
    found: list[ScoredChunk] = []
    for source, wanted, matches in zip(reader.sources, ids, scores, strict=True):
        if not wanted:
            continue
        memories = source.memories_of_numbers(wanted)
        files = source.chunks([number for number in wanted if number not in memories])
        # Without the constructor of the tuple, which is a Python function.
        found += [
            _tuple(ScoredChunk, (chunk, None, *matches[number]))
            for number, chunk in files.items()
            if every_file or (chunk.path in passing if passing is not None else admits(chunk, None))
        ]
        recallable = recallable_among(memories.values(), memory_of, now)
        for number, identity in memories.items():
            memory = recallable.get(identity)
            if memory is not None:  # its text is that of the log: the index is not asked for it
                chunk = Chunk(kind="memory", path=identity, start=1, end=1, text=memory.text, title=memory.title)
                if (memory.scope == "project" and (project or identity in members)) or admits(chunk, memory):
                    found.append(_tuple(ScoredChunk, (chunk, memory, *matches[number])))
    return found


def memory_chunk(memory: Memory) -> Chunk:
    """Return a chunk with a memory's title and text, for a candidate that was not found through the index."""
    return Chunk(kind="memory", path=memory.id, start=1, end=1, text=memory.text, title=memory.title)


def near_matches(reader: Reader, request: SearchRequest, reach: int) -> tuple[Sequence[Matches], Sequence[Matches]]:
    """Return the nearest chunks of each source by the table's vector, and the nearest memories by their encodings.

    Without an encoded question, memories are among the first. Either list is empty without a vector.
    """
    kind, allowed = request.kind, request.bounds.allowed
    if request.encoded is None:
        return ([] if request.vector is None else dense_matches(reader, request.vector, reach, kind, allowed)), []
    encoded: list[Matches] = []
    if kind in (None, "memory") and (allowed is None or "memory" in allowed):
        encoded = encoded_matches(
            reader, request.encoded.vector, reach, allowed, max(reach, w.SCORED, 3 * request.limit)
        )
    if kind == "memory" or request.vector is None:
        return [], encoded
    files: Allowed = dict.fromkeys(FILE_KINDS) if allowed is None else allowed
    files = {tier: ids for tier, ids in files.items() if tier in FILE_KINDS}
    return dense_matches(reader, request.vector, reach, kind, files), encoded


def memory_cosines(source: Source, request: SearchRequest, ids: Sequence[int]) -> Matches:
    """Return the cosines of memories of a source to the question, by the encoder if the question is encoded."""
    if request.encoded is not None:
        return source.encoded_cosines(request.encoded.vector, ids)
    return source.cosines(request.vector, ids) if request.vector is not None and ids else ()


def encoded_matches(
    reader: Reader, vector: np.ndarray, limit: int, allowed: Allowed | None = None, most: int | None = None
) -> list[Matches]:
    """Return the `limit` memories of each source that are nearest by their encodings.

    Within `allowed`, if given, the nearest `most`.
    """
    ids = None if allowed is None else allowed.get("memory")
    if ids is None:
        return [source.nearest_encoded(vector, limit) for source in reader.sources]
    pairs = zip(reader.sources, ids, strict=True)
    return [source.encoded_cosines(vector, some, most) if some else () for source, some in pairs]


def fuse(
    lexical: Sequence[Matches], dense: Sequence[Matches], encoded: Sequence[Matches] = (), *, mixed: bool = False
) -> Sequence[Scores]:
    """Scale the matches of all sources and merge them by source and id. `dense` and `encoded` may be empty.

    Words, and cosines of the table, are scaled to 0..1. A cosine of the text encoder means the same in every question,
    so that it is multiplied by a constant; `mixed` with code, the best is scaled to 1 at most.
    """
    top = _top(lexical)
    words = [{number: score / top for number, score in found} if top > 0 else {} for found in lexical]
    fused: list[dict[int, tuple[float, float]]]
    fused = [{number: (value, 0.0) for number, value in found.items()} for found in words]
    if _count(dense):
        high = _top(dense)
        # Without a floor, the best neighbour of an unrelated question would score 1.
        floor = min(_at_rank(dense, w.FLOOR_RANK), max(0.0, high - w.FLOOR_BELOW))
        _add_meaning(fused, dense, floor, high - floor)
    if _count(encoded):
        # Beside code a memory's meaning counts 1 at most, like that of code.
        _add_meaning(fused, encoded, 0.0, max(_top(encoded), 1 / w.ENCODER_FACTOR) if mixed else 1 / w.ENCODER_FACTOR)
    return fused


def _add_meaning(
    fused: Sequence[dict[int, tuple[float, float]]], matches: Sequence[Matches], floor: float, span: float
) -> None:
    for found, near in zip(fused, matches, strict=True):
        for number, score in near:
            if score > floor:
                found[number] = (found.get(number, (0.0, 0.0))[0], (score - floor) / span)


def _completed(
    reader: Reader, request: SearchRequest, lexical: Sequence[Matches], encoded: Sequence[Matches]
) -> Sequence[Matches]:
    """Add the cosines of memories that words found: a memory's cosine counts whatever its rank."""
    if request.encoded is None or not encoded:
        return encoded
    vector = request.encoded.vector
    complete: list[Matches] = []
    for source, words, near in zip(reader.sources, lexical, encoded, strict=True):
        known = {number for number, _ in near}
        missing = [number for number, _ in words if number not in known]
        complete.append([*near, *source.encoded_cosines(vector, missing)] if missing else near)
    return complete


def lexical_matches(
    reader: Reader,
    words: Asked,
    limit: int,
    kind: SourceKind | None,
    allowed: Allowed | None = None,
) -> list[Matches]:
    """Return the lexical matches of each source, within `allowed` if given: all kinds are searched at once."""
    if allowed is None:
        return [source.lexical(words, limit, kind) for source in reader.sources]
    found: list[Matches] = []
    for position, source in enumerate(reader.sources):
        tiers = {tier: ids for tier, ids in _tiers(allowed, kind, position) if ids is None or ids}
        some = tuple([ids for ids in tiers.values() if ids is not None])
        if len(tiers) > 1 and (some or len(tiers) < len(SOURCE_KINDS)):
            among = Among(some, tuple([tier for tier, ids in tiers.items() if ids is None]))
            found.append(source.lexical(words, limit, only=among))
        elif len(tiers) > 1:
            found.append(source.lexical(words, limit))
        else:
            found += [source.lexical(words, limit, tier, only=ids) for tier, ids in tiers.items()] or [()]
    return found


def dense_matches(
    reader: Reader, vector: np.ndarray, limit: int, kind: SourceKind | None, allowed: Allowed | None = None
) -> list[Matches]:
    """Return the nearest chunks of each source; with `allowed`, the nearest `limit` over all sources, and ties."""
    if allowed is None:
        return [source.dense(vector, limit, kind) for source in reader.sources]
    found = [
        _merged(
            source.dense(vector, limit, tier) if ids is None else source.cosines(vector, ids, limit)
            for tier, ids in _tiers(allowed, kind, position)
            if ids is None or ids
        )
        for position, source in enumerate(reader.sources)
    ]
    if _count(found) <= limit:
        return found
    last = _at_rank(found, limit)
    return [[match for match in matches if match[1] >= last] for matches in found]


def _tiers(
    allowed: Allowed, kind: SourceKind | None, position: int
) -> Iterable[tuple[SourceKind, Sequence[int] | None]]:
    """Yield each wanted kind with the ids of one source that may be found, None for all."""
    for tier, ids in allowed.items():
        if kind in (None, tier):
            yield tier, None if ids is None else ids[position]


def _merged(lists: Iterable[Matches]) -> Matches:
    every = sorted([(-score, number) for found in lists for number, score in found])
    return [(number, -score) for score, number in every]


def _scaled_files(found: Sequence[tuple[str, float]]) -> dict[str, float]:
    top = max([score for _, score in found], default=0.0)
    return {path: score / top for path, score in found} if top > 0 else {}


def _top(found: Iterable[Matches]) -> float:
    """Return the highest score of all sources, 0 without matches."""
    return max([score for matches in found for _, score in matches], default=0.0)


def _at_rank(found: Sequence[Matches], rank: int) -> float:
    """Return the score at a 1-based rank over all sources; the lowest score when there are fewer."""
    if len(found) == 1:
        return found[0][min(len(found[0]), rank) - 1][1]
    scores = sorted([score for matches in found for _, score in matches], reverse=True)
    return scores[min(len(scores), rank) - 1]


def _count(groups: Iterable[Sequence[object] | Scores]) -> int:
    return sum(map(len, groups))


def _with_memories(best: Ids, fused: Sequence[Scores], encoded: Sequence[Matches]) -> Ids:
    """Return the ids with the best `SCORED_MEMORIES` memories: beside code, their tokens decide, not their words."""
    memories: list[Scores] = [
        {number: scores[number] for number, _ in found if number in scores}
        for scores, found in zip(fused, encoded, strict=False)
    ]
    if not memories:
        return best
    further = _best(memories, w.SCORED_MEMORIES)
    return [list(dict.fromkeys((*ids, *some))) for ids, some in zip(best, further, strict=True)]


def _best(fused: Sequence[Scores], count: int) -> Ids:
    """Return the ids of the best `count` candidates by source, and ties: ids differ between builds."""
    if _count(fused) <= count:
        return [list(scores) for scores in fused]
    sums = [
        {number: w.WORDS * words + w.MEANING * meaning for number, (words, meaning) in scores.items()}
        for scores in fused
    ]
    ranked = [sorted(scores, key=scores.__getitem__, reverse=True) for scores in sums]
    if len(sums) == 1:
        last = sums[0][ranked[0][count - 1]]
    else:
        last = sorted([value for scores in sums for value in scores.values()], reverse=True)[count - 1]
    return [[number for number in ids if scores[number] >= last] for ids, scores in zip(ranked, sums, strict=True)]
