"""The verbs of contexts: gather and store one, explain it, and return it again."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

from muninn_core.context.memory_summary import shorten
from muninn_core.context.packs.pack import make_pack, with_bundle
from muninn_core.context.packs.pack_identity import bundle_id, differences, explain, matching_entries, state_changes
from muninn_core.context.packs.render import render_sheet
from muninn_core.context.packs.tokens import count_tokens
from muninn_core.engine.answer.context_search import (
    decision_lookup,
    joined,
    memory_hits,
    search_request,
    searched_commit,
    task_hits,
)
from muninn_core.engine.answer.empty_results import near_task, unknown_task
from muninn_core.engine.answer.recall_request import ParsedRecall, parse_request
from muninn_core.engine.answer.search_context import (
    SearchContext,
    search_context,
    with_authors,
    with_disputes,
    with_work_and_origin,
)
from muninn_core.engine.answer.skills import skill_hits
from muninn_core.engine.answer.touched_decisions import hits_of, touched
from muninn_core.engine.answer.working_set import MAX_PATCH, WorkingSet, question_of, with_grounds, working_set_of
from muninn_core.engine.memory.drafting.remember_notices import missing
from muninn_core.engine.memory.drafting.scopes import visible
from muninn_core.errors import BadParams, NotFoundError
from muninn_core.federation.searched_repositories import NO_REPOSITORIES, SearchedRepositories
from muninn_core.launch.repository_location import nested_advice, nested_root
from muninn_core.model.answer import Hit, ReadState
from muninn_core.model.chunk import SourceKind
from muninn_core.model.memory import Memory
from muninn_core.model.value import ValidationError, decoder_of, encode_json, replace
from muninn_core.protocol.exploration import Exploration
from muninn_core.protocol.families.search import (
    ContextParams,
    ContextResult,
    PackItem,
    RecallParams,
    ReplayParams,
    ReplayResult,
    WhyParams,
    WhyResult,
)
from muninn_core.retrieval.concurrent import turn
from muninn_core.retrieval.query.query_terms import parse_query
from muninn_core.retrieval.search import search_hits
from muninn_core.retrieval.text.informative_terms import weights
from muninn_core.retrieval.text.passages import PassageFinder, Passages
from muninn_core.retrieval.text.snippet import Marker
from muninn_core.source.files.qualified import bare
from muninn_core.source.private_spans import strip_private
from muninn_core.store.context_store import ContextStore
from muninn_core.store.records.timestamps import timestamp
from muninn_core.store.secrets.masking import mask
from muninn_core.worktree.call_context import CallContext
from muninn_core.worktree.memories.memory_store import MemoryStore
from muninn_core.worktree.workspace import Workspace

REACH: tuple[tuple[SourceKind, int, int, int], ...] = (
    ("memory", 12, 60, 300),
    ("knowledge", 8, 40, 500),
    ("code", 24, 120, 150),
)
"""The candidates of each tier: kind, the least, the most, and the tokens of budget per candidate."""


def context(
    workspace: Workspace,
    params: ContextParams,
    call: CallContext,
    now: datetime,
    others: SearchedRepositories = NO_REPOSITORIES,
) -> ContextResult:
    """Gather a context and store it. `others` are the repositories that `params.repos` names.

    Raises what `search_context`, `working_set_of` and `question_of` raise.

    The question is stored with the answer, so private spans and secrets in it are masked first.
    """
    patterns = workspace.config.memory.secrets
    query, _ = mask(strip_private(params.query)[0], patterns)
    diff = params.diff
    if diff is not None and len(diff) <= MAX_PATCH:  # a longer one is rejected later
        diff, _ = mask(diff, patterns)
    params = replace(params, query=query, diff=diff)
    result = gather(workspace, params, params, call, now, others=others)
    save(workspace.memory, workspace.context_store, result)
    return result


def why(workspace: Workspace, params: WhyParams) -> WhyResult:
    """Explain a stored context. Raises NotFoundError for an unknown context, or an item that was not a candidate."""
    stored = _load(workspace.memory, workspace.context_store, params.bundle)
    items, left_out = stored.items, stored.left_out
    if params.item is not None:
        items, left_out = matching_entries(stored, params.item)
        if not items and not left_out:
            raise NotFoundError(
                f"'{params.item}' was no candidate of {stored.bundle}",
                hint="The search did not find it; `muninn recall QUERY --why` shows what it ranks, and how.",
            )
    return WhyResult(
        bundle=stored.bundle,
        inputs=stored.inputs,
        question=stored.question,
        asked=stored.asked,
        then=stored.saw,
        tokens=stored.tokens,
        budget=stored.budget,
        items=items,
        left_out=left_out,
        text=explain(stored, items, left_out),
        saw=workspace.read_state(),
    )


def inputs_again(workspace: Workspace, params: ReplayParams) -> ContextParams | None:
    """Return the parameters that a context is gathered with again; None without `fresh`."""
    return _load(workspace.memory, workspace.context_store, params.bundle).inputs if params.fresh else None


def replay(
    workspace: Workspace, params: ReplayParams, call: CallContext, others: SearchedRepositories = NO_REPOSITORIES
) -> ReplayResult:
    """Return a stored context; with `fresh` gather it again, with the time of the first run.

    A context of a past revision is gathered from the same commit, any other from the current state. Raises
    NotFoundError for an unknown context.
    """
    stored = _load(workspace.memory, workspace.context_store, params.bundle)
    if not params.fresh:
        saw = workspace.read_state()
        now = stored.saw if stored.inputs.at is not None else saw
        return ReplayResult(
            source="kept", same=True, moved=state_changes(stored.saw, now), differs=(), context=stored, saw=saw
        )
    if stored.explored is not None:
        raise BadParams(
            f"{stored.bundle} was explored by a model, so it is not gathered again",
            hint="`muninn explore` asks the model anew; `muninn replay` without --fresh returns the stored pack.",
        )
    first = datetime.fromisoformat(stored.asked)
    then = replace(stored.inputs, at=stored.saw.commit) if stored.inputs.at is not None else stored.inputs
    fresh = gather(workspace, then, stored.inputs, call, first, others=others)
    save(workspace.memory, workspace.context_store, fresh)
    differs = differences(stored, fresh)
    return ReplayResult(
        source="fresh",
        same=not differs,
        moved=state_changes(stored.saw, fresh.saw),
        differs=differs,
        context=fresh,
        saw=fresh.saw,
    )


@dataclass(frozen=True, slots=True)
class ExplorationHits:
    """The hits of an exploration, and the report of it; neither where none was made."""

    hits: Sequence[Hit] = ()
    report: Exploration | None = None


NOT_EXPLORED = ExplorationHits()


def gather(
    workspace: Workspace,
    params: ContextParams,
    inputs: ContextParams,
    call: CallContext,
    now: datetime,
    exploration: ExplorationHits = NOT_EXPLORED,
    others: SearchedRepositories = NO_REPOSITORIES,
) -> ContextResult:
    """Gather a context. `inputs` are the parameters that the result reports.

    The hits of an `exploration` precede what the search finds, and its report is in the result.
    `others` are the repositories that `params.repos` names.
    """
    params, parsed = _parse_query(workspace, params, now)
    searched = search_context(workspace, params, now, others)
    working_set = working_set_of(workspace.location, workspace.edited_files, params, searched)
    question = question_of(params, searched, working_set)
    if parsed is not None and searched.now != now:
        parsed = parsed.at_time(searched.now)
    candidates = [("explored", hit) for hit in exploration.hits]
    with turn():
        call.raise_if_cancelled()
        candidates += _candidates(workspace, replace(params, query=question), searched, working_set, parsed, call)
    hits = with_work_and_origin(
        workspace.origins,
        workspace.work_states,
        tuple(others.labelled(hit) for _, hit in candidates),
        searched.memories,
        searched_commit(params, searched),
    )
    if params.at is None:
        hits = with_disputes(hits, workspace.memory.log.state.conflicts)
    hits = with_authors(workspace.first_authors, hits, searched.memories)
    tiers = (tier for tier, _ in candidates)
    grounded = list(zip(tiers, with_grounds(hits, working_set), strict=True))
    find = _passages(question, parsed, searched)
    pack = make_pack(question, grounded, params.budget, working_set.lines, params.format, find)
    bundle = bundle_id(inputs, question, searched.saw, pack, exploration.report)
    text = render_sheet(with_bundle(pack, bundle), params.format)
    return ContextResult(
        text=text,
        items=tuple(replace(item, path=bare(item.path)) for item in pack.items),
        tokens=count_tokens(text),
        budget=params.budget,
        omitted=len(pack.left_out),
        bundle=bundle,
        inputs=inputs,
        question=question,
        asked=timestamp(now),
        left_out=tuple(replace(each, path=bare(each.path)) for each in pack.left_out),
        explored=exploration.report,
        repositories=others.repositories,
        saw=_with_unknown_names(workspace, params, searched),
    )


def _passages(question: str, parsed: ParsedRecall | None, searched: SearchContext) -> Callable[[PackItem], Passages]:
    """Return the function that finds the lines of an item that match the question best."""
    words = weights(parse_query(question).words, searched.reader.frequency)
    finder = PassageFinder(Marker(words, parsed.phrases if parsed is not None else ()), searched.own.code.outline)
    return lambda item: finder.passages(item.path, item.text, item.start_line)


def _with_unknown_names(workspace: Workspace, params: ContextParams, searched: SearchContext) -> ReadState:
    """Return the state with a note about files that do not exist and a task of which nothing is known.

    A misspelt name would count for nothing.
    """
    unknown = []
    if params.at is None:
        root = workspace.layout.root
        unknown = [missing(path, workspace).rstrip(".") for path in params.files if not os.path.lexists(root / path)]
        nested = dict.fromkeys(nested_root(str(root), path) for path in params.files)
        unknown += [f"{each} is a repository of its own: {nested_advice(each).rstrip('.')}" for each in nested if each]
    if params.task and unknown_task(params.task, searched):
        near = near_task(params.task, searched)
        name = shorten(params.task, 80)
        unknown.append(f"nothing is known of the task {name}" + (f"; did you mean {near}?" if near else ""))
    saw = searched.saw
    return replace(saw, note="; ".join([*([saw.note] if saw.note else []), *unknown])) if unknown else saw


def _parse_query(
    workspace: Workspace, params: ContextParams, now: datetime
) -> tuple[ContextParams, ParsedRecall | None]:
    """Parse the query: return the parameters with its words as query, and the parsed query, None for an empty one.

    Raises BadParams with the column of an error.
    """
    if not params.query.strip():
        return params, None
    asked = RecallParams(query=params.query, at=params.at)
    parsed = parse_request(workspace.config, workspace.memory, asked, now, workspace.pages)
    words = parsed.text or " ".join(value for each in parsed.filters.filters for value in each.values)
    words = words or parsed.params.task or ""
    return replace(params, query=words, at=parsed.params.at, task=params.task or parsed.params.task), parsed


def _candidates(
    workspace: Workspace,
    params: ContextParams,
    searched: SearchContext,
    working_set: WorkingSet,
    parsed: ParsedRecall | None,
    call: CallContext,
) -> list[tuple[str, Hit]]:
    """Return (tier, hit) of all candidates: pins, the task, the working set, skills, and search hits of each kind."""
    checker = workspace.citations.checker()
    judge = searched.others.judging(checker.judge)
    seen = visible(workspace.memory, params.scope, params.session)
    pins = memory_hits(
        _pinned(workspace.memory, params, searched),
        searched.now,
        lambda memory: memory.pinned and seen(memory),
        checker,
    )
    candidates = [("pin", hit) for hit in pins]
    if params.task:
        candidates += [("task", hit) for hit in task_hits(searched, params.task, seen, checker)]
    if params.scope != "session":
        candidates += [("hand", hit) for hit in working_set.pieces]
    if params.skills and params.scope != "session":
        candidates += [("skill", hit) for hit in skill_hits(workspace, params.query, searched.now)]
    request = search_request(workspace, params, searched, tuple(working_set.files), parsed)
    decisions = decision_lookup(searched.documents, params.at)
    found: dict[SourceKind, Sequence[Hit]] = {}
    for kind, least, most, tokens in REACH:
        if kind in searched.kinds:
            call.raise_if_cancelled()
            limit = min(most, max(least, params.budget // tokens))
            found[kind] = search_hits(searched.reader, request._replace(kind=kind, limit=limit), judge, decisions)
    narrowed = parsed is not None and parsed.is_restricted  # filters exclude candidates that the query did not ask for
    if params.at is None and params.scope != "session" and not narrowed:
        about = touched(searched.documents, working_set.edited, tuple(working_set.files), found.get("code", ()))
        found["knowledge"] = joined(found.get("knowledge", ()), hits_of(about, searched.reader))
    return candidates + [(kind, hit) for kind, *_ in REACH for hit in found.get(kind, ())]


def _pinned(store: MemoryStore, params: ContextParams, searched: SearchContext) -> Iterable[Memory]:
    """Return memories that include all pinned ones; only those where an index of pins exists."""
    if params.at is not None or params.branches:
        return searched.memories.values()
    known = (searched.memories.get(memory.id) for memory in store.active.pinned(searched.now))
    return (memory for memory in known if memory is not None)


def save(store: MemoryStore, contexts: ContextStore, result: ContextResult) -> None:
    """Store a context for `why` and `replay`."""
    contexts.save(result.bundle, encode_json(result))
    # A redaction may have run before this file was written.
    _drop_redacted(store, contexts, result)


def _load(store: MemoryStore, contexts: ContextStore, bundle: str) -> ContextResult:
    identity, content = contexts.read(bundle)
    try:
        result = decoder_of(ContextResult)(content)
    except (ValidationError, ValueError):
        raise NotFoundError(
            f"the context {identity} is not readable by this version of Muninn", hint="Run `muninn context` again."
        ) from None
    if _drop_redacted(store, contexts, result):
        raise NotFoundError(
            f"the context {identity} held a memory that was redacted", hint="Run `muninn context` again."
        )
    return result


def _drop_redacted(store: MemoryStore, contexts: ContextStore, result: ContextResult) -> bool:
    """Remove a stored context that contains a redacted memory. Return whether it was removed."""
    memories = store.all()
    ids = {item.id for item in result.items if item.kind == "memory"}
    ids |= {entry.id for entry in result.left_out if entry.kind == "memory"}
    redacted = [identity for identity in sorted(ids) if identity in memories and memories[identity].redacted]
    if redacted:
        contexts.remove_mentioning(redacted)
    return bool(redacted)
