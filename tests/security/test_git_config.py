"""What a repository's own git configuration causes: no program, no network, no other folder, no endless wait.

Each construct is tried twice: with a plain git command, which shows that it works, and with every query of
`muninn_core.git`.
"""

from __future__ import annotations

import os
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import pytest
from repositories import copy_plain_repo, git

from muninn_core import git as queries
from muninn_core.errors import MuninnError
from muninn_core.git.log import CommitRange, count_commits, read_log
from muninn_core.git.run import environment
from muninn_core.launch.repository_location import locate


def program(folder: Path, name: str) -> str:
    """Write a program that leaves a file, and return its path. It copies its input, as a filter does, or ends."""
    marker, script = folder / f"{name}.ran", folder / name
    script.write_text(f"#!/bin/sh\necho ran >> '{marker}'\n[ \"$1\" = end ] || exec cat\n")
    script.chmod(0o755)
    return str(script)


def ran(folder: Path) -> list[str]:
    """Return the names of the programs that ran."""
    return sorted(marker.name.removesuffix(".ran") for marker in folder.glob("*.ran"))


def touch(repo: Path) -> None:
    """Make git compare a file's content again."""
    (repo / "src/users.py").write_text((repo / "src/users.py").read_text())
    os.utime(repo / "src/users.py", (1, 1))


def ask_everything(repo: Path) -> None:
    """Call every query of the package once, and the reading of a few objects."""
    root = Path(repo)
    head, before = git(root, "rev-parse", "HEAD", "HEAD~1").split()
    blob, older = git(root, "rev-parse", "HEAD:src/users.py", "HEAD~1:src/users.py").split()
    reader = queries.ObjectReader(root)
    asked: list[Callable[[], object]] = [
        lambda: reader.read_blob("HEAD", "src/users.py"),
        lambda: reader.resolve_commit("HEAD"),
        lambda: reader.has_file("HEAD", "src/users.py"),
        lambda: reader.changed_files(before, head),
        lambda: reader.renamed_files(before, head),
        lambda: queries.blob_changes(root, "src"),
        lambda: queries.changed_files(root, before, head),
        lambda: queries.changed_spans(root, older, blob),
        lambda: queries.commit_time(root, head),
        lambda: queries.configured_root(locate(str(root))),
        lambda: queries.diff_hunks(root, before, "src/users.py", "src/users.py"),
        lambda: queries.existing_paths(root, head, ["src/users.py"]),
        lambda: queries.files_containing(root, ["get_user_name"], (".py",)),
        lambda: queries.AuthorReader(locate(str(root))).read(),
        lambda: queries.first_authors(root, "src", head, before),
        lambda: queries.find_deletions(root, ["gone"], after=None, since=None),
        lambda: queries.find_renames(root, [head]),
        lambda: queries.find_reverted(root, head, "2000-01-01T00:00:00Z"),
        lambda: queries.find_unreachable(root, [before], [head]),
        lambda: queries.hooks_folder(root),
        lambda: queries.ignored_paths(root, ["README.md"]),
        lambda: queries.is_ancestor(root, before, head),
        lambda: queries.is_shallow(root),
        lambda: queries.known_commits(root, [before, head]),
        lambda: queries.left_out_files(root),
        lambda: queries.list_commits(root, before, head, 5),
        lambda: queries.list_files(root),
        lambda: list(queries.list_ref_blobs(root, "src")),
        lambda: queries.list_refs(root),
        lambda: queries.list_tree(root, head),
        lambda: queries.merge_base(root, before, head),
        lambda: queries.nested_repositories(root),
        lambda: queries.newest_ids(root, head, 5),
        lambda: queries.own_commits(root, before, head, 5),
        lambda: queries.read_blob(root, head, "README.md"),
        lambda: list(queries.read_blobs(root, [blob], skip_missing=True)),
        lambda: queries.read_diff(root, before, head),
        lambda: queries.read_diff(root, "HEAD"),
        lambda: queries.resolve_commit(root, "HEAD"),
        lambda: queries.RenameTrail(root, reader, reader.resolve_commit(head)).follow(
            reader.resolve_commit(before), "old.py"
        ),
        lambda: queries.tree_ids(root, [head], "src"),
        lambda: queries.unmerged_blobs(root, "src"),
        lambda: queries.untracked_files(root),
        lambda: queries.worktree_changes(root, "HEAD"),
        lambda: count_commits(root, CommitRange(tip=head)),
        lambda: list(read_log(root, CommitRange(tip=head))),
    ]
    missing = set(queries.__all__) - {name for each in asked for name in each.__code__.co_names}
    values = {
        "Author",
        "BlobChange",
        "ChangedPaths",
        "Commit",
        "CommitTime",
        "Entry",
        "FileChange",
        "GitError",
        "Head",
        "HeadReader",
        "Hunk",
    }
    assert missing <= values | {
        "ObjectReader",
        "Ref",
        "TouchedFile",
        "WorktreeChanges",
        "index_stamp",
        "read_head",
        "read_patch",
        "stream",
    }
    for each in asked:
        with suppress(MuninnError):  # what matters here is what else happens
            each()
    reader.close()


