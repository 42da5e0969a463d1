"""Packs keep their budget for any input, contain each item once, and list omitted items."""

from __future__ import annotations

import json
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st
from packing import NAMES, hit, hits, reasons, text_of, tokens_of

from muninn_core.context.packs.deduplication import FREE_PER_FILE
from muninn_core.context.packs.pack import PASSAGE_TOKENS, POINTER_SHARE, cost, make_pack
from muninn_core.context.packs.render import FORMATS, render_item
from muninn_core.retrieval.text.passages import Passage, Passages


def lines(name: str, count: int) -> str:
    """Return so many lines of code that are like no other name's."""
    return "\n".join(f"{name}_{number} = compute_{name}({number})" for number in range(count))


@given(
    st.text(max_size=3000),
    st.lists(st.tuples(st.sampled_from(NAMES), hits), max_size=25),
    st.integers(50, 3000),
    st.sampled_from(FORMATS),
)
def test_the_budget_holds_for_the_text_in_every_format(query, candidates, budget, style):
    pack = make_pack(query, candidates, budget, style=style)
    assert tokens_of(pack, style) <= budget
    ranks = [NAMES.index(item.tier) for item in pack.items]
    assert ranks == sorted(ranks)
    assert len({(item.kind, item.id) for item in pack.items}) == len(pack.items)
    assert all(render_item(item) in text_of(pack) for item in pack.items)
    assert all(item.tokens == cost(item, style) for item in pack.items)
    shown = [item for item in pack.items if item.form != "headline"]
    assert len(shown) + len(pack.left_out) <= len(candidates)


@given(st.lists(st.tuples(st.sampled_from(NAMES), hits), max_size=12), st.integers(50, 2000))
def test_every_candidate_is_there_or_left_out_with_a_reason(candidates, budget):
    pack = make_pack("values", candidates, budget)
    joined = {
        part for item in pack.items for why in item.why if why.signal == "joined" for part in why.note.split(", ")
    }
    told = {item.id for item in pack.items} | set(reasons(pack)) | joined
    assert {each.id for _, each in candidates} <= told
    assert all(reasons(pack).values())


@given(st.lists(st.tuples(st.sampled_from(NAMES), hits), max_size=12), st.integers(50, 2000))
def test_the_same_candidates_make_the_same_pack(candidates, budget):
    assert make_pack("values", candidates, budget) == make_pack("values", list(candidates), budget)


def test_items_that_fit_are_never_left_out():
    candidates = [("code", hit(f"value_{number} = {number}", path=f"{number}.py")) for number in range(1, 9)]
    pack = make_pack("values", candidates, 4000)
    assert (len(pack.items), pack.left_out) == (8, ())


def test_a_long_question_leaves_its_budget_to_the_answer():
    pack = make_pack("a very long task " * 2000, [("code", hit())], 200)
    assert [item.id for item in pack.items] == ["a.py:1-1"]


def test_a_budget_too_small_for_any_item_gives_the_heading_and_a_note():
    pack = make_pack("values", [("code", hit("x" * 5000))], 60)
    assert (pack.items, reasons(pack)) == ((), {"a.py:1-1": "over the budget"})
    assert text_of(pack) == "# Context: values\n\nNo item fits into the budget.\n"


def test_the_smallest_budget_holds_though_the_heading_alone_is_longer():
    question = "& größer 🚢 " * 40
    for style in FORMATS:
        for candidates in ([], [("code", hit("y = 1"))]):
            assert 0 < tokens_of(make_pack(question, candidates, 50, style=style), style) <= 50


@pytest.mark.parametrize("style", FORMATS)
def test_a_pack_fills_its_budget_in_its_format(style):
    said = 'Sessions <of> "users" & carts live in Redis. '
    memories = [
        (
            "memory",
            hit(f"{n} {said * 2}", "memory", "", identity=f"{n:026}", type="decision", author="Ada", ts="2026-03-01"),
        )
        for n in range(40)
    ]
    code = [("code", hit(lines(f"a{n}", 6), path=f"src/{n}.py", title=f'name "{n}"')) for n in range(80)]
    for budget in (1000, 4000):
        pack = make_pack("q", [*memories, *code], budget, style=style)
        assert tokens_of(pack, style) > 0.94 * budget


