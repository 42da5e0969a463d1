"""Measures of a ranked list, and the difference between two arms. Independent of retrieval.

Relevance is binary. A list of places is cut to the first mention of each file before it is scored by file.
NDCG by Järvelin and Kekäläinen (2002), log base 2; the interval is the percentile bootstrap over questions.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from bench.quality.questions import Place, Question, is_code

MEASURES = ("ndcg@10", "recall@5", "recall@10", "hit@1", "mrr", "span@5")
RESAMPLES = 5_000
SEED = 7


def files_of(places: Sequence[Place]) -> list[str]:
    """Return the code files of the places, in the order of their first mention."""
    return [path for path in dict.fromkeys(place.path for place in places) if is_code(path)]


def measure(question: Question, places: Sequence[Place]) -> dict[str, float]:
    """Return every measure of one answer; `span@5` only where the question's answer is a span."""
    files, wanted = files_of(places), question.files
    ranks = [rank for rank, path in enumerate(files, 1) if path in wanted]
    gain = sum(1 / math.log2(rank + 1) for rank in ranks if rank <= 10)
    ideal = sum(1 / math.log2(rank + 1) for rank in range(1, min(10, len(wanted)) + 1))
    found = {
        "ndcg@10": gain / ideal,
        "recall@5": sum(rank <= 5 for rank in ranks) / len(wanted),
        "recall@10": sum(rank <= 10 for rank in ranks) / len(wanted),
        "hit@1": float(bool(ranks) and ranks[0] == 1),
        "mrr": 1 / ranks[0] if ranks else 0.0,
    }
    spans = [place for place in question.relevant if place.end]
    if spans:
        first = [place for place in places if is_code(place.path)][:5]
        found["span@5"] = float(any(place.overlaps(span) for place in first for span in spans))
    return found


def mean(rows: Sequence[dict[str, float]]) -> dict[str, float]:
    """Return the mean of each measure over the answers that have it."""
    found = {}
    for name in MEASURES:
        values = [row[name] for row in rows if name in row]
        if values:
            found[name] = sum(values) / len(values)
    return found


def interval(ours: Sequence[float], theirs: Sequence[float]) -> tuple[float, float, float]:
    """Return (difference of the means, lower bound, upper bound) of the 95 % interval, paired by question."""
    differences = np.asarray(ours) - np.asarray(theirs)
    chance = np.random.default_rng(SEED)
    picks = chance.integers(0, len(differences), (RESAMPLES, len(differences)))
    means = differences[picks].mean(axis=1)
    low, high = np.percentile(means, [2.5, 97.5])
    return float(differences.mean()), float(low), float(high)
