"""Any number of concurrent clients share one daemon, and each gets its own answers."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import psutil
import pytest
from repositories import PATIENCE, daemon_pid, git, stop_daemon

from muninn_core import client

CLIENTS = 200

# Waits for its start signal (a closed pipe), so that all begin at the same instant.
_ONE_CLIENT = """
import json, os, sys
from muninn_core import client
sys.stdin.read()
with client.connect(sys.argv[1], os.environ, name="crowd") as muninn:
    answer = muninn.call("recall", {"query": "display name of a user", "limit": 1})
    print(json.dumps([muninn.daemon["pid"], answer["hits"][0]["path"]]))
"""


@pytest.mark.slow
def test_two_hundred_clients_on_a_cold_repository_share_one_daemon(plain_repo: Path, environ: dict[str, str]) -> None:
    with client.connect(str(plain_repo), environ) as muninn:
        muninn.call("init")
        muninn.call("index")
    stop_daemon(plain_repo, environ)
    crowd = [
        subprocess.Popen(
            [sys.executable, "-I", "-c", _ONE_CLIENT, str(plain_repo)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=environ,
        )
        for _ in range(CLIENTS)
    ]
    try:
        for one in crowd:
            assert one.stdin is not None
            one.stdin.close()
            one.stdin = None
        ended = [one.communicate(timeout=PATIENCE) for one in crowd]
        failures = [err.decode() for one, (_, err) in zip(crowd, ended, strict=True) if one.returncode != 0]
        assert failures == []
        answers = [json.loads(out) for out, _ in ended]
        assert len({pid for pid, _ in answers}) == 1
        assert {path for _, path in answers} == {"src/users.py"}
        assert daemon_pid(plain_repo, environ) == answers[0][0]
    finally:
        for one in crowd:
            one.kill()
            one.wait()
        stop_daemon(plain_repo, environ)


def test_clients_of_one_daemon_get_their_own_answers(repo: Path, environ: dict[str, str]) -> None:
    failures: list[str] = []

    def ask(number: int) -> None:
        with client.connect(str(repo), environ) as muninn:
            stored = muninn.call("remember", {"text": f"Fact number {number} of this test."})
            found = muninn.call("memories", {"id": stored["ids"][0]})
            if f"number {number} of" not in found["memories"][0]["text"]:
                failures.append(found["memories"][0]["text"])

    threads = [threading.Thread(target=ask, args=(number,)) for number in range(16)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
    with client.connect(str(repo), environ) as muninn:
        assert muninn.call("status")["log"]["memories"] == 16


def test_work_trees_of_one_repository_share_the_daemon_and_see_their_own_head(
    repo: Path, environ: dict[str, str], tmp_path: Path
) -> None:
    other = tmp_path / "other"
    git(repo, "worktree", "add", "-q", "-b", "side", str(other))
    (other / "only_here.py").write_text("def only_on_the_side():\n    return 1\n")
    git(other, "add", ".")
    git(other, "commit", "-q", "-m", "Side work")
    with client.connect(str(repo), environ) as here, client.connect(str(other), environ) as there:
        assert here.daemon["pid"] == there.daemon["pid"]
        there.call("index")
        here.call("index")
        query = {"query": "only_on_the_side", "limit": 1, "kind": "code"}
        assert there.call("recall", query)["hits"][0]["path"] == "only_here.py"
        assert all(hit["path"] != "only_here.py" for hit in here.call("recall", query)["hits"])
        assert there.call("status")["saw"]["branch"] == "side"
        assert here.call("status")["saw"]["branch"] == "main"


@pytest.mark.parametrize(
    ("other", "protocol"),
    [
        ({"version": "0.0.1"}, "rpc"),
        ({"version": "0.0.1"}, "lsp"),
        ({"version": "0.0.1"}, "mcp"),
        ({"catalogue": "0" * 16}, "rpc"),
        ({"catalogue": None}, "rpc"),
    ],
)
def test_a_daemon_of_another_version_or_catalogue_is_replaced(
    repo: Path, environ: dict[str, str], monkeypatch: pytest.MonkeyPatch, other: dict[str, Any], protocol: str
) -> None:
    old = daemon_pid(repo, environ)
    assert old is not None
    process = psutil.Process(old)
    greet = client.Client.__init__

    def greeted_by_an_old_one(self: client.Client, *arguments: object) -> None:
        greet(self, *arguments)  # type: ignore[arg-type]
        if self.daemon["pid"] == old:
            self.daemon.update(other)

    monkeypatch.setattr(client.Client, "__init__", greeted_by_an_old_one)
    with client.connect(str(repo), environ, replace=False) as reconnected:
        assert reconnected.daemon["pid"] == old
    with client.connect(str(repo), environ, protocol=protocol) as connected:
        assert connected.daemon["pid"] != old
    with client.connect(str(repo), environ) as muninn:
        assert muninn.daemon["pid"] != old
        assert muninn.call("status")["mode"] == "read-write"
    process.wait(PATIENCE)
