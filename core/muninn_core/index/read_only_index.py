"""The index of another repository, opened read-only while its own daemon may be stopped or writing.

Nothing is written: SQLite is opened read-only, and tantivy without a writer. The writer commits the manifest before the
word index and notes the commit of the word index last. So both belong together when the manifest's journal is empty
and its note equals the commit that was opened. `reading` fixes one state; between two questions no state is held, so
that the daemon of the repository can start its write-ahead log over.
"""

from __future__ import annotations

import json
import threading
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING, NamedTuple

from muninn_core.errors import BusyError, MuninnError, StorageError
from muninn_core.index.integrity import STATE, WORDS, DamagedIndex
from muninn_core.index.manifest.manifest import FEATURES, FORMAT
from muninn_core.index.manifest.reader import open_reader
from muninn_core.index.snapshot import RowCache, Snapshot
from muninn_core.index.vectors.vector_index import VectorIndex, build_vectors
from muninn_core.index.words.writer import read_words

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from muninn_core.index.manifest.reader import ManifestReader

REWRITTEN_SECONDS = 0.5
"""How long a question waits for a writer that is between its two commits. It takes milliseconds."""

HOPELESS_SECONDS = 10.0
"""How long after that the next questions try without waiting."""

_PAUSE_SECONDS = 0.01


class _FewRows(RowCache):
    """A cache of rows for one of many indexes."""

    CHUNKS = 300
    PATHS = 2_000
    TERMS = 1_000
    STATES = 50


class NoIndex(MuninnError):
    """The index of a repository can't be read as it is. The message is the reason, the hint what to do."""

    kind = "no_index"


class IndexFacts(NamedTuple):
    """What an index holds: the number of chunks of files, {path: (size, time)} of its files in the work tree, and the
    time of its last change in seconds since 1970. `unfinished`: its first run over all files has not ended.
    """

    chunks: int
    stamps: Mapping[str, tuple[int, int]]
    changed: float
    unfinished: bool


class ReadOnlyIndex:
    """An index that another process owns. Safe to use from several threads.

    `model` and `encoder` are (name, dimension) of the embedder and of the text encoder of the questions. Vectors of
    other models are not read: such an index is searched by words only.
    """

    def __init__(self, cache: Path, model: tuple[str, int], encoder: tuple[str, int]) -> None:
        self._cache = cache
        self._model = model
        self._encoder = encoder
        self._lock = threading.Lock()
        self._readers = 0
        self._manifest: ManifestReader | None = None
        self._snapshot: Snapshot | None = None
        self._seen: tuple[object, ...] = ()
        self._hopeless_until = 0.0
        self.same_model = True
        """Whether the vectors are of the model of the questions."""
        self.unfinished = False
        """Whether its first run over all files has not ended: some files are not found yet."""
        self.vectors = 0
        """The number of vectors in memory."""

    @contextmanager
    def reading(self) -> Iterator[Snapshot]:
        """Return the current snapshot, fixed until the block ends. Raises NoIndex, with the reason."""
        with self._lock:
            if not self._readers:
                self._refresh()
            self._readers += 1
            snapshot = self._snapshot
        assert snapshot is not None
        try:
            yield snapshot
        finally:
            with self._lock:
                self._readers -= 1
                if not self._readers and self._manifest is not None:
                    self._manifest.end_read()

    def close(self) -> None:
        """Close the files; does nothing while a question reads them."""
        with self._lock:
            if not self._readers:
                self._drop()

    def _drop(self) -> None:
        if self._manifest is not None:
            self._manifest.close()
        self._manifest = self._snapshot = None
        self._seen, self.vectors = (), 0

    def _refresh(self) -> None:
        """Open the index, or open it again when it has changed. After a failure the next attempts do not wait."""
        begun = time.monotonic()
        until = begun + (REWRITTEN_SECONDS if begun > self._hopeless_until else 0.0)
        while True:
            try:
                self._follow()
                return
            except (BusyError, DamagedIndex) as error:
                self._drop()
                if time.monotonic() > until:
                    self._hopeless_until = time.monotonic() + HOPELESS_SECONDS
                    raise NoIndex(f"its index is damaged or being rewritten: {error.message}", hint=_OPEN) from error
            except StorageError as error:
                self._drop()
                raise NoIndex(f"its index can't be read: {error.message}", hint=error.hint) from error
            time.sleep(_PAUSE_SECONDS)

    def _follow(self) -> None:
        identity = self._identity()
        if self._manifest is not None and self._seen[:2] == identity:
            self._manifest.begin_read()
            self.unfinished = self._manifest.unfinished
            if self._state(self._manifest) == self._seen[2:]:
                return
        self._drop()
        self._open(identity)

    def _identity(self) -> tuple[int, int]:
        """Return what tells the database from a later one of the same name. Raises NoIndex without one."""
        try:
            status = (self._cache / STATE).stat()
        except OSError:
            raise NoIndex("it has no index yet", hint=_OPEN) from None
        return status.st_dev, status.st_ino

    def _state(self, manifest: ManifestReader) -> tuple[object, ...]:
        return manifest.generation, manifest.meta("stamp")

    def _open(self, identity: tuple[int, int]) -> None:
        manifest = open_reader(self._cache / STATE, foreign=True)
        try:
            _check_version(manifest)
            words = read_words(self._cache / WORDS)
            if manifest.pending() or manifest.meta("stamp") != _committed(self._cache / WORDS):
                raise BusyError("its two parts do not belong together")
            self.unfinished = manifest.unfinished
            self.same_model = manifest.meta("model") == self._model[0]
            meaning = _vectors(manifest, "vectors", self._model[1], present=self.same_model)
            same_encoder = bool(self._encoder[0]) and manifest.meta("encoder") == self._encoder[0]
            encodings = _vectors(manifest, "encodings", self._encoder[1], present=same_encoder)
            unencoded = manifest.memory_count - encodings.count()
            self._snapshot = Snapshot(manifest, words, (meaning, encodings), _FewRows(), None, unencoded)
        except BaseException:
            manifest.close()
            raise
        self.vectors = meaning.count() + encodings.count()
        self._manifest, self._seen = manifest, (*identity, *self._state(manifest))