@pytest.fixture
def hostile(tmp_path: Path) -> Path:
    """A repository with two commits, a rename, and attributes that name drivers."""
    repo = copy_plain_repo(tmp_path / "repo")
    (repo / "old.py").write_text("one = 1\ntwo = 2\nthree = 3\n")
    git(repo, "add", ".")
    git(repo, "commit", "-q", "-m", "Second")
    git(repo, "mv", "old.py", "new.py")
    (repo / "new.py").write_text("one = 1\ntwo = 2\nthree = 3\nfour = 4\n")  # git needs contents to see the rename
    (repo / "src/users.py").write_text((repo / "src/users.py").read_text() + "\nLAST = 1\n")
    (repo / ".gitattributes").write_text("*.py filter=evil diff=evil\n")
    git(repo, "add", ".")
    git(repo, "commit", "-q", "-m", "Third")
    return repo


CONSTRUCTS = [
    ("fsmonitor", "core.fsmonitor", ("status",)),
    ("filter-clean", "filter.evil.clean", ("diff", "HEAD")),
    ("filter-process", "filter.evil.process", ("diff", "HEAD")),
    ("external-diff", "diff.external", ("diff", "HEAD~1", "HEAD")),
    ("diff-command", "diff.evil.command", ("diff", "HEAD~1", "HEAD")),
    ("textconv", "diff.evil.textconv", ("diff", "HEAD~1", "HEAD")),
    ("gpg", "gpg.program", ("-c", "log.showSignature=true", "log", "signed")),
    ("alias", "alias.lg", ("lg",)),
    ("pager", "core.pager", ("--paginate", "log")),
    ("editor", "core.editor", ("commit", "--allow-empty", "--amend")),
]


@pytest.mark.parametrize(("name", "key", "control"), CONSTRUCTS, ids=[name for name, *_ in CONSTRUCTS])
def test_no_program_of_the_configuration_runs(
    hostile: Path, tmp_path: Path, name: str, key: str, control: tuple[str, ...]
):
    script = program(tmp_path, name)
    git(hostile, "config", key, f"!{script}" if name == "alias" else script)
    if name == "gpg":
        content = git(hostile, "cat-file", "commit", "HEAD")
        signed = tmp_path / "signed"
        signed.write_text(
            content.replace("\n\n", "\ngpgsig -----BEGIN PGP SIGNATURE-----\n \n -----END PGP SIGNATURE-----\n\n", 1)
        )
        git(hostile, "branch", "signed", git(hostile, "hash-object", "-t", "commit", "-w", str(signed)).strip())
        git(hostile, "checkout", "-q", "signed")
        git(hostile, "config", "log.showSignature", "true")
    touch(hostile)
    with suppress(Exception):
        git(hostile, *control)
    if name not in ("pager",):  # git starts no pager without a terminal
        assert ran(tmp_path) == [name], "the control shows that the construct works"
    for marker in tmp_path.glob("*.ran"):
        marker.unlink()
    touch(hostile)
    ask_everything(hostile)
    assert ran(tmp_path) == []


def test_no_hook_runs(hostile: Path, tmp_path: Path):
    hooks = tmp_path / "hooks"
    hooks.mkdir()
    for name in ("post-index-change", "reference-transaction", "pre-auto-gc", "post-checkout", "fsmonitor-watchman"):
        Path(program(tmp_path, name)).rename(hooks / name)
    git(hostile, "config", "core.hooksPath", str(hooks))
    touch(hostile)
    git(hostile, "status")
    assert ran(tmp_path) == ["post-index-change"]
    (tmp_path / "post-index-change.ran").unlink()
    touch(hostile)
    ask_everything(hostile)
    assert ran(tmp_path) == []
    assert queries.hooks_folder(hostile) == hooks, "the folder is still known to `install git-hooks`"


