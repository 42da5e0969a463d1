"""Confirms that a memory still holds: it then cites the current code, and names moved files by their present paths.

Only this and `verify` with `fix` store new places of citations.
"""

from __future__ import annotations

import math
from typing import Any

from muninn_core.engine.memory.drafting.cites import anchor, files_now, slim_cites
from muninn_core.engine.memory.lookup import memory_of
from muninn_core.errors import BadParams
from muninn_core.model.citation import Citation
from muninn_core.model.memory import Cite, Memory
from muninn_core.protocol.families.memory import MemoryDraft
from muninn_core.protocol.families.review import ConfirmParams, ConfirmResult
from muninn_core.reconcile.citations.judgement import make_cite
from muninn_core.worktree.call_context import CallContext
from muninn_core.worktree.citations.citations import Citations, cites_of
from muninn_core.worktree.citations.overlays import with_overlays
from muninn_core.worktree.paths import relative_path
from muninn_core.worktree.workspace import Workspace


def confirm(workspace: Workspace, params: ConfirmParams, call: CallContext) -> ConfirmResult:
    """Update a memory's citations and files to the current code. Raises NotFoundError and what `_confirmed` raises.

    A merged memory shows the citations of its sources, so the stale ones are removed from these.
    """
    known = workspace.memory.all()
    memory = memory_of(known, params.id)
    cites = _confirmed(workspace, memory, params, call)
    merged = [known[each] for each in memory.sources if each in known]
    kept = [(each, [cite for cite in cites_of(each) if cite in cites]) for each in merged]
    checker = with_overlays(workspace.citations, call.buffers).checker(math.inf)
    updates = [_update(each, cites, files_now(each, checker), call) for each, cites in [(memory, cites), *kept]]
    changes = [record for record in updates if record is not None]
    if changes:
        workspace.memory.append(changes, params.session, scope=memory.scope)
    memory = workspace.memory.all()[memory.id]
    return ConfirmResult(memory=memory, cites=_judged(workspace.citations, memory, call), saw=workspace.read_state())


def _confirmed(workspace: Workspace, memory: Memory, params: ConfirmParams, call: CallContext) -> list[Cite]:
    """Return the new cites of a memory: fresh ones unchanged, drifted and moved ones at their current lines.

    Given places replace all stale ones. Raises BadParams when cited code is gone and no place is given.
    """
    citations = with_overlays(workspace.citations, call.buffers)
    checker, commit = citations.checker(math.inf), workspace.head.read().commit

    placed = anchor(
        MemoryDraft(text=memory.text, cites=params.cites),
        citations,
        lambda path: relative_path(path, workspace.layout.root),
        commit,
    ).cites
    cites: list[Cite] = []
    for cite, now in zip(cites_of(memory), checker.cites(memory), strict=True):
        if now.state in ("fresh", "unchecked"):
            cites.append(cite)
        elif placed and now.state in ("drifted", "gone"):
            continue
        elif now.state == "gone":
            raise BadParams(
                f"the code that this memory cites is gone: {now.place}",
                hint="Give the place that it is about now (`cites`), or forget it.",
            )
        elif not now.start:
            cites.append(Cite(path=now.path, symbol=cite.symbol, commit=commit))
        else:
            cites.append(make_cite(now.path, checker.page(now.path), now.start, now.end, commit))
    return list(dict.fromkeys([*cites, *placed]))


def _update(memory: Memory, cites: list[Cite], files: tuple[str, ...], call: CallContext) -> dict[str, Any] | None:
    """Return the record of the update, None when nothing changes."""
    fields: dict[str, Any] = {"cites": slim_cites(cites)} if tuple(cites) != cites_of(memory) else {}
    fields |= {"files": list(files)} if files != memory.files else {}
    if not fields:
        return None
    return {"type": "update", "target": memory.id, "set": fields, "actor": call.actor or "user"}


def _judged(citations: Citations, memory: Memory, call: CallContext) -> tuple[Citation, ...]:
    """Return the judged citations of a memory."""
    return with_overlays(citations, call.buffers).checker(math.inf).cites(memory)
