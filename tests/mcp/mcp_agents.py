"""Agents for tests: the SDK's client on `muninn mcp`, and a bare line of JSON. A pytest plugin."""

from __future__ import annotations

import asyncio
import json
import shutil
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator
from contextlib import AbstractAsyncContextManager
from pathlib import Path
from typing import Any, NamedTuple

import pytest
import pytest_asyncio
from mcp.client.client import Client
from mcp.client.stdio import StdioServerParameters, stdio_client
from mcp_web import ERAS, Web, served, settings_of
from repositories import MUNINN, kill_daemon, make_home

from muninn_core import client

BERTHS = "# Berths\n\nBerths are numbered from one. <private>The harbour master drinks.</private>\n"


class Agents(NamedTuple):
    """A repository with memory, the environment of its clients, and how to open one."""

    repo: Path
    environ: dict[str, str]

    def open(self, era: str = "2026-07-28", *options: str, **said: Any) -> AbstractAsyncContextManager[Client]:
        """Return the SDK's client, which starts `muninn mcp` with these options on entry."""
        command = ["mcp", "--repo", str(self.repo), *options]
        arguments = StdioServerParameters(command=MUNINN, args=command, env=self.environ)
        return Client(stdio_client(arguments), mode=ERAS[era], **said)


class BareAgent:
    """Exchanges lines of JSON with one `muninn mcp`."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self.process = process

    async def send(self, *lines: dict[str, Any] | bytes) -> None:
        """Send lines in one go."""
        assert self.process.stdin is not None
        encoded = (
            line if isinstance(line, bytes) else json.dumps({"jsonrpc": "2.0", **line}).encode() for line in lines
        )
        self.process.stdin.write(b"".join(line + b"\n" for line in encoded))
        await self.process.stdin.drain()

    async def read(self) -> dict[str, Any]:
        """Return the next message."""
        assert self.process.stdout is not None
        message: dict[str, Any] = json.loads(await self.process.stdout.readline())
        return message

    async def handshake(self) -> dict[str, Any]:
        """Open the connection as clients of 2025-11-25 do and return the server's answer."""
        hello = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "bare", "version": "1"}}
        await self.send({"id": 0, "method": "initialize", "params": hello})
        answer = await self.read()
        await self.send({"method": "notifications/initialized"})
        return answer


Bare = Callable[[], Coroutine[Any, Any, BareAgent]]


@pytest.fixture(scope="session")
def agents(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Agents]:
    """One repository and one daemon for all tests."""
    root, environ = make_home(tmp_path_factory.mktemp("agents"))
    with client.connect(str(root), environ) as muninn:
        muninn.call("init")
        (root / ".muninn" / "knowledge" / "guides").mkdir(parents=True)
        (root / ".muninn" / "knowledge" / "guides" / "berths.md").write_text(BERTHS)
        muninn.call("index", {"wait": True})
    yield Agents(root, environ)
    kill_daemon(root, environ)
    shutil.rmtree(environ["MUNINN_RUNTIME_DIR"], ignore_errors=True)


@pytest.fixture(scope="session")
def web(agents: Agents) -> Iterator[Web]:
    """MCP over HTTP, for all tests."""
    with served(agents) as (_, url):
        settings = settings_of(agents)
        assert settings["url"] == url
        yield Web(agents, url, settings["headers"]["Authorization"].removeprefix("Bearer "))


@pytest_asyncio.fixture
async def bare_agent(agents: Agents) -> AsyncIterator[Bare]:
    """A function that starts `muninn mcp` and leaves the talking to the test."""
    processes: list[asyncio.subprocess.Process] = []

    async def start() -> BareAgent:
        process = await asyncio.create_subprocess_exec(
            *(MUNINN, "mcp", "--repo", str(agents.repo)), stdin=-1, stdout=-1, env=agents.environ, limit=1 << 26
        )
        processes.append(process)
        return BareAgent(process)

    yield start
    for process in processes:
        assert process.stdin is not None
        process.stdin.close()
        await process.wait()
