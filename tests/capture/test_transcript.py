"""Facts and memories from an agent's transcript."""

from __future__ import annotations

import json
import time
from typing import Any

import pytest

from muninn_core.capture.statements.transcript import MAX_STATEMENTS, read_transcript

DECIDED = "We decided to store sessions in Postgres because Redis lost them on restart."

FAILED = "I tried a shared lock for the index, but it deadlocked under load and we lost two records."


def line(role: str, content: Any, **more: Any) -> bytes:
    entry = {"type": role, "message": {"role": role, "content": content}, "version": "2.1.330", **more}
    return json.dumps(entry).encode() + b"\n"


def texts(*lines: bytes) -> list[str]:
    return [draft.text for draft in read_transcript(lines).drafts]


def test_the_speaker_becomes_the_actor() -> None:
    reading = read_transcript(
        [
            line("user", "Never commit to the release branch."),
            line(
                "assistant",
                [{"type": "text", "text": FAILED}],
            ),
        ],
        session="s1",
        agent="claude-code",
    )
    found = [(draft.actor, draft.type, draft.importance, draft.session, draft.tags) for draft in reading.drafts]
    assert found == [
        ("user", "constraint", 8, "s1", ("session",)),
        ("assistant", "attempt", 7, "s1", ("session",)),
    ]
    assert reading.drafts[0].agent == "claude-code/2.1.330"


def test_only_the_conversation_itself_is_read() -> None:
    block = [{"type": "text", "text": DECIDED}]
    assert (
        texts(
            line("assistant", block, isSidechain=True),
            line("user", DECIDED, isMeta=True),
            line("user", DECIDED, isCompactSummary=True),
            line("user", [{"type": "tool_result", "content": DECIDED}], toolUseResult={"stdout": DECIDED}),
            line("assistant", [{"type": "thinking", "thinking": DECIDED}]),
            line("assistant", [{"type": "tool_use", "name": "Bash", "input": {"command": DECIDED}}]),
            line("user", f"<system-reminder>\n{DECIDED}\n</system-reminder>"),
            line("user", f"<task-notification>{DECIDED}</task-notification>"),
            line("user", f"<local-command-stdout>{DECIDED}</local-command-stdout>"),
            line("system", DECIDED),
            json.dumps({"type": "api-request", "body": {"messages": [{"role": "user", "content": DECIDED}]}}).encode()
            + b"\n",
        )
        == []
    )
    assert texts(line("user", f"<system-reminder>x</system-reminder>{DECIDED}")) == [DECIDED]


def test_broken_lines_are_passed_over() -> None:
    broken = [b"\n", b'{"type":"user"\n', b'["user"]\n', b'{"type":"user","message":"user"}\n', b"\xff\xfe user\n"]
    odd = [line("user", [{"type": "text"}, "user", {"type": "text", "text": 7}]), line("user", None)]
    assert texts(*broken, *odd, line("user", DECIDED)) == [DECIDED]


def test_a_line_that_is_still_being_written_waits_for_the_next_reading() -> None:
    first, second = line("user", DECIDED), line("user", "Never log e-mail addresses of customers.")
    reading = read_transcript([first, second[:-5]], offset=100)
    assert [draft.text for draft in reading.drafts] == [DECIDED]
    assert reading.offset == 100 + len(first)
    assert [draft.type for draft in read_transcript([second], offset=reading.offset).drafts] == ["constraint"]


def test_at_most_five_statements_are_returned_and_they_are_the_surest() -> None:
    weak = [line("user", f"The job number {word} must run at night.") for word in ("one", "two", "three", "four")]
    strong = [
        line("user", f"We decided to write {what} because `{what}_log` grows too fast.")
        for what in ("apples", "pears", "plums", "figs", "dates")
    ]
    found = texts(*weak, *strong)
    assert len(found) == MAX_STATEMENTS
    assert all("decided" in text for text in found)


def test_repeated_statements_are_returned_once() -> None:
    again = "We decided to store the sessions in Postgres, because Redis lost them on restart."
    assert len(texts(line("assistant", DECIDED), line("user", again))) == 1


