"""Bare mirrors of repositories, which are fetched or get packs of objects. The only git calls that write."""

from __future__ import annotations

import hashlib
import subprocess
from collections.abc import Collection
from pathlib import Path

from muninn_core.errors import BadParams, StorageError
from muninn_core.git.run import GitError, command, decode, environment, git_error, missing_git, run_process

_COMMIT = 40
_NO_REF = 2
"""The exit status of `git ls-remote --exit-code` for no such ref."""

_PROTOCOLS = ("https", "ssh", "file")
_FETCH_SECONDS = 600


def open_mirror(folder: Path) -> Path:
    """Return a bare repository, made if needed. Raises GitError, StorageError for a folder that can't be made."""
    if not (folder / "HEAD").exists():
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise StorageError(
                f"the mirror {folder} can't be made: {error.strerror}",
                hint="Name a folder that this user may write with `--mirrors`.",
            ) from error
        try:
            done = subprocess.run(
                ["git", "init", "--bare", "-q", "--template=", str(folder)],
                env=environment(str(folder)),
                stdin=subprocess.DEVNULL,
                capture_output=True,
                check=False,
            )
        except FileNotFoundError:
            raise missing_git() from None
        if done.returncode != 0:
            raise git_error("init", done)
    return folder


def has_commit(folder: Path, commit: str) -> bool:
    """Whether a repository has a commit, by its full id, with its whole tree."""
    if len(commit) < _COMMIT or not commit.isalnum():
        return False
    return run_process(str(folder), "cat-file", "-e", f"{commit}^{{tree}}").returncode == 0


def make_pack(root: Path, commit: str, known: str, target: Path) -> None:
    """Write the objects of a commit to a file, without those that the commit `known` has ("" for none).

    Raises GitError.
    """
    there = known and run_process(str(root), "cat-file", "-e", f"{known}^{{commit}}").returncode == 0
    revisions = f"{commit}\n^{known}\n" if there else f"{commit}\n"
    done = run_process(str(root), "pack-objects", "--revs", "--thin", "--stdout", "-q", stdin=revisions)
    if done.returncode != 0:
        raise git_error("pack-objects", done)
    target.write_bytes(done.stdout)


def add_pack(folder: Path, pack: Path, commit: str) -> None:
    """Add the objects of a file from `make_pack`, and keep the commit.

    All objects are checked. Raises BadParams for a file that can't be read, lacks what it builds on, or lacks the
    commit; then no commit of it is kept.
    """
    with pack.open("rb") as file:
        done = subprocess.run(
            command(str(folder), "index-pack", "--stdin", "--fix-thin", "--strict"),
            env=environment(str(folder)),
            stdin=file,
            capture_output=True,
            check=False,
        )
    if done.returncode != 0:
        reason = git_error("index-pack", done).message
        raise BadParams(f"the pack can't be read: {reason}", hint="Push again; `git fsck` checks the repository.")
    if not has_commit(folder, commit):
        raise BadParams(f"the pack lacks the commit {commit[:50]}", hint="Name the commit that the pack was made for.")
    kept = run_process(str(folder), "update-ref", f"refs/pushed/{commit}", commit)
    if kept.returncode != 0:
        raise git_error("update-ref", kept)


def prune(folder: Path, commits: Collection[str], age: str = "1.hour.ago") -> None:
    """Delete the objects that only commits outside of `commits` need, if they are older than `age` (git's date).

    Raises GitError.
    """
    listed = run_process(str(folder), "for-each-ref", "--format=%(objectname) %(refname)")
    lines = [line.split(" ", 1) for line in decode(listed.stdout).split("\n")[:-1]]
    gone = "".join(f"delete {ref}\n" for commit, ref in lines if commit not in commits)
    # A log of a ref keeps the commits that it was at.
    for arguments, given in ((("update-ref", "--stdin"), gone), (("reflog", "expire", "--expire=now", "--all"), "")):
        done = run_process(str(folder), *arguments, stdin=given)
        if done.returncode != 0:
            raise git_error(arguments[0], done)
    line = command(str(folder), "gc", "-q", f"--prune={age}")  # it takes minutes for a large repository
    collected = subprocess.run(
        line, env=environment(str(folder)), stdin=subprocess.DEVNULL, capture_output=True, check=False
    )
    if collected.returncode != 0:
        raise git_error("gc", collected)


def fetch_branch(folder: Path, remote: str, branch: str) -> str:
    """Fetch a branch of a remote repository, and return its commit; "" when the remote has no such branch.

    The remote is an address of https, ssh or a folder, from an administrator. Raises GitError.

    The commit is kept by a hash of the branch's name: `release`, which the mirror has from before, and a new
    `release/1` can't both be names of refs.
    """
    ref = f"refs/heads/{branch}"
    listed = _with_network(folder, "ls-remote", "--exit-code", "--", remote, ref)
    if listed.returncode == _NO_REF:
        return ""
    if listed.returncode != 0:
        raise git_error("ls-remote", listed)
    kept = f"refs/fetched/{hashlib.sha256(branch.encode()).hexdigest()}"
    done = _with_network(folder, "fetch", "-q", "--no-tags", "--no-write-fetch-head", "--", remote, f"+{ref}:{kept}")
    if done.returncode != 0:
        raise git_error("fetch", done)
    return decode(run_process(str(folder), "rev-parse", kept).stdout).strip()


def _with_network(folder: Path, *arguments: str) -> subprocess.CompletedProcess[bytes]:
    """Run a git command that may reach other machines. All other settings are those of `git.run`.

    Raises GitError when it takes longer than `_FETCH_SECONDS`.
    """
    allowed = [part for name in _PROTOCOLS for part in ("-c", f"protocol.{name}.allow=always")]
    line = command(str(folder), *arguments)
    at = line.index("-C")
    try:
        return subprocess.run(
            [*line[:at], *allowed, "-c", "transfer.fsckObjects=true", *line[at:]],
            env={**environment(str(folder)), "GIT_ALLOW_PROTOCOL": ":".join(_PROTOCOLS)},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            check=False,
            timeout=_FETCH_SECONDS,
        )
    except subprocess.TimeoutExpired:
        raise GitError(
            f"git {arguments[0]} took longer than {_FETCH_SECONDS:g} s", hint="Does the remote answer? Try it by hand."
        ) from None
