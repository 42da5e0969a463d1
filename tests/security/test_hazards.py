"""Hazards from the side: secrets in commit messages, clocks that jump, odd names, a daemon that is stopped."""

from __future__ import annotations

import contextlib
import json
import os
import re
import shutil
import signal
import sqlite3
import unicodedata
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING

import psutil
import pytest
from repositories import daemon_pid, git

from muninn_core import client
from muninn_core.errors import StorageError
from muninn_core.protocol.families.search import RecallParams
from muninn_core.worktree.call_context import CallContext

if TYPE_CHECKING:
    from engines import Muninn

pytest_plugins = ["engines"]

DOCS = Path(__file__).parents[2] / "docs/security.md"


def test_every_test_that_the_page_names_exists():
    named = re.findall(r"`(tests/[\w/]+\.py)(?:::(\w+))?`", DOCS.read_text("utf-8"))
    assert len(named) > 20
    for path, name in named:
        text = (DOCS.parents[1] / path).read_text("utf-8")
        assert not name or f"def {name}(" in text, f"{path}::{name}"


def test_secrets_of_commit_messages_are_masked(muninn: Muninn):
    secret = "ghp_" + "Ab3dEf6hIj9kLm2nOp5q" + "Rs8tUv1wXy4zAb7c"
    muninn.call("capture", source="commit", session="s1")
    (muninn.root / "src/users.py").write_text("USERS = None\n")
    message = (
        f"Decide to rotate the token because {secret} leaked\n\nWe decided to use short tokens, as {secret} was long."
    )
    git(muninn.root, "commit", "-q", "-am", message)
    muninn.call("capture", source="commit", session="s1")
    muninn.call("backfill", source="git", apply=True, actor="user")
    muninn.call("seal")
    muninn.call("reconcile")
    texts = [memory.text for memory in muninn.call("memories").memories]
    assert any("masked:" in text for text in texts)
    muninn.engine.close()
    for path in (muninn.root / ".muninn").rglob("*"):
        assert not path.is_file() or secret.encode() not in path.read_bytes(), path


@pytest.mark.parametrize("jump", [timedelta(days=3650), timedelta(days=-3650)], ids=["forward", "back"])
def test_a_clock_that_jumps_loses_nothing_and_stops_nothing(muninn: Muninn, jump: timedelta):
    (first,) = muninn.call("remember", text="Sessions live in Redis.").ids
    muninn.clock.now += jump
    muninn.call("update", id=first, text="Sessions live in Valkey.")
    (second,) = muninn.call("remember", text="Mail vans are yellow.").ids
    muninn.call("seal")
    muninn.clock.now -= jump
    (third,) = muninn.call("remember", text="Orders travel through Kafka.").ids
    muninn.call("reconcile")
    found = {memory.id: memory.text for memory in muninn.call("memories").memories}
    assert found == {
        first: "Sessions live in Valkey.",
        second: "Mail vans are yellow.",
        third: "Orders travel through Kafka.",
    }
    assert "Sessions live in Valkey." in muninn.texts("where do sessions live")
    assert muninn.call("brief", session="s1").text


def test_names_that_differ_by_case_or_form_are_different_files(muninn: Muninn):
    names = ["Notes.md", "notes.md", unicodedata.normalize("NFC", "café.md"), unicodedata.normalize("NFD", "café.md")]
    for number, name in enumerate(names):
        (muninn.root / name).write_text(f"# Note\n\nThe walrus number{number} sleeps.\n")
    if len({each for each in os.listdir(muninn.root) if each in names}) < len(names):
        pytest.skip("this file system takes such names for one")
    for number, name in enumerate(names):
        muninn.call("remember", text=f"About walrus {number}.", files=[name])
    muninn.call("index")
    for number, name in enumerate(names):
        assert name in muninn.paths(f"walrus number{number} sleeps")
        assert [memory.text for memory in muninn.call("memories", file=name).memories] == [f"About walrus {number}."]


def test_a_tree_that_names_a_file_of_the_machine_writes_none(muninn: Muninn, tmp_path: Path):
    outside = tmp_path / "outside.md"
    muninn.call("seal")
    git(muninn.root, "add", ".")
    git(muninn.root, "commit", "-q", "-m", "Memory")
    (tmp_path / "text").write_text("# Lighthouse\n\nIt blinks twice.\n")
    blob = git(muninn.root, "hash-object", "-w", str(tmp_path / "text")).strip()
    rows = git(muninn.root, "ls-tree", "-z", "HEAD").split("\0")[:-1]
    entries = [(row.split(" ")[0], row.split("\t")[1], row.split("\t")[0].split(" ")[2]) for row in rows]
    entries = [("100644", str(outside), blob), ("100644", "../outside.md", blob), *entries]
    tree = tmp_path / "tree"  # `git mktree` refuses such names, but a clone brings them along
    tree.write_bytes(
        b"".join(f"{mode.lstrip('0')} {name}\0".encode() + bytes.fromhex(oid) for mode, name, oid in entries)
    )
    made = git(muninn.root, "hash-object", "-w", "-t", "tree", "--literally", str(tree)).strip()
    commit = git(muninn.root, "commit-tree", made, "-m", "Hostile").strip()
    found = muninn.engine.call(
        "recall", RecallParams(query="lighthouse blinks", at=commit), CallContext(location=muninn.location)
    )
    assert not outside.exists()
    assert not [hit.path for hit in found.hits if hit.path.endswith("outside.md")]


