"""The user's own command-line programs as models: the real Claude Code and Codex, with scripted models behind them."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from bench.agent_models.messages import ScriptedModel
from bench.agent_models.responses import ResponsesModel
from workbench import installed

from muninn_core.config.model_settings import Route
from muninn_core.errors import ModelError
from muninn_core.models import command
from muninn_core.models.http import HttpFailure
from muninn_core.models.prompt import Message, Prompt, Tool

ASKED = Prompt(purpose="test", version="1", system="Be brief.", messages=(Message(role="user", text="Hello?"),))


def environ_of(program: Path, home: Path) -> dict[str, str]:
    path = os.pathsep.join((str(program.parent), os.environ["PATH"]))
    return {"PATH": path, "HOME": str(home), "ANTHROPIC_API_KEY": "of the host", "OPENAI_API_KEY": "of the host"}


@pytest.mark.client("Claude Code")
@pytest.mark.slow
def test_claude_answers_without_tools_and_with_the_hooks_switched_off(tmp_path: Path) -> None:
    program = installed("Claude Code", "claude")
    note = {"type": "command", "command": f'echo "$MUNINN_HOOKS $PWD $ANTHROPIC_API_KEY" >> {tmp_path}/noted'}
    with ScriptedModel([]) as model:
        (tmp_path / ".claude").mkdir()
        quiet = {"DISABLE_TELEMETRY": "1", "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1"}
        variables = {"ANTHROPIC_BASE_URL": model.url, "ANTHROPIC_API_KEY": "own", **quiet}
        settings = {"env": variables, "hooks": {"UserPromptSubmit": [{"hooks": [note]}]}}
        (tmp_path / ".claude/settings.json").write_text(json.dumps(settings))
        answer = command.ask(ASKED, Route(dialect="claude", model="haiku"), environ_of(program, tmp_path))
    assert (answer.text, answer.tokens_out, model.requests[0].tools) == ("Fine.", 10, [])
    assert answer.usd is not None
    switch, folder, key = (tmp_path / "noted").read_text().split()
    assert (switch, key) == ("off", "own")
    assert not Path(folder).exists()


@pytest.mark.client("Codex")
@pytest.mark.slow
def test_an_answer_of_codex_is_read_with_its_tokens(tmp_path: Path) -> None:
    program = installed("Codex", "codex")
    with ResponsesModel([["It is.\nReally."]], lambda _request: 1000) as model:
        (tmp_path / ".codex").mkdir()
        (tmp_path / ".codex/config.toml").write_text(
            'model_provider = "s"\n[model_providers.s]\nname = "s"\nwire_api = "responses"\n'
            f'base_url = "{model.url}/v1"\n'
        )
        answer = command.ask(ASKED, Route(dialect="codex", model="gpt-5.5"), environ_of(program, tmp_path))
    assert (answer.text, answer.tokens_in, answer.tokens_out) == ("It is.\nReally.", 1000, 10)


@pytest.mark.parametrize(
    ("script", "words"),
    [
        (None, "'claude' is not on the daemon's PATH"),
        ("echo refused >&2; exit 3", "ended with the code 3: refused"),
        ("echo prose", "is not JSON"),
        ("""echo '{"is_error": true, "result": "log in first"}'""", "log in first"),
        ("exec sleep 60", "no answer within 0.5 s"),
        ("head -c 5000000 /dev/zero", "more than 4,000,000 bytes"),
    ],
)
def test_a_program_that_fails_is_an_error(tmp_path: Path, script: str | None, words: str) -> None:
    if script is not None:
        program = tmp_path / "claude"
        program.write_text(f"#!/bin/sh\n{script}\n")
        program.chmod(0o755)
    environ = {"PATH": f"{tmp_path}:/usr/bin:/bin" if script else str(tmp_path), "HOME": str(tmp_path)}
    seconds = 0.5 if "0.5 s" in words else 300
    route = Route(dialect="claude", model="haiku", timeout_seconds=seconds)
    with pytest.raises((ModelError, HttpFailure), match=words):
        command.ask(ASKED, route, environ)


def test_a_program_is_offered_no_tools() -> None:
    tool = Tool(name="x", description="", parameters={})
    with pytest.raises(ModelError, match="takes no tools"):
        command.ask(
            Prompt(purpose="t", version="1", system="", messages=(), tools=(tool,)),
            Route(dialect="claude", model="m"),
            {},
        )
