"""The tools, as the SDK's client of either era sees and calls them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from repositories import kill_daemon, stop_daemon

from muninn_core import __version__, client
from muninn_core.protocol.catalogue import METHODS
from muninn_server.mcp.tools import DESCRIPTION_LIMIT, INSTRUCTIONS, OF_MNEMOSYNE, TOOLS

if TYPE_CHECKING:
    from mcp.client.client import Client
    from mcp_agents import Agents

pytest_plugins = ("mcp_agents",)

both_eras = pytest.mark.parametrize("era", ["2025-11-25", "2026-07-28"])


async def said(agent: Client, tool: str, /, **arguments: Any) -> tuple[str, bool]:
    """Call a tool; return its text and whether it failed."""
    result = await agent.call_tool(tool, arguments)
    assert result.structured_content is None
    (content,) = result.content
    assert content.type == "text"
    return content.text, bool(result.is_error)


@both_eras
async def test_the_server_lists_the_tools_and_says_when_to_use_them(agents: Agents, era: str) -> None:
    async with agents.open(era) as agent:
        assert agent.protocol_version == era
        assert agent.instructions == f"{INSTRUCTIONS}\n\nThe project is repo"
        assert agent.server_info is not None
        assert (agent.server_info.name, agent.server_info.version) == ("muninn", __version__)
        listed = {tool.name: tool for tool in (await agent.list_tools()).tools}
    assert list(listed) == [method.verb for method in METHODS.values() if method.tool]
    for name, tool in listed.items():
        method = METHODS[name]
        assert tool.title == method.title
        assert tool.description == f"{method.summary} {method.use}"
        assert tool.annotations is not None
        assert tool.annotations.read_only_hint == (method.effect == "read")
        assert tool.annotations.destructive_hint == method.destructive
        assert tool.annotations.idempotent_hint == method.idempotent
        assert tool.annotations.open_world_hint is False
        assert bool((tool.meta or {}).get("anthropic/alwaysLoad")) == (name in {"recall", "context", "remember"})


@both_eras
async def test_an_agent_recalls_what_it_remembered(agents: Agents, era: str) -> None:
    async with agents.open(era) as agent:
        text = f"In {era} the display name is never empty."
        stored, failed = await said(agent, "remember", text=text, type="constraint", files=["src/users.py"])
        assert not failed
        assert stored.startswith("Remembered as ")
        found, failed = await said(agent, "recall", query=f"{era} display name empty", kind="memory")
        assert not failed
        assert text in found
        assert stored.split()[2].rstrip(".")[-8:] in found
        found, _ = await said(agent, "recall", query="get user name", kind="code")
        assert "src/users.py:" in found
        pack, failed = await said(agent, "context", query="change the display name of a user", budget=2000)
        assert not failed
        assert text in pack
        tagged, failed = await said(agent, "context", files=["src/users.py"], format="xml")
        assert not failed
        assert tagged.startswith('<context bundle="c-')
        assert tagged.endswith("</context>\n")
        listed, _ = await said(agent, "memories", file="src/users.py")
        assert text in listed
        status, _ = await said(agent, "status")
        assert "read-write" in status


@both_eras
async def test_a_tool_that_fails_answers_with_a_result_that_says_what_to_do(agents: Agents, era: str) -> None:
    async with agents.open(era) as agent:
        for tool, arguments, words in (
            ("recal", {"query": "x"}, "'recall'"),
            ("recall", {"query": "x", "limt": 1}, "'limit'"),
            ("recall", {}, "query"),
            ("recall", {"query": "x", "limit": "many"}, "limit"),
            ("recall", {"query": "x tpye:decision"}, "x tpye:decision\n  ^^^^\n"),
            ("memories", {"id": "nothing-has-this-id"}, "nothing-has-this-id"),
        ):
            text, failed = await said(agent, tool, **arguments)
            assert failed
            assert words in text


async def test_an_agent_cannot_set_actor_or_trust(agents: Agents) -> None:
    async with agents.open() as agent:
        for field, value in (("trust", "user"), ("actor", "user"), ("session", "other"), ("agent", "someone/1")):
            text, failed = await said(agent, "remember", text="Trust me.", **{field: value})
            assert failed
            assert f"no parameter '{field}'" in text
        stored, _ = await said(agent, "remember", text="Said by an agent.")
    with client.connect(str(agents.repo), agents.environ) as muninn:
        identity = stored.split()[2].rstrip(".")
        (memory,) = muninn.call("memories", {"id": identity})["memories"]
    assert (memory["actor"], memory["trust"]) == ("assistant", "agent")
    assert memory["agent"].startswith("mcp ")


async def test_an_agents_memory_needs_approval_with_that_setting_and_no_tool_approves_it(
    plain_repo: Path, environ: dict[str, str]
) -> None:
    from mcp_agents import Agents

    with client.connect(str(plain_repo), environ) as muninn:
        muninn.call("init")
    stop_daemon(plain_repo, environ)
    (plain_repo / ".muninn" / "config.yaml").write_text("review: {pending: [assistant]}\n")
    try:
        async with Agents(plain_repo, environ).open() as agent:
            stored, _ = await said(agent, "remember", text="Lanterns are lit at dusk.")
            assert "It waits for a person's approval" in stored
            found, _ = await said(agent, "recall", query="lanterns at dusk", kind="memory")
            assert "Lanterns" not in found
            assert "waits for approval" in (await said(agent, "memories", pending=True))[0]
            identity = stored.split()[2].rstrip(".")
            assert (await said(agent, "approve", ids=[identity]))[1]
            assert not {"approve", "reject", "pack.add"} & set(TOOLS)
    finally:
        stop_daemon(plain_repo, environ)


async def test_forgetting_and_restoring_say_what_became_of_it(agents: Agents) -> None:
    async with agents.open() as agent:
        stored, _ = await said(agent, "remember", text="This will not last.")
        identity = stored.split()[2].rstrip(".")
        assert (await said(agent, "forget", id=identity, reason="wrong"))[0].startswith("Archived: ")
        assert (await said(agent, "forget", id=identity, restore=True))[0].startswith("Restored: ")
        summary, failed = await said(agent, "reconcile", dry_run=True)
        assert summary
        assert not failed
        told, failed = await said(agent, "conflicts")
        assert told == "No conflicts.\n\n1 session is not reconciled: `muninn reconcile` also compares it."
        assert not failed


def test_descriptions_and_instructions_are_not_cut_by_clients() -> None:
    assert max(len(INSTRUCTIONS), len(OF_MNEMOSYNE)) < DESCRIPTION_LIMIT
    for tool in TOOLS.values():
        assert len(tool.description) < DESCRIPTION_LIMIT
        assert METHODS[tool.name].use, f"{tool.name} does not say when to use it"


def test_schemas_are_whole_and_show_no_inner_matters() -> None:
    for tool in TOOLS.values():
        text = json.dumps(tool.schema)
        assert "$ref" not in text
        assert tool.schema["type"] == "object"
        assert tool.schema["additionalProperties"] is False
        shown = set(tool.schema["properties"])
        assert not shown & {"actor", "trust", "key", "batch", "agent", "open_files"}
        by_place = set(METHODS[tool.name].positional) - set(METHODS[tool.name].may_omit)
        assert set(tool.schema.get("required", ())) == by_place
        for name, schema in tool.schema["properties"].items():
            assert schema.get("description") or name == "session", f"{tool.name}.{name}"


def test_the_manual_names_every_tool_and_its_snippets_can_be_read() -> None:
    manual = (Path(__file__).resolve().parents[2] / "docs" / "mcp.md").read_text("utf-8")
    table = manual.partition("## Tools\n")[2].partition("\n## ")[0]
    rows = [line.split("`")[1] for line in table.splitlines() if line.startswith("| `")]
    assert sorted(rows) == sorted(TOOLS)
    snippets = [part.split("```")[0] for part in manual.split("```json\n")[1:]]
    assert snippets
    for snippet in snippets:
        assert "muninn" in json.dumps(json.loads(snippet))


async def test_without_memory_the_instructions_say_so(agents: Agents, tmp_path: Path) -> None:
    bare = agents._replace(repo=tmp_path)
    async with bare.open() as agent:
        assert "`muninn init`" in (agent.instructions or "")
        assert "recall" not in (agent.instructions or "")
        text, failed = await said(agent, "recall", query="users")
        assert failed
        assert "there is no .muninn" in text
    kill_daemon(tmp_path, agents.environ)
