"""Git processes that stay, for whoever has many small questions: what an object holds, how two commits differ.

An answer takes a tenth of a millisecond, starting git some milliseconds. It knows nothing of the work tree.
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
from typing import TypeVar

from muninn_core.git.objects import blob
from muninn_core.git.run import GitError, text_of
from muninn_core.model.value import Value

_TIMEOUT_SECONDS = 60
_END = b"\x01end\n"
"""What is no commit is printed as it was said: so an answer is known to be over."""

T = TypeVar("T")


class FileChanges(Value):
    """A commit by its whole id, and when it was made, in seconds since 1970."""

    sha: str
    seconds: int


class Objects:
    """Opened once a work tree; threads take turns. After `close` the next question starts the processes again."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._contents = _BatchProcess(root, "cat-file", "--batch")
        self._kinds = _BatchProcess(root, "cat-file", "--batch-check=%(objecttype)")
        how = ("diff-tree", "--stdin", "-r", "-z", "--no-commit-id")
        self._trees = _BatchProcess(root, *how, "--name-status", "--no-renames")
        self._renames = _BatchProcess(root, *how, "--name-status", "-M", "--diff-filter=R")

    def blob(self, commit: str, path: str) -> bytes | None:
        """Return a file as a commit has it; None when the commit or the file is not there. Raises GitError."""
        if "\n" in path or "\n" in commit:
            return blob(self._root, commit, path)
        found = self._read(f"{commit}:{path}")
        return found[2] if found is not None and found[1] == "blob" else None

    def commit(self, name: str) -> FileChanges | None:
        """Return the commit that a name stands for; None when there is none. Raises GitError."""
        found = self._read(f"{name}^{{commit}}") if name and "\n" not in name else None
        if found is None:
            return None
        sha, _, content = found
        stamps = [line for line in content.split(b"\n\n", 1)[0].split(b"\n") if line.startswith(b"committer ")]
        return FileChanges(sha=sha, seconds=int(stamps[0].rsplit(b" ", 2)[1]) if stamps else 0)

    def holds(self, commit: str, path: str) -> bool:
        """Whether a commit has a file. Raises GitError."""
        if "\n" in path:
            return self.blob(commit, path) is not None
        asked = f"{commit}:{path}\n".encode("utf-8", "surrogateescape")
        return self._kinds.ask(asked, lambda talk: talk.until(b"\n")) == b"blob"

    def changed(self, before: str, after: str) -> frozenset[str]:
        """Return the files that are new or different in the later of two commits (whole ids). Raises GitError."""
        fields = _compare(self._trees, before, after)
        return frozenset(path for status, path in zip(fields[::2], fields[1::2], strict=False) if status != "D")

    def renamed(self, before: str, after: str) -> dict[str, str]:
        """Return {name in one commit: name in the other one} of renamed files (whole ids). Raises GitError."""
        fields = _compare(self._renames, before, after)
        return dict(zip(fields[1::3], fields[2::3], strict=False))

    def close(self) -> None:
        """End the processes."""
        for kept in (self._contents, self._kinds, self._trees, self._renames):
            kept.close()

    def _read(self, name: str) -> tuple[str, str, bytes] | None:
        """Return an object's id, kind and content. The format is that of git-cat-file(1), "BATCH OUTPUT"."""

        def answer(talk: _Pipe) -> tuple[str, str, bytes] | None:
            facts = talk.until(b"\n").split(b" ")
            if len(facts) != 3 or not facts[2].isdigit() or len(facts[0]) < 40:
                return None  # `NAME missing`, `NAME ambiguous`; a name may hold blanks, too
            content = talk.exactly(int(facts[2]) + 1)[:-1]
            return facts[0].decode("ascii"), facts[1].decode("ascii"), content

        return self._contents.ask(name.encode("utf-8", "surrogateescape") + b"\n", answer)


class _BatchProcess:
    """One process, started when it is asked, and again when it has gone."""

    def __init__(self, root: Path, *arguments: str) -> None:
        self._name = f"git {arguments[0]}"
        self._command = ["git", "--no-optional-locks", "-C", str(root), *arguments]
        self._lock = threading.Lock()
        self._talk: _Pipe | None = None

    def ask(self, question: bytes, read: Callable[[_Pipe], T]) -> T:
        """Put a question and read the answer. Raises GitError; what went wrong is not carried into the next one."""
        with self._lock:
            talk, self._talk = self._talk or _Pipe(self._name, self._command), None
            try:
                talk.say(question)
                answer = read(talk)
            except BaseException:
                talk.end()
                raise
            self._talk = talk
            return answer

    def close(self) -> None:
        with self._lock:
            if self._talk is not None:
                self._talk.end()
                self._talk = None


def _compare(kept: _BatchProcess, before: str, after: str) -> list[str]:
    asked = f"{after} {before}\n".encode() + _END  # `before` is given as the parent of `after`
    return text_of(kept.ask(asked, lambda talk: talk.until(_END))).split("\0")


class _Pipe:
    """What is said to a process, and what it answers."""

    def __init__(self, name: str, command: list[str]) -> None:
        try:
            process = subprocess.Popen(
                command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, bufsize=0
            )
        except FileNotFoundError:
            raise GitError("git is not installed or not on the PATH", hint="Install git and try again.") from None
        assert process.stdin is not None
        assert process.stdout is not None
        self._name = name
        self._into, self._out = process.stdin, process.stdout.fileno()
        self._waiting = b""
        self._until = 0.0
        self.end = weakref.finalize(self, _end, process)

    def say(self, question: bytes) -> None:
        self._until = time.monotonic() + _TIMEOUT_SECONDS
        try:
            self._into.write(question)
        except OSError:
            raise self._gone() from None

    def until(self, mark: bytes) -> bytes:
        """Return what comes before a mark; the mark is taken away."""
        at = self._waiting.find(mark)
        while at < 0:
            seen = max(0, len(self._waiting) - len(mark))
            self._waiting += self._more()
            at = self._waiting.find(mark, seen)
        found, self._waiting = self._waiting[:at], self._waiting[at + len(mark) :]
        return found

    def exactly(self, count: int) -> bytes:
        """Return so many bytes."""
        pieces = [self._waiting]
        have = len(self._waiting)
        while have < count:
            pieces.append(self._more())
            have += len(pieces[-1])
        whole = b"".join(pieces)
        self._waiting = whole[count:]
        return whole[:count]

    def _more(self) -> bytes:
        if hasattr(select, "poll"):  # elsewhere a pipe can't be waited for
            ready = select.poll()
            ready.register(self._out, select.POLLIN)
            if not ready.poll(1000 * max(0.0, self._until - time.monotonic())):
                raise GitError(f"{self._name} took more than {_TIMEOUT_SECONDS} s")
        piece = os.read(self._out, 1 << 20)
        if not piece:
            raise self._gone()
        return piece

    def _gone(self) -> GitError:
        return GitError(f"{self._name} ended without an answer")


def _end(process: subprocess.Popen[bytes]) -> None:
    process.kill()
    with process:  # closes the pipes and waits
        pass
