"""Which of the ranked memories answer a question, by the match of their tokens."""

from __future__ import annotations

import pytest

from muninn_core.model.chunk import Chunk
from muninn_core.model.memory import Memory
from muninn_core.retrieval.rankers.answering_memories import MIN_CONFIDENCE, OF_COMMIT, _confident, _considered
from muninn_core.retrieval.results.ranking import Candidate


def candidate(identity: str, match: float, trust: str = "user") -> Candidate:
    """Return a ranked memory with the match of its tokens; its cosine is the same."""
    memory = Memory(id=identity, type="insight", text=identity, ts="2026-01-01T00:00:00.000Z", title="", trust=trust)
    chunk = Chunk(kind="memory", path=identity, start=1, end=1, text=identity, title="")
    made = Candidate(chunk, memory, [])
    made.interaction = match
    return made


def answers(*candidates: Candidate) -> list[str]:
    ranked = {each.chunk.path: each for each in candidates}
    return list(_confident(ranked, {each.chunk.path: each.interaction or 0.0 for each in candidates}))


@pytest.mark.parametrize("nearer", [0.0, OF_COMMIT / 2])
def test_a_memory_made_of_a_commit_needs_a_better_match(nearer: float) -> None:
    assert answers(candidate("a", 0.6 + nearer, "commit"), candidate("b", 0.6)) == ["b", "a"]
    assert answers(candidate("a", 0.6 + 2 * OF_COMMIT, "commit"), candidate("b", 0.6))[0] == "a"
    assert answers(candidate("a", MIN_CONFIDENCE + nearer, "commit")) == []
    assert answers(candidate("b", MIN_CONFIDENCE + nearer)) == ["b"]


def test_memories_made_of_commits_do_not_take_the_places_of_others() -> None:
    ranked = [*(candidate(f"c{number}", 0.9, "commit") for number in range(30)), candidate("told", 0.5)]
    assert [each.chunk.path for each in _considered(ranked, commits=False)] == ["told"]
    assert len(_considered(ranked, commits=True)) == 8
