"""Runs a task in one arm: a repository of its own, what happened before, the agent, the check."""

from __future__ import annotations

import json
import re
import subprocess
import tempfile
from dataclasses import dataclass, replace
from pathlib import Path

from bench.outcome.clients import Agent, AgentFailed, environment
from bench.outcome.history import is_resolved, succeeds
from bench.outcome.scripts import of_earlier, of_task
from bench.outcome.tasks import Task, commit, lay_out

ARMS = ("without", "with")
CHARS_PER_TOKEN = 4
"""The usual estimate for English."""


@dataclass(frozen=True)
class Given:
    """What the session received of memory. `told` and `misled`: a memory that the task depends on, or a wrong one."""

    memories: int = 0
    tokens: int = 0
    told: bool = False
    misled: bool = False


@dataclass(frozen=True)
class Outcome:
    """The outcome of one run. With an `error` the agent ended badly, and the task counts as not resolved."""

    task: str
    kind: str
    agent: str
    arm: str
    repeat: int
    resolved: bool = False
    tokens_in: int = 0
    tokens_out: int = 0
    calls: int = 0
    seconds: float = 0.0
    given: Given = Given()
    error: str = ""


def run(task: Task, agent: Agent, arm: str, repeat: int, *, scripted: bool) -> Outcome:
    """Run a task in an arm. Earlier sessions always have the scripted model, so that both arms have the same past."""
    outcome = Outcome(task.name, task.kind, agent.name, arm, repeat)
    with tempfile.TemporaryDirectory(prefix="mno-", dir="/tmp") as name, _Bench(Path(name), task, arm) as bench:
        try:
            bench.replay(agent)
            script = of_task(task.scripted) if scripted else None
            ran = agent.run(task.prompt, bench.root, bench.home, bench.environ, script)
        except AgentFailed as failed:
            return replace(outcome, error=str(failed))
        return replace(
            outcome,
            resolved=is_resolved(task, bench.root),
            tokens_in=ran.tokens_in,
            tokens_out=ran.tokens_out,
            calls=ran.calls,
            seconds=ran.seconds,
            given=bench.given(ran.session) if arm == "with" else Given(),
        )


class _Bench:
    """The repository of a task in an arm, and a home folder for the agent. A context manager: it stops the daemon."""

    def __init__(self, folder: Path, task: Task, arm: str) -> None:
        self.root, self.home, self._task, self._arm = folder / "repository", folder / "home", task, arm
        self.home.mkdir()
        self.environ = environment(self.home)

    def __enter__(self) -> _Bench:
        lay_out(self._task, self.root)
        if self._task.setup and not succeeds(self._task.setup, self.root):
            raise ValueError(f"{self._task.setup!r} fails for {self._task.name}")
        return self

    def __exit__(self, *_exc: object) -> None:
        if self._arm == "with":
            self.muninn("daemon", "stop")

    def replay(self, agent: Agent) -> None:
        """Install Muninn in its arm, then let happen what happened before the task."""
        if self._arm == "with":
            self.muninn("init")
            self.muninn("install", agent.name)
            if self._task.source is not None:
                self.muninn("backfill", "git", "--apply")
            self.muninn("index", "--wait")
        for earlier in self._task.earlier:
            if earlier.shell:
                if not succeeds(earlier.shell, self.root):
                    raise ValueError(f"{earlier.shell!r} fails for {self._task.name}")
            else:
                agent.run(earlier.prompt, self.root, self.home, self.environ, of_earlier(earlier))
            if self._arm == "with":
                self.muninn("memories")  # answered once the end of the session is processed
            commit(self.root, "Work of a colleague" if earlier.shell else "Work of a session")

    def given(self, session: str) -> Given:
        """Return what the session of the task received."""
        answers = json.loads(self.muninn("given", "--session", session, "--limit", "500", "--json"))["answers"]
        ids = {item["id"] for answer in answers for item in answer["items"]}
        known = json.loads(self.muninn("memories", "--limit", "500", "--json"))["memories"]
        texts = [memory["text"] for memory in known if memory["id"] in ids]
        scripted = self._task.scripted
        return Given(
            memories=len(texts),
            tokens=sum(map(len, texts)) // CHARS_PER_TOKEN,
            told=bool(scripted.follows) and any(re.search(scripted.follows, text) for text in texts),
            misled=bool(scripted.misled) and any(re.search(scripted.misled, text) for text in texts),
        )

    def muninn(self, *words: str) -> str:
        """Run a Muninn command in the repository and return its output."""
        done = subprocess.run(
            ["muninn", *words],
            cwd=self.root,
            env=self.environ,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode != 0:
            raise RuntimeError(f"muninn {' '.join(words)}: {done.stderr or done.stdout}")
        return done.stdout
