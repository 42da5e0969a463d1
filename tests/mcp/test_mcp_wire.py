"""The wire format of `muninn mcp`: malformed lines, cancelled calls, and clients that disconnect."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from mcp_agents import Agents, Bare

pytest_plugins = ("mcp_agents",)


def call(number: int, tool: str, **arguments: Any) -> dict[str, Any]:
    return {"id": number, "method": "tools/call", "params": {"name": tool, "arguments": arguments}}


async def test_an_invalid_line_is_answered_and_the_next_one_is_read(bare_agent: Bare) -> None:
    agent = await bare_agent()
    await agent.handshake()
    await agent.send(b"{not json", b"", b'{"id": 5, "method": "tools/list"}', b"[]")
    errors = [await agent.read() for _ in range(3)]
    assert [(error["id"], error["error"]["code"]) for error in errors] == [(None, -32700), (5, -32600), (None, -32600)]
    await agent.send(call(6, "status"))
    assert (await agent.read())["id"] == 6


async def test_a_line_that_is_nested_too_deeply_is_answered_and_the_next_one_is_read(bare_agent: Bare) -> None:
    agent = await bare_agent()
    await agent.handshake()
    nested = b"[" * 100_000 + b"]" * 100_000
    await agent.send(b'{"jsonrpc":"2.0","id":5,"method":"tools/list","params":{"a":%b}}' % nested)
    assert (await agent.read())["error"]["code"] == -32700
    await agent.send(call(6, "status"))
    assert (await agent.read())["id"] == 6


async def test_a_line_of_five_megabytes_is_one_message(bare_agent: Bare) -> None:
    agent = await bare_agent()
    await agent.handshake()
    await agent.send(call(1, "memories", text="ä" * 2_500_000))
    answer = await agent.read()
    assert answer["result"]["content"][0]["text"] == "No memory matches."


async def test_a_cancelled_call_is_not_answered_and_the_next_one_is(bare_agent: Bare) -> None:
    agent = await bare_agent()
    await agent.handshake()
    await agent.send(
        call(1, "recall", query="users"),
        {"method": "notifications/cancelled", "params": {"requestId": 1, "reason": "the user pressed escape"}},
        call(2, "status"),
    )
    assert (await agent.read())["id"] == 2
    await agent.send(call(3, "status"))
    assert (await agent.read())["id"] == 3


async def test_an_agent_that_disconnects_does_not_affect_other_clients(bare_agent: Bare, agents: Agents) -> None:
    steady = await bare_agent()
    await steady.handshake()
    for _ in range(5):
        hasty = await bare_agent()
        await hasty.handshake()
        await hasty.send(*(call(number, "context", query="users") for number in range(1, 9)))
        hasty.process.kill()
        await hasty.process.wait()
    await steady.send(call(1, "status"))
    assert "read-write" in (await steady.read())["result"]["content"][0]["text"]


async def test_a_client_that_closes_stdin_without_a_message_ends_the_server(bare_agent: Bare) -> None:
    agent = await bare_agent()
    assert agent.process.stdin is not None
    agent.process.stdin.close()
    assert await agent.process.wait() == 0


async def test_two_agents_of_both_eras_are_served_at_once(agents: Agents) -> None:
    async with agents.open("2025-11-25") as older, agents.open("2026-07-28") as newer:
        for agent in (older, newer, older, newer):
            result = await agent.call_tool("recall", {"query": "delete a user", "kind": "code"})
            assert "src/users.py" in result.content[0].text  # type: ignore[union-attr]


@pytest.mark.parametrize("method", ["no/such/method", "tasks/list"])
async def test_unsupported_methods_are_refused_by_the_protocol(bare_agent: Bare, method: str) -> None:
    agent = await bare_agent()
    offered = (await agent.handshake())["result"]["capabilities"]
    assert set(offered) == {"tools", "resources", "prompts", "completions"}
    assert offered["resources"] == {"subscribe": True, "listChanged": True}
    await agent.send({"id": 1, "method": method})
    assert (await agent.read())["error"]["code"] == -32601
