"""Embedding models that the user configures, through fastembed. The only importer of fastembed and loguru.

The bundled model needs none of this: fastembed takes half a second and 50 MB to import, so that only a configured model
loads this module. Models come from a folder on this machine; nothing is downloaded.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

# ONNX Runtime 1.29 and later and the client of the Hugging Face Hub report usage to their makers unless these are set
# before they are imported. ONNX Runtime also keeps a device id below ~/.cache.
os.environ["ORT_DISABLE_TELEMETRY"] = "1"
os.environ["HF_HUB_DISABLE_TELEMETRY"] = "1"

import numpy as np
from fastembed import TextEmbedding
from loguru import logger

from muninn_core.errors import NotFoundError

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    Vectors = NDArray[np.float32]

_BATCH = 8
"""Texts per run of the network. A batch is padded to its longest text: 256 texts take 1.8 GB and are no faster."""


class FastEmbedder:
    """An `Embedder` through fastembed. Safe to use from several threads."""

    def __init__(self, name: str, dim: int, model: TextEmbedding) -> None:
        self._name = name
        self._dim = dim
        self._model = model

    @property
    def name(self) -> str:
        """The model's name."""
        return self._name

    @property
    def dim(self) -> int:
        """The length of a vector."""
        return self._dim

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Return float32 [len(texts), dim], rows of length 1 or zero."""
        if not texts:
            return np.zeros((0, self._dim), np.float32)
        return _unit(self._model.embed(list(texts), batch_size=_BATCH))

    def embed_query(self, text: str) -> Vectors:
        """Return float32 [dim] of a query. Some models put an instruction before it."""
        row: Vectors = _unit(self._model.query_embed(text))[0]
        return row

    def release_memory(self) -> None:
        """Do nothing: fastembed has no cache to release."""


def load_configured(name: str, cache_dir: Path) -> FastEmbedder:
    """Load a model that fastembed lists from `cache_dir`, a cache of the Hugging Face Hub.

    Raises NotFoundError when fastembed has no model of that name, and when the files are missing or damaged.
    """
    # fastembed logs to stderr what its exceptions say.
    logger.disable("fastembed")
    try:
        dim = TextEmbedding.get_embedding_size(name)
    except ValueError as error:
        raise NotFoundError(
            f"fastembed has no embedding model {name}",
            hint="Set index.model to a name that fastembed lists, or remove the line to use the bundled model.",
        ) from error
    try:
        model = TextEmbedding(name, cache_dir=str(cache_dir), local_files_only=True)
    except Exception as error:  # ONNX Runtime has exceptions of its own for damaged files
        raise NotFoundError(
            f"the embedding model {name} can't be loaded from this machine: {error}",
            hint="Muninn downloads nothing; fetch the model once with "
            f"`python -c \"from fastembed import TextEmbedding as T; T('{name}', cache_dir='{cache_dir}')\"`"
            ", or remove index.model from the configuration to use the bundled model",
        ) from error
    return FastEmbedder(name, dim, model)


def _unit(vectors: Iterable[NDArray[np.generic]]) -> Vectors:
    """Return the vectors as rows of length 1; zero vectors stay zero."""
    rows = np.stack(list(vectors)).astype(np.float32, copy=False)
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    unit: Vectors = np.divide(rows, lengths, out=np.zeros_like(rows), where=lengths > 0)
    return unit
