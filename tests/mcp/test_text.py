"""Results as text for models."""

from __future__ import annotations

from typing import Any

import pytest

from muninn_core.context.results.generic_text import MAX_CHARS, result_text
from muninn_core.context.results.text import (
    SNIPPET_LINES,
    TEXT_CHARS,
    conflicts_text,
    memories_text,
    recall_text,
    render,
)
from muninn_core.model.answer import Hit, IndexState, Mark, ReadState, Reason, SnippetLine
from muninn_core.model.citation import Citation
from muninn_core.model.memory import Cite, Link, Memory
from muninn_core.model.value import Value
from muninn_core.protocol.catalogue import METHODS
from muninn_core.protocol.families.code import GraphEdge, GraphResult
from muninn_core.protocol.families.editor import DocumentResult
from muninn_core.protocol.families.inspection import Access, LinksResult, MemoriesResult, MemoryLink, ShowResult
from muninn_core.protocol.families.memory import ConsolidateResult, ForgetResult, RememberResult, Separate, UpdateResult
from muninn_core.protocol.families.reconciliation import Conflict, ConflictsResult, Merge, ReconcileResult, Superseded
from muninn_core.protocol.families.repository import IndexStatus, LogStatus, Problem, StatusResult
from muninn_core.protocol.families.search import ContextResult, RecallResult
from muninn_core.protocol.families.session import GivenCounts

SAW = ReadState()


def hit(**fields: Any) -> Hit:
    why = (Reason(signal="words", value=2.0, weight=0.2, contribution=0.4),)
    code = {"kind": "code", "id": "a.py:3-9", "path": "a.py", "start_line": 3, "end_line": 9, "score": 0.4, "why": why}
    return Hit(**{**code, "text": "def a():\n    pass", **fields})  # type: ignore[arg-type]


def memory(**fields: Any) -> Memory:
    return Memory(**{"id": "01m", "type": "decision", "text": "Use files.", "ts": "2026-03-04T05:06:07Z", **fields})


def test_a_hit_says_where_it_is_why_it_is_there_and_how_it_begins() -> None:
    listed = recall_text(RecallResult(hits=(hit(symbol="a"),), ranked=False, saw=SAW))
    assert "[" not in listed
    text = recall_text(RecallResult(hits=(hit(symbol="a"),), saw=SAW))
    assert text == "1. code a.py:3-9 — a [0.40: words 0.40]\n   def a():\n       pass"


def test_a_memory_is_named_by_its_id_and_its_file() -> None:
    found = hit(kind="memory", id="01m", type="attempt", title="Tried threads", text="It hung.")
    assert "memory attempt 01m (about a.py:3-9) — Tried threads" in recall_text(RecallResult(hits=(found,), saw=SAW))


def test_a_memory_has_its_author_and_no_repeated_title() -> None:
    signed = {"kind": "memory", "id": "01m", "type": "decision", "author": "Ann", "ts": "2026-03-04T05:06:07Z"}
    whole = hit(**signed, title="Use files", text="Use files", trust="agent")
    head = "1. memory decision 01m (Ann; 2026-03-04; an agent's word; about a.py:3-9)"
    assert recall_text(RecallResult(hits=(whole,), saw=SAW)) == f"{head} — Use files [0.40: words 0.40]"
    words = "Use files, " * 12 + "not tables"
    assert "not tables" in recall_text(RecallResult(hits=(hit(**signed, title=words, text=words),), saw=SAW))
    longer = hit(**signed, title="Use files", text="Use files.\nThey are text.", trust="user", start_line=0, end_line=0)
    assert recall_text(RecallResult(hits=(longer,), saw=SAW)) == (
        "1. memory decision 01m (Ann; 2026-03-04; about a.py) [0.40: words 0.40]\n   Use files.\n   They are text."
    )


def test_a_text_that_several_memories_have_is_told_once() -> None:
    twins = [hit(kind="memory", id=f"0{n}m", title="Use files", text="Use files.\nThey are text.") for n in (1, 2)]
    text = recall_text(RecallResult(hits=tuple(twins), remembered=(twins[0],), saw=SAW))
    assert text.count("They are text.") == 1
    assert text.endswith("2. memory 02m (about a.py:3-9) [0.40: words 0.40] — the same text as 1")


