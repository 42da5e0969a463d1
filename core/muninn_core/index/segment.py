"""An immutable list of vectors with exact search. The only importer of faiss.

Rows are 8-bit integers (`quantise.py`). FAISS stores and scans them. The ids are kept in an array beside them, because
FAISS's own map of ids takes a sixth of the vectors' memory. Nothing is removed: the caller knows which rows are deleted
and asks for more results.
"""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any

import faiss
import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    Ids = NDArray[np.int64]
    Rows = NDArray[np.int8]

_threads = threading.local()

_SIGN = np.uint8(0x80)
"""FAISS stores a signed byte x as x + 128."""


def _use_one_thread() -> None:
    """Let FAISS search on the calling thread: a search takes milliseconds, and more threads cost more than they gain.

    The setting is per calling thread. It takes a tenth of a millisecond, as long as the search of a small segment.
    """
    if not getattr(_threads, "one", False):
        faiss.omp_set_num_threads(1)
        _threads.one = True


class Segment:
    """Vectors with ids. Safe to search from several threads."""

    __slots__ = ("_index", "ids")

    def __init__(self, dim: int, parts: Iterable[tuple[Ids, Rows]]) -> None:
        """Take rows [n, dim] part by part. `VectorIndex` needs ids that ascend over all parts."""
        exact = faiss.ScalarQuantizer.QT_8bit_direct_signed
        self._index: Any = faiss.IndexScalarQuantizer(dim, exact, faiss.METRIC_INNER_PRODUCT)
        known: list[Ids] = [np.zeros(0, np.int64)]
        for ids, rows in parts:
            known.append(ids)
            self._index.add_sa_codes(np.ascontiguousarray(rows).view(np.uint8) ^ _SIGN)
        self.ids: Ids = np.concatenate(known)

    def __len__(self) -> int:
        return len(self.ids)

    def nearest(
        self, query: NDArray[np.float32], count: int, among: NDArray[np.bool_] | None = None
    ) -> tuple[NDArray[np.float32], Ids]:
        """Return (products, places) of at most `count` rows with the greatest product with a quantised query [dim].

        `among` marks the rows that may be found. Of rows that tie at the limit any may be returned.
        """
        _use_one_thread()
        row = query.reshape(1, -1)
        if among is None:
            products, places = self._index.search(row, min(count, len(self)))
            return products[0], places[0]
        most = min(count, int(np.count_nonzero(among)))
        if not most:
            return np.zeros(0, np.float32), np.zeros(0, np.int64)
        selector: Any = faiss.IDSelectorBitmap  # the types of FAISS are those of C++
        parameters: Any = faiss.SearchParameters
        only = parameters(sel=selector(np.packbits(among, bitorder="little")))
        products, places = self._index.search(row, most, params=only)
        return products[0], places[0]

    def rows(self, places: Ids) -> Rows:
        """Return a copy of the rows at the given places."""
        codes = faiss.rev_swig_ptr(self._index.codes.data(), len(self) * self._index.d)
        taken: NDArray[np.uint8] = codes.reshape(len(self), self._index.d)[places]
        return (taken ^ _SIGN).view(np.int8)
