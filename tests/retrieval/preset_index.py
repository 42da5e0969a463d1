"""An index with preset results, and searches in it."""

from __future__ import annotations

from datetime import UTC, datetime

import numpy as np

from muninn_core.index.file_list import FileList
from muninn_core.model.chunk import Chunk
from muninn_core.model.memory import Memory
from muninn_core.retrieval.rankers.relevance import Relevance
from muninn_core.retrieval.request import Bounds, Focus, SearchRequest
from muninn_core.retrieval.results.ranking import settle
from muninn_core.retrieval.search import search

NOW = datetime(2026, 3, 1, tzinfo=UTC)
VECTOR = np.ones(4, np.float32)


class PresetIndex:
    """An index with preset results."""

    documents = 0

    def __init__(self, chunks, lexical=None, dense=(), whole=(), generated=()):
        self.generated = generated
        self.sources = (self,)
        self._chunks = dict(enumerate(chunks))
        self._whole = whole
        self._lexical = [(number, 1.0) for number in self._chunks] if lexical is None else lexical
        self._dense = dense

    def lexical(self, words, limit, kind=None):
        """Return what was given, best first."""
        return self._lexical[:limit]

    def dense(self, vector, limit, kind=None):
        """Return what was given, best first."""
        return self._dense[:limit]

    def whole_files(self, words, limit, kind=None):
        """Return what was given, best first."""
        return self._whole[:limit]

    def paths(self):
        """Return the files of the chunks."""
        files = {chunk.path: (chunk.path, chunk.kind, "python") for chunk in self._chunks.values()}
        return FileList(sorted(files.values()))

    def rarities(self, words):
        """Return that all words are equally rare."""
        return dict.fromkeys(words, 1.0)

    def chunks(self, ids):
        """Return the chunks of these ids."""
        return {number: self._chunks[number] for number in ids}

    def memories_of_numbers(self, ids):
        """Return those of these ids that are memories."""
        return {number: self._chunks[number].path for number in ids if self._chunks[number].kind == "memory"}

    def first_chunks(self, paths):
        """Return the first chunk of each of these files."""
        found = {}
        for chunk in self._chunks.values():
            if chunk.path in paths:
                found.setdefault(chunk.path, chunk)
        return found


def code(path="a.py", start=1, symbol="", kind="code"):
    return Chunk(kind=kind, path=path, start=start, end=start + 4, text=f"text of {path}", symbol=symbol)


def stored_memory(identity="m1", **more):
    data = {"id": identity, "type": "insight", "text": f"Fact {identity}.", "ts": "2026-03-01T00:00:00.000Z", **more}
    return Memory(**data)


def rank(reader, vector, memories, text, *, limit, kind=None, bounds=None, focus=None, **terms):
    return search(
        reader,
        SearchRequest(
            text,
            vector,
            memories,
            limit,
            NOW,
            terms=Relevance(**terms),
            kind=kind,
            bounds=bounds or Bounds(),
            focus=focus or Focus(),
        ),
    )


def recall(reader, vector, memories, text, *, limit, citations=lambda _memory: (), **given):
    decisions = given.get("decisions", lambda _path: None)
    return settle(rank(reader, vector, memories, text, limit=limit, **given), limit, citations, decisions)[0]


def ask(chunks, memories=(), text="question", limit=10, lexical=None, dense=(), **more):
    everything = [*chunks, *(Chunk(kind="memory", path=each.id, start=1, end=1, text=each.text) for each in memories)]
    return recall(
        PresetIndex(everything, lexical, dense), VECTOR, {m.id: m for m in memories}, text, limit=limit, **more
    )


def signals(hit):
    return {reason.signal: reason.contribution for reason in hit.why}
