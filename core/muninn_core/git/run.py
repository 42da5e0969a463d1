"""Starts git processes. Every call is a read that takes no lock, starts no other program and uses no network.

A repository brings its own configuration when it is unpacked or copied, and that names programs. `_SETTINGS`,
`environment` and `_without_filters` take every such program out of reach; tests/security/test_git_config.py tries each.

Entry points must remove GIT_* from the environment: a daemon that a git hook starts inherits them.
"""

from __future__ import annotations

import os
import subprocess
import tempfile
from collections.abc import Generator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from muninn_core.errors import BadParams, MuninnError
from muninn_core.git.partial import FETCH_HINT

_TIMEOUT_SECONDS = 60


PATHS_PER_CALL = 200
"""The number of paths on one command line, whose length systems limit."""

_SETTINGS = (
    # Programs and files that a repository's configuration could name. Source: git-config(1).
    *("core.fsmonitor=false", f"core.hooksPath={os.devnull}", "log.showSignature=false", "diff.external="),
    *(f"diff.orderFile={os.devnull}", "submodule.recurse=false", "diff.ignoreSubmodules=all", "protocol.allow=never"),
    # The form of what is printed.
    *("core.quotePath=false", "color.ui=false", "color.diff=false", "color.grep=false", "diff.interHunkContext=0"),
    *("diff.relative=false", "log.follow=false", "log.diffMerges=separate"),
)
_ARGUMENTS = tuple(part for setting in _SETTINGS for part in ("-c", setting))

_FILTER_KEYS = r"^filter\..*\.(clean|smudge|process|required)$"
_MAX_FILTERS = 200


class GitError(MuninnError):
    """Git failed or is missing."""

    kind = "git"


class NotAGitRepository(GitError):
    """The work tree is a folder without git, and what was asked needs commits."""

    kind = "not_a_repository"


def missing_git() -> GitError:
    """Return the error for a machine without git."""
    return GitError("git is not installed or not on the PATH", hint="Install git and try again.")


def check_rev(rev: str) -> None:
    """Raise BadParams for text that can name no single revision."""
    if not rev.strip() or rev.startswith(("-", "^")) or any(mark in rev for mark in ("..", "\0", "\n")):
        raise BadParams(f"'{rev}' is not a revision", hint="Name a commit, a branch or a tag.")


def command(root: str, *arguments: str, worktree: bool = False) -> list[str]:
    """Return the command line of a git command that runs nothing that the repository's configuration names.

    The work tree is `root` whatever `core.worktree` says. `worktree` is for commands that compare its files.
    """
    filters = _without_filters(root) if worktree else ()
    return ["git", "--no-optional-locks", *_ARGUMENTS, *filters, "-C", root, "--work-tree=.", *arguments]


def environment(root: str) -> dict[str, str]:
    """Return the environment of git processes: no network, no questions, and no repository around `root`.

    GIT_NO_LAZY_FETCH keeps a partial clone from fetching (git 2.45 and the security releases from 2.39.4 on). Older
    versions try, and find every protocol forbidden: "none" names no protocol, and an empty value would not arrive on
    Windows.
    """
    return {
        **os.environ,
        "GIT_ALLOW_PROTOCOL": "none",
        "GIT_CEILING_DIRECTORIES": os.path.dirname(os.path.abspath(root)),  # noqa: PTH100, PTH120 (each process)
        "GIT_NO_LAZY_FETCH": "1",
        "GIT_TERMINAL_PROMPT": "0",
    }


def _without_filters(root: str) -> tuple[str, ...]:
    """Return the options that switch off every filter of the configuration.

    A filter of the user is switched off, too: git-lfs runs programs that the repository's configuration names. A file
    that such a filter wrote counts as changed when its time differs from that in git's index. Raises GitError.
    """
    listed = run_process(root, "config", "-z", "--name-only", "--get-regexp", _FILTER_KEYS)
    if listed.returncode not in (0, 1):  # 1: there is none
        raise git_error("config", listed)
    names = {key.partition(".")[2].rpartition(".")[0] for key in decode(listed.stdout).split("\0") if key}
    odd = [name for name in names if "=" in name]  # `-c` ends a key at the first one
    if odd or len(names) > _MAX_FILTERS:
        what = f"the filter '{odd[0]}'" if odd else f"{len(names)} filters"
        raise GitError(f"git's configuration defines {what}, which can't be switched off", hint="Remove it.")
    return tuple(
        part
        for name in sorted(names)
        for setting in ("clean=", "smudge=", "process=", "required=false")
        for part in ("-c", f"filter.{name}.{setting}")
    )


