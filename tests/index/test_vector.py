import sys

import numpy as np
import pytest

from muninn_core.index.vectors.quantise import quantise
from muninn_core.index.vectors.vector_index import KIND_BITS, VectorIndex, build_vectors
from muninn_core.model.chunk import SOURCE_KINDS

DIM = 64
NONE = np.zeros((0, DIM), np.int8)


def unit(count, seed=0):
    rows = np.random.default_rng(seed).standard_normal((count, DIM)).astype(np.float32)
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)


def test_the_nearest_come_first_with_nearly_their_exact_cosine():
    rows = unit(2_000)
    meaning = VectorIndex(DIM).changed([], list(range(2_000)), quantise(rows))
    query = unit(1, seed=1)[0]
    found = meaning.search(query, 10)
    exact = rows @ query
    assert [number for number, _ in found][:3] == np.argsort(-exact)[:3].tolist()
    assert all(abs(score - exact[number]) < 0.01 for number, score in found)
    assert [score for _, score in found] == sorted((score for _, score in found), reverse=True)


def test_a_vector_is_stored_the_same_whatever_was_stored_before():
    rows = unit(50)
    at_once = VectorIndex(DIM).changed([], list(range(50)), quantise(rows))
    grown = VectorIndex(DIM).changed([], list(range(100, 150)), quantise(0.1 * unit(50, seed=3)))
    grown = grown.changed(list(range(100, 150)), [], NONE)
    for number in reversed(range(50)):
        grown = grown.changed([], [number], quantise(rows[number : number + 1]))
    query = unit(1, seed=2)[0]
    assert grown.search(query, 50) == at_once.search(query, 50)


def test_a_change_leaves_the_old_set_alone():
    rows = unit(20)
    old = VectorIndex(DIM).changed([], list(range(20)), quantise(rows))
    before = old.search(rows[3], 5)
    new = old.changed([3], [99], quantise(rows[3:4]))
    assert old.search(rows[3], 5) == before
    assert new.search(rows[3], 1)[0][0] == 99
    assert (old.count(), new.count()) == (20, 20)


def test_among_given_ids_the_same_is_found_as_among_all_and_nothing_that_is_dead_or_was_never_there():
    rows = unit(300)
    meaning = (
        VectorIndex(DIM)
        .changed([], list(range(0, 600, 2)), quantise(rows))
        .changed([10, 20, 30], [601], quantise(rows[:1]))
    )
    query = unit(1, seed=4)[0]
    wanted = [601, 30, 31, 40, 0, 598, 2, 9_999]
    expected = [hit for hit in meaning.search(query, 1_000) if hit[0] in wanted]
    assert sorted(number for number, _ in expected) == [0, 2, 40, 598, 601]
    assert meaning.cosines(query, wanted) == expected
    assert meaning.cosines(query, []) == meaning.cosines(np.zeros(DIM, np.float32), wanted) == []


@pytest.mark.parametrize("limit", [1, 7, 60, 2_900])
def test_the_nearest_of_many_given_ids_are_those_of_all_and_the_ties_with_the_last(limit):
    rows = unit(4_000)
    rows[100:900] = rows[100]  # 800 equal ones
    meaning = (
        VectorIndex(DIM)
        .changed([], list(range(4_000)), quantise(rows))
        .changed([150, 160, 3_000], list(range(4_000, 4_100)), quantise(unit(100, seed=8)))
    )
    wanted = (*range(0, 4_100, 2), *range(101, 2_001, 2), 9_999)
    alive = set(wanted) - {150, 160, 3_000, 9_999}
    for query in (unit(1, seed=4)[0], rows[100]):
        every = [hit for hit in meaning.search(query, 5_000) if hit[0] in alive]
        assert {number for number, _ in every} == alive
        least = every[min(limit, len(every)) - 1][1]
        assert meaning.cosines(query, wanted, limit) == [hit for hit in every if hit[1] >= least]
        assert meaning.cosines(query, list(wanted), limit) == [hit for hit in every if hit[1] >= least]
    assert meaning.cosines(np.zeros(DIM, np.float32), wanted, limit) == []


def test_kinds_are_searched_apart():
    rows = unit(3)
    ids = [1, (1 << KIND_BITS) + 2, (2 << KIND_BITS) + 3]
    meaning = VectorIndex(DIM).changed([], ids, quantise(rows))
    assert [SOURCE_KINDS[number >> KIND_BITS] for number in ids] == ["code", "knowledge", "memory"]
    for kind, number in zip(("code", "knowledge", "memory"), ids, strict=True):
        assert [found for found, _ in meaning.search(rows[0], 9, kind)] == [number]
        assert meaning.count(kind) == 1


@pytest.mark.parametrize("limit", [0, -1])
def test_no_limit_gives_nothing(limit):
    assert VectorIndex(DIM).changed([], [1], quantise(unit(1))).search(unit(1)[0], limit) == []


