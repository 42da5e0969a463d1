"""The index of one work tree: one writer at a time, and snapshots for everybody else.

It knows files, chunks and memories, but not how answers are ranked, nor when files change: it is told. Reading, cutting
and embedding never happen under the lock that a small write needs, so that a memory is taken in while the first index
of a large tree is being made.
"""

from __future__ import annotations

import shutil
import threading
from collections import deque
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from muninn_core.index.embed import BUNDLED
from muninn_core.index.extract import CHANGED, RISKY, SAME, Extracted, Job, WordsJob, embedding_text, extract
from muninn_core.index.heap import trim
from muninn_core.index.lexical import open_lexical
from muninn_core.index.manifest import FileRow, memory_key, open_manifest
from muninn_core.index.quantise import quantise
from muninn_core.index.survey import SURVEYED, SurveyBuilder
from muninn_core.index.workers import WorkerPool, worker_count
from muninn_core.index.writer import Writer
from muninn_core.model.chunk import Chunk
from muninn_core.source import identifiers
from muninn_core.source.text import digest

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from muninn_core.index.embed import Embedder
    from muninn_core.index.snapshot import Snapshot
    from muninn_core.source.walk import Walk

    Progress = Callable[[int, int], None]
    CheckCancel = Callable[[], None]

BULK = 50
"""Files above which worker processes do the reading: below it, starting them costs more than it saves."""

_JOB_FILES = 64
_JOB_BYTES = 500_000
_FIRST_CHUNKS = 4_000
_MOST_CHUNKS = 8_000
"""Chunks after which what is ready is committed and can be found, while a long run goes on: few at first, so that there
is something to be found early; then more, since a commit reaches the disk and costs as much for few. The last ones are
written while nothing is left to read, and two such batches are in memory at a time."""

_TEXTS = 512
"""Texts that a worker embeds at a time."""

_SLOW_TEXTS = 64
"""Texts that any model but the bundled one embeds at a time: each of them takes some ten milliseconds."""

_ROWS = 2_048
"""Vectors after which what is ready is committed."""

_MEMORY_BATCH = 1_000
_SURVEY = "survey"


@dataclass(frozen=True, slots=True)
class MemoryText:
    """What the index holds of a memory. `extra` are its tags, entities and files: searched, not shown."""

    id: str
    text: str
    title: str = ""
    extra: str = ""

    def digest(self) -> bytes:
        """Return what tells one content from another."""
        return digest("\0".join((self.text, self.title, self.extra)).encode("utf-8", "replace"))


@dataclass(slots=True)
class Changes:
    """What a run did: files indexed, files found the same, files dropped, and files that can't be read, by reason."""

    indexed: int = 0
    same: int = 0
    removed: int = 0
    unread: dict[str, int] = field(default_factory=dict)


def _no_progress(done: int, total: int) -> None:
    """Report to nobody."""


def _never() -> None:
    """Cancel nothing."""


class _Behind:
    """Does one thing at a time on a thread of its own, while the caller prepares the next; at the end it is done."""

    def __init__(self) -> None:
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="muninn-write")  # it begins with the first thing to do
        self._last: Future[None] | None = None

    def __enter__(self) -> _Behind:
        return self

    def __exit__(self, *_: object) -> None:
        self._thread.shutdown()

    def do(self, work: Callable[[], None]) -> None:
        """Begin something when what was begun before is done. Raises what went wrong with that."""
        self.wait()
        self._last = self._thread.submit(work)

    def wait(self) -> None:
        """Return when everything is done. Raises what went wrong."""
        last, self._last = self._last, None
        if last is not None:
            last.result()


