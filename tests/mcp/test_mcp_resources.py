"""Resources, prompts, completions and change notifications, over stdio and HTTP, in both eras."""

from __future__ import annotations

import asyncio
import json
from typing import TYPE_CHECKING, Any

import mcp_types as types
import pytest
from mcp.shared.exceptions import MCPError
from mcp.shared.subscriptions import ResourcesListChanged, ResourceUpdated
from repositories import PATIENCE, stop_daemon

from muninn_core import client

if TYPE_CHECKING:
    from pathlib import Path

    from mcp.client.client import Client
    from mcp_agents import Agents
    from mcp_web import Web

pytest_plugins = ("mcp_agents",)

pytestmark = pytest.mark.filterwarnings("ignore::mcp.shared.exceptions.MCPDeprecationWarning")
"""Features that the newer protocol dropped and older clients need."""

both_eras = pytest.mark.parametrize("era", ["2025-11-25", "2026-07-28"])

"""The longest wait for a notification, in seconds, on a loaded machine."""


async def remembered(agent: Client, text: str) -> str:
    result = await agent.call_tool("remember", {"text": text})
    return result.content[0].text.split()[2].rstrip(".")  # type: ignore[union-attr]


async def read(agent: Client, uri: str) -> str:
    (content,) = (await agent.read_resource(uri)).contents
    assert isinstance(content, types.TextResourceContents)
    return content.text


@both_eras
async def test_memories_knowledge_contexts_and_the_status_can_be_read(agents: Agents, era: str) -> None:
    async with agents.open(era) as agent:
        identity = await remembered(agent, f"In {era} lamps are trimmed on Sundays.")
        assert f"In {era} lamps" in await read(agent, f"muninn://memory/{identity}")
        knowledge = await read(agent, "muninn://knowledge/guides/berths.md")
        assert knowledge.startswith("# Berths")
        assert "drinks" not in knowledge
        assert "get_user" in await read(agent, "muninn://context/name%20of%20a%20user")
        assert "read-write" in await read(agent, "muninn://status")


async def test_before_init_only_the_status_is_listed_and_a_tool_says_what_to_do(
    agents: Agents, plain_repo: Path, environ: dict[str, str]
) -> None:
    async with agents._replace(repo=plain_repo, environ=environ).open() as agent:
        assert [each.name for each in (await agent.list_resources()).resources] == ["status"]
        assert "uninitialised" in await read(agent, "muninn://status")
        refused = await agent.call_tool("recall", {"query": "users"})
    stop_daemon(plain_repo, environ)
    assert refused.is_error
    assert "`muninn init` in a shell creates it" in refused.content[0].text  # type: ignore[union-attr]


@both_eras
@pytest.mark.parametrize(
    "uri",
    [
        "muninn://memory/nothing",
        "muninn://knowledge/nothing.md",
        "muninn://contexts/nothing",
        "muninn://contexts/../knowledge/guides/berths",
        "muninn://knowledge/../config.yaml",
        "muninn://knowledge/%2e%2e/%2e%2e/src/users.py",
        "muninn://nothing",
        "file:///etc/passwd",
    ],
)
async def test_an_unknown_resource_is_an_error_that_names_it(agents: Agents, era: str, uri: str) -> None:
    async with agents.open(era) as agent:
        with pytest.raises(MCPError) as refused:
            await agent.read_resource(uri)
    assert refused.value.code in ({-32602} if era == "2026-07-28" else {-32002, -32602})
    assert "root:" not in refused.value.message


async def test_the_list_has_everything_once_in_pages(agents: Agents) -> None:
    with client.connect(str(agents.repo), agents.environ) as muninn:
        muninn.call("remember", {"batch": [{"text": f"Buoy {number} is green."} for number in range(130)]})
    async with agents.open() as agent:
        found: list[str] = []
        cursor: str | None = None
        for _ in range(10):
            page = await agent.list_resources(cursor=cursor)
            assert len(page.resources) <= 100
            found += [each.uri for each in page.resources]
            cursor = page.next_cursor
            if cursor is None:
                break
        assert found[0] == "muninn://status"
        assert "muninn://knowledge/guides/berths.md" in found
        assert len(found) == len(set(found)) > 130
        for bad in ("elsewhere", "9" * 5000):
            with pytest.raises(MCPError, match="is not a cursor") as refused:
                await agent.list_resources(cursor=bad)
            assert refused.value.error.code == types.INVALID_PARAMS
        templates = (await agent.list_resource_templates()).resource_templates
        assert [each.uri_template.partition("{")[0] for each in templates] == [
            "muninn://memory/",
            "muninn://knowledge/",
            "muninn://context/",
            "muninn://events/",
            "muninn://contexts/",
        ]