def test_removing_what_is_not_there_changes_nothing():
    meaning = VectorIndex(DIM).changed([5, 6], [1], quantise(unit(1))).changed([7], [], NONE)
    assert meaning.count() == 1


def test_equal_vectors_are_ordered_by_id():
    meaning = VectorIndex(DIM).changed([], [9, 4, 7], quantise(np.repeat(unit(1), 3, axis=0)))
    assert [number for number, _ in meaning.search(unit(1)[0], 3)] == [4, 7, 9]


def test_ties_at_the_limit_are_not_cut_up_to_four_times_the_limit():
    rows = quantise(np.repeat(unit(1), 20, axis=0))
    meaning = VectorIndex(DIM).changed([], list(range(20)), rows)
    assert [number for number, _ in meaning.search(unit(1)[0], 2)] == list(range(8))
    assert len(meaning.search(unit(1)[0], 6)) == 20


def test_a_set_that_grew_by_many_edits_answers_as_one_built_at_once_and_as_plain_arithmetic():
    chance = np.random.default_rng(5)
    rows = quantise(unit(3_000))
    held: dict[int, int] = {}
    meaning, following = VectorIndex(DIM), 0
    for _ in range(120):
        out = chance.choice(list(held), min(len(held), int(chance.integers(0, 30))), replace=False) if held else []
        into = range(following, following + int(chance.integers(1, 25)))
        following = into.stop
        meaning = meaning.changed(out, list(into), rows[into.start : into.stop])
        held = {number: number for number in (*held, *into) if number not in set(out)}
    kept = np.array(sorted(held))
    at_once = build_vectors(DIM, lambda kind: [(kept, rows[kept])] if kind == "code" else [])
    assert meaning.count() == at_once.count() == len(kept)
    for query in unit(20, seed=9):
        question = quantise(query, 127.0 / np.max(np.abs(query))).astype(np.int64)
        products = rows[kept].astype(np.int64) @ question
        best = kept[np.lexsort((kept, -products))][:10].tolist()
        found = meaning.search(query, 10)
        assert [number for number, _ in found][:10] == best
        assert found == at_once.search(query, 10)


def test_few_segments_are_left_of_many_small_changes():
    meaning = VectorIndex(DIM)
    rows = quantise(unit(1_000))
    for number in range(1_000):
        meaning = meaning.changed([], [number], rows[number : number + 1])
    assert len(meaning._shards["code"]) <= 10


def test_a_change_shares_what_is_large_with_the_set_before_it():
    old = VectorIndex(DIM).changed([], list(range(1_000)), quantise(unit(1_000)))
    new = old.changed([7], [2_000], quantise(unit(1, seed=4)))
    assert new._shards["code"][0].segment is old._shards["code"][0].segment
    assert 7 not in [number for number, _ in new.search(unit(1_000)[7], 900)]


def test_segments_of_mostly_deleted_vectors_are_rewritten():
    meaning = VectorIndex(DIM).changed([], list(range(100)), quantise(unit(100)))
    meaning = meaning.changed(list(range(60)), [], NONE)
    assert [len(part.segment) for part in meaning._shards["code"]] == [40]
    assert meaning.changed(list(range(100)), [], NONE).search(unit(1)[0], 5) == []


@pytest.mark.skipif(sys.platform != "linux", reason="rows are mapped on Linux only")
def test_rows_that_are_mapped_from_a_file_answer_as_those_in_memory(tmp_path, monkeypatch):
    monkeypatch.setattr("muninn_core.index.vectors.segment.MAPPED_BYTES", 1)
    rows = quantise(unit(3_000))
    ids = np.arange(3_000)
    inside = build_vectors(DIM, lambda kind: [(ids, rows)] if kind == "code" else [])
    mapped = build_vectors(DIM, lambda kind: [(ids, rows)] if kind == "code" else [], tmp_path)
    for each in (inside, mapped, mapped):
        each.release_memory()
        assert each.search(unit(1, seed=4)[0], 50) == inside.search(unit(1, seed=4)[0], 50)
        assert each.cosines(unit(1, seed=4)[0], [5, 7]) == inside.cosines(unit(1, seed=4)[0], [5, 7])
    assert (mapped.rows([7])[7] == rows[7]).all()
    assert mapped.changed([7], [4_000], rows[:1]).search(rows[7].astype(np.float32), 2) == (
        inside.changed([7], [4_000], rows[:1]).search(rows[7].astype(np.float32), 2)
    )
    assert mapped._shards["code"][0].segment._mapped
    assert not [*tmp_path.iterdir()]


def test_rows_stay_in_memory_where_no_file_can_be_written(tmp_path, monkeypatch):
    monkeypatch.setattr("muninn_core.index.vectors.segment.MAPPED_BYTES", 1)
    rows = quantise(unit(100))
    found = build_vectors(DIM, lambda kind: [(np.arange(100), rows)] if kind == "code" else [], tmp_path / "missing")
    assert [number for number, _ in found.search(unit(100)[3], 1)] == [3]