def test_a_memory_whose_title_is_the_beginning_of_its_text_says_it_once() -> None:
    long = {
        "id": "01m8ds9arr2jnad3ym9jv2k7t0",
        "text": "Use files for the records of sessions. They are text.",
        "title": "Use files for…",
    }
    found = hit(kind="memory", newer="01m8ds9arr2jnad3ym9jv2k7t1", **long)
    listed = MemoriesResult(memories=(memory(**long), memory()), total=2, saw=SAW)
    for text in (recall_text(RecallResult(hits=(found,), saw=SAW)), memories_text(listed)):
        assert text.count("Use files for") == 1
        assert "9jv2k7t0 (" in text
        assert "01m8ds9a" not in text
    assert "newer: 9jv2k7t1" in recall_text(RecallResult(hits=(found,), saw=SAW))


def test_memories_that_answer_have_no_scores_because_their_order_is_another() -> None:
    first, second = (hit(kind="memory", id=f"0{n}m", text=f"Fact {n}.", score=float(n)) for n in (1, 2))
    text = recall_text(RecallResult(hits=(second, hit()), remembered=(first, second), saw=SAW))
    block, rest = text.split("Other hits:")
    assert (
        block
        == "Remembered:\n\n1. memory 01m (about a.py:3-9)\n   Fact 1.\n\n2. memory 02m (about a.py:3-9)\n   Fact 2.\n\n"
    )
    assert "[0.40: words 0.40]" in rest


def test_a_memory_that_is_shown_names_what_its_links_lead_to() -> None:
    link = MemoryLink(source="01m", relation="extends", target="02m", strength=1.0, depth=1)
    result = ShowResult(
        memory=memory(links=(Link(relation="extends", target="02m"),)),
        citations=(),
        links=(link,),
        linked={"02m": "Files are text"},
        access=Access(),
        given=GivenCounts(shown=0, used=0, confirmed=0, refuted=0),
        saw=SAW,
    )
    lines = render(result).splitlines()
    assert lines[-2:] == ["01m extends 02m", "02m is: Files are text"]
    assert lines.count("01m extends 02m") == 1


def test_a_long_hit_says_how_much_is_left_out() -> None:
    long = hit(text="\n".join(f"line {number}" for number in range(100)))
    text = recall_text(RecallResult(hits=(long,), saw=SAW))
    assert f"({100 - SNIPPET_LINES} more lines)" in text
    assert "word." in recall_text(
        RecallResult(hits=(hit(kind="memory", id="01m", text="A " * 300 + "word."),), saw=SAW)
    )
    wide = hit(text="x" * 5000)
    assert len(recall_text(RecallResult(hits=(wide,), saw=SAW))) < 400


def test_a_long_hit_is_shown_where_the_words_of_the_question_are() -> None:
    told = SnippetLine(line=63, text="line 60", marks=(Mark(start=0, end=4),))
    long = hit(text="\n".join(f"line {number}" for number in range(100)), snippet=(told,))
    shown = [row.strip() for row in recall_text(RecallResult(hits=(long,), saw=SAW)).split("\n")[1:]]
    assert shown[:4] == ["line 0", "… (58 lines)", "line 59", "line 60"]
    assert shown[-1] == f"… ({100 - 59 - (SNIPPET_LINES - 2)} more lines)"
    near = hit(text="\n".join(f"line {number}" for number in range(100)), snippet=(told,), start_line=63)
    assert "   line 13\n" in recall_text(RecallResult(hits=(near,), saw=SAW))


def test_notes_and_the_next_page_are_told() -> None:
    found = RecallResult(hits=(hit(chunks=3),), next="c0ffee", notes=("since:2w: only memories have a time",), saw=SAW)
    text = recall_text(found)
    assert "(since:2w: only memories have a time.)" in text
    assert "(More with `page` c0ffee.)" in text
    assert "3 pieces found" in text
    assert recall_text(RecallResult(hits=(), notes=("no memory matches tag:x",), saw=SAW)) == (
        "Nothing found.\n\n(no memory matches tag:x.)"
    )


def test_many_hits_stay_within_what_a_client_shows() -> None:
    hits = tuple(hit(id=f"a.py:{n}-{n}", text="word " * 170) for n in range(200))
    text = recall_text(RecallResult(hits=hits, saw=SAW))
    assert len(text) < TEXT_CHARS * 1.5
    assert "\n\n200. code" in text


