"""One open work tree: its configuration, memory, index, caches, and problems."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from datetime import datetime
from pathlib import Path

from muninn_core import git
from muninn_core.config import Config
from muninn_core.errors import MuninnError, ReadOnlyError, memory_deleted
from muninn_core.index.embedding.embed import Embedder, Encoder
from muninn_core.index.embedding.encodings import Encoding
from muninn_core.index.index import Index
from muninn_core.index.opening import open_index
from muninn_core.launch.repository_location import RepositoryLocation
from muninn_core.model.answer import IndexState, ReadState
from muninn_core.model.memory import Memory
from muninn_core.protocol.families.repository import Problem
from muninn_core.store.context_store import ContextStore
from muninn_core.store.files.disk import refuse_links
from muninn_core.store.files.layout import own_folders
from muninn_core.store.folding.fold import State
from muninn_core.store.global_log import GlobalLog
from muninn_core.store.log import open_log
from muninn_core.store.pack.installed import recover
from muninn_core.store.records.ids import UlidGenerator
from muninn_core.worktree.citations.citations import Citations
from muninn_core.worktree.config_reloader import ConfigReloader
from muninn_core.worktree.history.branches import LOCAL, OtherBranches, WorkStates
from muninn_core.worktree.history.edited_files import EditedFiles
from muninn_core.worktree.history.evolution import EvolutionLoader
from muninn_core.worktree.history.first_authors import FirstAuthors
from muninn_core.worktree.history.record_author import RecordAuthor
from muninn_core.worktree.history.renames import RenameHistory
from muninn_core.worktree.history.revisions import Revisions
from muninn_core.worktree.indexing.auxiliary_index import AuxiliaryIndex
from muninn_core.worktree.indexing.embedder_choice import EmbedderChoice
from muninn_core.worktree.indexing.index_updater import IndexUpdater
from muninn_core.worktree.indexing.warm_up import load_for_question
from muninn_core.worktree.knowledge.bridges import BridgeCounts, ExternalFolder, indexing
from muninn_core.worktree.knowledge.documents import DocumentCache
from muninn_core.worktree.knowledge.origins import Origins
from muninn_core.worktree.knowledge.pages import PageCache
from muninn_core.worktree.knowledge.skill_cache import SkillCache
from muninn_core.worktree.local.access_counts import AccessCounts
from muninn_core.worktree.local.deliveries import Deliveries
from muninn_core.worktree.local.memory_copies import MemoryCopies
from muninn_core.worktree.local.pending_redaction import PendingRedaction, Redaction
from muninn_core.worktree.local.private_files import empty_folder, tidy_private_files
from muninn_core.worktree.local.private_layout import adopt_orphans, layout_at, removed_trees
from muninn_core.worktree.local.session_state import SessionState
from muninn_core.worktree.local.tree_lock import TreeLock
from muninn_core.worktree.local.upkeep_state import UpkeepState
from muninn_core.worktree.memories.memory_store import MemoryStore
from muninn_core.worktree.result_pages import ResultPages

log = logging.getLogger("muninn.worktree")

OUTSIDE_SECONDS = 2.0
"""How long a question waits for changed files of the external folder, which is not watched."""


class Workspace:
    """Opened once per work tree, and started once its files are watched. `close` seals its sessions.

    `writable`: memory can be stored. `on_files_changed` runs on any thread when notes of files may have changed, with
    the paths, or None for all. `on_memories_changed` receives {id: whether the memory became or ceased to be
    recallable}. `on_indexed` runs on any thread after a change of the index or of its state.
    """

    def __init__(
        self,
        location: RepositoryLocation,
        *,
        clock: Callable[[], datetime],
        ids: UlidGenerator,
        embedder: Callable[[str], Embedder],
        encoder: Encoder | None,
        spare_cache: Path,
        home: Path | None = None,
        shared: GlobalLog | None = None,
    ) -> None:
        self.location = location
        self.head = git.HeadReader(location)
        self.author = RecordAuthor(location, lambda: self.config.memory.author)
        self.layout = layout_at(location)
        if not location.has_memory:
            raise location.not_initialised()
        self._folders = tuple(map(str, own_folders(self.layout)))
        refuse_links(self._folders)
        self.settings = ConfigReloader(location, self.layout, home)
        self._applying_settings = threading.Lock()
        self._model = self.config.index.model
        self.problems: list[Problem] = []
        self._clock = clock
        self._embedders = EmbedderChoice(embedder, lambda: self.config.index.model, self.report_problem)
        self.encoder = encoder
        """The text encoder for memories and questions about them, None where it is not installed."""
        self._spare_cache = spare_cache
        self._adopted: list[str] = []
        """Sessions of removed work trees whose files were moved here and are not published."""
        self._warmer: threading.Thread | None = None
        self._lock = TreeLock(self.layout.local)
        self.fingerprint = location.fingerprint()
        self.opened_at = time.monotonic()
        unavailable = self._lock.take()
        self.writable = unavailable is None
        self.problems += [unavailable] if unavailable is not None else []
        try:
            self._open_parts(clock, ids, home, shared)
        except BaseException:
            self._lock.release()  # opening is tried again with the next call
            raise

    def _open_parts(
        self, clock: Callable[[], datetime], ids: UlidGenerator, home: Path | None, shared: GlobalLog | None
    ) -> None:
        """Open the log and the caches. Raises MuninnError, OSError."""
        if self.writable:
            self._tidy_private_files()
            adopt_orphans(self.location, self.layout, [])  # the log, which is opened below, reads them
            self._complete_pack_install()
        self._open_memory(clock, ids, shared)
        self._open_private_state()
        self._open_history()
        self._open_knowledge(home)
        self._open_indexes()
        self._open_citations()
        self.result_pages = ResultPages(clock)
        self.on_files_changed: Callable[[frozenset[str] | None], None] = lambda _paths: None
        self.on_memories_changed: Callable[[Mapping[str, bool]], None] = lambda _changed: None
        self.on_indexed: Callable[[], None] = lambda: None
        self._tidying = threading.Thread(target=self._tidy, name="tidy", daemon=True)
        self.redaction = PendingRedaction(self.layout.local)
        if self.writable:
            self._complete_redaction()

    def _open_memory(self, clock: Callable[[], datetime], ids: UlidGenerator, shared: GlobalLog | None) -> None:
        log = open_log(self.layout, clock=clock, ids=ids, writable=self.writable)
        self.memory = MemoryStore(
            log,
            f"s-{ids()}",
            shared=shared,
            global_scope=lambda: self.config.memory.global_scope,
            author=self.author,
            clock=clock,
            redacted=self._remove_redacted,
            indexed=lambda changed: self.updater.update_memories(changed),
            changed=self._memories_changed,
        )

    def _open_private_state(self) -> None:
        """Open the private files that sessions share: notes, counts, deliveries, stored contexts."""
        self.session_state = SessionState(self.layout.local / "notes.json", writable=self.writable)
        self.access_counts = AccessCounts(self.layout.local / "accesses.json", writable=self.writable)
        self.upkeep = UpkeepState(self.layout.local / "upkeep.json", writable=self.writable)
        self.deliveries = Deliveries(self.layout.local / "given.json", writable=self.writable)
        self.context_store = ContextStore(self.layout.contexts, writable=self.writable)
        self.copies = MemoryCopies(self.layout, self.context_store)

    def _open_history(self) -> None:
        """Open the caches of what git says of this work tree and of other branches."""
        location = self.location
        self.first_authors = FirstAuthors(location, lambda: self.head.read().commit)
        self.revisions = Revisions(location)
        self.other_branches = OtherBranches(location, self.revisions)
        self.local_branches = OtherBranches(location, self.revisions, (LOCAL,))
        self.work_states = WorkStates(location, self.revisions, lambda identity: self.memory.log.is_imported(identity))
        self.edited_files = EditedFiles(location, lambda: self.head.read().commit)
        self.evolution = EvolutionLoader(location, lambda: self.head.read().commit)

    def _open_knowledge(self, home: Path | None) -> None:
        """Open the caches of documents, skills, packs, and the memory of other tools."""
        self.documents = DocumentCache(self.layout.root)
        self.pages = PageCache(self.layout.root)
        self.origins = Origins(self.layout)
        self.external_folder = ExternalFolder(
            self.location, home, lambda: self.config, lambda: self.config.index.max_file_bytes
        )
        self.bridge_counts = BridgeCounts()
        self.skill_cache = SkillCache(self.layout.root, home, lambda: self.config.skills.paths)

    def _open_indexes(self) -> None:
        """Create the updater, which opens the index when it starts, and the indexes of revisions and branches."""
        folder = self._index_folder
        self.revision_index = AuxiliaryIndex(folder / "past", self.embedder, self.encoder, self._known_encodings)
        self.branch_index = AuxiliaryIndex(folder / "branches", self.embedder, self.encoder, self._known_encodings)
        self.updater = IndexUpdater(
            self.layout.root,
            folder,
            indexing(self.config),
            self._open_index,
            self.memory.each_recallable,
            self.external_folder.file_stamps,
            lambda: self.on_indexed(),
        )

    def _open_citations(self) -> None:
        """Open the caches that check citations against the work tree, also in files that were renamed."""
        self.citations = Citations(
            self.layout.root,
            most=lambda: self.config.index.max_file_bytes,
            token=lambda: (self.head.read().commit, self.updater.scans),
        )
        self.rename_history = RenameHistory(
            self.layout.root,
            most=lambda: self.config.index.max_file_bytes,
            head=lambda: self.head.read().commit,
            token=lambda: (self.head.read().commit, self.updater.scans),
        )

    @property
    def config(self) -> Config:
        """The configuration as it was read last."""
        return self.settings.config

    @property
    def removed(self) -> bool:
        """Whether the work tree is gone, or another one is in its place, or git no longer knows it."""
        return self.fingerprint is None or self.location.fingerprint() != self.fingerprint

    def _tidy_private_files(self) -> None:
        try:
            tidy_private_files(self.layout, self._spare_cache)
        except OSError as error:
            self.report_problem(
                "cache", f"{self.layout.cache} can't be tidied: {error.strerror}", "Check the folder's permissions."
            )
        if self.location.linked:
            self.settings.place_schema()  # later git may be removing the work tree

    def redact_unindexed(self, redaction: Redaction) -> tuple[str, ...]:
        """Redact memories while the index is not open; return the changed files. The cache is emptied."""
        files = self.memory.redact(
            redaction.ids, texts=redaction.texts, actor=redaction.actor, session=None, scope=redaction.scope
        )
        self.copies.remove(redaction.ids, redaction.texts)
        empty_folder(self.layout.cache)
        return files

    def _complete_redaction(self) -> None:
        """Complete a redaction that a crash interrupted, before its text can be found again."""
        try:
            pending = self.redaction.read()
            if pending is not None:
                self.redact_unindexed(pending)
                self.redaction.finish()
        except (MuninnError, OSError) as error:
            self.report_problem("redaction", f"a redaction could not be completed: {error}", "Redact the memory again.")

    @property
    def has_orphans(self) -> bool:
        """Whether linked work trees were removed whose memories are not published yet."""
        return self.writable and bool(removed_trees(self.location) or self._adopted)

    def adopt_removed(self) -> None:
        """Take over the memories of removed linked work trees, which must be closed. They are searchable at once.

        What fails is tried again with the next call. The caller lets one thread do this at a time.
        """
        if not self.has_orphans:
            return
        adopt_orphans(self.location, self.layout, self._adopted)
        try:
            if self._adopted:
                self.memory.adopt(tuple(self._adopted))
        except (MuninnError, OSError) as error:
            log.warning("memories of removed work trees can't be read yet: %s", error)
            return
        self._adopted.clear()

    def _complete_pack_install(self) -> None:
        """Complete an installation of a pack that a crash interrupted."""
        try:
            recover(self.layout)
        except MuninnError as error:
            self.report_problem("packs", error.message, error.hint)

    def start(self) -> None:
        """Start to index. From now on the caller must report changes with `files_changed`."""
        self.updater.start()
        self._tidying.start()

    def _tidy(self) -> None:
        """Write the cached fold, and drop stored contexts that hold text redacted while no daemon ran."""
        if not self.removed:
            self.memory.save_cache()
        self.memory.drop_redacted(self.memory.all(), self.copies.in_contexts())

    def close(self) -> None:
        """Stop indexing, seal the sessions, release the lock.

        In a removed work tree nothing is sealed, because that would create the folder again; its spool waits for
        adoption.
        """
        self.updater.stop()
        self.revision_index.close()
        self.branch_index.close()
        self.citations.release_memory()
        if self._warmer is not None:
            self._warmer.join()
        self.evolution.close()
        try:
            if self._tidying.is_alive():
                self._tidying.join()
            if self.writable and self.layout.muninn.is_dir() and not self.removed:
                self.access_counts.flush()
                self.deliveries.flush()
                self.memory.log.seal(None)
                self.memory.log.save_cache()
        finally:
            self._lock.release()

    def renew_lock(self) -> None:
        """Take the lock again when its file was deleted. Raises ReadOnlyError when another process has it."""
        if self.writable and self._lock.renew():
            self.memory.read_again()  # the spools were deleted with the lock

    def can_take_lock(self) -> bool:
        """Whether a read-only work tree could be opened for writing now."""
        return self._lock.is_free()

    def report_problem(self, kind: str, message: str, hint: str = "") -> None:
        """Add a problem that `status` shows."""
        self.problems.append(Problem(kind=kind, message=message, hint=hint))

    @property
    def _index_folder(self) -> Path:
        return self.layout.cache if self.writable else self._spare_cache

    def _open_index(self, *, anew: bool) -> Index:
        cache = self._index_folder
        if not self.writable:
            cache.parent.mkdir(parents=True, exist_ok=True)
        if self.writable and (self.removed or not self.layout.muninn.is_dir()):  # create no cache in a deleted folder
            raise memory_deleted()
        if anew:
            self.revision_index.close()
            self.branch_index.close()
            with suppress(OSError):  # opening the index reports it
                empty_folder(cache)
        embedder = self.embedder()
        index = open_index(cache, embedder, self.encoder)
        if self.writable and not self.location.linked:
            self.settings.place_schema()
        self._embedders.keep(index, embedder)
        return index

    def embedder(self, index: Index | None = None) -> Embedder:
        """Return the embedder of an index, or the one for the next index."""
        return self._embedders.of(index)

    def _known_encodings(self, digests: Sequence[bytes]) -> Mapping[bytes, Encoding]:
        """Return the encodings that the index has, by the digests of their texts."""
        index = self.updater.index
        return index.snapshot().known_encodings(digests) if index is not None else {}

    def warm_up(self) -> None:
        """Load in the background what the first question needs."""
        if self._warmer is None:
            self._warmer = threading.Thread(
                target=lambda: load_for_question(self.updater, self.embedder, self.encoder), name="warm", daemon=True
            )
            self._warmer.start()

    def release_memory(self) -> None:
        """Release memory that only speeds up later answers, and write the counts."""
        if not self.removed:
            self.access_counts.flush()
            self.deliveries.flush()
        self.citations.release_memory()
        self.memory.release_memory()
        index = self.updater.index
        if index is not None:
            index.release_memory()

    def _memories_changed(self, changed: Mapping[str, bool]) -> None:
        self.on_memories_changed(changed)
        self.on_files_changed(None)

    def replace_index(self, seconds: float) -> bool:
        """Make the index anew, so that no file of the cache holds an earlier text; False when that takes longer."""
        return self.updater.replace_damaged(seconds) and self.updater.wait_memories(seconds)

    def _remove_redacted(self, ids: Sequence[str]) -> None:
        """Delete copies of memories that were redacted elsewhere."""
        if self.writable:
            self.copies.remove(ids)

    def follow_settings(self) -> None:
        """Read the settings again if a file of theirs has changed, without waiting for an event."""
        if self.settings.follow():
            self.updater.update_files(set(), full=True, rebuild=self._apply_settings())
            self.on_files_changed(None)

    def follow(self) -> None:
        """Read what git or a person changed in memory's files, without waiting for an event.

        Every answer therefore reflects the files as git left them. An unchanged log costs one `stat` per folder. Raises
        StorageError when one of Muninn's folders has become a link.
        """
        refuse_links(self._folders)
        if self.layout.muninn.is_dir():
            with suppress(ReadOnlyError):  # a write reports it
                self.renew_lock()
        self.memory.refresh(wait=False, brief=True)
        changed = self.external_folder.changed_files()
        if changed:
            self.updater.follow(changed, OUTSIDE_SECONDS)
        self.memory.refresh_shared()

    def files_changed(self, paths: set[str]) -> None:
        """Handle changed files (absolute paths): memory, settings, HEAD, or any other; the root means all."""
        root = str(self.layout.root) + "/"
        inside, full, rebuild = set(), False, False
        for path in paths:
            if path in (str(self.layout.config), str(self.layout.root)):
                self.settings.read()
                full, rebuild = True, self._apply_settings() or rebuild
            elif path.startswith(str(self.layout.memory)):
                self.memory.refresh()
            elif not path.startswith(root) or path.startswith(root + ".git/"):
                full = True  # HEAD moved: files may have changed without an event
            else:
                inside.add(path[len(root) :])
        if full:
            self.memory.refresh()
        if inside or full:
            self.updater.update_files(inside, full=full, rebuild=rebuild)
            self.on_files_changed(None if full else frozenset(inside))

    def _apply_settings(self) -> bool:
        """Use the settings that were read; return whether they name another model."""
        with self._applying_settings:
            self.updater.settings = indexing(self.config)
            if self.config.index.model == self._model:
                return False
            self._model = self.config.index.model
            self.problems = [problem for problem in self.problems if problem.kind != "model"]
            self._embedders.choose_again()
            return True

    def labelled(self, memories: Iterable[Memory]) -> tuple[Memory, ...]:
        """Return memories with their first authors, and what became of the commits that they were made at."""
        return self.first_authors.label(self.work_states.label(memories))

    def read_state(self, generation: int | None = None, state: State | None = None) -> ReadState:
        """Return the state that an answer computed now is based on: commit, log position, and the index's state.

        Raises nothing: what was stored must not look lost. `note` says that HEAD can't be read.
        """
        shared, index, failure, note = self.memory.shared, self.updater.index, self.updater.failure, ""
        try:
            head = self.head.read()
        except git.GitError as error:
            head, note = git.Head(), f"HEAD can't be read: {error.line}"
        else:
            if self.location.git_dir and head == git.Head():
                note = "HEAD can't be read; `git status` names the cause."
        if generation is None:
            generation = index.snapshot().generation if index is not None else 0
        return ReadState(
            commit=head.commit,
            branch=head.branch,
            log=(state or self.memory.log.state).records,
            shared=shared.state.records if shared is not None else 0,
            index=IndexState(
                generation=generation,
                lag=self.updater.lag,
                surveyed=self.updater.surveyed,
                unembedded=self.updater.unembedded,
                unencoded=self.updater.encoding.missing,
                failure=failure.message if failure is not None else "",
            ),
            note=note,
        )
