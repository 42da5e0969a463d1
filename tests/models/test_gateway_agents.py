"""Real coding agents through the gateway: Claude Code and Codex, with scripted models as backends."""

from __future__ import annotations

import os
import subprocess
import threading
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from backends import Request, anthropic_events, sse, status
from bench.agent_models.messages import Call, ScriptedModel
from bench.agent_models.responses import ResponsesModel
from repositories import PATIENCE
from workbench import installed

from muninn_server.gateway.recording import agent_session

if TYPE_CHECKING:
    from gateways import Served

pytest_plugins = ("gateways",)
pytestmark = [pytest.mark.daemon, pytest.mark.slow]

TOOL = {"name": "Bash", "arguments": {"command": "echo half"}}
QUIET = {"DISABLE_TELEMETRY": "1", "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1"}
FACT = "Sessions live in Redis because cookies overflowed at four kilobytes"


Failure = Callable[[Any], None]


def cut(whole: bytes) -> Failure:
    """Return a failure that sends these bytes and closes the connection."""
    return lambda handler: Request.stream(handler, [whole], cut=True)


def failures(whole: bytes) -> list[Failure]:
    """Return the ways in which a backend fails, one for each request, given the bytes of a good answer."""
    limited = '{"type": "error", "error": {"type": "rate_limit_error", "message": "slow down"}}'
    return [
        status(429, limited, Retry_After="0"),
        cut(whole[: whole.index(b"\n\n", len(whole) // 2) + 2]),  # dies between two events
        cut(whole[: whole.rindex(b"half")]),  # dies in a tool call
        cut(b"event: message_start\ndata: {not json\n\n"),
        lambda handler: handler.model.stalled.wait(60),
    ]


def fail_first(model: Any, failing: list[Failure], path: str) -> list[bytes]:
    """Let the first requests of a conversation fail; return a list that gets them."""
    failed: list[bytes] = []
    base = model._server.RequestHandlerClass
    model.stalled = threading.Event()

    class Failing(base):  # type: ignore[misc,valid-type]
        def post(self, body: bytes) -> None:
            if len(failed) < len(failing) and self.path.partition("?")[0] == path and b'"tools"' in body:
                failed.append(body)
                failing[len(failed) - 1](self)
                self.close_connection = True
            else:
                super().post(body)

    model._server.RequestHandlerClass = Failing
    return failed


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
    with ScriptedModel([[Call("Bash", {"command": "echo tool-result"})], ["In Redis."]]) as model:
        route = {"dialect": "anthropic", "url": model.url, "model": "claude-scripted", "aliases": ["claude-*"]}
        gateway.configure(context=True, m=route)
        printed = run(
            [str(program), "-p", "Why do sessions live in Redis and not in cookies?", "--allowedTools", "Bash"],
            gateway.repo,
            HOME=str(tmp_path),
            ANTHROPIC_BASE_URL=gateway.url,
            ANTHROPIC_API_KEY=gateway.token,
            **QUIET,
        )
    assert "In Redis." in printed
    first, second = model.of("turn")
    assert first.text.count(FACT) == second.text.count(FACT) == 1
    assert "tool-result" in second.text
    assert second.body["messages"][0] == first.body["messages"][0] or _without_marks(second) == _without_marks(first)
    (hit,) = gateway.call("event.query", event_type="tool_call")["hits"]
    assert hit["event"]["payload"]["command"] == "echo tool-result"
    assert hit["event"]["session_id"].startswith("gateway-")
    assert agent_session(second.body) == agent_session(first.body) != ""


@pytest.mark.client("Claude Code")
def test_claude_code_overcomes_a_backend_that_fails_in_every_way(gateway: Served, tmp_path: Path) -> None:
    program = installed("Claude Code", "claude")
    failing = failures(anthropic_events("one\ntwo\n", [TOOL]))
    with ScriptedModel([["In Redis."]]) as model:
        failed = fail_first(model, failing, "/v1/messages")
        route = {"dialect": "anthropic", "url": model.url, "model": "claude-scripted", "aliases": ["claude-*"]}
        gateway.configure(context=True, m={**route, "timeout_seconds": 3})
        printed = run(
            [str(program), "-p", "Why do sessions live in Redis, and not in files?"],
            gateway.repo,
            HOME=str(tmp_path),
            ANTHROPIC_BASE_URL=gateway.url,
            ANTHROPIC_API_KEY=gateway.token,
            **QUIET,
        )
        model.stalled.set()  # type: ignore[attr-defined]
    assert "In Redis." in printed
    assert len(failed) == len(failing)
    asked = {body.decode().count(FACT) for body in failed}
    assert asked == {model.of("turn")[-1].text.count(FACT)} == {1}


def _without_marks(request: object) -> str:
    """Return the first message without marks for caches, which the client moves."""
    body = request.body["messages"][0]  # type: ignore[attr-defined]
    return repr([{name: value for name, value in part.items() if name != "cache_control"} for part in body["content"]])


@pytest.mark.client("Codex")
def test_codex_works_through_the_gateway_also_when_its_backend_fails(gateway: Served, tmp_path: Path) -> None:
    program = installed("Codex", "codex")
    begun = sse({"type": "response.created", "response": {"id": "r1"}}, {"type": "half"}, named=True)
    with ResponsesModel([["It is done."]], lambda _request: 1000) as model:
        failed = fail_first(model, failures(begun), "/v1/responses")
        route = {"dialect": "openai", "url": model.url, "model": "gpt-scripted", "aliases": ["gpt-*"]}
        gateway.configure(context=True, m={**route, "timeout_seconds": 3})
        (tmp_path / ".codex").mkdir()
        (tmp_path / ".codex/config.toml").write_text(
            'model = "gpt-5.5"\nmodel_provider = "g"\n[model_providers.g]\nname = "g"\nwire_api = "responses"\n'
            f'base_url = "{gateway.url}/v1"\nenv_key = "GATEWAY_TOKEN"\n'
            "request_max_retries = 9\nstream_max_retries = 9\n"
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
        model.stalled.set()  # type: ignore[attr-defined]
    assert "It is done." in printed
    assert len(failed) == 5
    assert FACT not in repr([*failed, model.requests[0].body])
    hits = gateway.call("event.query", text="Why do sessions live in Redis?", event_type="prompt")["hits"]
    assert [hit["event"]["source"] for hit in hits].count("codex_exec") == 1  # others asked the same gateway
