"""Writes changes to the manifest, the word index and the vectors, and publishes snapshots.

The manifest is written first, with a journal of the keys whose change the word index does not have yet; then the word
index; then the journal is emptied and a snapshot is published. After a crash, `recover` repeats the changes in the
journal. A word index that does not match the manifest is rebuilt from it. The caller lets one thread write at a time.
"""

from __future__ import annotations

import logging
import time
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from muninn_core.errors import MuninnError, StorageError
from muninn_core.index.embedding.encodings import Encodings
from muninn_core.index.extraction.extract import CHANGED, SAME, Extracted, file_words, word_fields
from muninn_core.index.integrity import WORDS, is_exhausted
from muninn_core.index.manifest.reader import ChunkRow, FileRow, open_reader
from muninn_core.index.snapshot import RowCache, Snapshot
from muninn_core.index.vectors.quantise import quantise
from muninn_core.index.vectors.vector_index import VectorIndex, build_vectors, memories_among
from muninn_core.index.words.term_counts import count_file_terms, count_terms
from muninn_core.index.words.writer import renew_lexical
from muninn_core.source.identifiers import split_words

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from muninn_core.index.extraction.survey import Survey
    from muninn_core.index.manifest.manifest import Manifest
    from muninn_core.index.words.reader import Field
    from muninn_core.index.words.writer import Lexical
    from muninn_core.model.chunk import Chunk, SourceKind

    Rows = NDArray[np.int8]
    Entry = tuple[FileRow, Chunk, str]

log = logging.getLogger("muninn.index")

_DELETED_SHARE = 0.2
_DELETED_LEAST = 500
_ATTEMPTS = 100
_ATTEMPT_SECONDS = 0.05
"""Attempts of `scrub` to move the whole write-ahead log while there are readers, and the pause between them."""

_WAL_PAGES = 4_000
"""Pages (of 4 KiB) of the write-ahead log above which it is started over."""


@dataclass(slots=True)
class _VectorChange:
    """The difference of the vectors between the last snapshot and the next.

    `words_behind`: the word index lacks an earlier change, so that it may hold chunks that the manifest does not have.
    `memories` is the difference of their number, `encoded` are their new encodings.
    """

    words_behind: bool = False
    memories: int = 0
    removed: list[int] = field(default_factory=list)
    ids: list[int] = field(default_factory=list)
    rows: list[Rows] = field(default_factory=list)
    encoded: list[tuple[Sequence[int], Rows]] = field(default_factory=list)

    def add(self, ids: Sequence[int], rows: Rows) -> None:
        """Add vectors."""
        self.ids += ids
        self.rows.append(rows)


class _Written(NamedTuple):
    """The rows just written to the manifest under a key. `new`: the key did not exist before."""

    kind: SourceKind
    rows: list[ChunkRow]
    fields: list[dict[Field, str]]
    whole: list[str]
    new: bool


