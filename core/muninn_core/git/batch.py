"""Long-lived git processes for many small queries: the content of an object, the difference of two commits.

A query takes about 0.1 ms; starting git takes several. The work tree is never read.
"""

from __future__ import annotations

import os
import select
import subprocess
import threading
import time
import weakref
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple, TypeVar

from muninn_core.git.objects import read_blob
from muninn_core.git.partial import is_partial
from muninn_core.git.run import GitError, command, decode, environment
from muninn_core.model.value import Value

_TIMEOUT_SECONDS = 60
_END = b"\x01end\n"
"""A line that names no commit is echoed unchanged, so this line marks the end of an answer."""

T = TypeVar("T")


class CommitTime(Value):
    """A commit's full id and its committer time in seconds since 1970."""

    sha: str
    seconds: int


class ChangedPaths(NamedTuple):
    """The paths that a commit adds or changes compared with another, and those that it removes."""

    changed: frozenset[str]
    removed: frozenset[str]


class ObjectReader:
    """Reads git objects through long-lived processes. Safe for several threads, which take turns.

    Open one per work tree. After `close` the next query starts the processes again. An object that a partial clone
    lacks counts as one that does not exist, and a rename that needs it as none.
    """

    def __init__(self, root: Path) -> None:
        self._root = root
        self._contents = _BatchProcess(root, "cat-file", "--batch")
        self._kinds = _BatchProcess(root, "cat-file", "--batch-check=%(objecttype)")
        options = ("diff-tree", "--stdin", "-r", "-z", "--no-commit-id")
        self._trees = _BatchProcess(root, *options, "--name-status", "--no-renames")
        self._renames = _BatchProcess(root, *options, "--name-status", "-M", "--diff-filter=R")

    def read_blob(self, commit: str, path: str) -> bytes | None:
        """Return a file's content at a commit; None when the commit or the file does not exist. Raises GitError."""
        if "\n" in path or "\n" in commit:
            return read_blob(self._root, commit, path)
        found = self._read(f"{commit}:{path}")
        return found[2] if found is not None and found[1] == "blob" else None

    def resolve_commit(self, name: str) -> CommitTime | None:
        """Return the commit that a revision names; None when there is none. Raises GitError."""
        found = self._read(f"{name}^{{commit}}") if name and "\n" not in name else None
        if found is None:
            return None
        sha, _, content = found
        stamps = [line for line in content.split(b"\n\n", 1)[0].split(b"\n") if line.startswith(b"committer ")]
        return CommitTime(sha=sha, seconds=int(stamps[0].rsplit(b" ", 2)[1]) if stamps else 0)

    def has_file(self, commit: str, path: str) -> bool:
        """Whether a commit contains a file. Raises GitError."""
        if "\n" in path:
            return self.read_blob(commit, path) is not None
        request_line = f"{commit}:{path}\n".encode("utf-8", "surrogateescape")
        try:
            return self._kinds.request(request_line, lambda pipe: pipe.read_until(b"\n")) == b"blob"
        except GitError:  # the process ends at an object that was not fetched
            if is_partial(self._root):
                return False
            raise

    def changed_files(self, before: str, after: str) -> ChangedPaths:
        """Return the paths that differ between two commits (full ids). Raises GitError."""
        fields = _diff_trees(self._trees, before, after)
        pairs = [*zip(fields[::2], fields[1::2], strict=False)]
        removed = frozenset(path for status, path in pairs if status == "D")
        return ChangedPaths(frozenset(path for _, path in pairs) - removed, removed)

    def renamed_files(self, before: str, after: str) -> dict[str, str]:
        """Return {old path: new path} of the renames from `before` to `after` (full ids). Raises GitError."""
        try:
            fields = _diff_trees(self._renames, before, after)
        except GitError:
            if is_partial(self._root):
                return {}
            raise
        return dict(zip(fields[1::3], fields[2::3], strict=False))

    def close(self) -> None:
        """End the processes."""
        for process in (self._contents, self._kinds, self._trees, self._renames):
            process.close()

    def _read(self, name: str) -> tuple[str, str, bytes] | None:
        """Return an object's id, type and content. Source: git-cat-file(1), "BATCH OUTPUT"."""

        def answer(pipe: _Pipe) -> tuple[str, str, bytes] | None:
            facts = pipe.read_until(b"\n").split(b" ")
            if len(facts) != 3 or not facts[2].isdigit() or len(facts[0]) < 40:
                return None  # `NAME missing` or `NAME ambiguous`; a name may contain blanks
            content = pipe.read_exactly(int(facts[2]) + 1)[:-1]
            return facts[0].decode("ascii"), facts[1].decode("ascii"), content

        try:
            return self._contents.request(name.encode("utf-8", "surrogateescape") + b"\n", answer)
        except GitError:
            if is_partial(self._root):
                return None
            raise


