"""What a session's summary says about the commands that were run, against what really happened."""

from __future__ import annotations

from pathlib import Path

import pytest
from transcripts import Transcript

from muninn_core.capture.sessions.command_outcome import command_name, covers
from muninn_core.capture.sessions.session_facts import SessionFacts, SessionReader

ROWS = [
    line.split("\t")
    for line in (Path(__file__).parent / "outcomes.tsv").read_text("utf-8").splitlines()
    if not line.startswith("#")
]


def read(session: Transcript) -> SessionFacts:
    reader = SessionReader()
    assert all(reader.read_line(line) for line in session.lines)
    return reader.facts()


def said_of(status: str, command: str, output: str) -> str:
    """Return what a session in which one command ran says about it: passed, failed, unknown, or none of tests."""
    session = Transcript("/repo").edited("src/a.py")
    if status == "!":
        session.refused(command, output)
    else:
        session.ran(command, output, int(status) if status.isdigit() else 0)
    tests = read(session).tests
    return "none" if not tests else "failed" if tests[0].failed else "passed" if tests[0].passed else "unknown"


def test_ninety_nine_of_a_hundred_facts_are_true() -> None:
    said = [(row[0], said_of(row[1], row[2], row[3].replace("\\n", "\n")), row[2]) for row in ROWS]
    false = [row for row in said if row[1] in ("passed", "failed") and row[1] != row[0]]
    assert len(said) >= 100
    assert len(false) <= 0.01 * len(said), false
    told = [row for row in said if row[0] in ("passed", "failed") and row[1] == row[0]]
    assert len(told) >= 0.9 * sum(row[0] in ("passed", "failed") for row in said), set(said) - set(told)


def test_a_command_that_passed_later_is_not_reported_as_failing() -> None:
    session = Transcript("/repo").ran("pytest -q tests/a.py", "1 failed", 1).edited("src/a.py")
    session.ran("cd /repo && pytest -q tests/a.py 2>&1 | tail -3", "1 passed")
    assert read(session).failing == ()
    assert [attempt.files for attempt in read(session).attempts] == [("/repo/src/a.py",)]


def test_a_pipeline_without_an_exit_status_of_the_command_resolves_no_failure() -> None:
    session = (
        Transcript("/repo").ran("make wind", "error: no wind", 2).edited("src/a.py").ran("make wind | tail -1", "x")
    )
    assert [command.text for command in read(session).failing] == ["make wind"]
    assert read(session).attempts == ()


@pytest.mark.parametrize(
    ("passed", "failed", "covered"),
    [
        ("pytest -q", "pytest -q tests/a.py", True),
        ("pytest -q -k x", "pytest -q", False),
        ("cd /repo && make test", "make test 2>&1 | tail -5", True),
        ("make lint", "make test", False),
    ],
)
def test_a_wider_run_covers_a_narrower_one(passed: str, failed: str, covered: bool) -> None:
    assert covers(passed, failed) is covered


def test_the_name_of_a_command_leaves_out_what_only_shows_its_output() -> None:
    assert command_name("cd /repo && pytest -q 2>&1 | tail -5") == "pytest -q"
    assert command_name("bash -lc 'make  test'") == "make test"
    assert command_name("tail -5") == "tail -5"


@pytest.mark.parametrize(
    "piece", ["/", "a/", "(", "python", '\\"', "2>a ", " || true", "pytest/", "E  ", "\n", "| tail "]
)
def test_a_command_and_an_output_of_any_form_are_read_in_linear_time(piece: str) -> None:
    endless = piece * (100_000 // len(piece)) + "\x00"
    session = Transcript("/repo").ran(endless, "1 passed").ran("pytest | tail", endless)
    assert len(read(session).commands) == 2
    assert command_name(endless) != ""
    assert not covers(endless, "pytest tests/a.py")