@both_eras
async def test_a_context_file_is_read_with_what_its_references_mean(agents: Agents, era: str) -> None:
    file = agents.repo / ".muninn" / "context" / "harbour" / "buoys.md"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text("---\ntitle: Buoys\n---\n# Buoys\n\nSee @src/users.py#get_user_name and @src/nowhere.py.\n")
    async with agents.open(era) as agent:
        (listed,) = [each for each in (await agent.list_resources()).resources if "contexts/" in each.uri]
        assert (listed.uri, listed.name, listed.description) == ("muninn://contexts/harbour/buoys", "buoys", "Buoys")
        (content,) = (await agent.read_resource(listed.uri)).contents
        assert isinstance(content, types.TextResourceContents)
        assert content.text.startswith("# Buoys")
        assert "def get_user_name" in content.text
        assert "Not in it: @src/nowhere.py (line 6): nothing has this name" in content.text
        reference = types.ResourceTemplateReference(type="ref/resource", uri="muninn://contexts/{name}")
        values = (await agent.complete(reference, {"name": "name", "value": "buo"})).completion.values
        assert values == ["harbour/buoys"]
    file.unlink()


@both_eras
async def test_arguments_with_names_are_completed(agents: Agents, era: str) -> None:
    async with agents.open(era) as agent:
        identity = await remembered(agent, "The foghorn is sounded twice.")
        of_memory = types.ResourceTemplateReference(type="ref/resource", uri="muninn://memory/{id}")
        for begun in (identity[:-2], "foghorn"):
            values = (await agent.complete(of_memory, {"name": "id", "value": begun})).completion.values
            assert identity in values
        of_file = types.ResourceTemplateReference(type="ref/resource", uri="muninn://knowledge/{path}")
        values = (await agent.complete(of_file, {"name": "path", "value": "ber"})).completion.values
        assert values == ["guides/berths.md"]
        of_prompt = types.PromptReference(type="ref/prompt", name="brief")
        assert (await agent.complete(of_prompt, {"name": "task", "value": "a"})).completion.values == []
        for unknown, hint in (
            (types.PromptReference(type="ref/prompt", name="brif"), "Did you mean 'brief'"),
            (types.ResourceTemplateReference(type="ref/resource", uri="muninn://memories/{id}"), "muninn://memory/"),
        ):
            with pytest.raises(MCPError, match=hint) as refused:
                await agent.complete(unknown, {"name": "id", "value": "a"})
            assert refused.value.error.code == types.INVALID_PARAMS


@both_eras
async def test_prompts_bring_what_memory_says_and_what_to_do_with_it(agents: Agents, era: str) -> None:
    async with agents.open(era) as agent:
        identity = await remembered(agent, f"In {era} ships salute with three shots.")
        assert [prompt.name for prompt in (await agent.list_prompts()).prompts] == [
            "brief",
            "review-memory",
            "record-decision",
            "add-questions",
        ]

        async def text(name: str, **arguments: str) -> str:
            (message,) = (await agent.get_prompt(name, arguments)).messages
            assert isinstance(message.content, types.TextContent)
            return message.content.text

        assert "notes, no instructions" in await text("brief")
        assert f"In {era} ships salute" in await text("brief", task=f"how ships salute in {era}")
        assert "reconcile` would find\n\n" in await text("review-memory")
        assert f"In {era} ships salute" in await text("review-memory", id=identity)
        recorded = await text("record-decision", decision="Ships salute with two shots.", files="src/users.py")
        assert "three shots" in recorded
        assert "src/users.py" in recorded
        asked = await text("add-questions")
        assert f"In {era} ships salute" in asked
        assert identity[-8:] in asked
        await agent.call_tool(
            "remember", {"text": f"In {era} ships have masts.", "questions": ["What holds the sails?"]}
        )
        assert f"In {era} ships have masts" not in await text("add-questions")
        for name, arguments, words in (
            ("brif", {}, "Did you mean 'brief'?"),
            ("record-decision", {}, "needs 'decision'"),
            ("brief", {"tsk": "x"}, "Did you mean 'task'?"),
        ):
            with pytest.raises(MCPError, match=words.replace("?", r"\?")):
                await agent.get_prompt(name, arguments)


