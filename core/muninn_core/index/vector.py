"""The index of meaning: exact search over 8-bit vectors. The only importer of faiss.

One shard for each kind, so that a filter costs nothing and a change copies only its own shard. FAISS may not be changed
while it is searched: a change makes a new shard of a copy (2 ms for 40,000 vectors); readers keep the one they have.

The quantiser's range is fixed, not learnt: a vector is stored in the same way whatever was stored before it, so that
an index that grew through many edits answers as one that was built at once. Components, the
question's too, are scaled to whole numbers here: FAISS searches these in a third of the time that it takes for ranges
of its own, and their sums are exact, so that every processor finds the same.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import faiss
import numpy as np

from muninn_core.model.chunk import SOURCE_KINDS

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from muninn_core.model.chunk import SourceKind

    Vectors = NDArray[np.float32]

_SCALE = 254.0
"""A component is stored as a whole number of 1/254, -128 to 127: what is beyond a half is clipped. In 256 dimensions
nearly all components of unit vectors lie within 0.4."""

KIND_BITS = 40
"""An id is (kind's number << KIND_BITS) + a running number, which makes room for 10^12 chunks a kind."""


class Meaning:
    """A fixed set of vectors, for reading. Safe to use from several threads."""

    def __init__(self, dim: int, shards: Mapping[SourceKind, Any] | None = None) -> None:
        # One query is a few milliseconds' work: threads cost more than they gain, and spin.
        faiss.omp_set_num_threads(1)
        self._dim = dim
        self._shards = dict(shards or {})

    def count(self, kind: SourceKind | None = None) -> int:
        """Return the number of vectors, of one kind or of all."""
        return sum(int(shard.ntotal) for name, shard in self._shards.items() if kind in (None, name))

    def search(self, vector: Vectors, limit: int, kind: SourceKind | None = None) -> list[tuple[int, float]]:
        """Return (id, cosine) of the nearest vectors, best first, ties by id. A zero vector is near to nothing."""
        if limit < 1 or not np.any(vector):
            return []
        scale = 127.0 / float(np.max(np.abs(vector)))  # a question uses the whole range, whatever its components
        row = _whole(vector, scale).reshape(1, self._dim)
        found: list[tuple[float, int]] = []
        for name, shard in self._shards.items():
            if kind in (None, name) and shard.ntotal:
                scores, ids = shard.search(row, min(limit, int(shard.ntotal)))
                found += zip((scores[0] / (-_SCALE * scale)).tolist(), ids[0].tolist(), strict=True)
        found.sort()  # distances are negative scores, so that plain order is best first, ties by id
        return [(number, -distance) for distance, number in found[:limit]]

    def changed(self, removed: Sequence[int], ids: Sequence[int], vectors: Vectors) -> Meaning:
        """Return a new set without `removed` and with `ids` and their vectors [n, dim]; zero vectors are left out."""
        gone = np.asarray(removed, np.int64)
        fresh = np.asarray(ids, np.int64)
        known = np.any(vectors, axis=1) if len(fresh) else np.zeros(0, bool)
        shards = dict(self._shards)
        for number, name in enumerate(SOURCE_KINDS):
            out = gone[gone >> KIND_BITS == number]
            into = known & (fresh >> KIND_BITS == number)
            if len(out) or into.any():
                shards[name] = self._shard(shards.get(name), out, fresh[into], vectors[into])
        return Meaning(self._dim, shards)

    def _shard(self, old: Any, removed: NDArray[np.int64], ids: NDArray[np.int64], vectors: Vectors) -> Any:
        shard = _empty(self._dim) if old is None else faiss.clone_index(old)
        if len(removed) and shard.ntotal:
            shard.remove_ids(faiss.IDSelectorBatch(removed))
        if len(ids):
            shard.add_with_ids(_whole(vectors, _SCALE), ids)
        return shard


def _empty(dim: int) -> Any:
    exact = faiss.ScalarQuantizer.QT_8bit_direct_signed
    return faiss.IndexIDMap2(faiss.IndexScalarQuantizer(dim, exact, faiss.METRIC_INNER_PRODUCT))


def _whole(vectors: Vectors, scale: float) -> Vectors:
    """Return vectors as the whole numbers that are stored and compared; sums of their products stay below 2^24."""
    return np.ascontiguousarray(np.clip(np.rint(vectors * scale), -128, 127), np.float32)