def run(root: str, *arguments: str, check: bool = True) -> str:
    """Return the decoded output of a git command. With `check`, raises GitError on a non-zero exit status."""
    done = run_process(root, *arguments)
    if check and done.returncode != 0:
        raise git_error(arguments[0], done)
    return decode(done.stdout)


def run_process(
    root: str, *arguments: str, stdin: str | None = None, worktree: bool = False
) -> subprocess.CompletedProcess[bytes]:
    """Run a git command and return the finished process. Raises GitError when git is missing or takes too long."""
    data = None if stdin is None else stdin.encode("utf-8", "surrogateescape")
    extra: dict[str, Any] = {"stdin": subprocess.DEVNULL} if data is None else {"input": data}
    try:
        return subprocess.run(
            command(root, *arguments, worktree=worktree),
            env=environment(root),
            capture_output=True,
            timeout=_TIMEOUT_SECONDS,
            check=False,
            **extra,
        )
    except FileNotFoundError:
        raise missing_git() from None
    except (ValueError, OSError) as error:  # an argument with NUL or a lone surrogate, or one that is too long
        raise GitError(f"git {arguments[0]} can't be run: {error}") from None
    except subprocess.TimeoutExpired:
        raise GitError(f"git {arguments[0]} took more than {_TIMEOUT_SECONDS} s") from None


def git_error(what: str, done: subprocess.CompletedProcess[bytes]) -> GitError:
    """Return the error for a failed command: git's last fatal line.

    The hint is git's remedy for an untrusted owner, or how to fetch what a partial clone lacks.
    """
    words = [line.strip() for line in done.stderr.decode("utf-8", "replace").splitlines() if line.strip()]
    fatal = [line for line in words if line.startswith("fatal:")]
    reason = (fatal or words or [f"exit status {done.returncode}"])[-1]
    remedies = [line for line in words if line.startswith("git config") and "safe.directory" in line]
    hint = f"Another user owns the files. To trust them, run `{remedies[0]}`." if remedies else ""
    if " from promisor remote" in reason:
        hint = FETCH_HINT
    return GitError(f"git {what} failed: {reason}", hint=hint)


def decode(data: bytes) -> str:
    """Decode git's output as UTF-8; other bytes become surrogate escapes."""
    return data.decode("utf-8", "surrogateescape")


def stream(root: Path, *arguments: str, worktree: bool = False) -> Generator[bytes]:
    """Yield the output of a git command in pieces as it is printed. Raises GitError.

    Closing the generator ends the process.
    """
    started = command(str(root), *arguments, worktree=worktree)
    with tempfile.TemporaryFile() as stderr:
        try:
            process = subprocess.Popen(
                started,
                env=environment(str(root)),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=stderr,
            )
        except FileNotFoundError:
            raise missing_git() from None
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
            raise git_error(arguments[0], subprocess.CompletedProcess(started, process.returncode, b"", stderr.read()))


def time_of(seconds: str) -> datetime:
    """Return a git time, decimal seconds since 1970, in UTC. A commit may have any number: at most the year 9999.

    git prints "" for a time that it can't read. That counts as 1970, so that the commit is never the newest.
    """
    try:
        return datetime.fromtimestamp(int(seconds) if seconds.isdecimal() else 0, UTC)
    except (ValueError, OverflowError, OSError):
        return datetime.max.replace(tzinfo=UTC)


def format_time(seconds: str) -> str:
    """Return a git time as RFC 3339 in UTC."""
    return time_of(seconds).strftime("%Y-%m-%dT%H:%M:%SZ")


def readable(text: str) -> str:
    """Return decoded text with replacement characters in place of bytes that are not UTF-8: JSON can't have them."""
    return text if text.isascii() else text.encode("utf-8", "surrogateescape").decode("utf-8", "replace")


def is_readable(path: str) -> bool:
    """Whether a decoded path is UTF-8."""
    return path.isascii() or readable(path) == path
