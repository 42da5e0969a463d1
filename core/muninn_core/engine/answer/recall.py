"""Recall on an open work tree: what is asked, what may be found, how it is ranked, and the pages of the answer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from muninn_core.engine.answer.context_search import curated, evolution_of, hybrid_of, vector_of, witnesses_of
from muninn_core.engine.answer.empty_results import explain_no_match, unknown_task
from muninn_core.engine.answer.more_like_this import LikeThis, like_this
from muninn_core.engine.answer.recall_request import RecallRequest, parse_request
from muninn_core.engine.answer.search_context import SearchContext, labelled, search_context
from muninn_core.engine.answer.working_set import rooted
from muninn_core.engine.memory.scopes import bounds
from muninn_core.errors import BadParams
from muninn_core.index.vocabulary import is_common
from muninn_core.model.answer import Hit
from muninn_core.model.memory import Memory
from muninn_core.model.value import replace
from muninn_core.protocol.search import RecallParams, RecallResult
from muninn_core.retrieval.browse import browse
from muninn_core.retrieval.filtering import Filtering, apply_filters
from muninn_core.retrieval.informative_terms import MOST_WORDS, limit_terms, weights
from muninn_core.retrieval.profile import rank_linked
from muninn_core.retrieval.query_terms import parse_query
from muninn_core.retrieval.recall import Bounds, Candidate, Focus, Ranking, is_recallable, rank, settle
from muninn_core.retrieval.snippet import Marker
from muninn_core.retrieval.spelling import meant
from muninn_core.worktree.call import Call
from muninn_core.worktree.current_task import task_of
from muninn_core.worktree.documents import SteeringDocuments
from muninn_core.worktree.result_pages import Rest
from muninn_core.worktree.workspace import Workspace

OPEN_FILES = 5
"""How many files that are open in editors count as being at hand, those that were used last."""

FILES_DEEP = 4
"""How many candidates are ranked for each file of an answer by files."""


class _Ask(NamedTuple):
    """What is ranked: words and a vector, what may be found, and what that leaves out."""

    text: str
    vector: NDArray[np.float32] | None
    bounds: Bounds
    narrowing: Filtering | None
    notes: tuple[str, ...]


def recall(
    workspace: Workspace, params: RecallParams, call: Call, now: datetime, opened: Sequence[str] = ()
) -> RecallResult:
    """Answer a question, or go on with an answer. Raises BadParams, NotFoundError and what `search_context` raises.

    `opened` are the files that editors have open, the last used first.
    """
    if params.page is not None:
        return _page(workspace, params, params.page, now)
    asking = parse_request(workspace, params, now)
    sight = search_context(workspace, asking.params, now)
    if sight.now != now:
        asking = asking.about(sight.now)
    call.raise_if_cancelled()
    ask = _ask(workspace, asking, sight)
    ranking = _ranked(workspace, asking, sight, ask, opened)
    ranked: list[Candidate] = ranking
    pieces: dict[str, tuple[int, float]] = {}
    if params.by_file:
        ranked, pieces = _by_file(ranked)
    wanted = weights(parse_query(ask.text).words if ask.text else (), sight.reader.frequency)
    marker = Marker(wanted, asking.phrases)
    rest = Rest(params, asking.params.at, ranked, pieces, marker, sight.saw)
    result = _shown(workspace, rest, sight.documents, params.limit)
    notes = [*ask.notes, *([ranking.doubt] if ranking.doubt else ())]
    if not result.hits and ask.narrowing is not None:
        notes += explain_no_match(asking, sight, ask.narrowing)
    if not result.hits and asking.params.task and unknown_task(asking.params.task, sight):
        notes.append(f"no memory or document matches task:{asking.params.task}")
    return replace(result, notes=tuple(notes))


def _ask(workspace: Workspace, asking: RecallRequest, sight: SearchContext) -> _Ask:
    """Return what is ranked. Embeds the question, or what it shall be like."""
    params, notes = asking.params, list(asking.notes)
    text, distinct = limit_terms(asking.text, sight.reader.frequency)
    if distinct > MOST_WORDS:
        notes.append(f"the question has {distinct:,} distinct words; its {MOST_WORDS} rarest were searched")
    slips = meant(text, sight.reader, is_common)
    notes += [f'"{word}" stands nowhere; "{other}" was searched as well' for word, other in slips.items()]
    text = " ".join((text, *slips.values()))
    within = bounds(workspace, sight.documents, sight.memories, params.scope, params.session, params.task)
    like: LikeThis | None = None
    if params.like is not None:
        like = like_this(sight, params.like)
        text, within = f"{text} {like.words}".strip(), _without(within, like)
    vector = like.vector if like is not None else vector_of(sight.embedder, text) if text else None
    if not asking.narrow:
        return _Ask(text, vector, within, None, tuple(notes))
    narrowing = apply_filters(
        sight.reader, within, sight.memories, asking.sieve, asking.phrases, asking.without, sight.now
    )
    notes += _left_out(asking, narrowing)
    return _Ask(text, vector, narrowing.bounds, narrowing, tuple(notes))


def _without(within: Bounds, like: LikeThis) -> Bounds:
    return Bounds(
        lambda chunk, memory: within.admits(chunk, memory) and like.admits(chunk, memory),
        [each for each in within.sure if each.id != like.chunk.path],
    )


def _left_out(asking: RecallRequest, narrowing: Filtering) -> list[str]:
    """Say what filters and phrases leave out that somebody may not expect."""
    found = []
    timed = [each for each in asking.sieve.memories_alone if each.key in ("since", "until")]
    if timed and asking.params.kind != "memory":
        said = " and ".join(each.said for each in timed)
        found.append(f"{said}: only memories have a time; code and knowledge are left out")
    if not narrowing.compared:
        found.append("the words of the phrase are so common that only the best of their places were compared with it")
    return found


def _ranked(
    workspace: Workspace, asking: RecallRequest, sight: SearchContext, ask: _Ask, opened: Sequence[str]
) -> Ranking:
    params, library = asking.params, sight.documents
    if _profile(workspace, params) == "mnemosyne":
        return rank_linked(
            sight.reader,
            sight.memories,
            workspace.memory.link_graph(sight.memories),
            ask.text,
            limit=params.limit,
            now=sight.now,
            bounds=_of_memory(ask.bounds),
            session=params.session or workspace.session,
            depth=params.depth,
        )
    task = task_of(workspace, library, params.task, params.session).code or None
    files = [rooted(workspace, each) for each in params.at_hand] if params.at is None else []
    focus = Focus(files=[*files, *opened[:OPEN_FILES]], session=params.session, task=task)
    half_life, hybrid = workspace.config.memory.half_life_days, hybrid_of(workspace)
    if not ask.text:
        return browse(
            sight.reader,
            asking.sieve,
            ask.bounds,
            sight.memories,
            now=sight.now,
            kind=params.kind,
            focus=focus,
            half_life=half_life,
            hybrid=hybrid,
        )
    return rank(
        sight.reader,
        ask.vector,
        sight.memories,
        ask.text,
        limit=params.limit * (FILES_DEEP if params.by_file else 1),
        now=sight.now,
        kind=params.kind,
        focus=focus,
        bounds=ask.bounds,
        curated=curated(library, params.at),
        half_life=half_life,
        witnesses=witnesses_of(workspace, params, sight),
        evolution=evolution_of(workspace, params),
        hybrid=hybrid,
    )


def _profile(workspace: Workspace, params: RecallParams) -> str:
    """Return the name of the ranking. Raises BadParams for one that has no word on what is asked for."""
    if params.profile == "mnemosyne" and params.kind in ("code", "knowledge"):
        raise BadParams(
            f"the profile mnemosyne ranks memories, not {params.kind}", hint="Leave out `profile`, or `kind`."
        )
    return params.profile or (workspace.config.ranking.profile if params.kind == "memory" else "muninn")


def _of_memory(within: Bounds) -> Bounds:
    return within._replace(admits=lambda chunk, memory: memory is not None and within.admits(chunk, memory))


def _by_file(ranked: Sequence[Candidate]) -> tuple[list[Candidate], dict[str, tuple[int, float]]]:
    """Return the best candidate of each file, and how many there are of it with the sum of their scores."""
    best: dict[str, Candidate] = {}
    pieces: dict[str, tuple[int, float]] = {}
    for each in ranked:
        if each.memory is None:
            path = each.chunk.path
            best.setdefault(path, each)
            count, total = pieces.get(path, (0, 0.0))
            pieces[path] = (count + 1, round(total - each.order[0], 4))
    return list(best.values()), pieces


def _page(workspace: Workspace, params: RecallParams, cursor: str, now: datetime) -> RecallResult:
    """Return the page of a cursor. Raises NotFoundError, and BadParams when it is one of another question."""
    rest = workspace.result_pages.next_page(cursor)
    given = replace(params, page=None, limit=rest.params.limit, session=rest.params.session)
    if given not in (rest.params, replace(RecallParams(), limit=given.limit, session=given.session)):
        raise BadParams("this page belongs to another question", hint="Give `page` alone, and `limit` if you like.")
    known = workspace.memory.all()
    # What has been forgotten or redacted since is not shown, wherever it was found.
    still = [each for each in rest.candidates if _still(each, known, now)]
    rest = rest._replace(candidates=still)
    with workspace.result_pages.settling:  # two who ask for one page must not count its citations twice
        return _shown(workspace, rest, workspace.documents.read(), params.limit, cursor)


def _still(candidate: Candidate, known: Mapping[str, Memory], now: datetime) -> bool:
    if candidate.memory is None:
        return True
    memory = known.get(candidate.memory.id, candidate.memory)  # other branches and commits have more than we know
    return not memory.redacted and (is_recallable(memory, now) or memory is candidate.memory)


def _shown(workspace: Workspace, rest: Rest, library: SteeringDocuments, limit: int, cursor: str = "") -> RecallResult:
    """Return the first candidates as hits, with a cursor for the others."""
    hits, others = settle(rest.candidates, limit, workspace.citations.checker().judge, curated(library, rest.at))
    known = {each.memory.id: each.memory for each in rest.candidates if each.memory is not None}
    hits = labelled(workspace, hits, known, rest.saw.commit if rest.at is not None else None)
    following = workspace.result_pages.add(rest._replace(candidates=others), cursor)
    return RecallResult(hits=tuple(_with_snippet(hit, rest) for hit in hits), next=following, saw=rest.saw)


def _with_snippet(hit: Hit, rest: Rest) -> Hit:
    first = 1 if hit.kind == "memory" else hit.start_line
    chunks, total = rest.pieces.get(hit.path, (1, 0.0)) if hit.kind != "memory" else (1, 0.0)
    return replace(hit, snippet=rest.marker.snippet(hit.text, first), chunks=chunks, total=total)
