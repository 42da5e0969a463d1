"""Deliveries of memories to sessions: their outcomes, and what was withheld."""

from __future__ import annotations

import pytest
from transcripts import Transcript

from muninn_core.context.packs.tokens import count_tokens

pytest_plugins = ["engines"]


def items(muninn, **params):
    return {item.id: item for answer in muninn.call("given", **params).answers for item in answer.items}


def play(muninn, tmp_path, session, *steps):
    talk = Transcript(muninn.root).said("user", "Go on.")
    for step in steps:
        step(talk)
    path = talk.said("assistant", "Done.").save(tmp_path / f"{session}.jsonl")
    muninn.call("capture", source="turn", session=session, transcript=str(path), agent="claude-code")
    muninn.engine.agent_journal.drain()


@pytest.fixture
def four(muninn):
    """Four memories that a brief gives to a session: two about files, one with a command, one about nothing."""
    given = (
        ("Users are stored in a table.", {"files": ["src/users.py"]}),
        ("The gate rejects mixed line ends.", {"type": "attempt", "details": {"command": "make lint"}}),
        ("The queue is drained by hand.", {"files": ["src/queue.py"]}),
        ("Berths are numbered from one.", {}),
    )
    return [muninn.call("remember", text=text, importance=8, **more).ids[0] for text, more in given]


def test_the_actions_of_a_session_decide_the_outcome_of_a_memory(muninn, four, tmp_path):
    users, lint, queue, berths = four
    assert set(muninn.call("brief", session="s-1").ids) == set(four)
    muninn.clock.forward(minutes=1)
    play(muninn, tmp_path, "s-1", lambda talk: talk.edited("src/users.py"), lambda talk: talk.ran("make lint", "ok"))
    muninn.call("forget", id=berths, reason="wrong", session="s-1")
    found = items(muninn, session="s-1")
    assert {each: (one.outcome, one.how) for each, one in found.items()} == {
        users: ("used", ("edited src/users.py",)),
        lint: ("used", ("ran make lint",)),
        queue: ("unused", ()),
        berths: ("refuted", ("forgotten",)),
    }
    counts = muninn.call("given", session="s-1").counts
    assert (counts.shown, counts.used, counts.refuted) == (4, 2, 1)


def test_events_of_other_sessions_or_before_delivery_do_not_count(muninn, four, tmp_path):
    users = four[0]
    play(muninn, tmp_path, "s-1", lambda talk: talk.edited("src/users.py"))
    muninn.clock.forward(minutes=1)
    muninn.call("brief", session="s-1")
    muninn.engine.agent_journal.drain()
    play(muninn, tmp_path, "s-2", lambda talk: talk.edited("src/users.py"))
    assert items(muninn, session="s-1")[users].outcome == "unused"
    muninn.call("recall", query="users table", session="s-2")
    muninn.engine.agent_journal.drain()
    shown = muninn.call("show", id=users).given
    assert (shown.shown, shown.used, shown.refuted) == (2, 0, 0)
    assert len(muninn.call("given", id=users[-8:]).answers) == 2
    assert [len(answer.items) for answer in muninn.call("given", id=users).answers] == [1, 1]


def test_a_withheld_memory_is_recorded_with_the_reason(muninn, four):
    muninn.call("index")
    prompt = {"prompt": "How are users stored in the table?", "session": "s-1"}
    given = muninn.call("remind", **prompt)
    assert given.ids == (four[0],)
    again = muninn.call("remind", **prompt)
    assert again.ids == ()
    assert {one.id: one.why for one in again.withheld}[four[0]] == "the session has it"
    last = muninn.call("given", session="s-1").answers[0]
    assert {one.id: (one.why, one.title) for one in last.withheld}[four[0]] == (
        "the session has it",
        "Users are stored in a table",
    )
    brief = muninn.call("brief", session="s-2", max_chars=300)
    assert {one.why for one in brief.withheld} == {"no room"}
    assert not {one.id for one in brief.withheld} & set(brief.ids)


def test_pages_continue_before_the_last_answer(muninn, four):
    for number in range(3):
        muninn.call("brief", session=f"s-{number}")
    first = muninn.call("given", limit=2)
    assert [answer.session for answer in first.answers] == ["s-2", "s-1"]
    assert [answer.session for answer in muninn.call("given", limit=2, before=first.next).answers] == ["s-0"]


def test_the_tokens_of_what_was_given_are_recorded(muninn, four):
    text = muninn.call("brief", session="s-1").text
    muninn.call("recall", query="users table", session="s-1")
    events = [hit.event for hit in muninn.call("event.query", event_type="given", session_id="s-1").hits]
    tokens = {event.payload["verb"]: event.payload["tokens"] for event in events}
    assert tokens["brief"] == count_tokens(text)
    assert tokens["recall"] > 0


def test_events_of_another_form_count_as_far_as_they_can_be_read(muninn, four):
    users = four[0]
    for name in ("ids", "withheld", "verb", "files"):
        for value in (5, "src/users.py", [5, {"a": []}, None], {"id": 1}):
            for kind in ("given", "tool_call"):
                muninn.call("event.append", event_type=kind, payload={"ids": [users], name: value}, session_id="s-odd")
    muninn.call("event.append", event_type="given", payload={"withheld": [{"id": users}]}, session_id="s-odd")
    answers = muninn.call("given", session="s-odd").answers
    assert {item.id for answer in answers for item in answer.items} == {users}
    assert [(each.id, each.why) for answer in answers for each in answer.withheld] == [(users, "")]
