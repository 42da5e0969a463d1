"""The index of meaning: exact search over 8-bit vectors, in sets that never change.

One shard for each kind, so that a filter costs nothing. A shard is a few segments, each smaller than the one before it,
and a note of which of their rows are dead: a change makes a segment of what is new and shares all others with the set
that readers hold, so that one file costs the same in a large repository as in a small one. Segments of about one
size are merged, which copies a vector as often as their number doubles.

Everything is compared: 13 ms of a processor for a million vectors. What would be faster is either no longer exact or
answers otherwise after a history of edits (decision 022). How vectors are held and scanned is `segment.py`'s affair.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from muninn_core.index.quantise import SCALE, quantise
from muninn_core.index.segment import Segment
from muninn_core.model.chunk import SOURCE_KINDS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from numpy.typing import ArrayLike, NDArray

    from muninn_core.index.segment import Ids, Rows
    from muninn_core.model.chunk import SourceKind

KIND_BITS = 40
"""An id is (kind's number << KIND_BITS) + a running number, which makes room for 10^12 chunks a kind."""

_DEAD_SHARE = 0.25
"""A segment that has more dead rows than this is written anew without them."""

_MOST_TIES = 4

Found = tuple[float, int]
"""A product and an id."""


class _Part(NamedTuple):
    """A segment, which of its rows are dead (None: none is), and how many are not."""

    segment: Segment
    dead: NDArray[np.bool_] | None
    alive: int

    def nearest(self, question: NDArray[np.float32], count: int) -> tuple[NDArray[np.float32], Ids]:
        """Return the products and ids of at least the `count` best live rows, or of all of them."""
        buried = len(self.segment) - self.alive
        asked = count + min(buried, count)
        while True:
            products, places = self.segment.nearest(question, asked)
            if self.dead is not None:
                live = ~self.dead[places]
                products, places = products[live], places[live]
            if len(places) >= min(count, self.alive):
                return products, self.segment.ids[places]
            asked *= 4

    def without(self, ids: Ids) -> _Part:
        """Return the part with the rows of some ids dead; ids that are not there change nothing."""
        places = self._places(ids)
        if not len(places):
            return self
        dead = np.zeros(len(self.segment), bool) if self.dead is None else self.dead.copy()
        dead[places] = True
        return _Part(self.segment, dead, len(dead) - int(np.count_nonzero(dead)))

    def of(self, ids: Ids) -> tuple[Ids, Rows]:
        """Return those of some distinct ids that are there and not dead, and their rows."""
        places = self._places(ids)
        if self.dead is not None:
            places = places[~self.dead[places]]
        return self.segment.ids[places], self.segment.rows(places)

    def _places(self, ids: Ids) -> Ids:
        """Return where those of some ids stand that are there, dead or not."""
        places = np.searchsorted(self.segment.ids, ids)
        inside = places < len(self.segment)
        places, wanted = places[inside], ids[inside]
        found: Ids = places[self.segment.ids[places] == wanted]
        return found

    def live(self) -> tuple[Ids, Rows]:
        """Return ids and rows of what is not dead."""
        places = np.arange(len(self.segment)) if self.dead is None else np.flatnonzero(~self.dead)
        return self.segment.ids[places], self.segment.rows(places)


_Shard = tuple[_Part, ...]


class VectorIndex:
    """A fixed set of vectors, for reading. Safe to use from several threads."""

    def __init__(self, dim: int, shards: Mapping[SourceKind, _Shard] | None = None) -> None:
        self._dim = dim
        self._shards = dict(shards or {})

    def count(self, kind: SourceKind | None = None) -> int:
        """Return the number of vectors, of one kind or of all."""
        return sum(part.alive for name, shard in self._shards.items() if kind in (None, name) for part in shard)

    def search(
        self, vector: NDArray[np.float32], limit: int, kind: SourceKind | None = None
    ) -> list[tuple[int, float]]:
        """Return (id, cosine) of the nearest vectors, best first, ties by id. A zero vector is near to nothing.

        A tie at the limit is not cut (up to four times the limit), so that the caller can break it by something that
        means the same in every build of the index.
        """
        if limit < 1 or not np.any(vector):
            return []
        scale = 127.0 / float(np.max(np.abs(vector)))  # a question uses the whole range, whatever its components
        question = quantise(vector, scale).astype(np.float32)
        parts = [part for name, shard in self._shards.items() if kind in (None, name) for part in shard if part.alive]
        found = _best(parts, question, limit + 1)
        if len(found) > limit and found[limit][0] == found[limit - 1][0]:
            found = [one for one in _best(parts, question, limit * _MOST_TIES) if one[0] >= found[limit][0]]
            found = found[: limit * _MOST_TIES]
        else:
            found = found[:limit]
        return [(number, product / (SCALE * scale)) for product, number in found]

    def near(self, vector: NDArray[np.float32], ids: Sequence[int]) -> list[tuple[int, float]]:
        """Return (id, cosine) of all of some vectors that are there, best first, ties by id."""
        wanted = np.unique(np.asarray(ids, np.int64))
        found = [part.of(wanted) for shard in self._shards.values() for part in shard]
        if not found:
            return []
        known, rows = (np.concatenate(column) for column in zip(*found, strict=True))
        return _cosines(vector, known, rows)

    def changed(self, removed: ArrayLike, ids: ArrayLike, rows: Rows) -> VectorIndex:
        """Return a new set without `removed` and with `ids` and their rows [n, dim], made by `quantise`.

        Rows of zeros are left out. An id is added once, or again after it was removed.
        """
        gone, fresh = np.asarray(removed, np.int64), np.asarray(ids, np.int64)
        known = np.any(rows, axis=1) if len(fresh) else np.zeros(0, bool)
        shards = dict(self._shards)
        for number, name in enumerate(SOURCE_KINDS):
            out = gone[gone >> KIND_BITS == number]
            into = np.flatnonzero(known & (fresh >> KIND_BITS == number))
            shard = shards.get(name, ())
            if len(out):
                shard = tuple(part.without(out) for part in shard)
            if len(into):
                into = into[np.argsort(fresh[into], kind="stable")]
                shard = (*shard, _part(self._dim, [(fresh[into], rows[into])]))
            if len(out) or len(into):
                shards[name] = _merged(self._dim, shard)
        return VectorIndex(self._dim, shards)


def gather(dim: int, batches: Callable[[SourceKind], Iterable[tuple[Ids, Rows]]]) -> VectorIndex:
    """Return the set of all that `batches` gives of each kind; the ids of a kind must rise."""
    shards: dict[SourceKind, _Shard] = {}
    for kind in SOURCE_KINDS:
        part = _part(dim, (_known(ids, rows) for ids, rows in batches(kind)))
        if part.alive:
            shards[kind] = (part,)
    return VectorIndex(dim, shards)


def _known(ids: Ids, rows: Rows) -> tuple[Ids, Rows]:
    """Leave out rows of zeros: texts of which the model knows no word."""
    known = np.any(rows, axis=1)
    return ids[known], rows[known]


def _cosines(vector: NDArray[np.float32], ids: Ids, rows: Rows) -> list[tuple[int, float]]:
    """Return (id, cosine) of some vectors, best first, ties by id, to the same digits as `VectorIndex.search`."""
    if not len(rows) or not np.any(vector):
        return []
    scale = 127.0 / float(np.max(np.abs(vector)))
    products = rows.astype(np.float32) @ quantise(vector, scale).astype(np.float32)
    order = np.lexsort((ids, -products))
    scaled = (product / (SCALE * scale) for product in products[order].tolist())
    return list(zip(ids[order].tolist(), scaled, strict=True))


def _best(parts: list[_Part], question: NDArray[np.float32], count: int) -> list[Found]:
    """Return the best `count` rows of some parts, greatest product first, ties by id."""
    found = [part.nearest(question, count) for part in parts]
    if not found:
        return []
    products, ids = (np.concatenate(column) for column in zip(*found, strict=True))
    order = np.lexsort((ids, -products))[:count]
    return list(zip(products[order].tolist(), ids[order].tolist(), strict=True))


def _merged(dim: int, shard: _Shard) -> _Shard:
    """Bury what is dead for the most part, and merge from the end while a part is not larger than what follows it."""
    kept: list[_Part] = []
    for part in shard:
        if part.alive < (1 - _DEAD_SHARE) * len(part.segment):
            part = _part(dim, [part.live()])
        if part.alive:
            kept.append(part)
    first = len(kept) - 1
    following = kept[first].alive if kept else 0
    while first > 0 and kept[first - 1].alive <= following:
        first -= 1
        following += kept[first].alive
    if len(kept) - first > 1:
        kept[first:] = [_part(dim, _rising([part.live() for part in kept[first:]]))]
    return tuple(kept)


def _rising(parts: list[tuple[Ids, Rows]]) -> list[tuple[Ids, Rows]]:
    """Return the parts in such an order, or as one, that their ids rise."""
    if all(before[0][-1] < after[0][0] for before, after in pairwise(parts)):
        return parts
    ids = np.concatenate([part[0] for part in parts])
    order = np.argsort(ids, kind="stable")
    return [(ids[order], np.concatenate([part[1] for part in parts])[order])]


def _part(dim: int, parts: Iterable[tuple[Ids, Rows]]) -> _Part:
    segment = Segment(dim, parts)
    return _Part(segment, None, len(segment))
