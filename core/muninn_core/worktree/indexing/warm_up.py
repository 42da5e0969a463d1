"""Loads what the first question needs."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress

from muninn_core.index.embedding.embed import Embedder, Encoder
from muninn_core.index.index import Index
from muninn_core.worktree.indexing.index_updater import IndexUpdater

WARM_SECONDS = 30.0
"""How long warming up waits for the index to open."""


def load_for_question(updater: IndexUpdater, embedder: Callable[[Index], Embedder], encoder: Encoder | None) -> None:
    """Load the index, its embedding model and, where memories exist, the text encoder. Errors are ignored.

    This only saves time: the next question reports the same error.
    """
    with suppress(Exception):
        index = updater.wait_open(WARM_SECONDS)
        vector = embedder(index).embed_query("what is remembered")
        snapshot = index.snapshot()
        snapshot.dense(vector, 1)
        if encoder is not None and snapshot.has_memories:
            encoder.embed_query("what is remembered")
