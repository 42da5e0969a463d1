"""MCP over HTTP for tests: how to run it, and the SDK's client on it."""

from __future__ import annotations

import contextlib
import json
import signal
import subprocess
from collections.abc import AsyncIterator, Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

import httpx2
from interrupts import interruptible
from mcp.client.client import Client
from mcp.client.streamable_http import streamable_http_client
from repositories import MUNINN, PATIENCE

if TYPE_CHECKING:
    from mcp_agents import Agents

ERAS = {"2025-11-25": "legacy", "2026-07-28": "auto"}
"""The protocol's eras, and the SDK's name for speaking each."""


class Web(NamedTuple):
    """MCP over HTTP: where it is, and the token that it wants."""

    agents: Agents
    url: str
    token: str

    @property
    def port(self) -> int:
        """The port that it listens on."""
        return int(self.url.rpartition(":")[2].partition("/")[0])

    @contextlib.asynccontextmanager
    async def open(self, era: str = "2026-07-28", **said: Any) -> AsyncIterator[Client]:
        """Return the SDK's client over HTTP."""
        headers = {"Authorization": f"Bearer {self.token}"}
        async with httpx2.AsyncClient(headers=headers, timeout=PATIENCE) as http:
            async with Client(streamable_http_client(self.url, http_client=http), mode=ERAS[era], **said) as agent:
                yield agent


@contextlib.contextmanager
def served(agents: Agents, *options: str) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """Run `muninn mcp --http`; return the process and the address that it says."""
    command = [MUNINN, "mcp", "--http", "--repo", str(agents.repo), *options]
    with interruptible():
        it = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=agents.environ)
    with it:
        assert it.stdout is not None
        said = it.stdout.readline()
        yield it, said.strip().rpartition(" ")[2]
        it.send_signal(signal.SIGINT)
        it.wait(PATIENCE)


def settings_of(agents: Agents) -> dict[str, Any]:
    """Return the settings of a client that `--print-config` prints."""
    command = [MUNINN, "mcp", "--http", "--print-config", "--repo", str(agents.repo)]
    done = subprocess.run(command, env=agents.environ, capture_output=True, text=True, check=True, timeout=PATIENCE)
    settings: dict[str, Any] = json.loads(done.stdout)["mcpServers"]["muninn"]
    return settings
