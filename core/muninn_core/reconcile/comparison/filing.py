"""Files texts under their words, so that those that may relate are found without comparing all with all.

Each text is filed under all of its words, and under every two of its rarest words that another text has, too; those
filed together are candidates. Words that many texts share find nothing that rarer ones do not, so crowded files are
left out.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from itertools import chain, combinations

import numpy as np
from numpy.typing import NDArray

from muninn_core.reconcile.language.vocabulary import PREPOSITIONS

MOST_ALIKE, MOST_FILED = 50, 12
"""The maximum number of texts with the same words, and with the same two rare words, that are compared."""

RARE = 5
"""The number of rarest words that a text is filed under."""

DENIALS = frozenset(("no", "not", "nobody", "isn", "aren", "doesn", "don", "t"))
_TINY = 3
"""Texts of no more words are also filed under single ones, and again with those that have linking words beside."""
_LINKING = PREPOSITIONS | DENIALS | {"one"}
_MOST_AT_ONCE = 1_000_000
"""In pairs: how many are held in memory before those that are not admitted are dropped."""

Numbers = NDArray[np.int64]
Admission = Callable[[Numbers, Numbers], NDArray[np.bool_]]
"""Tells of the texts at each two places whether they may relate."""


def filed_together(words: Sequence[frozenset[str]], admits: Admission) -> Iterator[tuple[int, int]]:
    """Yield the pairs of places whose texts are filed together and that `admits` admits, each once and in order."""
    found = [np.zeros(0, np.int64)]
    for one, other in chain(_equal(words), _with_rare_words(words)):
        admitted = admits(one, other)
        lower, upper = np.minimum(one, other)[admitted], np.maximum(one, other)[admitted]
        found.append(np.unique(lower * len(words) + upper))
    pairs = np.unique(np.concatenate(found))
    yield from zip(*(each.tolist() for each in np.divmod(pairs, max(1, len(words)))), strict=True)


def _equal(words: Sequence[frozenset[str]]) -> Iterator[tuple[Numbers, Numbers]]:
    """Yield the pairs of texts that have the same words."""
    known: dict[frozenset[str], int] = {}
    files = np.fromiter((known.setdefault(each, len(known)) for each in words), np.int64, len(words))
    places, starts, sizes = _sorted(files, np.arange(len(words)))
    yield from _pairs(places, starts, np.minimum(sizes, MOST_ALIKE))


def _with_rare_words(words: Sequence[frozenset[str]]) -> Iterator[tuple[Numbers, Numbers]]:
    """Yield the pairs of texts that have two rare words in common, or are tiny and have one."""
    count = Counter(chain.from_iterable(words))
    shared = sorted((word for word in count if count[word] > 1), key=lambda word: (count[word], word))
    ranks = dict.fromkeys(count, -1) | {word: rank for rank, word in enumerate(shared)}
    owners = np.repeat(np.arange(len(words)), np.fromiter(map(len, words), np.int64, len(words)))
    each = np.fromiter(map(ranks.__getitem__, chain.from_iterable(words)), np.int64, len(owners))
    owners, each = owners[each >= 0], each[each >= 0]
    each = each[np.lexsort((each, owners))]
    nth = np.arange(len(owners)) - np.searchsorted(owners, owners)
    rarest = np.full((len(words), RARE), -1, np.int64)
    rarest[owners[nth < RARE], nth[nth < RARE]] = each[nth < RARE]
    step = len(shared) + 2  # behind the words, the marks of the files of tiny texts
    filed = []
    for first, second in combinations(range(RARE), 2):
        places = np.flatnonzero(rarest[:, second] >= 0)
        filed.append((rarest[places, first] * step + rarest[places, second], places))
    for mark, tiny in (
        (len(shared), [len(text - _LINKING) <= _TINY for text in words]),
        (len(shared) + 1, [len(text) <= _TINY for text in words]),
    ):
        chosen = np.array(tiny, np.bool_)[owners]
        filed.append((each[chosen] * step + mark, owners[chosen]))
    places, starts, sizes = _sorted(*map(np.concatenate, zip(*filed, strict=True)))
    yield from _pairs(places, starts, np.where(sizes <= MOST_FILED, sizes, 0))


def _sorted(files: Numbers, places: Numbers) -> tuple[Numbers, Numbers, Numbers]:
    """Return the places by file, and where each file begins and how many places it has."""
    order = np.argsort(files, kind="stable")
    files = files[order]
    starts = np.flatnonzero(np.diff(files, prepend=-1))
    return places[order], starts, np.diff(starts, append=len(files))


def _pairs(places: Numbers, starts: Numbers, sizes: Numbers) -> Iterator[tuple[Numbers, Numbers]]:
    """Yield the pairs of each file's first `sizes` places."""
    for size in range(2, int(np.max(sizes, initial=0)) + 1):
        first, second = np.triu_indices(size, 1)
        chosen = starts[sizes == size, np.newaxis]
        step = max(1, _MOST_AT_ONCE // len(first))
        for at in range(0, len(chosen), step):
            begins = chosen[at : at + step]
            yield places[begins + first].ravel(), places[begins + second].ravel()
