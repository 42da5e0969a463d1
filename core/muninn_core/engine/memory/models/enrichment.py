"""Enriches memories with a model's help: summary, keywords, tags, kind, importance, and questions that it answers.

`remember` does not wait for it. The answer becomes an update record of the assistant, with the model and the version of
the prompt. It adds tags, the importance where the author left the default, and questions where the memory has none; the
rest is in `details.enrichment`.
Text, title and kind stay the author's. Without a usable answer the memory stays as it is.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from muninn_core.engine.memory.drafting.drafts import cleaned
from muninn_core.engine.memory.lookup import memory_of
from muninn_core.engine.memory.models.model_requests import ModelRequests
from muninn_core.engine.memory.models.reports import shown_prompt
from muninn_core.errors import BadParams, ModelError, MuninnError
from muninn_core.model.memory import Memory
from muninn_core.models.enrichment import VERSION, Enrichment, enrichment_prompt, read_enrichment
from muninn_core.models.ledger import Entry
from muninn_core.models.request import route_for
from muninn_core.models.service import ModelService
from muninn_core.protocol.families.models import Enriched, EnrichParams, EnrichResult
from muninn_core.worktree.call_context import CallContext
from muninn_core.worktree.workspace import Workspace

DETAIL = "enrichment"
"""The detail of a memory that holds the answer."""

DEFAULT_IMPORTANCE = 5
MAX_TAGS = 8
"""The most tags that a memory has after an enrichment."""

_log = logging.getLogger("muninn.models")


class Enricher:
    """Enriches new memories in the background, one after the other."""

    def __init__(self, models: ModelService) -> None:
        self._models = models
        self._pool = ThreadPoolExecutor(1, "enrich")
        self._closed = False

    def follow(self, workspace: Workspace, ids: Sequence[str]) -> None:
        """Enrich new memories after their `remember`, if the user's settings say so for this repository."""
        if self._models.has_settings and not self._closed:
            self._pool.submit(self._enrich, workspace, tuple(ids))

    def close(self) -> None:
        """Drop the memories that wait, and the one in progress; `enrich` finds them later."""
        self._closed = True
        self._pool.shutdown(wait=True, cancel_futures=True)

    def wait(self) -> None:
        """Wait until all memories so far are done."""
        self._pool.submit(lambda: None).result()

    def _enrich(self, workspace: Workspace, ids: tuple[str, ...]) -> None:
        known = workspace.memory.all()
        sent = tuple(each for each in ids if each in known and may_be_sent(known[each]))
        if not sent or not self._models.settings(workspace.location.root).use.enrich:
            return
        try:
            result = enrich(workspace, self._models, EnrichParams(ids=sent), lambda: self._closed)
        except MuninnError as error:  # the memory is stored; `models usage` and the log show why nothing follows
            _log.warning("no enrichment: %s", error.line)
            return
        for each in result.memories:
            if each.problem:
                _log.info("no enrichment of %s: %s", each.id, each.problem)


def enrich_now(workspace: Workspace, models: ModelService, params: EnrichParams, call: CallContext) -> EnrichResult:
    """Enrich memories on request, with progress."""

    def cancelled() -> bool:
        return call.cancelled

    call.report("begin", "asking the model")
    result = enrich(workspace, models, params, cancelled, call.report)
    call.report("end", "enriched")
    return result


