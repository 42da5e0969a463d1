"""Hazards from the side: secrets in commit messages, clocks that jump, odd names, a daemon that is stopped."""

from __future__ import annotations

import os
import re
import signal
import unicodedata
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING

import psutil
import pytest
from repositories import daemon_pid, git

from muninn_core import client

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
