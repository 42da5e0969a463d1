"""The vector index: exact search over 8-bit vectors in immutable sets.

Each kind of text has its own shard, so that a filter by kind costs nothing. A shard is a list of segments of descending
size, each with a mask of its deleted rows. A change adds a segment with the new vectors and shares all others with the
sets that readers hold, so that a changed file costs the same in a large repository as in a small one. Segments of
about the same size are merged, which copies a vector once per doubling of their number.

A search compares all vectors: 13 ms of processor time for a million. Faster methods are inexact, or give other answers
after a history of edits (decision 022). `segment.py` stores and scans the vectors.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from muninn_core.index.identity_cache import IdentityCache
from muninn_core.index.vectors.quantise import SCALE, quantise
from muninn_core.index.vectors.segment import Segment
from muninn_core.model.chunk import SOURCE_KINDS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from pathlib import Path

    from numpy.typing import ArrayLike, NDArray

    from muninn_core.index.vectors.segment import Ids, Rows
    from muninn_core.model.chunk import SourceKind

KIND_BITS = 40
"""An id is (number of the kind << KIND_BITS) + a running number: room for 10^12 chunks per kind."""

_MEMORY = SOURCE_KINDS.index("memory")

_MAX_DELETED_SHARE = 0.25
"""A segment with a greater share of deleted rows is copied without them."""

_MAX_TIE_FACTOR = 4

_FEW = 200
"""Ids up to which their rows are copied and compared. More are compared in place."""

Found = tuple[float, int]
"""(product, id)."""


class _Part(NamedTuple):
    """A segment, the mask of its deleted rows (None: no row is deleted), and the number of live rows."""

    segment: Segment
    deleted: NDArray[np.bool_] | None
    live_count: int

    def nearest(self, query: NDArray[np.float32], count: int) -> tuple[NDArray[np.float32], Ids]:
        """Return (products, ids) of at least the `count` best live rows, or of all live rows."""
        deleted_count = len(self.segment) - self.live_count
        asked = count + min(deleted_count, count)
        while True:
            products, places = self.segment.nearest(query, asked)
            if self.deleted is not None:
                live = ~self.deleted[places]
                products, places = products[live], places[live]
            if len(places) >= min(count, self.live_count):
                return products, self.segment.ids[places]
            asked *= 4

    def without(self, ids: Ids) -> _Part:
        """Return the part with the rows of the ids deleted; unknown ids are ignored."""
        places = self._places(ids)
        if not len(places):
            return self
        deleted = np.zeros(len(self.segment), bool) if self.deleted is None else self.deleted.copy()
        deleted[places] = True
        return _Part(self.segment, deleted, len(deleted) - int(np.count_nonzero(deleted)))

    def rows_of(self, ids: Ids) -> tuple[Ids, Rows]:
        """Return the live ones of some distinct ids, and their rows."""
        places = self.live_places(ids)
        return self.segment.ids[places], self.segment.rows(places)

    def live_places(self, ids: Ids) -> Ids:
        """Return the places of the live ones of some distinct ids."""
        places = self._places(ids)
        return places if self.deleted is None else places[~self.deleted[places]]

    def _places(self, ids: Ids) -> Ids:
        """Return the places of those ids that the segment holds, deleted or not."""
        places = self.segment.ids.searchsorted(ids)
        inside = places < len(self.segment)
        places, wanted = places[inside], ids[inside]
        found: Ids = places[self.segment.ids[places] == wanted]
        return found

    def live_rows(self) -> tuple[Ids, Rows]:
        """Return the ids and rows of all live rows."""
        places = np.arange(len(self.segment)) if self.deleted is None else np.flatnonzero(~self.deleted)
        return self.segment.ids[places], self.segment.rows(places)


class _Allowed(NamedTuple):
    """A segment's rows that a search may find: the part, the mask of these rows, and their number."""

    part: _Part
    mask: NDArray[np.bool_]
    size: int


def _allowed(part: _Part, places: Ids) -> _Allowed:
    mask = np.zeros(len(part.segment), bool)
    mask[places] = True
    return _Allowed(part, mask, len(places))


_Shard = tuple[_Part, ...]


