"""A daemon that starts on a damaged cache heals it, and completes a redaction that a kill interrupted."""

from __future__ import annotations

import json
import os
import random
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psutil
import pytest
from repositories import PATIENCE, daemon_pid, stop_daemon

from muninn_core import client
from muninn_core.launch.repository_location import locate
from muninn_core.launch.runtime import Address

SECRET = "Quetzalcoatlus guards the Zyzzogeton vault"
WORDS = (b"uetzalcoatlus", b"yzzogeton")
"""Parts of the words, as any case stores them."""


@pytest.fixture
def filled(repo: Path, environ: dict[str, str]) -> Iterator[Path]:
    """A repository with some memories and a complete index, whose daemon has stopped."""
    with client.connect(str(repo), environ) as muninn:
        for number in range(4):
            muninn.call("remember", {"text": f"Session {number} belongs to users."})
        muninn.call("remember", {"text": "Sessions expire after an hour.", "title": "Expiry"})
        muninn.call("index", {"wait": True})
    stop_daemon(repo, environ)
    yield repo
    stop_daemon(repo, environ)


def answers(repo: Path, environ: dict[str, str]) -> list[Any]:
    """Return what a fresh daemon finds, and check that it reports no failure."""
    found = []
    with client.connect(str(repo), environ) as muninn:
        muninn.call("index", {"wait": True})
        for query in ("sessions of users", "delete_user", "expire"):
            answer = muninn.call("recall", {"query": query})
            assert answer["saw"]["index"].get("failure", "") == ""
            found.append([(hit.get("path"), hit["text"]) for hit in answer["hits"]])
    return found


def leave_deletions(tantivy: Path) -> None:
    meta = json.loads((tantivy / "meta.json").read_text())
    for segment in meta["segments"]:
        for number in range(meta["opstamp"], meta["opstamp"] + 61):
            (tantivy / f"{segment['segment_id'].replace('-', '')}.{number}.del").touch()


def test_leftovers_of_a_killed_writer_do_not_disable_recall(filled: Path, environ: dict[str, str]) -> None:
    leave_deletions(filled / ".muninn" / "cache" / "tantivy")
    with client.connect(str(filled), environ) as muninn:
        known = muninn.call("memories")["memories"][0]["id"]
        muninn.call("update", {"id": known, "text": "The vault moved to the harbour."})
        found = muninn.call("recall", {"query": "harbour vault", "kind": "memory"})
        assert found["hits"][0]["text"] == "The vault moved to the harbour."
        leave_deletions(filled / ".muninn" / "cache" / "tantivy")  # and in a running daemon
        muninn.call("update", {"id": known, "text": "The vault moved to the mountain."})
        found = muninn.call("recall", {"query": "mountain vault", "kind": "memory"})
        assert found["hits"][0]["text"] == "The vault moved to the mountain."
        assert found["saw"]["index"].get("failure", "") == ""


