"""The payloads of all agents are parsed into one type, and each agent gets its own form of answer."""

from __future__ import annotations

import json
from typing import Any

import pytest

from muninn_hooks.dialects import FORMS, answer
from muninn_hooks.payload import AGENTS, Payload, decode

CLAUDE_START = {
    "session_id": "s-1",
    "transcript_path": "/t.jsonl",
    "cwd": "/r",
    "hook_event_name": "SessionStart",
    "source": "startup",
}
CODEX_BASE = {"session_id": "s-1", "transcript_path": None, "cwd": "/r", "model": "m", "permission_mode": "default"}
CODEX_START = {**CODEX_BASE, "hook_event_name": "SessionStart", "source": "startup"}
CODEX_TOOL = {
    **CODEX_BASE,
    "hook_event_name": "PostToolUse",
    "turn_id": "t-1",
    "tool_name": "Bash",
    "tool_input": {"command": "git commit"},
    "tool_response": "[main 1234567] …",
    "tool_use_id": "call_1",
}
GEMINI_BASE = {"session_id": "s-1", "transcript_path": "/t.json", "cwd": "/r", "timestamp": "2026-01-01T00:00:00.000Z"}
GEMINI_TOOL = {
    **GEMINI_BASE,
    "hook_event_name": "AfterTool",
    "tool_name": "run_shell_command",
    "tool_input": {"command": "make"},
    "tool_response": {"llmContent": "…", "returnDisplay": "…", "error": {"message": "make: no rule"}},
}
CURSOR_BASE = {
    "conversation_id": "c-1",
    "generation_id": "g-1",
    "model": "m",
    "cursor_version": "2.4.0",
    "workspace_roots": ["/r"],
    "user_email": None,
    "transcript_path": None,
}
CURSOR_START = {**CURSOR_BASE, "hook_event_name": "sessionStart", "session_id": "c-1", "is_background_agent": False}
CURSOR_FAILURE = {
    **CURSOR_BASE,
    "hook_event_name": "postToolUseFailure",
    "tool_name": "Shell",
    "tool_input": {"command": "make"},
    "error_message": "make: no rule",
    "cwd": "/r/sub",
}
COPILOT_TOOL = {
    "session_id": "s-1",
    "timestamp": "2026-01-01T00:00:00.000Z",
    "cwd": "/r",
    "hook_event_name": "PostToolUse",
    "tool_name": "Bash",
    "tool_input": {"command": "make"},
    "tool_result": {
        "result_type": "success",
        "text_result_for_llm": "make: no rule\n<shellId: 1 completed with exit code 2>",
    },
}
OPENCODE_START = {"agent": "opencode", "session_id": "ses_1", "cwd": "/r", "source": "startup"}


def read(data: dict[str, Any]) -> Payload:
    return decode(json.dumps(data).encode())


@pytest.mark.parametrize(
    ("data", "agent"),
    [
        (CLAUDE_START, "claude-code"),
        (CODEX_START, "codex"),
        (CODEX_TOOL, "codex"),
        (
            {"session_id": "s-1", "transcript_path": r"C:\c\rollout-2026.jsonl", "hook_event_name": "SessionEnd"},
            "codex",
        ),
        (GEMINI_TOOL, "gemini"),
        (CURSOR_START, "cursor"),
        (OPENCODE_START, "opencode"),
        ({}, "claude-code"),
    ],
)
def test_without_a_name_an_agent_is_told_by_what_only_it_sends(data: dict[str, Any], agent: str) -> None:
    assert read(data).agent == agent


@pytest.mark.parametrize("agent", AGENTS)
@pytest.mark.parametrize("data", [CLAUDE_START, CODEX_TOOL, GEMINI_TOOL, CURSOR_START, OPENCODE_START])
def test_the_name_in_the_command_counts_whatever_the_fields_are(data: dict[str, Any], agent: str) -> None:
    assert decode(json.dumps(data).encode(), agent).agent == agent


def test_claude_codes_mode_of_permissions_makes_it_no_codex() -> None:
    prompt = {key: value for key, value in CLAUDE_START.items() if key != "source"}
    prompt |= {"hook_event_name": "UserPromptSubmit", "permission_mode": "default", "prompt": "go", "prompt_id": "p"}
    assert read(prompt).agent == "claude-code"
    assert read({**prompt, "source": "user"}).agent == "claude-code"


def test_the_place_and_the_session_are_found_in_every_dialect() -> None:
    cursor = {key: value for key, value in CURSOR_START.items() if key != "session_id"}
    found = [(one.cwd, one.session) for one in map(read, (CLAUDE_START, CODEX_TOOL, GEMINI_TOOL, cursor))]
    assert found == [("/r", "s-1"), ("/r", "s-1"), ("/r", "s-1"), ("/r", "c-1")]


@pytest.mark.parametrize(
    "data", [GEMINI_TOOL, CURSOR_FAILURE, {**CLAUDE_START, "error": "make: no rule", "tool_input": {"command": "make"}}]
)
def test_a_failure_has_its_command_and_its_reason_in_every_dialect(data: dict[str, Any]) -> None:
    given = read(data)
    assert (given.command, given.error) == ("make", "make: no rule")


