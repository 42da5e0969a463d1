"""The GitHub action that posts `muninn diff`: its steps, against a server that answers like GitHub's API."""

from __future__ import annotations

import json
import os
import re
import subprocess
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
import yaml
from muninn_shell import Shell
from repositories import MUNINN

from muninn_core import __version__

ACTION = Path(__file__).resolve().parents[2] / ".github" / "actions" / "memory-diff"


class Comments:
    """The comments of a pull request. `status` is the answer to writes."""

    def __init__(self) -> None:
        self.bodies: list[str] = ["A person wrote this.", "<!-- muninn diff -->\nA person imitates the action."]
        self.people = len(self.bodies)
        self.status = 200
        self.tokens: set[str | None] = set()


@pytest.fixture
def comments() -> Iterator[tuple[Comments, str]]:
    """The comments, and the address of the server that has them."""
    kept = Comments()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            first = self.path == "/repos/team/harbour/issues/7/comments?per_page=100&page=1"
            authors = ["ann"] * kept.people + ["github-actions[bot]"] * (len(kept.bodies) - kept.people)
            found = [
                {"id": n, "body": body, "user": {"login": who}}
                for n, (body, who) in enumerate(zip(kept.bodies, authors, strict=True))
            ]
            self._answer(found if first else [], 200)

        def do_POST(self) -> None:
            if self.path == "/graphql":
                assert self._sent() == {"query": "{ viewer { login } }"}
                self._answer({"data": {"viewer": {"login": "github-actions[bot]"}}}, 200)
                return
            assert self.path == "/repos/team/harbour/issues/7/comments"
            body = str(self._sent()["body"])
            if kept.status == 200:
                kept.bodies.append(body)
            self._answer({}, kept.status)

        def do_PATCH(self) -> None:
            kept.bodies[int(self.path.removeprefix("/repos/team/harbour/issues/comments/"))] = str(self._sent()["body"])
            self._answer({}, kept.status)

        def _sent(self) -> dict[str, Any]:
            kept.tokens.add(self.headers["Authorization"])
            sent: dict[str, Any] = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            return sent

        def _answer(self, value: Any, status: int) -> None:
            self.send_response(status)
            self.end_headers()
            self.wfile.write(json.dumps(value).encode())

        def log_message(self, *_arguments: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield kept, f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    thread.join()
    server.server_close()


def git(shell: Shell, *words: str) -> str:
    identity = ["-c", "user.name=T", "-c", "user.email=t@example.org"]
    return subprocess.run(
        ["git", *identity, *words], cwd=shell.repo, check=True, capture_output=True, text=True
    ).stdout.strip()


class Action:
    """The steps of the action, run as a runner of GitHub runs them: expressions filled in, each `run` by bash."""

    def __init__(self, shell: Shell, address: str, summary: Path) -> None:
        read = yaml.safe_load((ACTION / "action.yml").read_text())
        self.shell = shell
        self.base = ""
        self.number = "7"
        self.inputs = {name: str(each["default"]) for name, each in read["inputs"].items()}
        self.steps = {step["name"]: step for step in read["runs"]["steps"] if "run" in step}
        self.environ = {
            **shell.environ,
            "PATH": os.pathsep.join([str(Path(MUNINN).parent), os.environ["PATH"]]),
            "PIP_NO_INDEX": "1",  # what is installed here satisfies the step, and nothing is downloaded
            "GITHUB_ACTION_PATH": str(ACTION),
            "GITHUB_API_URL": address,
            "GITHUB_GRAPHQL_URL": f"{address}/graphql",
            "GITHUB_REPOSITORY": "team/harbour",
            "GITHUB_STEP_SUMMARY": str(summary),
        }

    def run(self, name: str) -> subprocess.CompletedProcess[str]:
        """Run a step whose condition holds."""
        step = self.steps[name]
        assert step["shell"] == "bash"
        given = {key: self._filled(text) for key, text in step.get("env", {}).items()}
        command = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", self._filled(step["run"])]
        return subprocess.run(
            command, cwd=self.shell.repo, env=self.environ | given, capture_output=True, text=True, check=False
        )

    def due(self, name: str) -> bool:
        """Whether the condition of a step holds."""
        left, right = self.steps[name]["if"].split(" != ")
        return self._value(left) != right.strip("'")

    def _filled(self, text: str) -> str:
        return re.sub(r"\$\{\{ ([\w.]+) \}\}", lambda match: self._value(match[1]), text)

    def _value(self, expression: str) -> str:
        return {
            "github.token": "sesame",
            "github.event.pull_request.base.sha": self.base,
            "github.event.pull_request.head.sha": git(self.shell, "rev-parse", "HEAD"),
            "github.event.pull_request.number": self.number,
            **{f"inputs.{name}": text.replace("${{ github.token }}", "sesame") for name, text in self.inputs.items()},
        }[expression]


@pytest.fixture
def action(new_shell: Callable[[], Shell], tmp_path: Path, comments: tuple[Comments, str]) -> Action:
    """The action in a repository with memory, at a pull request that changes nothing yet."""
    shell = new_shell()
    shell.json("init")
    git(shell, "add", "."), git(shell, "commit", "-q", "-m", "memory")
    made = Action(shell, comments[1], tmp_path / "summary.md")
    made.base = git(shell, "rev-parse", "HEAD")
    return made


def test_the_comment_is_posted_once_and_updated(action: Action, tmp_path: Path, comments: tuple[Comments, str]) -> None:
    kept, shell = comments[0], action.shell

    def post() -> str:
        done = action.run("Post")
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    assert "nothing was posted" in post()
    people = list(kept.bodies)
    assert len(people) == 2
    for number, fact in enumerate(("Ships moor at berth two.", "Masts are of oak.")):
        shell.json("remember", fact, "--type", "decision")
        shell.json("seal")
        git(shell, "add", "."), git(shell, "commit", "-q", "-m", fact)
        if number == 0:
            kept.status = 403
            assert "may not comment" in post()
            assert fact in (tmp_path / "summary.md").read_text()
            kept.status = 200
            assert "was posted" in post()
        else:
            assert "was updated" in post()
        assert kept.bodies[:-1] == people
        assert kept.bodies[-1].startswith("<!-- muninn diff -->\n")
        assert fact in kept.bodies[-1]
    assert kept.tokens == {"Bearer sesame"}


def test_what_cannot_be_posted_fails_with_an_error_that_says_what_to_do(action: Action) -> None:
    def error() -> str:
        done = action.run("Post")
        assert (done.returncode, done.stderr) == (1, ""), done.stderr
        assert done.stdout.startswith("::error title=Memory diff::")
        assert done.stdout.count("\n") == 1
        return done.stdout

    known, action.base = action.base, "0" * 40
    assert "there is no commit '0000" in error()
    action.base = known
    action.environ["GITHUB_API_URL"] = "http://127.0.0.1:1"
    assert "cannot be reached" in error()
    action.number = ""
    assert "on: pull_request" in error()


def test_the_program_is_installed_and_errors_of_memory_fail_the_job(action: Action) -> None:
    assert list(action.steps) == ["Install", "Post", "Check"]
    assert action.run("Install").returncode == 0
    action.inputs["version"] = __version__
    assert action.run("Install").returncode == 0
    action.inputs["version"] = "9999.1"
    assert action.run("Install").returncode == 1
    assert action.due("Check")
    assert action.run("Check").returncode == 0
    with (action.shell.repo / ".muninn" / "memory" / "main.jsonl").open("a") as file:
        file.write("no record\n")
    done = action.run("Check")
    assert (done.returncode, "main.jsonl" in done.stdout) == (1, True)
    action.inputs["check"] = "yes"
    assert action.due("Check")
    action.inputs["check"] = "false"
    assert not action.due("Check")
