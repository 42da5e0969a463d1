"""The user's own command-line program as a model: `claude -p` or `codex exec`.

The program has its own account. It runs in an empty folder, without Muninn's hooks and without the variables that
would give it other credentials.
"""

from __future__ import annotations

import subprocess
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from muninn_core.config.model_settings import Route
from muninn_core.errors import ModelError
from muninn_core.models.http import MAX_ANSWER, HttpFailure
from muninn_core.models.prompt import Answer, Prompt
from muninn_core.models.sse import decode_object

HOOKS_OFF = "MUNINN_HOOKS"
"""Muninn's hooks do nothing in a process that has this variable with the value `off`."""

PASSED = ("PATH", "HOME", "USER", "LOGNAME", "LANG", "TMPDIR", "SYSTEMROOT", "APPDATA", "LOCALAPPDATA", "USERPROFILE")
"""Variables that the program gets. Keys are not among them."""


def ask(prompt: Prompt, route: Route, environ: Mapping[str, str]) -> Answer:
    """Run the program once. Raises HttpFailure when it fails or takes too long, ModelError for an unusable answer."""
    if prompt.tools:
        raise ModelError(f"the dialect '{route.dialect}' takes no tools", hint="Choose another route.")
    text = "\n\n".join((prompt.system, *(message.text for message in prompt.messages)))
    with tempfile.TemporaryDirectory(prefix="muninn-model-") as folder:
        output = _run(_command(route, folder), text, folder, route.timeout_seconds, environ)
        return _of_claude(output) if route.dialect == "claude" else _of_codex(output, Path(folder) / "answer")


def _command(route: Route, folder: str) -> list[str]:
    if route.dialect == "claude":
        options = ["--output-format", "json", "--tools", "", "--strict-mcp-config", "--no-session-persistence"]
        return ["claude", "-p", "--model", route.model, *options]
    options = ["--sandbox", "read-only", "--skip-git-repo-check", "--ephemeral", "--json"]
    return ["codex", "exec", "--model", route.model, *options, "--output-last-message", f"{folder}/answer", "-"]


def _run(command: list[str], text: str, folder: str, seconds: float, environ: Mapping[str, str]) -> str:
    variables = {name: value for name, value in environ.items() if name in PASSED or name.startswith("LC_")}
    try:
        done = subprocess.run(
            command,
            input=text.encode(),
            cwd=folder,
            env={**variables, HOOKS_OFF: "off"},
            capture_output=True,
            timeout=seconds,
            check=False,
        )
    except FileNotFoundError:
        raise ModelError(
            f"the program '{command[0]}' is not on the daemon's PATH", hint="Install it, or choose another route."
        ) from None
    except subprocess.TimeoutExpired:
        raise HttpFailure(f"no answer within {seconds:g} s") from None
    if len(done.stdout) > MAX_ANSWER:
        raise HttpFailure(f"the answer has more than {MAX_ANSWER:,} bytes")
    if done.returncode:
        said = (done.stderr or done.stdout).decode("utf-8", "replace").strip()[-500:]
        raise ModelError(f"'{command[0]}' ended with the code {done.returncode}: {said}")
    return done.stdout.decode("utf-8", "replace")


def _of_claude(output: str) -> Answer:
    found = decode_object(output, "the output of 'claude'")
    if found.get("is_error") or not isinstance(found.get("result"), str):
        raise ModelError(f"'claude' reports an error: {str(found.get('result') or found.get('subtype'))[:500]}")
    usage: dict[str, Any] = found.get("usage") or {}
    cached = usage.get("cache_read_input_tokens") or 0
    return Answer(
        text=found["result"],
        model="claude",
        tokens_in=(usage.get("input_tokens") or 0) + cached + (usage.get("cache_creation_input_tokens") or 0),
        tokens_out=usage.get("output_tokens") or 0,
        cached=cached,
        usd=found.get("total_cost_usd"),
        stop="end",
    )


def _of_codex(output: str, answer: Path) -> Answer:
    """Return the last message, and the tokens of the event `turn.completed`."""
    usage: dict[str, Any] = {}
    for line in output.splitlines():
        if '"turn.completed"' in line:
            usage = decode_object(line, "an event of 'codex'").get("usage") or {}
    try:
        text = answer.read_text(encoding="utf-8", errors="replace")
    except FileNotFoundError:
        raise ModelError("'codex' wrote no answer") from None
    tokens = (usage.get("input_tokens"), usage.get("output_tokens"))
    return Answer(text=text, model="codex", tokens_in=tokens[0], tokens_out=tokens[1], stop="end")
