"""Asks a model to merge two memories, supersede one or keep both. The answer is shown with its command."""

from __future__ import annotations

from muninn_core.engine.memory.lookup import memory_of
from muninn_core.engine.memory.models.enrichment import may_be_sent
from muninn_core.engine.memory.models.model_requests import ModelRequests
from muninn_core.engine.memory.models.reports import shown_prompt
from muninn_core.engine.memory.models.verdicts import route_for
from muninn_core.errors import BadParams, ModelError
from muninn_core.model.memory import Memory
from muninn_core.models.consolidation import VERSION, consolidation_prompt, read_decision
from muninn_core.models.service import ModelService
from muninn_core.protocol.families.models import ConsolidationProposal, JudgeParams, JudgeResult
from muninn_core.store.secrets.masking import mask
from muninn_core.worktree.call_context import CallContext
from muninn_core.worktree.workspace import Workspace


def propose(workspace: Workspace, models: ModelService, params: JudgeParams, call: CallContext) -> JudgeResult:
    """Ask about the two memories that the parameters name. Raises BadParams, ModelError or Cancelled."""
    left, right = _chosen(workspace, params)
    settings = models.settings(workspace.location.root)
    route = route_for(settings)
    prompt = consolidation_prompt(left, right)
    saw = workspace.read_state()
    if params.dry_run or params.show_prompt:
        shown = shown_prompt(workspace, settings, route, prompt, (left.id, right.id))
        return JudgeResult(pairs=(), prompts=(shown,), dry_run=params.dry_run, saw=saw)
    patterns = workspace.config.memory.secrets
    requests = ModelRequests(workspace, models, settings, route, params.session or "")
    asked = requests.ask(prompt, lambda: call.cancelled)
    by = f"{asked.entry.model} consolidate/{VERSION}"
    try:
        found = read_decision(asked.answer.text, left, right)
    except ModelError as error:
        proposal = ConsolidationProposal(by=by, problem=error.message)
    else:
        gone = next(each.id for each in (left, right) if each is not found.keep) if found.keep is not None else ""
        proposal = ConsolidationProposal(
            by=by,
            decision=found.decision,
            keep=found.keep.id if found.keep is not None else "",
            gone=gone,
            text=mask(found.text, patterns)[0],
            reason=mask(found.reason, patterns)[0],
        )
    return JudgeResult(pairs=(), proposal=proposal, spent=requests.spent, saw=saw)


def _chosen(workspace: Workspace, params: JudgeParams) -> tuple[Memory, Memory]:
    known = workspace.memory.all()
    chosen = list({memory.id: memory for memory in (memory_of(known, each) for each in params.ids)}.values())
    if len(chosen) != 2:
        raise BadParams(f"a decision is about two memories, and here are {len(chosen)}", hint="Name two ids.")
    for memory in chosen:
        if not may_be_sent(memory):
            raise BadParams(f"{memory.id} is not sent to a model: it is private, archived, or not the project's")
    return chosen[0], chosen[1]
