"""Muninn's arms: the whole engine, and its retrieval with parts disabled, on the same index."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path

import numpy as np

from bench.quality.questions import Place
from muninn_core.config import IndexConfig
from muninn_core.engine.engine import Engine
from muninn_core.index.embedding.embed import Embedder, load_bundled
from muninn_core.index.extraction.extract import WordsJob, read_words
from muninn_core.index.extraction.survey import SurveyBuilder
from muninn_core.index.manifest.reader import open_reader
from muninn_core.index.opening import open_index
from muninn_core.index.snapshot import RowCache, Snapshot
from muninn_core.index.vectors.vector_index import VectorIndex
from muninn_core.index.words.writer import Lexical
from muninn_core.launch.repository_location import locate
from muninn_core.model.answer import Hit
from muninn_core.model.chunk import Chunk, SourceKind
from muninn_core.model.value import Value
from muninn_core.protocol.families.repository import IndexParams, InitParams
from muninn_core.protocol.families.search import RecallParams, RecallResult
from muninn_core.retrieval import weights
from muninn_core.retrieval.rankers.relevance import Relevance
from muninn_core.retrieval.reader import Reader
from muninn_core.retrieval.request import SearchRequest
from muninn_core.retrieval.search import search_hits
from muninn_core.worktree.call_context import CallContext
from muninn_core.worktree.user_folders import UserFolders
from muninn_core.worktree.workspace import Workspace

LIMIT = 50
"""Hits that an arm is asked for: enough for ten files."""

NOW = datetime(2026, 1, 1, tzinfo=UTC)

ABLATIONS = {
    "meaning": ("MEANING",),
    "sharing": ("MEANING_OVERLAP",),
    "words of chunks": ("WORDS",),
    "whole files": ("FILE_WORDS", "FILE_WORDS_OF_CHANGE"),
    "several parts": ("PARTS",),
    "spread of changes": ("SPREAD",),
    "names of files": ("NAME",),
    "names of symbols": ("SYMBOL",),
    "definitions": ("DEFINES",),
    "tests back": ("TEST",),
    "generated back": ("GENERATED",),
    "auxiliary back": ("AUXILIARY",),
    "own words of names": ("FILE_NAME_SHARE", "SYMBOL_NAME_SHARE"),
    "same file": ("SAME_FILE", "SAME_FILE_OF_CHANGE"),
}
"""The weights that are taken away together."""

Ask = Callable[[str], list[Place]]

MODEL: Embedder = load_bundled()


class Muninn:
    """An engine on a freshly indexed copy. Close it before the copy is removed."""

    def __init__(self, tree: Path, spare: Path) -> None:
        shutil.rmtree(tree / ".muninn", ignore_errors=True)
        self.tree = tree
        self._spare = spare
        self._surveyor: SurveyBuilder | None = None
        self._engine = Engine(
            version="bench",
            folders=UserFolders(spare, spare),
            clock=lambda: NOW,
            chance=os.urandom,
            load=lambda _name, _cache: MODEL,
        )
        self.scope = CallContext(location=locate(str(tree)), client="bench")
        self._engine.call("init", InitParams(), self.scope)
        self._engine.call("index", IndexParams(wait=True), self.scope)
        self.snapshot: Snapshot = self._engine.open(self.scope.location).updater.wait_open(30).snapshot()

    def ask(self, text: str, kind: SourceKind | None = "code") -> list[Place]:
        """Return the places that `recall` finds, best first."""
        result = self._engine.call("recall", RecallParams(query=text, limit=LIMIT, kind=kind), self.scope)
        assert isinstance(result, RecallResult)
        return places(result.hits)

    @property
    def workspace(self) -> Workspace:
        """The open copy."""
        return self._engine.open(self.scope.location)

    def run(self, verb: str, params: Value) -> Value:
        """Run a verb on the copy."""
        return self._engine.call(verb, params, self.scope)

    def surveyed(self) -> Snapshot:
        """Return the index state after the survey, before any file is cut into chunks. Computed once."""
        folder = self._spare / "surveyed"
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        paths = tuple(path for path, _, _ in self.snapshot.paths())
        self._surveyor = SurveyBuilder(folder / "survey", self.tree, IndexConfig().max_file_bytes)
        self._surveyor.add(read_words(WordsJob(str(self.tree), IndexConfig().max_file_bytes, paths)))
        open_index(folder / "index", MODEL).close()
        empty = Lexical(folder / "index" / "tantivy")
        words = empty.read()
        empty.close()
        rows = open_reader(folder / "index" / "state.sqlite")
        return Snapshot(rows, words, (VectorIndex(MODEL.dim),) * 2, RowCache(), self._surveyor.read())

    def close(self) -> None:
        """Stop the engine and remove its files from the copy."""
        self._engine.close()
        if self._surveyor is not None:
            self._surveyor.close()
        shutil.rmtree(self.tree / ".muninn", ignore_errors=True)


def places(hits: Iterable[Hit]) -> list[Place]:
    """Return the places of hits."""
    return [Place(hit.path, hit.start_line, hit.end_line) for hit in hits]


def code_places(reader: Reader, text: str, vector: np.ndarray | None) -> list[Place]:
    """Return the places of code that retrieval finds without an engine."""
    return places(search_hits(reader, SearchRequest(text, vector, {}, LIMIT, NOW, Relevance(), "code")))


def variants(muninn: Muninn) -> dict[str, Ask]:
    """Return Muninn's arms on an indexed copy, by name."""
    whole, blind = muninn.snapshot, OnlyMeaning(muninn.snapshot)
    return {
        "muninn": muninn.ask,
        "muninn, any kind": lambda text: muninn.ask(text, None),
        "words only": lambda text: code_places(whole, text, None),
        "meaning only": weighing(
            lambda text: code_places(blind, text, MODEL.embed_query(text)),
            NAME=0.0,
            SYMBOL=0.0,
            DEFINES=0.0,
            DEFINES_OF_NAME=0.0,
            KNOWN_SHARE=0.0,
        ),
        "before files are cut": surveyed_only(muninn),
        **{f"without {name}": weighing(muninn.ask, **dict.fromkeys(keys, 0.0)) for name, keys in ABLATIONS.items()},
    }


