"""An immutable list of vectors with exact search. The only importer of faiss.

Rows are 8-bit integers (`quantise.py`). FAISS stores and scans them. The ids are kept in an array beside them, because
FAISS's own map of ids takes a sixth of the vectors' memory. Nothing is removed: the caller knows which rows are deleted
and asks for more results.

A large segment is in a file without a name, which is mapped: the system shares its pages and takes them back when it
needs them. A search of it takes as long as one in memory.
"""

from __future__ import annotations

import sys
import threading
from tempfile import TemporaryFile
from typing import TYPE_CHECKING, Any

import faiss
import numpy as np

from muninn_core.index.heap import drop_pages

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from numpy.typing import NDArray

    Ids = NDArray[np.int64]
    Rows = NDArray[np.int8]

_threads = threading.local()

_SIGN = np.uint8(0x80)
"""FAISS stores a signed byte x as x + 128."""

MAPPED_BYTES = 4_000_000
"""The size of the rows from which a segment is mapped: 10,000 memories. Smaller ones change often."""


def _use_one_thread() -> None:
    """Let FAISS search on the calling thread: a search takes milliseconds, and more threads cost more than they gain.

    The setting is per calling thread. It takes a tenth of a millisecond, as long as the search of a small segment.
    """
    if not getattr(_threads, "one", False):
        faiss.omp_set_num_threads(1)
        _threads.one = True


class Segment:
    """Vectors with ids. Safe to search from several threads."""

    __slots__ = ("_index", "_mapped", "ids")

    def __init__(self, dim: int, parts: Iterable[tuple[Ids, Rows]], folder: Path | None = None) -> None:
        """Take rows [n, dim] part by part. `VectorIndex` needs ids that ascend over all parts.

        Many rows are mapped from a file in `folder`; without one they are in memory.
        """
        exact = faiss.ScalarQuantizer.QT_8bit_direct_signed
        self._index: Any = faiss.IndexScalarQuantizer(dim, exact, faiss.METRIC_INNER_PRODUCT)
        known: list[Ids] = [np.zeros(0, np.int64)]
        for ids, rows in parts:
            known.append(ids)
            self._index.add_sa_codes(np.ascontiguousarray(rows).view(np.uint8) ^ _SIGN)
        self.ids: Ids = np.concatenate(known)
        self._mapped = False
        if folder is not None and len(self.ids) * dim >= MAPPED_BYTES:
            self._map(folder)

    def _map(self, folder: Path) -> None:
        """Move the rows to a file without a name, so that no crash leaves it. Where that fails, they stay in memory."""
        if sys.platform != "linux":
            return
        try:
            with TemporaryFile(dir=folder) as file:
                name = f"/proc/self/fd/{file.fileno()}"
                faiss.write_index(self._index, name)
                self._index = faiss.read_index(name, faiss.IO_FLAG_MMAP_IFC)
        except (OSError, RuntimeError):  # the disk is full, or there is no /proc
            return
        # Pages may be given back only where the rows are in the file: memory would lose them.
        self._mapped = not self._index.codes.is_owned

    def release_memory(self) -> None:
        """Give mapped pages back. The next search maps them again; that takes a tenth of its time."""
        if self._mapped:
            codes = self._codes()
            drop_pages(codes.ctypes.data, codes.nbytes)

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
        taken: NDArray[np.uint8] = self._codes()[places]
        return (taken ^ _SIGN).view(np.int8)

    def _codes(self) -> NDArray[np.uint8]:
        codes: NDArray[np.uint8] = faiss.rev_swig_ptr(self._index.codes.data(), len(self) * self._index.d)
        return codes.reshape(len(self), self._index.d)
