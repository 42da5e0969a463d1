"""The verb `explore`: a model explores the repository, and the result is a pack of the places that it names.

The lines of the pack are read from disk when the exploration ends. The model's words are in the trace and never in the
text of an item.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime

from muninn_core.config.model_settings import COMMANDS, ModelSettings
from muninn_core.engine.answer.contexts import ExplorationHits, gather, save
from muninn_core.engine.answer.exploring.explorer import Ask, Explorer, Limits, MeteredAnswer
from muninn_core.engine.answer.exploring.explorer_tools import Run, Tools
from muninn_core.engine.memory.lookup import memory_of
from muninn_core.engine.memory.models.model_requests import ModelRequests
from muninn_core.engine.memory.models.reports import shown_prompt
from muninn_core.errors import Cancelled, ModelError, MuninnError
from muninn_core.model.answer import Hit, Reason
from muninn_core.model.memory import Memory
from muninn_core.models import request
from muninn_core.models.exploration import VERSION, FoundPlace, exploration_prompt
from muninn_core.models.prompt import Prompt
from muninn_core.models.service import ModelService
from muninn_core.protocol.exploration import Exploration
from muninn_core.protocol.families.memory import RememberParams
from muninn_core.protocol.families.search import ContextParams, ContextResult, ExploreParams, ExploreResult
from muninn_core.retrieval.results.hits import memory_hit
from muninn_core.source.files.classify import classify
from muninn_core.source.private_spans import strip_private
from muninn_core.store.records.fields import headline
from muninn_core.store.secrets.masking import mask
from muninn_core.worktree.call_context import CallContext
from muninn_core.worktree.workspace import Workspace


@dataclass(frozen=True, slots=True)
class Policy:
    """What explores: the name of its route, the function that asks it, and whether it answers `as_text`, without calls
    of tools.
    """

    route: str
    ask: Ask
    as_text: bool = False


def model_policy(
    workspace: Workspace, models: ModelService, settings: ModelSettings, params: ExploreParams, call: CallContext
) -> Policy:
    """Return the route for explorations, which is asked within the user's budget. Raises ModelError without one."""
    route = route_for(settings)
    requests = ModelRequests(workspace, models, settings, route, params.session or "")

    def ask(prompt: Prompt, seconds: float) -> MeteredAnswer:
        end = time.monotonic() + seconds
        try:
            asked = requests.ask(prompt, lambda: call.cancelled or time.monotonic() > end)
        except Cancelled:
            call.raise_if_cancelled()
            raise ModelError(f"the limit of {params.seconds:g} seconds") from None
        entry = asked.entry
        return MeteredAnswer(
            answer=asked.answer, tokens=entry.tokens, usd=entry.usd, model=asked.answer.model or entry.model
        )

    return Policy(route, ask, as_text=settings.routes[route].dialect in COMMANDS)


def route_for(settings: ModelSettings) -> str:
    """Return the route for explorations. Raises ModelError without one."""
    return request.route_for(
        settings,
        "explore",
        "explorations",
        " (docs/models.md), or let an agent explore: its MCP prompt `explore` describes the same steps with the tools "
        "of the set `all`.",
    )


def shown_first_prompt(workspace: Workspace, settings: ModelSettings, params: ExploreParams) -> ExploreResult:
    """Return the first prompt of an exploration, with secrets masked."""
    route = route_for(settings)
    as_text = settings.routes[route].dialect in COMMANDS
    prompt = exploration_prompt(clean_question(workspace, params), (), nested=params.depth > 0, as_text=as_text)
    shown = shown_prompt(workspace, settings, route, prompt)
    text = "\n\n".join(each.text for each in shown.messages)
    return ExploreResult(context=None, prompt=text, tokens=shown.tokens, usd=shown.usd, saw=workspace.read_state())


