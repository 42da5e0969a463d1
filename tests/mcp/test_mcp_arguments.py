"""Arguments of models: nearly correct forms are accepted, ambiguous ones are refused."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from muninn_server.mcp.arguments import coerce

if TYPE_CHECKING:
    from mcp_agents import Agents, Bare

pytest_plugins = ("mcp_agents",)


@pytest.mark.parametrize(
    ("verb", "given", "meant"),
    [
        ("recall", {"limit": "5"}, {"limit": 5}),
        ("recall", {"limit": None, "kind": None}, {}),
        ("recall", {"by_file": "True"}, {"by_file": True}),
        ("recall", {"type": "decision"}, {"type": ["decision"]}),
        ("recall", {"type": '["decision", "pattern"]'}, {"type": ["decision", "pattern"]}),
        ("recall", {"path": "[draft] notes.md"}, {"path": ["[draft] notes.md"]}),
        ("remember", {"confidence": "0.5"}, {"confidence": 0.5}),
        ("remember", {"details": '{"exit_status": 2}'}, {"details": {"exit_status": 2}}),
        ("remember", {"links": '[{"relation": "extends"}]'}, {"links": [{"relation": "extends"}]}),
    ],
)
def test_unambiguous_arguments_are_converted(verb: str, given: dict[str, Any], meant: dict[str, Any]) -> None:
    assert coerce(verb, given) == meant


@pytest.mark.parametrize(
    ("verb", "given"),
    [
        ("recall", {"query": "5", "limit": "five"}),
        ("recall", {"query": "[1]", "limit": "true"}),
        ("recall", {"query": "null", "limit": "2.5", "by_file": "1"}),
        ("remember", {"text": '{"a": 1}', "details": "[1]"}),
        ("recall", {"qeury": None}),
    ],
)
def test_ambiguous_arguments_are_passed_on_unchanged(verb: str, given: dict[str, Any]) -> None:
    assert coerce(verb, given) == given


async def test_a_call_with_a_number_as_text_is_answered_and_one_with_a_word_is_told_what_is_wanted(
    agents: Agents,
) -> None:
    async with agents.open() as agent:
        found = await agent.call_tool("recall", {"query": "delete a user", "limit": "1", "kind": "code"})
        assert not found.is_error
        refused = await agent.call_tool("recall", {"query": "delete a user", "limit": "few"})
    assert refused.is_error
    assert "'limit' must be a whole number from 1 to 200" in refused.content[0].text  # type: ignore[union-attr]


@pytest.mark.parametrize("odd", [b"\\ud83d", b"\xff\xfe"])
async def test_a_text_cut_within_a_character_is_accepted(bare_agent: Bare, odd: bytes) -> None:
    agent = await bare_agent()
    await agent.handshake()
    params = {"name": "recall", "arguments": {"query": "users @"}}
    call = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
    await agent.send(json.dumps(call).encode().replace(b"@", odd))
    assert "src/users.py" in (await agent.read())["result"]["content"][0]["text"]
