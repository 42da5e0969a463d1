"""Drafts: from the file that a person writes to the memory that it states."""

from __future__ import annotations

import pytest

from muninn_core.context.editor.draft import draft_text, parse_draft
from muninn_core.errors import BadParams
from muninn_core.model.memory import Memory


def test_a_draft_without_words_states_nothing():
    assert parse_draft(draft_text("insight", "a.py", 3, 5, None)) is None


def test_the_body_is_the_text_and_the_header_has_the_fields():
    text = draft_text("attempt", 'src/ä "b".py', 3, 0, None) + "Pooling failed: the driver forks.\n"
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
    given = parse_draft(draft_text("decision", "", 0, 0, old))
    assert given is not None
    assert given["text"].startswith("Use X.")
    assert (given["files"], given["questions"]) == (["a.py"], [*asked])
    assert given["links"] == [{"relation": "supersedes", "target": "m1"}]


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
