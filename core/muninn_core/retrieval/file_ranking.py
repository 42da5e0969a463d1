"""Ranks the chunks of files in two passes: a cheap one over all chunks, a full one over the best.

The first pass computes plain numbers, since most candidates never become a hit.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from muninn_core.retrieval import weights as w
from muninn_core.retrieval.scoring import (
    ScoringContext,
    beyond_words,
    crowd_signal,
    file_signals,
    match_of,
    parts_signal,
    spread_signal,
    symbol_signals,
)
from muninn_core.retrieval.signals import Signal
from muninn_core.source.classify import path_traits

if TYPE_CHECKING:
    from muninn_core.model.chunk import Chunk
    from muninn_core.retrieval.pool import ScoredChunk


Judged = tuple["Chunk", list[Signal]]
"""A chunk of a file and its signals."""

_Part = tuple[float, int, int, "ScoredChunk", list[Signal]]
"""(negative match, first line, last line, chunk, name signals). Sorting puts the best match first."""

_MARGIN = 1e-3
"""A tolerance above the rounding error of a score."""


def rank_files(context: ScoringContext, found: Sequence[ScoredChunk], count: int) -> list[Judged]:
    """Return the `count` best chunks and ties, with all signals, unordered."""
    matches = [one.words * w.WORDS + beyond_words(one) * w.MEANING for one in found]
    files: dict[str, list[int]] = {}
    for i, one in enumerate(found):
        files.setdefault(one.chunk.path, []).append(i)
    shared = {path: file_signals(context, path, found[pieces[0]].chunk.kind) for path, pieces in files.items()}
    sums = {path: sum([each[3] for each in signals]) for path, signals in shared.items()}
    # Match names only where they can bring a chunk into the top `NAMED`.
    least = _at(w.NAMED, [match + sums[one.chunk.path] for match, one in zip(matches, found, strict=True)])
    spread = _spread(found, files) if context.query.change else {}
    ranked: list[tuple[float, _Part, list[Signal]]] = []
    for path, pieces in files.items():
        own = sums[path]
        parts = [_part(context, found[i], matches[i], matches[i] + own >= least) for i in pieces]
        parts.sort(key=_place)
        for place, part in enumerate(parts):
            beside = (
                crowd_signal(context, place)
                if place
                else parts_signal([-one[0] for one in parts[1:]]) + spread.get(path, [])
            )
            ranked.append((own - part[0] + sum([one[3] for one in beside]), part, beside))
    last = _at(count, [entry[0] for entry in ranked])
    return [
        (one.chunk, [*match_of(one), *names, *shared[one.chunk.path], *beside])
        for score, (_, _, _, one, names), beside in ranked
        if score >= last
    ]


def _spread(found: Sequence[ScoredChunk], files: Mapping[str, Sequence[int]]) -> dict[str, list[Signal]]:
    """Return {path: `spread` signal} of the code files."""
    counts = {path: len(pieces) for path, pieces in files.items() if found[pieces[0]].chunk.kind == "code"}
    most = max([count for path, count in counts.items() if "test" not in path_traits(path)], default=1)
    return {path: spread_signal(count, most) for path, count in counts.items()}


def _part(context: ScoringContext, one: ScoredChunk, match: float, with_names: bool) -> _Part:
    chunk = one.chunk
    names = symbol_signals(context, chunk.symbol) if with_names and chunk.symbol else []
    return (-match - sum([each[3] for each in names]), chunk.start, chunk.end, one, names)


def _place(part: _Part) -> tuple[float, int, int]:
    return part[:3]


def _at(count: int, scores: Sequence[float]) -> float:
    """Return the score of the last of the `count` best, less a margin; minus infinity where there are fewer."""
    return sorted(scores, reverse=True)[count - 1] - _MARGIN if len(scores) > count else float("-inf")
