"""A real Claude Code in a scratch repository with a home folder of its own, and a scripted model.

Nothing leaves the machine: the model is on loopback.
"""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from repositories import MUNINN
from scripted_model import Request, ScriptedModel, Turn

from muninn_core.client import connect

NAME = "Claude Code"


@dataclass(frozen=True)
class Run:
    """One run of Claude Code: the requests that its model got, and the session's id."""

    session: str
    model: ScriptedModel


class ClaudeCode:
    """Claude Code in a repository, with a home folder of its own."""

    def __init__(self, program: Path, repo: Path, home: Path, environ: dict[str, str]) -> None:
        self.program = program
        self.repo = repo
        self.home = home
        self.muninn_env = environ
        home.mkdir()
        (home / ".gitconfig").write_text("[user]\n\tname = Ada\n\temail = ada@example.org\n")
        self.env = {
            "PATH": os.pathsep.join((str(program.parent), os.path.dirname(MUNINN), os.environ["PATH"])),
            "HOME": str(home),
            "LANG": "C.UTF-8",
            "MUNINN_RUNTIME_DIR": environ["MUNINN_RUNTIME_DIR"],
            "XDG_DATA_HOME": environ["XDG_DATA_HOME"],
            "MUNINN_HOOK_SECONDS": "30",  # a busy machine is no reason to fail
            "ANTHROPIC_API_KEY": "none",
            "NO_PROXY": "127.0.0.1,localhost",
            **dict.fromkeys(("HTTP_PROXY", "HTTPS_PROXY"), "http://127.0.0.1:9"),  # whatever else is refused at once
            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
            **dict.fromkeys(("DISABLE_TELEMETRY", "DISABLE_AUTOUPDATER", "DISABLE_ERROR_REPORTING"), "1"),
            **dict.fromkeys(("DISABLE_BUG_COMMAND", "DISABLE_COST_WARNINGS", "DISABLE_INSTALLATION_CHECKS"), "1"),
        }

    def run(
        self,
        script: Sequence[Turn],
        prompt: str,
        *arguments: str,
        input_tokens: Callable[[Request], int] | None = None,
        at: Path | None = None,
    ) -> Run:
        """Let Claude Code work on a prompt, in the repository or `at` another work tree; return when it has left."""
        tools = ["Bash", "Edit", "Write", "Read", "Skill", "mcp__muninn", "mcp__plugin_muninn_muninn"]
        options = ["--output-format", "json", "--allowedTools", *tools]
        with ScriptedModel(script, input_tokens) as model:
            done = subprocess.run(
                [str(self.program), "-p", prompt, *arguments, *options],
                cwd=at or self.repo,
                env={**self.env, "ANTHROPIC_BASE_URL": model.url},
                stdin=subprocess.DEVNULL,
                capture_output=True,
                text=True,
                timeout=180,
                check=False,
            )
        assert done.returncode == 0, done.stdout + done.stderr
        return Run(json.loads(done.stdout)["session_id"], model)

    def call(self, verb: str, at: Path | None = None, **params: Any) -> dict[str, Any]:
        """Ask the repository's daemon."""
        with connect(str(at or self.repo), self.muninn_env) as muninn:
            return muninn.call(verb, params)

    def muninn(self, *words: str) -> str:
        """Run the command line as the user of this Claude Code does; return what it prints."""
        # `claude plugin` with a key would look for its server for twenty seconds.
        env = {name: value for name, value in self.env.items() if name != "ANTHROPIC_API_KEY"}
        command = [MUNINN, *words, "--repo", str(self.repo)]
        done = subprocess.run(command, env=env, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    def hooks(self) -> list[dict[str, Any]]:
        """Return the log of the hooks."""
        log = self.repo / ".muninn" / "local" / "hooks.log"
        return [json.loads(line) for line in log.read_text("utf-8").splitlines()] if log.exists() else []

    def failures(self) -> list[dict[str, Any]]:
        """Return the hooks that failed."""
        return [entry for entry in self.hooks() if "error" in entry]
