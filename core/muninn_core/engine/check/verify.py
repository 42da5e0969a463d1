"""Checks all citations of a work tree, and updates memories whose cited code has moved.

Only `verify` with `fix` stores a citation's new place; answers only report it.
"""

from __future__ import annotations

import math
from typing import Any

from muninn_core.engine.memory.drafting.cites import files_now, slim_cites
from muninn_core.engine.memory.lookup import memory_of
from muninn_core.model.citation import Citation
from muninn_core.model.counting import number_of
from muninn_core.model.memory import Memory
from muninn_core.model.value import replace
from muninn_core.protocol.families.review import Verified, VerifyParams, VerifyResult
from muninn_core.worktree.call_context import CallContext
from muninn_core.worktree.citations.citations import CitationCheck, cites_of
from muninn_core.worktree.workspace import Workspace

ORDER = ("gone", "drifted", "unchecked", "moved", "fresh")
"""Citation states, the one that most needs a person first."""


def verify(workspace: Workspace, params: VerifyParams, call: CallContext) -> VerifyResult:
    """Judge the citations of one memory, or of all recallable ones; with `fix` store the new places of moved code.

    A merged memory shows the citations of its sources, so `fix` updates the sources too.
    """
    state = workspace.memory.log.state
    here = (memory for memory in workspace.memory.recallable().values() if memory.scope != "global")
    asked = [memory_of(state.memories, params.id)] if params.id else list(here)
    asked.sort(key=lambda memory: (memory.cites[0].path if memory.cites else "", memory.id))
    checker = workspace.citations.checker(math.inf)
    judged: dict[str, tuple[Citation, ...]] = {}
    call.report("begin", "checking citations")
    for number, memory in enumerate(asked):
        call.raise_if_cancelled()
        judged[memory.id] = checker.judge(memory, with_unchecked=True)
        if number % 100 == 0:
            call.report(
                "report", f"{number} of {number_of(len(asked), 'memory', 'memories')}", 100 * number // len(asked)
            )
    call.report("end", "checked")
    records: list[dict[str, Any]] = []
    fixed: set[str] = set()
    if params.fix:
        for memory in sorted(asked, key=lambda memory: memory.id):
            family = [memory, *(state.memories[source] for source in memory.sources if source in state.memories)]
            changes = [
                change for member in family if (change := _follow(member, checker, workspace.read_state().commit))
            ]
            fixed.update([memory.id] if changes else [])
            records += [{**change, "actor": call.actor or "user"} for change in changes]
    result = _result(workspace, asked, judged, fixed)
    if records:
        workspace.memory.append(records, params.session)
    return result


def _result(
    workspace: Workspace, asked: list[Memory], judged: dict[str, tuple[Citation, ...]], fixed: set[str]
) -> VerifyResult:
    states = dict.fromkeys(reversed(ORDER), 0)
    for citations in judged.values():
        for citation in citations:
            states[citation.state] += 1
    found = [
        Verified(id=memory.id, type=memory.type, title=memory.title, cites=judged[memory.id], fixed=memory.id in fixed)
        for memory in asked
        if any(citation.state != "fresh" for citation in judged[memory.id])
    ]
    found.sort(key=lambda entry: (min(ORDER.index(cite.state) for cite in entry.cites), entry.id))
    return VerifyResult(
        memories=len(asked), states=states, found=tuple(found), fixed=len(fixed), saw=workspace.read_state()
    )


def _follow(memory: Memory, checker: CitationCheck, commit: str | None) -> dict[str, Any] | None:
    """Return the record that updates a memory to the new places of its code, None when no code has moved."""
    cites = [
        replace(cite, path=now.path, start=now.start, end=now.end, commit=commit) if now.state == "moved" else cite
        for cite, now in zip(cites_of(memory), checker.cites(memory), strict=True)
    ]
    files = files_now(memory, checker)
    fields: dict[str, Any] = {"cites": slim_cites(cites)} if tuple(cites) != cites_of(memory) else {}
    fields.update({"files": list(files)} if files != memory.files else {})
    return {"type": "update", "target": memory.id, "set": fields} if fields else None