def test_an_included_file_of_the_work_tree_runs_nothing(hostile: Path, tmp_path: Path):
    script = program(tmp_path, "included")
    (hostile / "settings").write_text(
        f'[core]\n\tfsmonitor = {script}\n[filter "evil"]\n\tclean = {script}\n\trequired\n'
    )
    git(hostile, "config", "include.path", "../settings")
    touch(hostile)
    git(hostile, "status")
    assert ran(tmp_path) == ["included"]
    (tmp_path / "included.ran").unlink()
    touch(hostile)
    ask_everything(hostile)
    assert ran(tmp_path) == []


def test_a_filter_that_can_not_be_switched_off_is_an_error_and_does_not_run(hostile: Path, tmp_path: Path):
    script = program(tmp_path, "odd")
    (hostile / ".gitattributes").write_text("*.py filter=a=b\n")
    git(hostile, "config", "filter.a=b.clean", script)
    touch(hostile)
    with pytest.raises(queries.GitError, match="the filter 'a=b', which can't be switched off"):
        queries.worktree_changes(hostile, "HEAD")
    assert ran(tmp_path) == []


def test_with_a_filter_switched_off_the_changes_are_still_found(hostile: Path):
    git(hostile, "config", "filter.evil.clean", "false")
    git(hostile, "config", "filter.evil.required", "true")
    (hostile / "src/users.py").write_text("changed\n")
    changes = queries.worktree_changes(hostile, "HEAD")
    assert changes is not None
    assert "src/users.py" in changes.changed


def test_another_folder_as_work_tree_is_not_read(hostile: Path, tmp_path: Path):
    other = tmp_path / "other"
    other.mkdir()
    (other / "README.md").write_text("the diary of somebody\n")
    (other / "diary.py").write_text("get_user_name = 'diary'\n")
    git(hostile, "config", "core.worktree", str(other))
    assert "diary" in git(other, "--git-dir", str(hostile / ".git"), "diff", "HEAD")
    assert "diary.py" not in (queries.list_files(hostile) or [])
    assert not any("diary" in line for file in queries.read_diff(hostile, "HEAD") for line in file.added)
    assert queries.files_containing(hostile, ["get_user_name"], (".py",)) == ("src/users.py",)


def test_a_submodule_runs_nothing(hostile: Path, tmp_path: Path):
    inner = copy_plain_repo(tmp_path / "inner")
    git(hostile, "-c", "protocol.file.allow=always", "submodule", "add", "-q", str(inner), "sub")
    git(hostile, "commit", "-q", "-m", "Add a submodule")
    git(hostile, "config", "submodule.recurse", "true")
    git(hostile, "config", "diff.ignoreSubmodules", "none")
    git(hostile / "sub", "config", "core.fsmonitor", program(tmp_path, "inside"))
    git(hostile, "status")
    assert ran(tmp_path) == ["inside"]
    (tmp_path / "inside.ran").unlink()
    touch(hostile)
    ask_everything(hostile)
    assert ran(tmp_path) == []
    assert queries.files_containing(hostile, ["get_user_name"], (".py",)) == ("src/users.py",)


def test_a_waiting_file_as_diff_order_holds_nothing_up(hostile: Path, tmp_path: Path):
    fifo = tmp_path / "fifo"
    os.mkfifo(fifo)
    git(hostile, "config", "diff.orderFile", str(fifo))
    assert [file.path for file in queries.read_diff(hostile, "HEAD~1", "HEAD")]


def test_a_folder_around_the_repository_is_no_repository_of_it(tmp_path: Path):
    outer = copy_plain_repo(tmp_path / "outer")
    inner = outer / "inner"
    (inner / ".git").mkdir(parents=True)
    (inner / ".git/HEAD").write_text("ref: refs/heads/main\n")  # enough for `locate`, not for git
    (inner / "mine.py").write_text("x = 1\n")
    assert locate(str(inner)).root == str(inner)
    with pytest.raises(queries.GitError, match="not a git repository"):
        queries.list_files(inner)


