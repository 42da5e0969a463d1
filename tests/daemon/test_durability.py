"""Acknowledged memories survive kill -9, a full disk, and a disk that refuses writes."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest
from repositories import PATIENCE, daemon_pid, git, stop_daemon

from muninn_core import client
from muninn_core.errors import ReadOnlyError, Stopping, StorageError

# Stores memories as fast as it can and prints the id of each one that was acknowledged.
_WRITER = """
import os, sys
from muninn_core import client
from muninn_core.errors import MuninnError
with client.connect(sys.argv[1], os.environ) as muninn:
    print("ready", flush=True)
    for number in range(100_000):
        try:
            print(muninn.call("remember", {"text": f"Note {number} of {os.getpid()}."})["ids"][0], flush=True)
        except MuninnError:
            break
"""


def test_kill_9_in_the_midst_of_writes_loses_nothing_that_was_acknowledged(repo: Path, environ: dict[str, str]) -> None:
    pid = daemon_pid(repo, environ)
    assert pid is not None
    writers = [
        subprocess.Popen(
            [sys.executable, "-I", "-c", _WRITER, str(repo)], stdout=subprocess.PIPE, env=environ, text=True
        )
        for _ in range(3)
    ]
    acknowledged: list[str] = []
    try:
        for writer in writers:
            assert writer.stdout is not None
            assert writer.stdout.readline() == "ready\n"
        for writer in writers:
            assert writer.stdout is not None
            acknowledged += [writer.stdout.readline().strip() for _ in range(20)]
        os.kill(pid, signal.SIGKILL)
        for writer in writers:
            acknowledged += writer.communicate(timeout=PATIENCE)[0].split()
    finally:
        for writer in writers:
            writer.kill()
            writer.wait()
    with client.connect(str(repo), environ) as muninn:
        known = {memory["id"] for memory in muninn.call("memories", {"limit": 10_000})["memories"]}
        status = muninn.call("status")
    assert len(acknowledged) >= 60
    assert set(acknowledged) - known == set()
    assert status["log"]["malformed"] == 0
    assert status["problems"] == []


def test_a_call_whose_daemon_dies_is_answered_by_the_next_one(repo: Path, environ: dict[str, str]) -> None:
    client.call(str(repo), environ, "remember", {"text": "Before the crash.", "key": "k1"})
    pid = daemon_pid(repo, environ)
    assert pid is not None
    os.kill(pid, signal.SIGKILL)
    psutil.Process(pid).wait(PATIENCE)
    client.call(str(repo), environ, "remember", {"text": "Before the crash.", "key": "k1"})
    found = client.call(str(repo), environ, "memories", {})["memories"]
    assert [memory["text"] for memory in found] == ["Before the crash."]


def test_waiting_for_the_index_of_a_stopping_daemon_fails_with_that_reason(repo: Path, environ: dict[str, str]) -> None:
    for number in range(400):
        (repo / f"many_{number}.py").write_text("\n".join(f"def f_{number}_{i}(): pass" for i in range(60)))
    with client.connect(str(repo), environ) as muninn, pytest.raises(Stopping):
        muninn.call("index", {"rebuild": True}, progress=lambda _value: os.kill(muninn.daemon["pid"], signal.SIGTERM))
    assert client.call(str(repo), environ, "index", {}, repeatable=True)["files"] >= 400


def test_a_torn_last_line_is_set_aside_and_reported(repo: Path, environ: dict[str, str]) -> None:
    with client.connect(str(repo), environ) as muninn:
        kept = muninn.call("remember", {"text": "Whole."})["ids"][0]
    pid = daemon_pid(repo, environ)
    assert pid is not None
    os.kill(pid, signal.SIGKILL)
    psutil.Process(pid).wait(PATIENCE)
    (spool,) = (repo / ".muninn" / "local" / "spool").glob("*.jsonl")
    with spool.open("ab") as file:
        file.write(b'{"v":1,"id":"01torn","ts":"2026-01-0')
    with client.connect(str(repo), environ) as muninn:
        found = muninn.call("memories")["memories"]
        problems = muninn.call("status")["problems"]
    assert [memory["id"] for memory in found] == [kept]
    assert any("torn" in problem["path"] + problem["message"] for problem in problems)


def test_a_malformed_line_is_skipped_counted_and_shown_with_its_place(repo: Path, environ: dict[str, str]) -> None:
    main = repo / ".muninn" / "memory" / "main.jsonl"
    main.parent.mkdir(parents=True, exist_ok=True)
    main.write_text('{"ts": "2026-01-07T10:05:00Z", "type": "pattern", "pattern": "auth_flow"}\nnot json\n')
    stop_daemon(repo, environ)
    with client.connect(str(repo), environ) as muninn:
        status = muninn.call("status")
        assert status["log"]["malformed"] == 1
        assert [(p["path"], p["line"]) for p in status["problems"]] == [(".muninn/memory/main.jsonl", 2)]
        muninn.call("reconcile")
    assert "not json" in main.read_text()


def _fill(path: Path) -> None:
    """Fill the disk until no page is left."""
    handle = os.open(path, os.O_WRONLY | os.O_CREAT)
    with pytest.raises(OSError, match="No space"):
        _write_for_ever(handle)
    os.close(handle)


def _write_for_ever(handle: int) -> None:
    while True:
        os.write(handle, b"\0" * 4096)


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A separate file system of 4 MB. It needs the right to mount."""
    mount = tmp_path / "disk"
    mount.mkdir()
    done = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=4m", "tmpfs", str(mount)], capture_output=True)
    if done.returncode != 0:
        pytest.skip("a small file system can't be mounted here")
    yield mount
    subprocess.run(["umount", "-l", str(mount)], check=True)


