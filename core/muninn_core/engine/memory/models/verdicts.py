"""Asks a model about similar memories that the rules of reconcile keep apart. Each verdict becomes a record."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from muninn_core.config.model_settings import ModelSettings
from muninn_core.engine.memory.models.enrichment import as_sent, may_be_sent
from muninn_core.engine.memory.models.model_requests import ModelRequests
from muninn_core.engine.memory.models.reports import shown_prompt
from muninn_core.errors import ModelError
from muninn_core.model.memory import Memory
from muninn_core.models import request
from muninn_core.models.judgement import VERSION, judgement_prompt, read_judgement
from muninn_core.models.service import ModelService
from muninn_core.protocol.families.models import JudgedPair, JudgeParams, JudgeResult
from muninn_core.reconcile.comparison.compare import group_of, same_subject
from muninn_core.reconcile.planning import comparison_cache
from muninn_core.reconcile.planning.plan import add_derived_records, read_memory
from muninn_core.reconcile.planning.verdicts import valid_verdicts, verdict_fields
from muninn_core.store.folding.fold import Fold
from muninn_core.store.records.record import Record
from muninn_core.store.secrets.masking import mask
from muninn_core.worktree.call_context import CallContext
from muninn_core.worktree.workspace import Workspace

MAX_MEMORIES = 2_000
"""The newest memories that are compared. Their likeness is a matrix."""

MIN_SIMILARITY = 0.6
"""The cosine of two memories that are worth a question."""

READY_SECONDS = 30.0
"""The longest wait for an index that is being opened."""

MAX_NEIGHBOURS = 5
"""Pairs for one memory, the most similar ones."""


class Pair(NamedTuple):
    """Two memories, by id in ascending order, and the cosine of their meaning."""

    left: Memory
    right: Memory
    likeness: float


def judge(workspace: Workspace, models: ModelService, params: JudgeParams, call: CallContext) -> JudgeResult:
    """Ask about the most similar pairs; with `dry_run` or `show_prompt` ask nothing. Raises ModelError or Cancelled."""
    settings = models.settings(workspace.location.root)
    waiting = similar_pairs(workspace)
    chosen = waiting[: params.limit]
    if params.dry_run:
        pairs = tuple(_shown(pair) for pair in chosen)
        return JudgeResult(pairs=pairs, waiting=len(waiting) - len(chosen), dry_run=True, saw=workspace.read_state())
    route = route_for(settings)
    if params.show_prompt:
        prompts = tuple(
            shown_prompt(workspace, settings, route, judgement_prompt(*pair[:2]), (pair.left.id, pair.right.id))
            for pair in chosen
        )
        return JudgeResult(pairs=(), waiting=len(waiting) - len(chosen), prompts=prompts, saw=workspace.read_state())
    requests = ModelRequests(workspace, models, settings, route, params.session or "")
    done: list[JudgedPair] = []
    call.report("begin", "asking the model")
    for number, pair in enumerate(chosen):
        call.raise_if_cancelled()
        call.report("report", pair.left.title, number * 100 // len(chosen))
        done.append(_judged(requests, pair, call))
    call.report("end", "judged")
    left = len(waiting) - len(chosen)
    return JudgeResult(pairs=tuple(done), waiting=left, spent=requests.spent, saw=workspace.read_state())


def similar_pairs(workspace: Workspace) -> list[Pair]:
    """Return the pairs that the rules leave as new and no model has judged, the most similar first, ties by id."""
    fold = read_memory(workspace.layout, with_spool=True).fold
    add_derived_records(fold, comparison_cache.load(workspace.layout.cache / comparison_cache.NAME))
    state = fold.state()
    sent = [memory for memory in state.memories.values() if may_be_sent(memory) and group_of(memory.type)]
    newest = sorted(sent, key=lambda memory: (memory.ts, memory.id))[-MAX_MEMORIES:]
    known = set(valid_verdicts(fold.records, state.memories))
    known |= {frozenset((dispute.left, dispute.right)) for dispute in state.disputes}
    known |= {frozenset((record.data["keep"], each)) for record in merges(fold) for each in record.data["sources"]}
    found = [
        pair
        for pair in _nearest(workspace, {memory.id: memory for memory in newest})
        if frozenset((pair.left.id, pair.right.id)) not in known and _may_be_asked(pair)
    ]
    return sorted(found, key=lambda pair: (-pair.likeness, pair.left.id, pair.right.id))


def _nearest(workspace: Workspace, memories: Mapping[str, Memory]) -> list[Pair]:
    """Return each memory with the most similar others of its group."""
    ordered = sorted(memories.values(), key=lambda memory: memory.id)
    if len(ordered) < 2:
        return []
    index = workspace.updater.wait_open(READY_SECONDS)
    vectors = workspace.embedder(index).embed([memory.text for memory in ordered])
    likeness = np.asarray(vectors) @ np.asarray(vectors).T
    np.fill_diagonal(likeness, -1.0)
    found: dict[tuple[int, int], float] = {}
    for one in range(len(ordered)):
        for other in np.argsort(-likeness[one], kind="stable")[:MAX_NEIGHBOURS]:
            value = float(likeness[one, other])
            if value >= MIN_SIMILARITY:
                found[min(one, int(other)), max(one, int(other))] = value
    return [Pair(ordered[one], ordered[other], round(value, 4)) for (one, other), value in found.items()]


def merges(fold: Fold) -> list[Record]:
    """Return the records of merges. A pair of them that is active again was separated by a person."""
    return [record for record in fold.records.values() if record.type == "merge"]


def _may_be_asked(pair: Pair) -> bool:
    one, other = pair.left, pair.right
    linked = any(link.target == other.id for link in one.links) or any(link.target == one.id for link in other.links)
    return not linked and group_of(one.type) == group_of(other.type) and same_subject(one, other)


def route_for(settings: ModelSettings) -> str:
    """Return the route for verdicts. Raises ModelError without one."""
    return request.route_for(settings, "reconcile", "reconcile")


def _judged(requests: ModelRequests, pair: Pair, call: CallContext) -> JudgedPair:
    """Ask about a pair and record the verdict; the result has the verdict, or the problem why there is none."""
    workspace = requests.workspace
    if any(as_sent(workspace, each) is None for each in (pair.left, pair.right)):
        return _shown(pair, problem="one of the two changed before the model was asked")
    asked = requests.ask(judgement_prompt(pair.left, pair.right), lambda: call.cancelled)
    try:
        found = read_judgement(asked.answer.text)
    except ModelError as error:
        return _shown(pair, problem=error.message)
    fields = verdict_fields(pair.left, pair.right, found.verdict, asked.entry.model, VERSION)
    head = {"actor": "assistant", "agent": f"{asked.entry.model} judge/{VERSION}"}
    workspace.memory.append([{**head, **fields}], requests.session or None)
    return _shown(pair, verdict=found.verdict, reason=mask(found.reason, workspace.config.memory.secrets)[0])


def _shown(pair: Pair, verdict: str = "", reason: str = "", problem: str = "") -> JudgedPair:
    return JudgedPair(
        left=pair.left.id,
        right=pair.right.id,
        left_text=pair.left.text,
        right_text=pair.right.text,
        likeness=pair.likeness,
        verdict=verdict,
        reason=reason,
        problem=problem,
    )
