"""The index of one work tree: one writer at a time, and snapshots for readers.

Callers report changed files and memories. Reading, cutting and embedding happen outside of the lock that a small write
takes, so that a memory is stored while the first index of a large tree is being made.
"""

from __future__ import annotations

import logging
import threading
from collections import deque
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from muninn_core.errors import StorageError
from muninn_core.index.background_task import BackgroundTask
from muninn_core.index.embedding.embed import BUNDLED
from muninn_core.index.embedding.encodings import encode, encoder_text
from muninn_core.index.extraction.extract import CHANGED, SAME, Extracted, Job, WordsJob, embedding_text
from muninn_core.index.extraction.jobs import extract_here, jobs_of
from muninn_core.index.extraction.survey import SURVEYED, SurveyBuilder
from muninn_core.index.extraction.workers import WorkerPool, worker_count
from muninn_core.index.heap import trim
from muninn_core.index.integrity import Seal
from muninn_core.index.manifest.memory_text import MemoryText
from muninn_core.index.manifest.reader import memory_key
from muninn_core.index.vectors.quantise import quantise
from muninn_core.index.writer import Writer
from muninn_core.source import identifiers

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from muninn_core.index.embedding.embed import Embedder, Encoder
    from muninn_core.index.embedding.encodings import Encoding, Encodings, KnownEncodings
    from muninn_core.index.snapshot import Snapshot
    from muninn_core.source.listing.walk import Walk

    Progress = Callable[[int, int], None]
    CheckCancel = Callable[[], None]

log = logging.getLogger("muninn.index")

BULK = 50
"""Files above which worker processes read them. For fewer files, starting workers takes longer than it saves."""

_FIRST_CHUNKS = 4_000
_MAX_CHUNKS = 8_000
"""Chunks per commit of a long run. The first commits are small, so that the first files are found early. Later ones are
larger, because a commit takes a flush to disk whatever its size. Two batches are in memory at a time."""

_TEXTS = 512
"""Texts per task of a worker."""

_SLOW_TEXTS = 64
"""Texts per batch of a configured model, which takes some ten milliseconds for each."""

_ENCODED = 64
"""Memories per batch of the text encoder, which takes a millisecond or two for each."""

_ENCODED_AT_ONCE = 16
"""The most new memories that are encoded before they are searchable. More are encoded in the background."""

_ROWS = 2_048
"""Vectors per commit."""

_MEMORY_BATCH = 1_000
_SURVEY = "survey"


@dataclass(slots=True)
class Changes:
    """The result of a run: numbers of files indexed, unchanged and removed, and of unreadable files by reason."""

    indexed: int = 0
    same: int = 0
    removed: int = 0
    unread: dict[str, int] = field(default_factory=dict)


def _no_progress(done: int, total: int) -> None:
    """Report nothing."""


def _never() -> None:
    """Never cancel."""


