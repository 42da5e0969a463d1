"""Turns texts into vectors. The only importer of fastembed, loaded on first use.

The bundled model lies beside this module, so that meaning works on a machine that has never been online. Any other
model that fastembed knows is used from its cache only: nothing here ever downloads. Thread counts of the numeric
libraries are the process's affair, set before the first import.
"""

from __future__ import annotations

import mmap
import os
import threading
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from muninn_core.errors import NotFoundError
from muninn_core.index.alone import load_alone
from muninn_core.index.tokens import Tokens

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    Vectors = NDArray[np.float32]

BUNDLED = "muninn/static-code-256"
"""The model in the package: a table of 40,000 tokens for code and prose, made by `scripts/model`."""

# What fastembed loads sends reports to its makers unless it is told not to before it is loaded: ONNX Runtime since 1.29
# (an uploader, a device id and a database below ~/.cache), the hub's client of Hugging Face.
os.environ["ORT_DISABLE_TELEMETRY"] = "1"
os.environ["HF_HUB_DISABLE_TELEMETRY"] = "1"

_UNUSED = ("huggingface_hub", "requests", "PIL")
"""What fastembed imports to fetch models and to read images."""

_BUNDLED_DIM = 256
_MODEL_DIR = Path(__file__).parent / "model"


class Embedder(Protocol):
    """Whatever makes vectors of texts. Two embedders of one name make the same vectors."""

    @property
    def name(self) -> str:
        """The model's name; an index that was made with another one is embedded anew."""
        ...

    @property
    def dim(self) -> int:
        """The length of a vector."""
        ...

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Return float32 [len(texts), dim], each row of length 1, or zero where the model knows no word of a text."""
        ...

    def embed_query(self, text: str) -> Vectors:
        """Return float32 [dim] of a question: some models treat it differently."""
        ...

    def rest(self) -> None:
        """Give memory back that only makes the next text faster."""
        ...


class FastEmbedder:
    """An embedder through fastembed, whose model is loaded by the first call. Safe to call from several threads."""

    def __init__(self, name: str, dim: int, options: dict[str, Any], batch: int) -> None:
        self._name = name
        self._dim = dim
        self._options = options
        self._batch = batch
        self._model: Any = None
        self._lock = threading.Lock()

    @property
    def name(self) -> str:
        """The model's name."""
        return self._name

    @property
    def dim(self) -> int:
        """The length of a vector."""
        return self._dim

    def load(self) -> None:
        """Load the model now; for a background thread at start."""
        self._loaded()

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Return float32 [len(texts), dim], rows of length 1 or zero."""
        if not texts:
            return np.zeros((0, self._dim), np.float32)
        return _unit(np.stack(list(self._loaded().embed(list(texts), batch_size=self._batch))))

    def embed_query(self, text: str) -> Vectors:
        """Return float32 [dim] of a question."""
        row: Vectors = _unit(np.stack(list(self._loaded().query_embed(text))))[0]
        return row

    def rest(self) -> None:
        """Give the pages of a mapped table and the tokens of known words back."""
        release = getattr(self._model, "release", None)
        if release is not None:
            release()

    def _loaded(self) -> Any:
        if self._model is None:
            with self._lock:
                if self._model is None:
                    self._model = _load(self._name, self._options)
        return self._model


def load_embedder(name: str, cache_dir: Path) -> FastEmbedder:
    """Return the embedder of a model: the bundled one, or one that fastembed has in `cache_dir`.

    Raises NotFoundError, with how to get it, when fastembed does not know the model or its files are not there.
    """
    if name == BUNDLED:
        # Mapped, the table is in memory once, however many workers embed.
        options = {"specific_model_path": str(_MODEL_DIR), "cache_dir": str(_MODEL_DIR), "mmap": True}
        return FastEmbedder(BUNDLED, _BUNDLED_DIM, options, batch=256)
    dim = _dimension(name)
    # Transformers pad to the longest text of a batch: large batches cost memory and gain nothing on a processor.
    embedder = FastEmbedder(name, dim, {"cache_dir": str(cache_dir), "local_files_only": True}, batch=8)
    embedder.load()
    return embedder


def _load(name: str, options: dict[str, Any]) -> Any:
    if name == BUNDLED:
        return _load_bundled(options)
    from fastembed import TextEmbedding
    from fastembed.common import model_management

    # It writes to stderr what its exceptions say as well.
    management: Any = model_management
    management.logger.disable("fastembed")
    try:
        return TextEmbedding(name, **options)
    except (ValueError, OSError) as error:
        raise NotFoundError(
            f"the embedding model {name} is not on this machine: {error}",
            hint="nothing is downloaded by itself; fetch it once with "
            f"`python -c \"from fastembed import TextEmbedding as T; T('{name}', cache_dir='{options['cache_dir']}')\"`"
            f", or set index.model to {BUNDLED}",
        ) from error


def _dimension(name: str) -> int:
    from fastembed import TextEmbedding

    for model in TextEmbedding.list_supported_models():
        if model["model"].lower() == name.lower():
            return int(model["dim"])
    raise NotFoundError(
        f"fastembed knows no embedding model {name}",
        hint=f"set index.model to {BUNDLED}, or to a name that fastembed lists",
    )


def _load_bundled(options: dict[str, Any]) -> Any:
    """Load the bundled table with fastembed's path for static tables, and nothing else of fastembed.

    The whole of it brings an ONNX runtime, image libraries and two clients of the hub: half a second and 50 MB, in the
    daemon and in every worker, of which a table in a folder uses nothing. That path is no documented interface: the
    dependency is pinned, and a test loads the model in both ways.
    """
    static: Any = load_alone("fastembed.text.static_embedding", without=_UNUSED)
    description = static.DenseModelDescription(
        model=BUNDLED,
        dim=_BUNDLED_DIM,
        description="static token vectors for code and prose",
        license="apache-2.0",
        size_in_GB=0.01,
        # fastembed demands a source; a model that is loaded from a given folder never asks it.
        sources=static.ModelSource(hf=BUNDLED),
        model_file="model.safetensors",
    )

    class Bundled(static.StaticTextEmbedding):  # type: ignore[misc]
        """fastembed's path for static tables, for our description."""

        POOLING_CELLS = 500_000  # some 8 MB for a batch in place of 60, in every worker, and as fast

        def load_model(self) -> None:
            super().load_model()
            encode = self.tokenizer.encode_batch_fast
            self._tokens = Tokens(lambda runs: [one.ids for one in encode(runs, add_special_tokens=False)])

        def release(self) -> None:
            self._tokens.forget()
            mapped = getattr(self.embeddings, "_mmap", None)
            if mapped is not None and hasattr(mmap, "MADV_DONTNEED"):
                mapped.madvise(mmap.MADV_DONTNEED)

        def _token_ids(self, documents: list[str]) -> tuple[NDArray[Any], NDArray[np.int64]]:
            """Return the tokens of all texts, and each one's number: our tokenizer sees no farther than runs."""
            most = 2 * static.MAX_LENGTH
            parts = [self._tokens.of(text)[:most] for text in documents]
            return np.frombuffer(b"".join(parts), np.uint16), np.array([len(part) // 2 for part in parts], np.int64)

        @classmethod
        def _list_supported_models(cls) -> list[Any]:
            return [description]

        def query_embed(self, query: str, **_: Any) -> Any:
            """Yield the vector of one question, without the machinery of batches."""
            yield self.raw_embed([query])[0]

    return Bundled(BUNDLED, **options)


def _unit(rows: NDArray[Any]) -> Vectors:
    rows = rows.astype(np.float32, copy=False)
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    unit: Vectors = np.divide(rows, lengths, out=np.zeros_like(rows), where=lengths > 0)
    return unit
