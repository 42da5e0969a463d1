"""When a search finds nothing because neither words nor meaning match the question."""

from __future__ import annotations

from preset_index import VECTOR, PresetIndex, code, rank, stored_memory

from muninn_core.retrieval.request import Bounds


class PresetRarities(PresetIndex):
    """An index with preset known words."""

    def __init__(self, known, strange, *rest):
        super().__init__(*rest)
        self._known = known
        self._strange = strange

    def rarities(self, words):
        """Return a low rarity for known words, and the number of documents for all others."""
        return {word: 6.0 if word in self._known else self._strange for word in words}


def crowd(known, cosine, text, strange=8.0, **more):
    """Rank 200 chunks, of which the nearest has a cosine, in an index that knows some words."""
    chunks = [code(f"f{number:03}.py") for number in range(200)]
    lexical = [(number, 2.0 - number / 1000) for number in range(200)]
    dense = [(number, cosine - number / 1000) for number in range(200)]
    return rank(PresetRarities(known.split(), strange, chunks, lexical, dense), VECTOR, {}, text, limit=5, **more)


def test_a_question_of_unknown_words_without_near_vectors_finds_nothing_and_says_why():
    far = crowd("", 0.3, "red wine stain")
    assert far == []
    assert "cosine 0.30" in far.abstention
    assert crowd("grape", 0.3, "red wine stain").abstention


def test_words_or_meaning_alone_suffice_for_an_answer():
    for found in (crowd("red", 0.3, "red wine stain"), crowd("", 0.5, "red wine stain")):
        assert len(found) >= 5
        assert found.abstention == ""


def test_in_a_small_repository_a_missing_word_is_no_reason_to_abstain():
    assert crowd("", 0.3, "red wine stain", strange=6.0).abstention == ""
    assert crowd("", 0.3, "red wine stain", strange=7.0).abstention


def test_among_a_few_there_is_no_doubt():
    found = rank(PresetIndex([code()], [(0, 0.1)], [(0, 0.1)]), VECTOR, {}, "red wine stains", limit=5)
    assert [each.chunk.path for each in found] == ["a.py"]
    assert crowd("", 0.3, "red wine stain", bounds=Bounds(required=[stored_memory("m1")]))
