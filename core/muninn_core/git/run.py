"""Starts git processes. Every call is a read that takes no lock.

Entry points must remove GIT_* from the environment: a daemon that a git hook starts inherits them.
"""

from __future__ import annotations

import subprocess
import tempfile
from collections.abc import Generator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from muninn_core.errors import BadParams, MuninnError

_TIMEOUT_SECONDS = 60


PATHS_PER_CALL = 200
"""The number of paths on one command line, whose length systems limit."""


class GitError(MuninnError):
    """Git failed or is missing."""

    kind = "git"


def check_rev(rev: str) -> None:
    """Raise BadParams for text that can name no single revision."""
    if not rev.strip() or rev.startswith("-") or any(mark in rev for mark in ("..", "\0", "\n")):
        raise BadParams(f"'{rev}' is not a revision", hint="Name a commit, a branch or a tag.")


def run(root: str, *arguments: str, check: bool = True) -> str:
    """Return the decoded output of a git command. With `check`, raises GitError on a non-zero exit status."""
    done = run_process(root, *arguments)
    if check and done.returncode != 0:
        raise git_error(arguments[0], done)
    return decode(done.stdout)


def run_process(root: str, *arguments: str, stdin: str | None = None) -> subprocess.CompletedProcess[bytes]:
    """Run a git command and return the finished process. Raises GitError when git is missing or takes too long."""
    command = ["git", "--no-optional-locks", "-c", "core.quotePath=false", "-c", "log.showSignature=false", "-C", root]
    data = None if stdin is None else stdin.encode("utf-8", "surrogateescape")
    extra: dict[str, Any] = {"stdin": subprocess.DEVNULL} if data is None else {"input": data}
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


def git_error(what: str, done: subprocess.CompletedProcess[bytes]) -> GitError:
    """Return the error for a failed command: git's last fatal line. The hint is git's remedy for an untrusted owner."""
    words = [line.strip() for line in done.stderr.decode("utf-8", "replace").splitlines() if line.strip()]
    fatal = [line for line in words if line.startswith("fatal:")]
    reason = (fatal or words or [f"exit status {done.returncode}"])[-1]
    remedies = [line for line in words if line.startswith("git config") and "safe.directory" in line]
    hint = f"Another user owns the files. To trust them, run `{remedies[0]}`." if remedies else ""
    return GitError(f"git {what} failed: {reason}", hint=hint)


def decode(data: bytes) -> str:
    """Decode git's output as UTF-8; other bytes become surrogate escapes."""
    return data.decode("utf-8", "surrogateescape")


def stream(root: Path, *arguments: str) -> Generator[bytes]:
    """Yield the output of a git command in pieces as it is printed. Raises GitError.

    Closing the generator ends the process.
    """
    command = ["git", "--no-optional-locks", "-c", "core.quotePath=false", "-c", "log.showSignature=false"]
    with tempfile.TemporaryFile() as stderr:
        try:
            process = subprocess.Popen(
                [*command, "-C", str(root), *arguments],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=stderr,
            )
        except FileNotFoundError:
            raise GitError("git is not installed or not on the PATH", hint="Install git and try again.") from None
        with process:
            assert process.stdout is not None
            try:
                while piece := process.stdout.read(1 << 16):
                    yield piece
            except BaseException:
                process.kill()
                raise
        if process.returncode != 0:
            stderr.seek(0)
            raise git_error(arguments[0], subprocess.CompletedProcess(command, process.returncode, b"", stderr.read()))


def format_time(seconds: str) -> str:
    """Return a git time, decimal seconds since 1970, as RFC 3339 in UTC."""
    return datetime.fromtimestamp(int(seconds), UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
