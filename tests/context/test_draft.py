"""Drafts: from the file that a person writes to the memory that it states."""

from __future__ import annotations

import pytest

from muninn_core.context.editor.draft import draft_text, parse_draft, places_of
from muninn_core.errors import BadParams
from muninn_core.model.citation import Citation
from muninn_core.model.memory import Memory


def test_a_draft_without_words_states_nothing():
    assert parse_draft(draft_text("insight", ["a.py:3-5"], None)) is None


def test_the_body_is_the_text_and_the_header_has_the_fields():
    text = draft_text("attempt", ['src/ä "b".py:3'], None) + "Pooling failed: the driver forks.\n"
    text = text.replace('command: ""', "command: make pool").replace('exit_status: ""', "exit_status: 2")
    assert parse_draft(text) == {
        "text": "Pooling failed: the driver forks.",
        "actor": "user",
        "trust": "user",
        "type": "attempt",
        "files": ['src/ä "b".py:3'],
        "tags": [],
        "questions": [],
        "details": {"command": "make pool", "exit_status": 2},
    }


def test_one_that_takes_a_memorys_place_begins_with_its_words_and_supersedes_it():
    asked = ("Why not Y? # 1", 'Is "X" safe?')
    old = Memory(id="m1", type="decision", text="Use X. <!-- note -->", ts="", files=("a.py",), questions=asked)
    given = parse_draft(draft_text("decision", ["a.py"], old))
    assert given is not None
    assert given["text"].startswith("Use X.")
    assert (given["files"], given["questions"]) == (["a.py"], [*asked])
    assert given["links"] == [{"relation": "supersedes", "target": "m1"}]


def test_one_that_takes_a_memorys_place_keeps_what_was_stated_beside_its_text():
    old = Memory(
        id="m1", type="decision", text="Use X.", ts="", tags=("net",), entities=("pool",), importance=8, pinned=True,
        private=True, scope="global", details={"rationale": "Y is slow.", "alternatives": ["Y"], "source": "a chat"},
    )  # fmt: skip
    assert parse_draft(draft_text("decision", [], old)) == {
        "text": "Use X.", "actor": "user", "trust": "user", "type": "decision", "files": [], "tags": ["net"],
        "questions": [], "entities": ["pool"], "importance": 8, "pin": True, "private": True, "scope": "global",
        "links": [{"relation": "supersedes", "target": "m1"}],
        "details": {"rationale": "Y is slow.", "alternatives": ["Y"]},
    }  # fmt: skip


def test_the_places_of_a_memory_are_its_cited_lines_and_its_other_files():
    old = Memory(id="m1", type="decision", text="Use X.", ts="", files=("a.py", "b.py", "c.py"))
    cited = [
        Citation(path="a.py", start=3, end=5, state="fresh"),
        Citation(path="d.py", start=7, end=7, state="moved", was="b.py:1"),
        Citation(path="c.py", start=1, end=2, state="gone"),
    ]
    assert places_of(old, cited) == ["a.py:3-5", "d.py:7", "b.py", "c.py"]


def test_one_question_needs_no_brackets():
    given = parse_draft("---\nquestions: Why not Y?\n---\nUse X.\n")
    assert given is not None
    assert given["questions"] == ["Why not Y?"]


@pytest.mark.parametrize(
    ("front", "said"),
    [("typ: decision", "'typ'"), ("title: [", "line 3"), ("type: decision\nexit_status: 1", "exit_status")],
)
def test_unparsable_and_unknown_fields_are_refused(front, said):
    with pytest.raises(BadParams, match=said):
        parse_draft(f"---\n{front}\n---\nWords.\n")
