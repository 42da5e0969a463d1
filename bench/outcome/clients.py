"""Runs real agents without a person: Claude Code (`claude -p`) and Codex (`codex exec`).

An agent has a home folder of its own. Its model is a scripted one on loopback, or the vendor's model of a given name,
with the key in the environment (ANTHROPIC_API_KEY, OPENAI_API_KEY).
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from bench.agent_models.messages import ScriptedModel
from bench.agent_models.responses import ResponsesModel
from bench.outcome.scripts import Script, for_claude, for_codex

TOOLS = Path(__file__).parents[2] / ".tools"
"""Where `scripts/install-agent.sh` installs agents."""

_CLAUDE_TOOLS = ("Bash", "Edit", "Write", "Read", "Glob", "Grep", "mcp__muninn")
_CODEX_CONFIG = """\
model_provider = "scripted"

[model_providers.scripted]
name = "scripted"
env_key = "SCRIPTED_KEY"
wire_api = "responses"
base_url = "{url}/v1"

"""
_CODEX_TRUST = """\
[projects."{place}"]
trust_level = "trusted"
"""


@dataclass(frozen=True)
class Ran:
    """One run of an agent. `tokens_in` includes cached tokens; `calls` are the calls of tools."""

    session: str
    tokens_in: int
    tokens_out: int
    calls: int
    seconds: float


class AgentFailed(Exception):
    """An agent ended with an error. The text has the end of its output."""


class Agent(Protocol):
    """An agent's program."""

    name: str

    def run(self, prompt: str, place: Path, home: Path, environ: dict[str, str], script: Script | None) -> Ran:
        """Let the agent work on a prompt in a work tree, with a script or with the vendor's model."""
        ...


class ClaudeCode:
    """Claude Code. `model` is the vendor's name of a model, "" for its default."""

    name = "claude-code"

    def __init__(self, program: Path, model: str, seconds: float) -> None:
        self._program, self._model, self._seconds = program, model, seconds

    def run(self, prompt: str, place: Path, home: Path, environ: dict[str, str], script: Script | None) -> Ran:
        """Run `claude -p`."""
        words = [str(self._program), "-p", prompt, "--output-format", "stream-json", "--verbose"]
        words += ["--allowedTools", *_CLAUDE_TOOLS]
        environ = {
            **environ,
            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
            **dict.fromkeys(("DISABLE_TELEMETRY", "DISABLE_AUTOUPDATER", "DISABLE_ERROR_REPORTING"), "1"),
            **dict.fromkeys(("DISABLE_BUG_COMMAND", "DISABLE_COST_WARNINGS", "DISABLE_INSTALLATION_CHECKS"), "1"),
        }
        if script is None:
            words += ["--model", self._model] if self._model else []
            lines, seconds = _run(words, place, environ, self._seconds)
        else:
            with ScriptedModel(for_claude(script)) as model:
                environ |= {"ANTHROPIC_BASE_URL": model.url, "ANTHROPIC_API_KEY": "none"}
                lines, seconds = _run(words, place, environ, self._seconds)
        return _of_claude(lines, seconds)