class Index:
    """The index. Methods that write take turns; `snapshot` never waits."""

    def __init__(self, folder: Path, embedder: Embedder, writer: Writer) -> None:
        self._folder = folder
        self._embedder = embedder
        self._writer = writer
        # Long runs exclude one another; a single write excludes only other single writes.
        self._running = threading.RLock()
        self._writing = threading.Lock()
        self._incomplete = True
        """Whether there may be chunks without a vector; a run that made all of them knows that there are none."""
        self._surveyed: set[str] = set()

    def snapshot(self) -> Snapshot:
        """Return the newest state. It stays as it is for as long as it is held."""
        return self._writer.newest

    @property
    def intact(self) -> bool:
        """Whether its files are still there: the cache may be deleted at any moment, and then it can't be written."""
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
        """Make the index agree with a walk of the whole tree. Files of the same size and time are not even opened."""
        with self._running:
            known = self.snapshot().files()
            there = {f.path for f in walk.files}
            stamps = {path: (row.size, row.mtime_ns) for path, row in known.items()}
            changed = [f.path for f in walk.files if stamps.get(f.path) != (f.size, f.mtime_ns)]
            removed = [path for path in known if path not in there]
            return self.apply(
                root,
                changed,
                removed,
                most=most,
                workers=workers,
                meaning=meaning,
                progress=progress,
                check_cancel=check_cancel,
            )

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
        """Index the changed paths (POSIX, below `root`) anew where their content differs, and drop the removed ones.

        `most` is the size limit in bytes; `workers` 0 chooses. `progress(done, total)` counts files. `check_cancel` is
        called every few files and stops the run by raising: what was done by then stays, whole files only. Words come
        first: of many files, vectors are made when all words can be found; without `meaning` that is left to
        `embed_missing`.
        A file that can't be read (any more) leaves the index, and is counted. Raises StorageError, BusyError.
        """
        paths = sorted(set(changed))
        changes = Changes()
        with self._running:
            with self._writing:
                changes.removed += self._writer.drop(sorted(set(removed) - set(paths)))
            with (
                closing(self._extracted(root, paths, most, workers, progress, check_cancel)) as parts,
                _Behind() as behind,
            ):
                batch: list[Extracted] = []
                chunks, enough = 0, _FIRST_CHUNKS
                for done, part in parts:
                    batch += part
                    chunks += sum(len(one.pieces) for one in part)
                    if done == len(paths):
                        behind.wait()
                        self._write(batch, changes)
                    elif chunks >= enough:
                        behind.do(partial(self._write, batch, changes))
                        batch, chunks, enough = [], 0, min(2 * enough, _MOST_CHUNKS)
                    progress(done, len(paths))
                    check_cancel()
            if meaning:
                self.embed_missing(workers=workers, check_cancel=check_cancel)
            with self._writing:
                self._writer.compact_if_due()
        if len(paths) > BULK:
            trim()
        return changes

    @property
    def surveyed(self) -> int:
        """How many of the files that a run has yet to cut are found by their words already, or have none."""
        return len(self._surveyed)

    @property
    def incomplete(self) -> bool:
        """Whether there may be chunks whose words can be found and whose meaning can't yet."""
        return self._incomplete

    def embed_missing(
        self,
        *,
        workers: int = 0,
        progress: Progress = _no_progress,
        check_cancel: CheckCancel = _never,
        enough: Callable[[], bool] = lambda: False,
    ) -> int:
        """Embed the chunks that have words but no vector yet; return their number.

        Each batch of vectors can be found when it is done. `progress(done, total)` counts chunks. The run ends early
        when `enough` says so, and by the error that `check_cancel` raises; the next one goes on from there.
        """
        done = 0
        with self._running:
            # To look costs more than all the rest of a small change.
            while self._incomplete and (total := self.snapshot().counts()["unembedded"]):
                with closing(self._embedded(total, workers)) as parts:
                    for ids, rows in parts:
                        with self._writing:
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
        """Add memories, or replace what the index holds of them. Raises StorageError."""
        items = list({memory.id: memory for memory in memories}.values())
        for i in range(0, len(items), _MEMORY_BATCH):
            entries = [_memory_entry(item) for item in items[i : i + _MEMORY_BATCH]]
            vectors = self._embedder.embed([embedding_text(chunk, extra) for _, chunk, extra in entries])
            with self._writing:
                self._writer.put(entries, vectors)
            del entries, vectors  # not beside those of the next batch
        if len(items) > BULK:
            trim()

    def drop_memories(self, ids: Iterable[str]) -> None:
        """Take memories out of the index."""
        with self._writing:
            self._writer.drop(sorted({memory_key(memory_id) for memory_id in ids}))

    def sync_memories(self, memories: Iterable[MemoryText], check_cancel: CheckCancel = _never) -> tuple[int, int]:
        """Make the index hold exactly these memories; return how many were put and how many dropped."""
        wanted = {memory.id: memory for memory in memories}
        known = self.snapshot().memories()
        gone = sorted(set(known) - set(wanted))
        self.drop_memories(gone)
        put = [memory for key, memory in sorted(wanted.items()) if known.get(key) != memory.digest()]
        for i in range(0, len(put), _MEMORY_BATCH):
            self.put_memories(put[i : i + _MEMORY_BATCH])
            check_cancel()
        return len(put), len(gone)

    def compact(self) -> None:
        """Write the word index anew, so that its scores are those of a fresh one to the last digit.

        Deleted chunks count in its statistics until then. Runs of many changes do it by themselves.
        """
        with self._writing:
            self._writer.compact()

    def scrub(self) -> bool:
        """Make the index's files hold nothing of what was deleted; say whether no reader kept them from it."""
        with self._writing:
            return self._writer.scrub()

    def rest(self) -> None:
        """Give memory back to the system, for a time in which nobody asks; the next answer takes a little longer."""
        self.snapshot().rest()
        self._embedder.rest()
        identifiers.forget()
        trim()

    def close(self) -> None:
        """Release files and locks, after the run that is under way. Snapshots that are held stay readable."""
        with self._running, self._writing:
            self._writer.close()

    def _extracted(
        self,
        root: Path,
        paths: Sequence[str],
        most: int,
        workers: int,
        progress: Progress,
        check_cancel: CheckCancel,
    ) -> Generator[tuple[int, list[Extracted]]]:
        """Yield (files done, files read and cut): by this process when they are few, by workers when they are many."""
        snapshot = self.snapshot()
        known = {path: row.digest for path in paths if (row := snapshot.file(path)) is not None}
        del snapshot  # while it is held, the write-ahead log can't start over
        if len(paths) <= BULK:
            if paths:
                files = tuple((path, known.get(path)) for path in paths)
                yield len(paths), self._extracted_here(Job(str(root), most, files, "careful"))
            return
        done = 0
        jobs = list(_jobs(root, paths, most, known))
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
        """Give the steps of a survey of new files, none when they are few. What was surveyed is found until the end."""
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
                    with self._writing:
                        self._writer.show(None)
            finally:
                surveyor.close()

    def _steps(self, pool: WorkerPool, surveyor: SurveyBuilder, jobs: Sequence[WordsJob]) -> Iterator[None]:
        """Take the words of files in, a step for each job."""
        seen: list[str] = []
        for job, part in zip(jobs, pool.read_words(jobs), strict=True):
            seen += job.paths
            if surveyor.add(part) or job is jobs[-1]:
                survey = surveyor.read()
                with self._writing:
                    self._writer.show(survey)
                self._surveyed.update(seen)
                seen = []
            yield

    def _extracted_here(self, job: Job) -> list[Extracted]:
        """Extract a few files in this process, but for those that might end it, which a worker gets."""
        found = extract(job, self._embedder)
        risky = {one.path for one in found if one.outcome == RISKY}
        if not risky:
            return found
        with WorkerPool(1, self._embedder) as pool:
            left = tuple(file for file in job.files if file[0] in risky)
            others = {one.path: one for part in pool.extract([Job(job.root, job.most, left)]) for one in part}
        return [others.get(one.path, one) for one in found]

    def _embedded(self, total: int, workers: int) -> Generator[tuple[list[int], NDArray[np.int8]]]:
        """Yield (ids, vectors) of what has none, in the order of the ids: by workers when there is much of it.

        Only the bundled model is loaded by workers: others are as wide as the machine by themselves.
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
        """Yield (ids, texts to embed) of the chunks that have no vector, so many at a time."""
        last = -1
        # A snapshot is held for one look only: while it is, the write-ahead log can't start over.
        while rows := self.snapshot().unembedded(count, last):
            last = rows[-1].id
            yield [row.id for row in rows], [embedding_text(row.chunk, row.extra) for row in rows]

    def _write(self, batch: Sequence[Extracted], changes: Changes) -> None:
        # Said before it is true: a run that fails in between is then followed by a look.
        self._incomplete |= any(one.pieces and one.vectors is None for one in batch)
        with self._writing:
            changes.removed += self._writer.write(batch)
        self._surveyed.difference_update(one.path for one in batch)
        for one in batch:
            if one.outcome == CHANGED:
                changes.indexed += 1
            elif one.outcome == SAME:
                changes.same += 1
            else:
                changes.unread[one.outcome] = changes.unread.get(one.outcome, 0) + 1


def open_index(cache: Path, embedder: Embedder) -> Index:
    """Open the index in a cache folder, healing whatever a crash left; an unusable one is replaced by an empty one.

    Raises BusyError while another process writes it, StorageError where the folder can't be written.
    """
    state = cache / "state.sqlite"
    lexical = open_lexical(cache / "tantivy")
    try:
        manifest = open_manifest(state)
    except BaseException:
        lexical.close()
        raise
    writer = Writer(state, embedder.dim, manifest, lexical)
    try:
        writer.recover(embedder.name)
    except BaseException:
        writer.close()
        raise
    shutil.rmtree(cache / _SURVEY, ignore_errors=True)  # of a run that was ended in the middle
    trim()  # all vectors were in memory twice
    return Index(cache, embedder, writer)


def _jobs(root: Path, paths: Sequence[str], most: int, known: Mapping[str, bytes]) -> Iterator[Job]:
    """Cut the work into jobs of about equal size."""
    files: list[tuple[str, bytes | None]] = []
    size = 0
    for path in paths:
        try:
            size += (root / path).stat().st_size
        except OSError:
            pass  # vanished: the worker will say so
        files.append((path, known.get(path)))
        if len(files) >= _JOB_FILES or size >= _JOB_BYTES:
            yield Job(str(root), most, tuple(files))
            files, size = [], 0
    if files:
        yield Job(str(root), most, tuple(files))


def _memory_entry(item: MemoryText) -> tuple[FileRow, Chunk, str]:
    key = memory_key(item.id)
    row = FileRow(key, len(item.text), 0, item.digest(), "memory", "text")
    chunk = Chunk(kind="memory", path=key, start=1, end=item.text.count("\n") + 1, text=item.text, title=item.title)
    return row, chunk, item.extra
