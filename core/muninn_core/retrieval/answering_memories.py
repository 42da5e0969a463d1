"""Finds the memories that answer a question, on an absolute scale.

Recall's scores compare candidates of one question, so a memory may rank below code that repeats the question's words.
A memory that is closely related to the question is shown above the other hits.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice
from typing import TYPE_CHECKING

from muninn_core.retrieval.candidates import memory_cosines
from muninn_core.retrieval.query_terms import parse_query
from muninn_core.retrieval.reader import ids_of_memories
from muninn_core.retrieval.relatedness import Relatedness

if TYPE_CHECKING:
    from muninn_core.retrieval.ranking import Candidate
    from muninn_core.retrieval.reader import Reader
    from muninn_core.retrieval.request import SearchRequest

LEAST = 0.4
"""The least relatedness (see `relatedness.Relatedness`) of a memory that answers. Of 150 questions about 240 memories,
111 had the right one among the first three at this value, and 10 of 180 unrelated texts brought a memory; at 0.5 it
was 97 and 3, at 0.3 it was 119 and 38."""

MOST = 3
"""The most memories that are shown above the other hits."""

_CONSIDERED = 8
"""The best memories of a ranking, whose relatedness is computed."""


def answering_memories(reader: Reader, request: SearchRequest, ranked: Sequence[Candidate]) -> list[Candidate]:
    """Return the candidates whose memory answers the request's text, the most related first, ties by id."""
    if not request.text:
        return []
    memories = {
        candidate.memory.id: candidate
        for candidate in islice((each for each in ranked if each.memory is not None), _CONSIDERED)
        if candidate.memory is not None
    }
    if not memories:
        return []
    cosines = _cosines(reader, request, list(memories))
    relatedness = Relatedness(parse_query(request.text), reader.rarity)
    scored = []
    for identity, candidate in memories.items():
        assert candidate.memory is not None
        text, title = candidate.memory.text, candidate.memory.title
        own = "" if text.strip().startswith(title.rstrip("….").strip()) else title
        value = round(relatedness.score(f"{own} {text}".strip(), cosines.get(identity, 0.0)), 4)
        if value >= LEAST:
            scored.append((-value, identity, candidate))
    return [candidate for _, _, candidate in sorted(scored, key=lambda each: each[:2])[:MOST]]


def _cosines(reader: Reader, request: SearchRequest, identities: Sequence[str]) -> dict[str, float]:
    """Return the cosine of each memory to the question; {} without a vector."""
    found: dict[str, float] = {}
    for source, ids in zip(reader.sources, ids_of_memories(reader, identities), strict=True):
        if not ids:
            continue
        chunks = source.chunks(ids)
        for number, cosine in memory_cosines(source, request, ids):
            if number in chunks:
                identity = chunks[number].path
                found[identity] = max(found.get(identity, 0.0), float(cosine))
    return found
