"""The engine: runs the verbs of the catalogue on the work trees that clients name.

Readers use snapshots and never wait for a writer; the log's lock serialises writers. Clock, random bytes and paths are
arguments. The engine reads no environment variable and prints nothing.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from types import MappingProxyType

from muninn_core.config import BUNDLED_MODEL, OWN_SETTINGS, DaemonConfig
from muninn_core.engine.session.journal import At, append_all, keep_small
from muninn_core.engine.verbs.audit import AuditVerbs
from muninn_core.engine.verbs.candidates import CandidatesVerbs
from muninn_core.engine.verbs.capsules import CapsulesVerbs
from muninn_core.engine.verbs.code import CodeVerbs
from muninn_core.engine.verbs.context_file import ContextFileVerbs
from muninn_core.engine.verbs.decisions import DecisionsVerbs
from muninn_core.engine.verbs.editor import EditorVerbs
from muninn_core.engine.verbs.events import EventsVerbs
from muninn_core.engine.verbs.exchange import ExchangeVerbs
from muninn_core.engine.verbs.files import FilesVerbs
from muninn_core.engine.verbs.inspection import InspectionVerbs
from muninn_core.engine.verbs.memory import MemoryVerbs
from muninn_core.engine.verbs.models import ModelsVerbs
from muninn_core.engine.verbs.privacy import PrivacyVerbs
from muninn_core.engine.verbs.reconciliation import ReconciliationVerbs
from muninn_core.engine.verbs.reference import ReferenceVerbs
from muninn_core.engine.verbs.repositories import RepositoriesVerbs
from muninn_core.engine.verbs.repository import RepositoryVerbs
from muninn_core.engine.verbs.review import ReviewVerbs
from muninn_core.engine.verbs.search import SearchVerbs
from muninn_core.engine.verbs.session import SessionVerbs
from muninn_core.engine.verbs.skill import SkillVerbs
from muninn_core.engine.verbs.team import TeamVerbs
from muninn_core.errors import MuninnError
from muninn_core.federation.organisation import Organisation
from muninn_core.federation.pool import Repositories
from muninn_core.federation.registry import REPOSITORIES
from muninn_core.index.embedding.embed import Embedder, Encoder, load_embedder
from muninn_core.index.embedding.encoder import load_encoder
from muninn_core.index.integrity import DamagedIndex
from muninn_core.launch.repository_location import RepositoryLocation
from muninn_core.model.value import Value
from muninn_core.models.service import ModelService
from muninn_core.protocol.catalogue import METHODS
from muninn_core.protocol.families.events import EventAppendParams
from muninn_core.store.records.ids import UlidGenerator
from muninn_core.worktree.call_context import CallContext, Connection
from muninn_core.worktree.history.edited_files import WatchToken
from muninn_core.worktree.journals import Journals
from muninn_core.worktree.open_trees import OpenTrees
from muninn_core.worktree.user_folders import UserFolders
from muninn_core.worktree.workspace import Workspace

RELEASE_SECONDS = 5.0
"""Idle time after which memory that only makes the next answer faster is released."""


QUIET_SECONDS = 1.0
"""Time after the end of a verb in which the next one of the same client is expected."""

BARE_IDLE_SECONDS = 5.0
"""Time without a client after which a daemon that serves no memory exits."""

REBUILD_SECONDS = 60.0
"""How long a question waits for a new index in the place of a damaged one."""


def _now() -> datetime:
    return datetime.now(UTC)


class Engine(
    RepositoryVerbs,
    RepositoriesVerbs,
    MemoryVerbs,
    SearchVerbs,
    CodeVerbs,
    FilesVerbs,
    SkillVerbs,
    InspectionVerbs,
    ReviewVerbs,
    ReconciliationVerbs,
    PrivacyVerbs,
    ModelsVerbs,
    ExchangeVerbs,
    EventsVerbs,
    AuditVerbs,
    CandidatesVerbs,
    CapsulesVerbs,
    DecisionsVerbs,
    TeamVerbs,
    ContextFileVerbs,
    ReferenceVerbs,
    EditorVerbs,
    SessionVerbs,
):
    """Runs verbs. A process has one engine.

    `version` is Muninn's version, which `status` reports. `clock` returns the time with its zone, `chance` that many
    random bytes. `folders` are those outside of repositories. `load` returns the embedding model of a name, whose files
    are in the folder of models; `encoder` returns the text encoder, None where it is not installed.

    `opened` is called for each work tree that is opened for use. It starts a watcher and returns its token, or None
    when the work tree is not watched; `removed` is called for a work tree that git has removed. `clients` returns the
    number of connected clients. `environ` is the environment, in which keys of language models may be. `runtime` is the
    runtime directory of the user's daemons, "" if it is unknown.
    """

    def __init__(
        self,
        *,
        version: str,
        folders: UserFolders,
        clock: Callable[[], datetime] = _now,
        chance: Callable[[int], bytes] = os.urandom,
        load: Callable[[str, Path], Embedder] = load_embedder,
        encoder: Callable[[], Encoder | None] = load_encoder,
        opened: Callable[[RepositoryLocation], WatchToken | None] = lambda _location: None,
        removed: Callable[[RepositoryLocation], None] = lambda _location: None,
        clients: Callable[[], int] = lambda: 0,
        environ: Mapping[str, str] = MappingProxyType({}),
        runtime: str = "",
    ) -> None:
        ids = UlidGenerator(clock, chance)
        trees = OpenTrees(
            clock=clock,
            ids=ids,
            load=lambda model: load(model, folders.model_cache),
            encoder=encoder(),
            watch=opened,
            unwatch=removed,
            folders=folders,
        )
        journals = Journals(clock=clock, new_id=ids, chance=chance, embedder=lambda: trees.embedder(BUNDLED_MODEL))
        models = ModelService(
            settings_file=folders.in_home(OWN_SETTINGS),
            folder=folders.model_ledger,
            environ=environ,
            clock=clock,
            new_id=ids,
        )
        super().__init__(
            version=version,
            clock=clock,
            ids=ids,
            trees=trees,
            journals=journals,
            models=models,
            repositories=Repositories(
                folders.in_home(REPOSITORIES),
                runtime,
                clock=clock,
                ids=ids,
                organisation=Organisation(folders.in_home(OWN_SETTINGS), environ),
            ),
            clients=clients,
        )
        self.runtime = runtime
        self._last_call = self._begun
        self._running_calls: set[object] = set()
        self._work_at_release: list[object] | None = None
        self._check_complete()

    def _check_complete(self) -> None:
        """Raise MuninnError if a verb of the catalogue has no method."""
        missing = [verb for verb in METHODS if not hasattr(self, METHODS[verb].function)]
        if missing:
            raise MuninnError(f"the engine lacks {', '.join(missing)}")

    def call(self, verb: str, params: Value, call: CallContext) -> Value:
        """Run a verb of the catalogue with decoded parameters. Raises MuninnError."""
        running_call = object()
        self._running_calls.add(running_call)
        begun, failed = time.monotonic(), "internal"
        try:
            if call.connection.agent:
                params = self._as_agent(METHODS[verb], params, call)
            result = self._run(verb, params, call)
            failed = ""
            return result
        except MuninnError as error:
            failed = error.kind
            raise
        finally:
            self._last_call, self._work_at_release = time.monotonic(), None
            self.meter.note(verb, self._last_call - begun, failed)
            self._running_calls.discard(running_call)

    def append(self, appends: Sequence[tuple[EventAppendParams, CallContext, float]]) -> list[Value | BaseException]:
        """Run `event.append` for several clients, whose events share transactions.

        Each call is given with the monotonic time of its arrival, from which on it is measured. Return the result of
        each, or the error that `call` would raise.
        """
        running_call = object()
        self._running_calls.add(running_call)
        try:
            results: dict[int, Value | BaseException] = {}
            accepted: dict[int, tuple[At, EventAppendParams, CallContext]] = {}
            for number, (params, call, _) in enumerate(appends):
                try:
                    accepted[number] = (self._journal(call), self._appended_as(params, call), call)
                except Exception as error:  # that of one event, which its client gets
                    results[number] = error
            results.update(zip(accepted, append_all(list(accepted.values())), strict=True))
        finally:
            self._last_call, self._work_at_release = time.monotonic(), None
            self._running_calls.discard(running_call)
        for number, result in results.items():
            failed = "" if not isinstance(result, BaseException) else getattr(result, "kind", "internal")
            self.meter.note("event.append", self._last_call - appends[number][2], failed)
        return [results[number] for number in range(len(appends))]

    def _appended_as(self, params: EventAppendParams, call: CallContext) -> EventAppendParams:
        if not call.connection.agent:
            return params
        changed = self._as_agent(METHODS["event.append"], params, call)
        assert isinstance(changed, EventAppendParams)
        return changed

    def _run(self, verb: str, params: Value, call: CallContext) -> Value:
        """Run a verb. A verb for reading that meets a damaged index is repeated on a new one."""
        method = METHODS[verb]
        for last in (False, True):
            try:
                result: Value = getattr(self, method.function)(params, call)
                return result
            except DamagedIndex:
                workspace = self.trees.get(call.location)
                if workspace is None or last:
                    raise
                done = workspace.updater.replace_damaged(REBUILD_SECONDS)
                if method.effect != "read" or not done:
                    raise
        raise AssertionError("unreachable")

    def open(self, location: RepositoryLocation) -> Workspace:
        """Open the work tree, or return the open one. Raises NotInitialised without `.muninn`."""
        return self.trees.open(location)

    @property
    def lost_repository(self) -> bool:
        """Whether a main work tree, or a plain folder, was moved or deleted, or another repository is in its place."""
        return any(not each.location.linked and each.removed for each in self.trees)

    def collect_removed(self) -> None:
        """Close work trees that git has removed, and adopt their memories."""
        self.trees.collect_removed()

    def expire_agents(self) -> None:
        """End the agents whose time is over, in the journals that this process writes."""
        for each in self.journals:
            if each.journal.can_write():
                each.agents.expire()

    def disconnected(self, connection: Connection) -> None:
        """End the agents that registered on a connection and end with it."""
        for each in self.journals:
            each.agents.disconnected(connection)

    def close(self) -> None:
        """Close the journals and all work trees: seal the spools of sessions and close the indexes."""
        self.agent_journal.close()
        self.enricher.close()
        self.background_reconcile.close()
        self.journals.close()
        self.trees.close()
        self.repositories.close()

    def files_changed(self, location: RepositoryLocation, paths: set[str]) -> None:
        """Queue changed files (absolute paths) of an open work tree for indexing."""
        workspace = self.trees.get(location)
        if workspace is not None:
            workspace.files_changed(paths)

    def watch_again(self, location: RepositoryLocation) -> None:
        """Try again to watch an open work tree; when that succeeds, compare all its files."""
        self.trees.watch_again(location)

    def idle_seconds(self, location: RepositoryLocation) -> float:
        """Return how many seconds without a client end the daemon, by the work tree's configuration.

        BARE_IDLE_SECONDS where no work tree has memory: nothing is kept open for the next call.
        """
        workspace = self.trees.get(location)
        if workspace is not None:
            return workspace.config.daemon.idle_seconds
        serves_memory = location.has_memory or next(iter(self.trees), None) is not None
        return DaemonConfig().idle_seconds if serves_memory else BARE_IDLE_SECONDS

    @property
    def should_release_memory(self) -> bool:
        """Whether the engine is idle, and ran verbs or changed an index since the last release."""
        idle = not self._running_calls and time.monotonic() - self._last_call > RELEASE_SECONDS
        return idle and self._work_at_release != self._work_done()

    @property
    def at_work(self) -> bool:
        """Whether a verb is running or ended a moment ago, or an open work tree is being indexed."""
        if self._running_calls or time.monotonic() - self._last_call < QUIET_SECONDS:
            return True
        return any(each.updater.lag or each.updater.unembedded for each in self.trees)

    @property
    def has_released_memory(self) -> bool:
        """Whether memory was released and no verb has run since."""
        return self._work_at_release is not None and not self._running_calls

    def release_memory(self) -> None:
        """Release memory that only makes the next answer faster."""
        self._work_at_release = self._work_done()
        self.trees.release_memory()
        self.journals.release_memory()
        self.repositories.release_memory()

    def keep_journals_small(self) -> None:
        """Seal old months of the open journals, as `journal.seal_months` says. Raises StorageError or BusyError."""
        for workspace in self.trees:
            opened = self.journals.opened(workspace.location)
            if opened is not None:
                keep_small(At(workspace, opened, self.journals.types(workspace.location)), self.clock())

    def _work_done(self) -> list[object]:
        return [workspace.updater.work_done for workspace in self.trees]

    def note_stall(self, seconds: float) -> None:
        """Record for how many seconds the event loop was blocked; `status` shows the longest stall."""
        self._longest_stall = max(self._longest_stall, seconds)

    def note_problem(self, location: RepositoryLocation, message: str, hint: str) -> None:
        """Record a problem of the watcher; `status` shows it."""
        workspace = self.trees.get(location)
        if workspace is not None:
            workspace.report_problem("watch", message, hint)
