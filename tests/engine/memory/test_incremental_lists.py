"""Incrementally maintained lists of memories equal lists computed from all memories."""

from __future__ import annotations

from datetime import UTC, datetime

from hypothesis import given
from hypothesis import strategies as st

from muninn_core.model.memory import Memory
from muninn_core.worktree.memories.active_memories import ActiveMemories

NOW = datetime(2026, 3, 1, tzinfo=UTC)
DAYS = ("2026-01-01T00:00:00.000Z", "2026-02-01T00:00:00.000Z", "2026-04-01T00:00:00.000Z")

memories = st.builds(
    Memory,
    id=st.sampled_from("abcdefgh"),
    type=st.just("insight"),
    text=st.just("A fact."),
    ts=st.sampled_from(DAYS),
    updated=st.sampled_from(("", *DAYS)),
    pinned=st.booleans(),
    archived=st.booleans(),
    expires=st.sampled_from((None, *DAYS)),
)


def by_looking_through(state):
    found = [one for one in state.values() if one.active and not (one.expires and one.expires < "2026-03-01")]
    return sorted(found, key=lambda one: (one.updated or one.ts, one.id), reverse=True)


@given(st.lists(st.one_of(memories, st.sampled_from("abcdefgh")), max_size=40), st.integers(0, 40), st.booleans())
def test_following_changes_gives_what_looking_through_everything_gives(changes, opened_after, at_once):
    state = {}
    current = ActiveMemories(lambda: state)
    steps = {}
    for number, change in enumerate(changes):
        if number == opened_after:
            current.memories(NOW)
        identity, memory = (change, None) if isinstance(change, str) else (change.id, change)
        state.pop(identity, None)
        if memory is not None:
            state[identity] = memory
        if at_once:
            steps[identity] = memory
        else:
            current.update({identity: memory})
    current.update(steps)
    expected = by_looking_through(state)
    assert list(current.newest(NOW)) == expected
    assert current.pinned(NOW) == [one for one in expected if one.pinned]
    assert current.memories(NOW) == {one.id: one for one in expected}


def test_many_changes_at_once_are_sorted_in():
    state = {}
    current = ActiveMemories(lambda: state)
    assert current.memories(NOW) == {}
    many = {
        f"{number:04}": Memory(id=f"{number:04}", type="insight", text="A fact.", ts=DAYS[number % 2])
        for number in range(500)
    }
    state.update(many)
    current.update(many)
    assert list(current.newest(NOW)) == by_looking_through(state)
