"""The memories of one work tree: its log, the user's global log, and everything that follows them.

Every write to a log goes through `MemoryStore`: it chooses the log, appends, and publishes what changed to the index
and to the caches. Nothing else in the core calls `Log.append`.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any

from muninn_core.errors import BadParams
from muninn_core.model.memory import Memory
from muninn_core.model.value import replace
from muninn_core.retrieval.candidates.memory_table import MemoryTable
from muninn_core.retrieval.decay import is_recallable
from muninn_core.retrieval.graphs.link_graph import LinkGraph
from muninn_core.retrieval.query.filters import compile_filters
from muninn_core.retrieval.query.query_language import Filter
from muninn_core.retrieval.signals.file_prior import FilePriors
from muninn_core.store.folding.fold import State
from muninn_core.store.folding.lazy_mapping import each_value
from muninn_core.store.global_log import GlobalLog
from muninn_core.store.log import Log, Sealed
from muninn_core.store.records.record import Record
from muninn_core.worktree.memories.active_memories import ActiveMemories
from muninn_core.worktree.memories.memory_index import MemoryIndex
from muninn_core.worktree.memories.memory_order import MemoryOrder
from muninn_core.worktree.memories.session_order import SessionOrder

Changed = Mapping[str, Memory | None]
"""Memories that changed, by id; None for one that is gone or is not recallable."""

_NO_MEMORIES: Mapping[str, Memory] = {}


class MemoryStore:
    """Opened once per work tree. Safe to use from several threads.

    `session` is the session of records whose writer names none. `shared` is the user's global log, None where there is
    none; `global_scope` returns whether the configuration includes it. `author`
    returns the name that new records get, "" for none. Three callbacks follow each change: `redacted`
    receives the ids of redacted memories, `indexed` the memories that the index must add, replace or drop, and
    `changed` receives {id: whether the memory became or ceased to be recallable}.
    """

    def __init__(
        self,
        log: Log,
        session: str,
        *,
        shared: GlobalLog | None,
        global_scope: Callable[[], bool],
        author: Callable[[], str],
        clock: Callable[[], datetime],
        redacted: Callable[[Sequence[str]], None],
        indexed: Callable[[Changed], None],
        changed: Callable[[Mapping[str, bool]], None],
    ) -> None:
        self.log = log
        self.session = session
        self.active = ActiveMemories(self.all)
        self.file_priors = FilePriors(self.all)
        self.index = MemoryIndex(self.all)
        self.sessions = SessionOrder(self.all)
        self._table = MemoryTable(self.all)
        self._shared = shared
        self._global_scope = global_scope
        self._author = author
        self._clock = clock
        self._redacted = redacted
        self._indexed = indexed
        self._changed = changed
        self._publishing = threading.Lock()
        self.importing = threading.Lock()
        """Held from the comparison of a bundle with the log until its records are stored. Other writers go on."""
        self._published: Mapping[str, Memory] = log.state.memories
        self._published_shared: Mapping[str, Memory] = self.global_memories()
        self._joined: tuple[object, object, Mapping[str, Memory]] = (None, None, _NO_MEMORIES)
        self._link_graph = LinkGraph(_NO_MEMORIES)
        self._order = MemoryOrder(_NO_MEMORIES)
        log.drain_changed()  # the index compares all memories when it is opened

    # --- reading ---

    @property
    def shared(self) -> GlobalLog | None:
        """The user's global log; None where there is none, or where the configuration excludes it."""
        return self._shared if self._global_scope() else None

    def global_memories(self) -> Mapping[str, Memory]:
        """Return the user's global memories that take part here; the same object until something changes."""
        shared = self.shared
        return shared.memories if shared is not None else _NO_MEMORIES

    def all(self, state: State | None = None) -> Mapping[str, Memory]:
        """Return the memories of both logs by id, recallable or not. `state` reads that state of the log.

        A global memory that was imported here has the same id in both; the work tree's log wins.
        """
        own, shared = (state or self.log.state).memories, self.global_memories()
        if not shared:
            return own
        joined = self._joined
        if joined[0] is not own or joined[1] is not shared:
            joined = self._joined = (own, shared, {**shared, **own})
        return joined[2]

    def opponents(self) -> Mapping[str, list[Memory]]:
        """Return, by the id of each memory in an open conflict, the memories that it is in conflict with."""
        state = self.log.state
        found: dict[str, dict[str, Memory]] = {}
        for dispute in state.conflicts:
            for side, other in ((dispute.left, dispute.right), (dispute.right, dispute.left)):
                if other in state.memories:
                    found.setdefault(side, {})[other] = state.memories[other]
        return {side: list(others.values()) for side, others in found.items()}

    def recallable(self) -> Mapping[str, Memory]:
        """Return the memories that are active and have not expired, by id."""
        return self.active.memories(self._clock())

    def each_recallable(self) -> Iterator[Memory]:
        """Yield the memories that are active and have not expired. Of very many, most are not kept."""
        now = self._clock()
        return (memory for memory in each_value(self.all()) if is_recallable(memory, now))

    def recallable_with(self, key: str, value: str) -> Iterator[Memory]:
        """Yield the memories that are active, have not expired and pass the filter `key:value`, by id.

        Of very many, only these are created once a filter of this field has been in use.
        """
        now = self._clock()
        passing = self._table.passing(compile_filters((Filter(key=key, values=(value,)),), now), now)
        known = self.all()
        return (known[identity] for identity in passing.ids if identity in known)

    def table_of(self, memories: Mapping[str, Memory]) -> MemoryTable | None:
        """Return the columns of some memories; None unless these are the current ones."""
        return self._table if memories is self.all() else None

    def link_graph(self, memories: Mapping[str, Memory]) -> LinkGraph:
        """Return the links of some memories. The last result is cached by identity."""
        cached = self._link_graph
        if cached.memories is not memories:
            cached = self._link_graph = LinkGraph(memories)
        return cached

    def ordered(self, memories: Mapping[str, Memory]) -> MemoryOrder:
        """Return some memories, newest first. The last result is cached by identity."""
        cached = self._order
        if cached.memories is not memories:
            cached = self._order = MemoryOrder(memories)
        return cached

    # --- writing ---

    def log_of(self, scope: str) -> Log | GlobalLog:
        """Return the log that memories of a scope are written to. Raises BadParams where there is no global log."""
        return self.shared_log() if scope == "global" else self.log

    def shared_log(self) -> GlobalLog:
        """Return the user's global log. Raises BadParams where there is none, with the setting that excludes it."""
        if self._shared is None:
            raise BadParams("there is no global memory here", hint="Use the scope 'project'.")
        if not self._global_scope():
            raise BadParams(
                "the configuration excludes the global memory",
                hint="Set memory.global_scope to true in .muninn/config.yaml.",
            )
        return self._shared

    def append(
        self, records: Sequence[Mapping[str, Any]], session: str | None = None, *, scope: str = "project"
    ) -> tuple[Record, ...]:
        """Store records in the log of a scope, all or none, and publish what changed. Records get their author's name.

        The records are on disk when this returns. Raises BadParams, BusyError, ReadOnlyError or StorageError.
        """
        log = self.log_of(scope)
        author = self._author()
        named = [_with_author(record, author) for record in records] if author else records
        stored = log.append(named, session or self.session)
        if log is not self.log:
            self.refresh_shared()
        self.publish()
        return stored

    def import_records(self, new: Sequence[Record], replaced: Sequence[Record], session: str | None) -> None:
        """Store the records of a bundle in the work tree's log, all or none, and publish what changed."""
        self.log.import_records(new, replaced, session or self.session)
        self.publish()

    def redact(
        self, ids: Sequence[str], *, texts: tuple[str, ...], actor: str, session: str | None, scope: str
    ) -> tuple[str, ...]:
        """Blank memories and texts in every file of the scope's log; return the files that changed, relative.

        The caller publishes after it has scrubbed its own copies: see `publish`.
        """
        return self.log_of(scope).redact(ids, texts=texts, actor=actor, session=session or self.session)

    def read_again(self) -> None:
        """Read all files of the work tree's log again, its spools included, and publish what changed."""
        self.log.read_again()
        self.publish()

    def adopt(self, sessions: Sequence[str]) -> None:
        """Seal sessions whose files were moved into the work tree, and publish them. Raises as `Log.adopt`."""
        self.log.adopt(sessions)
        self.publish()

    def seal(self, session: str | None) -> Sealed:
        """Seal a session, or all for None, and publish which memories are sealed now. Raises as `Log.seal`."""
        sealed = self.log.seal(session)
        self.publish()
        return sealed

    def save_cache(self) -> None:
        """Cache the fold when enough changed, and free the records that are in memory."""
        if self.log.save_cache():
            self.publish()

    def release_memory(self) -> None:
        """Free the memories that can be created again, if they are many, and what holds them."""
        if self.log.release_memory():
            self.active.release_memory()
            self._joined, self._link_graph = (None, None, _NO_MEMORIES), LinkGraph(_NO_MEMORIES)
            self._order = MemoryOrder(_NO_MEMORIES)
            self.publish()  # what was published holds them too

    # --- following ---

    def refresh(self, *, wait: bool = True, brief: bool = False) -> None:
        """Read what git or a person changed in the files of the log, and publish it. `Log.refresh` explains `brief`."""
        if self.log.refresh(wait=wait, brief=brief):
            self.publish()

    def publish_visible(self) -> None:
        """Publish what is visible and not handed over yet, such as records that another thread just adopted."""
        if self.log.state.memories is not self._published:
            self.publish()

    def publish(self) -> None:
        """Hand the index and the caches what changed in the work tree's log since the last call."""
        now = self._clock()
        with self._publishing:  # to the end: a newer change must not arrive before an older one
            candidates, state = self.log.drain_changed()  # at once: else a change in between is never handed over
            before, after = self._published, state.memories
            self._published = after
            changed: dict[str, Memory | None] = {}
            every: dict[str, Memory | None] = {}
            for identity in before.keys() | after.keys() if candidates is None else candidates:
                memory = after.get(identity)
                known = before.get(identity)
                if known is not memory and known != memory:  # one that was created again is equal
                    every[identity] = memory
                    changed[identity] = memory if memory is not None and is_recallable(memory, now) else None
            sealed = {identity for identity in changed if _differs_in_seal(before.get(identity), after.get(identity))}
            resealed = {identity: changed.pop(identity) for identity in sealed}
            self.active.update(resealed)
            self._distribute(
                changed, {identity: each for identity, each in every.items() if identity not in sealed}, after
            )
        self._notify(changed, before, now)

    def refresh_shared(self) -> None:
        """Read what this and other processes wrote to the global log, and hand it to the index and the caches."""
        shared = self.shared
        if shared is not None:
            shared.refresh()
        now = self._clock()
        with self._publishing:
            before, after, own = self._published_shared, self.global_memories(), self.log.state.memories
            if before is after:
                return
            self._published_shared = after
            changed = {
                identity: memory if memory is not None and is_recallable(memory, now) else None
                for identity, memory in ((identity, after.get(identity)) for identity in before.keys() | after.keys())
                if identity not in own and before.get(identity) != memory
            }
            self._distribute(changed, changed, after)
        self._notify(changed, before, now)

    def _distribute(self, changed: Changed, every: Changed, after: Mapping[str, Memory]) -> None:
        """Update the caches and the index. `every` also has the memories that changed and are not recallable."""
        if changed:
            self.drop_redacted(after, changed)
            self.file_priors.update(every)
            self.active.update(changed)
            self.index.update(changed)
            self.sessions.update(every)
            self._table.update(every)
            self._indexed(changed)

    def drop_redacted(self, memories: Mapping[str, Memory], ids: Iterable[str]) -> None:
        """Report those of some memories that are redacted, so that copies of their text are removed."""
        redacted = [identity for identity in ids if identity in memories and memories[identity].redacted]
        if redacted:
            self._redacted(redacted)

    def _notify(self, changed: Changed, before: Mapping[str, Memory], now: datetime) -> None:
        if changed:
            self._changed(
                {
                    identity: (memory is not None) != (identity in before and is_recallable(before[identity], now))
                    for identity, memory in changed.items()
                }
            )


def _with_author(record: Mapping[str, Any], author: str) -> Mapping[str, Any]:
    """Return a record with its author. A record from elsewhere has the author that its source names, or none."""
    return record if record.get("author") or record.get("actor") == "import" else {**record, "author": author}


def _differs_in_seal(before: Memory | None, after: Memory | None) -> bool:
    """Whether a memory was sealed and is otherwise the same, so that the index and the clients need not know."""
    return before is not None and after is not None and replace(before, sealed=after.sealed) == after
