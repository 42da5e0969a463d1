"""What errors and notices tell an agent to do next names the tools that its connection has."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import muninn_core
from muninn_core.engine.readiness import ReadyCheck
from muninn_core.model.answer import ReadState
from muninn_core.protocol.catalogue import METHODS
from muninn_core.protocol.families.memory import RememberResult
from muninn_server.mcp.hints import for_tools, with_tools
from muninn_server.mcp.tools import tools_of

if TYPE_CHECKING:
    from mcp_agents import Agents

pytest_plugins = ("mcp_agents",)

CORE, ALL, MNEMOSYNE = tools_of(("core",)), tools_of(("all",)), tools_of(("mnemosyne",))
COMMAND = re.compile(r"`muninn ([a-z]+(?: [a-z]+)?)[^`\n]*`( in a shell)?")


def hints() -> Iterator[str]:
    """Yield all hints of the core's errors and reports; a value that is inserted reads `src/a.py`."""
    for file in sorted(Path(muninn_core.__file__).parent.rglob("*.py")):
        for node in ast.walk(ast.parse(file.read_text("utf-8"))):
            if (isinstance(node, ast.keyword) and node.arg == "hint") or (
                isinstance(node, ast.Assign) and any(getattr(each, "id", "") == "hint" for each in node.targets)
            ):
                yield from texts(node.value)


def texts(node: ast.expr) -> Iterator[str]:
    if isinstance(node, ast.IfExp):
        yield from (*texts(node.body), *texts(node.orelse))
    elif isinstance(node, ast.Constant) and isinstance(node.value, str):
        yield node.value
    elif isinstance(node, ast.JoinedStr):
        yield "".join(str(each.value) if isinstance(each, ast.Constant) else "src/a.py" for each in node.values)
    elif isinstance(node, ast.Call):
        for argument in node.args:
            yield from texts(argument)


@pytest.mark.parametrize("tools", [CORE, ALL, MNEMOSYNE], ids=["core", "all", "mnemosyne"])
def test_no_hint_tells_an_agent_to_run_a_command_where_it_has_a_tool(tools) -> None:
    verbs = {METHODS[tool.verb].words for tool in tools.values() if not tool.fixed}
    named = commands = 0
    for hint in hints():
        said = for_tools(hint, tools)
        named += said != hint
        for command in COMMAND.finditer(said):
            commands += 1
            sentence = (
                re.split(r"[.!?]\s", said[: command.start()])[-1] + re.split(r"[.!?](?:\s|$)", said[command.end() :])[0]
            )
            assert command[2] or re.search("person|terminal", sentence), said
            bare = command[0].removesuffix(" in a shell").count(" ") == command[1].count(" ") + 1
            assert not (command[2] and bare and command[1] in verbs), said
    assert named > 20
    assert commands > 20


@pytest.mark.parametrize(
    ("hint", "core", "all_tools"),
    [
        ("`muninn files` lists the files.", "`muninn files` in a shell lists the files.", "`files` lists the files."),
        ("See `muninn status`.", "See `status`.", "See `status`."),
        ("Try `muninn tree a/b`.", "Try `muninn tree a/b` in a shell.", "Try `tree` with `path=a/b`."),
        ("`muninn memories --pending` lists", "`memories` with `pending=true` lists", None),
        ("Run `muninn update 1 --link supersedes:2`.", None, "Run `update` with `id=1`, `links=supersedes:2`."),
        ("`muninn event query` lists events.", None, "`event_query` lists events."),
        ("`muninn daemon stop` ends it.", "`muninn daemon stop` in a shell ends it.", None),
        ("A person approves it: `muninn approve ID`.", "A person approves it: `muninn approve ID`.", None),
        ("A person decides. `muninn status` shows it.", "A person decides. `status` shows it.", None),
        ("`muninn recall 'x` is not quoted", "`muninn recall 'x` in a shell is not quoted", None),
        ("`muninn status --nonsense 1` is wrong", "`muninn status --nonsense 1` in a shell is wrong", None),
    ],
)
def test_a_command_becomes_the_tool_with_its_parameters(hint: str, core: str | None, all_tools: str | None) -> None:
    if core is not None:
        assert for_tools(hint, CORE) == core
    if all_tools is not None:
        assert for_tools(hint, ALL) == all_tools


def test_a_tool_with_another_name_is_named_by_that() -> None:
    assert for_tools("`muninn forget 7` archives it.", MNEMOSYNE) == "`delete` with `id=7` archives it."


def test_notices_of_a_result_are_for_agents_and_texts_of_memories_stay() -> None:
    saw = ReadState(note="`muninn seal` includes it.")
    result = RememberResult(ids=("1",), notices=("`muninn reconcile` merges the two.",), masked=0, memory=None, saw=saw)
    told = with_tools(result, ALL)
    assert told.notices == (for_tools(result.notices[0], ALL),) != result.notices
    assert told.saw.note == "`muninn seal` in a shell includes it."
    check = ReadyCheck(name="index", ok=False, message="`muninn status`", hint="See `muninn status`.")
    assert (with_tools(check, ALL).message, with_tools(check, ALL).hint) == ("`muninn status`", "See `status`.")


async def test_an_agent_whose_call_fails_reads_the_tools_of_its_connection(agents: Agents) -> None:
    for sets, said in (("core", "`muninn sessions` in a shell lists them."), ("all", "lists the files")):
        async with agents.open("2026-07-28", "--tools", sets) as agent:
            if sets == "core":
                result = await agent.call_tool("reconcile", {"session": "s-nobody"})
            else:
                result = await agent.call_tool("read", {"path": "nowhere-at-all.zz"})
            text = result.content[0].text
            assert result.is_error
            assert "`muninn" not in text.replace("`muninn sessions` in a shell", "")
            assert said in text
