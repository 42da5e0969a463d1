"""What differs between two commits, or between a commit and the work tree."""

from __future__ import annotations

import re
from pathlib import Path

from muninn_core.git.run import call, run, text_of
from muninn_core.model.value import Value


class FileChange(Value):
    """A file that two commits have differently. `path` is None when it is new, `now` when it is gone."""

    path: str | None
    now: str | None
    before_oid: str
    after_oid: str


def changed_files(root: Path, before: str, after: str) -> tuple[FileChange, ...]:
    """Return the files that two commits have differently, renames found, in the order of their paths."""
    out = run(str(root), "diff", "--raw", "-z", "-M", "--no-abbrev", "--no-ext-diff", before, after, "--")
    fields = iter(out.split("\0"))
    found = []
    for facts in fields:
        if not facts:
            break
        _, _, before_oid, after_oid, status = facts.split(" ")
        first = next(fields)
        second = next(fields) if status[0] in "RC" else first
        found.append(
            FileChange(
                path=None if status[0] in "AC" else first,
                now=None if status[0] == "D" else second,
                before_oid=before_oid,
                after_oid=after_oid,
            )
        )
    return tuple(found)


def changed_spans(root: Path, before_oid: str, after_oid: str) -> tuple[tuple[int, int], ...]:
    """Return the lines (1-based, inclusive) of one content that another one lacks or has differently.

    Lines that were only added between two others change neither. The format is that of `diff -U0`.
    """
    out = call(str(root), "diff", "-U0", "--no-color", "--no-ext-diff", "--no-textconv", before_oid, after_oid).stdout
    found = []
    for line in out.split(b"\n"):
        if line.startswith(b"@@ -"):
            start, _, count = line.split(b" ", 2)[1][1:].decode("ascii").partition(",")
            length = int(count) if count else 1
            if length:
                found.append((int(start), int(start) + length - 1))
    return tuple(found)


class Changes(Value):
    """What differs between a commit and the work tree: files that have another name now, and new or changed ones."""

    renamed: dict[str, str]
    changed: frozenset[str]


class Hunk(Value):
    """Lines that were replaced: `count` old ones from `start` by `now_count` from `now_start` (1-based)."""

    start: int
    count: int
    now_start: int
    now_count: int


_HUNK = re.compile(r"^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@", re.M)


_PLAIN_DIFF = ("diff", "--no-color", "--no-ext-diff", "--no-textconv", "-M")


def changes(root: Path, commit: str) -> Changes | None:
    """Compare a commit with the work tree, by the names of files; None when the commit is not there.

    A file is renamed when git finds at least half of it under another name (git-diff, `-M`).
    """
    done = call(str(root), *_PLAIN_DIFF, "--name-status", "-z", "--ignore-submodules", f"{commit}^{{commit}}", "--")
    if done.returncode != 0:
        return None
    fields = iter(text_of(done.stdout).split("\0"))
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
    return Changes(renamed=renamed, changed=frozenset(changed))


def hunks(root: Path, commit: str, path: str, now: str) -> tuple[Hunk, ...] | None:
    """Return what was replaced in a file since a commit, in order, blanks aside; `now` is its name in the work tree.

    None when the commit does not have it.
    """
    done = call(str(root), *_PLAIN_DIFF, "-w", "-U0", f"{commit}:{path}", "--", now)
    if done.returncode != 0:
        return None
    return tuple(
        Hunk(start=int(old), count=int(size or 1), now_start=int(new), now_count=int(new_size or 1))
        for old, size, new, new_size in _HUNK.findall(done.stdout.decode("utf-8", "replace"))
    )
