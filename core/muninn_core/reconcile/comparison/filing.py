"""Files texts under their words, so that those that may relate are found without comparing all with all.

Each text is filed under all of its words, and under every two of its rarest words that another text has, too; those
filed together are candidates. Words that many texts share find nothing that rarer ones do not, so crowded files are
left out.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import chain, combinations

import numpy as np
from numpy.typing import NDArray

from muninn_core.reconcile.comparison.known_texts import Known, Numbers
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

Admission = Callable[[Numbers, Numbers], NDArray[np.bool_]]
"""Tells of the texts at each two places whether they may relate."""


def filed_together(known: Known, texts: Numbers, admits: Admission) -> tuple[Numbers, Numbers]:
    """Return the pairs of places whose texts are filed together and that `admits` admits, each once and in order."""
    found = [np.zeros(0, np.int64)]
    for one, other in chain(_equal(known, texts), _with_rare_words(known, texts)):
        admitted = admits(one, other)
        lower, upper = np.minimum(one, other)[admitted], np.maximum(one, other)[admitted]
        found.append(np.unique(lower * len(texts) + upper))
    return np.divmod(np.unique(np.concatenate(found)), max(1, len(texts)))


def _equal(known: Known, texts: Numbers) -> Iterator[tuple[Numbers, Numbers]]:
    """Yield the pairs of texts that have the same words."""
    different, numbers = np.unique(texts, return_inverse=True)
    words, counts = known.words(different)
    rows = words.tobytes()
    ends = np.cumsum(counts) * words.itemsize
    files: dict[bytes, int] = {}
    of_each = [
        files.setdefault(rows[start:end], len(files))
        for start, end in zip((ends - counts * words.itemsize).tolist(), ends.tolist(), strict=True)
    ]
    places, starts, sizes = _sorted(np.array(of_each, np.int64)[numbers], np.arange(len(texts)))
    yield from _pairs(places, starts, np.minimum(sizes, MOST_ALIKE))


def _with_rare_words(known: Known, texts: Numbers) -> Iterator[tuple[Numbers, Numbers]]:
    """Yield the pairs of texts that have two rare words in common, or are tiny and have one.

    Of equally rare words the first of the alphabet counts as the rarest.
    """
    linking = known.word_numbers(sorted(_LINKING))
    each, counts = known.words(texts)
    owners = np.repeat(np.arange(len(texts)), counts)
    linked = np.bincount(owners[np.isin(each, linking)], minlength=len(texts))
    often = np.bincount(each, minlength=known.vocabulary)
    owners, each = owners[often[each] > 1], each[often[each] > 1]
    order = np.lexsort((often[each], owners))
    owners, each = owners[order], each[order]
    nth = np.arange(len(owners)) - np.searchsorted(owners, owners)
    rarest = np.full((len(texts), RARE), -1, np.int64)
    rarest[owners[nth < RARE], nth[nth < RARE]] = each[nth < RARE]
    step = known.vocabulary + 2  # behind the words, the marks of the files of tiny texts
    filed = []
    for first, second in combinations(range(RARE), 2):
        places = np.flatnonzero(rarest[:, second] >= 0)
        one, other = rarest[places, first], rarest[places, second]
        filed.append((np.minimum(one, other) * step + np.maximum(one, other), places))
    for mark, tiny in ((known.vocabulary, counts - linked <= _TINY), (known.vocabulary + 1, counts <= _TINY)):
        chosen = tiny[owners]
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
