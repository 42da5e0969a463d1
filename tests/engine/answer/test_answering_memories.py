"""Memories that answer a question come in a block of their own, and only then."""

from __future__ import annotations

import pytest

from muninn_core.context.results.text import recall_text, show_text
from muninn_core.errors import BadParams
from muninn_core.retrieval.rankers.answering_memories import (
    FURTHER_MARGIN,
    MIN_CONFIDENCE,
    MIN_CONFIDENCE_WITH_QUESTIONS,
)

pytest_plugins = ["engines"]

FACT = "Sessions are signed cookies; nothing is stored on the server."

CODE = '''
def open_session(sessions, request):
    """Where sessions are stored: sessions, session storage, stored sessions."""
    return sessions.stored(request)
'''


@pytest.fixture
def flask(muninn):
    """A repository with code that repeats a question's words, and a memory that answers it."""
    for number in range(8):
        (muninn.root / "src" / f"sessions_{number}.py").write_text(CODE.replace("open_", f"open_{number}_"))
    muninn.call("remember", text=FACT, type="decision", files=["src/sessions_0.py"])
    muninn.call("remember", text="The release is tagged by the pipeline after the changelog is written.")
    muninn.call("index", wait=True)
    return muninn


def test_a_memory_that_answers_is_shown_above_code_that_repeats_the_words(flask):
    result = flask.call("recall", query="where are sessions stored")
    assert [hit.text for hit in result.remembered] == [FACT]
    assert {"code", "memory"} <= {hit.kind for hit in result.hits}
    shown = recall_text(result)
    assert shown.startswith("Remembered:")
    assert shown.count(FACT) == 1
    assert shown.index(FACT) < shown.index("Other hits:")


def test_a_memory_that_answers_says_how_certain_that_is_and_what_was_enough(flask):
    result = flask.call("recall", query="where are sessions stored")
    (hit,) = result.remembered
    assert hit.certainty >= hit.least_certainty == MIN_CONFIDENCE
    assert {each.certainty for each in result.hits} == {None}
    flask.call("remember", text=FACT.replace("cookies", "tokens"), questions=["Where are sessions kept?"])
    flask.call("index", wait=True)
    both = flask.call("recall", query="where are sessions stored").remembered
    assert {hit.least_certainty for hit in both} == {MIN_CONFIDENCE, MIN_CONFIDENCE_WITH_QUESTIONS}
    assert all(hit.certainty >= hit.least_certainty - FURTHER_MARGIN for hit in both)


def test_code_that_repeats_the_words_in_many_files_leaves_room_for_memories(muninn):
    for number in range(100):
        code = f"def recipe_timeout_{number}(recipe):\n    return recipe.timeout\n"
        (muninn.root / "src" / f"recipe_{number}.py").write_text(code)
    fact = "Recipes time out after 30 minutes by default."
    muninn.call("remember", text=fact)
    muninn.call("index", wait=True)
    for limit in (1, 10, 40):
        assert [hit.text for hit in muninn.call("recall", query="recipe timeout", limit=limit).remembered] == [fact]


@pytest.mark.parametrize("query", ["def open_3_session", "convert a bitmap to greyscale", "src/users.py"])
def test_without_an_answer_there_is_no_block(flask, query):
    result = flask.call("recall", query=query)
    assert result.remembered == ()
    assert "Remembered:" not in recall_text(result)


def test_a_question_of_one_kind_and_further_pages_have_no_block(flask):
    assert flask.call("recall", query="where are sessions stored", kind="memory").remembered == ()
    first = flask.call("recall", query="where are sessions stored", limit=1)
    assert len(first.remembered) == 1
    assert flask.call("recall", page=first.next).remembered == ()


def test_a_text_that_is_stored_twice_is_shown_once(flask):
    flask.call("remember", text=FACT.upper(), session="another")
    assert len(flask.call("recall", query="where are sessions stored").remembered) == 1


def test_a_forgotten_memory_is_not_in_the_block(flask):
    (hit,) = flask.call("recall", query="where are sessions stored").remembered
    flask.call("forget", id=hit.id)
    assert flask.call("recall", query="where are sessions stored").remembered == ()


def test_a_memory_is_found_by_the_questions_that_it_answers(flask):
    text = "SIGINT is handled between two chunks of an upload."
    asked = "is it safe to press ctrl-c during a transfer"
    (identity,) = flask.call("remember", text=text, files=["src/users.py"]).ids
    assert text not in [hit.text for hit in flask.call("recall", query=asked).remembered]
    changed = flask.call("update", id=identity, questions=["can ctrl-c break a running transfer?"])
    assert changed.changed == ("questions",)
    found = flask.call("recall", query=asked)
    assert found.remembered[0].text == text
    (code,) = [hit for hit in found.hits if (hit.kind, hit.path) == ("code", "src/users.py")]
    assert [reason.note.split()[0] for reason in code.why if reason.signal == "remembered"] == [identity]
    assert flask.call("recall", query="ctrl", kind="memory").hits[0].text == text
    assert "answers: can ctrl-c break a running transfer?" in show_text(flask.call("show", id=identity))
    assert flask.call("update", id=identity, questions=[]).changed == ()
    assert flask.call("update", id=identity, questions=changed.memory.questions).changed == ()
    emptied = flask.call("update", id=identity, questions=[" "])
    assert (emptied.changed, emptied.memory.questions) == (("questions",), ())
    assert text not in [hit.text for hit in flask.call("recall", query=asked).remembered]


def test_a_newer_version_comes_before_an_older_one_whose_question_is_asked(flask):
    old = "Uploads are limited to 8 MB by the proxy."
    new = "The upload limit was raised to 20 MB, since designers send larger drafts."
    flask.call("remember", text=old, questions=["how large may an attachment be?"])
    flask.call("remember", text=new)
    found = [hit.text for hit in flask.call("recall", query="how large may an attachment be?", kind="memory").hits]
    assert found.index(new) < found.index(old)


def test_more_questions_than_allowed_are_refused(flask):
    with pytest.raises(BadParams, match="questions"):
        flask.call("remember", text="One.", questions=[f"question {number}?" for number in range(21)])


def test_filters_apply_to_the_block(flask):
    assert flask.call("recall", query="where are sessions stored type:decision").remembered
    assert not flask.call("recall", query="where are sessions stored -type:decision").remembered
