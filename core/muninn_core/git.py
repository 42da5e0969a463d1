"""What Muninn asks of git. The only module that runs it; every call is a read that takes no lock.

The process's GIT_* variables must be gone (a daemon started from a git hook inherits them): entry points see to that.
"""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Any

from muninn_core.errors import MuninnError
from muninn_core.launch.place import Place
from muninn_core.model.value import Value

_TIMEOUT_SECONDS = 60


class GitError(MuninnError):
    """Git could not answer."""

    kind = "git"


class Head(Value):
    """Where HEAD is. `commit` is None before the first commit, `branch` None when HEAD is detached."""

    commit: str | None = None
    branch: str | None = None


class Commit(Value):
    """One commit with the paths that it changed. `time` is RFC 3339 of the committer, in UTC."""

    sha: str
    parents: tuple[str, ...]
    subject: str
    body: str
    author: str
    time: str
    files: tuple[str, ...]


def head(place: Place) -> Head:
    """Read HEAD from its files: no process, some tens of microseconds. Without git both fields are None."""
    if not place.git_dir:
        return Head()
    try:
        text = (Path(place.git_dir) / "HEAD").read_text("utf-8").strip()
    except (OSError, UnicodeDecodeError):
        return Head()
    if not text.startswith("ref: "):
        return Head(commit=text or None)
    ref = text[5:]
    if ref == "refs/heads/.invalid":  # the reftable format keeps its refs elsewhere
        commit = _run(place.root, "rev-parse", "--verify", "-q", "HEAD", check=False).strip()
        name = _run(place.root, "symbolic-ref", "-q", "--short", "HEAD", check=False).strip()
        return Head(commit=commit or None, branch=name or None)
    return Head(commit=_resolve(place, ref), branch=ref.removeprefix("refs/heads/"))


def _resolve(place: Place, ref: str) -> str | None:
    for folder in (place.git_dir, place.identity):
        try:
            return (Path(folder) / ref).read_text("utf-8").strip() or None
        except OSError:
            continue
    try:
        packed = (Path(place.identity) / "packed-refs").read_text("utf-8")
    except OSError:
        return None
    for line in packed.splitlines():
        sha, _, name = line.partition(" ")
        if name == ref:
            return sha
    return None


def list_files(root: Path) -> list[str] | None:
    """Return all tracked and all untracked, not ignored paths (POSIX, relative, sorted); None without git.

    A tracked file that was deleted from the work tree is still named.
    """
    done = _git(str(root), "ls-files", "-z", "--cached", "--others", "--exclude-standard")
    if done.returncode != 0:
        if b"not a git repository" in done.stderr:
            return None
        raise _error("ls-files", done)
    return sorted({_text(name) for name in done.stdout.split(b"\0") if name})


def ignored(root: Path, paths: list[str]) -> set[str]:
    """Return which of the untracked paths git ignores; empty without git."""
    if not paths:
        return set()
    done = _git(str(root), "check-ignore", "-z", "--stdin", stdin="\0".join(paths))
    if done.returncode not in (0, 1) and b"not a git repository" not in done.stderr:
        raise _error("check-ignore", done)
    return {_text(name) for name in done.stdout.split(b"\0") if name}


def commits(root: Path, since: str | None, until: str, limit: int) -> tuple[Commit, ...]:
    """Return the commits reachable from `until` and not from `since`, oldest first, at most the newest `limit`.

    A `since` that no longer exists (a rewritten branch) counts as absent; then only `until` itself is returned.
    """
    if since is not None and _git(str(root), "cat-file", "-e", f"{since}^{{commit}}").returncode != 0:
        since = None
    span = [f"{since}..{until}", f"--max-count={limit}"] if since else [until, "--max-count=1"]
    fields = "%x1e%H%x1f%P%x1f%s%x1f%b%x1f%an%x1f%ct%x1f"
    out = _run(
        str(root), "log", *span, "--topo-order", "--first-parent", "-m", "--name-only", "-z", f"--format={fields}"
    )
    found = [_commit(block) for block in out.split("\x1e")[1:]]
    return tuple(reversed(found))


def _commit(block: str) -> Commit:
    from datetime import UTC, datetime

    sha, parents, subject, body, author, seconds, files = block.split("\x1f", 6)
    when = datetime.fromtimestamp(int(seconds), UTC)
    return Commit(
        sha=sha,
        parents=tuple(parents.split()),
        subject=subject,
        body=body.strip(),
        author=author,
        time=when.strftime("%Y-%m-%dT%H:%M:%SZ"),
        files=tuple(sorted(name for name in files.strip("\n\0").split("\0") if name)),
    )


def _run(root: str, *arguments: str, check: bool = True) -> str:
    done = _git(root, *arguments)
    if check and done.returncode != 0:
        raise _error(arguments[0], done)
    return _text(done.stdout)


def _git(root: str, *arguments: str, stdin: str | None = None) -> subprocess.CompletedProcess[bytes]:
    command = ["git", "--no-optional-locks", "-c", "core.quotePath=false", "-c", "log.showSignature=false", "-C", root]
    given = None if stdin is None else stdin.encode("utf-8", "surrogateescape")
    extra: dict[str, Any] = {"stdin": subprocess.DEVNULL} if given is None else {"input": given}
    try:
        return subprocess.run(
            [*command, *arguments],
            capture_output=True,
            timeout=_TIMEOUT_SECONDS,
            check=False,
            **extra,
        )
    except FileNotFoundError:
        raise GitError("git is not installed or not on the PATH", hint="Install git and try again.") from None
    except subprocess.TimeoutExpired:
        raise GitError(f"git {arguments[0]} took more than {_TIMEOUT_SECONDS} s") from None


def _error(what: str, done: subprocess.CompletedProcess[bytes]) -> GitError:
    words = done.stderr.decode("utf-8", "replace").strip().splitlines()
    return GitError(f"git {what} failed: {words[-1] if words else f'exit status {done.returncode}'}")


def _text(data: bytes) -> str:
    return data.decode("utf-8", "surrogateescape")