class Codex:
    """Codex. `model` is the vendor's name of a model, "" for its default."""

    name = "codex"

    def __init__(self, program: Path, model: str, seconds: float) -> None:
        self._program, self._model, self._seconds = program, model, seconds

    def run(self, prompt: str, place: Path, home: Path, environ: dict[str, str], script: Script | None) -> Ran:
        """Run `codex exec`. Without a sandbox of its own: run the benchmark in a container."""
        words = [str(self._program), "exec", "--json", "--dangerously-bypass-hook-trust"]
        words += ["--dangerously-bypass-approvals-and-sandbox"]
        if script is None:
            words += ["--model", self._model] if self._model else []
            self._configure(home, place, "")
            lines, seconds = _run([*words, prompt], place, environ, self._seconds)
        else:
            with ResponsesModel(for_codex(script), lambda request: len(json.dumps(request.body)) // 4) as model:
                self._configure(home, place, _CODEX_CONFIG.format(url=model.url))
                environ = {**environ, "SCRIPTED_KEY": "none"}
                lines, seconds = _run([*words, "--model", "gpt-5.5", prompt], place, environ, self._seconds)
        return _of_codex(lines, seconds)

    def _configure(self, home: Path, place: Path, provider: str) -> None:
        (home / ".codex").mkdir(exist_ok=True)
        (home / ".codex" / "config.toml").write_text(provider + _CODEX_TRUST.format(place=place), "utf-8")


KNOWN = {"claude-code": (ClaudeCode, "claude"), "codex": (Codex, "bin/codex")}


def find(name: str, model: str, seconds: float) -> Agent:
    """Return an agent by name: the program on the PATH, else the one in `.tools`. Raises AgentFailed without any."""
    kind, inside = KNOWN[name]
    program = Path(inside).name
    installed = TOOLS / program / inside
    found = shutil.which(program) or (str(installed) if installed.exists() else None)
    if found is None:
        raise AgentFailed(f"{program} is not on the PATH; `scripts/install-agent.sh {program}` installs it")
    return kind(Path(found), model, seconds)


def environment(home: Path) -> dict[str, str]:
    """Return the environment of an agent and of Muninn for one run. Nothing of the user's home takes part."""
    (home / ".gitconfig").write_text("[user]\n\tname = Bench\n\temail = bench@localhost\n", "utf-8")
    kept = (
        "MUNINN_HOOK_SECONDS",
        "ANTHROPIC_API_KEY",
        "OPENAI_API_KEY",
        "HTTP_PROXY",
        "HTTPS_PROXY",
        "SSL_CERT_FILE",
        "TMPDIR",
    )
    return {
        **{name: os.environ[name] for name in kept if name in os.environ},
        "PATH": os.pathsep.join((str(Path(sys.executable).parent), os.environ["PATH"])),
        "HOME": str(home),
        "LANG": "C.UTF-8",
        "NO_PROXY": "127.0.0.1,localhost",
        "MUNINN_RUNTIME_DIR": str(home / "r"),
        "XDG_DATA_HOME": str(home / "data"),
    }


def _run(
    words: Sequence[str], place: Path, environ: dict[str, str], limit: float
) -> tuple[list[dict[str, Any]], float]:
    begun = time.perf_counter()
    try:
        done = subprocess.run(
            words, cwd=place, env=environ, stdin=subprocess.DEVNULL, capture_output=True, timeout=limit, check=False
        )
    except subprocess.TimeoutExpired:
        raise AgentFailed(f"no end within {limit:g} s") from None
    seconds = time.perf_counter() - begun
    output = done.stdout.decode("utf-8", "replace")
    if done.returncode != 0:
        raise AgentFailed((output + done.stderr.decode("utf-8", "replace"))[-500:])
    return [json.loads(line) for line in output.splitlines() if line.startswith("{")], seconds


def _of_claude(lines: Sequence[dict[str, Any]], seconds: float) -> Ran:
    end = next(line for line in lines if line["type"] == "result")
    usage = end["usage"]
    read = ("input_tokens", "cache_read_input_tokens", "cache_creation_input_tokens")
    blocks = [block for line in lines if line["type"] == "assistant" for block in line["message"]["content"]]
    calls = {block["id"] for block in blocks if block["type"] == "tool_use"}
    return Ran(
        end["session_id"], sum(usage.get(name) or 0 for name in read), usage["output_tokens"], len(calls), seconds
    )


_CODEX_CALLS = frozenset({"command_execution", "mcp_tool_call", "file_change", "web_search"})


def _of_codex(lines: Sequence[dict[str, Any]], seconds: float) -> Ran:
    session = next(line["thread_id"] for line in lines if line["type"] == "thread.started")
    usages = [line["usage"] for line in lines if line["type"] == "turn.completed"]
    return Ran(
        session,
        sum(usage["input_tokens"] for usage in usages),
        sum(usage["output_tokens"] for usage in usages),
        sum(1 for item in _items(lines) if item["type"] in _CODEX_CALLS),
        seconds,
    )


def _items(lines: Sequence[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    yield from (line["item"] for line in lines if line["type"] == "item.completed")
