"""Which commits deleted paths, and which new paths commits gave to renamed files."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from muninn_core.git.run import PATHS_PER_CALL, decode, run_process


def find_deletions(root: Path, paths: Iterable[str], *, after: str | None, since: str | None) -> dict[str, str]:
    """Return {path: newest commit that deleted it}; paths that no commit deleted are left out.

    `after` is a commit whose history is excluded. `since` (RFC 3339) excludes older commits.
    """
    wanted = sorted(set(paths))
    span = [f"{after}..HEAD" if after else "HEAD", *([f"--since={since}"] if since else [])]
    options = ("--no-renames", "--diff-filter=D", "--name-only", "-z", "--format=%x01%H")
    found: dict[str, str] = {}
    for first in range(0, len(wanted), PATHS_PER_CALL):
        batch = wanted[first : first + PATHS_PER_CALL]
        out = decode(run_process(str(root), "--literal-pathspecs", "log", *span, *options, "--", *batch).stdout)
        for entry in out.split("\x01")[1:]:
            sha, *names = (field.strip("\n") for field in entry.split("\0"))
            for name in filter(None, names):
                found.setdefault(name, sha)
    return found


def find_renames(root: Path, commits: Iterable[str]) -> dict[tuple[str, str], str]:
    """Return {(commit, old path): new path} of the files that each commit renamed. Merges are not examined."""
    stdin = "".join(f"{commit}\n" for commit in dict.fromkeys(commits))
    if not stdin:
        return {}
    options = ("--stdin", "-r", "-z", "-M", "--diff-filter=R", "--name-status")
    fields = iter(decode(run_process(str(root), "diff-tree", *options, stdin=stdin).stdout).split("\0"))
    found: dict[tuple[str, str], str] = {}
    commit = ""
    for field in fields:
        if field.startswith("R"):
            old = next(fields)
            found[commit, old] = next(fields)
        elif field:
            commit = field
    return found
