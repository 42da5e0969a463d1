"""The stored token and ports of MCP over HTTP, the HTTP API and the page."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from muninn_core.launch.access import HttpAccess
from muninn_core.launch.runtime import Address

CREATE = """
import sys
from muninn_core.launch.access import HttpAccess
from muninn_core.launch.runtime import Address
sys.stdin.read()
print(HttpAccess(Address(sys.argv[1], "/repository/.git"), "/repository").token)
"""


def test_the_ports_of_two_servers_that_start_together_are_both_stored(tmp_path: Path) -> None:
    address = Address(str(tmp_path), "/repository/.git")
    mcp, api = HttpAccess(address, "/repository"), HttpAccess(address, "/repository", "api_ports")
    mcp.save_port(4001)
    api.save_port(4002)
    other = HttpAccess(address, "/other")
    other.save_port(4003)
    fields = [("/repository", "ports"), ("/repository", "api_ports"), ("/other", "ports")]
    assert [HttpAccess(address, root, field).port for root, field in fields] == [4001, 4002, 4003]


def test_processes_that_start_together_have_one_token(tmp_path: Path) -> None:
    command = [sys.executable, "-c", CREATE, str(tmp_path)]
    started = [subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) for _ in range(8)]
    for process in started:
        assert process.stdin is not None
        process.stdin.close()  # each waits for this
        process.stdin = None
    tokens = {process.communicate()[0] for process in started}
    assert [process.returncode for process in started] == [0] * len(started)
    assert len(tokens) == 1
