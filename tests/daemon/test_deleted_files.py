"""A daemon notices when its socket, its runtime directory or its repository vanishes, and work trees can be removed."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import psutil
import pytest
from repositories import (
    PATIENCE,
    address_of,
    copy_plain_repo,
    daemon_pid,
    daemon_process,
    git,
    kill_daemon,
    stop_daemon,
)

from muninn_core import client
from muninn_core.errors import DaemonError, MuninnError
from muninn_core.launch.runtime import Address

NOTICED = 50.0
"""Seconds within which a client must be answered. A client used to wait for a minute."""


def until(true: Callable[[], bool]) -> None:
    """Wait for a state that must come."""
    end = time.monotonic() + PATIENCE
    while not true():
        assert time.monotonic() < end, "the state did not come"
        threading.Event().wait(0.02)


def _delete_socket(address: Address) -> None:
    os.unlink(address.socket)


def _replace_socket_by_file(address: Address) -> None:
    os.unlink(address.socket)
    Path(address.socket).write_text("not a socket")


def _replace_socket_by_folder(address: Address) -> None:
    os.unlink(address.socket)
    Path(address.socket, "inside").mkdir(parents=True)


def _delete_info(address: Address) -> None:
    os.unlink(address.info)


def _empty_folder(address: Address) -> None:
    for path in Path(address.socket).parent.iterdir():
        path.unlink()


def _delete_folder(address: Address) -> None:
    shutil.rmtree(Path(address.socket).parent)


HARMS = [
    _delete_socket,
    _replace_socket_by_file,
    _replace_socket_by_folder,
    _delete_info,
    _empty_folder,
    _delete_folder,
]


def test_a_daemon_regains_what_was_deleted_in_its_runtime_directory(repo: Path, environ: dict[str, str]) -> None:
    address, process = address_of(repo, environ), daemon_process(repo, environ)
    with client.connect(str(repo), environ) as connected:
        for harm in HARMS:
            harm(address)
            until(lambda: _reaches(repo, environ, process.pid))
            until(lambda: daemon_pid(repo, environ) == process.pid)
            assert connected.call("status")["pid"] == process.pid, harm.__name__
    assert Path(address.log).exists()


def _reaches(repo: Path, environ: dict[str, str], pid: int) -> bool:
    try:
        with client.connect(str(repo), environ, start=False) as muninn:
            return int(muninn.daemon["pid"]) == pid
    except DaemonError:
        return False


@pytest.mark.parametrize("harm", [_delete_socket, _empty_folder, _delete_folder], ids=lambda harm: harm.__name__)
def test_a_client_of_a_daemon_that_lost_its_socket_is_served_and_writes(
    repo: Path, environ: dict[str, str], harm: Callable[[Address], None]
) -> None:
    before = daemon_process(repo, environ)
    with client.connect(str(repo), environ) as muninn:
        muninn.call("remember", {"text": "Stored before."})
    harm(address_of(repo, environ))
    begun = time.monotonic()
    stored = client.call(str(repo), environ, "remember", {"text": "Stored at once."})
    assert stored["ids"]
    assert time.monotonic() - begun < NOTICED
    until(lambda: not before.is_running() or daemon_pid(repo, environ) == before.pid)
    found = client.call(str(repo), environ, "memories", {})["memories"]
    assert {memory["text"] for memory in found} == {"Stored before.", "Stored at once."}


def _initialise_git(root: Path) -> None:
    git(root, "init", "-q")


def _delete_git(root: Path) -> None:
    shutil.rmtree(root / ".git")


def _recalled(muninn: client.Client, query: str) -> bool:
    """Whether a question has hits. It fails while the daemon builds the index anew after its folder was deleted."""
    try:
        return bool(muninn.call("recall", {"query": query, "kind": "memory"})["hits"])
    except MuninnError:
        return False


def _delete_at_once(folder: Path) -> None:
    """Delete a folder in which a daemon may write meanwhile."""
    while folder.exists():
        shutil.rmtree(folder, ignore_errors=True)


def _renew_git(root: Path) -> None:
    shutil.rmtree(root / ".git")
    git(root, "init", "-q", "-b", "main")
    git(root, "add", ".")
    git(root, "commit", "-q", "-m", "Begin again")


@pytest.mark.parametrize("change", [_initialise_git, _delete_git, _renew_git], ids=lambda change: change.__name__)
def test_a_repository_that_becomes_another_one_gets_another_daemon(
    tmp_path: Path, environ: dict[str, str], change: Callable[[Path], None]
) -> None:
    root = tmp_path / "repo"
    if change is _initialise_git:
        root.mkdir()
        (root / "README.md").write_text("# Demo\n")
    else:
        copy_plain_repo(root)
    with client.connect(str(root), environ) as muninn:
        muninn.call("init")
        muninn.call("remember", {"text": "Stored before."})
        before = psutil.Process(muninn.daemon["pid"])
    change(root)
    begun = time.monotonic()
    assert client.call(str(root), environ, "remember", {"text": "Stored at once.", "key": "k"}, name="t")["ids"]
    assert time.monotonic() - begun < NOTICED
    before.wait(PATIENCE)
    found = client.call(str(root), environ, "memories", {})
    assert {memory["text"] for memory in found["memories"]} == {"Stored before.", "Stored at once."}
    assert found["saw"].get("branch") == (None if change is _delete_git else locate_branch(root))
    stop_daemon(root, environ)


def locate_branch(root: Path) -> str:
    return git(root, "symbolic-ref", "--short", "HEAD").strip()


def test_a_moved_repository_is_left_and_served_at_its_new_place(
    plain_repo: Path, environ: dict[str, str], tmp_path: Path
) -> None:
    with client.connect(str(plain_repo), environ) as muninn:
        muninn.call("init")
        muninn.call("remember", {"text": "Stored before."})
        before = psutil.Process(muninn.daemon["pid"])
    moved = tmp_path / "moved"
    plain_repo.rename(moved)
    before.wait(PATIENCE)
    assert [str(path) for path in plain_repo.rglob("*")] == []
    found = client.call(str(moved), environ, "memories", {})["memories"]
    assert [memory["text"] for memory in found] == ["Stored before."]
    stop_daemon(moved, environ)


def test_a_muninn_folder_that_was_deleted_and_made_again_takes_memories(repo: Path, environ: dict[str, str]) -> None:
    with client.connect(str(repo), environ) as muninn:
        muninn.call("remember", {"text": "Lost with the folder."})
        _delete_at_once(repo / ".muninn")
        git(repo, "checkout", ".muninn")
        muninn.call("remember", {"text": "Stored again."})
        assert (repo / ".muninn" / "local" / "lock").exists()
        found = muninn.call("memories")["memories"]
        assert [memory["text"] for memory in found] == ["Stored again."]
        until(lambda: _recalled(muninn, "stored again"))


def test_an_unusable_runtime_directory_is_named(repo: Path, environ: dict[str, str]) -> None:
    runtime = Path(environ["MUNINN_RUNTIME_DIR"])
    runtime.chmod(0o755)
    try:
        with pytest.raises(DaemonError, match="can be entered by others"):
            client.connect(str(repo), environ, start=False)
    finally:
        runtime.chmod(0o700)
    with client.connect(str(repo), environ, start=False) as muninn:
        assert muninn.call("status")["mode"] == "read-write"
    kill_daemon(repo, environ)
    psutil.wait_procs([daemon_process(repo, environ)])
    start_lock = Path(address_of(repo, environ).start_lock)
    start_lock.unlink(missing_ok=True)
    start_lock.mkdir()
    with pytest.raises(DaemonError, match="can't be used"):
        client.connect(str(repo), environ)
    start_lock.rmdir()


# Starts like the daemon and is killed before it listens, until a file says that it was often enough.
_KILLED = """
import os, runpy, signal, sys
marks = {marks!r}
if len(os.listdir(marks)) < 2:
    open(os.path.join(marks, str(os.getpid())), "w").close()
    os.kill(os.getpid(), signal.SIGKILL)
