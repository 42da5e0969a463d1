"""How likely a question is for a memory whose words differ from its own.

A statistical translation model (Berger and Lafferty, "Information retrieval as statistical translation", 1999) gives
the probability t(q|w) that a question about a text with the word w has the word q: "retry" is asked for as "repeat" and
"again", "token" as "credential". `scripts/translation/train.py` estimates it from facts and questions about them, of no
project in particular, with IBM Model 1 (Brown et al., "The mathematics of statistical machine translation", 1993).

A memory of n distinct words gives the word q the probability p(q|m) = sum of t(q|w) / (n + 1). Its match is the mean of
log(1 + p(q|m) / p(q)) / `MOST` over the words of the question, each at most 1, and 1 for a word that the memory has;
p(q) is the share of q among the words of all questions.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from muninn_core.source.identifiers import split_words
from muninn_core.source.stop_words import STOP_WORDS

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Column = NDArray[np.float64]

FILE = Path(__file__).with_name("translations.npz")
"""The model: `words`, joined by blanks, by number; `shares`, p(q) of each; for each word q, from `starts[q]` on, the
`sources` w with their `probabilities` t(q|w), in 65,536ths."""

MOST = 2.0
"""The logarithm from which a word of a question counts whole: the memory makes it 6.4 times as likely as chance."""

ONE = 65_536
"""What a probability of one is in the file. Sums of whole numbers are exact in every order."""

_CERTAIN = 256 * ONE
"""What a word counts for itself: a text that has it explains it wholly, however long the text is."""

MOST_WORDS = 40
"""The most distinct words of a question that are compared: its first ones."""

MOST_DISTINCT = 400
"""The most distinct words of a text that are compared: its first ones."""


class Translations(NamedTuple):
    """The model, as `FILE` has it, with the number of each word."""

    numbers: dict[str, int]
    shares: Column
    starts: NDArray[np.int64]
    sources: NDArray[np.uint16]
    probabilities: NDArray[np.uint16]


@cache
def load_translations() -> Translations:
    """Return the model of the package."""
    with np.load(FILE) as file:
        words = bytes(file["words"]).decode().split()
        return Translations(
            {word: number for number, word in enumerate(words)},
            file["shares"].astype(np.float64),
            file["starts"].astype(np.int64),
            file["sources"],
            file["probabilities"],
        )


def content_words(text: str) -> list[str]:
    """Return the distinct words of a text that are no stop words, in order."""
    return [word for word in dict.fromkeys(split_words(text).split()) if word not in STOP_WORDS]


def translation_match(question: str, texts: Sequence[str]) -> Column:
    """Return the match of each text with a question, 0 to 1. Texts about the question have about a half."""
    model = load_translations()
    asked = content_words(question)[:MOST_WORDS]
    if not asked or not texts:
        return np.zeros(len(texts))
    sources = [_sources(text) for text in texts]
    numbers = [model.numbers[word] for word in asked if word in model.numbers]
    matches = _explained(model, numbers, sources).sum(axis=0) if numbers else np.zeros(len(texts))
    for word in asked:
        if word not in model.numbers:
            matches += [word in each.others for each in sources]
    found: Column = matches / len(asked)
    return found


class _Sources(NamedTuple):
    """The distinct words of a text: the numbers of those in the model, then its size; the others; how many of both."""

    numbers: NDArray[np.int32]
    others: frozenset[str]
    distinct: int


def _explained(model: Translations, asked: Sequence[int], sources: Sequence[_Sources]) -> NDArray[np.float64]:
    """Return how much each word of the question, a row, is explained by each text, a column: 0 to 1."""
    # One more source, without translations, ends each text, so that none is empty.
    table = np.zeros((len(asked), len(model.numbers) + 1), np.int32)
    for row, number in zip(table, asked, strict=True):
        span = slice(model.starts[number], model.starts[number + 1])
        row[model.sources[span]] = model.probabilities[span]
        row[number] = _CERTAIN
    starts = np.cumsum([0, *(len(each.numbers) for each in sources[:-1])])
    sums = np.add.reduceat(table[:, np.concatenate([each.numbers for each in sources])], starts, axis=1)
    given = sums / (np.array([each.distinct + 1 for each in sources]) * float(ONE))
    return np.minimum(np.log1p(given / model.shares[asked][:, None]) / MOST, 1.0)


@lru_cache(maxsize=4_096)
def _sources(text: str) -> _Sources:
    model = load_translations()
    words = content_words(text)[:MOST_DISTINCT]
    numbers = [model.numbers[word] for word in words if word in model.numbers]
    others = frozenset(word for word in words if word not in model.numbers)
    return _Sources(np.array([*numbers, len(model.numbers)], np.int32), others, len(words))
