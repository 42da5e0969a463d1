"""Checking all citations of a work tree, and letting memories follow code that has moved.

It is the one place where a citation's new place is written down; answers only say it.
"""

from __future__ import annotations

import math
from typing import Any

from muninn_core.engine.memory.lookup import memory_of
from muninn_core.model.citation import Citation
from muninn_core.model.memory import Cite, Memory
from muninn_core.model.value import replace, to_plain
from muninn_core.protocol.review import Verified, VerifyParams, VerifyResult
from muninn_core.worktree.call import Call
from muninn_core.worktree.citations import CitationCheck, cites_of
from muninn_core.worktree.workspace import Workspace

ORDER = ("gone", "drifted", "unchecked", "moved", "fresh")
"""States from that which needs a person most."""


def verify(workspace: Workspace, params: VerifyParams, call: Call) -> VerifyResult:
    """Judge the citations of one memory, or of all recallable ones; with `fix` store the new places of moved code.

    A memory that speaks for others shows their citations, so theirs are fixed with its own.
    """
    state = workspace.memory.log.state
    asked = [memory_of(state.memories, params.id)] if params.id else list(workspace.memory.recallable().values())
    asked.sort(key=lambda memory: (memory.cites[0].path if memory.cites else "", memory.id))
    look = workspace.citations.checker(math.inf)
    judged: dict[str, tuple[Citation, ...]] = {}
    call.report("begin", "checking citations")
    for number, memory in enumerate(asked):
        call.raise_if_cancelled()
        judged[memory.id] = look.judge(memory)
        if number % 100 == 0:
            call.report("report", f"{number} of {len(asked)} memories", 100 * number // len(asked))
    call.report("end", "checked")
    records: list[dict[str, Any]] = []
    fixed: set[str] = set()
    if params.fix:
        for memory in sorted(asked, key=lambda memory: memory.id):
            family = [memory, *(state.memories[source] for source in memory.sources if source in state.memories)]
            changes = [found for one in family if (found := _follow(one, look, workspace.read_state().commit))]
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
        for one in citations:
            states[one.state] += 1
    found = [
        Verified(id=memory.id, type=memory.type, title=memory.title, cites=judged[memory.id], fixed=memory.id in fixed)
        for memory in asked
        if any(one.state != "fresh" for one in judged[memory.id])
    ]
    found.sort(key=lambda one: (min(ORDER.index(cite.state) for cite in one.cites), one.id))
    return VerifyResult(
        memories=len(asked), states=states, found=tuple(found), fixed=len(fixed), saw=workspace.read_state()
    )


def _follow(memory: Memory, look: CitationCheck, commit: str | None) -> dict[str, Any] | None:
    """Return the record by which a memory cites the places that its code has moved to, None when none has moved."""
    cites, renamed = [], {}
    for cite, now in zip(cites_of(memory), look.cites(memory), strict=True):
        if now.state == "moved":
            if not look.exists(cite.path):
                renamed[cite.path] = now.path
            cites.append(replace(cite, path=now.path, start=now.start, end=now.end, commit=commit))
        else:
            cites.append(cite)
    for one in look.files(memory):
        if one.state == "moved":
            renamed[one.was] = one.path
    files = tuple(dict.fromkeys(renamed.get(path, path) for path in memory.files))
    given: dict[str, Any] = {"cites": [_slim(cite) for cite in cites]} if tuple(cites) != cites_of(memory) else {}
    given.update({"files": list(files)} if files != memory.files else {})
    return {"type": "update", "target": memory.id, "set": given} if given else None


def _slim(cite: Cite) -> dict[str, Any]:
    return {name: value for name, value in to_plain(cite).items() if value not in (None, "")}