"""


def test_a_client_whose_daemon_is_killed_while_it_starts_starts_another(
    repo: Path, environ: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    stop_daemon(repo, environ)
    marks = tmp_path / "marks"
    marks.mkdir()
    python = tmp_path / "python"
    code = tmp_path / "killed.py"
    code.write_text(_KILLED.format(marks=str(marks)))
    python.write_text(f'#!/bin/sh\n{sys.executable} {code} || kill -9 $$\nexec {sys.executable} "$@"\n')
    python.chmod(0o755)
    monkeypatch.setattr("muninn_core.launch.start.sys.executable", str(python))
    with client.connect(str(repo), environ) as muninn:
        assert muninn.call("status")["mode"] == "read-write"
    assert len(list(marks.iterdir())) == 2


@pytest.fixture
def daemon_of_main(repo: Path, environ: dict[str, str]) -> Iterator[Path]:
    with client.connect(str(repo), environ) as muninn:
        muninn.call("index", {"wait": True})
    yield repo
    stop_daemon(repo, environ)


@pytest.mark.parametrize("same_name", [True, False])
def test_git_removes_work_trees_beside_a_daemon_and_their_memories_stay(
    daemon_of_main: Path, environ: dict[str, str], tmp_path: Path, same_name: bool
) -> None:
    repo, wanted = daemon_of_main, set()
    for number in range(10):
        side = tmp_path / ("side" if same_name else f"side-{number}")
        git(repo, "worktree", "add", "-q", "--detach", str(side))
        for more in range(30):
            (side / f"module_{more}.py").write_text(f"def function_{more}():\n    return {number}\n")
        text = f"Learned in tree {number}."
        with client.connect(str(side), environ) as muninn:
            muninn.call("remember", {"text": text})
            muninn.call("recall", {"query": "function_3"})
            wanted.add(text)
            git(repo, "worktree", "remove", "--force", str(side))  # fails when a file appears meanwhile
        assert not side.exists()
        with client.connect(str(repo), environ) as muninn:
            found = muninn.call("memories", {"limit": 100})["memories"]
            assert {memory["text"] for memory in found} == wanted
            answer = muninn.call("recall", {"query": f"learned in tree {number}", "kind": "memory"})
            assert text in [hit["text"] for hit in answer["hits"]], (answer["saw"], muninn.call("status")["index"])
    assert not any((repo / ".git" / "muninn").iterdir())
    git(repo, "worktree", "prune")
    assert git(repo, "worktree", "list").count("\n") == 1


def test_a_killed_daemon_leaves_nothing_that_keeps_a_removed_work_tree(
    daemon_of_main: Path, environ: dict[str, str], tmp_path: Path
) -> None:
    side = tmp_path / "side"
    git(daemon_of_main, "worktree", "add", "-q", "--detach", str(side))
    with client.connect(str(side), environ) as muninn:
        muninn.call("remember", {"text": "Learned on the side."})
        os.kill(muninn.daemon["pid"], signal.SIGKILL)
    git(daemon_of_main, "worktree", "remove", "--force", str(side))
    found = client.call(str(daemon_of_main), environ, "memories", {})["memories"]
    assert [memory["text"] for memory in found] == ["Learned on the side."]
    assert not side.exists()


def test_a_command_in_a_removed_work_tree_is_an_error_and_creates_nothing(
    daemon_of_main: Path, environ: dict[str, str], tmp_path: Path
) -> None:
    side = tmp_path / "side"
    git(daemon_of_main, "worktree", "add", "-q", "--detach", str(side))
    with client.connect(str(side), environ) as muninn:
        muninn.call("memories")
        git(daemon_of_main, "worktree", "remove", "--force", str(side))
        with pytest.raises(MuninnError, match="not a work tree"):
            muninn.call("remember", {"text": "Too late."})
    assert not side.exists()
    assert subprocess.run(["git", "-C", str(daemon_of_main), "worktree", "prune"], check=True).returncode == 0
