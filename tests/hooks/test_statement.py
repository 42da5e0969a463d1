"""Which sentences of a conversation are kept."""

from __future__ import annotations

from pathlib import Path

import pytest

from muninn_core.source.statement import find_statements

LABELLED = [
    tuple(line.split("\t"))
    for line in (Path(__file__).parent / "sentences.tsv").read_text("utf-8").splitlines()
    if not line.startswith("#")
]


def found(who: str, text: str) -> list[tuple[str, str]]:
    return [(one.type, one.text) for one in find_statements(text, by_user=who == "user")]


def test_hardly_anything_is_kept_that_nobody_stated() -> None:
    kept = [(what, text) for who, what, text in LABELLED if found(who, text)]
    wrong = [text for what, text in kept if what == "-"]
    assert len(wrong) <= 0.03 * len(kept), wrong


def test_most_of_what_was_stated_is_kept() -> None:
    stated = [(who, text) for who, what, text in LABELLED if what != "-"]
    missed = [text for who, text in stated if not found(who, text)]
    assert len(stated) > 60
    assert len(missed) <= 0.1 * len(stated), missed


def test_what_is_kept_has_the_type_that_it_was_labelled_with() -> None:
    types = [(what, found(who, text)[0][0], text) for who, what, text in LABELLED if found(who, text)]
    assert [row for row in types if row[0] not in (row[1], "-")] == []


def test_code_quotations_and_tables_are_not_speech() -> None:
    text = (
        "Here it is:\n\n```python\n# Never call this directly from a handler.\n```\n\n"
        "> We decided to drop the old parser.\n\n| rule | The key must never change. |\n\n"
        "    Always keep four spaces here.\n"
    )
    assert found("assistant", text) == []


def test_a_code_block_that_never_ends_hides_the_rest() -> None:
    assert found("assistant", "See:\n```\nWe decided to drop the old parser.") == []


def test_list_items_and_headings_are_sentences_of_their_own() -> None:
    text = (
        "## Rules\n- Never commit to the release branch\n- **Decision:** the parser stays\n  hand-written\n1. All fine"
    )
    assert found("user", text) == [
        ("constraint", "Never commit to the release branch"),
        ("decision", "Decision: the parser stays hand-written"),
    ]


def test_an_abbreviation_a_version_or_a_file_name_ends_no_sentence() -> None:
    text = "We decided to keep app.py on Python 3.11, e.g. CPython, vs. Jython. It is done."
    assert found("assistant", text) == [
        ("decision", "We decided to keep app.py on Python 3.11, e.g. CPython, vs. Jython.")
    ]


def test_a_reason_in_the_next_sentence_is_kept_with_its_statement() -> None:
    text = "We chose a hand-written parser. Because the generator cannot recover from errors. Next topic."
    assert found("assistant", text) == [
        ("decision", "We chose a hand-written parser. Because the generator cannot recover from errors.")
    ]


@pytest.mark.parametrize(
    "secret",
    [
        "We must always use the key AKIAABCDEFGHIJKLMNOP for the bucket.",
        "We decided to connect with postgres://app:s3cret@db/prod from now on.",
        "Never change it, the api_key = 12345 is shared.",
    ],
)
def test_a_sentence_with_a_secret_is_left_out(secret: str) -> None:
    assert found("user", secret) == []


def test_pasted_text_of_one_endless_line_is_no_sentence() -> None:
    assert found("user", "The rule must never change " + "and so on " * 60) == []
