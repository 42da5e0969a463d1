"""The words of a text that tell most: of a long question, and of a place that others shall be like.

Rarity is asked of the index; it knows nothing else.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Iterable

from muninn_core.source.identifiers import split_words

MOST_WORDS = 96
"""Distinct words of a question that are searched; questions of people and agents have fewer."""

MOST_READ = 20_000
"""Distinct words of a text whose rarity is looked up."""

LIKE_WORDS = 24
"""Words that stand for a place."""

_RUN = re.compile(r"[^\W_]\w*")

Frequency = Callable[[str], int]
"""Returns in how many chunks a word of the index stands."""


def limit_terms(text: str, frequency: Frequency) -> tuple[str, int]:
    """Return a question with its MOST_WORDS rarest words, in their order, and how many distinct ones it had.

    One of no more words is left as it is. Words that stand nowhere tell nothing; among equals the first are kept.
    """
    if len(text) <= MOST_WORDS:
        return text, 0
    runs = list(dict.fromkeys(_RUN.findall(text)))
    if len(runs) <= MOST_WORDS:
        return text, len(runs)
    known = [(count, i) for i, run in enumerate(runs[:MOST_READ]) if (count := _rarity(run, frequency))]
    kept = sorted(i for _, i in sorted(known)[:MOST_WORDS])
    return " ".join(runs[i] for i in kept), len(runs)


def informative_terms(text: str, frequency: Frequency) -> str:
    """Return the LIKE_WORDS words that tell most of a text, in its order: often here, seldom elsewhere."""
    counts = Counter(_RUN.findall(text))
    runs = [run for run in list(counts)[:MOST_READ] if len(run) > 1]
    weights = [(1 + math.log(counts[run])) / math.log(2 + _rarity(run, frequency)) for run in runs]
    kept = sorted(sorted(range(len(runs)), key=lambda i: (-weights[i], i))[:LIKE_WORDS])
    return " ".join(runs[i] for i in kept)


def weights(wanted: Iterable[str], frequency: Frequency) -> dict[str, float]:
    """Return how much each word of the index tells, between 0 and 1.5: the less, the more chunks it stands in."""
    return {word: 1 / math.log(2 + frequency(word)) for word in wanted}


def _rarity(run: str, frequency: Frequency) -> int:
    """Return in how many chunks the rarest word of a run stands; 0 when all of them stand nowhere."""
    return min(filter(None, map(frequency, split_words(run).split())), default=0)