class VectorIndex:
    """An immutable set of vectors. Safe to use from several threads."""

    def __init__(self, dim: int, shards: Mapping[SourceKind, _Shard] | None = None, folder: Path | None = None) -> None:
        """Large segments are mapped from files in `folder`; without one all are in memory."""
        self._dim = dim
        self._folder = folder
        self._shards = dict(shards or {})
        self._among = IdentityCache[list[_Allowed]]()

    def count(self, kind: SourceKind | None = None) -> int:
        """Return the number of vectors, of one kind or of all."""
        return sum(part.live_count for name, shard in self._shards.items() if kind in (None, name) for part in shard)

    def search(
        self, vector: NDArray[np.float32], limit: int, kind: SourceKind | None = None
    ) -> list[tuple[int, float]]:
        """Return (id, cosine) of the nearest vectors, best first, ties by id; nothing for a zero vector.

        A tie at the limit is returned whole, up to four times the limit, so that the caller can break it by a key that
        is the same in every build of the index.
        """
        scale, query = _quantised(vector)
        if limit < 1 or not scale:
            return []
        parts = [
            part for name, shard in self._shards.items() if kind in (None, name) for part in shard if part.live_count
        ]
        found = _best(parts, query, limit + 1)
        if len(found) > limit and found[limit][0] == found[limit - 1][0]:
            found = [one for one in _best(parts, query, limit * _MAX_TIE_FACTOR) if one[0] >= found[limit][0]]
            found = found[: limit * _MAX_TIE_FACTOR]
        else:
            found = found[:limit]
        return [(number, product / (SCALE * scale)) for product, number in found]

    def cosines(
        self, vector: NDArray[np.float32], ids: Sequence[int], limit: int | None = None
    ) -> list[tuple[int, float]]:
        """Return (id, cosine) of those ids that have a vector, best first, ties by id.

        With `limit` only the nearest so many, and ties with the last.
        """
        if limit is not None and len(ids) > max(limit, _FEW):
            return _nearest(vector, self._among.get(ids, lambda: self._sets(ids)), limit)
        wanted = _ascending_ids(ids)
        found = [part.rows_of(wanted) for shard in self._shards.values() for part in shard]
        if not found:
            return []
        known, rows = (np.concatenate(column) for column in zip(*found, strict=True))
        return cosines_of(vector, known, rows, limit)

    def _sets(self, ids: Sequence[int]) -> list[_Allowed]:
        """Return the parts that hold some of the ids, with which of their live rows these are."""
        wanted = _ascending_ids(ids)
        found = [(part, part.live_places(wanted)) for shard in self._shards.values() for part in shard]
        return [_allowed(part, places) for part, places in found if len(places)]

    def rows(self, ids: Sequence[int]) -> dict[int, Rows]:
        """Return {id: vector, int8 [dim]} of those ids that have one."""
        wanted = _ascending_ids(ids)
        parts = [part.rows_of(wanted) for shard in self._shards.values() for part in shard]
        return {number: row for found, rows in parts for number, row in zip(found.tolist(), rows, strict=True)}

    def changed(self, removed: ArrayLike, ids: ArrayLike, rows: Rows) -> VectorIndex:
        """Return a new set without the ids `removed` and with `ids` and their rows [n, dim] from `quantise`.

        Zero rows are left out. An id may be added again only after it was removed.
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
                shard = (*shard, _part(self._dim, [(fresh[into], rows[into])], self._folder))
            if len(out) or len(into):
                shards[name] = _merged(self._dim, shard, self._folder)
        return VectorIndex(self._dim, shards, self._folder)

    def release_memory(self) -> None:
        """Give mapped pages back. The next search maps them again."""
        for shard in self._shards.values():
            for part in shard:
                part.segment.release_memory()


def memories_among(ids: Iterable[int]) -> list[int]:
    """Return those ids of chunks that are of memories."""
    return [number for number in ids if number >> KIND_BITS == _MEMORY]


def build_vectors(
    dim: int, batches: Callable[[SourceKind], Iterable[tuple[Ids, Rows]]], folder: Path | None = None
) -> VectorIndex:
    """Build the set of the vectors that `batches` yields for each kind; the ids of a kind must ascend.

    Large segments are mapped from files in `folder`, if given.
    """
    shards: dict[SourceKind, _Shard] = {}
    for kind in SOURCE_KINDS:
        part = _part(dim, (_non_zero(ids, rows) for ids, rows in batches(kind)), folder)
        if part.live_count:
            shards[kind] = (part,)
    return VectorIndex(dim, shards, folder)


def _non_zero(ids: Ids, rows: Rows) -> tuple[Ids, Rows]:
    """Leave out zero rows: texts without a word of the model's vocabulary."""
    known = np.any(rows, axis=1)
    return ids[known], rows[known]


