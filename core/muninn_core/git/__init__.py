"""What Muninn asks of git, the only package that runs it; every call is a read that takes no lock.

`git.log` is apart: a history as a stream.
"""

from muninn_core.git.batch import FileChanges, Objects
from muninn_core.git.deleted_paths import removals, renames
from muninn_core.git.diff import Changes, FileChange, Hunk, changed_files, changed_spans, changes, hunks
from muninn_core.git.follow import RenameTrail
from muninn_core.git.history import (
    Commit,
    Ref,
    commit_of,
    commit_time,
    commits,
    is_ancestor,
    is_shallow,
    merge_base,
    refs,
    reverted,
    unreachable,
)
from muninn_core.git.objects import BlobChange, Entry, blob, blob_changes, holds, list_tree, read_blobs, tips, tree_ids
from muninn_core.git.patch import Touched, read_patch, touched_by
from muninn_core.git.run import GitError, stream
from muninn_core.git.worktree import Head, HeadReader, head, hooks_folder, ignored, list_files, naming, noted, untracked

__all__ = [
    "BlobChange",
    "Changes",
    "Commit",
    "Entry",
    "FileChange",
    "FileChanges",
    "GitError",
    "Head",
    "HeadReader",
    "Hunk",
    "Objects",
    "Ref",
    "RenameTrail",
    "Touched",
    "blob",
    "blob_changes",
    "changed_files",
    "changed_spans",
    "changes",
    "commit_of",
    "commit_time",
    "commits",
    "head",
    "holds",
    "hooks_folder",
    "hunks",
    "ignored",
    "is_ancestor",
    "is_shallow",
    "list_files",
    "list_tree",
    "merge_base",
    "naming",
    "noted",
    "read_blobs",
    "read_patch",
    "refs",
    "removals",
    "renames",
    "reverted",
    "stream",
    "tips",
    "touched_by",
    "tree_ids",
    "unreachable",
    "untracked",
]
