"""MCP over HTTP: both eras, authentication, and the server's lifetime."""

from __future__ import annotations

import asyncio
import http.client
import json
import os
import signal
import stat
import subprocess
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from mcp_web import Web, served, settings_of
from repositories import MUNINN, PATIENCE, stop_daemon

from muninn_core import client
from muninn_core.launch.repository_location import locate
from muninn_core.launch.runtime import Address

if TYPE_CHECKING:
    from mcp_agents import Agents

pytest_plugins = ("mcp_agents",)

both_eras = pytest.mark.parametrize("era", ["2025-11-25", "2026-07-28"])

HELLO = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "bare", "version": "1"}},
}


def ask(web: Web, path: str = "/mcp", **headers: str) -> tuple[int, dict[str, str]]:
    """Send an initialize with these headers, by default right ones; return the status and the answer's headers."""
    given = {
        "Host": f"127.0.0.1:{web.port}",
        "Authorization": f"Bearer {web.token}",
        "Content-Type": "application/json",
        "Accept": "application/json, text/event-stream",
        **headers,
    }
    connection = http.client.HTTPConnection("127.0.0.1", web.port, timeout=PATIENCE)
    connection.request("POST", path, json.dumps(HELLO), {name: value for name, value in given.items() if value})
    answer = connection.getresponse()
    told = answer.status, {name.lower(): value for name, value in answer.getheaders()}
    connection.close()
    return told


def ask_patiently(web: Web) -> tuple[int, dict[str, str]]:
    """Ask, and again while the port is closed: for a moment between the command and the daemon."""
    deadline = time.monotonic() + PATIENCE
    while True:
        try:
            return ask(web)
        except (ConnectionError, http.client.RemoteDisconnected):
            assert time.monotonic() < deadline
            time.sleep(0.05)


@both_eras
async def test_an_agent_is_served_over_http_as_over_stdio(web: Web, era: str) -> None:
    async with web.open(era) as agent:
        assert agent.protocol_version == era
        text = f"Over HTTP in {era} the tide is told in feet."
        stored = await agent.call_tool("remember", {"text": text})
        assert not stored.is_error
        found = await agent.call_tool("recall", {"query": f"tide feet {era}", "kind": "memory"})
        assert text in found.content[0].text  # type: ignore[union-attr]
        failed = await agent.call_tool("recall", {"qery": "x"})
        assert failed.is_error
        assert "Did you mean 'query'?" in failed.content[0].text  # type: ignore[union-attr]
    with client.connect(str(web.agents.repo), web.agents.environ) as muninn:
        (memory,) = muninn.call("memories", {"text": text})["memories"]
    assert (memory["actor"], memory["trust"]) == ("assistant", "agent")


async def test_agents_of_both_eras_are_served_at_once(web: Web) -> None:
    async def work(era: str) -> None:
        async with web.open(era) as agent:
            for _ in range(5):
                result = await agent.call_tool("recall", {"query": "display name of a user", "kind": "code"})
                assert "src/users.py" in result.content[0].text  # type: ignore[union-attr]

    await asyncio.gather(*(work(era) for era in ("2025-11-25", "2026-07-28") * 3))


def test_a_request_without_the_right_token_is_refused(web: Web) -> None:
    assert ask(web)[0] == 200
    for wrong in ("", "Bearer ", "Bearer x", f"Basic {web.token}", f"Bearer {web.token}x", f"Bearer {web.token[:-1]}"):
        status, headers = ask(web, Authorization=wrong)
        assert (status, headers["www-authenticate"]) == (401, 'Bearer realm="muninn"')


def test_a_foreign_host_or_origin_is_refused_even_with_the_token(web: Web) -> None:
    own = f"http://127.0.0.1:{web.port}"
    assert ask(web, Host=f"localhost:{web.port}", Origin=own)[0] == 200
    for host in ("evil.example", f"evil.example:{web.port}", "127.0.0.1", f"127.0.0.1.evil.example:{web.port}"):
        assert ask(web, Host=host)[0] == 421
    for origin in ("http://evil.example", "null", f"{own}.evil.example", own.replace("http:", "https:")):
        assert ask(web, Origin=origin)[0] == 403
    assert ask(web, path="/")[0] == 404


