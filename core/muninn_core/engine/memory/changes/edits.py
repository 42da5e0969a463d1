"""Changes memories: one memory's fields and links, or several memories into one.

A change is a new record, so `history` shows who changed what and why. An author whose memories wait for approval cannot
reword approved ones.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from muninn_core.config import Config
from muninn_core.engine.memory.drafting.cites import anchor, slim_cites
from muninn_core.engine.memory.drafting.drafts import check_relation, cleaned, derived_title
from muninn_core.engine.memory.drafting.remember_notices import MAX_NOTICES, missing_files
from muninn_core.engine.memory.lookup import memory_of, only
from muninn_core.errors import BadParams, NotFoundError, RefusedError, UsageError
from muninn_core.model.memory import TRUST_ORDER, Memory
from muninn_core.model.value import to_plain
from muninn_core.protocol.families.memory import (
    ConsolidateParams,
    ConsolidateResult,
    MemoryDraft,
    Separate,
    UpdateParams,
    UpdateResult,
)
from muninn_core.reconcile.comparison.pairs import compare_all
from muninn_core.reconcile.comparison.separation import why_separate
from muninn_core.store.records.expiry import parse_expiry
from muninn_core.store.records.fields import question_lines
from muninn_core.worktree.call_context import CallContext
from muninn_core.worktree.citations.overlays import with_overlays
from muninn_core.worktree.memories.memory_store import MemoryStore
from muninn_core.worktree.paths import relative_path
from muninn_core.worktree.workspace import Workspace

Records = list[dict[str, Any]]

_PLAIN = ("text", "title", "importance", "confidence")

_UNITED = frozenset({"tags", "questions", "files"})
"""The lists that an update replaces and a merge unites."""


class Plan(NamedTuple):
    """The effect of a consolidation: the decision, the memory that stays, those that go, and contradicting pairs.

    `separate` has, by reason, the memories that are neither kept nor gone.
    """

    decision: str
    kept: Memory | None
    gone: tuple[Memory, ...]
    contradictions: tuple[str, ...] = ()
    separate: tuple[Separate, ...] = ()


def update(workspace: Workspace, params: UpdateParams, call: CallContext, now: str) -> UpdateResult:
    """Change a memory's fields, links or pin. `now` is the time of the change in RFC 3339.

    Raises BadParams for an invalid value, NotFoundError, or RefusedError for a memory that the caller may not change.
    """
    memory = memory_of(workspace.memory.all(), params.id)
    records, changed, masked = _updated(workspace, memory, params, call, now)
    if records:
        workspace.memory.append(records, params.session, scope=memory.scope)
    memory = workspace.memory.all()[memory.id]
    notices = missing_files(workspace, memory)[:MAX_NOTICES] if {"files", "cites"} & {*changed} else ()
    return UpdateResult(memory=memory, changed=changed, masked=masked, notices=notices, saw=workspace.read_state())


def consolidate(workspace: Workspace, params: ConsolidateParams, call: CallContext) -> ConsolidateResult:
    """Merge several memories into one, or let one supersede the others; `dry_run` stores nothing."""
    planned = _plan(workspace.memory, params)
    records = _consolidated(workspace.config, params, planned, call)
    if planned.kept is not None and records and not params.dry_run:
        workspace.memory.append(records, params.session, scope=planned.kept.scope)
    known = workspace.memory.all()
    gone = tuple(memory.id for memory in planned.gone)
    kept = known[planned.kept.id] if planned.kept is not None else None
    named = dict.fromkeys(only(prefix, known, "memory") for prefix in params.ids)
    return ConsolidateResult(
        decision=planned.decision,
        kept=kept,
        gone=gone,
        apart=tuple(each for each in named if each not in gone and (kept is None or each != kept.id)),
        separate=planned.separate,
        contradictions=planned.contradictions,
        reason=params.reason,
        dry_run=params.dry_run,
        saw=workspace.read_state(),
    )


def _updated(
    workspace: Workspace, memory: Memory, params: UpdateParams, call: CallContext, now: str
) -> tuple[Records, tuple[str, ...], int]:
    """Return the records of an update, the names of the changed fields, and how many secrets were masked.

    Raises BadParams for an invalid value, RefusedError for a memory that the caller may not change.
    """
    _check_may_change(workspace.config, memory, call, params)
    fields = _fields(workspace, memory, params, call, now)
    clean, masked = cleaned({**fields, "details": _details(memory, params)}, workspace.config)
    details = clean.pop("details")
    before = {name: to_plain(getattr(memory, name)) for name in clean}
    before |= {name: list(value) for name, value in before.items() if isinstance(value, tuple)}
    before["cites"] = slim_cites(memory.cites)
    changes = {name: value for name, value in clean.items() if value != before[name]}
    if details:
        changes["details"] = details
    head = _head(workspace.config, params, call)
    records = [{**head, "type": "update", "target": memory.id, "set": changes}] if changes else []
    links = _links(workspace.memory, memory, params)
    records += [{**head, "target": memory.id, **each} for each in links]
    if params.pin is not None and params.pin != memory.pinned:
        records.append({**head, "type": "pin" if params.pin else "unpin", "target": memory.id})
    names = [*changes, *(["links"] if links else []), *(["pin"] if records and records[-1]["type"] in _PINS else [])]
    gone = [(each["relation"], each["to"]) for each in links if each["type"] == "unlink"]
    records += [{**head, **each} for each in _of_sources(workspace.memory, memory, changes, gone, params.pin)]
    return records, tuple(names), masked


def _of_sources(
    store: MemoryStore,
    memory: Memory,
    changes: Mapping[str, Any],
    unlinked: Sequence[tuple[str, str]],
    pin: bool | None,
) -> Iterator[Any]:
    """Yield what removes from the memories that were merged into one what a change of that one removes.

    The fold unites the lists and links of all of them, and takes the highest importance and any pin.
    """
    known = store.all()
    for source in (known[each] for each in memory.sources if each in known):
        fields: dict[str, Any] = {}
        for name in _UNITED & changes.keys():
            own = getattr(source, name)
            left = [each for each in own if each in changes[name]]
            fields |= {name: left} if len(left) < len(own) else {}
        if "cites" in changes:
            cites = slim_cites(source.cites)
            left = [each for each in cites if each in changes["cites"]]
            fields |= {"cites": left} if len(left) < len(cites) else {}
        if changes.get("importance", source.importance) < source.importance:
            fields["importance"] = changes["importance"]
        if fields:
            yield {"type": "update", "target": source.id, "set": fields}
        held = {(link.relation, link.target) for link in source.links}
        for relation, to in filter(held.__contains__, unlinked):
            yield {"type": "unlink", "target": source.id, "relation": relation, "to": to}
        if pin is False and source.pinned:
            yield {"type": "unpin", "target": source.id}


def _plan(store: MemoryStore, params: ConsolidateParams) -> Plan:
    """Return the effect of consolidating memories. Raises BadParams, NotFoundError or UsageError."""
    known = store.all()
    chosen = {memory.id: memory for memory in (memory_of(known, each) for each in params.ids)}
    inactive = [memory.id for memory in chosen.values() if not memory.active]
    if inactive:
        raise UsageError(f"{inactive[0]} is not active", hint="`muninn history` shows why.")
    if len(chosen) < 2:
        raise BadParams("there is nothing to consolidate one memory with", hint="Name two or more.")
    if len({memory.scope for memory in chosen.values()}) > 1:
        raise BadParams(
            "memories of different scopes can't be consolidated", hint="Promote one with `muninn promote` first."
        )
    keep = memory_of(chosen, params.keep) if params.keep is not None else None
    ordered = sorted(chosen.values(), key=_preferred)
    if params.decision == "keep_both":
        return Plan("keep_both", None, (), separate=_separate(ordered, lambda _: "the decision is to keep it"))
    if params.decision == "supersede":
        keep = keep or max(ordered, key=lambda memory: (memory.ts, memory.id))
    if params.decision is not None:
        keep = keep or ordered[0]
        return Plan(params.decision, keep, tuple(each for each in ordered if each is not keep))
    return _compared(ordered, keep)


def _consolidated(config: Config, params: ConsolidateParams, planned: Plan, call: CallContext) -> Records:
    """Return the records of a plan. Raises RefusedError when the caller may not change one of its memories."""
    if planned.kept is None:
        if params.text:
            raise BadParams(
                "'text' rewords the one that stays, and all of them do", hint="Decide on merge or supersede."
            )
        return []
    for each in (planned.kept, *planned.gone):
        _check_may_change(config, each, call, params)
    head = _head(config, params, call)
    if planned.decision == "merge":
        sources = [memory.id for memory in planned.gone]
        records: Records = [{**head, "type": "merge", "keep": planned.kept.id, "sources": sources}]
    else:
        records = [{**head, "type": "supersede", "target": each.id, "by": planned.kept.id} for each in planned.gone]
    if params.text.strip():
        clean, _ = cleaned({"text": params.text.strip()}, config)
        records.append({**head, "type": "update", "target": planned.kept.id, "set": clean})
    return records


def _compared(ordered: Sequence[Memory], keep: Memory | None) -> Plan:
    """Return what reconcile would decide on these memories."""
    if keep is not None:
        ordered = [keep, *(each for each in ordered if each is not keep)]
    by_id = {memory.id: memory for memory in ordered}
    found = compare_all(ordered, set())
    if not found.merges:
        contradictions = tuple(f"{one} and {other}: {reason}" for one, other, reason in found.contradictions)
        return Plan("keep_both", None, (), tuple(dict.fromkeys(contradictions)), _why_separate(ordered, ordered))
    kept = found.merges[0][0]
    gone = tuple(by_id[source] for keeper, source in found.merges if keeper == kept)
    left = [memory for memory in ordered if memory.id != kept and memory not in gone]
    return Plan("merge", by_id[kept], gone, separate=_why_separate(left, (by_id[kept], *left)))


def _why_separate(left: Sequence[Memory], compared: Sequence[Memory]) -> tuple[Separate, ...]:
    return _separate(left, lambda memory: why_separate(memory, [each for each in compared if each is not memory]))


def _separate(memories: Iterable[Memory], why: Callable[[Memory], str]) -> tuple[Separate, ...]:
    groups: dict[str, list[str]] = {}
    for memory in memories:
        groups.setdefault(why(memory), []).append(memory.id)
    return tuple(Separate(reason=reason, ids=tuple(ids)) for reason, ids in groups.items())


def _preferred(memory: Memory) -> tuple[int, str, str]:
    return (-TRUST_ORDER.index(memory.trust), memory.ts, memory.id)


def _check_may_change(
    config: Config, memory: Memory, call: CallContext, params: UpdateParams | ConsolidateParams
) -> None:
    if memory.redacted:
        raise UsageError(f"{memory.id} was redacted: there is nothing left to change")
    if config.review.holds(call.actor or "user", memory.type):
        raise RefusedError(
            "memories like this one wait for a person's approval here, and so would a change of it",
            hint="Remember what is right with a link that supersedes it; a person approves that.",
        )


def _fields(workspace: Workspace, memory: Memory, params: UpdateParams, call: CallContext, now: str) -> dict[str, Any]:
    given = {name: getattr(params, name) for name in _PLAIN}
    fields = {name: value for name, value in given.items() if value not in (None, "")}
    for name in ("text", "title"):
        if name in fields and not fields[name].strip():
            raise BadParams(f"'{name}' is blank", hint="`muninn forget` archives a memory.")
    fields |= derived_title(memory, fields.get("text", "")) if "title" not in fields else {}
    if params.tags:
        fields["tags"] = list(dict.fromkeys(each.strip() for each in params.tags if each.strip()))
    if params.questions:
        fields["questions"] = list(question_lines(params.questions))
    if params.expires is not None:
        fields["expires"] = parse_expiry(params.expires, now)
    if params.files:
        fields |= _placed(workspace, memory, params, call)
    return fields


def _placed(workspace: Workspace, memory: Memory, params: UpdateParams, call: CallContext) -> dict[str, Any]:
    if memory.scope == "global":
        raise BadParams("a global memory names no files: they are one repository's", hint="Leave `files` out.")
    draft = anchor(
        MemoryDraft(text=memory.text, files=params.files),
        with_overlays(workspace.citations, call.buffers),
        lambda path: relative_path(path, workspace.layout.root),
        workspace.head.read().commit,
    )
    cites = slim_cites(draft.cites)
    return {"files": list(draft.files), **({"cites": cites} if cites else {})}


def _details(memory: Memory, params: UpdateParams) -> dict[str, Any]:
    return {name: value for name, value in params.details.items() if memory.details.get(name) != value}


def _links(store: MemoryStore, memory: Memory, params: UpdateParams) -> Records:
    known = store.all()
    links = {(link.relation, link.target): link for link in memory.links}
    records: Records = []
    for link in params.links:
        target = memory_of(known, link.target)
        _check_link(link.relation, memory, target)
        old = links.get((link.relation, target.id))
        if old is None or (old.strength, old.reason) != (link.strength, link.reason):
            fields = {"relation": link.relation, "to": target.id, "strength": link.strength, "reason": link.reason}
            records.append({"type": "link", **fields})
    for text in params.unlink:
        relation, _, part = text.partition(":")
        targets = [target for kind, target in links if kind == relation]
        try:
            removed = only(part, targets, "memory")
        except NotFoundError:
            has = ", ".join(f"{one}:{other}" for one, other in links) or "none"
            raise BadParams(f"the memory has no link '{text}'", hint=f"Its links are {has}.") from None
        records.append({"type": "unlink", "relation": relation, "to": removed})
    return records


def _check_link(relation: str, memory: Memory, target: Memory) -> None:
    check_relation(relation)
    if target.id == memory.id:
        raise BadParams("a memory has no relation to itself")
    if memory.scope == "global" != target.scope:
        raise BadParams("a global memory names no memory of one project", hint="Promote the other one first.")


def _head(config: Config, params: UpdateParams | ConsolidateParams, call: CallContext) -> dict[str, Any]:
    """Return the fields that all records of a change share: author and reason."""
    clean, _ = cleaned({"reason": params.reason.strip()}, config)
    fields: Mapping[str, Any] = {"actor": call.actor or "user", "agent": params.agent, **clean}
    return {name: value for name, value in fields.items() if value}


_PINS = ("pin", "unpin")
