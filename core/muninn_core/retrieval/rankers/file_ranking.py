"""Ranks the chunks of files in two passes: a cheap one over all chunks, a full one over the best.

The scores are plain numbers, computed for all files and chunks at once. Signals are made for the hits shown.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from math import floor
from typing import TYPE_CHECKING, NamedTuple

from muninn_core.retrieval import weights as w
from muninn_core.retrieval.results.ranking import Candidate
from muninn_core.retrieval.results.signal import Signal, contribution
from muninn_core.retrieval.signals.scoring import (
    ScoringContext,
    file_points,
    file_signals,
    match_of,
    meaning_values,
    parts_signal,
    same_file_signal,
    spread_signal,
    symbol_points,
    symbol_signals,
)
from muninn_core.source.files.classify import path_traits

if TYPE_CHECKING:
    from muninn_core.retrieval.pool import ScoredChunk

_MARGIN = 1e-3
"""A tolerance above the rounding error of a score."""


class _FilePlace(NamedTuple):
    """A chunk among those of its file: its place, 0 for the best, and its `same_file` weight.

    For the best one `others` are the strengths of the others, best first, and `spread` of a change request the number
    of the file's chunks, and the highest number of any file.
    """

    place: int = 0
    weight: float = 0.0
    others: Sequence[float] = ()
    spread: tuple[int, int] | None = None

    def signals(self) -> list[Signal]:
        """Return the signals of the file's other chunks."""
        if self.place:
            return [same_file_signal(self.place, self.weight)]
        return [*parts_signal(self.others), *([spread_signal(*self.spread)] if self.spread is not None else ())]


_ALONE = _FilePlace()


def rank_files(context: ScoringContext, scored: Sequence[ScoredChunk], count: int) -> list[Candidate]:
    """Return the `count` best chunks and ties, unordered."""
    if not scored:
        return []
    meanings = meaning_values(scored)
    matches = [
        words * w.WORDS + meaning * w.MEANING for (_, _, words, _), meaning in zip(scored, meanings, strict=True)
    ]
    files: dict[str, list[int]] = {}
    for row, scored_chunk in enumerate(scored):
        files.setdefault(scored_chunk[0].path, []).append(row)
    kinds = {path: scored[rows[0]][0].kind for path, rows in files.items()}
    sums = dict(zip(files, (file_points(context, kinds) / 10_000).tolist(), strict=True))
    names = _names(context, scored, matches, sums)
    strengths = matches[:]
    for row, points in names.items():
        strengths[row] += points / 10_000
    most = _most_chunks(files, kinds) if context.query.change else 0
    weight = w.SAME_FILE_OF_CHANGE if context.query.change else w.SAME_FILE
    ranked: list[tuple[float, int, _FilePlace]] = []
    for path, rows in files.items():
        own, position = sums[path], _ALONE
        spread = (len(rows), most) if most and kinds[path] == "code" else None
        if len(rows) > 1 or spread is not None:
            rows = _ordered(rows, scored, strengths)
            position = _FilePlace(0, 0.0, [strengths[row] for row in rows[1:]], spread)
        ranked.append((own + strengths[rows[0]] + sum(map(contribution, position.signals())), rows[0], position))
        for place, row in enumerate(rows[1:], 1):
            penalty = floor(place * weight * 10_000 + 0.5) / 10_000
            ranked.append((own + strengths[row] + penalty, row, _FilePlace(place, weight)))
    last = _at(count, [score for score, _, _ in ranked])
    candidates = []
    for score, row, position in ranked:
        if score >= last:
            chunk, _, words, _ = scored_chunk = scored[row]
            # As `signals.signal` and `signals.total` round.
            match = floor(words * w.WORDS * 10_000 + 0.5) + floor(meanings[row] * w.MEANING * 10_000 + 0.5)
            total = floor(match + (score - matches[row]) * 10_000 + 0.5) / 10_000
            symbol = chunk.symbol if row in names else ""
            candidates.append(Candidate(chunk, None, partial(_signals, context, scored_chunk, symbol, position), total))
    return candidates


def _signals(context: ScoringContext, found: ScoredChunk, symbol: str, position: _FilePlace) -> list[Signal]:
    """Return the signals of a chunk that is shown. `symbol` has its names, if they count."""
    return [
        *match_of(found),
        *symbol_signals(context, symbol),
        *file_signals(context, found.chunk.path, found.chunk.kind),
        *position.signals(),
    ]


def _names(
    context: ScoringContext, found: Sequence[ScoredChunk], matches: Sequence[float], sums: Mapping[str, float]
) -> dict[int, float]:
    """Return {row: what its names contribute, in ten-thousandths}, where they can bring it into the top
    `SCORED_BY_SYMBOLS`."""
    bases = [match + sums[one[0].path] for match, one in zip(matches, found, strict=True)]
    least = _at(w.SCORED_BY_SYMBOLS, bases)
    rows = [row for row, base in enumerate(bases) if base >= least and found[row][0].symbol]
    return dict(zip(rows, symbol_points(context, [found[row][0].symbol for row in rows]).tolist(), strict=True))


def _ordered(rows: Sequence[int], found: Sequence[ScoredChunk], strengths: Sequence[float]) -> list[int]:
    """Return the rows of a file, the strongest first."""
    ranked = sorted([(-strengths[row], found[row][0].start, found[row][0].end, row) for row in rows])
    return [row for _, _, _, row in ranked]


def _most_chunks(files: Mapping[str, Sequence[int]], kinds: Mapping[str, str]) -> int:
    """Return the most candidates that a code file other than a test has, at least 1."""
    return max(
        [len(rows) for path, rows in files.items() if kinds[path] == "code" and "test" not in path_traits(path)],
        default=1,
    )


def _at(count: int, scores: Sequence[float]) -> float:
    """Return the score of the last of the `count` best, less a margin; minus infinity where there are fewer."""
    return sorted(scores, reverse=True)[count - 1] - _MARGIN if len(scores) > count else float("-inf")
