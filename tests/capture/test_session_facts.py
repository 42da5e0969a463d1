"""The facts of a session, and the memories that they make."""

from __future__ import annotations

import json

import pytest
from transcripts import Transcript

from muninn_core.capture.sessions.session_facts import SessionReader
from muninn_core.capture.sessions.session_memories import drafts_of


def facts(transcript):
    reader = SessionReader()
    assert all(reader.read_line(line) for line in transcript.lines)
    return reader.facts()


def memories(transcript, *roots):
    return [told.draft for told in drafts_of(facts(transcript), "s1", "claude-code/2.1", roots or ("/repo",))]


def test_a_session_tells_its_files_commits_and_tests():
    session = Transcript("/repo").edited("src/a.py").edited("src/b.py").edited("src/a.py")
    session.ran("pytest -q", "1 failed\nE   AssertionError: sums differ", 1).edited("src/a.py").ran(
        "pytest -q", "1 passed"
    )
    session.ran("git add -A && git commit -m 'Mend sums'", "[main 2db624a] Mend sums\n 1 file changed")
    (_, summary) = memories(session)
    assert summary.type == "session_summary"
    assert summary.title == "Session of 2026-02-03: 2 files, 1 commit"
    assert summary.text == (
        "Session of 2026-02-03. Changed src/a.py, src/b.py. Committed 2db624a Mend sums. "
        "Tests: `pytest -q` passed (1 of 2 runs failed)."
    )
    assert (summary.files, summary.details) == (("src/a.py", "src/b.py"), {"commits": ["2db624a"]})


def test_a_command_that_failed_until_files_were_changed_is_an_attempt():
    session = Transcript("/repo").ran("make  wind", "cc: error: knots undeclared\nmake: *** [wind] Error 1", 2)
    session.edited("src/wind.c").ran("make wind", "ok")
    attempt = memories(session)[0]
    assert attempt.type == "attempt"
    assert attempt.text == (
        "`make wind` failed: cc: error: knots undeclared\nIt passed once src/wind.c had been changed."
    )
    assert attempt.details == {"command": "make wind", "exit_status": 2, "error": "cc: error: knots undeclared"}
    assert (attempt.files, attempt.actor) == (("src/wind.c",), "import")


@pytest.mark.parametrize(
    "session",
    [
        Transcript("/repo").ran("make wind", "error: no wind", 2).ran("make wind", "ok"),
        Transcript("/repo").ran("make wind", "error: no wind", 2).edited("a.c"),
        Transcript("/repo").edited("a.c").ran("make wind", "ok"),
        Transcript("/repo").ran("ls out", "ls: cannot access 'out'", 2).edited("out").ran("ls out", "out"),
        Transcript("/repo").ran("git checkout x", "error: no x", 1).edited("a").ran("git checkout x"),
        Transcript("/repo").ran("make wind", "error: no wind", 2).edited("a.c", error=True).ran("make wind", "ok"),
    ],
    ids=["nothing changed", "never passed", "never failed", "only looked", "not by a file", "edit refused"],
)
def test_other_commands_are_none(session):
    assert not [draft for draft in memories(session) if draft.type == "attempt"]


MISSING = """\
==================================== ERRORS ====================================
E   ModuleNotFoundError: No module named 'click'
=========================== short test summary info ============================
ERROR tests/test_a.py
!!!!!!!!!!!!!!!!!!!! Interrupted: 1 error during collection !!!!!!!!!!!!!!!!!!!!
=============================== 1 error in 0.12s ==============================="""