@pytest.mark.parametrize("seed", range(4))
def test_a_start_repairs_any_damage_of_the_cache(filled: Path, environ: dict[str, str], seed: int) -> None:
    wanted = answers(filled, environ)
    stop_daemon(filled, environ)
    chance = random.Random(seed)
    cache = filled / ".muninn" / "cache"
    for path in sorted(one for one in cache.rglob("*") if one.is_file()):
        match chance.randrange(6):
            case 0:
                path.write_bytes(chance.randbytes(path.stat().st_size))
            case 1:
                os.truncate(path, path.stat().st_size // 2)
            case 2:
                path.unlink()
                path.mkdir()
            case 3:
                shutil.copy(path, path.with_name(path.name + "-old"))
            case 4:
                path.unlink()
    assert answers(filled, environ) == wanted
    assert [path.name for path in cache.rglob("*-old")] == []


def test_a_state_that_is_damaged_under_a_running_daemon_is_made_anew(filled: Path, environ: dict[str, str]) -> None:
    wanted = answers(filled, environ)
    state = filled / ".muninn" / "cache" / "state.sqlite"
    size = state.stat().st_size
    with state.open("r+b") as file:
        file.seek(4096)
        file.write(random.Random(1).randbytes(size - 4096))
    with client.connect(str(filled), environ) as muninn:
        muninn.call("remember", {"text": "Stored while the index was damaged."})
        found = muninn.call("recall", {"query": "index was damaged", "kind": "memory"})
        assert found["hits"][0]["text"] == "Stored while the index was damaged."
        forgotten = muninn.call("memories")["memories"][0]["id"]
        muninn.call("forget", {"id": forgotten})
    assert answers(filled, environ) == wanted


def holding(*folders: Path) -> list[str]:
    """Return the files below some folders that hold a word of the secret."""
    return [
        str(path)
        for folder in folders
        for path in sorted(folder.rglob("*"))
        if path.is_file() and any(word in (content := path.read_bytes()) or word.upper() in content for word in WORDS)
    ]


def places(repo: Path, environ: dict[str, str]) -> tuple[Path, ...]:
    return repo / ".muninn", Path(environ["MUNINN_RUNTIME_DIR"]), Path(environ["XDG_DATA_HOME"])


def remember_secret(repo: Path, environ: dict[str, str]) -> str:
    """Store the secret, and let every kind of file get a copy of it."""
    with client.connect(str(repo), environ) as muninn:
        identity: str = muninn.call("remember", {"text": SECRET, "title": SECRET, "tags": ["Zyzzogeton"]})["ids"][0]
        muninn.call("recall", {"query": SECRET})
        muninn.call("context", {"query": SECRET})
        muninn.call("update", {"id": identity, "text": SECRET + ", at night"})
        muninn.call("index", {"wait": True})
        for number in range(3):
            muninn.call("remember", {"text": f"Unrelated note {number}."})
            muninn.call("recall", {"query": "unrelated"})
    return identity


def test_after_a_redaction_no_file_holds_the_text(filled: Path, environ: dict[str, str]) -> None:
    identity = remember_secret(filled, environ)
    os.kill(daemon_pid(filled, environ) or 0, signal.SIGKILL)  # what a killed writer leaves holds the text, too
    cache = filled / ".muninn" / "cache"
    shutil.copytree(cache, cache / "past")
    shutil.copytree(cache / "tantivy", cache / "survey")
    shutil.copy(cache / "state.sqlite", cache / "state.sqlite-copy")
    for path in list((cache / "tantivy").iterdir()):
        if path.suffix in (".term", ".store"):
            shutil.copy(path, path.with_name("0" * 32 + path.suffix))
    assert len(holding(*places(filled, environ))) > 5
    with client.connect(str(filled), environ) as muninn:
        muninn.call("redact", {"id": identity})
        assert holding(*places(filled, environ)) == []
        muninn.call("index", {"wait": True})
    stop_daemon(filled, environ)
    assert holding(*places(filled, environ)) == []


def test_a_damaged_index_does_not_stop_a_redaction(filled: Path, environ: dict[str, str]) -> None:
    identity = remember_secret(filled, environ)
    leave_deletions(filled / ".muninn" / "cache" / "tantivy")
    state = filled / ".muninn" / "cache" / "state.sqlite"
    with state.open("r+b") as file:
        file.seek(8192)
        file.write(b"\xff" * (state.stat().st_size - 8192))
    with client.connect(str(filled), environ) as muninn:
        muninn.call("redact", {"id": identity})
        assert holding(*places(filled, environ)) == []


# Redacts in a process that is killed when it reaches a point.
_KILLED = """
import os, signal, sys
from pathlib import Path
from muninn_core.engine.engine import Engine
from muninn_core.worktree.user_folders import UserFolders
from muninn_core.engine.memory.changes import redaction
from muninn_core.index.manifest import manifest
from muninn_core.launch.repository_location import locate
from muninn_core.protocol.catalogue import decode_params, lookup
from muninn_core.store.files import redact
from muninn_core.worktree.call_context import CallContext

def die(*_, **__):
    os.kill(os.getpid(), signal.SIGKILL)

root, identity, point = sys.argv[1:]
engine = Engine(version="test", folders=UserFolders(Path("/nowhere"), Path("/nowhere")))
call = CallContext(location=locate(root), client="test")
engine.call("index", decode_params(lookup("index"), {"wait": True}), call)
if point == "redaction stored, no file changed":
    redact.delete_temporary_files = die
elif point == "files changed, contexts left":
    engine.open(call.location).context_store.remove_mentioning = die
elif point == "index left":
    redaction.scrub_index = die
elif point == "words written, rows left":
    manifest.Manifest.vacuum = die
elif point == "rows written, log left":
    manifest.Manifest.empty_log = die
engine.call("redact", decode_params(lookup("redact"), {"id": identity}), call)
"""
POINTS = [
    "redaction stored, no file changed",
    "files changed, contexts left",
    "index left",
    "words written, rows left",
    "rows written, log left",
]


@pytest.mark.parametrize("point", POINTS)
def test_a_redaction_that_a_kill_interrupted_is_completed_by_the_next_start(
    filled: Path, environ: dict[str, str], point: str
) -> None:
    identity = remember_secret(filled, environ)
    stop_daemon(filled, environ)
    command = [sys.executable, "-c", _KILLED, str(filled), identity, point]
    killed = subprocess.run(command, env=environ, capture_output=True, check=False)
    assert killed.returncode == -signal.SIGKILL, killed.stderr.decode()
    assert holding(*places(filled, environ)) != []
    with client.connect(str(filled), environ) as muninn:
        assert muninn.call("status")["problems"] == []
        assert holding(*places(filled, environ)) == []
        muninn.call("index", {"wait": True})
        assert muninn.call("recall", {"query": "unrelated note", "kind": "memory"})["hits"]
    stop_daemon(filled, environ)
    assert holding(*places(filled, environ)) == []


def _address(repo: Path, environ: dict[str, str]) -> Address:
    return Address(environ["MUNINN_RUNTIME_DIR"], locate(str(repo)).identity)


def test_the_cache_of_a_read_only_daemon_does_not_keep_a_text(filled: Path, environ: dict[str, str]) -> None:
    identity = remember_secret(filled, environ)
    other = {**environ, "MUNINN_RUNTIME_DIR": f"{environ['MUNINN_RUNTIME_DIR']}/other"}
    with client.connect(str(filled), other) as reading:
        assert reading.call("status")["mode"] == "read-only"
        reading.call("recall", {"query": SECRET})
        process = psutil.Process(daemon_pid(filled, environ) or 0)
        stop_daemon(filled, environ)
        process.wait(PATIENCE)
        reading.call("redact", {"id": identity})
        assert reading.call("status")["mode"] == "read-write"
        assert holding(*places(filled, environ)) == []
    stop_daemon(filled, other)


@pytest.mark.parametrize("harm", ["folder", "noise"])
def test_harmed_caches_and_notes_of_sessions_are_made_anew(filled: Path, environ: dict[str, str], harm: str) -> None:
    wanted = answers(filled, environ)
    stop_daemon(filled, environ)
    muninn = filled / ".muninn"
    notes = ("accesses.json", "given.json", "notes.json", "upkeep.json")
    names = ("cache/fold", "cache/comparisons", "cache/config.schema.json", *(f"local/{name}" for name in notes))
    for path in [muninn / name for name in names]:
        if harm == "folder":
            path.unlink(missing_ok=True)
            (path / "inside").mkdir(parents=True)
        else:
            path.write_bytes(random.Random(path.name).randbytes(500))
    shutil.rmtree(muninn / "local" / "contexts", ignore_errors=True)
    (muninn / "local" / "contexts").write_text("not a folder")
    assert answers(filled, environ) == wanted
    with client.connect(str(filled), environ) as connected:
        status = connected.call("status")
        assert (status["mode"], status["problems"]) == ("read-write", [])
        pack = connected.call("context", {"query": "sessions of users"})["bundle"]
        assert connected.call("replay", {"bundle": pack})
    stop_daemon(filled, environ)
    assert json.loads((muninn / "cache" / "config.schema.json").read_text())
    assert json.loads((muninn / "local" / "accesses.json").read_text())
