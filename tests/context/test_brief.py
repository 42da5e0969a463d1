"""Briefs keep their length limit for any input, and start with the most important items."""

from __future__ import annotations

from datetime import UTC, datetime

from hypothesis import given
from hypothesis import strategies as st

from muninn_core.context.results.brief import (
    RECENT,
    LineFormat,
    PendingWork,
    Recipient,
    SessionContext,
    make_brief,
    utf16_length,
)
from muninn_core.model.memory import Cite, Memory


def remembered(identity, text="A fact.", **more):
    return Memory(**{"id": identity, "type": "insight", "text": text, "ts": "2026-01-01T00:00:00.000Z", **more})


def brief(*memories, session=None, compact=False, conflicts=0, most=4000):
    newest = sorted(memories, key=lambda memory: (memory.updated or memory.ts, memory.id), reverse=True)
    pinned = [memory for memory in newest if memory.pinned]
    return make_brief(
        newest,
        Recipient(max_chars=most, session=session, after_compaction=compact),
        LineFormat(datetime(2026, 3, 4, tzinfo=UTC)),
        pinned=pinned,
        pending=PendingWork(conflicts=conflicts),
        context=SessionContext(),
    )


def test_without_memories_the_brief_is_empty():
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
    assert line.endswith("… (insight, 62 days ago) `m1`")
    assert len(line) < 400


def test_on_one_line_paragraphs_and_the_lines_of_an_attempt_are_sentences():
    made = brief(
        remembered("m1", "Move orders to keys\n\nThe bank repeats\ncallbacks."),
        remembered("m2", "`pytest` failed: No module named 'x'\nIt passed as `P=src pytest`.", type="attempt"),
    )
    assert "Move orders to keys. The bank repeats callbacks." in made.text
    assert "`pytest` failed: No module named 'x'. It passed as `P=src pytest`." in made.text


def test_on_one_line_entries_of_a_list_have_no_mark_and_a_wrapped_reason_is_one_sentence():
    made = brief(
        remembered("m1", "Move the crate (#7)\n\n* fix a reference\n\n* Keep the name"),
        remembered(
            "m2", "Taken back: One lock\n\nIt deadlocked while\nreaders waited.", type="attempt", trust="commit"
        ),
    )
    assert "Move the crate (#7). fix a reference. Keep the name" in made.text
    assert "Taken back: One lock. It deadlocked while readers waited." in made.text


def test_demands_of_a_user_come_first_and_statements_of_an_agent_do_not():
    made = brief(
        remembered("m1", "Pinned.", pinned=True),
        remembered("m2", "Never spawn a shell.", type="constraint", importance=8, trust="user"),
        remembered("m3", "Callers hold the lock.", type="constraint", importance=8, trust="agent"),
        remembered("m4", "Trivial.", type="constraint", importance=3, trust="user"),
        remembered("m5", "Write tests first.", type="preference", importance=5, trust="user"),
    )
    assert made.ids == ("m2", "m5", "m1", "m3", "m4")
    assert made.text.index("## Rules of the user") < made.text.index("## Pinned")


def test_a_long_memory_that_is_not_about_the_work_is_listed_by_title_and_id():
    long = "Exports are written by a worker. " + "They were slow in the request. " * 8
    listed = brief(remembered("m1", long, title="Exports are written by a worker.", importance=9)).text
    assert "- Exports are written by a worker. … (insight, 62 days ago) `m1`\n" in listed
    assert "slow in the request" not in listed
    whole = brief(remembered("m1", long, title="Exports are written by a worker.", pinned=True)).text
    assert "slow in the request" in whole


def test_a_line_has_the_id_and_the_files_that_are_named_or_cited():
    cites = (Cite(path="b.py", start=3, end=4), Cite(path="b.py", start=8, end=9), Cite(path="a.py", start=1, end=1))
    text = brief(remembered("01kjmma2g0000000000abcdefgh", files=("a.py",), cites=cites)).text
    assert "- A fact. (insight, 62 days ago; a.py, b.py) `abcdefgh`\n" in text


def test_memories_of_commits_are_recent_and_not_important():
    commits = [
        remembered(f"c{n}", f"Migrate part {n}.", type="decision", importance=8, trust="commit") for n in range(9)
    ]
    told = remembered("b1", "Ids are strings.", type="decision", importance=8, trust="agent")
    text = brief(*commits, told).text
    important, recent = text.split("## Recent")
    assert "Ids are strings." in important
    assert "Migrate" not in important
    assert recent.count("Migrate") == RECENT


def test_a_brief_shows_few_of_many_memories():
    made = brief(*(remembered(f"m{number:02}", f"Fact {number}.", importance=5 + number % 4) for number in range(60)))
    assert len(made.ids) <= 15
