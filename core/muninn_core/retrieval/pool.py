"""The candidates of a question, as values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from muninn_core.model.chunk import Chunk
    from muninn_core.model.memory import Memory
    from muninn_core.retrieval.query.query_terms import Query


class ScoredChunk(NamedTuple):
    """A candidate, its memory if it is one, and its match by words and by meaning, 0..1."""

    chunk: Chunk
    memory: Memory | None
    words: float
    meaning: float


class Pool(NamedTuple):
    """The parsed question, its candidates, and the match of whole files by path, 0..1.

    `meaning` is the highest cosine and `top` the highest BM25 score, before scaling. `small` is true when the index has
    few vectors or none, so that `meaning` is no evidence.
    """

    query: Query
    found: Sequence[ScoredChunk]
    files: Mapping[str, float]
    meaning: float
    small: bool
    top: float = 0.0