def test_a_smaller_item_takes_the_place_that_a_larger_one_does_not_fit():
    pack = make_pack("values", [("code", hit("x" * 5000)), ("code", hit("y = 1", start=5))], 120)
    assert [item.start_line for item in pack.items] == [5]
    assert list(reasons(pack)) == ["a.py:1-1"]


def test_no_tier_starves_those_after_it():
    pins = [("pin", hit(f"Pin {n}. " * 40, "memory", "", identity=f"m{n:02}")) for n in range(30)]
    pack = make_pack("values", [*pins, ("code", hit("value = 1"))], 1000)
    assert {item.tier for item in pack.items} == {"pin", "code"}


def test_memories_far_below_the_best_one_wait_until_code_has_its_share():
    best = ("memory", hit("Ports are rented by the hour. " * 4, "memory", "", identity="best", score=1.0))
    far = [("memory", hit(f"Fact {n} says this. " * 12, "memory", "", identity=f"f{n}", score=0.6)) for n in range(9)]
    code = [("code", hit(lines(f"a{n}", 12), path=f"{n}.py")) for n in range(9)]
    shown = [item.tier for item in make_pack("q", [best, *far, *code], 1200).items if item.form != "headline"]
    assert shown.count("code") > 6
    assert [item.id for item in make_pack("q", [best, *far], 1200).items][:3] == ["best", "f0", "f1"]


def test_each_thing_is_there_once_in_its_first_tier():
    fact = hit("Redis.", "memory", "", identity="m1")
    same_words = hit("Redis. ", "memory", "", identity="m2")
    whole, part = hit("a\nb\nc\nd\ne\nf\ng\nh\ni"), hit("b\nc", start=2)
    pack = make_pack(
        "q", [("memory", fact), ("pin", fact), ("memory", same_words), ("code", whole), ("code", part)], 4000
    )
    assert [(item.tier, item.id) for item in pack.items] == [("pin", "m1"), ("code", "a.py:1-9")]
    assert reasons(pack) == {"m2": "same text as m1", "a.py:2-3": "inside a.py:1-9"}


def test_nearly_the_same_text_is_there_once():
    words = (
        "The daemon seals a session when its client leaves and before every commit of the work tree, so memory travels"
    )
    first, second = hit(words, "memory", "", identity="m1"), hit(f"{words} along", "memory", "", identity="m2")
    other = hit("The daemon leaves when nobody asks for a while and no session is open.", "memory", "", identity="m3")
    pack = make_pack("q", [("memory", each) for each in (first, second, other)], 4000)
    assert [item.id for item in pack.items] == ["m1", "m3"]
    assert reasons(pack) == {"m2": "nearly the same text as m1"}


def test_items_far_below_the_best_score_are_not_added():
    found = [("code", hit(f"a{n} = {n}", path=f"{n}.py", score=score)) for n, score in enumerate((2.0, 0.7, 0.5))]
    pack = make_pack("q", found, 4000)
    assert [item.path for item in pack.items] == ["0.py", "1.py"]
    assert reasons(pack) == {"2.py:1-1": "below relevance"}


def test_memories_of_commits_need_more_of_the_best_score_than_others():
    found = [
        ("memory", hit(f"Fact {trust} {score}.", "memory", "", identity=f"{trust} {score}", score=score, trust=trust))
        for score in (1.0, 0.7, 0.6)
        for trust in ("user", "commit")
    ]
    asked = [("task", hit("Taken back: the queue.", "memory", "", identity="task", score=0.1, trust="commit"))]
    pack = make_pack("q", [*found, *asked], 4000)
    assert reasons(pack) == {"commit 0.6": "below relevance"}
    assert {item.id for item in pack.items} == {"user 1.0", "commit 1.0", "user 0.7", "commit 0.7", "user 0.6", "task"}


def test_pieces_of_a_file_that_touch_become_one():
    first, second = hit(lines("a", 4), score=0.9, symbol="a"), hit(lines("b", 3), start=5, score=1.0, symbol="b")
    far = hit(lines("c", 3), start=40, score=0.8)
    (one, other) = make_pack("q", [("code", second), ("code", first), ("code", far)], 4000).items
    assert (one.id, one.text, one.score, one.symbol) == ("a.py:1-7", lines("a", 4) + "\n" + lines("b", 3), 1.0, "a b")
    assert [why.note for why in one.why] == ["a.py:1-4, a.py:5-7"]
    assert other.id == "a.py:40-42"


