"""Neighbours in a session: their order, and their part in a memory's score."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from fakes import FakeEmbedder

from muninn_core.model.memory import Memory
from muninn_core.worktree.memories.session_order import SessionOrder

if TYPE_CHECKING:
    from engines import Muninn

pytest_plugins = ["engines"]


def memory(identity: str, session: str = "s") -> Memory:
    return Memory(id=identity, type="insight", text=identity, ts="2026-01-01T00:00:00.000Z", session=session)


def near(order: SessionOrder, identity: str, reach: int) -> list[tuple[str, int]]:
    return [*order.near([identity], reach).get(identity, ())]


def test_neighbours_are_those_of_the_same_session_by_their_ids() -> None:
    known = {each: memory(each, session) for each, session in (("b", "s"), ("a", "s"), ("c", "t"), ("d", "s"))}
    order = SessionOrder(lambda: known)
    assert near(order, "b", 1) == [("a", 1), ("d", 1)]
    assert near(order, "a", 2) == [("b", 1), ("d", 2)]
    assert near(order, "c", 2) == []
    assert near(order, "unknown", 2) == []


def test_the_order_follows_the_log() -> None:
    known = {"a": memory("a"), "d": memory("d")}
    order = SessionOrder(lambda: known)
    assert near(order, "a", 1) == [("d", 1)]
    order.update({"b": memory("b")})
    assert near(order, "a", 1) == [("b", 1)]
    order.update({"b": None})
    assert near(order, "a", 1) == [("d", 1)]
    order.update({"d": memory("d", "t")})
    assert near(order, "a", 1) == []


def test_places_are_numbers_within_each_session() -> None:
    known = {each: memory(each, session) for each, session in (("b", "s"), ("a", "s"), ("c", "t"), ("d", "s"))}
    order = SessionOrder(lambda: known)
    assert order.places(["d", "unknown", "c", "a"]) == ([0, -1, 1, 0], [2, 0, 0, 0])


@pytest.fixture
def muninn(plain_repo: Path, start: Callable[..., Muninn]) -> Muninn:
    one = start(plain_repo, encoder=lambda: FakeEmbedder("fake/64", 64))
    one.call("init")
    return one


def signals(muninn: Muninn, query: str) -> dict[str, dict[str, float]]:
    hits = muninn.call("recall", query=query, kind="memory", limit=20).hits
    return {hit.text: {reason.signal: reason.contribution for reason in hit.why} for hit in hits}


def test_a_memory_beside_a_match_ranks_higher_than_one_of_another_session(muninn: Muninn) -> None:
    muninn.call("remember", text="grapefruit harvest begins", session="one")
    muninn.call("remember", text="unrelated statement alpha", session="one")
    muninn.call("remember", text="unrelated statement bravo", session="two")
    found = signals(muninn, "grapefruit harvest")
    assert found["unrelated statement alpha"]["nearby"] > 0
    assert "nearby" not in found.get("unrelated statement bravo", {})


def test_a_reply_to_a_matching_question_ranks_higher(muninn: Muninn) -> None:
    for text in ("does the grapefruit harvest begin?", "yes, on Monday", "good to know"):
        muninn.call("remember", text=text, session="one")
    found = signals(muninn, "grapefruit harvest")
    assert found["yes, on Monday"]["answers"] > 0
    assert "answers" not in found["good to know"]
    assert "answers" not in found["does the grapefruit harvest begin?"]


def test_a_session_that_holds_more_of_the_question_ranks_higher(muninn: Muninn) -> None:
    muninn.call("remember", text="grapefruit is sweet", session="one")
    muninn.call("remember", text="harvest is late", session="one")
    muninn.call("remember", text="grapefruit is bitter", session="two")
    muninn.call("remember", text="grapefruit is sour")
    found = signals(muninn, "grapefruit harvest")
    assert found["grapefruit is sweet"]["session"] == found["harvest is late"]["session"]
    assert found["grapefruit is sweet"]["session"] > found["grapefruit is bitter"]["session"]
    assert found["grapefruit is bitter"]["session"] == found["grapefruit is sour"]["session"]


def test_sessions_of_one_memory_each_count_nothing(muninn: Muninn) -> None:
    muninn.call("remember", text="grapefruit is sweet", session="one")
    muninn.call("remember", text="grapefruit is bitter")
    assert all("session" not in each for each in signals(muninn, "grapefruit harvest").values())


def test_questions_rank_lower_and_times_higher_where_a_time_is_asked_for(muninn: Muninn) -> None:
    muninn.call("remember", text="harvest begins in March")
    muninn.call("remember", text="does the harvest begin")
    muninn.call("remember", text="harvest of what?")
    found = signals(muninn, "when does the harvest begin")
    assert found["harvest begins in March"]["time"] > 0
    assert "time" not in found["does the harvest begin"]
    assert found["harvest of what?"]["question"] < 0
    assert "time" not in signals(muninn, "the harvest")["harvest begins in March"]