def test_gemini_tells_a_failure_in_its_output_and_what_hooks_said_before_the_prompt() -> None:
    shown = {"llmContent": "<untrusted_context>\nOutput: no rule\nExit Code: 2\n</untrusted_context>"}
    failed = {**GEMINI_TOOL, "tool_response": {**shown, "returnDisplay": "no rule"}}
    assert read(failed).error == "Exit code 2\nno rule"
    assert read({**GEMINI_TOOL, "tool_response": {"llmContent": "Output: (empty)\n"}}).error == ""
    prompt = {**GEMINI_BASE, "hook_event_name": "BeforeAgent", "prompt": "<hook_context>A.</hook_context>\n\nGo on."}
    assert read(prompt).prompt == "Go on."


def test_copilot_tells_a_failure_in_the_last_line_of_the_output() -> None:
    given = decode(json.dumps(COPILOT_TOOL).encode(), "copilot")
    assert (given.command, given.error) == ("make", "Exit code 2\nmake: no rule")
    for output in ("fine\n<shellId: 1 completed with exit code 0>", "fine", "<shellId: 1 completed with exit code x>"):
        result = {**COPILOT_TOOL, "tool_result": {"text_result_for_llm": output}}
        assert decode(json.dumps(result).encode(), "copilot").error == ""


def test_qwen_tells_the_output_of_a_failed_command_among_the_facts_of_its_run() -> None:
    run = "Command: make\nDirectory: (root)\nOutput: make: no rule\nError: (none)\nExit Code: 2\nSignal: (none)"
    failed = {**CLAUDE_START, "hook_event_name": "PostToolUseFailure", "tool_input": {"command": "make"}}
    assert decode(json.dumps({**failed, "error": run}).encode(), "qwen").error == "Exit code 2\nmake: no rule"
    assert decode(json.dumps({**failed, "error": "It was refused."}).encode(), "qwen").error == "It was refused."


def test_a_field_of_another_kind_counts_as_absent() -> None:
    odd = read(
        {"cwd": 7, "workspace_roots": [3], "session_id": ["x"], "tool_input": "make", "tool_response": {"error": 1}}
    )
    assert (odd.cwd, odd.session, odd.command, odd.error) == ("", "", "", "")


@pytest.mark.parametrize(
    ("data", "event", "printed"),
    [
        (CLAUDE_START, "session-start", "Keep calm.\n"),
        (CODEX_START, "session-start", ("SessionStart", "Keep calm.")),
        ({**GEMINI_BASE, "hook_event_name": "BeforeAgent"}, "user-prompt", ("BeforeAgent", "Keep calm.")),
        (GEMINI_TOOL, "post-commit", ("AfterTool", "Keep calm.")),
        (CODEX_TOOL, "post-commit", ("PostToolUse", "Keep calm.")),
        (OPENCODE_START, "pre-compact", "Keep calm.\n"),
        ({}, "post-commit", ("PostToolUse", "Keep calm.")),
    ],
)
def test_an_answer_has_the_form_that_the_agent_takes(data: dict[str, Any], event: str, printed: Any) -> None:
    said = answer(read(data), event, " Keep calm.\n")
    if isinstance(printed, tuple):
        name, context = printed
        assert json.loads(said) == {"hookSpecificOutput": {"hookEventName": name, "additionalContext": context}}
    else:
        assert said == printed


def test_cursor_takes_context_at_the_top() -> None:
    assert json.loads(answer(read(CURSOR_START), "session-start", "Keep calm.")) == {"additional_context": "Keep calm."}


def test_copilot_takes_context_at_the_top_and_vs_code_nested() -> None:
    given = decode(json.dumps(COPILOT_TOOL).encode(), "copilot")
    renamed = {"session_id": "sessionId", "hook_event_name": "hookEventName"}
    from_vs_code = {renamed.get(name, name): value for name, value in COPILOT_TOOL.items()}
    read_there = decode(json.dumps(from_vs_code).encode(), "copilot")
    assert (read_there.session, read_there.event) == (given.session, given.event) == ("s-1", "PostToolUse")
    nested = {"hookEventName": "PostToolUse", "additionalContext": "Keep calm."}
    expected = {"additionalContext": "Keep calm.", "hookSpecificOutput": nested}
    assert json.loads(answer(given, "post-commit", "Keep calm.")) == expected


@pytest.mark.parametrize("data", [CLAUDE_START, CODEX_START])
def test_the_end_of_a_turn_is_blocked_with_a_reason(data: dict[str, Any]) -> None:
    assert json.loads(answer(read(data), "stop", "Keep calm.")) == {"decision": "block", "reason": "Keep calm."}


@pytest.mark.parametrize(
    ("data", "event"),
    [
        (CODEX_TOOL, "pre-compact"),  # its schema for this event knows no context
        (GEMINI_TOOL, "pre-compact"),
        (CURSOR_START, "user-prompt"),
        (GEMINI_TOOL, "stop"),
        (CLAUDE_START, "session-end"),
    ],
)
def test_nothing_is_printed_for_an_agent_that_reads_no_answer(data: dict[str, Any], event: str) -> None:
    assert answer(read(data), event, "Keep calm.") == ""


@pytest.mark.parametrize("agent", sorted(FORMS))
@pytest.mark.parametrize("said", ["", " \n"])
def test_silence_stays_silence(agent: str, said: str) -> None:
    given = Payload({})
    given.agent = agent
    assert [answer(given, event, said) for event in FORMS[agent]] == [""] * len(FORMS[agent])


def test_a_text_that_begins_with_a_brace_is_not_taken_for_json() -> None:
    said = answer(read(CLAUDE_START), "session-start", "{x} is how names are filled in.")
    assert said == "Memory of this repository:\n{x} is how names are filled in.\n"