class Index:
    """The index. Methods that write exclude one another; `snapshot` never waits."""

    def __init__(self, folder: Path, embedder: Embedder, encoder: Encoder | None, writer: Writer, seal: Seal) -> None:
        self._folder = folder
        self._embedder = embedder
        self.encoder = encoder
        """The text encoder; None when memories are compared by the vectors of `embedder`."""
        self.further_encodings: KnownEncodings = lambda _digests: {}
        """Looks encodings up that another index has."""
        self._writer = writer
        self._seal = seal
        # `_running` is held by long runs, `_lock` by each single write.
        self._running = threading.RLock()
        self._lock = threading.Lock()
        self._closed = False
        self._incomplete = True
        """Whether there may be chunks without a vector. False after a run that embedded all chunks."""
        self._surveyed: set[str] = set()

    def snapshot(self) -> Snapshot:
        """Return the current state. Later changes do not affect it."""
        return self._writer.newest

    @property
    def intact(self) -> bool:
        """Whether the files of the index still exist. The cache may be deleted at any time."""
        return self._writer.intact

    def sync(
        self,
        root: Path,
        walk: Walk,
        *,
        most: int = 1_000_000,
        workers: int = 0,
        meaning: bool = True,
        progress: Progress = _no_progress,
        check_cancel: CheckCancel = _never,
    ) -> Changes:
        """Update the index to a walk of the whole tree. Files with unchanged size and time are not opened."""
        with self._running:
            known = self.snapshot().files()
            there = {f.path for f in walk.files}
            stamps = {path: (row.size, row.mtime_ns) for path, row in known.items()}
            changed = [f.path for f in walk.files if stamps.get(f.path) != (f.size, f.mtime_ns)]
            removed = [path for path in known if path not in there]
            changes = self.apply(
                root,
                changed,
                removed,
                most=most,
                workers=workers,
                meaning=meaning,
                progress=progress,
                check_cancel=check_cancel,
            )
            with self._writing():
                self._writer.note_finished()
            return changes

    def apply(
        self,
        root: Path,
        changed: Iterable[str],
        removed: Iterable[str],
        *,
        most: int = 1_000_000,
        workers: int = 0,
        meaning: bool = True,
        progress: Progress = _no_progress,
        check_cancel: CheckCancel = _never,
    ) -> Changes:
        """Index the changed paths (POSIX, relative to `root`) whose content differs, and delete the removed ones.

        `most` is the size limit in bytes. `workers` is the number of processes, 0 for the default. `progress(done,
        total)` counts files. `check_cancel` is called every few files and stops the run by raising; files that were
        indexed by then stay. Of many files, all words are indexed before the vectors are made; without `meaning` the
        vectors are left to `embed_missing`. An unreadable file is deleted from the index and counted. Raises
        StorageError, BusyError.
        """
        paths = sorted(set(changed))
        changes = Changes()
        with self._running:
            with self._writing():
                changes.removed += self._writer.drop(sorted(set(removed) - set(paths)))
            with (
                closing(self._extracted(root, paths, most, workers, progress, check_cancel)) as parts,
                BackgroundTask() as background,
            ):
                batch: list[Extracted] = []
                chunks, enough = 0, _FIRST_CHUNKS
                for done, part in parts:
                    batch += part
                    chunks += sum(len(one.pieces) for one in part)
                    if done == len(paths):
                        background.wait()
                        self._write(batch, changes)
                    elif chunks >= enough:
                        background.start(partial(self._write, batch, changes))
                        batch, chunks, enough = [], 0, min(2 * enough, _MAX_CHUNKS)
                    progress(done, len(paths))
                    check_cancel()
            if meaning:
                self.embed_missing(workers=workers, check_cancel=check_cancel)
            with self._writing():
                self._writer.compact_if_due()
        if len(paths) > BULK:
            trim()
        return changes

    @property
    def surveyed(self) -> int:
        """The number of files that the current run has surveyed and not cut yet."""
        return len(self._surveyed)

    @property
    def incomplete(self) -> bool:
        """Whether there may be chunks without a vector."""
        return self._incomplete

    def encode_some(self) -> bool:
        """Encode a batch of the memories without an encoding; return whether there may be more of them.

        A run over files waits for one batch at most. Raises StorageError.
        """
        with self._running:
            if self.encoder is None or self._closed:
                return False
            rows = self.snapshot().unencoded(_ENCODED)
            if rows:
                encodings = encode(
                    [encoder_text(row.chunk) for row in rows], self.encoder, self._known_encodings, _ENCODED
                )
                with self._writing():
                    self._writer.put_encodings([row.id for row in rows], encodings)
            return len(rows) == _ENCODED

    def embed_missing(
        self,
        *,
        workers: int = 0,
        progress: Progress = _no_progress,
        check_cancel: CheckCancel = _never,
        enough: Callable[[], bool] = lambda: False,
    ) -> int:
        """Embed the chunks without a vector; return their number.

        Each batch is searchable when it is written. `progress(done, total)` counts chunks. The run ends early when
        `enough` returns True or `check_cancel` raises; the next run continues.
        """
        done = 0
        with self._running:
            # Counting takes longer than the rest of a small change, so that it is skipped when all have vectors.
            while self._incomplete and (total := self.snapshot().counts()["unembedded"]):
                with closing(self._embedded(total, workers)) as parts:
                    for ids, rows in parts:
                        with self._writing():
                            self._writer.put_vectors(ids, rows)
                        done += len(ids)
                        progress(done, max(done, total))
                        check_cancel()
                        if enough():
                            return done
            self._incomplete = False
        if done > _ROWS:
            trim()
        return done

    def put_memories(self, memories: Iterable[MemoryText]) -> None:
        """Add or replace memories. Raises StorageError."""
        items = list({memory.id: memory for memory in memories}.values())
        for i in range(0, len(items), _MEMORY_BATCH):
            entries = [item.entry() for item in items[i : i + _MEMORY_BATCH]]
            vectors = self._embedder.embed([embedding_text(chunk, extra) for _, chunk, extra in entries])
            encodings = self._encoded([encoder_text(chunk) for _, chunk, _ in entries])
            with self._writing():
                self._writer.put(entries, vectors, encodings)
            del entries, vectors, encodings  # free them before the next batch is made
        if len(items) > BULK:
            trim()

    def _encoded(self, texts: Sequence[str]) -> Encodings | None:
        """Return the encodings of texts that are known, and of a few new ones; None without an encoder."""
        if self.encoder is None:
            return None
        return encode(texts, self.encoder, self._known_encodings, _ENCODED_AT_ONCE)

    def _known_encodings(self, digests: Sequence[bytes]) -> Mapping[bytes, Encoding]:
        found = self.snapshot().known_encodings(digests)
        missing = [each for each in digests if each not in found]
        return {**found, **self.further_encodings(missing)} if missing else found

    def drop_memories(self, ids: Iterable[str]) -> None:
        """Delete memories from the index."""
        with self._writing():
            self._writer.drop(sorted({memory_key(memory_id) for memory_id in ids}))

    def sync_memories(self, memories: Iterable[MemoryText], check_cancel: CheckCancel = _never) -> tuple[int, int]:
        """Update the index to exactly these memories; return the numbers of memories stored and deleted."""
        left = self.snapshot().memories()
        changed: dict[str, MemoryText] = {}
        for memory in memories:  # one at a time: the texts of all would take as much memory again
            if left.pop(memory.id, None) != memory.digest():
                changed[memory.id] = memory
        gone = sorted(left)
        self.drop_memories(gone)
        put = [changed[identity] for identity in sorted(changed)]
        for i in range(0, len(put), _MEMORY_BATCH):
            self.put_memories(put[i : i + _MEMORY_BATCH])
            check_cancel()
        return len(put), len(gone)

    def compact(self) -> None:
        """Rebuild the word index, so that its scores equal those of a new index.

        Its statistics count deleted chunks until then. Runs of many changes compact it themselves.
        """
        with self._writing():
            self._writer.compact()

    def scrub(self) -> bool:
        """Remove deleted text from the files of the index.

        Return False when a reader prevents it, or when the index was closed because a new one replaces it.
        """
        with self._lock:
            if self._closed:
                return False
            self._begin_writing()
            return self._writer.scrub()

    @contextmanager
    def _writing(self) -> Iterator[None]:
        """Hold the lock of a single write, and note on disk that the files change. Raises StorageError."""
        with self._lock:
            self._begin_writing()
            yield

    def _begin_writing(self) -> None:
        try:
            self._seal.begin()
        except OSError as error:
            raise StorageError(f"the index can't be written: {error}") from error

    def _finish(self, *, merged: bool, log_moved: bool = False) -> None:
        """Store the checksums of the files, which another daemon compares when this one was killed meanwhile."""
        try:
            if self._writer.intact:
                self._seal.finish(merged=merged, log_moved=log_moved)
        except (OSError, StorageError) as error:  # without them the next start takes longer
            log.warning("the checksums of the index could not be written: %s", error)

    def _note_change(self) -> None:
        try:
            self._seal.begin()
        except OSError as error:  # a seal that does not fit costs a rebuild at the next start
            log.warning("the checksums of the index could not be written: %s", error)

    def release_memory(self) -> None:
        """Release caches while the daemon is idle. The next query takes longer."""
        if self._running.acquire(blocking=False):
            try:
                with self._lock:
                    self._finish(merged=False)
            finally:
                self._running.release()
        self.snapshot().release_memory()
        self._embedder.release_memory()
        if self.encoder is not None:
            self.encoder.release_memory()
        identifiers.clear_caches()
        trim()

    def close(self) -> None:
        """Release files and locks after the current run. Existing snapshots stay readable."""
        with self._running, self._lock:
            self._closed = True
            self._note_change()  # closing the database moves its log, also when the index was idle before
            moved = self._writer.close()
            self._finish(merged=True, log_moved=moved)

    def _extracted(
        self,
        root: Path,
        paths: Sequence[str],
        most: int,
        workers: int,
        progress: Progress,
        check_cancel: CheckCancel,
    ) -> Generator[tuple[int, list[Extracted]]]:
        """Yield (files done, extracted files): from this process for few files, from workers for many."""
        snapshot = self.snapshot()
        known = {path: row.digest for path in paths if (row := snapshot.file(path)) is not None}
        del snapshot  # an open snapshot keeps the write-ahead log from starting over
        if len(paths) <= BULK:
            if paths:
                files = tuple((path, known.get(path)) for path in paths)
                yield len(paths), extract_here(Job(str(root), most, files, "careful"), self._embedder)
            return
        done = 0
        jobs = list(jobs_of(root, paths, most, known))
        with (
            WorkerPool(worker_count(workers), self._embedder) as pool,
            self._surveying(pool, root, most, jobs) as steps,
        ):
            for _ in steps:
                progress(0, len(paths))
                check_cancel()
            for found in pool.extract(jobs):
                done += len(found)
                yield done, found

    @contextmanager
    def _surveying(self, pool: WorkerPool, root: Path, most: int, jobs: Sequence[Job]) -> Iterator[Iterator[None]]:
        """Return the steps of a survey of new files, none for few files. Its files are found until the block ends."""
        glances = [
            WordsJob(job.root, job.most, tuple(path for path, known in job.files if known is None)) for job in jobs
        ]
        if sum(len(each.paths) for each in glances) < SURVEYED:
            yield iter(())
            return
        surveyor = SurveyBuilder(self._folder / _SURVEY, root, most)
        try:
            yield self._steps(pool, surveyor, [each for each in glances if each.paths])
        finally:
            self._surveyed = set()
            try:
                if self._writer.intact:
                    with self._writing():
                        self._writer.show(None)
            finally:
                surveyor.close()

    def _steps(self, pool: WorkerPool, surveyor: SurveyBuilder, jobs: Sequence[WordsJob]) -> Iterator[None]:
        """Survey the files of the jobs, one job per step."""
        seen: list[str] = []
        for job, part in zip(jobs, pool.read_words(jobs), strict=True):
            seen += job.paths
            if surveyor.add(part) or job is jobs[-1]:
                survey = surveyor.read()
                with self._writing():
                    self._writer.show(survey)
                self._surveyed.update(seen)
                seen = []
            yield

    def _embedded(self, total: int, workers: int) -> Generator[tuple[list[int], NDArray[np.int8]]]:
        """Yield (ids, vectors) of chunks without a vector, by id: from workers when there are many.

        Workers load only the bundled model; configured models use all cores in this process.
        """
        if self._embedder.name != BUNDLED or total <= 2 * _TEXTS:
            for some, texts in self._unembedded(_SLOW_TEXTS):
                yield some, quantise(self._embedder.embed(texts))
            return
        waiting: deque[list[int]] = deque()

        def texts_of_batches() -> Iterator[list[str]]:
            for some, texts in self._unembedded(_TEXTS):
                waiting.append(some)
                yield texts

        ids: list[int] = []
        ready: list[NDArray[np.int8]] = []
        with WorkerPool(worker_count(workers), self._embedder) as pool:
            for rows in pool.embed(texts_of_batches()):
                ids += waiting.popleft()
                ready.append(rows)
                if len(ids) >= _ROWS:
                    yield ids, np.concatenate(ready)
                    ids, ready = [], []
        if ids:
            yield ids, np.concatenate(ready)

    def _unembedded(self, count: int) -> Iterator[tuple[list[int], list[str]]]:
        """Yield (ids, texts to embed) of the chunks without a vector, `count` at a time."""
        last = -1
        # Each query takes a new snapshot: an open one keeps the write-ahead log from starting over.
        while rows := self.snapshot().unembedded(count, last):
            last = rows[-1].id
            yield [row.id for row in rows], [embedding_text(row.chunk, row.extra) for row in rows]

    def _write(self, batch: Sequence[Extracted], changes: Changes) -> None:
        # Set before the write, so that the next run looks for missing vectors even if this one fails.
        self._incomplete |= any(one.pieces and one.vectors is None for one in batch)
        with self._writing():
            changes.removed += self._writer.write(batch)
        self._surveyed.difference_update(one.path for one in batch)
        for one in batch:
            if one.outcome == CHANGED:
                changes.indexed += 1
            elif one.outcome == SAME:
                changes.same += 1
            else:
                changes.unread[one.outcome] = changes.unread.get(one.outcome, 0) + 1
