"""What Muninn asks of git. The only module that runs it; every call is a read that takes no lock.

The process's GIT_* variables must be gone (a daemon started from a git hook inherits them): entry points see to that.
"""

from __future__ import annotations

import os
import subprocess
from pathlib import Path
from typing import Any

from muninn_core.errors import MuninnError
from muninn_core.launch.place import Place, locate
from muninn_core.model.value import Value

_TIMEOUT_SECONDS = 60

_PATHS_A_CALL = 200
"""How many paths one command line takes: systems limit its length."""


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


class HeadReader:
    """Reads HEAD again only when one of its files has changed: every answer names it. Safe for several threads."""

    def __init__(self, place: Place) -> None:
        self._place = place
        self._known: tuple[tuple[str, ...], tuple[object, ...], Head] = ((), (), Head())

    def read(self) -> Head:
        """Return where HEAD is now."""
        paths, stamps, known = self._known
        if paths and stamps == tuple(map(_stamp, paths)):
            return known
        for _ in range(3):  # a commit between the looks would be missed
            paths = self._paths()
            stamps = tuple(map(_stamp, paths))
            known = head(self._place)
            if stamps == tuple(map(_stamp, paths)) and paths == self._paths():
                self._known = (paths, stamps, known)
                break
        return known

    def _paths(self) -> tuple[str, ...]:
        """Return the files that HEAD's commit follows from; none where that is not known, or there is no git."""
        if not self._place.git_dir:
            return ()
        first = f"{self._place.git_dir}/HEAD"
        try:
            with open(first, encoding="utf-8") as file:  # noqa: PTH123 (hot)
                text = file.read().strip()
        except (OSError, UnicodeDecodeError):
            return ()
        if not text.startswith("ref: "):
            return (first,)
        if text.endswith("/.invalid"):
            return ()  # the reftable format
        ref = text[5:]
        common = self._place.identity
        return (first, f"{self._place.git_dir}/{ref}", f"{common}/{ref}", f"{common}/packed-refs")


def _stamp(path: str) -> object:
    """Return what changes when git replaces a file: it always writes a new one and renames it."""
    try:
        status = os.stat(path)  # noqa: PTH116 (hot)
    except OSError:
        return None
    return (status.st_ino, status.st_mtime_ns, status.st_size)


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
    return None if not locate(str(root)).git_dir else sorted(_listed(root))


def ignored(root: Path, paths: list[str]) -> set[str]:
    """Return those of the paths that are there but that `list_files` would not name, nor anything in them.

    Beside what is ignored that is what lies behind a symbolic link or in another repository inside this one
    (`git check-ignore` refuses to speak of these). Empty without git.
    """
    if not paths or not locate(str(root)).git_dir:
        return set()
    named: set[str] = set()
    for first in range(0, len(paths), _PATHS_A_CALL):
        for path in _listed(root, *paths[first : first + _PATHS_A_CALL]):
            named.add(path)
            while (path := path.rpartition("/")[0]) and path not in named:
                named.add(path)
    return {path for path in paths if path not in named and os.path.lexists(root / path)}


def _listed(root: Path, *paths: str) -> set[str]:
    done = _git(
        str(root),
        *("--literal-pathspecs", "ls-files", "-z", "--cached", "--others", "--exclude-standard", "--"),
        *paths,
    )
    if done.returncode != 0:
        raise _error("ls-files", done)
    return {_text(name) for name in done.stdout.split(b"\0") if name}


def hooks_folder(root: Path) -> Path:
    """Return the folder in which git looks for hooks, which need not be there; `core.hooksPath` may name another."""
    return root / _run(str(root), "rev-parse", "--git-path", "hooks").rstrip("\n")


def commits(root: Path, since: str | None, until: str, limit: int) -> tuple[Commit, ...]:
    """Return the commits reachable from `until` and not from `since`, oldest first, at most the newest `limit`.

    A `since` that no longer exists (a rewritten branch) counts as absent; then only `until` itself is returned.
    """
    if since is not None and _git(str(root), "cat-file", "-e", f"{since}^{{commit}}").returncode != 0:
        since = None
    span = [f"{since}..{until}", f"--max-count={limit}"] if since else [until, "--max-count=1"]
    how = ("--topo-order", "--first-parent", "-m", "--root", "--name-only", "--no-renames", "-z")
    out = _run(str(root), "log", *span, *how, "--encoding=UTF-8", "--format=%x00%H%x00%P%x00%an%x00%ct%x00%s%x00%b")
    # NUL is the one character that no message and no path holds. An empty field stands before each commit.
    fields = out.split("\0")
    found, place = [], 1
    while place + 6 <= len(fields):
        after = fields.index("", place + 6)
        found.append(_commit(fields[place : place + 6], fields[place + 6 : after]))
        place = after + 1
    return tuple(reversed(found))


def _commit(fields: list[str], files: list[str]) -> Commit:
    from datetime import UTC, datetime

    sha, parents, author, seconds, subject, body = fields
    when = datetime.fromtimestamp(int(seconds), UTC)
    if files:
        files[0] = files[0].removeprefix("\n")  # stands between a message and its files
    return Commit(
        sha=sha,
        parents=tuple(parents.split()),
        subject=subject,
        body=body.strip(),
        author=author,
        time=when.strftime("%Y-%m-%dT%H:%M:%SZ"),
        files=tuple(sorted(files)),
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
