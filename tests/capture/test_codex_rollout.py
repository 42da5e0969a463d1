"""What Codex CLI 0.169 writes of a session, in the shapes of a real one."""

from __future__ import annotations

import json
from typing import Any

import pytest
from session_checks import check_line_without_content, check_mended_command, facts_of

from muninn_core.capture.statements.open_items import read_open_items
from muninn_core.capture.turns.codex_rollout import transcript_entries

TIME = "2026-11-22T12:44:32.388Z"


def line(kind: str, **payload: Any) -> bytes:
    return json.dumps({"timestamp": TIME, "type": kind, "payload": payload}).encode() + b"\n"


def item(**fields: Any) -> bytes:
    return line("event_msg", type="item_completed", thread_id="t", turn_id="u", item={"id": "call_1", **fields})


def ran(command: str, printed: str, code: int) -> bytes:
    words = ["/bin/bash", "-lc", command]
    return item(type="CommandExecution", command=words, aggregated_output=printed, exit_code=code, status="completed")


def changed(*paths: str, status: str = "completed") -> bytes:
    return item(type="FileChange", changes={path: {"type": "update"} for path in paths}, status=status)


META = line("session_meta", id="01a2", cwd="/repo", cli_version="0.169.0")


def test_a_rollout_tells_files_commits_failures_and_what_mended_them() -> None:
    lines = (
        META,
        line("turn_context", cwd="/repo/sub"),
        ran("make check", "error: the pier is closed\n", 2),
        changed("/repo/src/pier.py", "/repo/docs/pier.md"),
        changed("/repo/src/not.py", status="failed"),
        ran("make check", "fine\n", 0),
        ran("git commit -am 'Open the pier'", "[main 7996be2] Open the pier\n 1 file changed\n", 0),
        ran("make gone", "make: *** no rule\n", 2),
    )
    facts = facts_of(lines)
    assert (facts.agent, facts.version, facts.session) == ("codex", "0.169.0", "01a2")
    assert facts.folders == ("/repo", "/repo/sub")
    assert (facts.started_at, facts.ended) == (TIME, TIME)
    assert facts.files == ("/repo/src/pier.py", "/repo/docs/pier.md")
    assert facts.commits == ("7996be2 Open the pier",)
    check_mended_command(facts)
    assert facts.attempts[0].files == facts.files
    assert [command.text for command in facts.failing] == ["make gone"]


def test_open_work_of_the_assistant_is_read() -> None:
    content = [{"type": "output_text", "text": "Done.\n\nNext steps: tell the tenants about the pier"}]
    said = line("response_item", type="message", role="assistant", content=content)
    assert read_open_items([META, said]).open == ("tell the tenants about the pier",)


@pytest.mark.parametrize(
    "payload",
    [
        None,
        [],
        {"type": "item_completed"},
        {"type": "item_completed", "item": {"type": "CommandExecution"}},
        {"type": "item_completed", "item": {"type": "CommandExecution", "command": "ls", "exit_code": "1"}},
        {"type": "item_completed", "item": {"type": "FileChange", "changes": ["x"], "status": "completed"}},
        {"type": "message", "role": "assistant", "content": ["x", {"type": "output_text"}, {"text": 7}]},
    ],
)
@pytest.mark.parametrize("kind", ["session_meta", "turn_context", "response_item", "event_msg", "compacted"])
def test_a_line_of_another_form_has_no_content(kind: str, payload: Any) -> None:
    entry = {"timestamp": 5, "type": kind, "payload": payload}
    assert transcript_entries(entry)
    check_line_without_content(json.dumps(entry).encode() + b"\n")
