"""The cache of rows that the snapshots of an index share."""

import gc
from itertools import count

import pytest

from muninn_core.index.snapshot import RowCache


@pytest.mark.parametrize("read", [10, 400])
def test_the_cache_keeps_the_newest_rows_for_any_number_per_question(read):
    cache = RowCache()
    for question in range(3 * RowCache.STATES // read + 3):
        cache.take_states(dict.fromkeys(range(question * read, (question + 1) * read), b""))
        assert len(cache.states) <= max(RowCache.STATES, RowCache.STATES // 2 + read)
        assert max(cache.states) == (question + 1) * read - 1
    assert min(cache.states) > 0


def test_rows_that_a_question_adds_while_removed_ones_are_left_out_do_no_harm():
    cache, fresh = RowCache(), count(1_000)

    class Looked(int):
        """An id that a question reads another memory at, when it is looked up."""

        def __hash__(self):
            number = next(fresh)
            cache.take_memories({f"m{number}": number})
            cache.take_states({number: b""})
            return int(self)

    cache.take_memories({f"m{number}": Looked(number) for number in range(3)})
    cache.take_states({Looked(number): b"" for number in range(3)})
    left = cache.without([1])
    assert {0, 2} <= left.identities.keys() & left.states.keys()
    assert {"m0": 0, "m2": 2}.items() <= left.memories.items()
    assert not {1} & left.identities.keys() | {1} & left.states.keys()
    assert "m1" not in left.memories


class Cyclic:
    """Garbage that only the collector finds; then it acts, as another thread may that runs while a finalizer does."""

    def __init__(self, act):
        self.act, self.itself = act, self

    def __del__(self):
        self.act()


def test_rows_that_another_thread_adds_while_the_oldest_are_dropped_end_no_question(collected_often):
    cache = RowCache()
    cache.take_states(dict.fromkeys(range(RowCache.STATES), b""))
    shared = cache.states
    gc.collect()
    Cyclic(lambda: shared.update({-1: b""}))
    cache.take_states({RowCache.STATES: b""})
    assert -1 in shared
    assert RowCache.STATES in cache.states


@pytest.fixture
def collected_often():
    before = gc.get_threshold()
    gc.set_threshold(RowCache.STATES // 2)
    yield
    gc.set_threshold(*before)
