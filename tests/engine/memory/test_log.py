"""The list of the newest records."""

from __future__ import annotations

import pytest

from muninn_core.errors import BadParams

pytest_plugins = ["engines"]


def summaries(muninn, **params):
    return [(entry.title, entry.event.summary) for entry in muninn.call("log", **params).entries]


def test_every_change_is_listed_newest_first_with_its_memory(muninn):
    first = muninn.call("remember", text="The first.").memory
    muninn.clock.forward(hours=1)
    muninn.call("pin", id=first.id, reason="it matters")
    muninn.clock.forward(hours=1)
    muninn.call("forget", id=first.id)
    assert summaries(muninn) == [
        ("The first", "archived it"),
        ("The first", "pinned it: it matters"),
        ("The first", f"remembered as {first.type}"),
    ]
    assert summaries(muninn, limit=1) == [("The first", "archived it")]
    assert muninn.call("log", limit=1).total == 3


def test_since_names_the_first_moment(muninn):
    muninn.call("remember", text="Old.")
    muninn.clock.forward(days=3)
    muninn.call("remember", text="New.")
    assert [title for title, _ in summaries(muninn, since="2d")] == ["New"]
    with pytest.raises(BadParams, match="'soon' is no time"):
        muninn.call("log", since="soon")


def test_notes_of_another_session_are_not_listed(muninn):
    muninn.call("remember", text="A note.", scope="session", session="one")
    assert summaries(muninn, session="two") == []
    assert muninn.call("log", session="two").total == 0
    assert [title for title, _ in summaries(muninn, session="one")] == ["A note"]


def test_a_conflict_and_its_resolution_name_a_memory(muninn):
    for size in ("fifty", "twenty"):
        muninn.call("remember", text=f"The page size of the user list is {size} rows.", type="decision", session=size)
    muninn.call("reconcile")
    (conflict,) = muninn.call("conflicts").conflicts
    muninn.call("resolve", id=conflict.id, keep="left")
    listed = muninn.call("log").entries
    assert {entry.memory for entry in listed if entry.event.type in ("conflict", "resolve")} == {conflict.left.id}
    assert all(entry.title for entry in listed)
