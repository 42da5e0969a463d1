"""Runs git. Only this package starts git processes; every call is a read that takes no lock.

`git.log` streams a history and is imported on its own.
"""

from muninn_core.git.author import Author, AuthorReader, first_authors
from muninn_core.git.batch import CommitTime, ObjectReader
from muninn_core.git.deleted_paths import find_deletions, find_renames
from muninn_core.git.diff import (
    FileChange,
    Hunk,
    WorktreeChanges,
    changed_files,
    changed_spans,
    diff_hunks,
    worktree_changes,
)
from muninn_core.git.follow import RenameTrail
from muninn_core.git.history import (
    Commit,
    Ref,
    commit_time,
    find_reverted,
    find_unreachable,
    is_ancestor,
    is_shallow,
    known_commits,
    list_commits,
    list_refs,
    merge_base,
    resolve_commit,
)
from muninn_core.git.objects import (
    BlobChange,
    Entry,
    blob_changes,
    existing_paths,
    list_ref_blobs,
    list_tree,
    read_blob,
    read_blobs,
    tree_ids,
    unmerged_blobs,
)
from muninn_core.git.patch import TouchedFile, read_diff, read_patch
from muninn_core.git.run import GitError, stream
from muninn_core.git.worktree import (
    Head,
    HeadReader,
    configured_root,
    files_containing,
    hooks_folder,
    ignored_paths,
    index_stamp,
    list_files,
    read_head,
    untracked_files,
)

__all__ = [
    "Author",
    "AuthorReader",
    "BlobChange",
    "Commit",
    "CommitTime",
    "Entry",
    "FileChange",
    "GitError",
    "Head",
    "HeadReader",
    "Hunk",
    "ObjectReader",
    "Ref",
    "RenameTrail",
    "TouchedFile",
    "WorktreeChanges",
    "blob_changes",
    "changed_files",
    "changed_spans",
    "commit_time",
    "configured_root",
    "diff_hunks",
    "existing_paths",
    "files_containing",
    "find_deletions",
    "find_renames",
    "find_reverted",
    "find_unreachable",
    "first_authors",
    "hooks_folder",
    "ignored_paths",
    "index_stamp",
    "is_ancestor",
    "is_shallow",
    "known_commits",
    "list_commits",
    "list_files",
    "list_ref_blobs",
    "list_refs",
    "list_tree",
    "merge_base",
    "read_blob",
    "read_blobs",
    "read_diff",
    "read_head",
    "read_patch",
    "resolve_commit",
    "stream",
    "tree_ids",
    "unmerged_blobs",
    "untracked_files",
    "worktree_changes",
]