def weighing(ask: Ask, **chosen: float) -> Ask:
    """Return an arm that searches with other weights."""

    def asked(text: str) -> list[Place]:
        kept = {name: getattr(weights, name) for name in chosen}
        for name, value in chosen.items():
            setattr(weights, name, value)
        try:
            return ask(text)
        finally:
            for name, value in kept.items():
                setattr(weights, name, value)

    return asked


def surveyed_only(muninn: Muninn) -> Ask:
    """Return the arm that searches while no file of the copy is cut into chunks."""
    known: list[Snapshot] = []

    def asked(text: str) -> list[Place]:
        if not known:
            known.append(muninn.surveyed())
        return code_places(known[0], text, None)

    return asked


class OnlyMeaning:
    """An index without word search."""

    def __init__(self, whole: Snapshot) -> None:
        self._whole = whole

    @property
    def documents(self) -> int:
        """Return what the index returns."""
        return self._whole.documents

    @property
    def sources(self) -> Sequence[OnlyMeaning]:
        """The only source of chunks: this index."""
        return (self,)

    def lexical(self, words: Iterable[str], limit: int, kind: SourceKind | None = None) -> Sequence[tuple[int, float]]:
        """Return nothing."""
        return ()

    def whole_files(
        self, words: Iterable[str], limit: int, kind: SourceKind | None = None
    ) -> Sequence[tuple[str, float]]:
        """Return nothing."""
        return ()

    def rarities(self, words: Iterable[str]) -> dict[str, float]:
        """Return the index's values. Names of files and symbols need them and are not word search."""
        return self._whole.rarities(words)

    @property
    def generated(self) -> Collection[str]:
        """Return what the index returns."""
        return self._whole.generated

    def dense(self, vector: np.ndarray, limit: int, kind: SourceKind | None = None) -> Sequence[tuple[int, float]]:
        """Return what the index returns."""
        return self._whole.dense(vector, limit, kind)

    def chunks(self, ids: Sequence[int]) -> Mapping[int, Chunk]:
        """Return what the index returns."""
        return self._whole.chunks(ids)

    def memories_of_numbers(self, ids: Sequence[int]) -> Mapping[int, str]:
        """Return what the index returns."""
        return self._whole.memories_of_numbers(ids)


NAMES = (
    "muninn",
    "muninn, any kind",
    "words only",
    "meaning only",
    "before files are cut",
    *(f"without {name}" for name in ABLATIONS),
)
