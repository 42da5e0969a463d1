"""A run of vectors that never changes, searched exactly. The only importer of faiss.

Rows are whole numbers of 8 bits (`whole.py`). FAISS keeps and scans them; the ids beside them are ours: FAISS's own map
of ids takes as much memory again as a sixth of the vectors. Nothing is ever removed: who holds a segment knows which of
its rows are dead, and asks for as many more.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import faiss
import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    Ids = NDArray[np.int64]
    Rows = NDArray[np.int8]

_SIGN = np.uint8(0x80)
"""FAISS stores a signed byte x as x + 128."""


class Segment:
    """Vectors with their ids, which rise. Safe to search from several threads."""

    __slots__ = ("_index", "ids")

    def __init__(self, dim: int, parts: Iterable[tuple[Ids, Rows]]) -> None:
        """Take rows [n, dim] in, part after part; the ids of all parts together must rise."""
        exact = faiss.ScalarQuantizer.QT_8bit_direct_signed
        self._index: Any = faiss.IndexScalarQuantizer(dim, exact, faiss.METRIC_INNER_PRODUCT)
        known: list[Ids] = [np.zeros(0, np.int64)]
        for ids, rows in parts:
            known.append(ids)
            self._index.add_sa_codes(np.ascontiguousarray(rows).view(np.uint8) ^ _SIGN)
        self.ids: Ids = np.concatenate(known)

    def __len__(self) -> int:
        return len(self.ids)

    def nearest(self, question: NDArray[np.float32], count: int) -> tuple[NDArray[np.float32], Ids]:
        """Return the products with a question [dim] of whole numbers, greatest first, and the places of the rows.

        At most `count`. Of equal ones at the end, those with the lowest places come.
        """
        # A few milliseconds' work: threads cost more than they gain, and spin. Each calling thread has its own setting.
        faiss.omp_set_num_threads(1)
        products, places = self._index.search(question.reshape(1, -1), min(count, len(self)))
        return products[0], places[0]

    def rows(self, places: Ids) -> Rows:
        """Return a copy of the rows at some places."""
        codes = faiss.rev_swig_ptr(self._index.codes.data(), len(self) * self._index.d)
        taken: NDArray[np.uint8] = codes.reshape(len(self), self._index.d)[places]
        return (taken ^ _SIGN).view(np.int8)
