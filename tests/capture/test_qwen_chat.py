"""What Qwen Code 0.24 writes of a session, in the shapes of a real one."""

from __future__ import annotations

import json
from typing import Any

import pytest
from session_checks import (
    check_line_without_content,
    check_mended_command,
    check_statement_and_open_work,
    facts_of,
)

from muninn_core.capture.turns.agent_turns import read_turns
from muninn_core.capture.turns.transcript_lines import Converter

TIME = "2026-11-27T19:39:14.134Z"


def line(kind: str, *parts: Any, **more: Any) -> bytes:
    about = {"sessionId": "01a2", "timestamp": TIME, "cwd": "/repo", "version": "0.24.4"}
    role = "model" if kind == "assistant" else "user"
    message = {"role": role, "parts": list(parts)}
    return json.dumps({"uuid": f"{kind}{parts}", **about, "type": kind, "message": message, **more}).encode() + b"\n"


def called(number: str, tool: str, arguments: Any, shown: Any, status: str = "success", **response: Any) -> list[bytes]:
    call = {"functionCall": {"id": number, "name": tool, "args": arguments}}
    result = {"functionResponse": {"id": number, "name": tool, "response": response}}
    tokens = {"promptTokenCount": 20459, "candidatesTokenCount": 10, "cachedContentTokenCount": 0}
    return [
        line("assistant", call, usageMetadata=tokens, model="m"),
        line("tool_result", result, toolCallResult={"status": status, "resultDisplay": shown}),
    ]


def ran(number: str, command: str, output: str, code: int) -> list[bytes]:
    shown = {"type": "shell_result", "exitCode": code, "output": output}
    status = "error" if code else "success"
    return called(number, "run_shell_command", {"command": command}, shown, status, output="Command: …\n\nA note.")


def edited(number: str, path: str, status: str = "success") -> list[bytes]:
    return called(number, "edit", {"file_path": path}, {"fileDiff": "…"}, status, output="Edited.")


CONTEXT = {
    "text": "<qwen:user-prompt-submit-context>\nWe decided to drop the quay.\n</qwen:user-prompt-submit-context>"
}
PROMPT = line("user", {"text": "We decided to keep the pier closed because the planks rot."}, CONTEXT)


def test_a_session_tells_files_commits_failures_and_what_mended_them() -> None:
    lines = [
        *ran("1", "make check", "error: the pier is closed\n", 2),
        *edited("2", "/repo/src/pier.py"),
        *edited("3", "/repo/src/not.py", status="error"),
        *ran("4", "make check", "fine\n", 0),
        *ran("5", "git commit -am 'Open the pier'", "[main 7996be2] Open the pier\n 1 file changed\n", 0),
    ]
    facts = facts_of(lines)
    assert (facts.agent, facts.version, facts.session, facts.folders) == ("qwen", "0.24.4", "01a2", ("/repo",))
    assert facts.files == ("/repo/src/pier.py",)
    assert facts.commits == ("7996be2 Open the pier",)
    check_mended_command(facts)


def test_a_turn_has_the_prompt_the_calls_the_tokens_and_the_answer() -> None:
    thought = {"text": "Hm.", "thought": True}
    lines = [PROMPT, *ran("1", "make gone", "make: *** no rule", 2), line("assistant", thought, {"text": "Done."})]
    (turn,) = read_turns(lines).turns
    assert [event.event_type for event in turn.events] == ["prompt", "usage", "tool_call", "answer"]
    prompt, usage, command, answer = (event.payload for event in turn.events)
    assert prompt == {"text": "We decided to keep the pier closed because the planks rot."}
    assert usage == {"model": "m", "input_tokens": 20459, "output_tokens": 10}
    assert (command["tool"], command["command"], command["exit_status"]) == ("Bash", "make gone", 2)
    assert command["result"] == "Exit code 2\nmake: *** no rule"
    assert answer == {"text": "Done."}


def test_statements_and_open_work_are_read() -> None:
    lines = [PROMPT, line("assistant", {"text": "Done.\n\nNext steps: tell the tenants about the pier"})]
    check_statement_and_open_work(lines, "qwen", "0.24.4")


@pytest.mark.parametrize(
    "parts",
    [
        None,
        "x",
        ["x", {}, {"text": 7}, {"functionCall": {}}, {"functionResponse": {}}, {"functionCall": "x", "text": ""}],
        [{"functionResponse": {"id": 3, "response": "x"}}, {"functionCall": {"id": 3, "name": 4, "args": "x"}}],
    ],
)
@pytest.mark.parametrize("kind", ["user", "assistant", "tool_result"])
def test_a_line_of_another_form_has_no_content(kind: str, parts: Any) -> None:
    entry = {"type": kind, "message": {"parts": parts}, "toolCallResult": 3, "usageMetadata": "x", "timestamp": 5}
    assert Converter().entries(entry)
    check_line_without_content(json.dumps(entry).encode() + b"\n")