def test_the_same_statement_has_the_same_key_in_every_reading() -> None:
    first = read_transcript([line("user", DECIDED)], session="s1").drafts[0]
    again = read_transcript([line("user", "Hello."), line("user", f"**{DECIDED}**")], session="s1").drafts[0]
    other = read_transcript([line("user", DECIDED)], session="s2").drafts[0]
    assert first.key == again.key
    assert first.key != other.key


def test_the_question_comes_from_what_the_two_said_and_leaves_the_key_as_it_was() -> None:
    asked, answer = (
        "Where do we keep the sessions, Redis or Postgres?",
        "We decided on Postgres because Redis lost them.",
    )
    alone = read_transcript([line("user", answer)], session="s1").drafts
    tool = line("user", [{"type": "tool_result", "content": asked}], toolUseResult={"stdout": asked})
    hidden = line("assistant", f"Noted. <private>{asked}</private>")
    inserted = line("user", f"<system-reminder>{asked}</system-reminder>")
    side = line("assistant", asked, isSidechain=True)
    for unheard in (tool, hidden, inserted, side):
        (draft,) = read_transcript([unheard, line("user", answer)], session="s1").drafts
        assert draft.questions == ()
    (draft,) = read_transcript([line("assistant", asked), tool, line("user", answer)], session="s1").drafts
    assert draft.questions == (asked,)
    assert [draft.key] == [each.key for each in alone]


def test_files_that_a_statement_names_are_kept_with_it() -> None:
    said = "Never edit `core/store/log.py` or /etc/passwd.conf or ../other/a.py or https://a.example/b/c.html by hand."
    assert read_transcript([line("user", said)]).drafts[0].files == ("core/store/log.py",)


def test_files_of_the_context_belong_to_a_statement_that_refers_to_it() -> None:
    rule = "Never use mocks for the transport; use the server in tests/conftest.py."
    apart = "We decided to keep the default timeout at 5 seconds because proxies in the field drop slower requests."
    *_, decision = read_transcript([line("user", rule), line("assistant", apart)]).drafts
    assert "tests/conftest.py" in decision.text
    assert decision.files == ()
    refers = "We decided to keep it in one process because other processes would each start a server."
    *_, decision = read_transcript([line("user", rule), line("assistant", refers)]).drafts
    assert decision.files == ("tests/conftest.py",)


def test_the_rollout_files_of_codex_are_read_too() -> None:
    def item(role: str, kind: str, text: str) -> bytes:
        message = {"type": "message", "role": role, "content": [{"type": kind, "text": text}]}
        return json.dumps({"type": "response_item", "payload": message}).encode() + b"\n"

    reading = read_transcript(
        [
            item("developer", "input_text", DECIDED),
            item("user", "input_text", f"<environment_context>{DECIDED}</environment_context>"),
            item("user", "input_text", "Never commit to the release branch."),
            item("assistant", "output_text", "The root cause was a missing index on orders.customer_id."),
        ]
    )
    assert [(draft.actor, draft.type) for draft in reading.drafts] == [("user", "constraint"), ("assistant", "bug_fix")]


@pytest.mark.parametrize("piece", ["a. ", "Always use a. ", "<system-reminder>", "<ide_x "])
def test_a_message_of_any_form_is_read_in_linear_time(piece: str) -> None:
    endless = piece * (200_000 // len(piece))
    assert texts(line("user", endless), line("user", "Never commit to the release branch.")) != []


def test_text_inserted_by_a_program_is_no_statement() -> None:
    inserted = "<system-reminder>Always use tabs.</system-reminder><ide_selection a>Never use tabs.</ide_selection>"
    said = f"{inserted}Never commit to the release branch.<new-diagnostics>"
    assert texts(line("user", said)) == ["Never commit to the release branch.<new-diagnostics>"]


def test_fifty_megabytes_are_read_in_seconds() -> None:
    tool = line("user", [{"type": "tool_result", "content": "must never " * 4000}], toolUseResult={"stdout": "x"})
    talk = line("assistant", [{"type": "text", "text": "All of it is fine, and here is what comes next. " * 40}])
    lines = [line("user", DECIDED), *[tool, talk] * (50_000_000 // (len(tool) + len(talk)))]
    start = time.process_time()
    reading = read_transcript(lines)
    assert time.process_time() - start < 10
    assert reading.offset > 49_000_000
    assert [draft.text for draft in reading.drafts] == [DECIDED]
