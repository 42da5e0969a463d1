"""Differences between two commits, or between a commit and the work tree."""

from __future__ import annotations

import re
import sys
from pathlib import Path

from muninn_core.git.partial import is_partial
from muninn_core.git.run import decode, git_error, run_process
from muninn_core.model.value import Value


class FileChange(Value):
    """A file that differs between two commits. `old_path` is None for a new file, `new_path` for a deleted one."""

    old_path: str | None
    new_path: str | None
    old_oid: str
    new_oid: str


def changed_files(root: Path, before: str, after: str) -> tuple[FileChange, ...]:
    """Return the files that differ between two commits, with renames detected, sorted by path. Raises GitError.

    In a partial clone that lacks the contents, a renamed file is a deleted and a new one.
    """
    options = ("--raw", "-z", "--no-abbrev", "--no-ext-diff")
    done = run_process(str(root), "diff", *options, "-M", before, after, "--")
    if done.returncode != 0 and is_partial(root):
        done = run_process(str(root), "diff", *options, "--no-renames", before, after, "--")
    if done.returncode != 0:
        raise git_error("diff", done)
    fields = iter(decode(done.stdout).split("\0"))
    found = []
    for facts in fields:
        if not facts:
            break
        _, _, before_oid, after_oid, status = facts.split(" ")
        first = next(fields)
        second = next(fields) if status[0] in "RC" else first
        found.append(
            FileChange(
                old_path=None if status[0] in "AC" else first,
                new_path=None if status[0] == "D" else second,
                old_oid=before_oid,
                new_oid=after_oid,
            )
        )
    return tuple(found)


def changed_spans(root: Path, before_oid: str, after_oid: str) -> tuple[tuple[int, int], ...]:
    """Return the lines (1-based, inclusive) of `before_oid` that `after_oid` deletes or changes.

    Pure insertions are left out. The input is the output of `diff -U0`. Every line counts as changed when a partial
    clone lacks one of the contents. Raises GitError.
    """
    done = run_process(str(root), "diff", "-U0", "--no-color", "--no-ext-diff", "--no-textconv", before_oid, after_oid)
    if done.returncode != 0 and is_partial(root):
        return ((1, sys.maxsize),)
    if done.returncode != 0:
        raise git_error("diff", done)
    out = done.stdout
    found = []
    for line in out.split(b"\n"):
        if line.startswith(b"@@ -"):
            start, _, count = line.split(b" ", 2)[1][1:].decode("ascii").partition(",")
            length = int(count) if count else 1
            if length:
                found.append((int(start), int(start) + length - 1))
    return tuple(found)


class WorktreeChanges(Value):
    """Differences between a commit and the work tree: {old path: new path} of renames, and new or changed paths."""

    renamed: dict[str, str]
    changed: frozenset[str]


class Hunk(Value):
    """A replacement: `count` lines from `start` became `new_count` lines from `new_start` (1-based)."""

    start: int
    count: int
    new_start: int
    new_count: int


_HUNK = re.compile(r"^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@", re.M)


_PLAIN_DIFF = ("diff", "--no-color", "--no-ext-diff", "--no-textconv")


def worktree_changes(root: Path, commit: str) -> WorktreeChanges | None:
    """Compare a commit with the work tree, by path; None when the commit does not exist.

    Git detects a rename when at least half of the content is unchanged (git-diff(1), `-M`). Without the contents, in a
    partial clone, there are no renames.
    """
    options = (*_PLAIN_DIFF, "--name-status", "-z", "--ignore-submodules")
    done = run_process(str(root), *options, "-M", f"{commit}^{{commit}}", "--", worktree=True)
    if done.returncode != 0 and is_partial(root):
        done = run_process(str(root), *options, "--no-renames", f"{commit}^{{commit}}", "--", worktree=True)
    if done.returncode != 0:
        return None
    fields = iter(decode(done.stdout).split("\0"))
    renamed, changed = {}, set()
    for status in fields:
        if not status:
            break
        path = next(fields)
        if status[0] in "RC":
            now = next(fields)
            changed.add(now)
            if status[0] == "R":
                renamed[path] = now
        elif status[0] != "D":
            changed.add(path)
    return WorktreeChanges(renamed=renamed, changed=frozenset(changed))


def diff_hunks(root: Path, commit: str, path: str, now: str) -> tuple[Hunk, ...] | None:
    """Return the hunks from a commit's file to the work tree's `now`, in order; whitespace changes are ignored.

    Return None when the commit does not contain `path`.
    """
    done = run_process(str(root), *_PLAIN_DIFF, "-M", "-w", "-U0", f"{commit}:{path}", "--", now, worktree=True)
    if done.returncode != 0:
        return None
    return tuple(
        Hunk(start=int(old), count=int(size or 1), new_start=int(new), new_count=int(new_size or 1))
        for old, size, new, new_size in _HUNK.findall(done.stdout.decode("utf-8", "replace"))
    )