_OPEN = "Run `muninn index` in it: its daemon makes the index anew."


def has_index(cache: Path) -> bool:
    """Whether a cache folder has an index, usable or not."""
    return (cache / STATE).exists()


def index_facts(cache: Path) -> IndexFacts:
    """Return what the index in a cache folder holds, without its vectors. Raises NoIndex, with the reason."""
    if not has_index(cache):
        raise NoIndex("it has no index yet", hint=_OPEN)
    try:
        manifest = open_reader(cache / STATE, foreign=True)
    except MuninnError as error:
        raise NoIndex(f"its index can't be read: {error.message}", hint=_OPEN) from error
    try:
        _check_version(manifest)
        counts = manifest.counts()
        stamps = {path: (row.size, row.mtime_ns) for path, row in manifest.files().items() if not path.startswith("/")}
        times = [each.stat().st_mtime for each in cache.glob(f"{STATE}*") if not each.name.endswith("-shm")]
        return IndexFacts(counts["chunks"] - counts["memory"], stamps, max(times), manifest.unfinished)
    except (MuninnError, OSError) as error:
        if isinstance(error, NoIndex):
            raise
        raise NoIndex(f"its index can't be read: {error}", hint=_OPEN) from error
    finally:
        manifest.close()


def _check_version(manifest: ManifestReader) -> None:
    wanted, found = f"{FORMAT}.{FEATURES}", manifest.meta("version")
    if found != wanted:
        raise NoIndex(f"its index has the format {found or 'unknown'}, and {wanted} is needed", hint=_OPEN)


def _committed(words: Path) -> str:
    """Return the number of the last commit of a word index. Raises DamagedIndex."""
    try:
        return str(json.loads((words / "meta.json").read_bytes())["opstamp"])
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise DamagedIndex(f"the list of segments of the word index can't be read: {error}") from error


def _vectors(manifest: ManifestReader, table: str, dim: int, *, present: bool) -> VectorIndex:
    if not present:
        return VectorIndex(dim)
    return build_vectors(dim, lambda kind: manifest.vectors(dim, kind, table))
