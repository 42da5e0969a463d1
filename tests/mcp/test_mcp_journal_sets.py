"""The tool sets of the journal, called by a real client."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from mcp.client.client import Client
    from mcp_agents import Agents

pytest_plugins = ("mcp_agents",)

S1 = {"sessionId": "kindling-1", "repoId": "harbour"}


async def said(agent: Client, tool: str, /, **arguments: Any) -> str:
    result = await agent.call_tool(tool, arguments)
    assert not result.is_error, result.content
    return result.content[0].text  # type: ignore[union-attr]


async def refused(agent: Client, tool: str, /, **arguments: Any) -> str:
    result = await agent.call_tool(tool, arguments)
    assert result.is_error, result.content
    return result.content[0].text  # type: ignore[union-attr]


def value_of(text: str, name: str) -> str:
    found = re.search(rf"^[ -]*{name}: (.+)$", text, re.MULTILINE)
    assert found, text
    return found[1]


async def test_capsules_are_opened_observed_pinned_retrieved_and_closed(agents: Agents) -> None:
    async with agents.open("2026-07-28", "--tools", "kindling") as agent:
        shown = {tool.name: tool.input_schema for tool in (await agent.list_tools()).tools}
        assert list(shown) == [
            "openCapsule", "closeCapsule", "appendObservation", "summarise", "pin", "retrieve", "listCapsules",
        ]  # fmt: skip
        assert set(shown["openCapsule"]["properties"]["scopeIds"]["properties"]) == {
            "sessionId", "repoId", "agentId", "userId",
        }  # fmt: skip
        assert shown["closeCapsule"]["required"] == ["capsuleId"]
        capsule = value_of(await said(agent, "openCapsule", type="task", intent="mend the crane", scopeIds=S1), "id")
        kept = await said(
            agent, "appendObservation", capsuleId=capsule, kind="command", content="The crane's brake slipped.",
            details={"exit_status": 0, "dry": False},
        )  # fmt: skip
        assert '"details": {"dry": false, "exit_status": 0}' in kept
        assert '"session": "kindling-1"' in kept
        await said(agent, "appendObservation", capsuleId=capsule, content="The hook is new.")
        await said(agent, "summarise", capsuleId=capsule, content="The brake was worn.")
        event = value_of(kept, "event_id")
        await said(agent, "pin", id=event, scopeIds=S1, reason="it is dangerous")
        # A list in JSON text, as some models send it.
        found = await said(agent, "retrieve", query="hook", scopeIds='{"sessionId": "kindling-1", "repoId": "harbour"}')
        assert re.findall(r"tier: (\w+)", found)[:3] == ["pin", "summary", "candidate"]
        tight = await said(agent, "retrieve", query="hook", scopeIds=S1, tokenBudget=1)
        assert "hook is new" not in tight
        assert int(value_of(tight, "over")) > 0
        assert "No results" in await said(agent, "retrieve", query="hook", scopeIds={"sessionId": "another"})
        assert value_of(await said(agent, "listCapsules", scopeIds=S1, status="open"), "id") == capsule
        assert value_of(await said(agent, "closeCapsule", capsuleId=capsule, summary="Mended."), "status") == "closed"


async def test_a_closed_capsule_takes_no_observation_and_a_scope_has_known_ids(agents: Agents) -> None:
    async with agents.open("2025-11-25", "--tools", "kindling") as agent:
        capsule = value_of(await said(agent, "openCapsule", type="task", intent="paint"), "id")
        await said(agent, "closeCapsule", capsuleId=capsule, summary="Painted.")
        assert "is closed" in await refused(agent, "appendObservation", capsuleId=capsule, content="Too late.")
        assert "is no scope" in await refused(agent, "retrieve", query="paint", scopeIds={"teamId": "x"})
        text = await refused(agent, "retrieve", query="paint", scopeIds={"sessionId": "a", "session": "b"})
        assert "'session' is given twice" in text
        assert "Did you mean 'scopeIds'" in await refused(agent, "retrieve", query="paint", scopeId={})


async def test_the_prompt_memory_belongs_to_the_set(agents: Agents) -> None:
    async with agents.open("2026-07-28", "--tools", "kindling") as agent:
        assert "memory" in {prompt.name for prompt in (await agent.list_prompts()).prompts}
        scope = {"sessionId": "kindling-prompt"}
        capsule = value_of(await said(agent, "openCapsule", type="task", intent="rig", scopeIds=scope), "id")
        await said(agent, "appendObservation", capsuleId=capsule, content="The mast has three shrouds.")
        text = (await agent.get_prompt("memory", {"query": "mast", "sessionId": "kindling-prompt"})).messages[0].content
        assert "three shrouds" in text.text  # type: ignore[union-attr]
    async with agents.open() as agent:
        assert "memory" not in {prompt.name for prompt in (await agent.list_prompts()).prompts}