def test_files_of_a_later_version_are_kept_and_only_what_needs_them_fails(muninn: Muninn, start):
    muninn.call("remember", text="Sessions live in Redis.")
    muninn.call("event.append", event_type="deploy", payload={"ok": True})
    muninn.engine.close()
    journal = muninn.root / ".git/muninn-journal/events.db"
    line = {"v": 2, "id": "01later", "ts": "2027-01-01T00:00:00Z", "type": "hologram", "text": "Later."}
    segment = muninn.root / ".muninn/memory/sessions/later.jsonl"
    segment.write_text(json.dumps(line) + "\n")

    def set_format(number: int) -> None:
        with contextlib.closing(sqlite3.connect(journal)) as database:
            database.execute(f"PRAGMA user_version = {number}")

    with contextlib.closing(sqlite3.connect(journal)) as database:
        (written,) = database.execute("PRAGMA user_version").fetchone()
    set_format(written + 1)
    muninn.clock.forward(hours=1)  # ids come from the clock and a counter that begins anew
    older = start(muninn.root, clock=muninn.clock)
    older.call("remember", text="Mail vans are yellow.")
    assert "Sessions live in Redis." in older.texts("where do sessions live")
    assert older.call("brief", session="s1").text
    assert "muninn_journal_readable 0" in older.call("metrics").text
    with pytest.raises(StorageError) as refused:
        older.call("event.append", event_type="deploy", payload={})
    assert "Update Muninn" in refused.value.hint
    (problem,) = older.call("status").problems
    assert (problem.path, problem.hint.split(".")[0]) == (".muninn/memory/sessions/later.jsonl", "Update Muninn")
    older.call("reconcile")
    older.engine.close()
    set_format(written)
    muninn.clock.forward(hours=1)
    again = start(muninn.root, clock=muninn.clock)
    replayed = [json.loads(line) for line in again.call("audit.replay").lines]
    assert [line["payload"] for line in replayed if line["event_type"] == "deploy"] == [{"ok": True}]
    kept = "".join(path.read_text() for path in (muninn.root / ".muninn/memory").rglob("*.jsonl"))
    assert "hologram" in kept


def test_each_of_nested_submodules_has_a_memory_of_its_own(plain_repo: Path, tmp_path: Path, start):
    def submodule(outer: Path, inner: Path, *arguments: str) -> None:
        git(outer, "-c", "protocol.file.allow=always", "submodule", *arguments, str(inner))
        git(outer, "commit", "-q", "-am", "Add a submodule")

    middle, outer = (shutil.copytree(plain_repo, tmp_path / name) for name in ("middle", "outer"))
    submodule(middle, plain_repo, "add", "-q")
    submodule(outer, middle, "add", "-q")
    git(outer, "-c", "protocol.file.allow=always", "submodule", "update", "-q", "--init", "--recursive")
    trees = [outer, outer / middle.name, outer / middle.name / plain_repo.name]
    opened = start(outer)
    for number, tree in enumerate(trees):
        one = opened if tree == outer else start(tree)
        one.call("init")
        one.call("remember", text=f"Fact of level {number}.")
        assert [memory.text for memory in one.call("memories").memories] == [f"Fact of level {number}."]
        assert all(not path.startswith((middle.name, plain_repo.name)) for path in one.paths("display name of a user"))


@pytest.mark.skipif(os.name == "nt", reason="Windows has no SIGSTOP")
def test_a_stopped_daemon_gives_a_clear_error_in_bounded_time(
    repo: Path, environ: dict[str, str], monkeypatch: pytest.MonkeyPatch
):
    with client.connect(str(repo), environ) as muninn:
        muninn.call("remember", {"text": "Sessions live in Redis."})
    pid = daemon_pid(repo, environ)
    assert pid is not None
    daemon = psutil.Process(pid)
    monkeypatch.setattr(client, "QUIET_SECONDS", 0.2)
    with client.connect(str(repo), environ) as connected:
        monkeypatch.setattr(client, "HELLO_SECONDS", 0.5)
        daemon.send_signal(signal.SIGSTOP)
        try:
            with pytest.raises(client.NotAnswering) as refused:
                connected.call("memories")
            assert "daemon stop" in refused.value.hint
            with pytest.raises(client.NotAnswering), client.connect(str(repo), environ):
                pass
        finally:
            daemon.send_signal(signal.SIGCONT)
    monkeypatch.undo()
    with client.connect(str(repo), environ) as muninn:
        (memory,) = muninn.call("memories")["memories"]
    assert memory["text"] == "Sessions live in Redis."
    assert daemon_pid(repo, environ) == pid


def test_a_daemon_that_is_quiet_for_long_is_asked_and_its_answer_awaited(
    repo: Path, environ: dict[str, str], monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(client, "QUIET_SECONDS", 0.05)
    checks = []
    is_stopped = client._raise_if_stopped
    monkeypatch.setattr(
        client, "_raise_if_stopped", lambda *given, **more: (is_stopped(*given, **more), checks.append(given))
    )
    with client.connect(str(repo), environ) as muninn:
        assert muninn.call("event.wait", {"event_type": "never", "wait": 1.0})["events"] == []
        assert checks
        assert muninn.call("memories")["memories"] == []
