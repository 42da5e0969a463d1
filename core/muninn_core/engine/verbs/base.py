"""The base of all verb families: the open work trees, the clock and the ids."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from datetime import datetime

from muninn_core.engine.answer.open_editors import OpenEditors
from muninn_core.engine.memory.models.background_reconcile import BackgroundReconcile
from muninn_core.engine.memory.models.enrichment import Enricher
from muninn_core.engine.metrics import Meter
from muninn_core.engine.session.agent_journal import AgentJournal
from muninn_core.engine.session.capture import Captures
from muninn_core.engine.session.journal import At
from muninn_core.engine.session.overlaps import Overlaps
from muninn_core.federation.pool import Repositories, models_of
from muninn_core.federation.searched_repositories import NO_REPOSITORIES, SearchedRepositories
from muninn_core.model.value import Value
from muninn_core.models.service import ModelService
from muninn_core.store.records.ids import UlidGenerator
from muninn_core.worktree.call_context import CallContext
from muninn_core.worktree.journals import Journals
from muninn_core.worktree.open_trees import OpenTrees
from muninn_core.worktree.workspace import Workspace


class Verbs:
    """The base of each family's verbs.

    A verb is a method named `Method.function` that takes checked parameters and the call, and returns the result. It
    raises MuninnError.
    """

    def __init__(
        self,
        *,
        version: str,
        clock: Callable[[], datetime],
        ids: UlidGenerator,
        trees: OpenTrees,
        journals: Journals,
        models: ModelService,
        repositories: Repositories,
        clients: Callable[[], int],
    ) -> None:
        self.version = version
        self.clock = clock
        self.ids = ids
        self.trees = trees
        self.journals = journals
        self.models = models
        self.repositories = repositories
        self.enricher = Enricher(models)
        self.background_reconcile = BackgroundReconcile(models, clock)
        self.open_editors = OpenEditors()
        self.overlaps = Overlaps(trees)
        self.meter = Meter()
        self._clients = clients
        self._begun = time.monotonic()
        self._longest_stall = 0.0
        self.agent_journal = AgentJournal(journals)
        self._captures = Captures(ids, clock, self.agent_journal)

    def _reading(self, call: CallContext) -> Workspace:
        """Return the call's work tree after it has applied changes of memory's files. Raises NotInitialised."""
        workspace = self.trees.open(call.location)
        workspace.follow()
        return workspace

    def _open_others(
        self, workspace: Workspace, names: Sequence[str], call: CallContext, question: Callable[[], Value | None]
    ) -> AbstractContextManager[SearchedRepositories]:
        """Return the other repositories of a question, readable until the block ends. Raises BadParams.

        `question` returns the parameters for an organisation's server, those of recall or of a list; None asks none. It
        is called only if a server is to be asked.
        """
        put = question() if self.repositories.organisation.is_asked(names) else None
        if not names and put is None:
            return nullcontext(NO_REPOSITORIES)
        models = models_of(workspace.embedder(), workspace.encoder)
        return self.repositories.open_named(names, call.location, models, put)

    def _journal(self, call: CallContext) -> At:
        """Return the call's work tree with the journal of its repository. Raises NotInitialised or StorageError."""
        workspace = self.trees.open(call.location)
        return At(workspace, self.journals.open(call.location), self.journals.types(call.location))

    def _journal_now(self, call: CallContext) -> At:
        """Return the same after the journal has what agents did and were given so far. Raises as `_journal`."""
        self.agent_journal.drain()
        return self._journal(call)

    def _writable(self, call: CallContext) -> Workspace:
        """Return the call's work tree for writing. Raises NotInitialised, or ReadOnlyError with the reason."""
        return self.trees.writable(call.location)

    def _writing(self, call: CallContext) -> Workspace:
        """Return the call's work tree for writing, after it has applied changes of memory's files. Raises as
        `_writable`.
        """
        workspace = self._writable(call)
        workspace.follow()
        return workspace
