"""Draft files: a person writes a memory into one, in any editor. They are in an ignored folder of the work tree.

The file's name is the memory's key, so saving a draft again stores nothing twice.
"""

from __future__ import annotations

from pathlib import Path

from muninn_core.context.editor.draft import draft_text, places_of
from muninn_core.engine.memory.drafting.drafts import check_kind
from muninn_core.engine.memory.lookup import memory_of
from muninn_core.model.citation import place
from muninn_core.model.memory import KINDS, Memory
from muninn_core.protocol.families.editor import DraftParams, DraftResult
from muninn_core.store.files.disk import make_private_folder, translate_errors, write_atomic
from muninn_core.store.files.layout import DRAFTS, Layout
from muninn_core.worktree.paths import relative_path
from muninn_core.worktree.workspace import Workspace

MAX_DRAFTS = 50
"""The most drafts; the oldest are deleted."""


def folder(layout: Layout) -> Path:
    """Return the folder of drafts."""
    return layout.local / DRAFTS


def draft(workspace: Workspace, params: DraftParams, name: str) -> DraftResult:
    """Write a new draft file. Raises BadParams for an unknown kind or a path outside the root, NotFoundError for an
    unknown memory in `supersedes`, StorageError or ReadOnlyError.
    """
    check_kind(params.type, (*KINDS, *workspace.config.memory.kinds))
    path = relative_path(params.path, workspace.layout.root) if params.path else ""
    replaced = memory_of(workspace.memory.all(), params.supersedes) if params.supersedes else None
    text = draft_text(params.type, _places(workspace, path, params, replaced), replaced)
    drafts = folder(workspace.layout)
    with translate_errors(drafts):
        make_private_folder(drafts)
        for old in sorted(drafts.glob("*.md"))[: -MAX_DRAFTS + 1]:
            old.unlink(missing_ok=True)
    file = drafts / f"{name}.md"
    write_atomic(file, text.encode())
    return DraftResult(path=str(file), text=text, saw=workspace.read_state())


def _places(workspace: Workspace, path: str, params: DraftParams, replaced: Memory | None) -> list[str]:
    """Return the given place, and in other files and lines those of the memory that is superseded."""
    given = [place(path, params.start, max(params.start, params.end))] if path else []
    if replaced is None:
        return given
    kept = places_of(replaced, workspace.citations.checker().cites(replaced))
    return [*given, *(each for each in kept if each not in (*given, path))]
