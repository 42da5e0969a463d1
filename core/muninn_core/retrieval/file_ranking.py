"""Ranks the chunks of files in two passes: a cheap one over all chunks, a full one over the best.

The first pass computes plain numbers, and signals are made when they are read: most candidates never become a hit.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from itertools import chain
from math import floor
from typing import TYPE_CHECKING

from muninn_core.retrieval import weights as w
from muninn_core.retrieval.ranking import Candidate
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
from muninn_core.retrieval.signals import Signal, contribution
from muninn_core.source.classify import path_traits

if TYPE_CHECKING:
    from muninn_core.retrieval.pool import ScoredChunk

_MARGIN = 1e-3
"""A tolerance above the rounding error of a score."""

_Signals = Sequence[Signal]


def rank_files(context: ScoringContext, found: Sequence[ScoredChunk], count: int) -> list[Candidate]:
    """Return the `count` best chunks and ties, unordered."""
    meanings = beyond_words(found)
    matches = [one[2] * w.WORDS + meaning * w.MEANING for one, meaning in zip(found, meanings, strict=True)]
    files: dict[str, list[int]] = {}
    for row, one in enumerate(found):
        files.setdefault(one[0].path, []).append(row)
    shared = {path: file_signals(context, path, found[rows[0]][0].kind) for path, rows in files.items()}
    sums = {path: sum(map(contribution, signals)) for path, signals in shared.items()}
    names = _names(context, found, matches, sums)
    strengths = [match + sum(map(contribution, own)) for match, own in zip(matches, names, strict=True)]
    spread = _spread(found, files) if context.query.change else {}
    crowding = w.CROWD_OF_CHANGE if context.query.change else w.CROWD
    ranked: list[tuple[float, int, _Signals]] = []
    for path, rows in files.items():
        own = sums[path]
        beside: _Signals = spread.get(path, ())
        if len(rows) > 1:
            rows = _ordered(rows, found, strengths)
            beside = (*parts_signal([strengths[row] for row in rows[1:]]), *beside)
        ranked.append((own + strengths[rows[0]] + sum(map(contribution, beside)), rows[0], beside))
        for place, row in enumerate(rows[1:], 1):
            crowd = crowd_signal(place, crowding)
            ranked.append((own + strengths[row] + crowd[0][3], row, crowd))
    last = _at(count, [score for score, _, _ in ranked])
    candidates = []
    for score, row, beside in ranked:
        if score >= last:
            chunk, _, words, _ = one = found[row]
            further = (names[row], shared[chunk.path], beside)
            # As `signals.signal` and `signals.total` round.
            match = floor(words * w.WORDS * 10_000 + 0.5) + floor(meanings[row] * w.MEANING * 10_000 + 0.5)
            total = floor(match + (score - matches[row]) * 10_000 + 0.5) / 10_000
            candidates.append(Candidate(chunk, None, partial(_signals, one, further), total))
    return candidates


def _signals(found: ScoredChunk, further: Sequence[_Signals]) -> list[Signal]:
    return [*match_of(found), *chain.from_iterable(further)]


def _names(
    context: ScoringContext, found: Sequence[ScoredChunk], matches: Sequence[float], sums: Mapping[str, float]
) -> list[_Signals]:
    """Return the signals of the names that each chunk defines, where they can bring it into the top `NAMED`."""
    bases = [match + sums[one[0].path] for match, one in zip(matches, found, strict=True)]
    least = _at(w.NAMED, bases)
    return [
        symbol_signals(context, one[0].symbol) if base >= least and one[0].symbol else ()
        for base, one in zip(bases, found, strict=True)
    ]


def _ordered(rows: Sequence[int], found: Sequence[ScoredChunk], strengths: Sequence[float]) -> list[int]:
    """Return the rows of a file, the strongest first."""
    ranked = sorted([(-strengths[row], found[row][0].start, found[row][0].end, row) for row in rows])
    return [row for _, _, _, row in ranked]


def _spread(found: Sequence[ScoredChunk], files: Mapping[str, Sequence[int]]) -> dict[str, tuple[Signal]]:
    """Return {path: `spread` signal} of the code files."""
    counts = {path: len(rows) for path, rows in files.items() if found[rows[0]][0].kind == "code"}
    most = max([count for path, count in counts.items() if "test" not in path_traits(path)], default=1)
    return {path: spread_signal(count, most, w.SPREAD) for path, count in counts.items()}


def _at(count: int, scores: Sequence[float]) -> float:
    """Return the score of the last of the `count` best, less a margin; minus infinity where there are fewer."""
    return sorted(scores, reverse=True)[count - 1] - _MARGIN if len(scores) > count else float("-inf")
