"""The GitHub action that posts `muninn diff`: its script against a server that answers like GitHub's API."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
import yaml
from muninn_shell import Shell
from repositories import MUNINN

ACTION = Path(__file__).resolve().parents[2] / ".github" / "actions" / "memory-diff"


class Comments:
    """The comments of a pull request. `status` is the answer to writes."""

    def __init__(self) -> None:
        self.bodies: list[str] = ["A person wrote this."]
        self.status = 200
        self.tokens: set[str | None] = set()


@pytest.fixture
def comments() -> Iterator[tuple[Comments, str]]:
    """The comments, and the address of the server that has them."""
    kept = Comments()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            first = self.path == "/repos/team/harbour/issues/7/comments?per_page=100&page=1"
            self._answer([{"id": n, "body": body} for n, body in enumerate(kept.bodies)] if first else [], 200)

        def do_POST(self) -> None:
            assert self.path == "/repos/team/harbour/issues/7/comments"
            body = self._body()
            if kept.status == 200:
                kept.bodies.append(body)
            self._answer({}, kept.status)

        def do_PATCH(self) -> None:
            kept.bodies[int(self.path.removeprefix("/repos/team/harbour/issues/comments/"))] = self._body()
            self._answer({}, kept.status)

        def _body(self) -> str:
            kept.tokens.add(self.headers["Authorization"])
            return str(json.loads(self.rfile.read(int(self.headers["Content-Length"])))["body"])

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


def test_the_comment_is_posted_once_and_updated(new_shell, tmp_path, comments):
    kept, address = comments
    shell: Shell = new_shell()
    shell.json("init")
    git(shell, "add", "."), git(shell, "commit", "-q", "-m", "memory")
    base = git(shell, "rev-parse", "HEAD")
    summary = tmp_path / "summary.md"
    environ = {
        **shell.environ,
        "PATH": os.pathsep.join([str(Path(MUNINN).parent), os.environ["PATH"]]),
        "GITHUB_API_URL": address,
        "GITHUB_REPOSITORY": "team/harbour",
        "GITHUB_TOKEN": "sesame",
        "GITHUB_STEP_SUMMARY": str(summary),
        "BASE": base,
        "NUMBER": "7",
    }

    def post() -> str:
        head = git(shell, "rev-parse", "HEAD")
        done = subprocess.run(
            [sys.executable, ACTION / "post.py"],
            cwd=shell.repo, env={**environ, "HEAD": head}, capture_output=True, text=True, check=False,
        )  # fmt: skip
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    assert "nothing was posted" in post()
    assert len(kept.bodies) == 1
    for number, fact in enumerate(("Ships moor at berth two.", "Masts are of oak.")):
        shell.json("remember", fact, "--type", "decision")
        shell.json("seal")
        git(shell, "add", "."), git(shell, "commit", "-q", "-m", fact)
        if number == 0:
            kept.status = 403
            assert "may not comment" in post()
            assert fact in summary.read_text()
            kept.status = 200
            assert "was posted" in post()
        else:
            assert "was updated" in post()
        assert len(kept.bodies) == 2
        assert kept.bodies[0] == "A person wrote this."
        assert kept.bodies[1].startswith("<!-- muninn diff -->\n")
        assert fact in kept.bodies[1]
    assert kept.tokens == {"Bearer sesame"}


def test_the_action_gives_its_script_what_it_needs():
    steps = yaml.safe_load((ACTION / "action.yml").read_text())["runs"]["steps"]
    (posting,) = (step for step in steps if "post.py" in step.get("run", ""))
    script = (ACTION / "post.py").read_text()
    needed = {"BASE", "HEAD", "NUMBER", "GITHUB_TOKEN"}
    assert set(posting["env"]) == needed
    assert all(f'"{name}"' in script or f"'{name}'" in script for name in needed)
