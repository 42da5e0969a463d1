"""Scores and the order they make: words and meaning, sources, reasons and ties."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from preset_index import VECTOR, PresetIndex, ask, code, recall, signals, stored_memory

from muninn_core.retrieval import weights as w
from muninn_core.retrieval.candidates.generation import fuse
from muninn_core.retrieval.request import Bounds


def test_the_best_by_words_and_by_meaning_both_get_the_whole_weight():
    first, second = ask([code("a.py"), code("b.py")], lexical=[(0, 8.0), (1, 4.0)], dense=[(0, 0.9), (1, 0.7)])
    # What words say already is no news when meaning says it.
    assert signals(first) == {"words": w.WORDS, "meaning": w.MEANING * (1 - w.MEANING_OVERLAP)}
    assert signals(second) == {"words": 0.5 * w.WORDS}
    assert (first.path, first.score) == ("a.py", w.WORDS + w.MEANING * (1 - w.MEANING_OVERLAP))


def test_without_a_vector_words_alone_decide():
    found = recall(PresetIndex([code()], dense=[(0, 0.9)]), None, {}, "x", limit=5)
    assert set(signals(found[0])) == {"words"}


def test_a_low_similarity_is_not_scaled_up():
    assert fuse([[]], [[(0, -0.1), (1, -0.1)]]) == [{}]
    assert fuse([[(0, 0.0)]], []) == [{}]


class TwoSources(PresetIndex):
    """An index of two sources that give the same ids to different chunks."""

    def __init__(self, first, second):
        super().__init__([])
        self.sources = (first, second)


def test_chunks_of_two_sources_with_the_same_id_are_both_found():
    reader = TwoSources(PresetIndex([code("a.py")], [(0, 4.0)], [(0, 0.9)]), PresetIndex([code("b.py")], [(0, 8.0)]))
    found = recall(reader, VECTOR, {}, "question", limit=5)
    assert {hit.path: signals(hit) for hit in found} == {
        "a.py": {"words": 0.5 * w.WORDS, "meaning": pytest.approx(w.MEANING * (1 - 0.5 * w.MEANING_OVERLAP), abs=1e-4)},
        "b.py": {"words": w.WORDS},
    }


def test_the_ids_that_may_be_found_are_those_of_their_source():
    reader = TwoSources(Allowing([code("a.py"), code("b.py")]), Allowing([code("c.py"), code("d.py")]))
    allowed = {"code": [[1], [0]], "knowledge": None, "memory": [[], []]}
    found = recall(reader, None, {}, "question", limit=5, bounds=Bounds(allowed=allowed))
    assert {hit.path for hit in found} == {"b.py", "c.py"}


class Allowing(PresetIndex):
    """An index of code that finds the given ids only."""

    def lexical(self, words, limit, kind=None, *, only=None, every=()):
        """Return what was given, best first, among the ids: several kinds are asked for at once."""
        assert kind is None
        assert only.kinds == ("knowledge",)
        return [hit for hit in self._lexical if any(hit[0] in ids for ids in only.ids)]


@settings(deadline=None)
@given(
    st.lists(st.tuples(st.integers(0, 9), st.floats(0, 50)), max_size=12, unique_by=lambda pair: pair[0]),
    st.lists(st.tuples(st.integers(0, 9), st.floats(-1, 1)), max_size=12, unique_by=lambda pair: pair[0]),
    st.text(min_size=1, max_size=30),
)
def test_the_reasons_of_a_hit_add_up_to_its_score(lexical, dense, text):
    chunks = [code(f"tests/{number % 3}.py", number, symbol=text[:5]) for number in range(8)]
    memories = [stored_memory(f"m{number}", importance=number + 1) for number in range(2)]
    found = ask(chunks, memories, text, lexical=lexical, dense=dense)
    for hit in found:
        assert hit.score == pytest.approx(sum(reason.contribution for reason in hit.why), abs=1e-9)
        for reason in hit.why:
            assert reason.contribution == pytest.approx(reason.value * reason.weight, abs=1e-3)
    assert [hit.score for hit in found] == sorted((hit.score for hit in found), reverse=True)
    assert ask(chunks, memories, text, lexical=lexical, dense=dense) == found


def test_ties_are_broken_by_kind_path_line_and_id():
    chunks = [code("b.py", 9), code("b.md", 1, kind="knowledge"), code("a.py", 30), code("c.py", 5)]
    found = ask(chunks)
    assert [(hit.kind, hit.path) for hit in found] == [
        ("code", "a.py"),
        ("code", "b.py"),
        ("code", "c.py"),
        ("knowledge", "b.md"),
    ]
    assert ask(list(reversed(chunks))) == found


def test_the_order_does_not_depend_on_the_numbers_of_chunks_even_at_the_edge():
    chunks = [code(f"f{number:03}.py") for number in range(90)]
    assert ask(chunks, limit=5) == ask(list(reversed(chunks)), limit=5)
