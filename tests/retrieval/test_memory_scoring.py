"""How memories are scored: age, importance, status, links, scope and the state of their citations."""

from __future__ import annotations

from datetime import timedelta

import pytest
from preset_index import NOW, PresetIndex, ask, code, recall, signals, stored_memory

from muninn_core.model.chunk import Chunk
from muninn_core.model.citation import Citation
from muninn_core.model.memory import Cite, Link
from muninn_core.retrieval import weights as w
from muninn_core.retrieval.decay import recency
from muninn_core.retrieval.results.staleness import staleness
from muninn_core.retrieval.signals.scoring import MemoryWeights


@pytest.mark.parametrize(
    "silent",
    [
        {"archived": True},
        {"redacted": True},
        {"superseded_by": "m9"},
        {"merged_into": "m9"},
        {"expires": "2026-02-28T23:59:59.000Z"},
    ],
)
def test_an_inactive_memory_is_never_shown(silent):
    assert [hit.id for hit in ask([], [stored_memory("m1", **silent), stored_memory("m2")])] == ["m2"]


def test_a_memory_that_has_not_expired_yet_is_recalled():
    memories = [stored_memory("m1", expires="2026-03-02T00:00:00.000Z"), stored_memory("m2", expires="one day")]
    assert {hit.id for hit in ask([], memories)} == {"m1", "m2"}


def test_a_memory_that_only_the_index_still_holds_is_left_out():
    assert ask([code("m1", kind="memory")]) == ()


def test_a_hit_of_a_memory_shows_what_it_says_now_and_where_it_points():
    cited = stored_memory("m1", cites=(Cite(path="a.py", start=3, end=7),), files=("b.py",), title="Title")
    old = Chunk(kind="memory", path="m1", start=1, end=1, text="Old words.")
    (hit,) = recall(PresetIndex([old]), None, {"m1": cited}, "x", limit=5)
    assert hit.text == "Fact m1."
    assert (hit.path, hit.start_line, hit.end_line, hit.title) == ("a.py", 3, 7, "Title")
    (hit,) = ask([], [stored_memory("m1", files=("b.py", "c.py"))])
    assert (hit.path, hit.start_line) == ("b.py", 0)


def test_importance_confidence_and_youth_raise_a_memory():
    plain = stored_memory("m1", importance=5, confidence=0.5, ts="2026-01-30T00:00:00.000Z")
    for better in ({"importance": 9}, {"confidence": 1.0}, {"ts": "2026-02-28T00:00:00.000Z"}):
        other = stored_memory(**{"identity": "m2", "importance": 5, "confidence": 0.5, "ts": plain.ts, **better})
        assert [hit.id for hit in ask([], [plain, other])] == ["m2", "m1"]


def test_an_update_makes_a_memory_young_again():
    old = stored_memory("m1", ts="2020-01-01T00:00:00.000Z")
    renewed = stored_memory("m2", ts="2020-01-01T00:00:00.000Z", updated="2026-02-28T00:00:00.000Z")
    assert ask([], [old, renewed])[0].id == "m2"


def test_recency_halves_and_never_fails():
    assert recency(NOW.isoformat(), NOW) == 1.0
    assert recency((NOW - timedelta(days=w.HALF_LIFE_DAYS)).isoformat(), NOW) == pytest.approx(0.5)
    assert recency((NOW + timedelta(days=5)).isoformat(), NOW) == 1.0
    assert recency("some day", NOW) == recency("2026-01-01T00:00:00", NOW) == 0.0


def test_a_link_to_what_the_question_finds_raises_a_memory_in_both_directions():
    linked = stored_memory("m3", links=(Link(relation="extends", target="m1", strength=0.5),))
    found = ask([], [stored_memory("m1"), stored_memory("m2"), linked], lexical=[(0, 4.0), (1, 4.0), (2, 4.0)])
    assert [signals(hit).get("graph") for hit in found] == [pytest.approx(w.GRAPH * 0.25)] * 2 + [None]
    assert {next(one.note for one in hit.why if one.signal == "graph") for hit in found[:2]} == {
        "extends m1", "m3 extends it",
    }  # fmt: skip


def test_a_project_chooses_how_the_signals_of_its_memories_weigh():
    young, important = (
        stored_memory("m1", importance=1),
        stored_memory("m2", importance=9, ts="2020-01-01T00:00:00.000Z"),
    )
    assert [
        hit.id for hit in ask([], [young, important], memory_weights=MemoryWeights(importance=1.0), half_life=0)
    ] == ["m2", "m1"]
    assert [
        hit.id for hit in ask([], [young, important], memory_weights=MemoryWeights(importance=0.0), half_life=0)
    ] == ["m1", "m2"]


def stale(*states):
    return [Citation(path=f"{n}.py", start=1, end=2, state=state) for n, state in enumerate(states)]


@pytest.mark.parametrize(
    ("states", "value"),
    [
        ((), None),
        (("fresh", "moved", "unchecked"), None),
        (("drifted",), 0.5),
        (("gone", "fresh"), 0.5),
        (("gone",), 1),
    ],
)
def test_stale_citations_count_by_their_share(states, value):
    found = [(name, share) for name, share, *_ in staleness(stale(*states))]
    assert found == ([] if value is None else [("stale", value)])


def test_looking_at_the_best_only_gives_the_order_of_looking_at_all():
    memories = [stored_memory(f"m{n:02}", importance=1 + n % 10) for n in range(20)]
    judged = []

    def standing(memory):
        judged.append(memory.id)
        return stale("gone" if int(memory.id[1:]) % 3 == 0 else "fresh")

    every = [hit.id for hit in ask([], memories, limit=20, citations=standing)]
    judged.clear()
    assert [hit.id for hit in ask([], memories, limit=5, citations=standing)] == every[:5]
    assert len(judged) < 20
    assert len(judged) == len(set(judged))


def test_a_hit_of_a_memory_is_where_its_code_is_now():
    memory = stored_memory(cites=(Cite(path="old.py", start=1, end=2),))
    now = Citation(path="new.py", start=7, end=8, state="moved", was="old.py:1-2")
    (hit,) = ask([], [memory], citations=lambda _memory: (now,))
    assert (hit.path, hit.start_line, hit.end_line, hit.cites) == ("new.py", 7, 8, (now,))


def test_a_decision_that_is_retired_comes_after_the_one_in_force_and_both_are_labelled():
    old, new = code("docs/adr/0001.md", kind="knowledge"), code("docs/adr/0002.md", kind="knowledge")
    stand = {"docs/adr/0001.md": (False, "superseded by ADR 2"), "docs/adr/0002.md": (True, "decided")}
    hits = ask([old, new, code("docs/guide.md", kind="knowledge")], decisions=stand.get)
    assert [(hit.path, hit.status) for hit in hits] == [
        ("docs/adr/0002.md", "decided"), ("docs/guide.md", ""), ("docs/adr/0001.md", "superseded by ADR 2"),
    ]  # fmt: skip
    for hit in hits:
        assert hit.score == pytest.approx(sum(reason.contribution for reason in hit.why))


def test_scopes_weigh_a_tenth_either_way():
    hits = ask([], [stored_memory("m1", scope="global"), stored_memory("m2"), stored_memory("m3", scope="session")])
    assert [hit.scope for hit in hits] == ["session", "project", "global"]
    assert hits[0].score - hits[1].score == pytest.approx(w.SESSION)
    assert hits[2].score - hits[1].score == pytest.approx(w.GLOBAL)
