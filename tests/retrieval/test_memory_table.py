"""The columns of memories give the same answer to a filter as looking at every memory."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from muninn_core.model.memory import Cite, Memory
from muninn_core.retrieval.candidates.memory_table import MemoryTable
from muninn_core.retrieval.decay import is_recallable
from muninn_core.retrieval.query.filters import compile_filters
from muninn_core.retrieval.query.query_language import Filter

NOW = datetime(2026, 6, 1, tzinfo=UTC)


def memory(number, **fields):
    fields = {"type": "decision", "ts": f"2026-05-{number + 1:02}T00:00:00.000Z", **fields}
    return Memory(id=f"m{number}", text=f"Fact {number}.", **fields)


def of_all(memories, filters):
    return tuple(sorted(key for key, each in memories.items() if filters.memory(each) and is_recallable(each, NOW)))


@pytest.mark.parametrize(
    ("key", "values", "negated"),
    [
        ("type", ("decision",), False),
        ("type", ("decision",), True),
        ("path", ("src/*.py",), False),
        ("path", ("src/*.py",), True),
        ("lang", ("python",), False),
        ("tag", ("Auth",), False),
        ("author", ("codex",), False),
        ("session", ("s1",), False),
        ("task", ("T-1",), False),
        ("branch", ("main",), False),
        ("importance", (">=7",), False),
        ("since", ("2w",), False),
        ("until", ("2026-05-05",), False),
        ("kind", ("memory",), False),
    ],
)
def test_columns_pass_what_single_memories_pass_also_after_changes(key, values, negated):
    known = {
        each.id: each
        for each in (
            memory(0, files=("src/a.py",), tags=("auth",)),
            memory(1, type="insight", cites=(Cite(path="src/b.py"),), agent="codex 1.0", importance=8),
            memory(2, session="s1", task="T-1", branch="main", updated="2026-05-30T00:00:00.000Z"),
            memory(3, archived=True, files=("src/a.py",)),
            memory(4, expires="2026-01-01T00:00:00+00:00", files=("src/a.py",)),
            memory(5, files=("docs/a.md",), actor="user"),
        )
    }
    table = MemoryTable(lambda: known)
    filters = compile_filters([Filter(key=key, values=values, negated=negated)], NOW)
    assert table.passing(filters, NOW).ids == of_all(known, filters)
    changed = {"m0": None, "m3": memory(3, tags=("auth",), importance=9), "m6": memory(6, files=("src/c.py",))}
    known = {**{each: one for each, one in known.items() if each != "m0"}, "m3": changed["m3"], "m6": changed["m6"]}
    table.update(changed)
    assert table.passing(filters, NOW).ids == of_all(known, filters)


def test_a_filter_that_gives_the_same_memories_gives_the_same_object_until_one_changes():
    known = {"m0": memory(0), "m1": memory(1)}
    table = MemoryTable(lambda: known)
    early, late = (compile_filters([Filter(key="since", values=("2026-05-01",))], NOW) for _ in range(2))
    first = table.passing(early, NOW)
    assert first.ids == ("m0", "m1")
    assert table.passing(late, NOW) is first
    known["m2"] = memory(2)
    table.update({"m2": known["m2"]})
    assert table.passing(late, NOW).ids == ("m0", "m1", "m2")
    table.update({"m1": None})
    assert table.passing(late, NOW).ids == ("m0", "m2")


def test_results_of_many_filters_are_not_cached():
    known = {f"m{number}": memory(number, type=f"kind-{number}") for number in range(28)}
    table = MemoryTable(lambda: known)
    for _ in range(2):
        for number in range(28):
            filters = compile_filters([Filter(key="type", values=(f"kind-{number}",))], NOW)
            assert table.passing(filters, NOW).ids == (f"m{number}",)