def test_a_full_disk_is_a_clear_error_and_loses_nothing(
    plain_repo: Path, small_disk: Path, environ: dict[str, str]
) -> None:
    repo = small_disk / "repo"
    shutil.copytree(plain_repo, repo)
    try:
        with client.connect(str(repo), environ) as muninn:
            muninn.call("init")
            muninn.call("index")
            kept = muninn.call("remember", {"text": "Stored while there was room."})["ids"][0]
            muninn.call("recall", {"query": "room"})
            _fill(repo / "filler")
            with pytest.raises(StorageError, match="No space left") as caught:
                muninn.call("remember", {"text": "There is no room for this. " * 400})
            assert "room" in caught.value.hint
            assert [memory["id"] for memory in muninn.call("memories")["memories"]] == [kept]
            (repo / "filler").unlink()
            again = muninn.call("remember", {"text": "There is room again."})["ids"][0]
            assert {memory["id"] for memory in muninn.call("memories")["memories"]} == {kept, again}
            assert muninn.call("status")["log"]["malformed"] == 0
    finally:
        stop_daemon(repo, environ)


def test_a_read_only_repository_can_be_recalled_but_not_written(
    repo: Path, environ: dict[str, str], tmp_path: Path
) -> None:
    with client.connect(str(repo), environ) as muninn:
        muninn.call("remember", {"text": "Readable without a pen."})
    stop_daemon(repo, environ)
    mount = tmp_path / "readonly"
    mount.mkdir()
    bound = subprocess.run(["mount", "--bind", str(repo), str(mount)], capture_output=True)
    if bound.returncode != 0:
        pytest.skip("a folder can't be mounted read-only here")
    try:
        subprocess.run(["mount", "-o", "remount,ro,bind", str(mount)], check=True)
        with client.connect(str(mount), environ) as muninn:
            assert muninn.call("status")["mode"] == "read-only"
            hits = muninn.call("recall", {"query": "readable pen", "limit": 1})["hits"]
            assert hits[0]["text"] == "Readable without a pen."
            with pytest.raises(ReadOnlyError) as caught:
                muninn.call("remember", {"text": "No."})
            assert caught.value.hint
    finally:
        stop_daemon(mount, environ)
        subprocess.run(["umount", "-l", str(mount)], check=True)


def test_a_second_daemon_with_another_runtime_directory_does_not_write(
    repo: Path, environ: dict[str, str], tmp_path: Path
) -> None:
    other = {**environ, "MUNINN_RUNTIME_DIR": environ["MUNINN_RUNTIME_DIR"] + "/2"}
    try:
        with client.connect(str(repo), environ) as first, client.connect(str(repo), other) as second:
            first.call("remember", {"text": "By the first."})
            with pytest.raises(ReadOnlyError, match="another process"):
                second.call("remember", {"text": "By the second."})
            assert second.call("status")["mode"] == "read-only"
    finally:
        stop_daemon(repo, other)


def test_memory_written_by_git_appears_without_a_restart(repo: Path, environ: dict[str, str]) -> None:
    line = {"v": 1, "id": "01zz", "ts": "2026-02-01T00:00:00Z", "type": "insight", "text": "Came with a pull."}
    with client.connect(str(repo), environ) as muninn:
        muninn.call("index")
        folder = repo / ".muninn" / "memory" / "sessions"
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "elsewhere-0123456789ab.jsonl").write_text(json.dumps(line) + "\n")
        git(repo, "add", ".")
        git(repo, "commit", "-q", "-m", "Memory from elsewhere")
        muninn.call("index")
        hits = muninn.call("recall", {"query": "came with a pull", "kind": "memory"})["hits"]
    assert [hit["id"] for hit in hits] == ["01zz"]
