import pytest

from muninn_core.index.embedding.vocabulary import is_common
from muninn_core.model.chunk import Chunk
from muninn_core.retrieval.query.spelling import corrections, misspellings

COUNTS = {"browser": 90, "subdomain": 1, "wildcard": 3, "handl": 8, "light": 40, "command": 12, "panic": 4}


def frequency(word):
    return COUNTS.get(word, 0)


@pytest.mark.parametrize(
    ("question", "wanted"),
    [
        ("add the data protocol to the brower", {"brower": "browser"}),
        ("sundomains and wilcards", {"sundomains": "subdomain", "wilcards": "wildcard"}),
        ("where is redisFormatCommadn made", {"commadn": "command"}),
        ("Borwser", {"borwser": "browser"}),
        ("browserr", {"browserr": "browser"}),
        ("it handels", {"handels": "handl"}),
        ("the browser's wildcard", {}),
        ("the flight and its commands, massaged", {}),
        ("brwsr", {}),
        ("lihgt", {}),
        ("", {}),
        ("字符编码问题 été 12345678", {}),
        ("x" * 60, {}),
    ],
)
def test_an_unknown_word_is_corrected_by_a_single_edit(question, wanted):
    assert misspellings(question, frequency, is_common) == wanted


def test_the_commonest_near_word_is_taken_and_of_equals_the_first():
    common = {"reader": 5, "render": 9, "header": 2, "headwr": 2}
    assert misspellings("reander", lambda word: common.get(word, 0), lambda _word: False) == {"reander": "render"}
    assert misspellings("headxr", lambda word: common.get(word, 0), lambda _word: False) == {"headxr": "header"}


def test_a_question_of_many_unknown_words_looks_up_a_bounded_number():
    asked = []
    misspellings(
        " ".join(f"unknown{letter * 3}" for letter in "abcdefghijklmnop"),
        lambda word: len(asked.append(word) or ""),
        is_common,
    )
    assert len(asked) < 16 + 4 * 1500


class OneChunk:
    """An index of a single text."""

    def __init__(self, text):
        self._text = text

    def frequency(self, word):
        """Return how often a word is there."""
        return COUNTS.get(word, 0)

    @property
    def sources(self):
        return (self,)

    def lexical(self, words, limit, kind):
        """Return the text, which is code."""
        return [(7, 1.0)] if kind == "code" else []

    def chunks(self, ids):
        """Return the text."""
        return {7: Chunk(kind="code", path="a.py", start=1, end=2, text=self._text)}


@pytest.mark.parametrize(
    ("text", "wanted"),
    [("def isWildcardHost():\n    pass", "wildcard"), ("two\nWILDCARDS", "wildcards"), ("x", "wildcard")],
)
def test_the_correction_keeps_the_written_form(text, wanted):
    assert corrections("every wilcard", OneChunk(text), is_common) == {"wilcard": wanted}
