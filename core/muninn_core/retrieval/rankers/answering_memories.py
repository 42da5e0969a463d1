"""Finds the memories that answer a question, on an absolute scale.

Recall's scores compare candidates of one question, so a memory may rank below code that repeats the question's words.
A memory that is closely related to the question is shown above the other hits.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from muninn_core.model.title import own_title
from muninn_core.retrieval.candidates.generation import memory_cosines
from muninn_core.retrieval.query.query_terms import parse_query
from muninn_core.retrieval.rankers.relatedness import Relatedness
from muninn_core.retrieval.results.ranking import Certainty

if TYPE_CHECKING:
    from muninn_core.retrieval.reader import Reader
    from muninn_core.retrieval.request import SearchRequest
    from muninn_core.retrieval.results.ranking import Candidate

LEAST = 0.42
"""The least relatedness (see `relatedness.Relatedness`) of a memory that answers, where tokens are not compared."""

MIN_CONFIDENCE = 0.44
"""The least confidence (see `_confidence`) of a memory that brings the block. Of 300 questions about 300 memories, 197
had the right one in the block at this value and 26 a wrong one on top, and 11 of 60 unrelated texts brought a memory;
at 0.43 it was 199, 30 and 14, at 0.46 it was 182, 23 and 9."""

MIN_CONFIDENCE_WITH_QUESTIONS = 0.46
"""The same of a memory with questions, which is nearer to everything. Of 450 questions about 540 memories with three or
five, 419 had the right one in the block and 7 a wrong one on top, and 20 of 240 unrelated texts brought a memory; at
0.44 it was 425, 10 and 26, at 0.48 it was 412, 5 and 14."""

FURTHER_MARGIN = 0.06
"""How far the confidence of further memories may be below their least one."""

TOKENS, SCORE = 0.7, 0.15
"""The weight of the tokens in a confidence, the rest is that of the cosine; and that of the score in the order."""

OF_COMMIT = 0.07
"""How much less the confidence of a memory made of a commit is: its words are near to many questions. Of 450 questions
with memories of commits beside, 294 had the right memory in the block and 87 a wrong one on top; at 0.05 it was 296 and
95."""

MOST = 3
"""The most memories that are shown above the other hits."""

_CONSIDERED = 8
"""The best memories of a ranking, whose relatedness is computed."""


def answering_memories(reader: Reader, request: SearchRequest, ranked: Sequence[Candidate]) -> list[Candidate]:
    """Return the candidates whose memory answers the request's text, with their certainty.

    The most confident one comes first, and newer versions of a fact before older ones. Of equal texts one is shown.
    """
    if not request.text:
        return []
    best = [*_considered(ranked, commits=False), *_considered(ranked, commits=True)]
    memories = {each.memory.id: each for each in best if each.memory is not None}
    if not memories:
        return []
    cosines = _cosines(reader, request, list(memories))
    if any(each.interaction is not None for each in best):
        found = _confident(memories, cosines)
    else:
        found = _related(reader, request, memories, cosines)
    return _newer_first(_without_repeats(found))[:MOST]


def _confident(memories: Mapping[str, Candidate], cosines: Mapping[str, float]) -> dict[str, Candidate]:
    """Return the candidates whose tokens match the question well; none if none brings the block."""
    confidences = {key: _confidence(each, cosines.get(key, 0.0)) for key, each in memories.items()}
    margins = {key: round(value - _min_confidence(memories[key]), 4) for key, value in confidences.items()}
    if max(margins.values()) < 0:
        return {}
    found = [key for key, margin in margins.items() if margin >= -FURTHER_MARGIN]
    found.sort(key=lambda key: (SCORE * memories[key].order[0] - confidences[key], key))
    for key in found:
        memories[key].certainty = Certainty(confidences[key], _min_confidence(memories[key]))
    return {key: memories[key] for key in found}


def _min_confidence(candidate: Candidate) -> float:
    """Return the least confidence with which a memory brings the block."""
    return (
        MIN_CONFIDENCE_WITH_QUESTIONS if candidate.memory is not None and candidate.memory.questions else MIN_CONFIDENCE
    )


def _confidence(candidate: Candidate, cosine: float) -> float:
    """Return how sure it is that a memory answers: the match of its tokens, and of the texts as a whole."""
    less = OF_COMMIT if _is_of_commit(candidate) else 0.0
    return round(TOKENS * (candidate.interaction or 0.0) + (1 - TOKENS) * cosine - less, 4)


def _considered(ranked: Sequence[Candidate], *, commits: bool) -> list[Candidate]:
    """Return the best memories that are made of commits, or that are not: neither take the places of the others."""
    return [each for each in ranked if each.memory is not None and _is_of_commit(each) == commits][:_CONSIDERED]


def _is_of_commit(candidate: Candidate) -> bool:
    return candidate.memory is not None and candidate.memory.trust == "commit"


def _related(
    reader: Reader, request: SearchRequest, memories: Mapping[str, Candidate], cosines: Mapping[str, float]
) -> dict[str, Candidate]:
    """Return the candidates that are related to the question, in their order."""
    relatedness = Relatedness(parse_query(request.text), reader.rarities)
    found = {}
    for identity, candidate in memories.items():
        assert candidate.memory is not None
        text, title = candidate.memory.text, candidate.memory.title
        said = f"{own_title(title, text)} {text}".strip()
        value = round(relatedness.score(said, cosines.get(identity, 0.0)), 4)
        if value >= LEAST:
            candidate.certainty = Certainty(value, LEAST)
            found[identity] = candidate
    return found


def _without_repeats(found: Mapping[str, Candidate]) -> list[Candidate]:
    """Return the candidates with each text once: of equal ones the first without a newer version among all."""
    kept: dict[str, Candidate] = {}
    for candidate in found.values():
        assert candidate.memory is not None
        words = " ".join(candidate.memory.text.casefold().split())
        known = kept.get(words)
        if known is None or (known.newer in found and candidate.newer not in found):
            kept[words] = candidate
    return list(kept.values())


def _newer_first(found: Sequence[Candidate]) -> list[Candidate]:
    """Return the candidates in their order, each after its newer version. Both stay: the rule for versions can fail."""
    known = {each.memory.id: each for each in found if each.memory is not None}
    ordered: list[Candidate] = []
    for candidate in found:
        versions = [candidate]
        while versions[-1].newer in known:
            versions.append(known[versions[-1].newer])
        ordered += [each for each in reversed(versions) if each not in ordered]
    return ordered


def _cosines(reader: Reader, request: SearchRequest, identities: Sequence[str]) -> dict[str, float]:
    """Return the cosine of each memory to the question; {} without a vector."""
    found: dict[str, float] = {}
    for source in reader.sources:
        numbers = source.numbers_of_memories(identities)
        near = dict(memory_cosines(source, request, list(numbers.values()))) if numbers else {}
        for identity, number in numbers.items():
            if number in near:
                found[identity] = max(found.get(identity, 0.0), float(near[number]))
    return found