class Writer:
    """Changes the index. `newest` is the current snapshot for readers."""

    newest: Snapshot

    def __init__(self, state: Path, dims: tuple[int, int], manifest: Manifest, lexical: Lexical) -> None:
        """`dims` are the lengths of a vector and of an encoding."""
        self._state = state
        self._words = state.parent / WORDS
        self._dim, self._encoding_dim = dims
        self._manifest = manifest
        self._lexical = lexical
        self._meaning = VectorIndex(self._dim)
        self._encoded = VectorIndex(self._encoding_dim)
        self._memories = 0
        self._stale = True
        self._words_lost = False
        """Whether writing the word index anew has failed. The next change does it again."""
        self._recent = RowCache()
        self._survey: Survey | None = None

    @property
    def intact(self) -> bool:
        """Whether the files that it writes to still exist."""
        return self._state.exists() and self._lexical.intact

    def write(self, batch: Sequence[Extracted]) -> int:
        """Store extracted files and delete unreadable ones; return how many of the latter were indexed."""
        changed = [one for one in batch if one.outcome == CHANGED]
        gone = [one.path for one in batch if one.outcome not in (CHANGED, SAME) and self._manifest.file(one.path)]
        written: dict[str, _Written] = {}
        with self._change([*gone, *(one.path for one in changed)]) as change:
            for one in batch:
                if one.outcome == SAME:
                    self._manifest.touch(one.path, one.size, one.mtime_ns)
            for path in gone:
                self._remove(path, change)
                self._manifest.code.remove(path)
            for one in changed:
                row = FileRow(one.path, one.size, one.mtime_ns, one.digest, one.kind, one.language, one.generated)
                chunks = [(piece.chunk, "") for piece in one.pieces]
                written[one.path] = self._insert(row, chunks, [piece.body for piece in one.pieces], one.vectors, change)
                self._manifest.code.put(one.path, one.syntax)
        self._finish(change, written)
        return len(gone)

    def drop(self, keys: Sequence[str]) -> int:
        """Delete paths or memory keys; return how many were indexed."""
        known = [key for key in keys if self._manifest.file(key)]
        if known:
            with self._change(known) as change:
                for key in known:
                    self._remove(key, change)
                    self._manifest.code.remove(key)
            self._finish(change, {})
        return len(known)

    def put(self, entries: Sequence[Entry], vectors: NDArray[np.float32], encodings: Encodings | None) -> None:
        """Store memories: (row, chunk, extra words) of each, their vectors [n, dim], and the encodings of some."""
        written: dict[str, _Written] = {}
        with self._change([row.path for row, _, _ in entries]) as change:
            for (row, chunk, extra), vector in zip(entries, quantise(vectors), strict=True):
                written[row.path] = self._insert(row, [(chunk, extra)], [split_words(chunk.text)], vector[None], change)
            if encodings is not None and encodings.places:
                ids = [written[entries[position][0].path].rows[0].id for position in encodings.places]
                self._add_encodings(ids, encodings, change)
        self._finish(change, written)

    def put_vectors(self, ids: Sequence[int], rows: Rows) -> None:
        """Store vectors [n, dim] of chunks without one; chunks that were deleted meanwhile are skipped."""
        there = self._manifest.present(ids)
        kept = [i for i, number in enumerate(ids) if number in there]
        change = _VectorChange()
        change.add([ids[i] for i in kept], rows[kept])
        with self._manifest.transaction():
            self._manifest.put_vectors(change.ids, rows[kept])
            self._manifest.next_generation()
        self._publish(change)

    def put_encodings(self, ids: Sequence[int], encodings: Encodings) -> None:
        """Store encodings of memories by their chunks; memories that were deleted meanwhile are skipped."""
        there = self._manifest.present(ids)
        kept = [position for position in encodings.places if ids[position] in there]
        change = _VectorChange()
        with self._manifest.transaction():
            chosen = [number for number, position in enumerate(encodings.places) if ids[position] in there]
            digests, states = ([each[number] for number in chosen] for each in (encodings.digests, encodings.states))
            few = Encodings(kept, digests, encodings.rows[chosen], states)
            self._add_encodings([ids[position] for position in kept], few, change)
            self._manifest.next_generation()
        self._publish(change)

    def _add_encodings(self, ids: Sequence[int], encodings: Encodings, change: _VectorChange) -> None:
        self._manifest.put_encodings(ids, encodings)
        change.encoded.append((ids, encodings.rows))

    def recover(self, model: str, encoder: str) -> None:
        """Bring the word index up to date, delete vectors of other models, and publish the first snapshot.

        `encoder` is the name of the text encoder, "" without one.
        """
        try:
            if self._manifest.pending():
                self._update_words({})
            fits = self._fits()
        except StorageError as error:
            if is_exhausted(error):
                raise
            log.warning("the word index is rebuilt: %s", error.message)
            fits = False
        if not fits:
            self._renew_words()
        for key, table, name in (("model", "vectors", model), ("encoder", "encodings", encoder)):
            if self._manifest.meta(key) != name:
                with self._manifest.transaction():
                    self._manifest.clear_vectors(table)
                    self._manifest.set_meta(key, name)
                    self._manifest.next_generation()
        self._publish(_VectorChange())

    def note_finished(self) -> None:
        """Note that all files of the work tree were indexed once, for those who read the index from outside."""
        if self._manifest.unfinished:
            with self._manifest.transaction():
                self._manifest.note_finished()
            self._publish(_VectorChange())  # a snapshot of before would keep the log from being moved at the end

    def show(self, survey: Survey | None) -> None:
        """Publish a snapshot with a survey, or without one for None."""
        self._survey = survey
        self._publish(_VectorChange())

    def compact(self) -> None:
        """Rebuild the word index from the manifest: its statistics count deleted chunks until then."""
        self._lexical.clear()
        self._write_all_words()
        self._publish(_VectorChange())

    def compact_if_due(self) -> None:
        """Compact when a fifth of the documents in the word index are deleted."""
        deleted = int(self._manifest.meta("deleted") or 0)
        if deleted > max(_DELETED_LEAST, _DELETED_SHARE * self.newest.documents):
            self.compact()

    def scrub(self) -> bool:
        """Rewrite the word index and the manifest without deleted text; False while a reader keeps old pages in use."""
        self._renew_words()
        self._manifest.vacuum()
        for _ in range(_ATTEMPTS):
            self._publish(_VectorChange())  # our own snapshot must not read older pages
            if self._manifest.checkpoint_whole():
                break
            time.sleep(_ATTEMPT_SECONDS)  # another reader uses an older state, mostly for milliseconds
        self._publish(_VectorChange())  # a snapshot made after the move does not use the log
        return self._manifest.empty_log()

    def close(self) -> bool:
        """Release files and locks; return whether the database has all of its write-ahead log.

        Existing snapshots stay readable.
        """
        self._lexical.close()
        try:
            return self._manifest.checkpoint_whole()
        except MuninnError as error:  # closing writes nothing that is missed later: the log stays
            log.warning("the write-ahead log of the index stays: %s", error)
            return False
        finally:
            self._manifest.close()

    @contextmanager
    def _change(self, keys: Sequence[str]) -> Iterator[_VectorChange]:
        """Change the manifest in one transaction, with the keys in the journal. Without keys the generation stays."""
        change = _VectorChange(words_behind=bool(self._manifest.pending()))
        with self._manifest.transaction():
            self._manifest.begin_change(keys)
            yield change
            if keys:
                self._manifest.next_generation()

    def _finish(self, change: _VectorChange, written: Mapping[str, _Written]) -> None:
        """Update the word index from the journal, then publish."""
        try:
            self._update_words(written)
        except MuninnError as error:
            # The manifest is ahead: the journal has the keys, and the next publication reads the vectors again.
            self._stale = True
            if is_exhausted(error) or not self._lexical.intact:
                self._lexical.rollback()
                raise
            log.warning("the word index is rebuilt: %s", error.message)
            self._renew_words()
        self._publish(change)

    def _update_words(self, written: Mapping[str, _Written]) -> None:
        """Update the word index for the keys in the journal, and empty the journal.

        `written` has the rows of keys that were just written; the rows of all other keys are read.
        """
        if self._words_lost:
            self._renew_words()
            return
        keys = self._manifest.pending()
        if not keys:
            return
        for key in keys:
            rows = written.get(key)
            # Deleting an unknown key costs as much as deleting a known one, and a first index has only unknown ones.
            if rows is None or not rows.new:
                self._lexical.delete(key)
            self._add_words(key, rows or self._known(key))
        self._commit_words()

    def _known(self, key: str) -> _Written | None:
        """Return the rows of a key in the manifest."""
        file = self._manifest.file(key)
        if file is None:
            return None
        rows = self._manifest.chunks_of(key)
        bodies = [split_words(row.chunk.text) for row in rows]
        fields = [word_fields(row.chunk, body, row.extra) for row, body in zip(rows, bodies, strict=True)]
        return _Written(file.kind, rows, fields, file_words(key, bodies), new=False)

    def _add_words(self, key: str, known: _Written | None) -> None:
        if known is None:
            return
        for row, fields in zip(known.rows, known.fields, strict=True):
            self._lexical.add(row.id, row.chunk.kind, key, fields)
        number = self._manifest.file_id(key)
        if number is not None and known.kind != "memory":
            self._lexical.add_file(number, known.kind, key, known.whole)

    def _fits(self) -> bool:
        """Whether the word index matches the manifest: the same commit, and a document for each chunk and file."""
        wanted = self._manifest.count("chunks") + len(self._manifest.files())
        return self._manifest.meta("stamp") == str(self._lexical.stamp) and self._lexical.read().documents == wanted

    def _renew_words(self) -> None:
        """Write the word index anew from the manifest. No file of the earlier one remains; its readers stay valid."""
        self._words_lost = True
        self._lexical.close()
        self._lexical = renew_lexical(self._words)
        self._write_all_words()
        self._words_lost = False

    def _write_all_words(self) -> None:
        for key in self._manifest.keys():  # noqa: SIM118 (no dict)
            self._add_words(key, self._known(key))
        self._commit_words()
        with self._manifest.transaction():
            self._manifest.set_meta("deleted", "0")

    def _commit_words(self) -> None:
        self._lexical.commit()
        with self._manifest.transaction():
            self._manifest.end_change()
            self._manifest.set_meta("stamp", str(self._lexical.stamp))

    def _remove(self, key: str, change: _VectorChange) -> None:
        ids = self._manifest.remove(key)
        change.removed += ids
        change.memories -= len(memories_among(ids))
        self._manifest.set_meta("deleted", str(int(self._manifest.meta("deleted") or 0) + len(ids)))

    def _insert(
        self,
        row: FileRow,
        chunks: Sequence[tuple[Chunk, str]],
        bodies: list[str],
        vectors: Rows | None,
        change: _VectorChange,
    ) -> _Written:
        """Store the (chunk, extra words) of a file or memory, and delete the earlier rows of its key."""
        known = self._manifest.file_id(row.path) is not None
        if known:
            self._remove(row.path, change)
        ids = self._manifest.insert(row, chunks)
        change.memories += row.kind == "memory"
        if vectors is not None and ids:
            self._manifest.put_vectors(ids, vectors)
            change.add(ids, vectors)
        rows = [ChunkRow(number, chunk, extra) for number, (chunk, extra) in zip(ids, chunks, strict=True)]
        fields = [word_fields(one.chunk, body, one.extra) for one, body in zip(rows, bodies, strict=True)]
        self._manifest.put_terms([(number, count_terms(words)) for number, words in zip(ids, fields, strict=True)])
        whole = file_words(row.path, bodies)
        if row.kind != "memory":
            number = self._manifest.file_id(row.path)
            self._manifest.put_terms([(number or 0, count_file_terms(whole))], whole=True)
        return _Written(row.kind, rows, fields, whole, new=not known and not change.words_behind)

    def _publish(self, change: _VectorChange) -> None:
        """Publish a snapshot of the committed state, and limit the write-ahead log."""
        if self._stale:
            folder = self._state.parent
            self._meaning = build_vectors(self._dim, lambda kind: self._manifest.vectors(self._dim, kind), folder)
            dim = self._encoding_dim
            self._encoded = build_vectors(dim, lambda kind: self._manifest.vectors(dim, kind, "encodings"), folder)
            self._memories = self._manifest.memory_count
            self._stale = False
            self._recent = RowCache()
        elif change.removed or change.ids or change.encoded:
            rows = np.concatenate(change.rows) if change.rows else np.zeros((0, self._dim), np.int8)
            self._meaning = self._meaning.changed(change.removed, change.ids, rows)
            ids = [number for some, _ in change.encoded for number in some]
            rows = np.concatenate([np.zeros((0, self._encoding_dim), np.int8), *(rows for _, rows in change.encoded)])
            self._encoded = self._encoded.changed(change.removed, ids, rows)
            self._memories += change.memories
            self._recent = self._recent.without(change.removed)
        read, vectors = self._lexical.read(), (self._meaning, self._encoded)
        unencoded = self._memories - self._encoded.count()
        self.newest = Snapshot(open_reader(self._state), read, vectors, self._recent, self._survey, unencoded)
        if self._manifest.checkpoint() > _WAL_PAGES:
            # A reader that starts after the whole log was moved does not use it, so that SQLite can start it over.
            self.newest = Snapshot(open_reader(self._state), read, vectors, self._recent, self._survey, unencoded)