def cosines_of(vector: NDArray[np.float32], ids: Ids, rows: Rows, limit: int | None) -> list[tuple[int, float]]:
    """Return (id, cosine) of vectors, best first, ties by id, with the same digits as `VectorIndex.search`.

    With `limit` only the nearest so many, and ties with the last.
    """
    scale, query = _quantised(vector)
    if not len(rows) or not scale:
        return []
    products = rows.astype(np.float32) @ query
    if limit is not None and limit < len(products):
        near = products >= np.partition(products, len(products) - limit)[len(products) - limit]
        products, ids = products[near], ids[near]
    order = np.lexsort((ids, -products))
    near = zip(ids[order].tolist(), products[order].tolist(), strict=True)
    return [(number, product / (SCALE * scale)) for number, product in near]


def _quantised(vector: NDArray[np.float32]) -> tuple[float, NDArray[np.float32]]:
    """Return the scale that gives a query the whole range of 8 bits, 0 for a zero vector, and the quantised query."""
    largest = float(np.abs(vector).max())
    scale = 127.0 / largest if largest else 0.0
    return scale, quantise(vector, scale).astype(np.float32)


def _nearest(vector: NDArray[np.float32], sets: Sequence[_Allowed], limit: int) -> list[tuple[int, float]]:
    """Return (id, cosine) of the `limit` nearest rows of some sets and ties with the last, as `_cosines` does."""
    scale, query = _quantised(vector)
    if limit < 1 or not sets or not scale:
        return []
    asked = limit + 1
    while True:
        found = [(each.part, *each.part.segment.nearest(query, asked, each.mask)) for each in sets]
        products = np.concatenate([each for _, each, _ in found])
        ids = np.concatenate([part.segment.ids[places] for part, _, places in found])
        least = np.partition(products, len(products) - limit)[len(products) - limit] if len(products) > limit else None
        cut = any(
            len(some) == asked < each.size and least is not None and some[-1] >= least
            for (_, some, _), each in zip(found, sets, strict=True)
        )
        if not cut:
            break
        asked *= 4  # more rows have the product of the last
    if least is not None:
        near = products >= least
        products, ids = products[near], ids[near]
    order = np.lexsort((ids, -products))
    near_ids = zip(ids[order].tolist(), products[order].tolist(), strict=True)
    return [(number, product / (SCALE * scale)) for number, product in near_ids]


def _best(parts: list[_Part], query: NDArray[np.float32], count: int) -> list[Found]:
    """Return the `count` rows of the parts with the greatest products, ties by id."""
    found = [part.nearest(query, count) for part in parts]
    if not found:
        return []
    products, ids = (np.concatenate(column) for column in zip(*found, strict=True))
    order = np.lexsort((ids, -products))[:count]
    return list(zip(products[order].tolist(), ids[order].tolist(), strict=True))


def _merged(dim: int, shard: _Shard, folder: Path | None) -> _Shard:
    """Copy parts with many deleted rows, then merge parts from the end while one is not larger than all after it."""
    kept: list[_Part] = []
    for part in shard:
        if part.live_count < (1 - _MAX_DELETED_SHARE) * len(part.segment):
            part = _part(dim, [part.live_rows()], folder)
        if part.live_count:
            kept.append(part)
    first = len(kept) - 1
    following = kept[first].live_count if kept else 0
    while first > 0 and kept[first - 1].live_count <= following:
        first -= 1
        following += kept[first].live_count
    if len(kept) - first > 1:
        kept[first:] = [_part(dim, _ascending([part.live_rows() for part in kept[first:]]), folder)]
    return tuple(kept)


def _ascending_ids(ids: Sequence[int]) -> Ids:
    """Return distinct ids in ascending order. Those of a filter are in this order already."""
    given = np.array(ids, np.int64)
    return given if (given[1:] > given[:-1]).all() else np.unique(given)


def _ascending(parts: list[tuple[Ids, Rows]]) -> list[tuple[Ids, Rows]]:
    """Return the parts with ascending ids: unchanged when they ascend, else merged into one."""
    if all(before[0][-1] < after[0][0] for before, after in pairwise(parts)):
        return parts
    ids = np.concatenate([part[0] for part in parts])
    order = np.argsort(ids, kind="stable")
    return [(ids[order], np.concatenate([part[1] for part in parts])[order])]


def _part(dim: int, parts: Iterable[tuple[Ids, Rows]], folder: Path | None) -> _Part:
    segment = Segment(dim, parts, folder)
    return _Part(segment, None, len(segment))
