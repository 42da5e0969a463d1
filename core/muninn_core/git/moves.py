"""Under which names files went on: git's rename detection, commit by commit."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from muninn_core.git.run import PATHS_A_CALL, call, run, text_of

_MOST_RENAMES = 8
"""How many names a file is followed through."""


def followed(root: Path, commit: str, path: str) -> str | None:
    """Return the name that a commit's file has at HEAD, by the renames of the commits since; None when it has none.

    Unlike `changes`, which compares both ends, it also finds a file that has little in common with what it once was.
    """
    since = commit
    for _ in range(_MOST_RENAMES):
        sha = _last_removal(root, since, path)
        if not sha:
            return None
        how = ("-r", "-z", "-M", "--diff-filter=R", "--name-status", "--no-commit-id", f"{sha}^1", sha)
        fields = run(str(root), "diff-tree", *how, check=False).split("\0")
        names = dict(zip(fields[1::3], fields[2::3], strict=False))
        if path not in names:
            return None
        since, path = sha, names[path]
        if call(str(root), "cat-file", "-e", f"HEAD:{path}").returncode == 0:
            return path
    return None


def _last_removal(root: Path, since: str, path: str) -> str:
    """Return the newest commit that took a name away.

    Git's usual walk leaves out branches that never had the name, and may end up on one of them: then the first parents
    are walked.
    """
    how = ("--no-renames", "--diff-filter=D", "--format=%H", f"{since}..HEAD", "--", path)
    usual = run(str(root), "log", "-1", *how, check=False).strip()
    return usual or run(str(root), "log", "-1", "--first-parent", *how, check=False).strip()


def removals(root: Path, paths: Iterable[str], *, after: str | None, since: str | None) -> dict[str, str]:
    """Return {path: the newest commit that took its name away}, of those that some commit took away.

    Commits that `after` has are not looked at, nor those older than `since` (RFC 3339).
    """
    wanted = sorted(set(paths))
    span = [f"{after}..HEAD" if after else "HEAD", *([f"--since={since}"] if since else [])]
    how = ("--no-renames", "--diff-filter=D", "--name-only", "-z", "--format=%x01%H")
    found: dict[str, str] = {}
    for first in range(0, len(wanted), PATHS_A_CALL):
        some = wanted[first : first + PATHS_A_CALL]
        out = text_of(call(str(root), "--literal-pathspecs", "log", *span, *how, "--", *some).stdout)
        for entry in out.split("\x01")[1:]:
            sha, *names = (field.strip("\n") for field in entry.split("\0"))
            for name in filter(None, names):
                found.setdefault(name, sha)
    return found


def renames(root: Path, commits: Iterable[str]) -> dict[tuple[str, str], str]:
    """Return {(commit, old name): new name} of the files that each commit renamed; of a merge none."""
    asked = "".join(f"{commit}\n" for commit in dict.fromkeys(commits))
    if not asked:
        return {}
    how = ("--stdin", "-r", "-z", "-M", "--diff-filter=R", "--name-status")
    fields = iter(text_of(call(str(root), "diff-tree", *how, stdin=asked).stdout).split("\0"))
    found: dict[tuple[str, str], str] = {}
    commit = ""
    for field in fields:
        if field.startswith("R"):
            old = next(fields)
            found[commit, old] = next(fields)
        elif field:
            commit = field
    return found
