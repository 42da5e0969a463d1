"""Checks that hold for the sessions of every agent, whatever the format of its file."""

from __future__ import annotations

from collections.abc import Sequence

from muninn_core.capture.sessions.session_facts import SessionFacts, SessionReader
from muninn_core.capture.statements.open_items import read_open_items
from muninn_core.capture.statements.transcript import read_transcript
from muninn_core.capture.turns.agent_turns import read_turns


def facts_of(lines: Sequence[bytes]) -> SessionFacts:
    """Return the facts of a session whose lines are all of its format."""
    reader = SessionReader()
    assert all(map(reader.read_line, lines))
    return reader.facts()


def check_mended_command(facts: SessionFacts) -> None:
    """Check the one attempt of a session: `make check` failed, and passed later."""
    (attempt,) = facts.attempts
    assert (attempt.command.text, attempt.command.status) == ("make check", 2)
    assert attempt.command.error == "error: the pier is closed"


def check_statement_and_open_work(lines: Sequence[bytes], agent: str, version: str = "") -> None:
    """Check a conversation in which the user decided about the pier and the agent stated a next step."""
    (draft,) = read_transcript(lines, session="s", agent=agent).drafts
    assert (draft.actor, draft.agent) == ("user", f"{agent}/{version}" if version else agent)
    assert "keep the pier closed" in draft.text
    assert read_open_items(lines).open == ("tell the tenants about the pier",)


def check_line_without_content(line: bytes) -> None:
    """Check that a line of an unexpected form is accepted as a line of a session and has no content."""
    facts = facts_of([line])
    assert (facts.files, facts.commits, facts.failing) == ((), (), ())
    assert read_open_items([line]).open == ()
    assert read_transcript([line]).drafts == ()
    assert read_turns([line]).answer == ""
