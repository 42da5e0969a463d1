"""The models of the server, loaded once: reading the tokenizer takes longer than answering a question."""

from __future__ import annotations

from functools import cache

from muninn_core.index.embedding.embed import Embedder, Encoder, load_bundled
from muninn_core.index.embedding.encoder import load_encoder


@cache
def embedder() -> Embedder:
    """Return the bundled table of tokens."""
    return load_bundled()


@cache
def encoder() -> Encoder | None:
    """Return the text encoder, None where it is not installed."""
    return load_encoder()
