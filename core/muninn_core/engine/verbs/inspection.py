"""The verbs of the family `inspection`."""

from __future__ import annotations

from muninn_core.engine.memory import links, lookup
from muninn_core.engine.memory.memory_history import history
from muninn_core.engine.session import session_list
from muninn_core.engine.verbs.base import Verbs
from muninn_core.protocol.inspection import (
    HistoryParams,
    HistoryResult,
    LinksParams,
    LinksResult,
    MemoriesParams,
    MemoriesResult,
    OverviewParams,
    OverviewResult,
    SessionsParams,
    SessionsResult,
    ShowParams,
    ShowResult,
)
from muninn_core.worktree.call import Call


class InspectionVerbs(Verbs):
    """List memories and sessions, and follow history and links."""

    def memories(self, params: MemoriesParams, call: Call) -> MemoriesResult:
        """List, filter or get memories."""
        return lookup.memories(self._reading(call), params, self.clock())

    def show(self, params: ShowParams, call: Call) -> ShowResult:
        """Return one memory whole."""
        return links.show(self._reading(call), params, self.clock())

    def history(self, params: HistoryParams, call: Call) -> HistoryResult:
        """Tell the life of a memory."""
        workspace = self._reading(call)
        records, sealed, state = workspace.log.records, workspace.log.sealed_ids(), workspace.log.state
        memory = lookup.memory_of(workspace.known(state), params.id)
        if memory.scope == "global":
            records = self._sharing(workspace).records
        events = history(memory, tuple(records.values()), sealed)
        (labelled,) = workspace.works.label([memory])
        return HistoryResult(memory=labelled, events=events, saw=workspace.saw(state=state))

    def links(self, params: LinksParams, call: Call) -> LinksResult:
        """Follow the links between memories."""
        return links.links(self._reading(call), params, self.clock())

    def overview(self, params: OverviewParams, call: Call) -> OverviewResult:
        """Show the project's memory at a glance."""
        return links.overview(self._reading(call), params, self.clock())

    def sessions(self, params: SessionsParams, call: Call) -> SessionsResult:
        """List the sessions that wrote to the memory."""
        return session_list.sessions(self._reading(call), params, self.clock())
