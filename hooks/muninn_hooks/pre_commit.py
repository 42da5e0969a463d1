"""`muninn hook git-pre-commit`: seals the work tree's memory and stages the new segments for the commit.

Git waits for this hook, so it fails open: it never refuses a commit and ends within its budget. Failures are logged in
the hooks' log. It stages only new files of `.muninn/memory/sessions`, and with the first ones the files of
`muninn init` that they need. It does nothing for these commits:

- a commit of named paths (`git commit PATH`), which has its own index. A file added to it would be in the commit, but
  not in the work tree's index, and the next commit would remove it again;
- a commit of a rebase, a cherry-pick, a revert or `git am`, which repeats an earlier one;
- an empty commit, because nothing is staged.

In these cases nothing is sealed either: memory stays in the spool until the next commit.
"""

from __future__ import annotations

import _thread
import os
from contextlib import suppress

from muninn_core.errors import MuninnError
from muninn_core.launch.repository_location import locate
from muninn_hooks import hook_log

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from muninn_core.launch.repository_location import RepositoryLocation

BUDGET_SECONDS = 6.0
"""Starting a daemon takes one or two seconds. A longer wait looks as if git hangs."""

_SECONDS_FOR_GIT = 10.0
_SESSIONS = ".muninn/memory/sessions"
_NEEDED = (
    ".muninn/.gitattributes",
    ".muninn/.gitignore",
    ".muninn/memory/main.jsonl",
    f"{_SESSIONS}/.gitkeep",
)
"""The files without which a clone could not merge segments, or would add private files."""

_BUSY = ("rebase-merge", "rebase-apply", "CHERRY_PICK_HEAD", "REVERT_HEAD", "sequencer")
_MAX_PATHS = 400
"""Paths per git command."""


class GitFailure(MuninnError):
    """Git or sealing failed; the message has the reason."""


def run() -> int:
    """Seal and stage memory for the commit in the current folder. Always returns 0."""
    root = ""
    try:
        location = locate(os.getcwd())
        if applies(location, os.environ):
            root = location.root
            if something_is_staged(root):
                failure = _seal(root) if needs_sealing(location) else ""
                stage_new_segments(root)  # including those that the end of a session has sealed
                if failure:
                    raise GitFailure(failure)
    except MuninnError as error:
        _log(root, error.line)
    except Exception as error:  # fail open: the commit continues after any error
        _log(root, f"{type(error).__name__}: {error}")
    return 0


def applies(location: RepositoryLocation, environ: Mapping[str, str]) -> bool:
    """Whether memory can be added to the current commit."""
    if not location.git_dir or not os.path.isdir(os.path.join(location.root, ".muninn")):
        return False
    if os.path.basename(environ.get("GIT_INDEX_FILE", "")).startswith("next-index-"):
        return False  # git's name for the index of a commit of named paths
    return not any(os.path.exists(os.path.join(location.git_dir, name)) for name in _BUSY)


def needs_sealing(location: RepositoryLocation) -> bool:
    """Whether there is a spool. Without one no daemon is needed."""
    with suppress(OSError):
        return any(name.endswith(".jsonl") for name in os.listdir(os.path.join(location.local, "spool")))
    return False


def something_is_staged(root: str) -> bool:
    """Whether the index differs from HEAD. Raises GitFailure."""
    return _git(root, "diff", "--cached", "--quiet", "--no-ext-diff", ok=(0, 1)).code == 1


def stage_new_segments(root: str) -> list[str]:
    """Stage the segments that git does not know yet, and return them, relative to the root. Raises GitFailure.

    With the first ones the files that they need are staged.
    """
    out = _git(root, "ls-files", "-z", "--others", "--exclude-standard", "--", _SESSIONS, *_NEEDED).out
    names = out.decode("utf-8", "surrogateescape").split("\0")
    fresh = [name for name in names if name.startswith(_SESSIONS) and name.endswith(".jsonl")]
    new = [*fresh, *(name for name in names if name in _NEEDED)] if fresh else []
    for first in range(0, len(new), _MAX_PATHS):
        _git(root, "--literal-pathspecs", "add", "--", *new[first : first + _MAX_PATHS])
    return fresh


def _seal(root: str) -> str:
    """Make the daemon seal all sessions of the work tree within the budget. Returns the failure, "" for none."""
    failures: list[str] = []
    done = _thread.allocate_lock()
    done.acquire()

    def work() -> None:
        try:
            from muninn_core.client import call

            call(root, os.environ, "seal", {}, repeatable=True, name="hook git-pre-commit")
        except MuninnError as error:
            failures.append(error.line)
        except Exception as error:  # report errors of the thread; the commit continues
            failures.append(f"{type(error).__name__}: {error}")
        finally:
            done.release()

    _thread.start_new_thread(work, ())
    if not done.acquire(timeout=BUDGET_SECONDS):
        return f"no answer within {BUDGET_SECONDS:g} s; the memory goes into a later commit"
    return failures[0] if failures else ""


def _log(root: str, failure: str) -> None:
    if root:
        hook_log.append(root, "git-pre-commit", failure)


class _Done:
    def __init__(self, code: int, out: bytes) -> None:
        self.code = code
        self.out = out


def _git(root: str, *arguments: str, ok: tuple[int, ...] = (0,)) -> _Done:
    """Run git with the environment that git gave the hook: GIT_INDEX_FILE names the index of this commit."""
    import subprocess

    command = ["git", "-c", "core.quotePath=false", *arguments]
    pipes: dict[str, Any] = {
        "stdin": subprocess.DEVNULL,
        "stdout": subprocess.PIPE,
        "stderr": subprocess.PIPE,
    }
    with subprocess.Popen(command, cwd=root, **pipes) as process:
        try:
            out, err = process.communicate(timeout=_SECONDS_FOR_GIT)
        except subprocess.TimeoutExpired:
            process.terminate()  # not killed: git removes its lock files on SIGTERM
            raise GitFailure(f"git {arguments[0]} took more than {_SECONDS_FOR_GIT:g} s") from None
    if process.returncode not in ok:
        raise GitFailure(f"git {arguments[0]} failed: {err.decode('utf-8', 'replace').strip()}")
    return _Done(process.returncode, out)
