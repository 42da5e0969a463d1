"""The text encoder: all-MiniLM-L6-v2 for memories and for the questions about them. The only importer of onnxruntime.

A transformer recognises a statement in other words, which a table of tokens does not. It takes a millisecond for a
memory, a hundred times as long as the table, so that it embeds no code. `scripts/encoder` builds the files; without
them, memories are compared by the table.

Last digits differ between processors: some add 32-bit floats in another order. A vector depends on its text alone, as
texts are encoded one at a time.
"""

from __future__ import annotations

import os
import threading
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from muninn_core.index.embed import Encoded
from muninn_core.index.tokens import load_tokenizer

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    Vectors = NDArray[np.float32]

ENCODER = "all-MiniLM-L6-v2/int8-1"
"""The name of the model in the package. Raise the last number when its vectors change."""

DIM = 384
"""The length of a vector."""

_FOLDER = Path(__file__).parent / "minilm"
_NETWORK, _TOKENIZER = "encoder.onnx", "tokenizer.json"

_MAX_TOKENS = 256
"""Tokens of a text that count; the model was trained on at most so many."""

_BLANK = Encoded(np.zeros(DIM, np.float32), np.zeros((0, DIM), np.float32))

_NO_MEMORY = "bad_alloc"
"""The part of an exception's text by which ONNX Runtime reports that C++ could not allocate memory."""

_ERRORS_ONLY = 3
"""ONNX Runtime's level of log messages."""


class TextEncoder:
    """An `Encoder` that loads its model on the first call. Safe to use from several threads."""

    name = ENCODER
    dim = DIM

    def __init__(self, folder: Path = _FOLDER) -> None:
        self._folder = folder
        self._lock = threading.Lock()
        self._loaded: _Network | None = None

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Return float32 [len(texts), 384]: rows of length 1, or zero for a blank text."""
        rows = np.zeros((len(texts), DIM), np.float32)
        for number, encoded in enumerate(self.encode(texts)):
            rows[number] = encoded.vector
        return rows

    def encode(self, texts: Sequence[str]) -> list[Encoded]:
        """Return the vectors of texts and the states of their tokens; zero and no states for a blank text."""
        network = self._network()
        return [network.encoded(text) if text.strip() else _BLANK for text in texts]

    def encode_query(self, text: str) -> Encoded:
        """Return the vector and the states of a question, which is encoded like any text."""
        return self.encode([text])[0]

    def embed_query(self, text: str) -> Vectors:
        """Return float32 [384] of a question, which is embedded like any text."""
        row: Vectors = self.embed([text])[0]
        return row

    def release_memory(self) -> None:
        """Unload the model. The next call loads it in 50 ms."""
        with self._lock:
            self._loaded = None

    def _network(self) -> _Network:
        with self._lock:
            if self._loaded is None:
                self._loaded = _Network(self._folder)
            return self._loaded


class _Network:
    """A loaded model."""

    def __init__(self, folder: Path) -> None:
        # ONNX Runtime 1.29 and later report usage to their maker unless this is set before they are imported.
        os.environ["ORT_DISABLE_TELEMETRY"] = "1"
        import onnxruntime  # 20 MB that a daemon without a question about memory does not need

        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = options.inter_op_num_threads = 1  # a text takes less than a thread's start
        options.log_severity_level = _ERRORS_ONLY
        options.enable_cpu_mem_arena = False  # the arena keeps the memory of the longest text
        with _lack_of_memory():
            self._session: Any = onnxruntime.InferenceSession(
                str(folder / _NETWORK), options, providers=["CPUExecutionProvider"]
            )
        self._tokenizer = load_tokenizer(folder / _TOKENIZER, _MAX_TOKENS)

    def encoded(self, text: str) -> Encoded:
        """Return the vector of a text and the states of its tokens, without those of its begin and end."""
        ids = np.array(self._tokenizer.encode(text).ids, np.int64)
        with _lack_of_memory():
            vector, states = self._session.run(["vector", "states"], {"ids": ids})
        return Encoded(vector, states[1:-1])


@contextmanager
def _lack_of_memory() -> Iterator[None]:
    """Raise MemoryError for the exception of ONNX Runtime that reports a failed allocation."""
    try:
        yield
    except Exception as error:  # its classes have no common base but Exception; all others are raised again
        if _NO_MEMORY in str(error):
            raise MemoryError(f"the text encoder: {error}") from error
        raise


@cache
def load_encoder() -> TextEncoder | None:
    """Return the encoder of the package, one per process; None when its files were not built."""
    return TextEncoder() if all((_FOLDER / name).is_file() for name in (_NETWORK, _TOKENIZER)) else None
