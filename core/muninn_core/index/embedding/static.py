"""The bundled embedding model: a table with one vector per token.

A static model runs no network. The vector of a text is the weighted sum of the vectors of its tokens, normalized.
`scripts/model/export.py` writes the files. The layout is that of model2vec: `model.safetensors` holds `embeddings`,
int8 [tokens, dim], and `weights`, float32 [tokens], whose product is the table; `tokenizer.json` holds the tokenizer.

The sums are those of `StaticTextEmbedding` in fastembed 0.9.1, bit for bit. Any change in the order of the additions
changes the last digits of stored vectors.
"""

from __future__ import annotations

import json
import mmap
import threading
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from muninn_core.index.embedding.tokens import Tokens, load_tokenizer

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    Vectors = NDArray[np.float32]

_MAX_TOKENS = 512
"""Tokens of a text that count; the model was trained on at most so many."""

_UNKNOWN = "[UNK]"
"""The token of what the vocabulary lacks. It has no meaning and is left out of the sum."""

_BATCH = 256
"""Texts per matrix product."""

_MAX_CELLS = 500_000
"""Cells of a matrix of counts (texts x distinct tokens): 8 MB per worker. 4 million cells are no faster."""

_DTYPES = {"I8": np.int8, "F32": np.float32}
"""The types of the tensors in the file, by their names in the safetensors format. Its numbers are little-endian."""


class StaticEmbedder:
    """An `Embedder` that loads its model on the first call. Safe to use from several threads.

    `folder` holds `model.safetensors` and `tokenizer.json`; `dim` is the number of columns of the table.
    """

    def __init__(self, name: str, folder: Path, dim: int) -> None:
        self._name = name
        self._folder = folder
        self._dim = dim
        self._table: _Table | None = None
        self._lock = threading.Lock()

    @property
    def name(self) -> str:
        """The model's name."""
        return self._name

    @property
    def dim(self) -> int:
        """The length of a vector."""
        return self._dim

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Return float32 [len(texts), dim]: rows of length 1, or zero for a text without a known token."""
        if not texts:
            return np.zeros((0, self._dim), np.float32)
        table = self._loaded()
        batches = [table.embed(texts[start : start + _BATCH]) for start in range(0, len(texts), _BATCH)]
        return np.concatenate(batches)

    def embed_query(self, text: str) -> Vectors:
        """Return float32 [dim] of a query, which is embedded like any text."""
        row: Vectors = self._loaded().embed([text])[0]
        return row

    def release_memory(self) -> None:
        """Release the pages of the table and the cached tokens. The next call reads them again."""
        if self._table is not None:
            self._table.release()

    def _loaded(self) -> _Table:
        if self._table is None:
            with self._lock:
                if self._table is None:
                    self._table = _Table(self._folder)
        return self._table


class _Table:
    """A loaded model. The file is mapped: all workers share one copy in memory."""

    def __init__(self, folder: Path) -> None:
        tokenizer = load_tokenizer(folder / "tokenizer.json", _MAX_TOKENS)
        self._tokens = Tokens(
            lambda runs: [one.ids for one in tokenizer.encode_batch_fast(runs, add_special_tokens=False)]
        )
        self._unknown = tokenizer.token_to_id(_UNKNOWN)
        self._mapped = _map(folder / "model.safetensors")
        tensors = _tensors(self._mapped)
        self._rows, self._weights = tensors["embeddings"], tensors["weights"]

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Return the vectors of one batch."""
        parts = [self._tokens.encode(text)[: 2 * _MAX_TOKENS] for text in texts]
        ids = np.frombuffer(b"".join(parts), np.uint16)
        lengths = np.array([len(part) // 2 for part in parts], np.int64)
        known = ids != self._unknown
        if not known.all():
            owners = np.repeat(np.arange(len(texts)), lengths)
            lengths = np.bincount(owners[known], minlength=len(texts))
            ids = ids[known]
        # The second pass rounds once more, as the vectors of existing indexes were.
        return _unit(_unit(self._sums(ids, lengths)))

    def release(self) -> None:
        """Forget the cached tokens, and let the system take the pages of the file back."""
        self._tokens.forget()
        if hasattr(mmap, "MADV_DONTNEED"):
            self._mapped.madvise(mmap.MADV_DONTNEED)

    def _sums(self, ids: NDArray[np.uint16], lengths: NDArray[np.int64]) -> Vectors:
        """Return the sum of each text's vectors; `lengths` divides `ids` among the texts.

        One product of a matrix of counts with the vectors of the distinct tokens is several times as fast as a sum per
        text. A matrix beyond `_MAX_CELLS` is halved until it fits. A single text needs no matrix.
        """
        if not ids.size:
            return np.zeros((len(lengths), self._rows.shape[1]), np.float32)
        if len(lengths) == 1:
            vectors = self._rows[ids] * self._weights[ids, None]
            total: Vectors = vectors.sum(axis=0, keepdims=True, dtype=np.float32)
            return total
        seen = np.zeros(len(self._rows), bool)
        seen[ids] = True
        distinct = np.flatnonzero(seen)
        cells = len(lengths) * len(distinct)
        if cells > _MAX_CELLS:
            half = len(lengths) // 2
            split = int(lengths[:half].sum())
            return np.concatenate([self._sums(ids[:split], lengths[:half]), self._sums(ids[split:], lengths[half:])])
        column = np.empty(len(self._rows), np.int64)
        column[distinct] = np.arange(len(distinct))
        owners = np.repeat(np.arange(len(lengths)), lengths)
        counts = np.bincount(owners * len(distinct) + column[ids], weights=self._weights[ids], minlength=cells)
        sums: Vectors = counts.astype(np.float32).reshape(len(lengths), len(distinct)) @ self._rows[distinct]
        return sums


def _map(path: Path) -> mmap.mmap:
    with path.open("rb") as file:
        return mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)


def _tensors(mapped: mmap.mmap) -> dict[str, NDArray[Any]]:
    """Return the tensors of a safetensors file as views of its bytes.

    The format: the header's length in 8 bytes, little-endian; the header in JSON; the arrays. Their `data_offsets`
    count from the header's end (https://huggingface.co/docs/safetensors).
    """
    start = 8 + int.from_bytes(mapped[:8], "little")
    tensors = {}
    for name, entry in json.loads(mapped[8:start]).items():
        first, end = entry["data_offsets"]
        dtype = np.dtype(_DTYPES[entry["dtype"]])
        array = np.frombuffer(mapped, dtype, (end - first) // dtype.itemsize, start + first)
        tensors[name] = array.reshape(entry["shape"])
    return tensors


def _unit(rows: Vectors) -> Vectors:
    """Return the rows with length 1; rows of zeros stay zero."""
    lengths = np.sqrt(np.add.reduce(rows * rows, axis=1, keepdims=True))  # as `np.linalg.norm`
    unit: Vectors = np.divide(rows, lengths, out=np.zeros_like(rows), where=lengths > 0)
    return unit
