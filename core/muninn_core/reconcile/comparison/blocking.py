"""Blocking: finds the pairs of texts that may relate without comparing all with all.

The keys of a text are the set of all of its words, and each pair of its rarest words that another text also has. The
texts with one key are a block, and all pairs of a block are candidates. Blocks of a pair of words with many texts are
left out: rarer keys find the same pairs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import chain, combinations

import numpy as np
from numpy.typing import NDArray

from muninn_core.reconcile.comparison.known_texts import Known, Numbers
from muninn_core.reconcile.language.vocabulary import PREPOSITIONS

MOST_ALIKE, MOST_IN_BLOCK = 50, 12
"""How many texts of a block with the same words are compared; the most texts of a block with two rare words."""

RARE = 5
"""The number of rarest words that are a text's keys, in pairs."""

DENIALS = frozenset(("no", "not", "nobody", "isn", "aren", "doesn", "don", "t"))
_TINY = 3
"""In texts of no more words, single words are keys, too. Texts with linking words beside have keys of their own."""
_LINKING = PREPOSITIONS | DENIALS | {"one"}
_MOST_AT_ONCE = 1_000_000
"""In pairs: how many are held in memory before those that are not admitted are dropped."""

Admission = Callable[[Numbers, Numbers], NDArray[np.bool_]]
"""Tells of the texts at each two places whether they may relate."""


def pairs_in_blocks(known: Known, texts: Numbers, admits: Admission) -> tuple[Numbers, Numbers]:
    """Return the pairs of places whose texts have a common key and that `admits` admits, each once and in order."""
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
    keys: dict[bytes, int] = {}
    of_each = [
        keys.setdefault(rows[start:end], len(keys))
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
    step = known.vocabulary + 2  # behind the words, the marks of the keys of tiny texts
    keyed = []
    for first, second in combinations(range(RARE), 2):
        places = np.flatnonzero(rarest[:, second] >= 0)
        one, other = rarest[places, first], rarest[places, second]
        keyed.append((np.minimum(one, other) * step + np.maximum(one, other), places))
    for mark, tiny in ((known.vocabulary, counts - linked <= _TINY), (known.vocabulary + 1, counts <= _TINY)):
        chosen = tiny[owners]
        keyed.append((each[chosen] * step + mark, owners[chosen]))
    places, starts, sizes = _sorted(*map(np.concatenate, zip(*keyed, strict=True)))
    yield from _pairs(places, starts, np.where(sizes <= MOST_IN_BLOCK, sizes, 0))


def _sorted(keys: Numbers, places: Numbers) -> tuple[Numbers, Numbers, Numbers]:
    """Return the places by block, and where each block begins and how many places it has."""
    order = np.argsort(keys, kind="stable")
    keys = keys[order]
    starts = np.flatnonzero(np.diff(keys, prepend=-1))
    return places[order], starts, np.diff(starts, append=len(keys))


def _pairs(places: Numbers, starts: Numbers, sizes: Numbers) -> Iterator[tuple[Numbers, Numbers]]:
    """Yield the pairs of each block's first `sizes` places."""
    for size in range(2, int(np.max(sizes, initial=0)) + 1):
        first, second = np.triu_indices(size, 1)
        chosen = starts[sizes == size, np.newaxis]
        step = max(1, _MOST_AT_ONCE // len(first))
        for at in range(0, len(chosen), step):
            begins = chosen[at : at + step]
            yield places[begins + first].ravel(), places[begins + second].ravel()
