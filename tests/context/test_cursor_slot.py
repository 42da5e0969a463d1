"""The syntactic slot at a position of one of Muninn's files."""

from __future__ import annotations

from muninn_core.context.editor.cursor_slot import slot_at
from muninn_core.retrieval.query.query_language import KEYS


def test_every_filter_of_a_question_is_offered_and_says_what_it_means() -> None:
    slot = slot_at("context", "?", 0, 1)
    assert slot is not None
    assert {choice.text for choice in slot.choices} == set(KEYS)
    assert all(choice.markdown for choice in slot.choices)


def test_a_question_mark_before_a_blank_is_no_question() -> None:
    assert slot_at("context", "? ty", 0, 4) is None
    assert slot_at("knowledge", "?ty", 0, 3) is None
