"""Embedding models: what they have in common, and how one is chosen by its name.

The bundled model (`static.py`) is part of the package and works offline. Every other model goes through fastembed
(`fastembedder.py`), which is imported only then. The caller sets the thread counts of the numeric libraries in the
environment before the first import.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, Protocol

from muninn_core.index.embedding.static import StaticEmbedder

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray

    Vectors = NDArray[np.float32]

BUNDLED = "muninn/static-code-256"
"""The model in the package: 40,000 tokens of code and prose, made by `scripts/model`."""

_BUNDLED_DIM = 256
_MODEL_DIR = Path(__file__).parents[1] / "model"


class Embedder(Protocol):
    """Turns texts into vectors. Two embedders with one name return the same vectors."""

    @property
    def name(self) -> str:
        """The model's name. An index made with another model is embedded again."""
        ...

    @property
    def dim(self) -> int:
        """The length of a vector."""
        ...

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Return float32 [len(texts), dim]: rows of length 1, or zero for a text without a known token."""
        ...

    def embed_query(self, text: str) -> Vectors:
        """Return float32 [dim] of a query. Some models embed queries and documents differently."""
        ...

    def release_memory(self) -> None:
        """Release memory that only makes the next call faster."""
        ...


class Encoded(NamedTuple):
    """What an `Encoder` returns for a text: its `vector`, float32 [dim], and its tokens' `states`, [tokens, dim]."""

    vector: Vectors
    states: Vectors


class Encoder(Embedder, Protocol):
    """An embedder of prose that also returns a vector for each token of a text, which depends on the others."""

    def encode(self, texts: Sequence[str]) -> list[Encoded]:
        """Return the vectors of texts and the states of their tokens."""
        ...

    def encode_query(self, text: str) -> Encoded:
        """Return the vector and the states of a question."""
        ...


def load_bundled() -> StaticEmbedder:
    """Return the bundled model. Its first call loads the files."""
    return StaticEmbedder(BUNDLED, _MODEL_DIR, _BUNDLED_DIM)


def load_embedder(name: str, cache_dir: Path) -> Embedder:
    """Return the bundled model, or a model that fastembed lists, from its files in `cache_dir`.

    Raises NotFoundError when fastembed has no such model, or when its files are missing or damaged.
    """
    if name == BUNDLED:
        return load_bundled()
    from muninn_core.index.embedding.fastembedder import load_configured

    return load_configured(name, cache_dir)
