"""Candidates within the bounds of a search: filters, and memories that must be candidates."""

from __future__ import annotations

import numpy as np
import pytest
from preset_index import NOW, VECTOR, PresetIndex, ask, code, stored_memory

from muninn_core.index.embedding.embed import Encoded
from muninn_core.index.embedding.token_states import packed
from muninn_core.model.chunk import Chunk
from muninn_core.retrieval.decay import is_recallable, recallable_among
from muninn_core.retrieval.rankers.relevance import Relevance
from muninn_core.retrieval.request import Bounds, SearchRequest
from muninn_core.retrieval.search import search


def test_a_filter_finds_what_lies_behind_the_first_hundred():
    memories = [stored_memory(f"m{number:03}", task="T-2" if number == 390 else "T-1") for number in range(400)]
    lexical = [(number, 1000.0 - number) for number in range(400)]
    only = Bounds(admits=lambda _chunk, memory: memory is not None and memory.task == "T-2")
    assert [hit.id for hit in ask([], memories, lexical=lexical, bounds=only)] == ["m390"]
    assert ask([], memories, lexical=lexical, bounds=Bounds(admits=lambda _chunk, _memory: False)) == ()


def test_bounds_that_admit_all_files_decide_on_memories_only():
    asked = []
    bounds = Bounds(admits=lambda _chunk, memory: asked.append(memory) or memory is None, admits_files=True)
    hits = ask([code("a.py")], [stored_memory("m1")], lexical=[(0, 2.0), (1, 1.0)], bounds=bounds)
    assert [hit.path for hit in hits] == ["a.py"]
    assert [memory.id for memory in asked] == ["m1"]


def test_the_known_files_of_a_filter_pass_without_a_test_of_each():
    asked = []
    bounds = Bounds(admits=lambda chunk, _memory: asked.append(chunk.path), files=frozenset(["b.py"]))
    assert [hit.path for hit in ask([code("a.py"), code("b.py")], bounds=bounds)] == ["b.py"]
    assert not asked


def test_bounds_that_admit_the_project_decide_on_other_memories_only():
    asked = []
    bounds = Bounds(admits=lambda _chunk, memory: asked.append(memory.id) or memory.id == "m3", admits_project=True)
    memories = [stored_memory("m1"), stored_memory("m2", scope="global"), stored_memory("m3", scope="session")]
    hits = ask([], memories, lexical=[(0, 3.0), (1, 2.0), (2, 1.0)], bounds=bounds)
    assert sorted(hit.id for hit in hits) == ["m1", "m3"]
    assert asked == ["m2", "m3"]


@pytest.mark.parametrize(
    "fields",
    [
        {},
        {"archived": True},
        {"redacted": True},
        {"superseded_by": "m9"},
        {"merged_into": "m9"},
        {"review": "pending"},
        {"review": "rejected"},
        {"review": "approved"},
        {"type": "context_hit"},
        {"type": "context_hit", "private": True, "details": {"commit": "c1"}},
        {"expires": "2026-02-28T23:59:59.000Z"},
        {"expires": "2027-01-01T00:00:00.000Z"},
        {"expires": "one day"},
    ],
)
def test_filtering_many_memories_equals_filtering_each(fields):
    memory = stored_memory("m1", **fields)
    known = {"m1": memory}
    assert recallable_among(["m0", "m1"], known.get, NOW) == (known if is_recallable(memory, NOW) else {})


def test_a_certain_match_is_one_candidate_without_common_words():
    told, silent = stored_memory("m1"), stored_memory("m2")
    hits = ask([], [told, silent], lexical=[(0, 1.0)], bounds=Bounds(required=(told, silent)))
    assert [hit.id for hit in hits] == ["m1", "m2"]
    assert {reason.signal for reason in hits[1].why}.isdisjoint(("words", "meaning"))
    assert ask([], [told], lexical=[], bounds=Bounds(required=(told,)), kind="code") == ()


class PresetTokens(PresetIndex):
    """An index whose memories have one token each, nearer to the question for lower numbers."""

    def token(self, number):
        return np.array([[1.0, 0.02 * number]], np.float32)

    def nearest_encoded(self, vector, limit):
        return self.encoded_cosines(vector, list(self._chunks))[:limit]

    def encoded_cosines(self, vector, ids, limit=None):
        return [(number, 0.9 - 0.01 * number) for number in ids]

    def numbers_of_memories(self, identities):
        known = {chunk.path: number for number, chunk in self._chunks.items()}
        return {identity: known[identity] for identity in identities if identity in known}

    def encodings(self, ids):
        return {}

    def token_states(self, ids):
        return {number: packed(self.token(number)) for number in ids}


def test_a_certain_match_is_ranked_although_many_others_match_better():
    memories = [stored_memory(f"m{number:02}") for number in range(60)]
    reader = PresetTokens([Chunk(kind="memory", path=m.id, start=1, end=1, text=m.text) for m in memories], lexical=())
    for required in (), memories[-1:]:
        request = SearchRequest(
            "question",
            VECTOR,
            {m.id: m for m in memories},
            10,
            NOW,
            terms=Relevance(),
            kind="memory",
            bounds=Bounds(required=required),
            encoded=Encoded(VECTOR, reader.token(0)),
        )
        found = {hit.memory.id for hit in search(reader, request)}
        assert len(found) < len(memories)
        assert (memories[-1].id in found) == bool(required)
