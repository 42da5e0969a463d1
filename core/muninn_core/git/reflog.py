"""Commits that were made in a work tree, told apart from those that a pull, a merge or a switch brought, by HEAD's
reflog."""

from __future__ import annotations

import re
from pathlib import Path

from muninn_core.git.history import LOG_OPTIONS, Commit, list_commits, parse_commits
from muninn_core.git.run import decode, git_error, run, run_process

MAX_MOVES = 1_000
"""The newest entries of HEAD's reflog that are read."""

_BROUGHT = re.compile(
    r"(?:checkout|reset|clone|initial pull|branch)\b|(?:merge|pull|rebase|cherry-pick)\b.*: fast-forward$"
    r"|(?:pull|rebase)\b[^(]*\((?:start|finish|abort|reset|label|autostash)\)|rebase finished:|rebase: checkout ",
    re.IGNORECASE,
)
"""Entries that move HEAD to a commit that existed before. All others tell of a commit that was made."""


def own_commits(root: Path, since: str | None, until: str, limit: int) -> tuple[Commit, ...]:
    """Return the commits made in this work tree that `until`, its HEAD, has and `since` does not, oldest first.

    They include those of a side branch that was merged, and exclude those that were made elsewhere and pulled. At most
    the newest `limit` are returned. Without a reflog that ends at `until`, and where `since` is None or does not exist,
    these are the commits of `list_commits`. Raises GitError.
    """
    made = _made(root, until)
    if since is None or made is None or not _exists(root, since):
        return list_commits(root, since, until, limit)
    listed = run(str(root), "rev-list", "--topo-order", f"{since}..{until}", "--").split()
    return _read(root, [commit for commit in listed if commit in made][:limit])


def _made(root: Path, head: str) -> set[str] | None:
    """Return the commits that HEAD's reflog says were made; None for no reflog, or one that does not end at `head`."""
    done = run_process(str(root), "log", "--walk-reflogs", f"--max-count={MAX_MOVES}", "--format=%H %gs", "HEAD", "--")
    moves = [line.partition(" ")[::2] for line in decode(done.stdout).splitlines()] if done.returncode == 0 else []
    if not moves or moves[0][0] != head:
        return None
    return {commit for commit, message in moves if not _BROUGHT.match(message)}


def _exists(root: Path, commit: str) -> bool:
    return run_process(str(root), "cat-file", "-e", f"{commit}^{{commit}}").returncode == 0


def _read(root: Path, commits: list[str]) -> tuple[Commit, ...]:
    """Return commits, newest first, in the opposite order."""
    if not commits:
        return ()
    given = "".join(f"{commit}\n" for commit in commits)
    done = run_process(str(root), "log", "--no-walk=unsorted", "--stdin", *LOG_OPTIONS, stdin=given)
    if done.returncode != 0:
        raise git_error("log", done)
    return parse_commits(decode(done.stdout))
