"""The verbs of the family `search`."""

from __future__ import annotations

import logging
from typing import Any

from muninn_core.context.results.text import render
from muninn_core.engine.answer import contexts, recall
from muninn_core.engine.answer.exploring import exploration
from muninn_core.engine.answer.organisation_question import of_context, of_recall
from muninn_core.engine.memory.drafting.remember import remember
from muninn_core.engine.verbs.base import Verbs
from muninn_core.errors import MuninnError
from muninn_core.model.value import Value, replace
from muninn_core.protocol.catalogue import lookup
from muninn_core.protocol.families.search import (
    ContextParams,
    ContextResult,
    ExploreParams,
    ExploreResult,
    RecallParams,
    RecallResult,
    ReplayParams,
    ReplayResult,
    WhyParams,
    WhyResult,
)
from muninn_core.store.records.timestamps import timestamp
from muninn_core.worktree.call_context import CallContext
from muninn_core.worktree.workspace import Workspace

_log = logging.getLogger("muninn.models")

MAX_WITHHELD = 10
"""The most candidates without room in a context that the journal names."""


class SearchVerbs(Verbs):
    """Find code, knowledge and memories, and gather the context of a task."""

    def recall(self, params: RecallParams, call: CallContext) -> RecallResult:
        """Answer a question from code, knowledge and memory."""
        workspace, now = self._reading(call), self.clock()
        opened = self.open_editors.files(call.location.root) if params.at is None else ()
        names = recall.asked_repositories(workspace, params)
        with self._open_others(workspace, names, call, lambda: of_recall(workspace, params)) as others:
            result = recall.recall(workspace, params, call, now, opened, others)
        shown = [hit.id for hit in result.hits if hit.kind == "memory" and not hit.repository]
        workspace.access_counts.count(shown, timestamp(now))
        ids = dict.fromkeys([hit.id for hit in (*result.remembered, *result.hits)])
        self.agent_journal.given(
            workspace, params.session, "recall", tuple(ids), text=lambda: render(result), query=params.query
        )
        return result

    def context(self, params: ContextParams, call: CallContext) -> ContextResult:
        """Return a pack within a token budget."""
        workspace, now = self._reading(call), self.clock()
        if params.at is None:
            params = replace(params, open_files=self.open_editors.files(call.location.root, params.open_files))
        with self._open_others(workspace, params.repos, call, lambda: of_context(workspace, params)) as others:
            result = contexts.context(workspace, params, call, now, others)
        shown = (item.id for item in result.items if item.kind == "memory" and not item.repository)
        workspace.access_counts.count(shown, timestamp(now))
        ids = tuple(item.id for item in result.items)
        about: dict[str, Any] = {"query": result.question, "bundle": result.bundle, "tokens": result.tokens}
        left = [(each.id, each.reason) for each in result.left_out if each.id not in ids][:MAX_WITHHELD]
        self.agent_journal.given(workspace, params.session, "context", ids, left, **about)
        return result

    def explore(self, params: ExploreParams, call: CallContext) -> ExploreResult:
        """Let a model explore, store the pack, and remember which files were relevant."""
        workspace = self._reading(call)
        settings = self.models.settings(workspace.location.root)
        if params.show_prompt:
            return exploration.shown_first_prompt(workspace, settings, params)
        policy = exploration.model_policy(workspace, self.models, settings, params, call)

        def run(verb: str, given: Value) -> Value:
            found: Value = getattr(self, lookup(verb).function)(given, call)
            return found

        found = exploration.explore(workspace, params, policy, run, call, self.clock())
        stored = self._remember_exploration(workspace, params, found, call)
        if found.explored is not None:
            found = replace(found, explored=replace(found.explored, memory=stored))
        result = exploration.store(workspace, found)
        ids = tuple(item.id for item in found.items)
        about: dict[str, Any] = {"query": found.question, "bundle": found.bundle, "tokens": found.tokens}
        left = [(each.id, each.reason) for each in found.left_out if each.id not in ids][:MAX_WITHHELD]
        self.agent_journal.given(workspace, params.session, "explore", ids, left, **about)
        return result

    def _remember_exploration(
        self, workspace: Workspace, params: ExploreParams, found: ContextResult, call: CallContext
    ) -> str:
        """Store which files an exploration found, and return the memory's id; "" when it stored none."""
        draft = exploration.relevant_files(found, params.session)
        if draft is None or not workspace.writable:
            return ""
        try:
            return remember(workspace, draft, call, self.ids, self.clock()).ids[0]
        except MuninnError as error:  # the pack is of use without it
            _log.warning("an exploration is not remembered: %s", error.line)
            return ""

    def why(self, params: WhyParams, call: CallContext) -> WhyResult:
        """Explain a context."""
        return contexts.why(self._reading(call), params)

    def replay(self, params: ReplayParams, call: CallContext) -> ReplayResult:
        """Return a context again."""
        workspace = self._reading(call)
        inputs = contexts.inputs_again(workspace, params)
        repos = inputs.repos if inputs is not None else ()
        question = (lambda: of_context(workspace, inputs)) if inputs is not None else (lambda: None)
        with self._open_others(workspace, repos, call, question) as others:
            return contexts.replay(workspace, params, call, others)
