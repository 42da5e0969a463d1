"""Agents of two MCP clients claim, hand off and leave; an agent ends with its connection."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from muninn_core import client

if TYPE_CHECKING:
    from mcp.client.client import Client
    from mcp_agents import Agents

pytest_plugins = ("mcp_agents",)


async def said(agent: Client, tool: str, /, failed: bool = False, **arguments: Any) -> str:
    result = await agent.call_tool(tool, arguments)
    assert result.is_error == failed, result.content
    return result.content[0].text  # type: ignore[union-attr]


async def test_two_agents_share_the_work_and_an_agent_ends_with_its_connection(agents: Agents) -> None:
    async with agents.open("2026-07-28", "--tools", "team") as ada:
        assert "coordinates agents" in (ada.instructions or "")
        await said(ada, "agent_register", name="ada", role="executor", task="the crane")
        await said(ada, "lease_claim", files=["crane.md"])
        async with agents.open("2025-11-25", "--tools", "team") as bob:
            await said(bob, "agent_register", name="bob", role="reviewer")
            assert "held by others: task:dock" not in await said(bob, "lease_claim", tasks=["dock"])
            refused = await said(bob, "lease_claim", failed=True, files=["crane.md"])
            assert "'reviewer' changes no files" in refused
            assert "task:dock by 'bob'" in await said(ada, "lease_claim", failed=True, tasks=["dock"])
            await said(ada, "agent_handoff", text="Please look at the brake.", to="reviewer", files=["crane.md"])
            assert "look at the brake" in await said(bob, "agent_heartbeat")
            assert "needs rights that a person grants" in await said(bob, "approve", failed=True, ids=["x"])
            await said(ada, "publish", event_type="crane.ready", payload={"load": 3})
            got = await said(bob, "subscribe", event_type="crane.ready", after=0, wait=0)
            assert "load" in got
            with client.connect(str(agents.repo), agents.environ) as muninn:
                assert [one["name"] for one in muninn.call("agent.list")["agents"]] == ["ada", "bob"]
    with client.connect(str(agents.repo), agents.environ) as muninn:
        last = muninn.call("event.wait", {"event_type": "muninn.agent.left", "after": 0, "limit": 1})["last"]
        muninn.call("event.wait", {"event_type": "muninn.agent.left", "after": last})  # that of the other connection
        listed = muninn.call("agent.list")
        assert (listed["agents"], muninn.call("lease.list")["leases"]) == ([], [])
        assert [note["text"] for note in listed["handoffs"]] == ["Please look at the brake."]
        ends = muninn.call("event.query", {"event_type": "muninn.agent.left"})["hits"]
        assert {one["event"]["payload"]["reason"] for one in ends} == {"disconnected"}
