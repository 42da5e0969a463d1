"""The columns of memory's candidates have the values of a loop over single memories."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from muninn_core.model.memory import Memory
from muninn_core.retrieval import weights as w
from muninn_core.retrieval.session_match import session_matches
from muninn_core.retrieval.word_rows import WordRows, kept_rows
from muninn_core.source.identifiers import split_words
from muninn_core.worktree.session_order import SessionOrder

TEXTS = st.text(st.sampled_from("abcdeé_ .9ABC本"), max_size=12)


def memory(place: int, session: str, text: str = "x") -> Memory:
    return Memory(id=f"m{place}", type="insight", text=text, ts="2026-01-01T00:00:00.000Z", session=session)


@settings(deadline=None)
@given(st.lists(TEXTS, max_size=6), st.lists(TEXTS, max_size=4))
def test_a_text_holds_the_words_that_splitting_it_gives(texts: list[str], asked: list[str]) -> None:
    rows, words = WordRows(), list(dict.fromkeys(" ".join(map(split_words, asked)).split()))
    for _ in range(2):  # the second time from what is kept
        held = rows.holding(texts, words)
        assert held.tolist() == [[word in split_words(text).split() for word in words] for text in texts]


def test_too_many_rows_are_dropped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("muninn_core.retrieval.word_rows._MOST_ROWS", 1)
    first = kept_rows()
    first.holding(["one text", "another text"], ["text"])
    assert kept_rows() is not first
    assert kept_rows() is kept_rows()


@settings(deadline=None)
@given(st.lists(st.tuples(st.sampled_from("stu "), st.booleans(), st.floats(0, 2)), min_size=1, max_size=9))
def test_neighbours_count_by_their_distance(given_memories: list[tuple[str, bool, float]]) -> None:
    stored = {f"m{n}": memory(n, name.strip()) for n, (name, _, _) in enumerate(given_memories)}
    order = SessionOrder(lambda: stored)
    found = {f"m{n}": match for n, (_, chosen, match) in enumerate(given_memories) if chosen}
    memories = [stored[each] for each in found]
    asks = np.array([int(each.id[1:]) % 2 == 0 for each in memories], bool)
    values = session_matches(memories, np.array(list(found.values())), asks, (), {}, order)
    near = order.near(found, 2)
    for row, each in enumerate(found):
        beside = [(found.get(other, 0.0), distance, other) for other, distance in near.get(each, ())]
        assert values.nearby[row] == sum(value * (1.0 if distance == 1 else w.SECOND) for value, distance, _ in beside)
        before = [other for _, distance, other in beside if distance == 1 and other < each]
        asked = [other for other in before if other in found and int(other[1:]) % 2 == 0]
        assert values.answers[row] == (found[asked[0]] if asked else 0.0)
