"""Which commits took names of files away, and which new ones they gave."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from muninn_core.git.run import PATHS_A_CALL, call, text_of


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
