"""The history of a repository as a stream of commits: one git process, however many there are.

It reads what `git log` prints and knows nothing of what a commit means.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

from muninn_core.git.history import Commit
from muninn_core.git.run import GitError, stream
from muninn_core.model.value import Value

_FORMAT = "--format=%x00%H%x00%P%x00%an%x00%ae%x00%ct%x00%s%x00%b%x00"
"""NUL is the one character that no message and no path holds."""


class Logged(Value):
    """A commit of the log, its author's address, and which of its files it deleted; a merge has no files."""

    commit: Commit
    email: str
    deleted: frozenset[str]


class Span(Value):
    """What to read: the commits that `tip` leads to and `base` does not, of these times, at most the newest `limit`.

    Times are RFC 3339, of the committer; both ends are included.
    """

    tip: str
    base: str | None = None
    since: str | None = None
    until: str | None = None
    limit: int = 10_000

    @property
    def arguments(self) -> tuple[str, ...]:
        """The span as arguments of git-log(1) and git-rev-list(1)."""
        times = [f"--{name}={time}" for name, time in (("since", self.since), ("until", self.until)) if time]
        return (f"--max-count={self.limit}", *times, self.tip, *([f"^{self.base}"] if self.base else []))


def count(root: Path, span: Span) -> int:
    """Return how many commits a span has. Raises GitError."""
    return int(b"".join(stream(root, "rev-list", "--count", *span.arguments, "--")))


def read(root: Path, span: Span) -> Iterator[Logged]:
    """Yield the commits of a span, the newest first. Raises GitError."""
    how = ("--name-status", "--no-renames", "-z", "--encoding=UTF-8", "--no-color", "--no-notes")
    with closing(stream(root, "log", *how, _FORMAT, *span.arguments, "--")) as pieces:
        fields = _fields(pieces)
        next(fields, None)  # each commit begins with an empty one
        while sha := next(fields, b""):
            yield _logged(sha, fields)


def _fields(pieces: Iterable[bytes]) -> Iterator[bytes]:
    """Yield what stands between NULs; the last field need not have one after it."""
    rest = b""
    for piece in pieces:
        *whole, rest = (rest + piece).split(b"\0")
        yield from whole
    yield rest


def _logged(sha: bytes, fields: Iterator[bytes]) -> Logged:
    try:
        parents, author, email, seconds, subject, body, _ = (next(fields) for _ in range(7))
    except (StopIteration, RuntimeError):
        raise GitError("git log broke off in the midst of a commit", hint="`git fsck` may know why.") from None
    files, deleted = [], set()
    for status in fields:
        if not status:
            break  # the beginning of the next commit
        path = _path(next(fields, b""))
        if path:
            files.append(path)
        if status.strip() == b"D":
            deleted.add(path)
    return Logged(
        commit=Commit(
            sha=_words(sha),
            parents=tuple(_words(parents).split()),
            subject=_words(subject).strip(),
            body=_words(body).strip(),
            author=_words(author),
            time=datetime.fromtimestamp(int(seconds), UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
            files=tuple(sorted(files)),
        ),
        email=_words(email),
        deleted=frozenset(deleted),
    )


def _words(data: bytes) -> str:
    return data.decode("utf-8", "replace")


def _path(data: bytes) -> str:
    """Return a path; "" for one whose name can't be written down as text."""
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        return ""