def test_pieces_that_overlap_are_joined_without_saying_a_line_twice():
    text = lines("a", 9).split("\n")
    first, second = hit("\n".join(text[:6])), hit("\n".join(text[3:]), start=4)
    (one,) = make_pack("q", [("code", first), ("code", second)], 4000).items
    assert (one.id, one.text) == ("a.py:1-9", "\n".join(text))


def test_a_piece_whose_text_is_more_than_its_lines_is_not_joined():
    repeated = hit("class A:\n    ...\n    def b(self):\n        pass", start=5, end=6)
    pack = make_pack("q", [("code", hit(lines("a", 4))), ("code", repeated)], 4000)
    assert [item.id for item in pack.items] == ["a.py:1-4", "a.py:5-6"]


def test_a_third_piece_of_a_file_has_to_earn_its_place():
    crowd = [("code", hit(lines(f"a{n}", 3), start=10 * n, score=1.0)) for n in range(1, 4)]
    pack = make_pack("q", [*crowd, ("code", hit(lines("b", 3), path="b.py", score=0.95))], 4000)
    assert [item.path for item in pack.items] == ["a.py"] * FREE_PER_FILE + ["b.py"]
    assert reasons(pack) == {"a.py:30-32": "more than 2 pieces of a.py"}


def test_a_third_piece_that_is_far_ahead_of_other_files_has_earned_it():
    crowd = [("code", hit(lines(f"a{n}", 3), start=10 * n, score=1.0)) for n in range(1, 4)]
    pack = make_pack("q", [*crowd, ("code", hit(lines("b", 3), path="b.py", score=0.5))], 4000)
    assert [item.start_line for item in pack.items] == [10, 20, 30, 1]


def test_an_item_too_large_is_cut_to_its_beginning():
    pack = make_pack("q", [("code", hit(lines("a", 300)))], 400)
    (item,) = pack.items
    assert item.form == "part"
    assert lines("a", 300).startswith(item.text)
    assert item.text.count("\n") > 3
    assert (item.id, item.start_line, item.end_line) == ("a.py:1-300", 1, item.text.count("\n") + 1)
    assert f"### a.py:1-{item.end_line} [part of 1-300]" in text_of(pack)
    assert not pack.left_out


def test_code_of_the_current_file_is_cut_to_the_lines_around_the_cursor():
    pack = make_pack("q", [("hand", hit(lines("a", 300), start=101))], 400, {"a.py": 250})
    (item,) = pack.items
    assert item.start_line < 250 <= item.end_line < 400
    assert item.text == "\n".join(lines("a", 300).split("\n")[item.start_line - 101 : item.end_line - 100])


def test_a_part_of_a_piece_with_a_repeated_header_keeps_the_lines_of_the_whole():
    text = "class Long:\n    ...\n" + lines("a", 300)
    pack = make_pack("q", [("hand", hit(text, start=101, end=400))], 400, {"a.py": 250})
    (item,) = pack.items
    assert (item.form, item.start_line, item.end_line) == ("part", 101, 400)
    assert text.startswith(item.text)


def test_files_without_an_item_are_named_by_their_location_at_the_end():
    found = [("code", hit(lines(f"a{n}", 30), path=f"{n}.py")) for n in range(40)]
    found.append(("code", hit(lines("b", 30), path="0.py", start=90)))
    pack = make_pack("q", found, 2800)
    named = [item for item in pack.items if item.form == "headline"]
    shown = {item.path for item in pack.items if item.form != "headline"}
    assert 0 < sum(item.tokens for item in named) <= 2800 * POINTER_SHARE
    assert len({item.path for item in named} - shown) == len(named)
    assert pack.items[-len(named) :] == tuple(named)
    assert all(item.text == "" and item.id in reasons(pack) for item in named)
    assert f"- {named[0].path}:1-30 (not shown)\n" in text_of(pack)


def test_items_are_shortened_to_their_best_definition_before_other_files_are_left_out():
    found = [("code", hit(lines(f"a{n}", 80), path=f"{n}.py", start=11)) for n in range(20)]
    best = Passages((Passage(1, 95, "all", ""), Passage(21, 25, "load", "Store"), Passage(11, 12, "save", "Store")), 22)
    pack = make_pack("q", found, 2000, find=lambda _: best)
    shown = [item for item in pack.items if item.form != "headline"]
    assert len(shown) > 10
    assert {(item.form, item.start_line, item.end_line) for item in shown[2:]} == {("part", 21, 25)}
    assert shown[5].text == "\n".join(lines("a5", 80).split("\n")[10:15])
    assert "### 5.py:21-25 — Store: load [part of 11-90]" in text_of(pack)