def test_no_hit_is_said_in_words_and_a_lagging_index_too() -> None:
    lagging = ReadState(index=IndexState(generation=1, lag=7))
    text = recall_text(RecallResult(hits=(), saw=lagging))
    assert text.startswith("Nothing found.")
    assert "(The index is 7 changed files behind.)" in text
    surveyed = ReadState(index=IndexState(generation=1, lag=7, surveyed=6))
    text = recall_text(RecallResult(hits=(), saw=surveyed))
    assert "can't be updated" not in text
    failed = recall_text(RecallResult(hits=(), saw=ReadState(index=IndexState(failure="the disk is full"))))
    assert "(The index can't be updated, so recent changes may be missing: the disk is full.)" in failed
    text = recall_text(RecallResult(hits=(), saw=surveyed))
    assert "(The index is 7 changed files behind; 6 of them are found by their words alone.)" in text


def test_one_memory_is_shown_whole() -> None:
    one = memory(
        title="Files",
        text="Use files.\n\nNot a database.",
        tags=("storage",),
        cites=(Cite(path="a.py", start=1, end=2), Cite(path="b.py")),
        links=(Link(relation="supersedes", target="00m"),),
        details={"rationale": "git"},
    )
    text = memories_text(MemoriesResult(memories=(one,), total=1, saw=SAW))
    for part in ("Not a database.", "tags: storage", "cites: a.py:1-2, b.py", "supersedes 00m", "rationale: git"):
        assert part in text


def test_several_memories_are_counted_and_headed_by_their_ids() -> None:
    listed = memories_text(MemoriesResult(memories=(memory(), memory(id="02m")), total=9, saw=SAW))
    assert listed.startswith("2 of 9 memories")
    assert "\n\n02m Use files. (decision, 2026-03-04" in listed


@pytest.mark.parametrize(("total", "words"), [(0, "No memory matches."), (4, "4 memories match in all")])
def test_an_empty_page_says_whether_there_are_others(total: int, words: str) -> None:
    assert words in memories_text(MemoriesResult(memories=(), total=total, saw=SAW))


def test_both_sides_of_a_conflict_are_shown() -> None:
    conflict = Conflict(id="c1", left=memory(), right=memory(id="02m", text="Use a database."), reason="?", ts="")
    text = conflicts_text(ConflictsResult(conflicts=(conflict,), saw=SAW))
    assert text.startswith("Conflict c1")
    assert text.index("Use files.") < text.index("Use a database.")
    assert "reconciled" not in text
    more = conflicts_text(ConflictsResult(conflicts=(conflict,), unreconciled=2, saw=SAW))
    assert more == f"{text}\n\n2 sessions are not reconciled: `muninn reconcile` also compares them."


def test_every_tool_of_the_catalogue_has_a_text() -> None:
    results = {
        "recall": RecallResult(hits=(), saw=SAW),
        "context": ContextResult(text="# Pack\n", items=(), tokens=2, budget=9, omitted=3, saw=SAW),
        "memories": MemoriesResult(memories=(), total=0, saw=SAW),
        "remember": RememberResult(ids=("a", "b"), masked=1, saw=SAW),
        "forget": ForgetResult(memory=memory(archived=True), saw=SAW),
        "conflicts": ConflictsResult(conflicts=(), saw=SAW),
        "reconcile": ReconcileResult(
            consolidated=2,
            duplicates=1,
            conflicts=0,
            segments=(),
            merges=(Merge(kept="a", merged=("b",), reason="same"),),
            superseded=(Superseded(newer="d", older="c", reason="one value changed"),),
            dry_run=True,
            summary="2 records",
            opened=(Conflict(id="x", left=memory(), right=memory(id="02m"), reason="one says not", ts=""),),
            saw=SAW,
        ),
        "status": StatusResult(
            pid=1,
            version="1",
            root="/r",
            mode="read-only",
            uptime_seconds=1,
            clients=1,
            rss_bytes=1,
            longest_stall_ms=1,
            index=IndexStatus(state="ready", generation=1, files=2, chunks=3, vectors=3, lag=0, model="m"),
            log=LogStatus(records=1, memories=1, unsealed=0, segments=0, malformed=0, conflicts=0),
            problems=(Problem(kind="log", message="a torn line", path="x.jsonl", line=4, hint="Look."),),
            saw=SAW,
        ),
    }
    assert set(results) == {method.verb for method in METHODS.values() if method.tool}
    for result in results.values():
        assert result_text.dispatch(type(result)) is not result_text.dispatch(Value), type(result)
    texts = {verb: render(result) for verb, result in results.items()}
    assert texts["context"] == "# Pack"
    assert texts["remember"] == "Remembered as a, b. 1 secret masked: never store those."
    assert texts["reconcile"] == (
        "2 records\n- a stands for b: same\n- d supersedes c: one value changed\n"
        "- conflict, one says not: 01m “Use files.” and 02m “Use files.”\nNothing was changed."
    )
    assert "problem: x.jsonl:4 a torn line. Look." in texts["status"]


