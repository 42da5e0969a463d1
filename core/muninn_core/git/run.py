"""Runs git. Every call is a read that takes no lock.

The process's GIT_* variables must be gone (a daemon started from a git hook inherits them): entry points see to that.
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


PATHS_A_CALL = 200
"""How many paths one command line takes: systems limit its length."""


class GitError(MuninnError):
    """Git could not answer."""

    kind = "git"


def check_rev(rev: str) -> None:
    """Raise BadParams for what can name no revision."""
    if not rev.strip() or rev.startswith("-") or any(mark in rev for mark in ("..", "\0", "\n")):
        raise BadParams(f"'{rev}' is no revision", hint="Name a commit, a branch or a tag.")


def run(root: str, *arguments: str, check: bool = True) -> str:
    """Return what a command prints. With `check`, raises GitError when it fails."""
    done = call(root, *arguments)
    if check and done.returncode != 0:
        raise error_of(arguments[0], done)
    return text_of(done.stdout)


def call(root: str, *arguments: str, stdin: str | None = None) -> subprocess.CompletedProcess[bytes]:
    """Run a command and return how it went. Raises GitError where there is no git, or none that ends."""
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


def error_of(what: str, done: subprocess.CompletedProcess[bytes]) -> GitError:
    """Return the error of a command that failed: git's last word on why, and the command that git advises."""
    words = [line.strip() for line in done.stderr.decode("utf-8", "replace").splitlines() if line.strip()]
    fatal = [line for line in words if line.startswith("fatal:")]
    said = (fatal or words or [f"exit status {done.returncode}"])[-1]
    advised = [line for line in words if line.startswith("git config") and "safe.directory" in line]
    hint = f"The files are somebody else's. `{advised[0]}` says that you trust them." if advised else ""
    return GitError(f"git {what} failed: {said}", hint=hint)


def text_of(data: bytes) -> str:
    """Decode what git prints; bytes that are no UTF-8 come through."""
    return data.decode("utf-8", "surrogateescape")


def stream(root: Path, *arguments: str) -> Generator[bytes]:
    """Yield what git prints, in pieces, while it prints: for what is too long to wait for. Raises GitError.

    Whoever stops reading ends it by closing the generator.
    """
    command = ["git", "--no-optional-locks", "-c", "core.quotePath=false", "-c", "log.showSignature=false"]
    with tempfile.TemporaryFile() as complaints:
        try:
            process = subprocess.Popen(
                [*command, "-C", str(root), *arguments],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=complaints,
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
            complaints.seek(0)
            raise error_of(
                arguments[0], subprocess.CompletedProcess(command, process.returncode, b"", complaints.read())
            )


def time_of(seconds: str) -> str:
    """Return a time of git, in seconds, as RFC 3339."""
    return datetime.fromtimestamp(int(seconds), UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
