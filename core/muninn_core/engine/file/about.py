"""The memories about a line or a name of a work tree, with the reason why each memory is shown."""

from __future__ import annotations

import os
from collections.abc import Sequence
from datetime import datetime

from muninn_core.context.editor.hover import SHOWN, Shown, about_markdown
from muninn_core.engine.file.file_notes import remembered
from muninn_core.engine.file.place_memory import Remembered, nearest_first, of_file
from muninn_core.engine.file.uris import linker
from muninn_core.engine.memory.drafting.remember_notices import missing
from muninn_core.engine.memory.drafting.scopes import visible
from muninn_core.model.counting import number_of
from muninn_core.model.memory import Memory
from muninn_core.protocol.families.editor import AboutParams, AboutResult
from muninn_core.protocol.families.inspection import Mention
from muninn_core.retrieval.decay import is_recallable
from muninn_core.worktree.call_context import CallContext
from muninn_core.worktree.indexing.index_updater import IndexUpdater
from muninn_core.worktree.knowledge.bridges import BridgeCounts
from muninn_core.worktree.workspace import Workspace


def about(workspace: Workspace, params: AboutParams, call: CallContext, now: datetime) -> AboutResult:
    """Return what is remembered about a line or a name, as markdown; see `nearest_first`."""
    found = remembered(workspace, params.file, call, now)
    seen = visible(workspace.memory, None, None)

    def by_name(name: str) -> list[Memory]:
        named = workspace.memory.index.by_name(name)
        return [memory for memory in named if is_recallable(memory, now) and seen(memory)]

    ordered, more = nearest_first(found, params.line, params.name, by_name)
    ordered = labelled(workspace, ordered[:SHOWN]) + ordered[SHOWN:]
    is_file_level = params.line <= 1
    text = about_markdown(
        ordered,
        found.path,
        linker(workspace.layout.root, virtual=params.links),
        now,
        origin=workspace.origins.origin_of(found.path) if is_file_level else "",
        mentions=_mentions(workspace.updater, workspace.bridge_counts, found.path, ordered[:SHOWN])
        if is_file_level
        else (),
        more=more,
        rich=params.rich,
    )
    ids = tuple(shown.memory.id for shown in ordered[:SHOWN] if shown.memory is not None)
    exists = bool(text) or os.path.lexists(workspace.layout.root / found.path)
    notice = _rest(found.path, more) if more and not text else "" if exists else missing(found.path, workspace)
    return AboutResult(text=text, ids=ids, notice=notice, saw=workspace.read_state())


def _rest(path: str, more: int) -> str:
    return f"{number_of(more, 'memory is', 'memories are')} about other places of the file: `muninn about {path}`."


def whole_file(workspace: Workspace, found: Remembered) -> list[Shown]:
    """Return everything remembered about a file, in the order of `of_file`."""
    return labelled(workspace, of_file(found))


def labelled(workspace: Workspace, shown: list[Shown]) -> list[Shown]:
    """Return entries whose memories have the state of their commit, their author and their conflicts."""
    memories = [each.memory for each in shown if each.memory is not None]
    works = workspace.labelled(memories)
    by_id, opponents = {memory.id: memory for memory in works}, workspace.memory.opponents()
    return [
        each._replace(memory=by_id[each.memory.id], against=opponents.get(each.memory.id, ()))
        if each.memory is not None
        else each
        for each in shown
    ]


def _mentions(
    updater: IndexUpdater, bridge_counts: BridgeCounts, path: str, shown: Sequence[Shown]
) -> Sequence[Mention]:
    """Return the mentions of a file in other tools' memory, without documents that are already shown."""
    index = updater.index
    shown_paths = {each.document.path for each in shown if each.document is not None}
    found = bridge_counts.mentions(index.snapshot(), path) if index is not None else ()
    return [mention for mention in found if mention.path not in shown_paths]