def test_what_is_left_of_the_budget_shows_the_best_items_whole():
    found = [("code", hit(lines(f"a{n}", 40), path=f"{n}.py")) for n in range(4)]
    best = Passages((Passage(21, 25, "load", ""),), 22)
    full = sum(cost(item, "markdown") for item in make_pack("q", found, 20_000).items)
    forms = [item.form for item in make_pack("q", found, full - 350, find=lambda _: best).items]
    assert forms == ["whole", "whole", "part", "part"]


def test_a_definition_that_does_not_fit_is_cut_to_its_beginning_and_lines_outside_of_one_to_those_around_the_best():
    found = [("code", hit(lines(f"a{n}", 60), path=f"{n}.py")) for n in range(20)]
    long = make_pack("q", found, 2000, find=lambda _: Passages((Passage(5, 60, "load", "Store"),), 42))
    parts = [item for item in long.items if item.form == "part"]
    assert {(item.start_line, item.title, item.symbol) for item in parts} == {(5, "Store", "load")}
    assert all(item.end_line < 42 and item.tokens <= PASSAGE_TOKENS for item in parts[2:-1])
    none = make_pack("q", found, 2000, find=lambda _: Passages((), 42))
    parts = [item for item in none.items if item.form == "part"]
    assert all(item.start_line < 42 <= item.end_line for item in parts)
    assert all(item.tokens <= PASSAGE_TOKENS for item in parts[2:-1])


@pytest.mark.parametrize("style", FORMATS)
def test_a_pack_has_the_words_of_a_memory_once(style):
    title = "Sessions live in Redis because cookies overflow at four kilobytes in some…"
    text = f"{title[:-1]} browsers. " + "They expire after an hour of rest. " * 60
    memory = {"kind": "memory", "path": "", "identity": "01m8ds9arr2jnad3ym9jv2k7t0", "title": title}
    files = [("code", hit(lines(f"a{n}", 3), path=f"{n}.py")) for n in range(3)]
    for budget, form in ((4000, "whole"), (500, "part")):
        pack = make_pack("q", [("memory", hit(text, **memory)), *files], budget)
        assert pack.items[0].form == form
        written = text_of(pack, style)
        assert written.count("Sessions live in Redis") == 1
        assert written.count("9jv2k7t0") == 1
        assert "01m8ds9a" not in written
    short = text_of(make_pack("q", [("memory", hit("Sessions live", **memory))], 4000), style)
    assert "cookies overflow" in short


def test_a_memory_names_its_type_author_and_day():
    known = {"type": "bug_fix", "author": "Ada <b>", "ts": "2026-03-01T12:00:00Z", "title": "Sessions live in Redis"}
    fact = hit("Cookies overflow.", "memory", "src/a.py", identity="01m8ds9arr2jnad3ym9jv2k7t0", **known)
    pack = make_pack("q", [("memory", fact)], 4000)
    line = "- **Sessions live in Redis** Cookies overflow. (bug fix, Ada <b>, 2026-03-01; src/a.py) `9jv2k7t0`\n"
    assert line in text_of(pack)
    (item,) = json.loads(text_of(pack, "json"))["items"]
    told = {"id": "9jv2k7t0", "type": "bug_fix", "author": "Ada <b>", "date": "2026-03-01"}
    assert told.items() <= item.items()
    assert told.items() <= dict(ElementTree.fromstring(text_of(pack, "xml"))[0].items()).items()


def test_a_very_large_budget_takes_all_there_is_and_no_more():
    found = [("code", hit(lines(f"a{n}", 60), path=f"{n}.py")) for n in range(120)]
    pack = make_pack("q", found, 200_000)
    assert (len(pack.items), pack.left_out) == (120, ())
    assert all(item.form == "whole" for item in pack.items)


def test_all_formats_hold_the_items_that_fit():
    found = [("code", hit(lines(f"a{n}", 3), path=f"{n}.py")) for n in range(4)]
    for style in FORMATS:
        pack = make_pack("q", found, 4000, style=style)
        assert all(f"{n}.py" in text_of(pack, style) and lines(f"a{n}", 1) in text_of(pack, style) for n in range(4))