def enrich(
    workspace: Workspace,
    models: ModelService,
    params: EnrichParams,
    cancelled: Callable[[], bool],
    report: Callable[[str, str, int], None] = lambda _kind, _message, _percentage: None,
) -> EnrichResult:
    """Enrich the named memories, or the newest without an enrichment. Raises ModelError when no model is asked."""
    settings = models.settings(workspace.location.root)
    route = route_for(settings, "enrich", "enrichment")
    waiting = [memory for memory in workspace.memory.all().values() if may_be_sent(memory) and needs(memory)]
    chosen = _chosen(workspace, params) or sorted(waiting, key=lambda memory: memory.id)[::-1][: params.limit]
    if params.show_prompt:
        prompts = tuple(
            shown_prompt(workspace, settings, route, enrichment_prompt(each), (each.id,)) for each in chosen
        )
        return EnrichResult(memories=(), prompts=prompts, left=len(waiting), saw=workspace.read_state())
    done: list[Enriched] = []
    requests = ModelRequests(workspace, models, settings, route, params.session or "")
    for number, memory in enumerate(chosen):
        if cancelled():
            break
        report("report", memory.title, number * 100 // len(chosen))
        done.append(_enriched(requests, memory, cancelled))
    left = sum(may_be_sent(each) and needs(each) for each in workspace.memory.all().values())
    return EnrichResult(memories=tuple(done), spent=requests.spent, left=left, saw=workspace.read_state())


def may_be_sent(memory: Memory) -> bool:
    """Whether a model may see a memory: it is the project's, active and not private."""
    return memory.active and not memory.private and memory.scope == "project" and bool(memory.text)


def as_sent(workspace: Workspace, memory: Memory) -> Memory | None:
    """Return a memory that a model was told of as it is now; None if its words changed or it may not be sent any more.

    Others go on to change memories while a model answers.
    """
    now = workspace.memory.all().get(memory.id)
    if now is None or not may_be_sent(now) or (now.title, now.text) != (memory.title, memory.text):
        return None
    return now


def needs(memory: Memory) -> bool:
    """Whether a memory has no enrichment of this version. A new wording keeps the old one until it is asked for."""
    known = memory.details.get(DETAIL)
    return not (isinstance(known, dict) and known.get("prompt") == VERSION)


def _chosen(workspace: Workspace, params: EnrichParams) -> list[Memory]:
    known = workspace.memory.all()
    chosen = [memory_of(known, each) for each in params.ids]
    for memory in chosen:
        if not may_be_sent(memory):
            raise BadParams(
                f"{memory.id} is not sent to a model: it is private, of another scope, or not active",
                hint="Only active memories of the project are.",
            )
    return chosen


def _enriched(requests: ModelRequests, memory: Memory, cancelled: Callable[[], bool]) -> Enriched:
    """Enrich one memory; the result has the answer, or the problem why the memory stays as it is."""
    workspace = requests.workspace
    if workspace.config.review.holds("assistant", memory.type):
        return Enriched(id=memory.id, problem="changes by an assistant wait for an approval here")
    if as_sent(workspace, memory) is None:  # the memories before it took their time
        return Enriched(id=memory.id, problem="it changed before the model was asked")
    asked = requests.ask(enrichment_prompt(memory), cancelled)
    try:
        found = read_enrichment(asked.answer.text, memory)
        now = as_sent(workspace, memory)
        if now is None:
            raise ModelError("it changed while the model answered")
        record = _record(workspace, now, found, asked.entry)
    except ModelError as error:
        return Enriched(id=memory.id, problem=error.message)
    workspace.memory.append([record], requests.session or None, scope=memory.scope)
    fields = {name: getattr(found, name) for name in Enrichment.__struct_fields__}
    return Enriched(id=memory.id, **fields)


def _record(workspace: Workspace, memory: Memory, found: Enrichment, entry: Entry) -> dict[str, Any]:
    """Return the update record for a memory as it is now. Raises ModelError for an answer with a secret or a private
    span.
    """
    tags = list(dict.fromkeys((*memory.tags, *found.tags)))[: max(MAX_TAGS, len(memory.tags))]
    told = {"summary": found.summary, "keywords": list(found.keywords), "tags": list(found.tags)}
    judged = {"type": found.kind, "importance": found.importance, "model": entry.model, "prompt": VERSION}
    changes: dict[str, Any] = {"details": {DETAIL: {**told, **judged}}}
    if tags != list(memory.tags):
        changes["tags"] = tags
    if memory.importance == DEFAULT_IMPORTANCE != found.importance:
        changes["importance"] = found.importance
    if not memory.questions:
        changes["questions"] = list(found.questions)
    clean, masked = cleaned(changes, workspace.config)
    if masked or clean != changes:
        raise ModelError("the answer has a secret or a private span")
    head = {"actor": "assistant", "agent": f"{entry.model} enrich/{VERSION}"}
    return {**head, "type": "update", "target": memory.id, "set": changes}