@pytest.mark.parametrize(
    ("passed", "how"),
    [
        (["PYTHONPATH=src pytest -q tests/a.py"], "as `PYTHONPATH=src pytest -q tests/a.py`"),
        (["export PYTHONPATH=src && pytest tests/a.py"], "as `export PYTHONPATH=src && pytest tests/a.py`"),
        (["cd /repo && uv run pytest tests/a.py"], "as `cd . && uv run pytest tests/a.py`"),
        (["/repo/.venv/bin/pytest tests/a.py"], "as `.venv/bin/pytest tests/a.py`"),
        (["pip install click", "pytest tests/a.py"], "after `pip install click`"),
        (
            ["pip install click", "PYTHONPATH=. pytest tests/a.py"],
            "after `pip install click`, as `PYTHONPATH=. pytest ",
        ),
    ],
)
def test_a_remedy_without_changed_files_is_in_the_attempt(passed, how):
    session = Transcript("/repo").ran("pytest tests/a.py", MISSING, 2)
    for command in passed:
        session.ran(command, "1 passed")
    (attempt,) = memories(session)
    error = "ModuleNotFoundError: No module named 'click'"
    assert attempt.text.startswith(f"`pytest tests/a.py` failed: {error}\nIt passed {how}")
    assert attempt.details["error"] == error
    assert facts(session).failing == ()


@pytest.mark.parametrize(
    "passed", ["timeout 60 pytest tests/a.py", "cd /repo && pytest -x tests/a.py", "PYTHONPATH=src pytest tests/b.py"]
)
def test_the_same_setting_or_other_arguments_are_no_cure(passed):
    session = Transcript("/repo").ran("pytest tests/a.py", MISSING, 2).ran(passed, "1 passed")
    assert not [draft for draft in memories(session) if draft.type == "attempt"]


def test_at_most_two_attempts_of_a_session_are_kept_the_last_ones():
    session = Transcript("/repo")
    for name in ("one", "two", "three"):
        session.ran(f"make {name}", f"error: {name} is broken", 2).edited("a.c").ran(f"make {name}")
    assert [draft.details["command"] for draft in memories(session)[:-1]] == ["make two", "make three"]


def test_paths_are_told_relative_to_the_repository_and_others_not_at_all():
    session = Transcript("/home/me/repo").edited("src/a.py").edited("../other/b.py")
    session.ran("cd /home/me/repo && make all", "/home/me/repo/src/a.py:3: error: sums differ here", 2)
    session.edited("src/a.py").ran("cd /home/me/repo && make all")
    attempt, summary = memories(session, "/home/me/repo")
    assert summary.files == ("src/a.py",)
    assert attempt.details["command"] == "cd . && make all"
    assert attempt.details["error"] == "src/a.py:3: error: sums differ here"
    assert "/home" not in str((attempt, summary))


def test_messages_and_private_spans_are_not_in_the_facts():
    session = Transcript("/repo").said("user", "The customer is called Acme.").edited("a.py")
    session.ran("make x # <private>for Acme</private>", "error: it failed <private>at Acme</private> badly", 1)
    session.edited("a.py").ran("make x # <private>for Acme</private>")
    session.ran("git commit -am x", "[main 2db624a] Mend it <private>for Acme</private>\n 1 file changed")
    drafts = memories(session)
    assert len(drafts) == 2
    assert "Acme" not in str(drafts)


def test_a_session_that_changed_nothing_leaves_no_memory():
    assert memories(Transcript("/repo").said("user", "Hello.").ran("ls", "a.py")) == []


def test_lines_that_are_no_object_are_told_and_odd_ones_are_passed_over():
    reader = SessionReader()
    assert not reader.read_line(b'{"type":"user"\n')
    assert not reader.read_line(b'["user"]\n')
    assert not reader.read_line(b"\xff\xfe\n")
    assert reader.read_line(b"\n")
    odd = (
        {"type": "user", "message": "text"},
        {"type": "assistant", "message": {"content": [7, {"type": "tool_use"}, {"type": "tool_use", "input": []}]}},
        {"type": "user", "message": {"content": [{"type": "tool_result"}]}, "sessionId": 7, "timestamp": {}},
        {"type": "api-request", "message": {"content": [{"type": "tool_use", "name": "Edit"}]}},
    )
    assert all(reader.read_line(json.dumps(entry).encode() + b"\n") for entry in odd)
    found = reader.facts()
    assert (found.files, found.session, found.recognised) == ((), "", 3)
