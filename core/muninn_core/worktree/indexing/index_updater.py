"""Keeps a work tree's index up to date. It is the index's only writer, with one thread for files and one for memories.

Callers pass paths and memories, and may wait until they are searchable. A new memory is searchable at once, also during
a long run over files. Words come first: missing vectors are made while there is no other work, and a changed file does
not wait for them.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Protocol

from muninn_core.config import IndexConfig
from muninn_core.errors import BusyError, Cancelled, MuninnError, StorageError
from muninn_core.index.index import Index
from muninn_core.index.integrity import is_exhausted
from muninn_core.index.manifest.memory_text import MemoryText
from muninn_core.model.memory import Memory
from muninn_core.model.title import own_title
from muninn_core.source.listing.walk import FileStamp
from muninn_core.worktree.indexing.background_encoding import BackgroundEncoding
from muninn_core.worktree.indexing.file_scan import FileScan
from muninn_core.worktree.indexing.index_failure import IndexFailure, failure_of, longer_retry

log = logging.getLogger("muninn.index")

FULL_SCAN_THRESHOLD = 500
"""With more changed paths than this, a scan of the whole tree is cheaper."""

GATHER_SECONDS = 0.1
"""How long memories are collected before they are indexed together. A question ends the wait at once."""

FIRST_SCAN = 1
"""The ticket of the first scan, which `start` requests."""


class OpenIndex(Protocol):
    """Opens the index; with `anew`, deletes the existing one first."""

    def __call__(self, *, anew: bool) -> Index:
        """Return the open index."""


class IndexUpdater:
    """Runs from `start` to `stop`.

    `cache` is the folder of the index, which errors name. `open_index` runs on a thread and may take a second.
    `memories` returns all recallable memories. `outside` returns the files that are indexed beside those of the work
    tree, by absolute path. `indexed` is called on its threads after a change of the index or of its state.
    """

    def __init__(
        self,
        root: Path,
        cache: Path,
        settings: IndexConfig,
        open_index: OpenIndex,
        memories: Callable[[], Iterable[Memory]],
        outside: Callable[[], Sequence[FileStamp]] = tuple,
        indexed: Callable[[], None] = lambda: None,
    ) -> None:
        self.settings = settings
        self.index: Index | None = None
        self.state = "opening"
        self.scan = FileScan(
            root,
            outside,
            found=lambda: self._set_state("building"),
            progress=self._note_progress,
            check_cancel=self._check_stopped,
        )
        self.percentage = 0
        self._root = root
        self._cache = cache
        self._open_index = open_index
        self._all_memories = memories
        self._indexed = indexed
        self._paths: set[str] = set()
        self._remaining = 0
        self._comparing = False
        self._full = self._rebuild = False
        self._memories: dict[str, Memory | None] = {}
        self._resync_memories = False
        self._files_failure: IndexFailure | None = None
        self._memories_failure: IndexFailure | None = None
        self._meaning_failure: IndexFailure | None = None
        self._unembedded = 0
        self._embedding = False  # there may be chunks without a vector; `_unembedded` has their number once counted
        self._rescan = False  # a failure left files out: the next scan covers all files
        self._has_restarted = False  # the index was deleted or damaged, and the work has restarted on a new one
        self._has_restarted_for_memories = False
        self._retry: float | None = None  # seconds until failed work is repeated; None without failed work
        # The newest ticket that was requested, whose work has started, has ended (also by a failure), has succeeded.
        self._requested = self._started = self._ended = self._succeeded = 0
        self._memories_requested = self._memories_ended = self._memories_succeeded = 0
        self._memories_wanted = 0  # the newest ticket that a caller waits for
        self._was_empty = False  # the index had no file when it was opened
        self._stopped = False
        self._wake = threading.Condition()
        self.encoding = BackgroundEncoding(lambda: self.index, cache)
        self._threads = (
            threading.Thread(target=self._run_files, name="index", daemon=True),
            threading.Thread(target=self._run_memories, name="memories", daemon=True),
        )

    def start(self) -> None:
        """Start the threads: open the index, add the memories, compare all files."""
        self._resync_memories = self._full = True
        self._requested = FIRST_SCAN
        self._memories_requested = 1
        for thread in self._threads:
            thread.start()
        self.encoding.start()

    def stop(self) -> None:
        """Stop at the next safe point and close the index."""
        with self._wake:
            self._stopped = True
            self._wake.notify_all()
        self.encoding.stop()
        for thread in self._threads:
            if thread.is_alive():
                thread.join()
        with self._wake:
            index, self.index = self.index, None  # its newest snapshot goes with it, and the files that it holds open
        if index is not None:
            index.close()

    @property
    def failure(self) -> IndexFailure | None:
        """The last failure that no later success replaced."""
        return self._files_failure or self._memories_failure or self._meaning_failure or self.encoding.failure

    @property
    def unembedded(self) -> int:
        """How many chunks have words and no vector yet."""
        return self._unembedded

    @property
    def lag(self) -> int:
        """How many changed files are not searchable yet; at least 1 while the number is unknown."""
        with self._wake:
            return max(len(self._paths) + self._remaining, int(self._full or self._rescan))

    @property
    def counted(self) -> bool:
        """Whether `lag` is the number of changed files; it is unknown until the files were compared."""
        with self._wake:
            return not self._comparing and (self._remaining > 0 or not (self._full or self._rescan))

    @property
    def surveyed(self) -> int:
        """How many of the lagging files can already be found by the words of the whole file."""
        index = self.index
        return min(index.surveyed, self.lag) if index is not None else 0

    @property
    def scans(self) -> int:
        """A number that increases with each scan of changed files."""
        return self._ended

    @property
    def is_first(self) -> bool:
        """Whether the index was empty when it was opened, and the first scan has not ended."""
        return self._was_empty and self._ended < FIRST_SCAN

    @property
    def work_done(self) -> object:
        """A value that changes when files, memories or vectors were indexed."""
        return self._succeeded, self._memories_succeeded, self._unembedded, self.encoding.done

    def update_files(self, paths: Iterable[str] = (), *, full: bool = False, rebuild: bool = False) -> int:
        """Request a scan of some paths, or of all files; return a ticket for `wait_files`."""
        with self._wake:
            self._paths.update(paths)
            self._full = self._full or full or rebuild or len(self._paths) > FULL_SCAN_THRESHOLD
            self._rebuild = self._rebuild or rebuild
            return self._issue_ticket()

    def update_memories(self, changed: Mapping[str, Memory | None]) -> None:
        """Request the indexing of memories; None drops one."""
        with self._wake:
            self._memories.update(changed)
            self._memories_requested += 1
            self._wake.notify_all()

    def _issue_ticket(self) -> int:
        self._requested += 1
        self._wake.notify_all()
        return self._requested

    def wait_files(self, ticket: int, seconds: float) -> bool:
        """Wait at most `seconds` for a ticket's work; return whether it is done. Raises the failure of the index.

        What failed and is repeated at once, on a new index, is waited for.
        """
        with self._wake:
            self._wake.wait_for(lambda: self._succeeded >= ticket or self._has_failed(ticket) or self._stopped, seconds)
            if self._has_failed(ticket):
                self.raise_if_failed()
            return self._succeeded >= ticket

    def _has_failed(self, ticket: int) -> bool:
        return self._succeeded < ticket <= self._ended and self._files_failure is not None

    def wait_first(self, seconds: float) -> None:
        """Wait at most `seconds` until the first scan has ended or all files can be found by their words.

        Raises the failure of the index.
        """
        with self._wake:
            self._wake.wait_for(
                lambda: self._ended >= FIRST_SCAN or self._stopped or 0 < self._remaining == self.surveyed, seconds
            )
            if self._succeeded < FIRST_SCAN <= self._ended:
                self.raise_if_failed()

    def wait_meaning(self, seconds: float) -> bool:
        """Wait at most `seconds` until every chunk has its vector; return whether it has. Raises the failure."""
        with self._wake:
            self._wake.wait_for(lambda: not self._embedding or self._stopped, seconds)
            if self._meaning_failure and not self._embedding:
                self.raise_if_failed()
            return not self._embedding

    def follow(self, paths: Iterable[str], seconds: float) -> None:
        """Index changed files and wait at most `seconds`; no wait while the index is being built or has failed."""
        ticket = self.update_files(paths)
        if self.state == "ready":
            with self._wake:
                self._wake.wait_for(lambda: self._ended >= ticket or self._stopped, seconds)

    def wait_memories(self, seconds: float) -> bool:
        """Wait at most `seconds` until all memories passed so far are searchable; return whether they are.

        There is no wait while the index can't be opened.
        """
        with self._wake:
            ticket = self._memories_wanted = self._memories_requested
            if self._memories_ended < ticket:
                self._wake.notify_all()
            self._wake.wait_for(lambda: self._memories_ended >= ticket or self._cannot_open or self._stopped, seconds)
            return self._memories_succeeded >= ticket

    def index_memories(self, seconds: float) -> bool:
        """Wait like `wait_memories`. Raises the failure of indexing memories."""
        done = self.wait_memories(seconds)
        with self._wake:
            if not done and (self._memories_ended >= self._memories_wanted or self._cannot_open):
                self.raise_if_failed()
            return done

    @property
    def _cannot_open(self) -> bool:
        """Whether the index is missing because it could not be opened."""
        return self.index is None and self._files_failure is not None

    def wait_open(self, seconds: float) -> Index:
        """Return the index once it can be read. Raises its failure, or BusyError after `seconds`."""
        with self._wake:
            self._wake.wait_for(lambda: self.index is not None or self._stopped or self._cannot_open, seconds)
            if self.index is None:
                self.raise_if_failed()
                raise BusyError("the index is not open yet", hint="Try again; `muninn status` shows how far it is.")
            return self.index

    def raise_if_failed(self) -> None:
        """Raise the failure of the index, if there is one."""
        failure = self.failure
        if failure is not None:
            raise MuninnError(f"the index can't be updated: {failure.message}", hint=failure.hint)

    def _wait_for_files(self) -> None:
        """Wait for work on files, the time of the next try, or the end. The caller holds the lock."""
        retry = self._retry
        due = self._wake.wait_for(
            lambda: self._stopped or self._embedding or self._requested != self._started or self._retry != retry, retry
        )
        if not due:
            self._full = True
            self._issue_ticket()

    def _run_files(self) -> None:
        while True:
            with self._wake:
                self._wait_for_files()
                if self._stopped:
                    return
                if self._requested == self._started and not self._embedding:
                    continue  # the memories' thread changed the time of the next try
            try:
                if self._requested == self._started:
                    self._embed()
                else:
                    self._index_files()
                    self._set_state("ready")
            except Cancelled:
                return  # only `stop` cancels
            except Exception as error:  # the thread goes on; `failure` reports it
                failure = self._log_failure("the index could not be updated", error, self._files_failure)
                with self._wake:  # retry with the next change, not at once
                    self._remaining, self._rescan, self._ended = 0, True, self._started
                    self._embedding = False
                    self._files_failure = failure
                    self._request_new_index(error)
                self._set_state("failed")

    def _log_failure(self, what: str, error: Exception, before: IndexFailure | None) -> IndexFailure:
        """Return what an error means, and log its trace unless it was logged before or the work tree was removed."""
        failure = failure_of(error, self._cache)
        if not self._root.is_dir():
            log.info("%s is gone, and is not indexed any more", self._root)
        elif failure != before:
            log.error("%s", what, exc_info=error)
        return failure

    def _request_new_index(self, error: Exception, *, memories: bool = False) -> bool:
        """Request a new index when this one is deleted or damaged: at once the first time, then after a while.

        A shortage of space, memory or descriptors is waited out with the same index. Returns whether the work on a new
        index begins at once. The caller holds the lock.
        """
        lost = self.index is not None and not self.index.intact
        shortage = is_exhausted(error) and not lost
        if not (lost or shortage or isinstance(error, StorageError)):
            return False
        tried = self._has_restarted_for_memories if memories else self._has_restarted
        if shortage or tried:
            self._retry = longer_retry(self._retry)
        if not shortage:
            self._rebuild = True
        if shortage or tried:
            return False
        self._has_restarted_for_memories = self._has_restarted_for_memories or memories
        self._has_restarted = True
        self._issue_ticket()
        return True

    def replace_damaged(self, seconds: float) -> bool:
        """Make a new index; return whether it was made within `seconds`. Raises the failure."""
        return self.wait_files(self.update_files(full=True, rebuild=True), seconds)

    def _embed(self) -> None:
        """Make missing vectors until all exist or other work is requested."""
        index = self.index
        failure: IndexFailure | None = None
        cause: Exception | None = None
        try:
            if index is not None and index.incomplete:
                index.embed_missing(
                    workers=self.settings.workers,
                    progress=self._note_embedded,
                    check_cancel=self._check_stopped,
                    enough=lambda: self._requested != self._started,
                )
        except Cancelled:
            raise
        except Exception as error:  # words are searchable; the next change retries
            failure, cause = self._log_failure("vectors could not be made", error, self._meaning_failure), error
        with self._wake:
            if cause is not None:
                self._request_new_index(cause)
            self._meaning_failure = failure
            self._embedding = not failure and index is not None and index.incomplete
            self._unembedded = self._unembedded if self._embedding or failure else 0
            self._wake.notify_all()
        self._indexed()

    def _note_embedded(self, done: int, total: int) -> None:
        with self._wake:
            self._unembedded = total - done
            self.percentage = 100 * done // max(total, 1)

    def _run_memories(self) -> None:
        while True:
            with self._wake:
                self._wake.wait_for(lambda: self._stopped or (self.index and self._memories_waiting()))
                self._wake.wait_for(
                    lambda: self._stopped or self._resync_memories or self._memories_wanted > self._memories_ended,
                    GATHER_SECONDS,
                )
                if self._stopped:
                    return
                if self.index is None:
                    continue  # closed for a rebuild while memories gathered
                index, ticket = self.index, self._memories_requested
                resync, changed = self._resync_memories, self._memories
                self._resync_memories, self._memories = False, {}
            try:
                if resync:
                    index.sync_memories(map(text_of, self._all_memories()), self._check_stopped)
                index.put_memories(text_of(memory) for memory in changed.values() if memory is not None)
                index.drop_memories([identity for identity, memory in changed.items() if memory is None])
            except Cancelled:
                return
            except Exception as error:  # as above; the next one compares all memories again
                with self._wake:
                    self._resync_memories, anew = True, False
                    if self.index is index:  # else a rebuild closed it, which is not a failure
                        what = "memories could not be indexed"
                        self._memories_failure = self._log_failure(what, error, self._memories_failure)
                        anew = self._request_new_index(error, memories=True)
                    if not anew:  # else questions wait for the new index
                        self._memories_ended = ticket
                    self._wake.notify_all()
                self._wait_for_change(index)
                continue
            with self._wake:
                self._memories_ended = self._memories_succeeded = ticket
                self._memories_failure, self._has_restarted_for_memories = None, False
                self.encoding.wake()
                self._wake.notify_all()
            self._indexed()

    def _memories_waiting(self) -> bool:
        return self._resync_memories or self._memories_requested > self._memories_ended

    def _wait_for_change(self, index: Index) -> None:
        """Wait for the next memory, scan or index before another try."""
        with self._wake:
            before = (self._memories_requested, self._requested, index)
            self._wake.wait_for(
                lambda: self._stopped or (self._memories_requested, self._requested, self.index or index) != before
            )

    def _set_state(self, state: str) -> None:
        with self._wake:
            self.state = state
            self._wake.notify_all()
        self._indexed()

    def _index_files(self) -> None:
        with self._wake:
            ticket = self._started = self._requested
            full, rebuild, paths = self._full or self._rescan, self._rebuild, self._paths
            self._full, self._rebuild, self._rescan, self._paths = False, False, False, set()
            self._remaining, self._comparing = max(len(paths), int(full)), full
        previous = self.index
        index = self._opened(anew=rebuild or (previous is not None and not previous.intact))
        self.scan.run(index, self.settings, paths, full=full)
        missing = index.snapshot().counts()["unembedded"] if index.incomplete else 0
        with self._wake:
            self._remaining, self._comparing = 0, False
            self._files_failure = self._meaning_failure = None  # retry failed vectors now
            self._unembedded, self._embedding = missing, index.incomplete
            self._ended = self._succeeded = ticket
            self._has_restarted = False
            if not self._memories_failure:
                self._retry = None
            self._wake.notify_all()

    def _opened(self, anew: bool) -> Index:
        index = self.index
        if index is None or anew:
            if index is not None:
                with self._wake:
                    self.index = None  # the memories' thread must not write to a closing index
                    self._files_failure = None  # that of the closing index
                index.close()
            index = self._open_index(anew=anew)
            new = not index.snapshot().counts()["files"]
            with self._wake:
                self.index, self._was_empty = index, new
                self._resync_memories = True
                self._memories_requested += 1  # later questions wait: the new index has no memories yet
                self._wake.notify_all()
        return index

    def _note_progress(self, done: int, total: int) -> None:
        """Note progress; the index calls this between batches of files."""
        with self._wake:
            self._remaining, self._comparing = max(total - done, 0), False
            if self.surveyed == self._remaining:
                self._wake.notify_all()
            self.percentage = 100 * done // max(total, 1)

    def _check_stopped(self) -> None:
        if self._stopped:
            raise Cancelled("the index is being closed")


def text_of(memory: Memory) -> MemoryText:
    """Return what the index stores of a memory."""
    words = (*memory.tags, *memory.entities, *memory.questions, *memory.files, *memory.aliases, memory.task or "")
    title = own_title(memory.title, memory.text)  # words that are counted twice would weigh more
    questions = "\n".join(memory.questions)
    return MemoryText(memory.id, memory.text, title, extra=" ".join(words).strip(), questions=questions)
