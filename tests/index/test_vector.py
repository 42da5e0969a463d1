import numpy as np
import pytest

from muninn_core.index.vector import KIND_BITS, Meaning
from muninn_core.model.chunk import SOURCE_KINDS

DIM = 64


def unit(count, seed=0):
    rows = np.random.default_rng(seed).standard_normal((count, DIM)).astype(np.float32)
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)


def test_the_nearest_come_first_with_nearly_their_exact_cosine():
    rows = unit(2_000)
    meaning = Meaning(DIM).changed([], list(range(2_000)), rows)
    query = unit(1, seed=1)[0]
    found = meaning.search(query, 10)
    exact = rows @ query
    assert [number for number, _ in found][:3] == np.argsort(-exact)[:3].tolist()
    assert all(abs(score - exact[number]) < 0.01 for number, score in found)
    assert [score for _, score in found] == sorted((score for _, score in found), reverse=True)


def test_a_vector_is_stored_the_same_whatever_was_stored_before():
    rows = unit(50)
    at_once = Meaning(DIM).changed([], list(range(50)), rows)
    grown = Meaning(DIM).changed([], list(range(100, 150)), 0.1 * unit(50, seed=3))
    grown = grown.changed(list(range(100, 150)), [], np.zeros((0, DIM), np.float32))
    for number in reversed(range(50)):
        grown = grown.changed([], [number], rows[number : number + 1])
    query = unit(1, seed=2)[0]
    assert grown.search(query, 50) == at_once.search(query, 50)


def test_a_change_leaves_the_old_set_alone():
    rows = unit(20)
    old = Meaning(DIM).changed([], list(range(20)), rows)
    before = old.search(rows[3], 5)
    new = old.changed([3], [99], rows[3:4])
    assert old.search(rows[3], 5) == before
    assert new.search(rows[3], 1)[0][0] == 99
    assert (old.count(), new.count()) == (20, 20)


def test_kinds_are_searched_apart():
    rows = unit(3)
    ids = [1, (1 << KIND_BITS) + 2, (2 << KIND_BITS) + 3]
    meaning = Meaning(DIM).changed([], ids, rows)
    assert [SOURCE_KINDS[number >> KIND_BITS] for number in ids] == ["code", "knowledge", "memory"]
    for kind, number in zip(("code", "knowledge", "memory"), ids, strict=True):
        assert [found for found, _ in meaning.search(rows[0], 9, kind)] == [number]
        assert meaning.count(kind) == 1


@pytest.mark.parametrize("limit", [0, -1])
def test_no_limit_gives_nothing(limit):
    assert Meaning(DIM).changed([], [1], unit(1)).search(unit(1)[0], limit) == []


def test_removing_what_is_not_there_changes_nothing():
    meaning = Meaning(DIM).changed([5, 6], [1], unit(1)).changed([7], [], np.zeros((0, DIM), np.float32))
    assert meaning.count() == 1


def test_equal_vectors_are_ordered_by_id():
    meaning = Meaning(DIM).changed([], [9, 4, 7], np.repeat(unit(1), 3, axis=0))
    assert [number for number, _ in meaning.search(unit(1)[0], 3)] == [4, 7, 9]