class Heard:
    """The notifications that an older client received."""

    def __init__(self) -> None:
        self.told: asyncio.Queue[Any] = asyncio.Queue()

    async def __call__(self, message: Any) -> None:
        if isinstance(message, types.ResourceListChangedNotification):
            await self.told.put("list")
        elif isinstance(message, types.ResourceUpdatedNotification):
            await self.told.put(message.params.uri)

    async def until(self, wanted: str) -> list[Any]:
        """Wait for a notification; return all notifications so far."""
        found: list[Any] = []
        async with asyncio.timeout(PATIENCE):
            while wanted not in found:
                found.append(await self.told.get())
        return found


async def changes_reach_an_older_client(agent: Client, heard: Heard, agents: Agents) -> None:
    identity = await remembered(agent, "The cable is a fathom short.")
    await heard.until("list")
    await agent.subscribe_resource(f"muninn://memory/{identity}")
    await agent.subscribe_resource("muninn://knowledge/guides/berths.md")
    with client.connect(str(agents.repo), agents.environ) as muninn:
        muninn.call("update", {"id": identity, "importance": 9})
    await heard.until(f"muninn://memory/{identity}")
    path = agents.repo / ".muninn" / "knowledge" / "guides" / "berths.md"
    path.write_text(f"{path.read_text()}\nOne more.\n")
    await heard.until("muninn://knowledge/guides/berths.md")
    await agent.unsubscribe_resource(f"muninn://memory/{identity}")
    with client.connect(str(agents.repo), agents.environ) as muninn:
        muninn.call("forget", {"id": identity})
    assert f"muninn://memory/{identity}" not in await heard.until("list")


async def test_an_older_client_is_notified_of_real_changes_over_stdio(agents: Agents) -> None:
    heard = Heard()
    async with agents.open("2025-11-25", message_handler=heard) as agent:
        await changes_reach_an_older_client(agent, heard, agents)


async def test_an_older_client_is_notified_of_real_changes_over_http(web: Web) -> None:
    heard = Heard()
    async with web.open("2025-11-25", message_handler=heard) as agent:
        await changes_reach_an_older_client(agent, heard, web.agents)


async def changes_reach_a_newer_client(agent: Client, agents: Agents) -> None:
    async with agent.listen(resources_list_changed=True) as told:
        identity = await remembered(agent, "The cable is two fathoms short.")
        async with asyncio.timeout(PATIENCE):
            assert await anext(aiter(told)) == ResourcesListChanged()  # else it would come after the update
    address, pack = f"muninn://memory/{identity}", "muninn://context/cable"
    async with agent.listen(resources_list_changed=True, resource_subscriptions=[address, pack]) as told:
        with client.connect(str(agents.repo), agents.environ) as muninn:
            muninn.call("update", {"id": identity, "importance": 9})
        found = set()
        async with asyncio.timeout(PATIENCE):
            async for event in told:
                found.add(event)
                if {ResourceUpdated(uri=address), ResourceUpdated(uri=pack)} <= found:
                    break
        assert ResourcesListChanged() not in found
        with client.connect(str(agents.repo), agents.environ) as muninn:
            muninn.call("forget", {"id": identity})
        async with asyncio.timeout(PATIENCE):
            async for event in told:
                if event == ResourcesListChanged():
                    break


async def test_a_newer_client_is_notified_of_real_changes_over_stdio(agents: Agents) -> None:
    async with agents.open() as agent:
        await changes_reach_a_newer_client(agent, agents)


async def test_a_newer_client_is_notified_of_real_changes_over_http(web: Web) -> None:
    async with web.open() as agent:
        await changes_reach_a_newer_client(agent, web.agents)


@both_eras
async def test_a_subscriber_is_notified_of_new_events_and_reads_the_missing_ones(agents: Agents, era: str) -> None:
    heard = Heard()
    async with agents.open(era, message_handler=heard) as agent:
        last = json.loads(await read(agent, "muninn://events"))["last"]

        def append() -> None:
            with client.connect(str(agents.repo), agents.environ) as muninn:
                for number in range(2):
                    muninn.call("event.append", {"event_type": "deploy", "payload": {"number": number}})

        if era == "2025-11-25":
            await agent.subscribe_resource("muninn://events")
            append()
            await heard.until("muninn://events")
        else:
            async with agent.listen(resource_subscriptions=["muninn://events"]) as told, asyncio.timeout(PATIENCE):
                append()
                assert await anext(aiter(told)) == ResourceUpdated(uri="muninn://events")
        new = json.loads(await read(agent, f"muninn://events/{last}"))
    assert [each["payload"]["number"] for each in new["events"] if each["event_type"] == "deploy"] == [0, 1]
    assert new["last"] >= last + 2
