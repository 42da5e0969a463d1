"""Snippets: the shown lines, and the marked words in them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from muninn_core.model.chunk import Chunk
from muninn_core.retrieval.text.informative_terms import LIKE_WORDS, MAX_WORDS, informative_terms, limit_terms
from muninn_core.retrieval.text.phrase import holding, index_words, parts
from muninn_core.retrieval.text.snippet import LINE_CHARACTERS, LINES, Marker
from muninn_core.source.identifiers import split_words


def marker(question, **weights):
    return Marker({word: weights.get(word, 1.0) for word in split_words(question).split()})


def marked(line):
    units = line.text.encode("utf-16-le")
    return [units[2 * each.start : 2 * each.end].decode("utf-16-le") for each in line.marks]


def test_the_lines_with_the_most_words_are_shown_and_their_words_marked():
    text = "def a():\n    pass\n\n\n\n\ndef get_user_name(uid):\n    return users[uid].name\n\n\nrest"
    lines = marker("user name").snippet(text, first=10)
    assert [line.line for line in lines] == [16, 17, 18]
    assert [marked(line) for line in lines] == [["user", "name"], ["users", "name"], []]


def test_only_the_part_of_an_identifier_that_was_asked_for_is_marked():
    (line,) = marker("user").snippet("getUserName")
    assert marked(line) == ["User"]
    (line,) = marker("getusername").snippet("x = getUserName")
    assert "getUserName" in marked(line) or marked(line) == ["get", "User", "Name"]


def test_a_rare_word_outweighs_common_ones():
    text = "\n".join(["return self value", *[""] * 10, "the kraken"])
    lines = marker("return self kraken", kraken=3.0).snippet(text)
    assert "kraken" in [word for line in lines for word in marked(line)]


def test_offsets_count_utf_16_code_units():
    (line,) = marker("token").snippet("🚀🚀 the token")
    assert [(each.start, each.end) for each in line.marks] == [(9, 14)]
    assert marked(line) == ["token"]


def test_words_without_blanks_between_them_are_marked_where_they_stand():
    (line,) = marker("認証").snippet("利用者の認証を行う")
    assert marked(line) == ["認証"]


def test_a_text_without_any_of_the_words_has_no_snippet():
    assert marker("absent").snippet("nothing of it\nhere") == ()
    assert Marker({}).snippet("text") == ()


def test_a_line_of_fifty_megabytes_is_cut():
    (line,) = marker("x").snippet("x " + "y" * 50_000_000)
    assert len(line.text) <= LINE_CHARACTERS
    assert marked(line) == ["x"]


def test_a_snippet_has_few_lines():
    assert len(marker("x").snippet("x\n" * 300)) == LINES


@pytest.mark.parametrize(
    ("phrase", "text", "there"),
    [
        ("user name", "getUserName()", True),
        ("user name", "user.name", True),
        ("User Name", "the user\n  name", True),
        ("user name", "the user names", False),
        ("user name", "username", False),
        ("user name", "name of the user", False),
        ("getUserName", "get_user_name", True),
        ("größe der", "Die Größe der Datei", True),
        ("認証を", "利用者の認証を行う", True),
        ("sha256 sum", "sha 256 sum", True),
        ("x y x", "xy xY_x", True),
        ("2 b", "2b", True),
    ],
)
def test_a_phrase_is_words_side_by_side_also_in_identifiers(phrase, text, there):
    chunk = Chunk(kind="code", path="a.py", start=1, end=2, text=text)
    assert holding([phrase])(chunk) is there
    if there:
        assert set(index_words(phrase)) <= set(split_words(text).split())


@given(st.text("aAbB1_ .é", max_size=30), st.text("aAbB1_ é", max_size=8).map("a{}".format))
def test_a_quick_look_at_letters_hides_no_phrase(text, phrase):
    chunk = Chunk(kind="code", path="a.py", start=1, end=1, text=text)
    assert holding([phrase])(chunk) is (parts(phrase) in parts(text))


def test_a_phrase_does_not_reach_from_the_title_into_the_text():
    chunk = Chunk(kind="memory", path="m", start=1, end=1, text="name", title="user")
    assert not holding(["user name"])(chunk)


def test_a_long_question_is_searched_by_its_rarest_words_in_their_order():
    text = " ".join([*(f"common{i}" for i in range(5_000)), "kraken", *(f"usual{i}" for i in range(5_000)), "hydra"])
    asked = []

    def frequency(word):
        asked.append(word)
        return 0 if word.startswith("usual") else 1 if word == "kraken" else 50

    short, distinct = limit_terms(text, frequency)
    assert distinct == 10_002
    assert len(short.split()) <= MAX_WORDS
    assert len(asked) < 40_000
    short, _ = limit_terms("kraken " + " ".join(f"common{i}" for i in range(500)), frequency)
    assert short.split()[0] == "kraken"
    assert len(short.split()) == MAX_WORDS


def test_a_question_of_usual_length_is_not_touched():
    text = "why, exactly: does `it` fail?  (twice)"
    assert limit_terms(text * 20, lambda _word: 1)[0] == text * 20


def test_words_frequent_here_and_rare_elsewhere_have_most_weight():
    text = "the the kraken kraken of of " + " ".join(f"word{i}" for i in range(100))
    found = informative_terms(text, lambda word: 1 if word == "kraken" else 1_000).split()
    assert found[0] == "kraken" or "kraken" in found
    assert len(found) == LIKE_WORDS


@pytest.mark.parametrize(
    ("text", "first"),
    [
        ("ctx, cancel = with_timeout()\nctx.cancel()\ncancel(ctx)\n\n\n\n\nit cancels ctx later", 8),
        ("ctx, cancel = with_timeout()\nctx.cancel()\ncancel(ctx)\n\n\n\n\n# it cancels\n# ctx later", 8),
    ],
)
def test_a_phrase_is_shown_where_it_stands(text, first):
    wanted = dict.fromkeys(split_words("cancels ctx").split(), 1.0)
    assert Marker(wanted).snippet(text)[0].line == 1
    assert Marker(wanted, ["cancels ctx"]).snippet(text)[0].line == first
    assert Marker(wanted, ["stands nowhere"]).snippet(text)[0].line == 1
