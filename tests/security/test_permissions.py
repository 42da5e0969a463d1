"""Who can read what Muninn writes: the user alone, except for files for git. The umask decides about those."""

from __future__ import annotations

import json
import os
import stat
from pathlib import Path

import pytest
from repositories import MUNINN, copy_plain_repo, git, kill_daemon, run_to_end, stop_daemon

from muninn_core.launch.repository_location import locate
from muninn_core.store.files import disk

pytest_plugins = ["engines"]
pytestmark = pytest.mark.skipif(os.name == "nt", reason="Windows has no modes")


def modes(folder: Path) -> dict[str, int]:
    """Return the mode of each folder and regular file below a folder, and of the folder itself."""
    paths = [folder, *folder.rglob("*")]
    return {str(path): stat.S_IMODE(path.lstat().st_mode) for path in paths if path.is_dir() or path.is_file()}


@pytest.mark.parametrize("umask", [0o000, 0o077])
def test_ignored_files_are_readable_by_the_user_only_for_any_umask(tmp_path: Path, environ: dict[str, str], umask: int):
    repo = copy_plain_repo(tmp_path / "repo")
    side = tmp_path / "side"
    git(repo, "worktree", "add", "-q", str(side))
    home = tmp_path / "home"
    home.mkdir(mode=0o755)
    environ["HOME"] = str(home)

    def muninn(*arguments: str, at: Path = repo, text: str | None = None) -> str:
        done = run_to_end([MUNINN, *arguments], at, environ, umask=umask, input=text)
        assert done.returncode == 0, done.stderr
        return done.stdout

    hook = json.dumps({"session_id": "s1", "cwd": str(repo), "hook_event_name": "SessionStart", "source": "startup"})
    try:
        muninn("init")
        for options in (("--file", "src/users.py"), ("--private",), ("--scope", "global"), ("--session", "s2")):
            muninn("remember", f"Sessions live in Redis, {options[-1]}", *options)
        muninn("index", "--wait")
        muninn("context", "where do sessions live")
        muninn("hook", "session-start", text=hook)
        muninn("init", at=side)
        muninn("remember", "Only of the side", at=side)
        muninn("seal")
        muninn("reconcile")
        muninn("undo")
        muninn("remember", "After the undo")
        stop_daemon(repo, environ)  # the orderly end writes the kept fold, counts and segments
    finally:
        kill_daemon(repo, environ)
    private: dict[str, int] = {}
    runtime, data = Path(environ["MUNINN_RUNTIME_DIR"]), Path(environ["XDG_DATA_HOME"])
    for folder in (
        repo / ".muninn/local",
        repo / ".muninn/cache",
        repo / ".git/muninn",
        side / ".muninn/cache",
        runtime,
        data,
    ):
        private |= modes(folder)
    private |= modes(repo / ".git/muninn/side") | {
        str(path): mode for path, mode in modes(home).items() if path != str(home)
    }
    assert len(private) > 25, "the commands wrote files of every kind"
    wrong = {path: oct(mode) for path, mode in private.items() if mode & 0o077}
    assert wrong == {}
    tracked = git(repo, "ls-files", "--others", "--exclude-standard", ".muninn").split()
    assert ".muninn/memory/main.jsonl" in tracked
    assert any("memory/sessions/" in path for path in tracked)
    found = {path: oct(stat.S_IMODE((repo / path).stat().st_mode)) for path in tracked}
    assert found == dict.fromkeys(tracked, oct(0o666 & ~umask))
    shared = {repo / ".muninn", repo / ".muninn/memory", repo / ".muninn/memory/sessions"}
    assert {oct(stat.S_IMODE(folder.stat().st_mode)) for folder in shared} == {oct(0o777 & ~umask)}


def test_folders_of_an_earlier_version_are_closed_when_they_are_opened(plain_repo: Path, start):
    for name in ("local", "cache"):
        (plain_repo / ".muninn" / name).mkdir(parents=True)
        (plain_repo / ".muninn" / name).chmod(0o755)
    muninn = start(plain_repo)
    muninn.call("init")
    muninn.call("remember", text="Sessions live in Redis.")
    muninn.call("index")
    for folder in (Path(locate(str(plain_repo)).local), plain_repo / ".muninn/cache"):
        assert stat.S_IMODE(folder.stat().st_mode) == 0o700


def test_a_rewritten_file_for_git_keeps_its_mode(tmp_path: Path):
    path = tmp_path / "main.jsonl"
    path.write_text("old\n")
    path.chmod(0o664)
    disk.write_atomic(path, b"new\n", tracked=True)
    assert (path.read_text(), stat.S_IMODE(path.stat().st_mode)) == ("new\n", 0o664)
