"""The verbs of the family `search`."""

from __future__ import annotations

from muninn_core.engine.answer import contexts, recall
from muninn_core.engine.verbs.base import Verbs
from muninn_core.model.value import replace
from muninn_core.protocol.search import (
    ContextParams,
    ContextResult,
    RecallParams,
    RecallResult,
    ReplayParams,
    ReplayResult,
    WhyParams,
    WhyResult,
)
from muninn_core.store.stamp import timestamp
from muninn_core.worktree.call import Call


class SearchVerbs(Verbs):
    """Find code, knowledge and memories, and gather the context of a task."""

    def recall(self, params: RecallParams, call: Call) -> RecallResult:
        """Answer a question from code, knowledge and memory."""
        workspace, now = self._reading(call), self.clock()
        opened = self.open_editors.files(call.place.root) if params.at is None else ()
        result = recall.recall(workspace, params, call, now, opened)
        workspace.access_counts.count((hit.id for hit in result.hits if hit.kind == "memory"), timestamp(now))
        ids = dict.fromkeys(hit.id for hit in (*result.remembered, *result.hits))
        self.agent_journal.given(workspace, params.session, "recall", tuple(ids), query=params.query)
        return result

    def context(self, params: ContextParams, call: Call) -> ContextResult:
        """Return a pack within a token budget."""
        workspace, now = self._reading(call), self.clock()
        if params.at is None:
            params = replace(params, open_files=self.open_editors.files(call.place.root, params.open_files))
        result = contexts.context(workspace, params, call, now)
        workspace.access_counts.count((item.id for item in result.items if item.kind == "memory"), timestamp(now))
        ids = tuple(item.id for item in result.items)
        about = {"query": result.question, "bundle": result.bundle, "tokens": result.tokens}
        self.agent_journal.given(workspace, params.session, "context", ids, **about)
        return result

    def why(self, params: WhyParams, call: Call) -> WhyResult:
        """Explain a context."""
        return contexts.why(self._reading(call), params)

    def replay(self, params: ReplayParams, call: Call) -> ReplayResult:
        """Return a context again."""
        return contexts.replay(self._reading(call), params, call)
