"""Packs keep their budget whatever goes in; briefs keep their length."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from muninn_core.context.brief import make_brief, utf16_length
from muninn_core.context.pack import TIERS, make_pack
from muninn_core.context.render import render_item
from muninn_core.context.tokens import count_tokens
from muninn_core.model.answer import Hit
from muninn_core.model.memory import Memory

NAMES = [tier for tier, _ in TIERS]


def hit(text="x = 1", kind="code", path="a.py", start=1, end=1, identity=None, title=""):
    return Hit(
        kind=kind,
        id=identity or f"{path}:{start}-{end}",
        path=path,
        start_line=start,
        end_line=end,
        score=1.0,
        why=(),
        text=text,
        title=title,
    )


def remembered(identity, text="A fact.", **more):
    return Memory(**{"id": identity, "type": "insight", "text": text, "ts": "2026-01-01T00:00:00.000Z", **more})


hits = st.builds(
    hit,
    text=st.text(max_size=2000),
    kind=st.sampled_from(["code", "knowledge", "memory"]),
    path=st.sampled_from(["a.py", "b/größer.md", "c.py"]),
    start=st.integers(1, 50),
    end=st.integers(50, 99),
    identity=st.uuids().map(str),
    title=st.text(max_size=60),
)


@given(st.text(max_size=3000), st.lists(st.tuples(st.sampled_from(NAMES), hits), max_size=25), st.integers(50, 3000))
def test_the_budget_holds_for_the_rendered_text(query, candidates, budget):
    pack = make_pack(query, candidates, budget)
    assert pack.tokens == count_tokens(pack.text) <= budget
    ranks = [NAMES.index(item.tier) for item in pack.items]
    assert ranks == sorted(ranks)
    assert len({(item.kind, item.id) for item in pack.items}) == len(pack.items)
    assert all(render_item(item) in pack.text for item in pack.items)
    assert len(pack.items) + pack.omitted <= len(candidates)


def test_what_fits_is_never_left_out():
    candidates = [("code", hit(f"value_{number} = {number}", start=number, end=number)) for number in range(1, 9)]
    pack = make_pack("values", candidates, 4000)
    assert (len(pack.items), pack.omitted) == (8, 0)


def test_a_long_question_leaves_its_budget_to_the_answer():
    pack = make_pack("a very long task " * 2000, [("code", hit())], 200)
    assert [item.id for item in pack.items] == ["a.py:1-1"]


def test_a_budget_too_small_for_any_item_gives_the_heading_and_counts_them():
    pack = make_pack("values", [("code", hit("x" * 5000))], 60)
    assert (pack.items, pack.omitted) == ((), 1)
    assert pack.text.startswith("# Context: values")
    assert 0 < pack.tokens <= 60


def test_a_smaller_item_takes_the_place_that_a_larger_one_does_not_fit():
    pack = make_pack("values", [("code", hit("x" * 5000)), ("code", hit("y = 1", start=5, end=5))], 100)
    assert [item.start_line for item in pack.items] == [5]
    assert pack.omitted == 1


def test_no_tier_starves_those_after_it():
    pins = [("pin", hit(f"Pin {n}. " * 40, "memory", "", identity=f"m{n:02}")) for n in range(30)]
    pack = make_pack("values", [*pins, ("code", hit("value = 1"))], 1000)
    assert {item.tier for item in pack.items} == {"pin", "code"}


def test_each_thing_is_there_once_in_its_first_tier():
    fact = hit("Redis.", "memory", "", identity="m1")
    same_words = hit("Redis. ", "memory", "", identity="m2")
    whole, part = hit("a\nb\nc\nd", start=1, end=9), hit("b\nc", start=2, end=3)
    pack = make_pack(
        "q", [("memory", fact), ("pin", fact), ("memory", same_words), ("code", whole), ("code", part)], 4000
    )
    assert [(item.tier, item.id) for item in pack.items] == [("pin", "m1"), ("code", "a.py:1-9")]
    assert pack.omitted == 0


def test_code_can_not_break_out_of_its_fence():
    text = 'doc = """\n```\n# not a heading\n````\n"""'
    pack = make_pack("q", [("code", hit(text))], 4000)
    fence = "`````"
    assert pack.text.count(fence) == 2
    assert pack.text.index(fence) < pack.text.index("# not a heading") < pack.text.rindex(fence)


def test_nothing_found_is_said():
    assert "Nothing in this repository" in make_pack("q", (), 4000).text


def brief(*memories, session=None, compact=False, conflicts=0, most=4000):
    newest = sorted(memories, key=lambda memory: (memory.updated or memory.ts, memory.id), reverse=True)
    pinned = [memory for memory in newest if memory.pinned]
    return make_brief(
        newest, pinned=pinned, session=session, after_compaction=compact, conflicts=conflicts, max_chars=most
    )


def test_nothing_remembered_is_nothing_said():
    assert (brief().text, brief(conflicts=3).ids) == ("", ())


@given(
    st.lists(st.tuples(st.text(max_size=500), st.integers(1, 10), st.booleans()), max_size=30), st.integers(200, 3000)
)
def test_the_length_holds_in_the_units_of_javascript(drafts, most):
    memories = [
        remembered(f"m{number:03}", text + "🚢" * (number % 5), importance=importance, pinned=pinned)
        for number, (text, importance, pinned) in enumerate(drafts)
    ]
    made = brief(*memories, conflicts=2, most=most)
    assert utf16_length(made.text) <= most
    assert bool(made.text) == bool(made.ids)
    assert len(set(made.ids)) == len(made.ids)


def test_utf16_units_are_counted():
    assert [utf16_length(text) for text in ("", "a", "ü", "🚢", "\ud800")] == [0, 1, 1, 2, 1]


def test_pins_come_before_the_important_and_these_before_the_recent():
    made = brief(
        remembered("m1", "Recent.", ts="2026-03-01T00:00:00.000Z"),
        remembered("m2", "Important.", importance=9),
        remembered("m3", "Pinned.", pinned=True, importance=1),
    )
    assert made.ids == ("m3", "m2", "m1")
    assert [line for line in made.text.splitlines() if line.startswith("## ")] == [
        "## Pinned",
        "## Important",
        "## Recent",
    ]


def test_after_a_compaction_the_sessions_own_memories_come_first():
    own = remembered("m1", "Mine.", session="s1", importance=1)
    shared = remembered("m2", "Repeated to me.", sessions=("s0", "s1"), importance=1)
    pinned = remembered("m3", "Pinned.", pinned=True)
    assert brief(own, shared, pinned, session="s1", compact=True).ids == ("m2", "m1", "m3")
    assert brief(own, shared, pinned, session="s1").ids[0] == "m3"


def test_contradictions_are_counted_at_the_end():
    assert "1 contradiction in memory waits for a person" in brief(remembered("m1"), conflicts=1).text
    assert "2 contradictions in memory wait for a person" in brief(remembered("m1"), conflicts=2).text


def test_a_long_memory_is_cut_and_a_line_break_in_it_is_none():
    made = brief(remembered("m1", "One\n\n## Two " + "word " * 200))
    (line,) = (line for line in made.text.splitlines() if line.startswith("- "))
    assert line.endswith("…")
    assert len(line) < 400