@pytest.mark.skipif(not Path("/proc/net/tcp").exists(), reason="this system does not list its sockets there")
def test_the_server_listens_on_loopback_only(web: Web) -> None:
    wanted = f":{web.port:04X}"
    rows = [line.split() for name in ("tcp", "tcp6") for line in Path(f"/proc/net/{name}").read_text().splitlines()[1:]]
    listening = {row[1] for row in rows if row[3] == "0A" and row[1].endswith(wanted)}
    assert listening == {f"0100007F{wanted}"}


def test_the_token_is_the_users_alone_and_the_port_is_kept(web: Web) -> None:
    agents = web.agents
    address = Address(agents.environ["MUNINN_RUNTIME_DIR"], locate(str(agents.repo)).identity)
    path = Path(f"{address.base}.mcp.json")
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    kept = json.loads(path.read_text())
    assert (kept["token"], kept["ports"]) == (web.token, {str(agents.repo): web.port})
    path.chmod(0o640)
    try:
        command = [MUNINN, "mcp", "--http", "--print-config", "--repo", str(agents.repo)]
        done = subprocess.run(
            command, env=agents.environ, capture_output=True, text=True, check=False, timeout=PATIENCE
        )
        assert done.returncode != 0
        assert "other users can read" in done.stderr
    finally:
        path.chmod(0o600)


def test_a_port_that_is_taken_is_said_and_another_can_be_named(web: Web) -> None:
    command = [MUNINN, "mcp", "--http", "--repo", str(web.agents.repo)]
    done = subprocess.run(
        command, env=web.agents.environ, capture_output=True, text=True, check=False, timeout=PATIENCE
    )
    assert done.returncode != 0
    assert f"port {web.port}" in done.stderr
    assert "--port N" in done.stderr


def test_a_set_of_tools_that_is_not_there_is_refused_before_anything_is_served(agents: Agents) -> None:
    for options in (["--http"], []):
        command = [MUNINN, "mcp", *options, "--repo", str(agents.repo), "--tools", "cor"]
        done = subprocess.run(
            command,
            env=agents.environ,
            capture_output=True,
            text=True,
            check=False,
            timeout=PATIENCE,
            stdin=subprocess.DEVNULL,
        )
        assert done.returncode != 0
        assert "there is no tool set 'cor'" in done.stderr
        assert "mnemosyne" in done.stderr


def test_the_server_runs_as_long_as_the_command_by_daemon_after_daemon(
    plain_repo: Path, environ: dict[str, str]
) -> None:
    from mcp_agents import Agents

    agents = Agents(plain_repo, environ)
    with client.connect(str(plain_repo), environ) as muninn:
        muninn.call("init")
    try:
        with served(agents, "--tools", "mnemosyne") as (_, url):
            token = settings_of(agents)["headers"]["Authorization"].removeprefix("Bearer ")
            web = Web(agents, url, token)
            assert ask(web)[0] == 200
        with pytest.raises(OSError, match="refused"):
            ask(web)
        with served(agents) as (process, again):
            assert again == url
            assert process.stdout is not None
            for _ in range(2):
                stop_daemon(plain_repo, environ)
                while "has left" not in (line := process.stdout.readline()):
                    assert line
                with ThreadPoolExecutor(3) as pool:  # requests that come while the daemon starts are answered
                    assert {status for status, _ in pool.map(lambda _: ask_patiently(web), range(3))} == {200}
            with client.connect(str(plain_repo), environ, start=False) as muninn:
                os.kill(muninn.daemon["pid"], signal.SIGKILL)
            assert ask_patiently(web)[0] == 200
        with pytest.raises(OSError, match="refused"):
            ask(web)
    finally:
        stop_daemon(plain_repo, environ)
