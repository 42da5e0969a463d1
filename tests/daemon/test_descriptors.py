"""A daemon or a client with few file descriptors reports it, loses nothing, and recovers."""

from __future__ import annotations

import contextlib
import os
import resource
import socket
import subprocess
import sys
from pathlib import Path

import pytest
from repositories import MUNINN, PATIENCE, daemon_pid, run_to_end, stop_daemon

from muninn_core import client
from muninn_core.errors import BusyError
from muninn_core.launch.repository_location import locate
from muninn_core.launch.runtime import Address

LIMITED = """
import os, resource, sys
resource.setrlimit(resource.RLIMIT_NOFILE, (int(sys.argv[1]), int(sys.argv[1])))
os.execv(sys.argv[2], sys.argv[2:])
"""


def limited(limit: int, repo: Path, environ: dict[str, str], *command: str) -> subprocess.CompletedProcess[str]:
    """Run the command line, and the daemon that it starts, with a limit on open files."""
    return run_to_end([sys.executable, "-c", LIMITED, str(limit), MUNINN, *command], repo, environ)


def _connect_many(repo: Path, environ: dict[str, str], clients: contextlib.ExitStack) -> None:
    for _ in range(100):
        clients.enter_context(client.connect(str(repo), environ))


def test_more_clients_than_descriptors_are_refused_and_the_rest_is_served(repo: Path, environ: dict[str, str]) -> None:
    with client.connect(str(repo), environ) as muninn:
        stored = muninn.call("remember", {"text": "Sessions live in Redis."})["ids"]
    stop_daemon(repo, environ)
    assert limited(72, repo, environ, "daemon", "start").returncode == 0
    address = Address(environ["MUNINN_RUNTIME_DIR"], locate(str(repo)).identity)
    pid = daemon_pid(repo, environ)
    with contextlib.ExitStack() as clients:
        first = clients.enter_context(client.connect(str(repo), environ))
        first.call("index", {"wait": True})
        with pytest.raises(BusyError, match="too many open files"):
            _connect_many(repo, environ, clients)
        raw = [clients.enter_context(socket.socket(socket.AF_UNIX)) for _ in range(80)]
        for sock in raw:
            sock.settimeout(PATIENCE)
            sock.connect(address.socket)
        assert b"too many open files" in raw[-1].recv(4096)
        assert [memory["id"] for memory in first.call("memories")["memories"]] == stored
        assert first.call("recall", {"query": "redis", "kind": "memory"})["hits"]
        stored += first.call("remember", {"text": "Stored while descriptors were short."})["ids"]
    with client.connect(str(repo), environ) as muninn:
        assert muninn.daemon["pid"] == pid
        assert {memory["id"] for memory in muninn.call("memories")["memories"]} == set(stored)
    log = Path(address.log).read_text()
    assert log.count("too many files are open") == 1
    assert "Traceback" not in log
    stop_daemon(repo, environ)


@pytest.mark.parametrize("limit", [8, 12, 18, 24, 30])
def test_a_daemon_with_few_descriptors_reports_the_lack_and_loses_no_memory(
    repo: Path, environ: dict[str, str], limit: int
) -> None:
    with client.connect(str(repo), environ) as muninn:
        stored = muninn.call("remember", {"text": "Sessions live in Redis."})["ids"]
    stop_daemon(repo, environ)
    done = limited(limit, repo, environ, "recall", "redis")
    assert "Traceback" not in done.stderr
    assert "bug" not in done.stderr
    assert done.returncode == 0 or "open files" in done.stderr, done.stderr
    stop_daemon(repo, environ)
    with client.connect(str(repo), environ) as muninn:
        assert [memory["id"] for memory in muninn.call("memories")["memories"]] == stored
        found = muninn.call("recall", {"query": "redis", "kind": "memory"})
        assert [hit["text"] for hit in found["hits"]] == ["Sessions live in Redis."]


@pytest.mark.parametrize("limit", [5, 6])
def test_a_client_with_few_descriptors_answers_or_reports_the_lack(
    repo: Path, environ: dict[str, str], limit: int
) -> None:
    done = limited(limit, repo, environ, "recall", "users")
    assert "Traceback" not in done.stderr
    assert done.returncode == 0 or "open files" in done.stderr, done.stderr


# Takes all descriptors of its process while a log is read for the first time, and gives them back.
_EXHAUSTED = """
import os, resource, sys
from pathlib import Path
from muninn_core.engine.engine import Engine
from muninn_core.worktree.user_folders import UserFolders
from muninn_core.errors import MuninnError
from muninn_core.launch.repository_location import locate
from muninn_core.protocol.catalogue import decode_params, lookup
from muninn_core.worktree.call_context import CallContext

engine = Engine(version="test", folders=UserFolders(Path("/nowhere"), Path("/nowhere")))
call = CallContext(location=locate(sys.argv[1]), client="test")
ask = lambda verb: engine.call(verb, decode_params(lookup(verb), {}), call)
warm = "warm" in sys.argv
before = ask("memories").total if warm else None
if warm:
    ask("index")
    (Path(sys.argv[1]) / ".muninn/memory/sessions/new.jsonl").write_text("")
limit = len(os.listdir("/proc/self/fd")) + 3
resource.setrlimit(resource.RLIMIT_NOFILE, (limit, resource.getrlimit(resource.RLIMIT_NOFILE)[1]))
taken = []
while True:
    try:
        taken.append(os.dup(0))
    except OSError:
        break
for _ in range(3):
    try:
        print("answered", ask("memories").total)
    except (MuninnError, OSError) as error:
        print("refused", "open files" in str(error))
for handle in taken:
    os.close(handle)
resource.setrlimit(resource.RLIMIT_NOFILE, (1024, resource.getrlimit(resource.RLIMIT_NOFILE)[1]))
print("now", ask("memories").total, ask("status").mode)
engine.close()
"""


@pytest.mark.skipif(not os.path.isdir("/proc/self/fd"), reason="only Linux lists descriptors")
@pytest.mark.parametrize("state", ["cold", "warm"])
def test_a_folder_that_cannot_be_opened_is_an_error_and_not_empty(
    repo: Path, environ: dict[str, str], state: str
) -> None:
    with client.connect(str(repo), environ) as muninn:
        muninn.call("remember", {"text": "Sessions live in Redis."})
        muninn.call("seal")
    stop_daemon(repo, environ)
    command = [sys.executable, "-c", _EXHAUSTED, str(repo), state]
    done = subprocess.run(command, env=environ, capture_output=True, text=True, check=False)
    said = done.stdout.splitlines()
    assert said[-1:] == ["now 1 read-write"], done.stderr
    assert set(said[:-1]) <= {"refused True", "answered 1"}
    assert resource.getrlimit(resource.RLIMIT_NOFILE)[0] > 100
