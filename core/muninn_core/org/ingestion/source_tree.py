"""Reads a commit of a repository: the files to be indexed and the folded memories. Bare repositories are read, too."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

from muninn_core import git
from muninn_core.config import IndexConfig, read_config
from muninn_core.gitignore import EXPORT_LIST
from muninn_core.model.memory import Memory
from muninn_core.retrieval.decay import is_recallable
from muninn_core.source.documents.knowledge_readme import PATH, readme_blobs
from muninn_core.source.files.path_containment import is_utf8
from muninn_core.source.listing.ignore import (
    ALWAYS_INDEXED,
    BINARY_SUFFIXES,
    IGNORE_FILE,
    MAX_IGNORE_BYTES,
    NEVER_INDEXED,
    IgnoreTree,
    is_pack_internal,
)
from muninn_core.store.files.lines import read_lines
from muninn_core.store.folding.fold import Fold
from muninn_core.worktree.history.revisions import MEMORY, record_files

_CONFIG = ".muninn/config.yaml"
_LINK = "120000"


class SourceTree(NamedTuple):
    """A commit: its id and time, {path: blob id} of the files to be indexed, its memories, and the limit on files."""

    commit: str
    time: datetime
    files: Mapping[str, str]
    memories: Mapping[str, Memory]
    most: int


def read_tree(root: Path, rev: str) -> SourceTree:
    """Read a commit by the rules of the local index: sizes, ignore files and the settings of its `config.yaml`.

    Raises NotFoundError for an unknown revision, GitError.
    """
    commit = git.resolve_commit(root, rev)
    entries = [entry for entry in git.list_tree(root, commit) if entry.mode != _LINK]
    config, _ = read_config((git.read_blob(root, commit, _CONFIG) or b"").decode("utf-8", "replace"))
    settings = config.index
    with tempfile.TemporaryDirectory(prefix="muninn-org-") as folder:
        _write_ignore_files(root, Path(folder), entries)
        ignore = IgnoreTree(Path(folder), (IGNORE_FILE,), settings.exclude)
        files = {each.path: each.oid for each in entries if _is_indexed(each, ignore, settings)}
    return SourceTree(commit, git.commit_time(root, commit), files, _memories(root, commit), settings.max_file_bytes)


def recallable(memories: Mapping[str, Memory]) -> list[Memory]:
    """Return the memories that can be found now."""
    now = datetime.now(UTC)
    return [each for each in memories.values() if is_recallable(each, now)]


def _write_ignore_files(root: Path, folder: Path, entries: Sequence[git.Entry]) -> None:
    """Write the ignore files of a commit into a folder, where `IgnoreTree` reads them."""
    wanted = {
        entry.oid: entry.path
        for entry in entries
        if entry.path.rpartition("/")[2] in (IGNORE_FILE, EXPORT_LIST) and entry.size <= MAX_IGNORE_BYTES
    }
    for oid, content in git.read_blobs(root, wanted):
        path = folder / wanted[oid]
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)


def _is_indexed(entry: git.Entry, ignore: IgnoreTree, settings: IndexConfig) -> bool:
    """Whether the local index would read a file, as far as its name and size tell."""
    path = entry.path
    own = path.startswith(tuple(f"{folder}/" for folder in ALWAYS_INDEXED))
    internal = path.startswith(tuple(f"{folder}/" for folder in NEVER_INDEXED)) and not own
    if internal or is_pack_internal(path) or "/.git/" in path or ".." in path.split("/"):
        return False
    if path == PATH and entry.oid in readme_blobs():
        return False
    if entry.size > settings.max_file_bytes or not (path.isprintable() or is_utf8(path)):
        return False
    if path.rpartition(".")[2].lower() in BINARY_SUFFIXES:
        return False
    return own or not (ignore.is_ignored(path) or ignore.is_excluded(path))


def _memories(root: Path, commit: str) -> Mapping[str, Memory]:
    """Return the memories of a commit, folded from main.jsonl and the sealed segments."""
    tree = git.tree_ids(root, [commit], MEMORY).get(commit)
    if tree is None:
        return {}
    fold = Fold()
    for oid, content in git.read_blobs(root, [entry.oid for entry in record_files(git.list_tree(root, tree))]):
        fold.add(read_lines(content, oid).records, sealed=True)
    return dict(fold.state().memories)
