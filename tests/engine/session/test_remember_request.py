"""The request to an agent to remember what its session decided."""

from __future__ import annotations

import pytest
from transcripts import Transcript

pytest_plugins = ["engines"]

RULE = "Never spawn a shell for user input, because we had a CVE there."
DECIDED = "We decided to keep `users.py` small because every request reads it."


@pytest.fixture
def asking(muninn):
    """An engine that asks agents."""
    muninn.call("config.set", key="memory.ask_agent", value="true")
    return muninn


def end_turn(muninn, path, **more):
    given = {"session": "s1", "transcript": str(path), "agent": "claude-code", "may_ask": True, **more}
    return muninn.call("capture", source="turn", **given).ask


def said(muninn, tmp_path, *messages):
    transcript = Transcript(muninn.root, "s1")
    for role, text in messages:
        transcript.said(role, text)
    return transcript.save(tmp_path / "s1.jsonl")


def test_an_agent_is_asked_once_with_the_statements_of_the_session(asking, tmp_path):
    path = said(asking, tmp_path, ("user", RULE), ("assistant", DECIDED))
    asked = end_turn(asking, path)
    assert f"constraint (user, kept as it stands): {RULE}" in asked
    assert f"decision (assistant): {DECIDED}" in asked
    assert end_turn(asking, path) == ""


def test_an_agent_is_asked_about_an_answer_that_its_transcript_does_not_have_yet(asking, tmp_path):
    path = said(asking, tmp_path, ("user", "Please go on."))
    assert DECIDED in end_turn(asking, path, answer=DECIDED)


def test_an_agent_is_asked_before_its_transcript_is_written(asking, tmp_path):
    assert DECIDED in end_turn(asking, tmp_path / "s1.jsonl", answer=DECIDED)


def test_a_later_turn_asks_when_the_earlier_ones_stated_nothing(asking, tmp_path):
    assert end_turn(asking, said(asking, tmp_path, ("user", "Please go on."), ("assistant", "Done."))) == ""
    more = said(asking, tmp_path, ("user", "Please go on."), ("assistant", "Done."), ("user", RULE))
    assert RULE in end_turn(asking, more)


@pytest.mark.parametrize(
    "given", [{"may_ask": False}, {"session": None}, {"transcript": None}, {"transcript": "/nowhere/s1.jsonl"}]
)
def test_without_a_following_turn_no_request_is_made(asking, tmp_path, given):
    assert end_turn(asking, said(asking, tmp_path, ("user", RULE)), **given) == ""


def test_nothing_is_asked_by_default(muninn, tmp_path):
    assert end_turn(muninn, said(muninn, tmp_path, ("user", RULE))) == ""


def test_a_stored_decision_causes_no_request_to_remember(asking, tmp_path):
    path = said(asking, tmp_path, ("user", RULE))
    asking.call("capture", source="transcript", session="s1", transcript=str(path), agent="claude-code")
    assert end_turn(asking, path) == ""


@pytest.mark.parametrize(
    ("answers", "kept"), [((), {RULE, DECIDED}), (("Requests read `users.py`: keep it small.",), {RULE})]
)
def test_an_agent_that_answers_decides_on_its_own_statements_and_not_on_the_users(asking, tmp_path, answers, kept):
    path = said(asking, tmp_path, ("user", RULE), ("assistant", DECIDED))
    assert end_turn(asking, path)
    for text in answers:
        asking.call("remember", text=text, type="decision", session="s1", actor="assistant")
    asking.call("capture", source="session", session="s1", transcript=str(path), agent="claude-code")
    stored = {memory.text for memory in asking.call("memories", session="s1").memories}
    assert stored - {text for text in stored if text.startswith("Session")} >= {*kept, *answers}
    assert (DECIDED in stored) == (DECIDED in kept)


def test_a_repeated_rule_is_stored_once_in_the_users_words(asking, tmp_path):
    tried = "I tried a smaller batch and it did not help, the memory still grew."
    path = said(asking, tmp_path, ("user", RULE), ("assistant", "Noted."), ("user", tried), ("assistant", "I see."))
    assert end_turn(asking, path)
    rule, told = "User input never spawns a shell, because of a CVE.", "A smaller batch did not help: memory grew."
    for kind, text in (("constraint", rule), ("attempt", told)):
        asking.call("remember", text=text, type=kind, session="s1", actor="assistant")
    asking.call("capture", source="session", session="s1", transcript=str(path), agent="claude-code")
    active = {memory.text.partition("\n")[0] for memory in asking.call("memories", session="s1").memories}
    assert {RULE, told} <= active
    assert not {rule, tried} & active