def test_a_stale_memory_warns_the_model_and_tells_each_place() -> None:
    gone = Citation(path="a.py", start=1, end=2, symbol="f", state="gone")
    moved = Citation(path="b.py", start=5, end=6, state="moved", was="b.py:1-2")
    one = memory(cites=(Cite(path="a.py", start=1, end=2), Cite(path="b.py", start=1, end=2)))
    text = memories_text(MemoriesResult(memories=(one,), total=1, citations={one.id: (gone, moved)}, saw=SAW))
    assert "[STALE? code gone: a.py:1-2; check before you rely on it]" in text
    assert "cites: a.py:1-2 f gone, b.py:5-6 moved from b.py:1-2" in text
    found = hit(kind="memory", id="01m", text="It hung.", cites=(gone,))
    assert "STALE? code gone: a.py:1-2" in recall_text(RecallResult(hits=(found,), saw=SAW))


def test_a_result_without_a_wording_is_told_field_by_field_without_what_is_empty() -> None:
    edge = GraphEdge(depth=1, relation="callers", origin="a.py#f", path="b.py", name="g", at_path="b.py", at_line=3)
    told = render(GraphResult(target="a.py#f", symbol=None, relation="callers", edges=(edge,), saw=SAW))
    assert told.splitlines() == [
        "target: a.py#f",
        "relation: callers",
        "edges:",
        "  - depth: 1",
        "    relation: callers",
        "    origin: a.py#f",
        "    path: b.py",
        "    name: g",
        "    at_path: b.py",
        "    at_line: 3",
    ]
    assert result_text(GraphResult(target="", symbol=None, relation="", edges=(), saw=SAW)) == "No results."


def test_a_result_that_is_a_text_is_told_as_it_is_up_to_what_a_client_shows() -> None:
    page = DocumentResult(uri="muninn:/x", title="T", text="# T\n\nSaid.\n", saw=SAW)
    assert result_text(page) == "# T\n\nSaid."
    long = result_text(DocumentResult(uri="muninn:/x", title="T", text="line\n" * MAX_CHARS, saw=SAW))
    assert len(long) < MAX_CHARS + 100
    assert long.endswith("more characters; narrow the question.)")


def test_links_and_changes_are_told_with_the_ids_that_the_next_call_needs() -> None:
    link = MemoryLink(source="02m", relation="extends", target="01m", strength=0.5, depth=1, reason="so")
    other = memory(id="02m", text="Use many files.", importance=7)
    found = LinksResult(memories=(memory(), other), depths=(0, 1), links=(link,), omitted=2, saw=SAW)
    told = render(found)
    assert told.startswith("from 01m Use files. (decision, 2026-03-04")
    for part in ("1 link away: 02m Use many files.", "importance 7", "02m extends 01m (0.5): so", "2 more memories"):
        assert part in told
    alone = LinksResult(memories=(memory(),), depths=(0,), links=(), saw=SAW)
    assert render(alone).endswith("Nothing is linked to it.")
    assert render(UpdateResult(memory=memory(), changed=(), saw=SAW)).startswith("Nothing changed: 01m")
    updated = UpdateResult(memory=memory(), changed=("files",), notices=("a.py does not exist here.",), saw=SAW)
    assert render(updated).endswith(" a.py does not exist here.")
    separate = (Separate(reason="has another type", ids=("03m", "04m")), Separate(reason="says more", ids=("05m",)))
    apart = ("03m", "04m", "05m")
    merged = ConsolidateResult(
        decision="merge", kept=memory(), gone=("02m",), apart=apart, separate=separate, dry_run=True, saw=SAW
    )
    assert render(merged).splitlines()[0].startswith("02m would be merged into 01m")
    assert render(merged).splitlines()[1:] == [
        "2 memories kept: has another type. 03m, 04m",
        "1 memory kept: says more. 05m",
    ]
    none = ConsolidateResult(decision="keep_both", kept=None, gone=(), apart=(), saw=SAW)
    assert render(none) == "All memories are kept."


def test_a_list_says_its_order():
    both = (memory(), memory(id="02m"))
    assert "newest first" in memories_text(MemoriesResult(memories=both, total=2, saw=SAW))
    assert "most important first" in memories_text(MemoriesResult(memories=both, total=2, order="importance", saw=SAW))
