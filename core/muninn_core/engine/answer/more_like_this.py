"""More like this: turns a place in a file, or a memory, into words and a vector to search with."""

from __future__ import annotations

import re
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from muninn_core.engine.answer.search_context import SearchContext
from muninn_core.engine.answer.unknown_file import unknown_file
from muninn_core.engine.memory.lookup import only
from muninn_core.errors import NotFoundError
from muninn_core.index.embedding.encodings import encoder_text
from muninn_core.index.extraction.extract import embedding_text
from muninn_core.model.chunk import Chunk
from muninn_core.model.memory import Memory
from muninn_core.retrieval.text.informative_terms import informative_terms
from muninn_core.worktree.indexing.index_updater import text_of

_PLACE = re.compile(r"(?P<path>.+?):(?P<line>[1-9]\d{0,8})(-\d+)?", re.DOTALL)


class LikeThis(NamedTuple):
    """The words, text and vector to search with, and the chunk that they come from."""

    words: str
    prose: str
    vector: NDArray[np.float32]
    chunk: Chunk

    def admits(self, chunk: Chunk, _memory: Memory | None) -> bool:
        """Whether a chunk is not the one that was asked about."""
        own = self.chunk
        return (chunk.kind, chunk.path, chunk.start, chunk.end) != (own.kind, own.path, own.start, own.end)


def like_this(searched: SearchContext, target: str, root: Path) -> LikeThis:
    """Resolve FILE:LINE, with a path relative to `root`, or a memory's id.

    Raises NotFoundError, and UsageError for an ambiguous id.
    """
    place = _PLACE.fullmatch(target.strip())
    chunk, extra = _chunk_at(searched, root, place["path"], int(place["line"])) if place else _memory(searched, target)
    (vector,) = searched.embedder.embed([embedding_text(chunk, extra)])
    text = "\n".join(part for part in (chunk.title, chunk.text, extra) if part)
    return LikeThis(informative_terms(text, searched.reader.frequency), encoder_text(chunk), vector, chunk)


def _chunk_at(searched: SearchContext, root: Path, path: str, line: int) -> tuple[Chunk, str]:
    path = path.removeprefix("./")
    chunks = list(searched.reader.chunks_of(path).values())
    if not chunks:
        raise unknown_file(root, path, (known for known, _, _ in searched.reader.paths()))
    holding = [chunk for chunk in chunks if chunk.start <= line <= chunk.end]
    before = [chunk for chunk in chunks if chunk.start <= line]
    last = max(chunk.end for chunk in chunks)
    if line > last:
        raise NotFoundError(f"'{path}' has no line {line}", hint=f"The last one with text is {last}.")
    # Choose the smallest chunk around the line; for a blank line the chunk above, or else the first.
    found = min(holding, key=lambda c: (c.end - c.start, c.start)) if holding else (before or chunks[:1])[-1]
    return found, ""


def _memory(searched: SearchContext, prefix: str) -> tuple[Chunk, str]:
    try:
        memory = searched.memories[only(prefix, searched.memories, "memory")]
    except NotFoundError as error:
        raise NotFoundError(error.message, hint="A place in a file is FILE:LINE, a memory is its id.") from None
    text = text_of(memory)
    return text.chunk(memory.id), text.extra
