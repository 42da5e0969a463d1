"""The environment of an agent under test: repository, home folder, program, and Muninn."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import clients
from repositories import MUNINN, PATIENCE, git

from muninn_core.client import connect

ROOT = Path(__file__).resolve().parents[2]


def installed(name: str, agent: str) -> Path:
    """Return an agent's pinned program, installed when it is not here; else end the test, which names it `name`."""
    done = subprocess.run(
        [str(ROOT / "scripts" / "install-agent.sh"), agent],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    if done.returncode != 0:
        clients.missing(name, (done.stderr.strip().splitlines() or ["it can't be installed"])[-1])
    return Path(done.stdout.strip())


class Workbench:
    """A repository, a home folder for an agent, and the environment of both."""

    agent = "claude-code"

    def __init__(self, repo: Path, home: Path, environ: dict[str, str]) -> None:
        self.repo = repo
        self.home = home
        self.muninn_env = environ
        home.mkdir()
        (home / ".gitconfig").write_text("[user]\n\tname = Ada\n\temail = ada@example.org\n")
        self.env = {
            "PATH": os.environ["PATH"],
            "HOME": str(home),
            "LANG": "C.UTF-8",
            "MUNINN_RUNTIME_DIR": environ["MUNINN_RUNTIME_DIR"],
            "XDG_DATA_HOME": environ["XDG_DATA_HOME"],
            "MUNINN_HOOK_SECONDS": "120",  # a busy machine is no reason to fail
            "NO_PROXY": "127.0.0.1,localhost",
        }
        self.call("remember", text="Sessions live in Postgres, not in Redis.", type="decision", importance=9)

    def muninn(self, *words: str, at: Path | None = None) -> str:
        """Run a Muninn command in the repository, or `at` another work tree; return its output."""
        # `claude plugin` with a key would look for its server for twenty seconds.
        env = {name: value for name, value in self.env.items() if name != "ANTHROPIC_API_KEY"}
        command = [MUNINN, *words, "--repo", str(at or self.repo)]
        done = subprocess.run(command, env=env, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    def call(self, verb: str, at: Path | None = None, **params: Any) -> dict[str, Any]:
        """Ask the repository's daemon, in the repository or `at` another work tree."""
        with connect(str(at or self.repo), self.muninn_env) as muninn:
            return muninn.call(verb, params)

    def assert_remembers(self, subject: str, session: str, at: Path) -> None:
        """Assert that a work tree has the memory of one commit and no other, made by a session on the branch there."""
        (memory,) = self.call("memories", at=at, tag="commit")["memories"]
        assert (memory["title"], memory["session"]) == (subject, session)
        assert memory["branch"] == git(at, "branch", "--show-current").strip()
        assert list((at / ".muninn/memory/sessions").glob(f"{session}*.jsonl"))

    def turns(self, session: str) -> list[list[str]]:
        """Return what the journal has of each closed turn of a session: the types of events, in order."""
        spans = self.call("span.list", kind="turn", session_id=session, status="closed")["spans"]
        found = []
        for span in reversed(spans):
            hits = self.call("event.query", stream_id=span["id"], limit=100)["hits"]
            events = [hit["event"] for hit in reversed(hits) if not hit["event"]["event_type"].startswith("muninn.")]
            assert {event["source"] for event in events} == {self.agent}
            found.append([event["event_type"] for event in events])
        return found

    def events(self) -> list[dict[str, Any]]:
        """Return the entries of the hooks' log."""
        log = self.repo / ".muninn" / "local" / "hooks.log"
        return [json.loads(line) for line in log.read_text("utf-8").splitlines()] if log.exists() else []

    def failures(self) -> list[dict[str, Any]]:
        """Return the events that failed."""
        return [entry for entry in self.events() if "error" in entry]

    def warm_up(self) -> None:
        """Send the daemon one MCP request, so that its MCP library is loaded."""
        about = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}
        hello = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": about}) + "\n"
        command = [MUNINN, "mcp", "--repo", str(self.repo)]
        with subprocess.Popen(command, env=self.env, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as proxy:
            assert proxy.stdin
            assert proxy.stdout
            proxy.stdin.write(hello)
            proxy.stdin.flush()
            assert "serverInfo" in proxy.stdout.readline()


class Connected(Workbench):
    """The same with one agent connected by our command; the daemon is warm."""

    def __init__(self, agent: str, repo: Path, home: Path, environ: dict[str, str]) -> None:
        super().__init__(repo, home, environ)
        self.agent = agent
        self.muninn("install", agent)
        self.warm_up()

    def run(self, program: Path, *words: str, at: Path | None = None, **env: str) -> list[dict[str, Any]]:
        """Run the agent's program to its end, in the repository or `at` another work tree; return its JSON lines."""
        done = subprocess.run(
            [str(program), *words],
            cwd=at or self.repo,
            env={**self.env, **env},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=2 * PATIENCE,
            check=False,
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
