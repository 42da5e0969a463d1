"""The verbs of the family `models`."""

from __future__ import annotations

from muninn_core.engine.memory.models import enrichment, linking, proposals, reports, verdicts
from muninn_core.engine.verbs.base import Verbs
from muninn_core.errors import UsageError
from muninn_core.protocol.families.models import (
    EnrichParams,
    EnrichResult,
    JudgeParams,
    JudgeResult,
    LinkParams,
    LinkResult,
    ModelsKeyParams,
    ModelsKeyResult,
    ModelsListParams,
    ModelsListResult,
    ModelsTestParams,
    ModelsTestResult,
    ModelsUsageParams,
    ModelsUsageResult,
)
from muninn_core.worktree.call_context import CallContext


class ModelsVerbs(Verbs):
    """Ask language models that the user configures for help with memory."""

    def models_list(self, _params: ModelsListParams, call: CallContext) -> ModelsListResult:
        """List the routes."""
        return reports.list_models(self.trees.open(call.location), self.models)

    def models_test(self, params: ModelsTestParams, call: CallContext) -> ModelsTestResult:
        """Try a route."""
        return reports.test_model(self.trees.open(call.location), self.models, params, call)

    def models_usage(self, params: ModelsUsageParams, call: CallContext) -> ModelsUsageResult:
        """Sum the calls."""
        return reports.usage(self.trees.open(call.location), self.models, params)

    def models_key(self, params: ModelsKeyParams, call: CallContext) -> ModelsKeyResult:
        """Hold or store a key."""
        if call.actor == "assistant":
            raise UsageError("an agent can't give a key", hint="A person runs `muninn models key` in a terminal.")
        return reports.give_key(self.trees.open(call.location), self.models, params)

    def enrich(self, params: EnrichParams, call: CallContext) -> EnrichResult:
        """Enrich memories."""
        workspace = self._reading(call) if params.show_prompt else self._writing(call)
        return enrichment.enrich_now(workspace, self.models, params, call)

    def link(self, params: LinkParams, call: CallContext) -> LinkResult:
        """Find links between memories."""
        return linking.link(self._writing(call) if params.apply else self._reading(call), self.models, params, call)

    def judge(self, params: JudgeParams, call: CallContext) -> JudgeResult:
        """Ask a model about similar memories."""
        if params.ids:
            return proposals.propose(self._reading(call), self.models, params, call)
        asks = not (params.dry_run or params.show_prompt)
        return verdicts.judge(self._writing(call) if asks else self._reading(call), self.models, params, call)
