"""Draft files: a person writes a memory into one, in any editor. They are in an ignored folder of the work tree.

The file's name is the memory's key, so saving a draft again stores nothing twice.
"""

from __future__ import annotations

from pathlib import Path

from muninn_core.context.editor.draft import draft_text
from muninn_core.engine.memory.drafting.drafts import check_kind
from muninn_core.engine.memory.lookup import memory_of
from muninn_core.model.memory import KINDS
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
    text = draft_text(params.type, path, params.start, params.end, replaced)
    place = folder(workspace.layout)
    with translate_errors(place):
        make_private_folder(place)
        for old in sorted(place.glob("*.md"))[: -MAX_DRAFTS + 1]:
            old.unlink(missing_ok=True)
    file = place / f"{name}.md"
    write_atomic(file, text.encode())
    return DraftResult(path=str(file), text=text, saw=workspace.read_state())
