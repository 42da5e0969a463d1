"""Real coding agents through the gateway: Claude Code and Codex, with scripted models as backends."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from repositories import PATIENCE
from responses_model import ResponsesModel
from scripted_model import Call, ScriptedModel
from workbench import installed

if TYPE_CHECKING:
    from gateways import Served

pytest_plugins = ("gateways",)
pytestmark = [pytest.mark.daemon, pytest.mark.slow]

FACT = "Sessions live in Redis because cookies overflowed at four kilobytes"


def run(command: list[str], at: Path, **environ: str) -> str:
    """Run an agent without any other network; return what it printed."""
    closed = dict.fromkeys(("HTTP_PROXY", "HTTPS_PROXY"), "http://127.0.0.1:9")
    done = subprocess.run(
        command,
        cwd=at,
        env={"PATH": os.environ["PATH"], "NO_PROXY": "127.0.0.1", **closed, **environ},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.mark.client("Claude Code")
def test_claude_code_works_through_the_gateway_and_gets_memory_once(gateway: Served, tmp_path: Path) -> None:
    program = installed("Claude Code", "claude")
    gateway.call("remember", text=FACT, type="decision")
    gateway.call("remind", prompt="Where do sessions live?")
    quiet = {"DISABLE_TELEMETRY": "1", "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1"}
    with ScriptedModel([[Call("Bash", {"command": "echo tool-result"})], ["In Redis."]]) as model:
        route = {"dialect": "anthropic", "url": model.url, "model": "claude-scripted", "aliases": ["claude-*"]}
        gateway.configure(context=True, m=route)
        printed = run(
            [str(program), "-p", "Why do sessions live in Redis and not in cookies?", "--allowedTools", "Bash"],
            gateway.repo,
            HOME=str(tmp_path),
            ANTHROPIC_BASE_URL=gateway.url,
            ANTHROPIC_API_KEY=gateway.token,
            **quiet,
        )
    assert "In Redis." in printed
    first, second = model.of("turn")
    assert first.text.count(FACT) == second.text.count(FACT) == 1
    assert "tool-result" in second.text
    assert second.body["messages"][0] == first.body["messages"][0] or _without_marks(second) == _without_marks(first)


def _without_marks(request: object) -> str:
    """Return the first message without marks for caches, which the client moves."""
    body = request.body["messages"][0]  # type: ignore[attr-defined]
    return repr([{name: value for name, value in part.items() if name != "cache_control"} for part in body["content"]])


@pytest.mark.client("Codex")
def test_codex_works_through_the_gateway(gateway: Served, tmp_path: Path) -> None:
    program = installed("Codex", "codex")
    with ResponsesModel([["It is done."]], lambda _request: 1000) as model:
        gateway.configure(
            context=True, m={"dialect": "openai", "url": model.url, "model": "gpt-scripted", "aliases": ["gpt-*"]}
        )
        (tmp_path / ".codex").mkdir()
        (tmp_path / ".codex/config.toml").write_text(
            'model = "gpt-5.5"\nmodel_provider = "g"\n[model_providers.g]\nname = "g"\nwire_api = "responses"\n'
            f'base_url = "{gateway.url}/v1"\nenv_key = "GATEWAY_TOKEN"\n'
        )
        options = ["--skip-git-repo-check", "--sandbox", "read-only"]
        path = os.pathsep.join((str(program.parent), os.environ["PATH"]))
        printed = run(
            ["codex", "exec", *options, "Why do sessions live in Redis?"],
            tmp_path,
            HOME=str(tmp_path),
            PATH=path,
            GATEWAY_TOKEN=gateway.token,
        )
    assert "It is done." in printed
    assert FACT not in repr(model.requests[0].body)
