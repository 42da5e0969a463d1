"""Answers to questions for a caller, from the branches that it may read.

Questions are parsed, searched and ranked by the code of the local engine. What only a work tree has is absent: changes
that are not pushed, the current state of citations, the history of files, sessions. A parameter that needs it is
refused by name.
"""

from __future__ import annotations

from collections.abc import Sequence

from muninn_core.config import Config
from muninn_core.context.packs.pack import make_pack
from muninn_core.context.packs.render import render_sheet
from muninn_core.context.packs.tokens import count_tokens
from muninn_core.engine.answer.contexts import REACH
from muninn_core.engine.answer.question_text import question_vector, read_question_text
from muninn_core.engine.answer.recall_request import ParsedRecall, parse_request
from muninn_core.index.embedding.vocabulary import is_common
from muninn_core.model.answer import Hit
from muninn_core.model.chunk import Chunk
from muninn_core.model.memory import Memory
from muninn_core.model.value import replace
from muninn_core.org import models
from muninn_core.org.answers.question import Question, refuse_others
from muninn_core.org.reading.branches import repository_of
from muninn_core.protocol.families.search import ContextParams, ContextResult, RecallParams, RecallResult
from muninn_core.retrieval.candidates.filtering import apply_filters
from muninn_core.retrieval.query.query_terms import parse_query
from muninn_core.retrieval.query.spelling import corrections
from muninn_core.retrieval.rankers.answering_memories import answering_memories
from muninn_core.retrieval.rankers.listing import Listing
from muninn_core.retrieval.rankers.relevance import Relevance
from muninn_core.retrieval.request import Bounds, Focus, SearchRequest
from muninn_core.retrieval.results.ranking import Candidate, no_citations, remembered, settle
from muninn_core.retrieval.search import search, search_hits
from muninn_core.retrieval.text.informative_terms import weights
from muninn_core.retrieval.text.snippet import Marker
from muninn_core.source.files.qualified import split
from muninn_core.store.records.timestamps import timestamp

_FILTERS = ("type", "tag", "path", "lang", "phrase", "author", "min_importance", "since", "until", "branch")
OF_RECALL = frozenset(("query", "limit", "kind", "plain", "by_file", "at_hand", *_FILTERS))
OF_CONTEXT = frozenset(("query", "budget", "files", "format"))
"""The parameters of each verb that an organisation's memory takes."""

_CONFIG = Config()


def recall(question: Question, params: RecallParams) -> RecallResult:
    """Answer a question. Raises BadParams."""
    reader = question.reader
    parsed = _parsed(question, params)
    request = _request(question, parsed, params.at_hand)
    request = request._replace(kind=params.kind, limit=params.limit * (4 if params.by_file else 1))
    if not request.text:
        request = request._replace(terms=Listing(Relevance()))
    ranking = search(reader, request)
    ranked: Sequence[Candidate] = _best_of_files(ranking) if params.by_file else ranking
    hits, _ = settle(ranked, params.limit, no_citations)
    words = parse_query(request.text).words if request.text else ()
    marker = Marker(weights(words, reader.frequency), parsed.phrases)
    answering = answering_memories(reader, request, ranking) if params.kind is None else ()
    answers = remembered(answering, settle(answering, len(answering), no_citations)[0])
    notes = (*parsed.notes, *([ranking.abstention] if ranking.abstention else ()))
    return RecallResult(
        hits=tuple(_localised(_with_snippet(hit, marker)) for hit in hits),
        remembered=tuple(_with_snippet(hit, marker) for hit in answers),
        notes=notes,
        ranked=bool(request.text),
        saw=question.saw,
    )


def context(question: Question, params: ContextParams) -> ContextResult:
    """Gather a pack for a question within a token budget. Raises BadParams."""
    refuse_others("context", params, OF_CONTEXT)
    parsed = _parsed(question, RecallParams(query=params.query))
    request = _request(question, parsed, params.files)
    candidates: list[tuple[str, Hit]] = []
    for kind, least, most, tokens in REACH:
        limit = min(most, max(least, params.budget // tokens))
        found = search_hits(question.reader, request._replace(kind=kind, limit=limit))
        candidates += [(kind, _localised(hit)) for hit in found]
    pack = make_pack(parsed.text, candidates, params.budget, style=params.format)
    # No bundle is stored, so that the text names none.
    text = render_sheet(replace(pack.sheet, bundle="", foot=False), params.format)
    return ContextResult(
        text=text,
        items=pack.items,
        tokens=count_tokens(text),
        budget=params.budget,
        omitted=len(pack.left_out),
        inputs=params,
        question=parsed.text,
        asked=timestamp(question.now),
        left_out=pack.left_out,
        saw=question.saw,
    )


def searched(question: Question, params: RecallParams) -> SearchRequest:
    """Return the search of a question without `kind` and `limit`, which the caller sets. Raises BadParams."""
    return _request(question, _parsed(question, params), params.at_hand)


def _parsed(question: Question, params: RecallParams) -> ParsedRecall:
    """Parse a question. Raises BadParams, also for what only a work tree has."""
    refuse_others("recall", params, OF_RECALL)
    parsed = parse_request(_CONFIG, question.reader.memories, params, question.now)
    refuse_others("recall", parsed.params, OF_RECALL)  # a query may have `at:` and `task:`
    return parsed


def _request(question: Question, parsed: ParsedRecall, files: Sequence[str]) -> SearchRequest:
    """Return the search of a parsed question without `kind` and `limit`, which the caller sets."""
    reader, memories = question.reader, question.reader.memories
    text, title, named, _ = read_question_text(parsed.text, reader)
    text = " ".join((text, *corrections(text, reader, is_common, reader.statistics.load).values()))
    bounds = Bounds(_admits)
    if parsed.is_restricted:
        bounds = apply_filters(reader, bounds, memories, parsed.restrictions, question.now).bounds
    encoder = models.encoder() if memories and text else None
    encoded = encoder.encode_query(text) if encoder is not None and reader.encoded else None
    return SearchRequest(
        text=text,
        title=title,
        named=named,
        vector=question_vector(models.embedder(), text, title) if text else None,
        encoded=encoded if encoded is not None and encoded.vector.any() else None,
        memories=memories,
        limit=0,
        now=question.now,
        terms=Relevance(),
        bounds=bounds,
        focus=Focus(files=files),
    )


def _admits(_chunk: Chunk, memory: Memory | None) -> bool:
    """Whether an answer may have a chunk: the notes of one session are for that session."""
    return memory is None or memory.scope != "session"


def _best_of_files(ranking: Sequence[Candidate]) -> list[Candidate]:
    """Return the best candidate of each file."""
    best: dict[str, Candidate] = {}
    for each in ranking:
        if each.memory is None:
            best.setdefault(each.chunk.path, each)
    return list(best.values())


def _with_snippet(hit: Hit, marker: Marker) -> Hit:
    return replace(hit, snippet=marker.snippet(hit.text, 1 if hit.kind == "memory" else hit.start_line))


def _localised(hit: Hit) -> Hit:
    """Return a hit with its repository and the path in it, as answers from several local repositories have them."""
    repository = repository_of(hit.path)
    if not repository:
        return hit
    path = split(hit.path)[1]
    identity = hit.id if hit.kind == "memory" else f"{repository}:{path}:{hit.start_line}-{hit.end_line}"
    return replace(hit, repository=repository, path=path, id=identity)
