"""Recall on an open work tree: builds the search of a question, and returns the answer in pages."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import NamedTuple

from muninn_core.engine.answer.context_search import decision_lookup, later_encoded, relevance, restricted
from muninn_core.engine.answer.empty_results import explain_no_match, named_tasks, no_task, unknown_task
from muninn_core.engine.answer.more_like_this import LikeThis, like_this
from muninn_core.engine.answer.question_text import question_vector, read_question_text
from muninn_core.engine.answer.recall_request import ParsedRecall, parse_request
from muninn_core.engine.answer.search_context import (
    SearchContext,
    search_context,
    with_authors,
    with_disputes,
    with_work_and_origin,
)
from muninn_core.engine.answer.working_set import rooted
from muninn_core.engine.memory.drafting.scopes import scope_bounds
from muninn_core.errors import BadParams
from muninn_core.federation.searched_repositories import NO_REPOSITORIES, SearchedRepositories
from muninn_core.model.answer import Hit
from muninn_core.model.memory import Memory
from muninn_core.model.value import replace
from muninn_core.protocol.families.search import RecallParams, RecallResult
from muninn_core.retrieval.candidates.filtering import Filtering
from muninn_core.retrieval.concurrent import turn
from muninn_core.retrieval.decay import is_recallable
from muninn_core.retrieval.query.query_terms import parse_query
from muninn_core.retrieval.query.spelling import corrections
from muninn_core.retrieval.rankers.answering_memories import answering_memories
from muninn_core.retrieval.rankers.link_ranking import Links
from muninn_core.retrieval.rankers.listing import Listing
from muninn_core.retrieval.rankers.relevance import Relevance
from muninn_core.retrieval.request import NO_FOCUS, Bounds, Focus, SearchRequest, Terms
from muninn_core.retrieval.results.ranking import Candidate, remembered, settle
from muninn_core.retrieval.search import search
from muninn_core.retrieval.text.informative_terms import FIRST_WORDS, MAX_WORDS, weights
from muninn_core.retrieval.text.snippet import Marker
from muninn_core.worktree.call_context import CallContext
from muninn_core.worktree.current_task import task_of
from muninn_core.worktree.knowledge.documents import SteeringDocuments
from muninn_core.worktree.result_pages import Rest
from muninn_core.worktree.workspace import Workspace

OPEN_FILES = 5
"""The most files open in editors that count as focus, the most recently used first."""

FILES_DEEP = 4
"""Candidates that are ranked for each file of an answer by files."""


class _Search(NamedTuple):
    """The request, the result of its filters (None without any), and notes for the answer."""

    request: SearchRequest
    filtering: Filtering | None
    notes: tuple[str, ...]


def recall(
    workspace: Workspace,
    params: RecallParams,
    call: CallContext,
    now: datetime,
    opened: Sequence[str] = (),
    others: SearchedRepositories = NO_REPOSITORIES,
) -> RecallResult:
    """Answer a question, or return the next page of an answer.

    `opened` are the files that editors have open, the most recently used first. `others` are the repositories that
    `params.repos`, or the question of the page, names. Raises BadParams, NotFoundError and
    what `search_context` raises.
    """
    if params.page is not None:
        return _page(workspace, params, params.page, now, others)
    parsed = parse_request(workspace.config, workspace.memory, params, now, workspace.pages)
    searched = search_context(workspace, parsed.params, now, others)
    if searched.now != now:
        parsed = parsed.at_time(searched.now)
    with turn():
        call.raise_if_cancelled()
        return _answer(workspace, params, parsed, searched, opened, others)


def _answer(
    workspace: Workspace,
    params: RecallParams,
    parsed: ParsedRecall,
    searched: SearchContext,
    opened: Sequence[str],
    others: SearchedRepositories,
) -> RecallResult:
    """Return the first page of the answer to a question."""
    built = _search(workspace, parsed, searched, opened)
    ranking = search(searched.reader, built.request)
    ranked: list[Candidate] = ranking
    pieces: dict[str, tuple[int, float]] = {}
    text = built.request.text
    if params.by_file:
        ranked, pieces = _by_file(ranked, scored=bool(text))
    marker = Marker(weights(parse_query(text).words if text else (), searched.reader.frequency), parsed.phrases)
    rest = Rest(params, parsed.params.at, ranked, pieces, marker, searched.saw, bool(text))
    result = _first_page(workspace, rest, searched.documents, params.limit, others)
    notes = [*built.notes, *([ranking.abstention] if ranking.abstention else ())]
    if not result.hits and built.filtering is not None:
        notes += explain_no_match(parsed, searched, built.filtering, workspace.layout.root, workspace.pages.read())
    if not result.hits and parsed.params.task and unknown_task(parsed.params.task, searched):
        notes.append(no_task(parsed.params.task, searched))
    if parsed.params.task is None and not any(each.key == "task" for each in parsed.filters.filters):
        notes += named_tasks(parsed.text, searched)
    answers = _remembered(workspace, rest, built, searched, ranking, result.hits)
    notes += others.outdated(result.hits)
    return replace(result, remembered=answers, notes=tuple(notes), repositories=others.repositories)


def asked_repositories(workspace: Workspace, params: RecallParams) -> Sequence[str]:
    """Return the names of the other repositories of a question, or of the question that a page continues.

    Raises NotFoundError for an unknown page.
    """
    return workspace.result_pages.next_page(params.page).params.repos if params.page is not None else params.repos


def _remembered(
    workspace: Workspace,
    rest: Rest,
    built: _Search,
    searched: SearchContext,
    ranking: Sequence[Candidate],
    shown: Sequence[Hit],
) -> tuple[Hit, ...]:
    """Return the memories that answer the question as hits; none if only one kind was wanted."""
    if rest.params.kind is not None or rest.params.like is not None:
        return ()
    answering = answering_memories(searched.reader, built.request, ranking)
    known = {hit.id for hit in shown}
    missing = [each for each in answering if each.memory is not None and each.memory.id not in known]
    further, _ = _hits(workspace, rest, missing, searched.documents, len(missing), searched.others)
    return remembered(answering, (*shown, *further))


def _search(workspace: Workspace, parsed: ParsedRecall, searched: SearchContext, opened: Sequence[str]) -> _Search:
    """Return the search of a question. Embeds its text, or the place or memory in `like`."""
    params, notes = parsed.params, list(parsed.notes)
    text, title, named, distinct = read_question_text(parsed.text, searched.reader)
    if distinct > MAX_WORDS:
        notes.append(
            f"the question has {distinct:,} distinct words; {MAX_WORDS} were searched: "
            f"the first {FIRST_WORDS} and the rarest others"
        )
    slips = corrections(text, searched.own, searched.is_word)
    notes += [f'"{word}" occurs nowhere; "{other}" was searched as well' for word, other in slips.items()]
    text = " ".join((text, *slips.values()))
    bounds = scope_bounds(
        workspace.memory, searched.documents, searched.memories, params.scope, params.session, params.task
    )
    like: LikeThis | None = None
    if params.like is not None:
        like = like_this(searched, params.like, workspace.layout.root)
        text, bounds = f"{text} {like.words}".strip(), _without(bounds, like)
    filtering = None
    if parsed.is_restricted:
        filtering = restricted(workspace, searched, bounds, parsed.restrictions)
        bounds = filtering.bounds
        notes += _left_out(parsed, filtering)
    terms = _terms(workspace, params, searched)
    if not text and isinstance(terms, Relevance):
        terms = Listing(terms)
    vector = encoded = None
    if like is not None or text:
        about_memory = params.kind in (None, "memory")
        vector = like.vector if like is not None else question_vector(searched.embedder, text, title)
        sought = like.prose if like is not None else text
        encoded = later_encoded(workspace, searched.reader, searched.memories, sought) if about_memory else None
    request = SearchRequest(
        text=text,
        title=title,
        named=named,
        vector=vector,
        encoded=encoded,
        memories=searched.memories,
        limit=params.limit * (FILES_DEEP if params.by_file else 1),
        now=searched.now,
        terms=terms,
        kind=params.kind,
        bounds=bounds,
        focus=_focus(workspace, params, searched, opened) if isinstance(terms, Relevance | Listing) else NO_FOCUS,
    )
    return _Search(request, filtering, tuple(notes))


def _terms(workspace: Workspace, params: RecallParams, searched: SearchContext) -> Terms:
    """Return the terms of the chosen profile. Raises BadParams for a profile that does not rank the kind."""
    if params.profile == "mnemosyne" and params.kind in ("code", "knowledge"):
        raise BadParams(
            f"the profile mnemosyne ranks memories, not {params.kind}", hint="Leave out `profile`, or `kind`."
        )
    profile = params.profile or (workspace.config.ranking.profile if params.kind == "memory" else "muninn")
    if profile == "mnemosyne":
        return Links(
            workspace.memory.link_graph(searched.memories), params.session or workspace.memory.session, params.depth
        )
    return relevance(workspace, params, searched)


def _focus(workspace: Workspace, params: RecallParams, searched: SearchContext, opened: Sequence[str]) -> Focus:
    task = task_of(workspace, searched.documents, params.task, params.session).code or None
    files = [rooted(workspace.location, each) for each in params.at_hand] if params.at is None else []
    return Focus(files=[*files, *opened[:OPEN_FILES]], session=params.session, task=task)


def _without(bounds: Bounds, like: LikeThis) -> Bounds:
    return Bounds(
        lambda chunk, memory: bounds.admits(chunk, memory) and like.admits(chunk, memory),
        [each for each in bounds.required if each.id != like.chunk.path],
    )


def _left_out(parsed: ParsedRecall, filtering: Filtering) -> list[str]:
    """Return notes on what filters and phrases leave out unexpectedly."""
    found = []
    timed = [each for each in parsed.filters.memories_alone if each.key in ("since", "until")]
    if timed and parsed.params.kind != "memory":
        filters = " and ".join(each.source for each in timed)
        found.append(f"{filters}: only memories have a time; code and knowledge are left out")
    if not filtering.compared:
        found.append("the words of the phrase are so common that only the best of their places were compared with it")
    return found


def _by_file(ranked: Sequence[Candidate], *, scored: bool) -> tuple[list[Candidate], dict[str, tuple[int, float]]]:
    """Return the best candidate of each file, and {path: (number of its candidates, sum of their scores)}.

    Without scores, as of a list, the sums are 0.
    """
    best: dict[str, Candidate] = {}
    pieces: dict[str, tuple[int, float]] = {}
    for each in ranked:
        if each.memory is None:
            path = each.chunk.path
            best.setdefault(path, each)
            count, total = pieces.get(path, (0, 0.0))
            pieces[path] = (count + 1, round(total - each.order[0], 4) if scored else 0.0)
    return list(best.values()), pieces


def _page(
    workspace: Workspace, params: RecallParams, cursor: str, now: datetime, others: SearchedRepositories
) -> RecallResult:
    """Return the page of a cursor. Raises NotFoundError, and BadParams for the cursor of another question."""
    rest = workspace.result_pages.next_page(cursor)
    given = replace(params, page=None, limit=rest.params.limit, session=rest.params.session)
    if given not in (rest.params, replace(RecallParams(), limit=given.limit, session=given.session)):
        raise BadParams("this page belongs to another question", hint="Give `page` alone, and `limit` if you like.")
    known = workspace.memory.all()
    # Leave out memories that were forgotten or redacted since the first page.
    remaining = [each for each in rest.candidates if _is_current(each, known, now)]
    rest = rest._replace(candidates=remaining)
    with workspace.result_pages.settling:  # concurrent requests of one page must count its citations once
        return _first_page(workspace, rest, workspace.documents.read(), params.limit, others, cursor)


def _is_current(candidate: Candidate, known: Mapping[str, Memory], now: datetime) -> bool:
    if candidate.memory is None:
        return True
    # Memories of other branches and commits are not in `known`.
    memory = known.get(candidate.memory.id, candidate.memory)
    return not memory.redacted and (is_recallable(memory, now) or memory is candidate.memory)


def _first_page(
    workspace: Workspace,
    rest: Rest,
    library: SteeringDocuments,
    limit: int,
    others: SearchedRepositories,
    cursor: str = "",
) -> RecallResult:
    """Return the first candidates as hits, with a cursor for the remaining ones."""
    hits, remaining = _hits(workspace, rest, rest.candidates, library, limit, others)
    following = workspace.result_pages.add(rest._replace(candidates=remaining), cursor)
    return RecallResult(hits=hits, next=following, ranked=rest.ranked, saw=rest.saw)


def _hits(
    workspace: Workspace,
    rest: Rest,
    candidates: Sequence[Candidate],
    library: SteeringDocuments,
    limit: int,
    others: SearchedRepositories,
) -> tuple[tuple[Hit, ...], list[Candidate]]:
    """Return the first candidates as complete hits, and the remaining candidates."""
    judge = others.judging(workspace.citations.checker().judge)
    hits, remaining = settle(candidates, limit, judge, decision_lookup(library, rest.at))
    known = {each.memory.id: each.memory for each in candidates if each.memory is not None}
    hits = with_work_and_origin(
        workspace.origins, workspace.work_states, hits, known, rest.saw.commit if rest.at is not None else None
    )
    if rest.at is None:
        hits = with_disputes(hits, workspace.memory.log.state.conflicts)
    hits = with_authors(workspace.first_authors, hits, known)
    return tuple([others.localised(_with_snippet(hit, rest)) for hit in hits]), remaining


def _with_snippet(hit: Hit, rest: Rest) -> Hit:
    first = 1 if hit.kind == "memory" else hit.start_line
    chunks, total = rest.pieces.get(hit.path, (1, 0.0)) if hit.kind != "memory" else (1, 0.0)
    return replace(hit, snippet=rest.marker.snippet(hit.text, first), chunks=chunks, total=total)
