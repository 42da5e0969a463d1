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

_MARGIN = 1e-3
"""A tolerance above the rounding error of a score."""


def rank_files(context: ScoringContext, found: Sequence[ScoredChunk], count: int) -> list[Judged]:
    """Return the `count` best chunks and ties, with all signals, unordered."""
    matches = [one.words * w.WORDS + more * w.MEANING for one, more in zip(found, beyond_words(found), strict=True)]
    files: dict[str, list[int]] = {}
    for row, one in enumerate(found):
        files.setdefault(one.chunk.path, []).append(row)
    shared = {path: file_signals(context, path, found[rows[0]].chunk.kind) for path, rows in files.items()}
    sums = {path: _sum(signals) for path, signals in shared.items()}
    # Match names only where they can bring a chunk into the top `NAMED`.
    bases = [match + sums[one.chunk.path] for match, one in zip(matches, found, strict=True)]
    least = _at(w.NAMED, bases)
    names = [
        symbol_signals(context, one.chunk.symbol) if base >= least and one.chunk.symbol else []
        for base, one in zip(bases, found, strict=True)
    ]
    strengths = [match + _sum(own) if own else match for match, own in zip(matches, names, strict=True)]
    spread = _spread(found, files) if context.query.change else {}
    ranked: list[tuple[float, int, list[Signal]]] = []
    for path, rows in files.items():
        own, beside = sums[path], spread.get(path, [])
        if len(rows) > 1:
            rows.sort(key=lambda row: (-strengths[row], found[row].chunk.start, found[row].chunk.end))
            beside = [*parts_signal([strengths[row] for row in rows[1:]]), *beside]
        ranked.append((own + strengths[rows[0]] + (_sum(beside) if beside else 0.0), rows[0], beside))
        for place, row in enumerate(rows[1:], 1):
            crowd = crowd_signal(context, place)
            ranked.append((own + strengths[row] + crowd[0][3], row, crowd))
    last = _at(count, [score for score, _, _ in ranked])
    return [
        (chunk, [*match_of(found[row]), *names[row], *shared[chunk.path], *beside])
        for score, row, beside in ranked
        if score >= last and (chunk := found[row].chunk)
    ]


def _sum(signals: Sequence[Signal]) -> float:
    return sum([each[3] for each in signals])


def _spread(found: Sequence[ScoredChunk], files: Mapping[str, Sequence[int]]) -> dict[str, list[Signal]]:
    """Return {path: `spread` signal} of the code files."""
    counts = {path: len(rows) for path, rows in files.items() if found[rows[0]].chunk.kind == "code"}
    most = max([count for path, count in counts.items() if "test" not in path_traits(path)], default=1)
    return {path: spread_signal(count, most) for path, count in counts.items()}


def _at(count: int, scores: Sequence[float]) -> float:
    """Return the score of the last of the `count` best, less a margin; minus infinity where there are fewer."""
    return sorted(scores, reverse=True)[count - 1] - _MARGIN if len(scores) > count else float("-inf")
