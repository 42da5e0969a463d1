"""Which sentences of a conversation are kept, and with which words around them."""

from __future__ import annotations

from pathlib import Path

import pytest

from muninn_core.capture.statements.answered_question import answered_question
from muninn_core.capture.statements.conversation import Message, sentences_of
from muninn_core.capture.statements.statement import Statement, find_statements
from muninn_core.capture.statements.statement_cues import CUES, describe_cue
from muninn_core.capture.statements.statement_model import TYPES, shipped_weights

LABELLED = [
    tuple(line.split("\t"))
    for line in (Path(__file__).parent / "sentences.tsv").read_text("utf-8").splitlines()
    if not line.startswith("#")
]


def talk(*said: str) -> list[Statement]:
    """Return the statements of a conversation; each message begins with U: or A:."""
    messages = [Message(speaker="user" if each[0] == "U" else "assistant", text=each[3:]) for each in said]
    return [each for each in find_statements(messages) if each.reversed_by is None]


def answered(*said: str) -> str:
    """Return the question that the last sentence of a conversation answers."""
    messages = [Message(speaker="user" if each[0] == "U" else "assistant", text=each[3:]) for each in said]
    sentences = sentences_of(messages[-1])
    return answered_question(messages, len(messages) - 1, sentences, len(sentences) - 1, sentences[-1])


def found(who: str, text: str) -> list[str]:
    return [each.sentence for each in talk(f"{who[0].upper()}: {text}")]


def test_a_conjunction_refers_to_nothing() -> None:
    said = (
        "A: The cause of the hang was {} pool in `transports/default.py` never released a connection after a timeout."
    )
    asked = "U: Fix the hang, please."
    (apart,), (refers,) = (talk(asked, said.format(word)) for word in ("that the", "that this"))
    assert apart.context == ""
    assert refers.context == "user: Fix the hang, please."


def test_hardly_anything_is_kept_that_was_not_stated() -> None:
    kept = [(what, text) for who, what, text in LABELLED if found(who, text)]
    wrong = [text for what, text in kept if what == "-"]
    assert len(wrong) <= 0.08 * len(kept), wrong


def test_most_of_what_was_stated_in_so_many_words_is_kept() -> None:
    stated = [(who, text) for who, what, text in LABELLED if what != "-"]
    missed = [text for who, text in stated if not found(who, text)]
    assert len(stated) > 90
    assert len(missed) <= 0.45 * len(stated), missed


def test_every_weight_belongs_to_a_cue_and_every_cue_can_be_explained() -> None:
    weights = shipped_weights()
    assert set(weights) == {"kept", *TYPES}
    for name in weights["kept"]:
        bare = name.rpartition(":")[2].partition("=")[0]
        assert bare in CUES or describe_cue(name) != bare, name


def test_a_statement_lists_its_cues() -> None:
    (kept,) = talk("U: Never commit to the release branch.")
    assert kept.type == "constraint"
    assert kept.probability > 0.6
    assert any("a plain statement" in reason for reason in kept.reasons)


def test_code_quotations_tables_and_lists_of_open_work_are_no_statements() -> None:
    text = (
        "Here it is:\n\n```python\n# Never call this directly from a handler.\n```\n\n"
        "> We decided to drop the old parser.\n\n| rule | The key must never change. |\n\n"
        "    Always keep four spaces here.\n\nNext steps: we must never forget the index, and drop `a.py`."
    )
    assert found("assistant", text) == []


def test_a_code_block_that_never_ends_hides_the_rest() -> None:
    assert found("assistant", "See:\n```\nWe decided to drop the old parser because it leaks.") == []


def test_an_abbreviation_a_version_or_a_file_name_ends_no_sentence() -> None:
    text = "We decided to keep app.py on Python 3.11 because the vendor tests CPython vs. Jython on it. It is done."
    assert found("assistant", text) == [
        "We decided to keep app.py on Python 3.11 because the vendor tests CPython vs. Jython on it."
    ]


def test_a_short_answer_carries_the_proposal() -> None:
    proposal = "Options: UserDefaults (plain text in backups), Keychain with afterFirstUnlock, or a file."
    (kept,) = talk(
        "U: where do we store the tokens",
        f"A: {proposal}",
        "U: ok the second one, because background refresh must work and the others break it",
    )
    assert "Keychain with afterFirstUnlock" in kept.text
    assert "where do we store the tokens" in kept.context or proposal in kept.context


def test_an_answer_without_anything_before_it_is_dropped() -> None:
    assert found("user", "Let's go with the second one.") == []