@pytest.fixture
def listener() -> Iterator[tuple[int, list[bytes]]]:
    """A loopback server: its port and what connected to it."""
    server = socket.create_server(("127.0.0.1", 0))
    seen: list[bytes] = []

    def serve() -> None:
        while True:
            try:
                connection, _ = server.accept()
            except OSError:
                return
            seen.append(b"connected")
            connection.close()

    thread = threading.Thread(target=serve, daemon=True)
    thread.start()
    yield server.getsockname()[1], seen
    server.shutdown(socket.SHUT_RDWR)
    server.close()
    thread.join()


@pytest.fixture
def partial(hostile: Path, tmp_path: Path) -> Path:
    """A clone without contents; only README.md was checked out."""
    git(hostile, "config", "uploadpack.allowFilter", "true")
    clone = tmp_path / "partial"
    git(tmp_path, "clone", "-q", "--filter=blob:none", "--no-checkout", hostile.as_uri(), str(clone))
    git(clone, "checkout", "-q", "HEAD", "--", "README.md", ".gitattributes")
    git(clone, "reset", "-q")
    return clone


@pytest.mark.parametrize("url", ["http://127.0.0.1:{port}/x", "git://127.0.0.1:{port}/x", "ext::{script} end"])
def test_a_partial_clone_fetches_nothing(partial: Path, tmp_path: Path, listener: tuple[int, list[bytes]], url: str):
    port, seen = listener
    script = program(tmp_path, "transport")
    git(partial, "config", "remote.origin.url", url.format(port=port, script=script))
    for protocol in ("http", "git", "ext"):
        git(partial, "config", f"protocol.{protocol}.allow", "always")
    with suppress(Exception):
        git(partial, "cat-file", "-p", "HEAD:src/users.py")
    assert seen or ran(tmp_path), "the control shows that git fetches"
    seen.clear()
    for marker in tmp_path.glob("*.ran"):
        marker.unlink()
    ask_in_partial(partial)
    assert (seen, ran(tmp_path)) == ([], [])


def ask_in_partial(clone: Path) -> None:
    """Ask what needs contents that are not in the clone."""
    reader = queries.ObjectReader(clone)
    head, before = (commit.sha for commit in map(reader.resolve_commit, ("HEAD", "HEAD~1")) if commit)
    oids = {entry.path: entry.oid for entry in queries.list_tree(clone, head)}
    assert reader.read_blob(head, "src/users.py") is None
    assert reader.read_blob(head, "README.md"), "what is there is read after what is not"
    assert not reader.has_file(head, "new.py")
    assert reader.renamed_files(before, head) == {}
    reader.close()
    read = dict(queries.read_blobs(clone, [oids["new.py"], oids["README.md"], oids["src/users.py"]], skip_missing=True))
    assert list(read) == [oids["README.md"]]
    with pytest.raises(queries.GitError, match="is not in this clone") as refused:
        list(queries.read_blobs(clone, [oids["new.py"]]))
    assert "Muninn does not fetch" in refused.value.hint
    changed = {(change.old_path, change.new_path) for change in queries.changed_files(clone, before, head)}
    assert {(None, "new.py"), ("old.py", None)} <= changed
    (commit,) = queries.list_commits(clone, before, head, 5)
    assert "new.py" in commit.added
    changes = queries.worktree_changes(clone, "HEAD")
    assert changes is not None
    assert "README.md" not in changes.changed
    assert queries.changed_spans(clone, oids["new.py"], oids["README.md"])[0][0] == 1
    with pytest.raises(queries.GitError) as failed:
        queries.read_diff(clone, before, head)
    assert "Muninn does not fetch" in failed.value.hint


def test_git_before_lazy_fetching_could_be_switched_off_fetches_nothing(
    partial: Path, listener: tuple[int, list[bytes]], monkeypatch: pytest.MonkeyPatch
):
    port, seen = listener
    git(partial, "config", "remote.origin.url", f"http://127.0.0.1:{port}/x")
    git(partial, "config", "protocol.http.allow", "always")

    def older(root: str) -> dict[str, str]:
        return {name: value for name, value in environment(root).items() if name != "GIT_NO_LAZY_FETCH"}

    for module in ("run", "batch", "objects"):
        monkeypatch.setattr(f"muninn_core.git.{module}.environment", older)
    ask_in_partial(partial)
    assert seen == []
