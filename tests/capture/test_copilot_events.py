"""What Copilot CLI 1.0 writes of a session, in the shapes of a real one."""

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
from muninn_core.capture.turns.copilot_events import TYPES, Converter

TIME = "2026-11-27T19:03:03.453Z"


def line(kind: str, subagent: str = "", **data: Any) -> bytes:
    event = {"type": kind, "data": data, "id": f"{kind}-{data}", "timestamp": TIME}
    return json.dumps({**event, **({"agentId": subagent} if subagent else {})}).encode() + b"\n"


def ran(number: str, command: str, printed: str, code: int, subagent: str = "") -> bytes:
    output = f"{printed}<shellId: {number} completed with exit code {code}>"
    guidance = '\n\nTool "bash" succeeded. Additional guidance from postToolUse hooks:\nA note.'
    return used(
        number,
        "bash",
        {"command": command},
        subagent,
        success=True,
        shellExecution={"exitCode": code},
        result={"content": output + guidance, "detailedContent": output},
    )


def used(number: str, tool: str, arguments: Any, subagent: str = "", **outcome: Any) -> bytes:
    begun = line("tool.execution_start", subagent, toolCallId=number, toolName=tool, arguments=arguments)
    return begun + line("tool.execution_complete", subagent, toolCallId=number, **outcome)


def edited(number: str, tool: str, path: str) -> bytes:
    edits = [{"path": path, "kind": "edit"}]
    return used(number, tool, {"path": path}, success=True, fileEdits=edits, result={"content": "File updated."})


def patched(number: str, *paths: str) -> bytes:
    edits = [{"path": path, "kind": "edit"} for path in paths]
    return used(number, "apply_patch", "*** Begin Patch", success=True, fileEdits=edits, result={"content": "Done."})


START = line("session.start", sessionId="01a2", copilotVersion="1.0.102", context={"cwd": "/repo"})
PROMPT = line("user.message", content="We decided to keep the pier closed because the planks rot.", turnId="0")


def lines_of(*parts: bytes) -> list[bytes]:
    return b"".join(parts).splitlines(keepends=True)


def test_a_session_tells_files_commits_failures_and_what_mended_them() -> None:
    lines = lines_of(
        START,
        ran("1", "make check", "error: the pier is closed\n", 2),
        edited("2", "edit", "/repo/src/pier.py"),
        patched("3", "/repo/docs/pier.md", "/repo/docs/quay.md"),
        used("4", "edit", {"path": "/repo/src/not.py"}, success=False, error={"message": "No match found"}),
        ran("5", "make check", "fine\n", 0),
        ran("6", "git commit -am 'Open the pier'", "[main 7996be2] Open the pier\n 1 file changed\n", 0),
        ran("7", "make gone", "make: *** no rule\n", 2),
        ran("8", "make other", "make: *** no rule\n", 2, subagent="explorer"),
    )
    facts = facts_of(lines)
    assert (facts.agent, facts.version, facts.session) == ("copilot", "1.0.102", "01a2")
    assert (facts.folders, facts.started_at, facts.ended) == (("/repo",), TIME, TIME)
    assert facts.files == ("/repo/src/pier.py", "/repo/docs/pier.md", "/repo/docs/quay.md")
    assert facts.commits == ("7996be2 Open the pier",)
    check_mended_command(facts)
    assert [command.text for command in facts.failing] == ["make gone"]


def test_a_turn_has_the_prompt_the_calls_the_tokens_and_the_answer_without_those_of_subagents() -> None:
    tokens = {"model": "m", "inputTokens": 14465, "outputTokens": 10, "cacheReadTokens": 0, "apiCallId": "msg_1"}
    lines = lines_of(
        START,
        PROMPT,
        line("session.usage_record", usage=tokens),
        line("assistant.message", content="", toolRequests=[{"toolCallId": "1", "name": "bash"}]),
        ran("1", "make gone", "make: *** no rule\n", 2),
        line("user.message", "explorer", content="Look at the pier."),
        line("assistant.message", "explorer", content="It is closed."),
        edited("2", "create", "/repo/a.py"),
        line("assistant.message", content="Done."),
    )
    (turn,) = read_turns(lines).turns
    assert [event.event_type for event in turn.events] == ["prompt", "usage", "tool_call", "tool_call", "answer"]
    prompt, usage, command, edit, answer = (event.payload for event in turn.events)
    assert prompt["text"].startswith("We decided")
    assert usage == {"model": "m", "input_tokens": 14465, "output_tokens": 10}
    assert (command["tool"], command["command"], command["exit_status"]) == ("Bash", "make gone", 2)
    assert command["result"] == "Exit code 2\nmake: *** no rule"
    assert (edit["tool"], edit["files"], edit["failed"]) == ("Write", ["/repo/a.py"], False)
    assert answer == {"text": "Done."}


def test_statements_and_open_work_are_read() -> None:
    said = line("assistant.message", content="Done.\n\nNext steps: tell the tenants about the pier")
    subagents = line("user.message", "explorer", content="We decided to use tar because paint peels.")
    check_statement_and_open_work(lines_of(START, PROMPT, said, subagents), "copilot")


@pytest.mark.parametrize(
    "data",
    [
        None,
        [],
        {},
        {"toolCallId": 7, "arguments": 3, "content": 5, "usage": [], "context": "x", "result": "x"},
        {"toolCallId": "x", "toolName": "edit", "arguments": ["x"], "fileEdits": "x", "success": False, "error": "x"},
        {"shellExecution": {"exitCode": "1"}, "result": {"content": 7}},
    ],
)
@pytest.mark.parametrize("kind", sorted(TYPES))
def test_a_line_of_another_form_has_no_content(kind: str, data: Any) -> None:
    event = {"timestamp": 5, "type": kind, "data": data, "id": 3}
    assert Converter().entries(event)
    check_line_without_content(json.dumps(event).encode() + b"\n")
