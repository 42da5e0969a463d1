"""The verb `evolve`: upkeep of memory as records with reasons, reported first, with an undo of the last run. An idle
daemon plans from time to time, too.

The records have `upkeep: true`, so that they do not count as a change of the memory's content, and `run`, the id of
their run. What they replace is in `was`.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Mapping
from datetime import datetime, timedelta
from typing import Any

from muninn_core.errors import MuninnError, NotFoundError, Stopping
from muninn_core.model.memory import Memory
from muninn_core.model.value import from_plain, to_plain
from muninn_core.protocol.families.reconciliation import EvolveParams, EvolveResult, EvolveStep
from muninn_core.protocol.families.session import GivenCounts
from muninn_core.reconcile.planning import comparison_cache
from muninn_core.reconcile.planning.plan import read_memory
from muninn_core.reconcile.planning.upkeep import Step, Use, plan
from muninn_core.store.records.ids import UlidGenerator
from muninn_core.store.records.record import Record
from muninn_core.store.records.timestamps import timestamp
from muninn_core.worktree.workspace import Workspace

log = logging.getLogger("muninn.upkeep")

AGENT = "evolve/1"

Counts = Callable[[Memory], GivenCounts]
"""Returns the outcomes of a memory in sessions."""

CITATION_SECONDS = 10.0
"""How long a run may read files and ask git about citations. It may be longer than for an answer: nothing waits
for a run. A citation that is not checked counts as present; the next run checks it.
"""

MAX_STEPS = 1_000
"""The most steps of each kind that a daemon plans."""


def is_due(workspace: Workspace, now: datetime) -> bool:
    """Whether it is time that the daemon plans: in the main work tree, as `evolve.days` says."""
    days = workspace.config.evolve.days
    if not days or not workspace.writable or workspace.location.linked or workspace.removed:
        return False
    return workspace.upkeep.planned.at <= timestamp(now - timedelta(days=days))


def plan_when_due(workspace: Workspace, counts: Counts, ids: UlidGenerator, now: datetime) -> None:
    """Plan when it is time and note how many steps wait; nothing is recorded. A failed plan waits as long as others.

    The first period begins when a clone is first in use: its memories were not used here yet. Raises Stopping.
    """
    if not is_due(workspace, now):
        return
    planned = workspace.upkeep.planned
    if not planned.at:
        workspace.upkeep.put(timestamp(now), 0)
        return
    try:
        evolve(workspace, EvolveParams(limit=MAX_STEPS), counts, ids, now)
    except Stopping:
        raise
    except MuninnError as error:
        log.warning("the upkeep of memory could not be planned: %s", error.message)
        workspace.upkeep.put(timestamp(now), planned.steps)


def evolve(
    workspace: Workspace, params: EvolveParams, counts: Counts, ids: UlidGenerator, now: datetime
) -> EvolveResult:
    """Plan the steps, and record them with `apply`. With `undo`, take the last run back. Raises NotFoundError."""
    records = read_memory(workspace.layout, with_spool=True).fold.records
    if params.undo:
        return _undo(workspace, params, records.values())
    memories = [each for each in workspace.memory.recallable().values() if _takes_part(each)]
    steps, further = plan(
        memories,
        _uses(workspace, memories, records.values(), counts),
        {
            (each.data["target"], each.data["relation"], each.data["to"]): each.ts
            for each in sorted(records.values(), key=lambda record: record.stamp)
            if each.type == "link"
        },
        _apart(workspace),
        now,
        params.limit,
        comparison_cache.load(workspace.layout.cache / comparison_cache.NAME),
    )
    possible = [step for step in steps if not _is_held(workspace, step)]
    run = ids() if params.apply and steps else ""
    if run:
        workspace.memory.append([each for step in possible for each in _records(step, run, workspace)], params.session)
        steps = possible
    workspace.upkeep.put(timestamp(now), further + (0 if params.apply else len(possible)))
    return EvolveResult(
        steps=tuple(_shown(workspace, step) for step in steps),
        further=further,
        run=run,
        saw=workspace.read_state(),
    )


def _takes_part(memory: Memory) -> bool:
    return memory.scope == "project" and not (memory.trace or memory.redacted)


def _is_held(workspace: Workspace, step: Step) -> bool:
    """Whether changes by an assistant wait for an approval here."""
    return workspace.config.review.holds("assistant", workspace.memory.all()[step.target].type)


def _uses(
    workspace: Workspace, memories: Iterable[Memory], records: Iterable[Record], counts: Counts
) -> dict[str, Use]:
    stepped: dict[str, str] = {}
    for record in records:
        if record.type == "update" and record.data.get("upkeep") is True:
            target = record.data["target"]
            stepped[target] = max(stepped.get(target, ""), record.ts)
    checker = workspace.citations.checker(CITATION_SECONDS)
    found = {}
    for memory in memories:
        access = workspace.access_counts.get(memory.id)
        outcome = counts(memory)
        citations = checker.judge(memory)
        found[memory.id] = Use(
            count=access.count,
            last=access.last,
            confirmed=outcome.used,
            refuted=outcome.refuted,
            stepped=stepped.get(memory.id, ""),
            gone=bool(citations) and all(each.state == "gone" for each in citations),
        )
    return found


def _apart(workspace: Workspace) -> set[tuple[str, str]]:
    """Return the pairs that a person or a rule keeps apart, in both orders."""
    disputes = workspace.memory.log.state.disputes
    return {pair for each in disputes for pair in ((each.left, each.right), (each.right, each.left))}


def _records(step: Step, run: str, workspace: Workspace) -> list[dict[str, Any]]:
    """Return the records of a step. A merged memory has the highest importance and the links of all, so that those of
    all fall.
    """
    first, known = _record(step, run, workspace), workspace.memory.all()
    if first["type"] not in ("update", "unlink"):
        return [first]
    merged = [known[each] for each in known[step.target].sources if each in known]
    also: list[dict[str, Any]]
    if first["type"] == "update":
        also = [{"target": each.id, "was": {"importance": each.importance}} for each in merged]
        also = [each for each in also if each["was"]["importance"] > step.after]
    else:
        also = [
            {"target": each.id, "was": {"strength": link.strength, "by": link.by, "reason": link.reason}}
            for each in merged
            for link in each.links
            if (link.relation, link.target) == (step.relation, step.other)
        ]
    return [first, *({**first, **each} for each in also)]


def _record(step: Step, run: str, workspace: Workspace) -> dict[str, Any]:
    head = {"actor": "assistant", "agent": AGENT, "reason": step.reason, "upkeep": True, "run": run}
    if step.kind == "merge":
        return {**head, "type": "merge", "keep": step.target, "sources": [step.other]}
    if step.kind == "archive":
        return {**head, "type": "archive", "target": step.target}
    if step.kind == "importance":
        change = {"set": {"importance": int(step.after)}, "was": {"importance": int(step.before)}}
        return {**head, "type": "update", "target": step.target, **change}
    links = workspace.memory.all()[step.target].links
    (link,) = (each for each in links if (each.relation, each.target) == (step.relation, step.other))
    ends = {"target": step.target, "relation": step.relation, "to": step.other}
    was = {"strength": link.strength, "by": link.by, "reason": link.reason}
    if not step.after:
        return {**head, "type": "unlink", **ends, "was": was}
    return {**head, "type": "link", **ends, "strength": step.after, "by": link.by, "reason": link.reason, "was": was}


def _undo(workspace: Workspace, params: EvolveParams, records: Iterable[Record]) -> EvolveResult:
    """Take back the last run that was not taken back. Raises NotFoundError when there is none."""
    ordered = sorted(records, key=lambda record: record.stamp)
    undone = {each.data["undoes"] for each in ordered if isinstance(each.data.get("undoes"), str)}
    runs = [
        each.data["run"]
        for each in ordered
        if each.data.get("upkeep") is True and isinstance(each.data.get("run"), str) and each.data["run"] not in undone
    ]
    if not runs:
        raise NotFoundError("no run of `evolve` is left to undo", hint="`muninn log` shows the newest records.")
    run = runs[-1]
    found = [each for each in ordered if each.data.get("run") == run]
    if params.apply:
        workspace.memory.append([_opposite(each.data, run) for each in reversed(found)], params.session)
    steps = tuple(_undone(workspace, each.data) for each in found)
    return EvolveResult(steps=steps, run=run, undone=True, saw=workspace.read_state())


def _opposite(data: Mapping[str, Any], run: str) -> dict[str, Any]:
    head = {"actor": "user", "reason": f"undoes the run {run} of evolve", "upkeep": True, "undoes": run}
    match data["type"]:
        case "merge":
            return {**head, "type": "restore", "target": data["sources"][0]}
        case "archive":
            return {**head, "type": "restore", "target": data["target"]}
        case "update":
            return {**head, "type": "update", "target": data["target"], "set": dict(data["was"])}
    ends = {name: data[name] for name in ("target", "relation", "to")}
    return {**head, "type": "link", **ends, **dict(data["was"])}


def _undone(workspace: Workspace, data: Mapping[str, Any]) -> EvolveStep:
    kinds = {"update": "importance", "unlink": "link"}
    was, new = data.get("was") or {}, data.get("set") or data
    step = {
        "kind": kinds.get(data["type"], data["type"]),
        "target": data.get("target") or data.get("keep"),
        "other": data.get("to") or "".join(data.get("sources") or ()),
        "relation": data.get("relation") or "",
        "before": float(was.get("importance") or was.get("strength") or 0),
        "after": float(new.get("importance") or new.get("strength") or 0),
        "reason": str(data.get("reason") or ""),
    }
    return _shown(workspace, from_plain(step, Step))


def _shown(workspace: Workspace, step: Step) -> EvolveStep:
    memory = workspace.memory.all().get(step.target)
    return from_plain({**to_plain(step), "title": memory.title if memory is not None else ""}, EvolveStep)