class _BatchProcess:
    """One git process. It starts on the first request and again after it has ended."""

    def __init__(self, root: Path, *arguments: str) -> None:
        self._name = f"git {arguments[0]}"
        self._root = str(root)
        self._command = command(self._root, *arguments)
        self._lock = threading.Lock()
        self._pipe: _Pipe | None = None

    def request(self, question: bytes, read: Callable[[_Pipe], T]) -> T:
        """Write a request and read its answer. Raises GitError.

        A process that fails is ended, so that the next request does not read the rest of this answer.
        """
        with self._lock:
            pipe, self._pipe = self._pipe or _Pipe(self._name, self._root, self._command), None
            try:
                pipe.write(question)
                answer = read(pipe)
            except BaseException:
                pipe.end()
                raise
            self._pipe = pipe
            return answer

    def close(self) -> None:
        with self._lock:
            if self._pipe is not None:
                self._pipe.end()
                self._pipe = None


def _diff_trees(process: _BatchProcess, before: str, after: str) -> list[str]:
    request_line = f"{after} {before}\n".encode() + _END  # `before` takes the place of the parent of `after`
    return decode(process.request(request_line, lambda pipe: pipe.read_until(_END))).split("\0")


class _Pipe:
    """The standard input and output of a process, with a deadline for each request."""

    def __init__(self, name: str, root: str, arguments: list[str]) -> None:
        try:
            process = subprocess.Popen(
                arguments,
                env=environment(root),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                bufsize=0,
            )
        except FileNotFoundError:
            raise GitError("git is not installed or not on the PATH", hint="Install git and try again.") from None
        assert process.stdin is not None
        assert process.stdout is not None
        self._name = name
        self._into, self._out = process.stdin, process.stdout.fileno()
        self._waiting = b""
        self._until = 0.0
        self.end = weakref.finalize(self, _terminate, process)

    def write(self, question: bytes) -> None:
        self._until = time.monotonic() + _TIMEOUT_SECONDS
        try:
            self._into.write(question)
        except OSError:
            raise self._ended() from None

    def read_until(self, mark: bytes) -> bytes:
        """Return the bytes before the next `mark`, and drop the mark."""
        at = self._waiting.find(mark)
        while at < 0:
            seen = max(0, len(self._waiting) - len(mark))
            self._waiting += self._read_more()
            at = self._waiting.find(mark, seen)
        found, self._waiting = self._waiting[:at], self._waiting[at + len(mark) :]
        return found

    def read_exactly(self, count: int) -> bytes:
        """Return the next `count` bytes."""
        pieces = [self._waiting]
        have = len(self._waiting)
        while have < count:
            pieces.append(self._read_more())
            have += len(pieces[-1])
        whole = b"".join(pieces)
        self._waiting = whole[count:]
        return whole[:count]

    def _read_more(self) -> bytes:
        if hasattr(select, "poll"):  # Windows cannot poll a pipe
            ready = select.poll()
            ready.register(self._out, select.POLLIN)
            if not ready.poll(1000 * max(0.0, self._until - time.monotonic())):
                raise GitError(f"{self._name} took more than {_TIMEOUT_SECONDS} s")
        piece = os.read(self._out, 1 << 20)
        if not piece:
            raise self._ended()
        return piece

    def _ended(self) -> GitError:
        return GitError(f"{self._name} ended without an answer")


def _terminate(process: subprocess.Popen[bytes]) -> None:
    process.kill()
    with process:  # closes the pipes and waits
        pass