def test_only_the_later_statement_of_a_reversal_is_kept() -> None:
    kept = talk(
        "U: We must always use sled for the cache because it is pure Rust.",
        "A: Fine, sled as an embedded store.",
        "U: no wait, the cache must never use sled, because its disk format changes under users. Use redb instead.",
    )
    assert [each.message for each in kept] == [2]


def test_a_statement_that_stands_alone_has_no_context() -> None:
    rule = "All timestamps in `ledger` must be stored in UTC, otherwise the billing job counts days twice."
    (kept,) = talk("U: where were we?", "A: At the ledger.", f"U: {rule}")
    assert kept.text == rule


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
    later = talk(f"U: {secret}", "A: Understood, noted.", "U: and it must never be rotated without telling ops first")
    assert all(secret not in each.text for each in later)


ANSWER = "U: Redis, because cookies overflowed with many roles."
FOUND = "A: The root cause is the pool: it has five connections only."
RULE = "U: The parser must never allocate."


@pytest.mark.parametrize(
    ("said", "question"),
    [
        (("A: Where do we keep sessions, Redis or cookies?", ANSWER), "Where do we keep sessions, Redis or cookies?"),
        (
            ("A: Two ways. Should I store them in Redis or in cookies?", ANSWER),
            "Should I store them in Redis or in cookies?",
        ),
        (("U: Sessions in Redis or in cookies?", "A: Both work.", ANSWER), "Sessions in Redis or in cookies?"),
        (("U: ok so why does the upload fail?", "A: I look at the log.", FOUND), "why does the upload fail?"),
        (("U: can you find out why jest eats all memory", FOUND), "why jest eats all memory"),
        (("U: so the upload can't take 2 GB files?", FOUND), "the upload can't take 2 GB files?"),
        (("A: Why does the nightly import fail? The root cause is a full disk.",), "Why does the nightly import fail?"),
        (
            ("U: Floats or integers for money in the ledger? We decided on integers because floats lost cents.",),
            "Floats or integers for money in the ledger?",
        ),
    ],
)
def test_a_statement_has_the_question_of_the_conversation_that_it_answers(said: tuple[str, ...], question: str) -> None:
    assert answered(*said) == question


@pytest.mark.parametrize(
    "said",
    [
        ("A: Shall I continue?", RULE),
        ("A: Does that work for you?", RULE),
        ("A: Anything else that you want to have in the parser?", RULE),
        ("A: The parser is done. OK?", RULE),
        ("A: Should I also update the changelog of the release?", RULE),
        ("A: Should we commit the lexer or go on with the grammar?", RULE),
        ("A: Which of the two do you prefer?", RULE),
        ("A: Did you set the seeds of the workers?", RULE),
        ("A: Where do we keep sessions, Redis or cookies?", "U: By the way, the parser must never allocate."),
        ("A: Where do we keep sessions, Redis or cookies?", "U: Redis. The parser must never allocate."),
        ("A: Where do we keep sessions, Redis or cookies?", "U: Redis.", "A: Done.", RULE),
        ("U: Does the upload take 2 GB files?", "A: It does.", RULE),
        ("U: Can you add caching to the search endpoint? The parser must never allocate.",),
        ("U: Why does the upload fail? The parser must never allocate.",),
        ("U: why does it crash at startup?", FOUND),
        ("U: do the tests of the upload first", FOUND),
        ("U: when the build of the docs fails restart it", FOUND),
        ("U: Could you refactor the session store?", FOUND),
        ('U: look: "Why does the upload time out?"', FOUND),
        ("U: see\n```\nWhy does the upload time out?\n```", FOUND),
        ("U: > Why does the upload time out?\n\nread this", FOUND),
        ("U: why does https://forum.example/upload time out?", FOUND),
        ("U: why is /home/anna/work/app missing in the archive?", FOUND),
        ("U: 2026-03-01 12:00:01 ERROR why is the pool empty?", FOUND),
        ("U: does the bucket take api_key = 12345 for the upload?", FOUND),
        (f"U: {'This page explains pools. ' * 50}Why does the upload time out?", FOUND),
        (f"U: can you {'please ' * 50_000}. The parser must never allocate.",),
        (f"U: Why does the upload {'of many files ' * 10}fail?", FOUND),
    ],
)
def test_a_statement_has_no_question_that_may_not_be_meant(said: tuple[str, ...]) -> None:
    assert answered(*said) == ""


def test_pasted_text_of_one_endless_line_is_no_sentence() -> None:
    assert found("user", "The rule must never change " + "and so on " * 60) == []
