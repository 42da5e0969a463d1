"""Tool sets: their tools, selection by config and command line, and the eight tools of mnemosyne."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

import pytest

from muninn_cli.proxies.options import USAGE
from muninn_core.config import TOOL_SETS, read_config
from muninn_core.context.packs.tokens import count_tokens
from muninn_core.errors import BadParams, UnknownVerb
from muninn_core.model.role import ROLES
from muninn_core.protocol.catalogue import METHODS
from muninn_server.mcp.tools import DESCRIPTION_LIMIT, check_call, tools_of
from muninn_server.mcp.toolsets import SETS

if TYPE_CHECKING:
    from mcp.client.client import Client
    from mcp_agents import Agents

pytest_plugins = ("mcp_agents",)

EIGHT = ["recall", "list", "graph", "context", "remember", "consolidate", "update", "delete"]

MOST_TOKENS = 2_300
"""The most tokens that the list of core tools may use."""

A_PERSONS = {"approve", "reject", "resolve", "redact", "undo", "prune", "import", "pack.add", "shutdown", "export"}


async def said(agent: Client, tool: str, /, **arguments: Any) -> str:
    result = await agent.call_tool(tool, arguments)
    assert not result.is_error, result.content
    return result.content[0].text  # type: ignore[union-attr]


def test_the_sets_are_those_of_the_config_and_of_the_help() -> None:
    assert tuple(SETS) == TOOL_SETS
    named = re.search(r"--tools SET +(.*?);? *several with commas", USAGE["mcp"], re.DOTALL)
    assert named is not None
    assert tuple(re.findall(r"\w+", named[1].replace("(the default)", ""))) == TOOL_SETS


@pytest.mark.parametrize("name", TOOL_SETS)
def test_every_tool_of_a_set_is_a_verb_that_says_when_to_use_it(name: str) -> None:
    tools = tools_of((name,))
    for tool in tools.values():
        assert tool.verb in METHODS
        assert tool.verb not in A_PERSONS or (name == "team" and tool.verb in ROLES["reviewer"].granted)
        assert "Call " in tool.description
        assert len(tool.description) < DESCRIPTION_LIMIT
        assert "$ref" not in json.dumps(tool.schema)
        assert set(tool.schema["properties"]) <= set(tool.taken)
        assert set(tool.schema.get("required", ())) <= set(tool.schema["properties"])
        assert not {"agent", "trust", "key", "batch", "open_files"} & set(tool.taken)
        assert "actor" not in tool.taken or tool.verb == "event.append"  # the verb refuses to record for a person


def test_the_list_of_tools_stays_small() -> None:
    for name, most in (
        ("core", MOST_TOKENS),
        ("mnemosyne", 2_850),
        ("all", 7_950),
        ("events", 1_700),
        ("hub", 2_600),
        ("kindling", 1_300),
        ("team", 2_400),
    ):
        shown = [
            {"name": tool.name, "description": tool.description, "input_schema": tool.schema}
            for tool in tools_of((name,)).values()
        ]
        assert count_tokens(json.dumps(shown, separators=(",", ":"))) <= most


def test_a_name_in_two_sets_belongs_to_the_first() -> None:
    both = tools_of(("core", "mnemosyne"))
    assert both["recall"] is not both["mnemosyne_recall"]
    assert both["mnemosyne_recall"].fixed == {"profile": "mnemosyne"}
    assert both["list"].verb == "memories"
    assert list(tools_of(("core", "all"))) == list(tools_of(("all",)))


def test_a_tool_answers_to_its_name_in_the_source_and_takes_what_is_not_shown() -> None:
    tools = tools_of(("mnemosyne",))
    assert check_call(tools, "mnemosyne.recall", {"query": "x", "kind": "memory"}).verb == "recall"
    with pytest.raises(BadParams, match="no parameter 'profile'"):
        check_call(tools, "recall", {"query": "x", "profile": "muninn"})
    with pytest.raises(UnknownVerb, match="the tool 'memories' is in the set core and in all, and not in") as other:
        check_call(tools, "memories", {})
    assert "mcp.tools" in other.value.hint
    with pytest.raises(UnknownVerb, match="there is no tool 'recal'") as unknown:
        check_call(tools, "recal", {})
    assert unknown.value.hint == "Did you mean 'recall'?"


@pytest.mark.parametrize(
    ("name", "set_", "given", "meant"),
    [
        ("remember", "core", "content", "text"),
        ("remember", "mnemosyne", "text", "content"),
        ("recall", "mnemosyne", "namespace", "scope"),
        ("query_events", "events", "start_time", "since"),
        ("semantic_search", "events", "top_k", "limit"),
        ("recall", "core", "limti", "limit"),
    ],
)
def test_a_parameter_of_another_memory_tool_gets_its_name_here(name: str, set_: str, given: str, meant: str) -> None:
    with pytest.raises(BadParams, match=f"no parameter '{given}'") as error:
        check_call(tools_of((set_,)), name, {given: "x"})
    assert error.value.hint.startswith(f"Did you mean '{meant}'?")


def test_a_set_that_is_not_there_is_a_problem_of_the_config() -> None:
    config, problems = read_config("mcp: {tools: [core, memosyne]}\n")
    assert config.mcp.tools == ("core",)
    assert (problems[0].key, "mnemosyne" in problems[0].hint) == ("mcp.tools", True)
    assert read_config("mcp: {tools: [mnemosyne]}\n")[0].mcp.tools == ("mnemosyne",)


async def test_the_config_chooses_the_tools_and_the_command_line_others(agents: Agents) -> None:
    config = agents.repo / ".muninn" / "config.yaml"
    before = config.read_text()
    config.write_text("mcp: {tools: [mnemosyne]}\n")
    try:
        async with agents.open() as agent:
            assert [tool.name for tool in (await agent.list_tools()).tools] == EIGHT
            assert "`consolidate`" in (agent.instructions or "")
            assert "`memories`" not in (agent.instructions or "")
        async with agents.open("2025-11-25", "--tools", "core") as agent:
            assert [tool.name for tool in (await agent.list_tools()).tools] == list(tools_of(("core",)))
    finally:
        config.write_text(before)


async def test_the_steps_of_an_exploration_are_a_prompt_where_its_tools_are(agents: Agents) -> None:
    async with agents.open("2026-07-28", "--tools", "all") as agent:
        prompt = await agent.get_prompt("explore", {"question": "Where are users deleted?"})
        text = prompt.messages[0].content.text  # type: ignore[union-attr]
        assert "Where are users deleted?" in text
        assert "src/users.py" in text
        assert set(re.findall("`([a-z]+)`", text)) - {"knowledge", "path", "files", "page"} <= set(tools_of(("all",)))
        assert "src/users.py:11: def delete_user" in await said(agent, "grep", pattern="def delete")
        assert "no route for explorations" in str(await agent.call_tool("explore", {"query": "users"}))
    async with agents.open("2026-07-28") as agent:
        assert "explore" not in {prompt.name for prompt in (await agent.list_prompts()).prompts}


async def test_the_eight_tools_work_together(agents: Agents) -> None:
    async with agents.open("2026-07-28", "--tools", "mnemosyne") as agent:
        kept = await said(
            agent,
            "remember",
            content="Anchors are weighed by hand.",
            context="on the old ship",
            importance=9,
            tags=["anchor"],
        )
        first = kept.split()[2].rstrip(".")[-8:]
        link = {"relation": "extends", "target": first, "strength": 0.9}
        kept = await said(agent, "remember", content="Two sailors turn the capstan.", links=[link])
        second = kept.split()[2].rstrip(".")[-8:]
        found = await said(agent, "recall", query="anchors weighed")
        assert found.index(first) < found.index(second)
        assert "graph" in found
        assert second not in await said(agent, "recall", query="anchors weighed", depth=0)
        assert first in await said(agent, "list", order="importance", min_importance=9)
        assert "1 link away" in await said(agent, "graph", id=first)
        assert first in await said(agent, "context")
        assert await said(agent, "update", id=second, content="Four sailors turn the capstan.", reason="it is heavy")
        third = (await said(agent, "remember", content="The capstan is turned by four.")).split()[2].rstrip(".")[-8:]
        told = await said(agent, "consolidate", ids=[second, third], decision="merge", reason="said twice")
        assert re.search(rf"{third} merged into \w*{second}", told)
        assert (await said(agent, "delete", id=second, reason="wrong")).startswith("Archived: ")
        assert "Nothing is linked to it." in await said(agent, "graph", id=first)
        twice = await agent.call_tool("remember", {"content": "x", "context": "a", "details": {"context": "b"}})
        assert (twice.is_error, "'context' is given twice" in str(twice.content)) == (True, True)
    async with agents.open("2026-07-28", "--tools", "all") as agent:
        assert "context: on the old ship" in await said(agent, "show", id=first)
        trail = await said(agent, "history", id=second)
        for event in ("insight", "update", "merge", "archive"):
            assert event in trail
        assert (await said(agent, "restore", id=second)).startswith("Restored: ")
        assert "get_user" in await said(agent, "outline", path="src/users.py")


def test_no_tool_of_any_set_calls_a_verb_for_people() -> None:
    tools = tools_of(tuple(TOOL_SETS))
    granted = {verb for role in ROLES.values() for verb in role.granted}
    for_people = {tool.verb for tool in tools.values() if METHODS[tool.verb].for_people}
    assert for_people == granted == {"approve", "reject"}  # the daemon asks whether a person granted them
