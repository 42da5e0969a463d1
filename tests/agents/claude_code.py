"""A real Claude Code in a scratch repository, with its own home folder and a scripted model.

Nothing leaves the machine: the model is on loopback.
"""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from bench.agent_models.messages import Request, ScriptedModel, Turn
from repositories import MUNINN, PATIENCE
from workbench import Workbench

NAME = "Claude Code"


@dataclass(frozen=True)
class Run:
    """One run of Claude Code: the requests that its model got, and the session's id."""

    session: str
    model: ScriptedModel


class ClaudeCode(Workbench):
    """Claude Code in a repository, with its own home folder."""

    def __init__(self, program: Path, repo: Path, home: Path, environ: dict[str, str]) -> None:
        super().__init__(repo, home, environ)
        self.program = program
        self.env |= {
            "PATH": os.pathsep.join((str(program.parent), os.path.dirname(MUNINN), os.environ["PATH"])),
            "ANTHROPIC_API_KEY": "none",
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
                timeout=2 * PATIENCE,
                check=False,
            )
        assert done.returncode == 0, done.stdout + done.stderr
        return Run(json.loads(done.stdout)["session_id"], model)
