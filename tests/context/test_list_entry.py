"""Texts with lists on one line: in sentences for models, in lists of memories for people."""

from __future__ import annotations

import pytest

from muninn_cli.show.memory.memories import _beginning
from muninn_core.model.list_entry import begins_entry, split_entries


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("Only prose.\nOn two lines.", ["Only prose.\nOn two lines."]),
        ("Steps:\n- one\n  * two\n+ three", ["Steps:", "one", "two", "three"]),
        ("- one\n- two", ["", "one", "two"]),
        ("Steps:\n1. one\n2) two", ["Steps:", "1. one", "2) two"]),
        ("It takes\n-1 for none\n*emphasis* and\n1.5 s", ["It takes\n-1 for none\n*emphasis* and\n1.5 s"]),
        ("", [""]),
    ],
)
def test_a_list_is_split_at_its_marks_and_numbers_stay(text, parts):
    assert split_entries(text) == parts


def test_an_entry_begins_with_a_mark_and_a_space():
    assert [begins_entry(line) for line in ("- a", "  12. a", "-a", "2026. A year", "a - b")] == [
        *(True, True, False, False, False),
    ]


def test_a_list_of_memories_separates_entries_and_keeps_their_numbers():
    assert _beginning("Release\n\nFirst:\n- tag it;\n- push it") == ["Release", "First: tag it; push it"]
    assert _beginning("Release\n\n1. Tag it\n2. Push it") == ["Release", "1. Tag it; 2. Push it"]
