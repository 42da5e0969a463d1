"""The verbs of the family `inspection`."""

from __future__ import annotations

from muninn_core.engine.answer import memory_list
from muninn_core.engine.answer.organisation_question import of_memories
from muninn_core.engine.memory.inspection import links
from muninn_core.engine.memory.inspection.memory_history import memory_history
from muninn_core.engine.memory.inspection.recent_records import recent_records
from muninn_core.engine.session import outcomes, session_list
from muninn_core.engine.session.journal import At
from muninn_core.engine.verbs.base import Verbs
from muninn_core.protocol.families.inspection import (
    HistoryParams,
    HistoryResult,
    LinksParams,
    LinksResult,
    LogParams,
    LogResult,
    MemoriesParams,
    MemoriesResult,
    OverviewParams,
    OverviewResult,
    SessionsParams,
    SessionsResult,
    ShowParams,
    ShowResult,
)
from muninn_core.worktree.call_context import CallContext


class InspectionVerbs(Verbs):
    """List and show memories and sessions, with their history and links."""

    def memories(self, params: MemoriesParams, call: CallContext) -> MemoriesResult:
        """List, filter or get memories."""
        workspace = self._reading(call)
        with self._open_others(workspace, params.repos, call, lambda: of_memories(workspace, params)) as others:
            return memory_list.memories(workspace, params, self.clock(), others)

    def show(self, params: ShowParams, call: CallContext) -> ShowResult:
        """Return one memory whole."""
        workspace = self._reading(call)
        opened = self.journals.get(call.location)
        at = At(workspace, opened, self.journals.types(call.location)) if opened is not None else None
        return links.show(workspace, params, self.clock(), lambda memory: outcomes.counts(at, memory))

    def history(self, params: HistoryParams, call: CallContext) -> HistoryResult:
        """List the records that made and changed a memory."""
        return memory_history(self._reading(call), params)

    def log(self, params: LogParams, call: CallContext) -> LogResult:
        """List the newest records."""
        return recent_records(self._reading(call), params, self.clock())

    def links(self, params: LinksParams, call: CallContext) -> LinksResult:
        """Follow the links between memories."""
        return links.links(self._reading(call), params, self.clock())

    def overview(self, params: OverviewParams, call: CallContext) -> OverviewResult:
        """Summarise the project's memory."""
        return links.overview(self._reading(call), params, self.clock())

    def sessions(self, params: SessionsParams, call: CallContext) -> SessionsResult:
        """List the sessions that stored memories."""
        return session_list.sessions(self._reading(call), params, self.clock())
