"""MCP's own conformance suite against MCP over HTTP, for both eras of the protocol."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path
from typing import TYPE_CHECKING

import clients
import pytest
from bearer import Bearer
from node import node_folder

if TYPE_CHECKING:
    from mcp_web import Web

pytest_plugins = ("mcp_agents",)

NAME = "MCP conformance suite"
PROGRAM = Path(__file__).resolve().parents[2] / ".tools" / "conformance" / "node_modules" / ".bin" / "conformance"
BASELINES = Path(__file__).resolve().parent / "conformance"

NAMES = {
    "test_tool_with_progress": "reconcile",
    "test://static-text": "muninn://status",
    "test://template/123/data": "muninn://context/123",
    "test_simple_prompt": "brief",
    "test_prompt_with_arguments": "record-decision",
    "arg1": "decision",
    "arg2": "files",
}
"""Muninn's tools, prompts and resources that replace the suite's fixed names."""

pytestmark = [pytest.mark.client(NAME), pytest.mark.slow]


@pytest.mark.parametrize("revision", sorted(path.stem for path in BASELINES.glob("*.yml")))
async def test_required_features_of_a_revision_exist_except_inapplicable_ones(web: Web, revision: str) -> None:
    if not PROGRAM.exists():
        clients.missing(NAME, "it is not in .tools/conformance; scripts/install-clients.sh installs it")
    environ = {**os.environ, "PATH": os.pathsep.join([node_folder(NAME), os.environ["PATH"]])}
    async with Bearer(web.port, web.token, NAMES) as bearer:  # the suite can't be given a token, nor names
        suite = await asyncio.create_subprocess_exec(
            *(str(PROGRAM), "server", "--url", f"http://127.0.0.1:{bearer.port}/mcp", "--requirements", revision),
            *("--expected-failures", str(BASELINES / f"{revision}.yml")),
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.STDOUT,
            env=environ,
        )
        printed, _ = await suite.communicate()
    assert suite.returncode == 0, printed.decode()[-6000:]
