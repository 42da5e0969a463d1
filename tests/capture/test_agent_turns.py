"""Transcripts of agents become turns; nothing that a line may hold stops the reading of the others."""

from __future__ import annotations

import json
import random
import re
from typing import Any

import pytest

from muninn_core.capture.sessions.session_facts import SessionReader
from muninn_core.capture.statements.open_items import read_open_items
from muninn_core.capture.statements.transcript import read_transcript
from muninn_core.capture.turns.agent_turns import read_turns

CLAUDE: list[dict[str, Any]] = [
    {"type": "user", "uuid": "u1", "promptId": "p1", "timestamp": "2026-02-03T10:00:00Z",
     "message": {"role": "user", "content": "Go. <system-reminder>Be kind.</system-reminder>"}},
    {"type": "assistant", "uuid": "u2", "message": {"role": "assistant", "id": "m1", "usage": {"input_tokens": 1},
     "content": [{"type": "tool_use", "id": "c1", "name": "Bash", "input": {"command": "make"}}]}},
    {"type": "user", "uuid": "u3", "toolUseResult": "Error",
     "message": {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "c1", "is_error": True,
                                              "content": [{"type": "text", "text": "Exit code 2\nbad"}]}]}},
    {"type": "assistant", "uuid": "u4", "message": {"role": "assistant", "content": [{"type": "text", "text": "Hm."}]}},
]  # fmt: skip
CODEX: list[dict[str, Any]] = [
    {"type": "turn_context", "payload": {"turn_id": "p1", "cwd": "/r"}},
    *(
        {"type": "event_msg", "payload": {"type": "item_completed", "turn_id": "p1", "item": item}}
        for item in (
            {"type": "UserMessage", "id": "i1", "content": [{"type": "text", "text": "Go."}]},
            {"type": "CommandExecution", "id": "i2", "command": ["bash", "-lc", "make"], "exit_code": 2,
             "aggregated_output": "bad"},
            {"type": "FileChange", "id": "i3", "status": "completed", "changes": {"/r/a.py": {}}},
            {"type": "McpToolCall", "id": "i4", "server": "s", "tool": "t", "arguments": {"q": 1},
             "status": "completed", "result": {"content": [{"type": "text", "text": "found"}]}},
            {"type": "AgentMessage", "id": "i5", "content": [{"type": "Text", "text": "Hm."}]},
        )
    ),
    {"type": "token_usage_record", "payload": {"response_id": "r1", "usage": {"input_tokens": 1}}},
]  # fmt: skip
GEMINI: list[dict[str, Any]] = [
    {"id": "p1", "type": "user", "content": [{"text": "<hook_context>Known.</hook_context>\n\nGo."}]},
    {"id": "g1", "type": "gemini", "content": "", "tokens": {"input": 1}, "toolCalls": [
        {"id": "c1", "name": "run_shell_command", "args": {"command": "make"}, "status": "success",
         "result": [{"functionResponse": {"response": {"output": "Output: bad\nExit Code: 2\n"}}}]}]},
    {"id": "g2", "type": "gemini", "content": "Hm."},
]  # fmt: skip
AGENTS = {"claude": CLAUDE, "codex": CODEX, "gemini": GEMINI}


def lines(entries: list[dict[str, Any]]) -> list[bytes]:
    return [json.dumps(entry).encode() + b"\n" for entry in entries]


@pytest.mark.parametrize("agent", AGENTS)
def test_all_agents_give_the_same_events(agent: str) -> None:
    (turn,) = read_turns(lines(AGENTS[agent])).turns
    assert turn.id == "p1"
    payloads = {event.event_type: event.payload for event in turn.events if "input" not in event.payload}
    assert payloads["prompt"] == {"text": "Go."}
    assert payloads["answer"] == {"text": "Hm."}
    assert payloads["usage"] == {"input_tokens": 1}
    (command,) = (event.payload for event in turn.events if event.payload.get("command"))
    assert (command["command"], command["exit_status"], command["failed"]) == ("make", 2, True)


@pytest.mark.parametrize("agent", AGENTS)
def test_a_reading_from_the_last_turn_gives_the_same_keys(agent: str) -> None:
    content = lines(AGENTS[agent])
    again = [re.sub(rb'"([a-z])(\d)"', rb'"\1\g<2>0"', line.replace(b'"p1"', b'"p2"')) for line in content]
    whole = read_turns([*content, *again])
    assert [turn.id for turn in whole.turns] == ["p1", "p20"]
    tail = b"".join([*content, *again])[whole.offset :].splitlines(keepends=True)
    assert read_turns(tail, offset=whole.offset).turns == whole.turns[1:]


ODD: list[Any] = [
    None,
    True,
    0,
    -1.5,
    "",
    "text",
    [],
    [1],
    ["x", None],
    {},
    {"text": 3},
    {"type": "text"},
    [{"text": []}],
]


def changed(value: Any, chance: random.Random) -> Any:
    """Return a value with one of its parts replaced by an odd one."""
    if isinstance(value, dict) and value and chance.random() < 0.8:
        name = chance.choice(sorted(value))
        return {**value, name: changed(value[name], chance)}
    if isinstance(value, list) and value and chance.random() < 0.8:
        at = chance.randrange(len(value))
        return [*value[:at], changed(value[at], chance), *value[at + 1 :]]
    return chance.choice(ODD)


TODOS: list[dict[str, Any]] = [
    {"type": "assistant", "message": {"role": "assistant", "content": [
        {"type": "tool_use", "id": f"c{number}", "name": name, "input": given},
        {"type": "text", "text": "We decided to use Redis because cookies overflowed. Next steps: write the docs"},
    ]}} for number, (name, given) in enumerate([
        ("TodoWrite", {"todos": [{"content": "Write the docs", "status": "pending"}]}),
        ("TaskCreate", {"subject": "Write the tests"}),
        ("TaskUpdate", {"taskId": "1", "status": "completed"}),
    ])
]  # fmt: skip


@pytest.mark.parametrize("agent", AGENTS)
def test_no_value_in_a_line_ends_the_reading(agent: str) -> None:
    chance, kept = random.Random(7), 0
    for _ in range(400):
        entries = [dict(entry) for entry in (*AGENTS[agent], *TODOS)]
        at = chance.randrange(len(entries))
        entries[at] = changed(entries[at], chance)
        turns = read_turns(lines(entries)).turns
        json.dumps([event.payload for turn in turns for event in turn.events], allow_nan=False)
        kept += bool(turns)
        reader = SessionReader()
        assert all(reader.read_line(line) for line in lines([entry for entry in entries if isinstance(entry, dict)]))
        assert reader.facts().recognised >= len(TODOS) - 1
        assert read_open_items(lines(entries)).open
        assert read_transcript(lines([entries[at]])).offset
    assert kept > 380
