"""Selects the most informative words of a text: for long questions, and to search for text similar to a place.

A word is informative when it is rare in the index.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Iterable

from muninn_core.source.identifiers import split_words

MAX_WORDS = 96
"""The most distinct words of a question that are searched. Typical questions have fewer."""

FIRST_WORDS = 64
"""So many of them are the first words of the question, which say what it is about; the others are the rarest ones."""

MAX_READ = 20_000
"""The most distinct words of a text whose rarity is looked up."""

LIKE_WORDS = 24
"""The number of words that represent a place in a search for similar text."""

_RUN = re.compile(r"[^\W_]\w*")

Frequency = Callable[[str], int]
"""Returns the number of chunks that contain a word."""


def limit_terms(text: str, frequency: Frequency) -> tuple[str, int]:
    """Return at most `MAX_WORDS` words of a question in their order, and its number of distinct words.

    These are its first `FIRST_WORDS` words and the rarest of the others. A question with fewer words is returned
    unchanged; the number is 0 when it was not counted. Words that are not in the index are dropped. Of equally rare
    words the first win.
    """
    if len(text) <= MAX_WORDS:
        return text, 0
    runs = list(dict.fromkeys(_RUN.findall(text)))
    if len(runs) <= MAX_WORDS:
        return text, len(runs)
    known = [(count, i) for i, run in enumerate(runs[:MAX_READ]) if (count := _rarity(run, frequency))]
    kept = [*known[:FIRST_WORDS], *sorted(known[FIRST_WORDS:])[: MAX_WORDS - FIRST_WORDS]]
    return " ".join(runs[i] for i in sorted(i for _, i in kept)), len(runs)


def informative_terms(text: str, frequency: Frequency) -> str:
    """Return the LIKE_WORDS words that are most frequent in a text and rare in the index, in its order."""
    counts = Counter(_RUN.findall(text))
    runs = [run for run in list(counts)[:MAX_READ] if len(run) > 1]
    weights = [(1 + math.log(counts[run])) / math.log(2 + _rarity(run, frequency)) for run in runs]
    kept = sorted(sorted(range(len(runs)), key=lambda i: (-weights[i], i))[:LIKE_WORDS])
    return " ".join(runs[i] for i in kept)


def weights(wanted: Iterable[str], frequency: Frequency) -> dict[str, float]:
    """Return {word: weight}, 0 to 1.5. Words in fewer chunks weigh more."""
    return {word: 1 / math.log(2 + frequency(word)) for word in wanted}


def _rarity(run: str, frequency: Frequency) -> int:
    """Return the chunk count of the rarest indexed word of a run; 0 when none is indexed."""
    return min(filter(None, map(frequency, split_words(run).split())), default=0)
