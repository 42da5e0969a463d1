"""The query language: filters, words, and the positions of mistakes."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from muninn_core.errors import BadParams
from muninn_core.model.memory import KINDS
from muninn_core.retrieval.query.filters import wrong_value
from muninn_core.retrieval.query.query_language import KEYS, MAX_CHARACTERS, read_question


def check(key, value):
    return wrong_value(key, value, KINDS)


def read(text):
    return read_question(text, check)


def refused(text):
    with pytest.raises(BadParams) as error:
        read(text)
    return error.value


def test_words_filters_and_phrases_are_told_apart():
    question = read('type:decision why tag:auth,"log in" -path:tests/** "exact phrase" -"not this"')
    assert question.text == "why exact phrase"
    assert [(each.key, each.values, each.negated) for each in question.filters] == [
        ("type", ("decision",), False),
        ("tag", ("auth", "log in"), False),
        ("path", ("tests/**",), True),
    ]
    assert [(each.text, each.negated) for each in question.phrases] == [("exact phrase", False), ("not this", True)]


def test_a_filter_has_its_source_text_and_column():
    (one,) = read("x  importance:>=7").filters
    assert (one.source, one.column) == ("importance:>=7", 4)


@pytest.mark.parametrize(
    "plain",
    [
        "how does http://localhost:80/x work",
        "std::vec::Vec and foo::bar",
        "std: what is it",
        "path: where is it",
        "time:now math:sin unit:px long:int",
        "key:value",
        "a dict['type:x'] and `tag:y`",
        'a 5" disk',
        "file:///etc/hosts",
        "Type:decision",
        "C:\\Windows",
        "12:30",
        "type::of",
        "  ",
        "🚀 :+1:",
    ],
)
def test_a_plain_question_stays_as_it_is(plain):
    question = read(plain)
    assert (question.text, question.filters, question.phrases, question.notes) == (plain, (), (), ())


@pytest.mark.parametrize(
    ("text", "column", "near"),
    [
        ("tpye:decision x", 1, "type:decision"),
        ("x tags:auth", 3, "tag:auth"),
        ("x paths:src/**", 3, "path:src/**"),
        ("language:python", 1, "lang:python"),
        ("sesion:abc", 1, "session:abc"),
        ("importence:>=3", 1, "importance:>=3"),
        ("日本 sinse:2w", 4, "since:2w"),
        ("-tpye:decision", 2, "type:decision"),
    ],
)
def test_a_misspelt_key_is_an_error_at_its_column_that_names_the_right_one(text, column, near):
    error = refused(text)
    assert error.data["column"] == column
    assert f"column {column}" in error.message
    assert near in error.hint
    assert "in quotes" in error.hint


@pytest.mark.parametrize(
    ("text", "column", "said"),
    [
        ("x type:desicion", 3, "did you mean 'decision'"),
        ("kind:cod", 1, "did you mean 'code'"),
        ("lang:pyhton", 1, "did you mean 'python'"),
        ("importance:high", 1, "1 to 10"),
        ("importance:11", 1, "1 to 10"),
        ("x importance:5..3", 3, "1 to 10"),
        ("since:yesterday", 1, "since:2w"),
        ("until:2026-13-01", 1, "a date"),
        ("path:../x", 1, "below the root"),
        ("path:[z-a]", 1, "not a set"),
        ("-at:main", 1, "one revision"),
        ("at:main,dev", 1, "one revision"),
        ('"never closed', 1, "no partner"),
        ('a path:"b c', 3, "no partner"),
        ('x -"y', 4, "no partner"),
    ],
)
def test_a_wrong_value_is_an_error_at_its_column(text, column, said):
    error = refused(text)
    assert error.data["column"] == column
    assert said in error.message


def test_the_excerpt_points_at_the_mistake_also_behind_wide_letters():
    assert refused("日本 tpye:decision").data["excerpt"].split("\n") == ["日本 tpye:decision", "     ^^^^"]
    long = "word " * 3 + "x" * 100 + " type:desicion " + "y" * 100
    shown, pointer = refused(long).data["excerpt"].split("\n")
    assert shown[pointer.index("^") : pointer.index("^") + pointer.count("^")] == "type:desicion"
    assert len(shown) < 100


def test_quotations_and_errors_in_prose_are_words_and_the_answer_says_so():
    text = 'allow a component to return an array since it threw "is not a function" and tpye:decision and "more'
    question = read(text)
    assert (question.text, question.phrases) == (text, ())
    assert len(question.notes) == 3
    assert any("quotation counts as words" in note for note in question.notes)
    assert any("tpye" in note for note in question.notes)


def test_in_prose_a_filter_is_still_one():
    question = read("why do we keep the runtime directory so very short path:core/**")
    assert [each.key for each in question.filters] == ["path"]
    assert "path:" not in question.text


def test_a_filter_within_prose_is_plain_text_and_the_answer_says_so():
    text = "the parser fails on labels such as type:decision or tag:auth when they are pasted from an issue"
    question = read(text)
    assert (question.text, question.filters) == (text, ())
    assert [note.split(":")[0] for note in question.notes] == ["'type", "'tag"]


def test_at_both_ends_of_prose_filters_are_filters():
    question = read(
        "type:decision tag:auth why do the tokens of a session expire after an hour or so path:src/** lang:py"
    )
    assert [each.key for each in question.filters] == ["type", "tag", "path", "lang"]
    assert question.text.startswith("why do")
    assert question.text.endswith("or so")


def test_in_a_terse_question_a_filter_may_be_anywhere():
    assert [each.key for each in read("tokens type:decision expire").filters] == ["type"]


def test_empty_quotation_marks_ask_for_nothing():
    assert read('tuple such as (a, "") is').phrases == ()
    assert read('"" x').text == '"" x'


def outcome(text):
    """Return (column, None) of a refusal, else (0, question)."""
    try:
        return 0, read(text)
    except BadParams as error:
        return error.data["column"], None


@given(st.text(max_size=60))
def test_no_text_breaks_the_parser(text):
    column, question = outcome(text)
    assert column <= len(text)
    assert column or all(each.key in KEYS and each.values for each in question.filters)


@pytest.mark.parametrize("piece", ['a:b "x" ', '"', "tag:", "type:decision ", 'path:"a,b",', "-", ":", "x:" * 50])
def test_a_long_question_is_read_to_its_end(piece):
    text = (piece * (MAX_CHARACTERS // len(piece)))[: MAX_CHARACTERS - 1]
    column, question = outcome(text)
    assert column or len(question.text) <= len(text)


def test_a_question_of_a_megabyte_is_refused():
    assert "characters" in refused("x" * 1_000_000).message
