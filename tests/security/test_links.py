"""What links below `.muninn` cause: nothing outside of the repository is read, written or deleted."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from repositories import copy_plain_repo, git

from muninn_core.errors import MuninnError, StorageError
from muninn_core.store.files import disk
from muninn_hooks import hook_log, inbox

if TYPE_CHECKING:
    from engines import Muninn

pytest_plugins = ["engines"]

CANARY = "canary-of-somebody-else"
FOLDERS = ["memory", "memory/sessions", "memory/archive", "packs", "local", "local/spool", "local/private", "cache"]


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory, start_shared: Callable[..., Muninn]) -> Path:
    """A repository with committed memory, made once."""
    repo = copy_plain_repo(tmp_path_factory.mktemp("template") / "repo")
    muninn = start_shared(repo)
    muninn.call("init")
    muninn.call("remember", text="Sessions live in Redis.")
    muninn.call("seal")
    muninn.engine.close()
    git(repo, "add", ".")
    git(repo, "commit", "-q", "-m", "Memory")
    shutil.rmtree(repo / ".muninn/cache")
    shutil.rmtree(repo / ".muninn/local")
    return repo


@pytest.fixture
def repo(template: Path, tmp_path: Path) -> Path:
    return shutil.copytree(template, tmp_path / "repo", symlinks=True)


@pytest.fixture
def outside(tmp_path: Path) -> Path:
    """A folder of somebody else, with files of names that Muninn uses."""
    folder = tmp_path / "outside"
    folder.mkdir()
    for name in (
        "secret.jsonl",
        "state.sqlite",
        "main.jsonl",
        "fold",
        "comparisons",
        "accesses.json",
        "notes.json.tmp",
        "main.jsonl.tmp",
    ):
        (folder / name).write_text(CANARY + "\n")
    return folder


def use(muninn: Muninn, *verbs: str) -> str:
    """Call verbs that read and write, and return everything that was answered."""
    said = []
    for verb in verbs or (
        "status",
        "remember",
        "recall",
        "memories",
        "verify",
        "check",
        "seal",
        "reconcile",
        "brief",
        "context",
    ):
        params = {
            "remember": {"text": "Another fact about users."},
            "recall": {"query": "canary somebody else"},
            "context": {"query": "canary somebody else"},
        }.get(verb, {})
        try:
            said.append(repr(muninn.call(verb, **params)))
        except MuninnError as error:
            said.append(error.line)
    return "\n".join(said)


def content(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def below(repo: Path) -> bytes:
    """Return the bytes of all regular files of `.muninn`."""
    paths = [path for path in (repo / ".muninn").rglob("*") if path.is_file() and not path.is_symlink()]
    return b"".join(path.read_bytes() for path in paths if "outside" not in str(path.resolve()))


@pytest.mark.parametrize("name", FOLDERS)
def test_a_folder_that_is_a_link_is_refused(repo: Path, outside: Path, start: Callable[..., Muninn], name: str):
    link = repo / ".muninn" / name
    link.parent.mkdir(parents=True, exist_ok=True)
    if link.exists():
        shutil.rmtree(link)
    link.symlink_to(outside)
    before = content(outside)
    said = use(start(repo))
    assert f".muninn/{name} is a link" in said
    assert content(outside) == before
    assert CANARY.encode() not in below(repo)


def test_a_folder_that_becomes_a_link_is_refused_by_a_running_daemon(
    repo: Path, outside: Path, start: Callable[..., Muninn]
):
    muninn = start(repo)
    use(muninn, "remember", "recall")
    shutil.move(repo / ".muninn/memory/sessions", repo / "kept")
    (repo / ".muninn/memory/sessions").symlink_to(outside)
    before = content(outside)
    assert ".muninn/memory/sessions is a link" in use(muninn, "recall", "seal")
    assert content(outside) == before
    (repo / ".muninn/memory/sessions").unlink()
    shutil.move(repo / "kept", repo / ".muninn/memory/sessions")
    assert "Redis" in use(muninn, "memories"), "the memory is there again without a restart"


@pytest.mark.parametrize("name", ["memory/main.jsonl", "memory/sessions/s-0-000000000000.jsonl"])
@pytest.mark.parametrize("kind", ["link", "pipe"])
def test_a_file_of_records_that_is_a_link_or_a_pipe_is_reported_and_not_read(
    repo: Path, outside: Path, start: Callable[..., Muninn], name: str, kind: str
):
    path = repo / ".muninn" / name
    path.unlink(missing_ok=True)
    if kind == "link":
        path.symlink_to(outside / "secret.jsonl")
    else:
        os.mkfifo(path)
    before = content(outside)
    muninn = start(repo)
    said = use(muninn, "status", "verify", "memories", "recall", "seal")
    assert ("it is a link" if kind == "link" else "it is not a regular file") in said
    said += use(muninn, "remember", "reconcile", "check", "brief")
    assert CANARY not in said
    assert content(outside) == before
    assert CANARY.encode() not in below(repo)


def test_a_link_in_the_place_of_a_file_that_is_written_leads_nowhere(
    repo: Path, outside: Path, start: Callable[..., Muninn]
):
    local = repo / ".muninn/local"
    (local / "spool").mkdir(parents=True)
    for name in (
        "accesses.json",
        "accesses.json.tmp",
        "given.json",
        "notes.json",
        "upkeep.json",
        "hooks.log",
        "spool/s9.jsonl",
    ):
        (local / name).symlink_to(outside / "secret.jsonl")
    (repo / ".muninn/memory/main.jsonl.tmp").symlink_to(outside / "main.jsonl.tmp")
    before = content(outside)
    muninn = start(repo)
    with suppress(MuninnError):
        muninn.call("remember", text="A fact of this session.", session="s9")
    use(muninn)
    muninn.engine.close()
    assert content(outside) == before
    with pytest.raises(StorageError):
        disk.append(local / "spool/s9.jsonl", b"x\n")


@pytest.mark.parametrize("name", ["local", "local/inbox", "local/hooks.log"])
def test_hooks_write_through_no_link(repo: Path, outside: Path, name: str):
    link = repo / ".muninn" / name
    link.parent.mkdir(exist_ok=True)
    link.symlink_to(outside / "secret.jsonl" if name.endswith(".log") else outside)
    before = content(outside)
    hook_log.append(str(repo), "session-start", "any")
    if name != "local/hooks.log":
        with pytest.raises(OSError, match="it is a link"):
            inbox.put(str(repo), "capture", {})
    assert content(outside) == before


def test_knowledge_and_context_files_that_are_links_are_not_read(
    repo: Path, outside: Path, start: Callable[..., Muninn]
):
    (repo / ".muninn/context").mkdir()
    for name in ("knowledge/leak.md", "context/leak.md", "knowledge/deep"):
        (repo / ".muninn" / name).symlink_to(outside / "secret.jsonl" if name.endswith(".md") else outside)
    (outside / "note.md").write_text(f"# Note\n\n{CANARY}\n")
    git(repo, "add", "-A")
    muninn = start(repo)
    muninn.call("index")
    assert not any(CANARY in text for text in muninn.texts("canary somebody else"))
    said = use(muninn)
    for path in (".muninn/context/leak.md", ".muninn/knowledge/leak.md"):
        try:
            said += repr(muninn.call("render", path=path))
        except MuninnError as error:
            said += error.line
    assert CANARY not in said