def explore(
    workspace: Workspace,
    params: ExploreParams,
    policy: Policy,
    run: Run,
    call: CallContext,
    now: datetime,
) -> ContextResult:
    """Explore and return the pack, which is not stored yet. `run` runs verbs for reading.

    Raises ModelError when the first call of the model fails, and Cancelled.
    """
    question = clean_question(workspace, params)
    tools = Tools(run, workspace.memory.all)
    limits = Limits(depth=params.depth, calls=params.calls, tokens=params.tokens, seconds=params.seconds)
    explorer = Explorer(
        policy.ask,
        tools,
        limits,
        as_text=policy.as_text,
        report=lambda text: call.report("report", text, _share(explorer)),
    )
    call.report("begin", "asking the model")
    found = explorer.run(question)
    call.report("end", "explored")
    places = found.places if found is not None else tuple(dict.fromkeys(explorer.places))
    explored = Exploration(
        route=policy.route,
        model=explorer.model,
        complete=found is not None,
        answer=mask(found.answer, workspace.config.memory.secrets)[0] if found is not None else "",
        ended="" if found is not None else explorer.ended,
        steps=tuple(explorer.steps),
        dropped=tuple(explorer.dropped),
        calls=explorer.calls,
        tokens=explorer.tokens,
        usd=round(explorer.usd, 6),
    )
    memories = _memories(workspace, tools, found.memories if found is not None else ())
    hits = tuple(_hits(workspace, tools, places, memories))
    inputs = ContextParams(query=question, budget=params.budget, session=params.session)
    return gather(workspace, inputs, inputs, call, now, exploration=ExplorationHits(hits, explored))


def store(workspace: Workspace, context: ContextResult) -> ExploreResult:
    """Store the pack for `why` and `replay`."""
    save(workspace.memory, workspace.context_store, context)
    return ExploreResult(context=context, saw=context.saw)


def relevant_files(context: ContextResult, session: str | None) -> RememberParams | None:
    """Return a memory that the explored files were relevant to the question; None for an incomplete exploration."""
    explored = context.explored
    files = tuple(dict.fromkeys(item.path for item in context.items if item.tier == "explored" and item.path))
    if explored is None or not explored.complete or not files:
        return None
    digest = hashlib.sha256("\0".join((context.question, *files)).encode()).hexdigest()[:16]
    return RememberParams(
        type="context_hit",
        title=headline(context.question),
        text=f"Relevant for “{context.question}”: {', '.join(files)}",
        tags=("explore",),
        files=files,
        importance=2,
        confidence=0.6,
        session=session,
        actor="assistant",
        agent=f"{explored.model or explored.route} explore/{VERSION}",
        details={"query": context.question},
        key=f"explore:{digest}",
    )


def clean_question(workspace: Workspace, params: ExploreParams) -> str:
    """Return the question without private spans, with secrets masked."""
    return mask(strip_private(params.query)[0], workspace.config.memory.secrets)[0]


def _share(explorer: Explorer) -> int:
    return min(99, explorer.calls * 100 // max(1, explorer.limits.calls))


def _memories(workspace: Workspace, tools: Tools, ids: Sequence[str]) -> list[Memory]:
    known = workspace.memory.all()
    found = []
    for each in ids:
        try:
            memory = memory_of(known, each)
        except MuninnError:
            continue  # the model named one that is not there
        if tools.may_show(memory.id):
            found.append(memory)
    return found


def _hits(
    workspace: Workspace, tools: Tools, places: Sequence[FoundPlace], memories: Sequence[Memory]
) -> Iterator[Hit]:
    """Yield hits in the order of the model, with the lines as they are now. Memories come first."""
    checker = workspace.citations.checker()
    reasons = _reasons()
    for memory in memories:
        yield memory_hit(memory, (reasons("named by the model"),), checker.judge(memory))
    for place in places:
        lines = tools.lines(place)
        if isinstance(lines, str):
            continue  # it vanished since it was checked
        kind, language = classify(lines.path)
        reason = reasons(mask(place.reason, workspace.config.memory.secrets)[0])
        yield Hit(
            kind=kind,
            id=f"{lines.path}:{lines.start}-{lines.end}",
            path=lines.path,
            start_line=lines.start,
            end_line=lines.end,
            score=reason.contribution,
            why=(reason,),
            text="\n".join(lines.lines),
            type=language,
        )


def _reasons() -> Callable[[str], Reason]:
    """Return a function that makes the reason of each further hit, whose value is 1 / its rank."""
    rank = 0

    def next_reason(note: str) -> Reason:
        nonlocal rank
        rank += 1
        value = round(1 / rank, 4)
        return Reason(signal="explored", value=value, weight=1.0, contribution=value, note=note)

    return next_reason
