"""The scripted model of a task: for an earlier session, and for the task itself.

A script is the same for both agents. Its steps are shell commands; a step may choose by what the model has read.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from bench.agent_models import messages, responses
from bench.outcome.tasks import Earlier, Scripted


@dataclass(frozen=True)
class Script:
    """Shell commands, each a step of its own, and the last message. `choose` makes the first command from the text."""

    runs: tuple[str, ...] = ()
    choose: Callable[[str], str] | None = None
    answer: str = "Done."


def of_earlier(earlier: Earlier) -> Script:
    """Return the script of an earlier session."""
    return Script(runs=earlier.runs, answer=earlier.answer)


def of_task(scripted: Scripted) -> Script:
    """Return the script of a task: what the model reads decides what it does."""

    def choose(read: str) -> str:
        if scripted.follows and re.search(scripted.follows, read):
            return scripted.right
        if scripted.misled and re.search(scripted.misled, read):
            return scripted.wrong
        return scripted.usual

    return Script(choose=choose)


def for_claude(script: Script) -> Sequence[Callable[[messages.Request], messages.Turn]]:
    """Return a script as turns of the Messages API."""
    return _turns(script, lambda command: messages.Call("Bash", {"command": command}))


def for_codex(script: Script) -> Sequence[Callable[[responses.Request], responses.Turn]]:
    """Return a script as turns of the Responses API."""
    return _turns(script, lambda command: responses.Call("exec_command", {"cmd": command}))


def _turns(script: Script, call: Callable[[str], Any]) -> list[Callable[[Any], Any]]:
    choose = script.choose
    steps: list[Callable[[Any], Any]] = []
    if choose is not None:
        steps.append(lambda request: [call(choose(request.text))])
    steps += [partial(lambda command, _request: [call(command)], command) for command in script.runs]
    return [*steps, lambda _request: [script.answer]]
