"""The sessions that wrote to the memory, as readers see them."""

from __future__ import annotations

import pytest

from muninn_core.errors import BadParams

pytest_plugins = ["engines"]


def told(muninn, **params):
    return [(one.session, one.state, one.waiting, one.memories) for one in muninn.call("sessions", **params).sessions]


def test_a_session_is_open_until_it_is_sealed_and_open_ones_come_first(muninn):
    muninn.call("remember", text="The first.", session="one")
    muninn.clock.forward(hours=1)
    muninn.call("remember", text="The second.", session="two")
    assert told(muninn) == [("two", "open", 1, 1), ("one", "open", 1, 1)]
    muninn.call("seal", session="two")
    assert told(muninn) == [("one", "open", 1, 1), ("two", "sealed", 0, 1)]
    assert told(muninn, open=True) == [("one", "open", 1, 1)]
    assert told(muninn, session="two") == [("two", "sealed", 0, 1)]


def test_a_session_says_when_where_and_by_whom(muninn):
    muninn.call("remember", text="One.", session="s", agent="claude-code 2", actor="assistant", task="T-1")
    muninn.clock.forward(hours=2)
    muninn.call("remember", text="Two.", session="s", agent="claude-code 2", actor="assistant", task="")
    (one,) = muninn.call("sessions").sessions
    assert (one.begin, one.end) == ("2026-03-01T12:00:00.000Z", "2026-03-01T14:00:00.000Z")
    assert (one.records, one.branch, one.task, one.agent, one.actor) == (2, "main", "T-1", "claude-code 2", "assistant")


def test_its_title_is_its_summary_or_its_name_or_its_begin(muninn):
    muninn.call("remember", text="Nobody named this session.")
    (one,) = muninn.call("sessions").sessions
    assert one.title == "2026-03-01 12:00"
    muninn.call("remember", text="Somebody named it.", session="login-form")
    assert [one.title for one in muninn.call("sessions", session="login-form").sessions] == ["login-form"]
    muninn.call("remember", text="Moved the form.", title="The form", type="session_summary", session="login-form")
    assert [one.title for one in muninn.call("sessions", session="login-form").sessions] == ["The form"]


def test_archived_memories_are_not_counted_and_their_session_is_listed(muninn):
    (identity,) = muninn.call("remember", text="Wrong.", session="one").ids
    muninn.call("forget", id=identity, session="two")
    assert set(told(muninn)) == {("one", "open", 1, 0), ("two", "open", 1, 0)}


def test_private_memories_wait_for_no_seal(muninn):
    muninn.call("remember", text="Mine.", session="one", private=True)
    assert told(muninn) == [("one", "sealed", 0, 1)]
    assert muninn.call("sessions", open=True).total == 0


def test_sessions_come_in_pages(muninn):
    for number in range(5):
        muninn.call("remember", text=f"Number {number}.", session=f"s{number}")
        muninn.clock.forward(minutes=1)
    found = muninn.call("sessions", limit=2, offset=1)
    assert ([one.session for one in found.sessions], found.total) == (["s3", "s2"], 5)


def test_a_reconciled_session_is_still_known(muninn):
    muninn.call("remember", text="The cache is keyed by commit.", session="one")
    muninn.call("remember", text="The cache is keyed by commit.", session="two")
    muninn.call("seal")
    muninn.call("reconcile")
    assert {one.session for one in muninn.call("sessions").sessions} >= {"one", "two"}


def test_no_session_has_such_a_name(muninn):
    assert muninn.call("sessions", session="nobody").total == 0
    with pytest.raises(BadParams):
        muninn.call("sessions", session="a/b")
