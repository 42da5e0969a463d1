"""Streams a history from one `git log` process, whatever its length."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import closing
from pathlib import Path

from muninn_core.git.history import FORMAT, Commit, body_of, lines_of_subject
from muninn_core.git.run import GitError, format_time, stream
from muninn_core.model.value import Value


class CommitRange(Value):
    """The commits reachable from `tip` but not from `base`, within the times, at most the newest `limit`.

    Times are RFC 3339 committer times; both ends are included.
    """

    tip: str
    base: str | None = None
    since: str | None = None
    until: str | None = None
    limit: int = 10_000

    @property
    def arguments(self) -> tuple[str, ...]:
        """The range as arguments of git-log(1) and git-rev-list(1)."""
        times = [f"--{name}={time}" for name, time in (("since", self.since), ("until", self.until)) if time]
        return (f"--max-count={self.limit}", *times, self.tip, *([f"^{self.base}"] if self.base else []))


def count_commits(root: Path, span: CommitRange) -> int:
    """Return the number of commits in a range. Raises GitError."""
    return int(b"".join(stream(root, "rev-list", "--count", *span.arguments, "--")))


def read_log(root: Path, span: CommitRange) -> Iterator[Commit]:
    """Yield the commits of a range, newest first; a merge has no paths. Raises GitError."""
    options = ("--name-status", "--no-renames", "-z", "--encoding=UTF-8", "--no-color", "--no-notes")
    with closing(stream(root, "log", *options, f"{FORMAT}%x00", *span.arguments, "--")) as pieces:
        fields = _fields(pieces)
        next(fields, None)  # each commit begins with an empty field
        while sha := next(fields, b""):
            yield _logged(sha, fields)


def _fields(pieces: Iterable[bytes]) -> Iterator[bytes]:
    """Yield the NUL-separated fields; the last one needs no NUL after it."""
    rest = b""
    for piece in pieces:
        *whole, rest = (rest + piece).split(b"\0")
        yield from whole
    yield rest


def _logged(sha: bytes, fields: Iterator[bytes]) -> Commit:
    try:
        parents, author, email, seconds, subject, raw, _ = (next(fields) for _ in range(7))
    except (StopIteration, RuntimeError):
        raise GitError("git log ended within a commit", hint="`git fsck` checks the repository.") from None
    statuses: dict[str, bytes] = {}
    for status in fields:
        if not status:
            break  # the start of the next commit
        if path := _path(next(fields, b"")):
            statuses[path] = status.strip()
    message = _decode(raw)
    return Commit(
        sha=_decode(sha),
        parents=tuple(_decode(parents).split()),
        subject=_decode(subject).strip(),
        body=body_of(message),
        author=_decode(author),
        time=format_time(_decode(seconds)),
        files=tuple(sorted(statuses)),
        added=frozenset(path for path, status in statuses.items() if status == b"A"),
        deleted=frozenset(path for path, status in statuses.items() if status == b"D"),
        email=_decode(email),
        subject_lines=lines_of_subject(message),
    )


def _decode(data: bytes) -> str:
    return data.decode("utf-8", "replace")


def _path(data: bytes) -> str:
    """Return a path, "" when it is not UTF-8."""
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        return ""
