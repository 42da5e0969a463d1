"""The tool sets of the journal, called by a real client."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

import pytest

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


async def test_events_patterns_and_decisions_are_stored_and_found(agents: Agents) -> None:
    async with agents.open("2026-07-28", "--tools", "events") as agent:
        assert [tool.name for tool in (await agent.list_tools()).tools] == [
            "store_event", "get_recent_events", "query_events", "semantic_search", "store_pattern", "get_patterns",
            "store_decision", "get_recent_decisions", "get_statistics",
        ]  # fmt: skip
        kept = await said(
            agent, "store_event", event_type="lighthouse", description="The lamp went out at night.",
            data='{"hours": 3}', metadata={"from": "log"}, timestamp="2026-01-02T03:04:05Z",
        )  # fmt: skip
        event = value_of(kept, "event_id")
        assert value_of(kept, "occurred_at") == "2026-01-02T03:04:05.000Z"
        assert '"description": "The lamp went out at night."' in kept
        assert '"metadata": {"from": "log"}' in kept
        recent = await said(agent, "get_recent_events", event_type="lighthouse")
        assert recent.splitlines()[1:] == [
            f"  - #{value_of(kept, 'position')} 2026-01-02T03:04:05.000Z lighthouse by assistant, event_id: {event}",
            f"    {value_of(kept, 'payload')}",
        ]
        assert event in await said(agent, "query_events", where={"payload.hours": 3}, until="2026-02-01")
        assert "No results" in await said(agent, "query_events", where={"payload.hours": 4})
        assert event in await said(agent, "semantic_search", query="lamp at night", limit=3)
        for moons in (1, 2):
            await said(
                agent, "store_pattern", pattern_type="tide", description="High at noon.", confidence=0.7,
                data={"moons": moons},
            )  # fmt: skip
        patterns = await said(agent, "get_patterns", where={"type": "tide"})
        assert (value_of(patterns, "occurrence_count"), value_of(patterns, "confidence")) == ("2", "0.7")
        assert value_of(patterns, "moons") == "2"
        await said(
            agent, "store_decision", action="Replace the lamp.", reasoning="It fails.", outcome="Dark.", success=False
        )
        decisions = await said(agent, "get_recent_decisions", limit=1)
        assert (value_of(decisions, "title"), value_of(decisions, "outcome")) == ("Replace the lamp.", "Dark.")
        assert value_of(decisions, "success") == "False"
        assert value_of(await said(agent, "get_statistics"), "lighthouse") == "1"
        assert "given twice" in await refused(
            agent, "store_event", event_type="x", description="a", data={"description": "b"}
        )
        assert "needs 'query'" in await refused(agent, "semantic_search", limit=2)


@pytest.mark.parametrize("era", ["2025-11-25", "2026-07-28"])
@pytest.mark.parametrize(("name", "dot"), [("hub", "."), ("hub_underscore", "_")])
async def test_a_turn_of_the_hub_is_recorded_packed_and_replayed(agents: Agents, era: str, name: str, dot: str) -> None:
    async with agents.open(era, "--tools", name) as agent:
        assert [tool.name for tool in (await agent.list_tools()).tools] == [
            each.replace(".", dot)
            for each in (
                "turn.begin", "event.append", "turn.end", "memory.search", "context.pack", "decision.record",
                "decision.supersede", "audit.replay",
            )
        ]  # fmt: skip
        project = {"project_id": f"{name}-{era}"}
        turn = {**project, "session_id": f"s-{name}-{era}", "turn_id": "t1"}
        token = value_of(await said(agent, "turn.begin", **turn), "ack_token")
        own = {**turn, "ack_token": token}
        event = value_of(
            await said(
                agent, "event_append", event_type="message", payload={"text": "Which rope holds?"}, actor="tool", **own
            ),
            "event_id",
        )
        first = value_of(await said(agent, "decision.record", title="Use hemp.", **own), "event_id")
        second = value_of(
            await said(agent, "decision_supersede", supersedes=first, title="Use nylon.", **own), "event_id"
        )
        assert event in await said(agent, "memory.search", query="which rope", **project)
        assert "no parameter 'id'" in await refused(agent, "memory.search", query="rope", id=event, **project)
        for claimed, kept in (("tool", "tool"), ("user", "assistant"), ("Human", "assistant")):
            noted = await said(agent, "event.append", event_type="message", actor=claimed, **own)
            assert value_of(noted, "actor") == kept
        pack = await said(agent, "context.pack", session_id=turn["session_id"], **project)
        assert value_of(pack, "decision_id") == second
        assert value_of(pack, "supersedes") == first
        assert "Which rope holds?" in pack
        assert value_of(await said(agent, "turn.end", **own), "event_type") == "muninn.turn.ended"
        replayed = await said(agent, "audit.replay", **project)
        assert replayed.startswith("8 events, sha256 ")
        events = [json.loads(line) for line in replayed.splitlines()[1:]]
        assert events[1]["event_id"] == event
        assert [each["actor"] for each in events] == [
            "assistant",
            "tool",
            *["assistant"] * 2,
            "tool",
            *["assistant"] * 3,
        ]
        assert {each["source"] for each in events[1:-1]} == {events[0]["payload"]["client"]} != {"muninn"}
        assert await said(agent, "audit_replay", **project) == replayed
        for tool, more in (
            ("event.append", {"event_type": "message"}),
            ("decision.record", {"title": "x"}),
            ("decision.supersede", {"title": "x", "supersedes": second}),
        ):
            assert "requires a turn" in await refused(agent, tool, **project, **more)
            assert "needs its ack_token" in await refused(agent, tool, **turn, **more)
            assert "has ended" in await refused(agent, tool, **own, **more)
        for tool, more in (("memory.search", {"query": "x"}), ("context.pack", {}), ("audit.replay", {})):
            assert "needs 'project_id'" in await refused(agent, tool, **more)
        assert "no parameter 'path'" in await refused(agent, "audit.replay", path="/tmp/replayed", **project)
        foreign = await refused(agent, "context.pack", project_id="another", session_id=turn["session_id"])
        assert "belongs to the project" in foreign
        assert await said(agent, "audit.replay", **project) == replayed
