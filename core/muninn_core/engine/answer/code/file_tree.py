"""The files of the work tree that the index has: as a tree of folders, and as a filtered list."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime

from muninn_core.engine.answer.code.code_map import read_index
from muninn_core.errors import BadParams, NotFoundError
from muninn_core.index.snapshot import Snapshot
from muninn_core.model.answer import ReadState
from muninn_core.model.chunk import SourceKind
from muninn_core.near_match import nearest_path
from muninn_core.protocol.families.files import FilesParams, FilesResult, ListedFile, TreeEntry, TreeParams, TreeResult
from muninn_core.retrieval.query.filters import compile_filters, wrong_value
from muninn_core.retrieval.query.query_language import Filter
from muninn_core.source.files.path_containment import can_name_file
from muninn_core.source.files.qualified import bare
from muninn_core.worktree.paths import relative_path
from muninn_core.worktree.workspace import Workspace

File = tuple[str, SourceKind, str]
"""The path, kind and language of a file."""

_NO_TIME = datetime.fromtimestamp(0, UTC)
"""Filters on files have no time."""


def tree(workspace: Workspace, params: TreeParams) -> TreeResult:
    """Return folders and files, upper levels first where the limit cuts. Raises NotFoundError for an unknown folder."""
    top = folder_within(params.path, workspace)
    snapshot, saw = read_index(workspace)
    return as_tree([path for path, _, _ in passing_files(snapshot)], top, params, saw)


def as_tree(known: Sequence[str], top: str, params: TreeParams, saw: ReadState, prefix: str = "") -> TreeResult:
    """Return the tree of some files below the folder `top`, "" for the root. Raises NotFoundError without a file there.

    `prefix` comes before each path of the result.
    """
    within = [path for path in known if not top or path.startswith(f"{top}/")]
    if top and not within:
        raise _no_folder(top, known, prefix)
    folders: Counter[str] = Counter()
    entries: dict[str, int] = {}
    for path in within:
        parts = path[len(top) + 1 if top else 0 :].split("/")
        folders.update("/".join(parts[:level]) + "/" for level in range(1, min(len(parts), params.depth + 1)))
        if len(parts) <= params.depth:
            entries["/".join(parts)] = 0
    entries |= folders
    chosen = sorted(entries, key=lambda name: (name.rstrip("/").count("/"), name))[: params.limit]
    before = prefix + (f"{top}/" if top else "")
    return TreeResult(
        path=prefix + top or ".",
        entries=tuple(TreeEntry(path=before + name, files=entries[name]) for name in sorted(chosen)),
        files=len(within),
        omitted=len(entries) - len(chosen),
        saw=saw,
    )


def list_files(workspace: Workspace, params: FilesParams) -> FilesResult:
    """Return the files that pass, by path. Raises BadParams for an invalid glob or an unknown language."""
    snapshot, saw = read_index(workspace)
    return page_of(passing_files(snapshot, params.path, params.lang, params.kind), params, saw)


def page_of(found: Sequence[File], params: FilesParams, saw: ReadState) -> FilesResult:
    """Return a page of files."""
    shown = found[params.offset : params.offset + params.limit]
    return FilesResult(
        files=tuple(ListedFile(path=path, kind=kind, language=language) for path, kind, language in shown),
        total=len(found),
        omitted=max(0, len(found) - params.offset - len(shown)),
        saw=saw,
    )


def folder_within(path: str, workspace: Workspace) -> str:
    """Return a folder relative to the root, "" for the root itself. Raises BadParams for one outside the work tree."""
    is_root = path in ("", ".", "./") or path.rstrip("/") == str(workspace.layout.root)
    return "" if is_root else relative_path(path, workspace.layout.root)


def passing_files(
    snapshot: Snapshot, globs: Sequence[str] = (), languages: Sequence[str] = (), kind: SourceKind | None = None
) -> list[File]:
    """Return the work tree's files that any glob and any language passes. Raises BadParams.

    Files that are indexed from outside the work tree have absolute paths. They are left out.
    """
    return passing(snapshot.paths(), globs, languages, kind)


def passing(
    files: Iterable[File], globs: Sequence[str], languages: Sequence[str], kind: SourceKind | None
) -> list[File]:
    """Return the files that any glob and any language passes, but not those with absolute paths. Raises BadParams."""
    asked = {"path": tuple(globs), "lang": tuple(languages), "kind": (kind,) if kind else ()}
    for key, values in asked.items():
        for value in values:
            if problem := wrong_value(key, value, ()):
                raise BadParams(problem, hint="A glob is like in .gitignore: src/**, *.py." if key == "path" else "")
    filters = [Filter(key=key, values=values) for key, values in asked.items() if values]
    passes = compile_filters(filters, _NO_TIME).file
    return [file for file in files if can_name_file(bare(file[0])) and passes(*file)]


def _no_folder(top: str, paths: Sequence[str], prefix: str) -> NotFoundError:
    folders = {path.rpartition("/")[0] for path in paths} - {""}
    near = top.rpartition("/")[0] if top in paths else nearest_path(top, folders)
    hint = f"Did you mean {prefix}{near}?" if near else "`muninn tree` shows the folders."
    what = "is a file" if top in paths else "is no folder with indexed files"
    return NotFoundError(f"{prefix}{top} {what}", hint=hint)
