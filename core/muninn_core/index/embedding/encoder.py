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
from collections import OrderedDict
from concurrent.futures import Future
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from muninn_core.index.embedding.embed import Encoded
from muninn_core.index.embedding.tokens import load_tokenizer

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    Vectors = NDArray[np.float32]

ENCODER = "all-MiniLM-L6-v2/adapted-1"
"""The name of the model in the package. Raise the last number when its vectors change."""

DIM = 384
"""The length of a vector."""

_FOLDER = Path(__file__).parents[1] / "minilm"
_NETWORK, _TOKENIZER = "adapted.onnx", "tokenizer.json"
_PRODUCTS = Path(__file__).parents[1] / "products.onnx"
"""The product of two matrices, made by scripts/encoder/products.py."""

_MAX_TOKENS = 256
"""Tokens of a text that count; the model was trained on at most so many."""

_BLANK = Encoded(np.zeros(DIM, np.float32), np.zeros((0, DIM), np.float32))

_KEPT_TOKENS = 1_000
"""The tokens of the newest questions whose encodings are kept, 1.5 MB: a prompt brings reminders, then a recall or a
context asks the same, and so may several agents. A new memory is compared with the others, then indexed."""

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
        self._kept: OrderedDict[str, Encoded] = OrderedDict()
        self._running: dict[str, Future[Encoded]] = {}
        self._tokens = 0

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Return float32 [len(texts), 384]: rows of length 1, or zero for a blank text."""
        rows = np.zeros((len(texts), DIM), np.float32)
        for number, encoded in enumerate(self.encode(texts)):
            rows[number] = encoded.vector
        return rows

    def encode(self, texts: Sequence[str]) -> list[Encoded]:
        """Return the vectors of texts and the states of their tokens; zero and no states for a blank text."""
        network = self._network()
        with self._lock:
            known = {text: self._kept[text] for text in texts if text in self._kept}
        return [known.get(text) or (network.encoded(text) if text.strip() else _BLANK) for text in texts]

    def encode_query(self, text: str) -> Encoded:
        """Return the vector and the states of a text, which are kept for its next encoding. Do not change them.

        While another thread encodes the same text, this waits for it.
        """
        with self._lock:
            known = self._kept.get(text)
            if known is not None:
                self._kept.move_to_end(text)
                return known
            running = self._running.get(text)
            if running is None:
                own = self._running[text] = Future()
        if running is not None:
            return running.result()
        try:
            (found,) = self.encode([text])
        except BaseException as error:
            own.set_exception(error)
            raise
        else:
            own.set_result(found)
            self._keep(text, found)
        finally:
            with self._lock:
                del self._running[text]
        return found

    def _keep(self, text: str, found: Encoded) -> None:
        with self._lock:
            self._kept[text] = found
            self._tokens += 1 + len(found.states)
            while self._tokens > _KEPT_TOKENS:
                self._tokens -= 1 + len(self._kept.popitem(last=False)[1].states)

    def embed_query(self, text: str) -> Vectors:
        """Return float32 [384] of a question, which is embedded like any text."""
        row: Vectors = self.embed([text])[0]
        return row

    def release_memory(self) -> None:
        """Unload the model. The next call loads it in 50 ms."""
        with self._lock:
            self._loaded = None
            self._kept.clear()
            self._tokens = 0

    def _network(self) -> _Network:
        with self._lock:
            if self._loaded is None:
                self._loaded = _Network(self._folder)
            return self._loaded


class _Network:
    """A loaded model."""

    def __init__(self, folder: Path) -> None:
        self._session: Any = _session(folder / _NETWORK)
        self._tokenizer = load_tokenizer(folder / _TOKENIZER, _MAX_TOKENS)

    def encoded(self, text: str) -> Encoded:
        """Return the vector of a text and the states of its tokens, without those of its begin and end."""
        ids = np.array(self._tokenizer.encode(text).ids, np.int64)
        with _lack_of_memory():
            vector, states = self._session.run(["vector", "states"], {"ids": ids})
        return Encoded(vector, states[1:-1])


def integer_products(rows: NDArray[np.uint8], columns: NDArray[np.int8]) -> NDArray[np.int32]:
    """Return the product of rows [m, k] and columns [k, n], the same on every processor if all are small.

    It takes an eighth of the time of 32-bit floats, and releases the GIL. Two products must add up to less than 2^15,
    because some processors add pairs with 16 bits.
    """
    with _lack_of_memory():
        (found,) = _multiplier().run(["products"], {"rows": rows, "columns": columns})
    products: NDArray[np.int32] = found
    return products


@cache
def _multiplier() -> Any:
    return _session(_PRODUCTS)


def _session(file: Path) -> Any:
    """Return a model that runs on the calling thread."""
    # ONNX Runtime 1.29 and later report usage to their maker unless this is set before they are imported.
    os.environ["ORT_DISABLE_TELEMETRY"] = "1"
    import onnxruntime  # 20 MB that a daemon without a question about memory does not need

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1  # a text takes less than a thread's start
    options.log_severity_level = _ERRORS_ONLY
    options.enable_cpu_mem_arena = False  # the arena keeps the memory of the longest text
    with _lack_of_memory():
        return onnxruntime.InferenceSession(str(file), options, providers=["CPUExecutionProvider"])


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
