"""Effects between memories: merging, superseding, and decided conflicts.

It works on a component: memories that records connect. Nothing outside a component affects it, so a new record costs
only its own component. Cycles are broken at the same place on every machine.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from functools import reduce
from operator import mul
from typing import Any

from muninn_core.model.memory import Cite, Link, Memory
from muninn_core.model.value import Value, encode_json, replace
from muninn_core.store.records.approval import UNAPPROVED
from muninn_core.store.records.record import Record
from muninn_core.store.records.record_history import RecordHistory, Stamp, apply_changes

Edges = dict[str, str]
Candidates = dict[str, list[tuple[Stamp, str | None]]]


class Component(Value):
    """The records of connected memories, by memory id.

    `disputes` pairs each conflict with the resolve record that counts.
    """

    creations: dict[str, Record]
    changes: dict[str, list[Record]]
    merges: Sequence[Record]
    disputes: Sequence[tuple[Record, Record]]


def fold_component(component: Component) -> dict[str, Memory]:
    """Return the memories of a component, by id."""
    histories = _histories(component)
    if len(histories) == 1 and not component.merges and not component.disputes:
        ((identity, history),) = histories.items()  # the common case
        return {identity: Memory(**history.fields, links=_links_of(history))}
    merged = _merge_edges(histories, component.merges)
    roots = {identity: _follow_edges(identity, merged) for identity in histories}
    candidates = _candidates(histories, roots)
    _apply_decisions(component, histories, roots, candidates)
    superseded = _supersede_edges(histories, candidates)
    groups: dict[str, list[str]] = defaultdict(list)
    for identity in sorted(histories):
        groups[roots[identity]].append(identity)
    memories = {}
    for identity, history in histories.items():
        memory = Memory(**history.fields, links=_links_of(history))
        if roots[identity] == identity:
            memory = replace(memory, superseded_by=superseded.get(identity))
        else:
            memory = replace(memory, merged_into=roots[identity])
        memories[identity] = memory
    for root, members in groups.items():
        if len(members) > 1:
            sources = [memories[member] for member in members if member != root]
            memories[root] = _merge_memories(memories[root], sources, histories)
    return memories


def _histories(component: Component) -> dict[str, RecordHistory]:
    found = {
        identity: apply_changes(creation, component.changes.get(identity, ()))
        for identity, creation in component.creations.items()
    }
    return {identity: history for identity, history in found.items() if history is not None}


def _is_effective(identity: str, histories: dict[str, RecordHistory]) -> bool:
    """Whether a memory exists and is approved or needs no approval. Others do not affect any memory."""
    return identity in histories and histories[identity].fields.get("review") not in UNAPPROVED


def _links_of(history: RecordHistory) -> tuple[Link, ...]:
    return tuple(history.links[key][0] for key in sorted(history.links))


def _merge_edges(histories: dict[str, RecordHistory], merges: Iterable[Record]) -> Edges:
    edges: Edges = {}
    for record in sorted(merges, key=lambda record: record.stamp):
        keep = record.data["keep"]
        for source in record.data["sources"]:
            if not (_is_effective(source, histories) and _is_effective(keep, histories)) or source == keep:
                continue
            if record.stamp > histories[source].restored_at:
                edges[source] = keep
    return _break_cycles(edges, min)


def _candidates(histories: dict[str, RecordHistory], roots: Edges) -> Candidates:
    """Return the claims to supersede each root: (stamp, id of the superseder or None). Sources count as their root."""
    candidates: Candidates = defaultdict(list)

    def add(target: str, stamp: Stamp, by: str | None) -> None:
        if target in histories and (by is None or (_is_effective(by, histories) and roots[by] != roots[target])):
            candidates[roots[target]].append((stamp, by and roots[by]))

    for identity, history in histories.items():
        for stamp, by in history.superseders:
            add(identity, stamp, by)
        for (relation, target), (_, stamp) in history.links.items():
            if relation == "supersedes" and not (
                stamp[1] == identity and _is_outranked(history, histories.get(target))
            ):
                add(target, stamp, identity)
    return candidates


def _is_outranked(history: RecordHistory, target: RecordHistory | None) -> bool:
    """Whether a memory from outside claims to supersede one that is not: it may have been imported before that came."""
    return target is not None and history.fields["trust"] == "outside" != target.fields["trust"]


def _apply_decisions(
    component: Component, histories: dict[str, RecordHistory], roots: Edges, candidates: Candidates
) -> None:
    """Apply resolve records: the losing side is superseded, and the kept one may get a new text."""
    reworded: dict[str, list[Record]] = defaultdict(list)
    for conflict, resolve in component.disputes:
        sides = [conflict.data["left"], conflict.data["right"]]
        if resolve.data["keep"] == "both" or any(side not in histories for side in sides):
            continue
        left, right = (roots[side] for side in sides)
        kept, lost = (left, right) if resolve.data["keep"] == "left" else (right, left)
        if not _is_effective(kept, histories):
            continue
        if kept != lost:
            candidates[lost].append((resolve.stamp, kept))
        text = resolve.data.get("text")
        if isinstance(text, str) and text.strip():
            title = resolve.data.get("title")
            wording = {"text": text, **({"title": title} if isinstance(title, str) and title.strip() else {})}
            update = {**resolve.data, "type": "update", "target": kept, "set": wording}
            reworded[kept].append(replace(resolve, type="update", decoded=update))
    for identity, updates in reworded.items():
        history = apply_changes(component.creations[identity], [*component.changes.get(identity, ()), *updates])
        if history is not None and history.fields.get("review") not in UNAPPROVED:  # unless the new text needs approval
            histories[identity] = history


def _supersede_edges(histories: dict[str, RecordHistory], candidates: Candidates) -> Edges:
    edges: Edges = {}
    for identity, claims in candidates.items():
        _, by = max(claims, key=lambda candidate: (candidate[0], candidate[1] or ""))
        if by is not None:
            edges[identity] = by

    def newest(cycle: Iterable[str]) -> str:
        return max(cycle, key=lambda identity: (histories[identity].fields["ts"], identity))

    return _break_cycles(edges, newest)


def _break_cycles(edges: Edges, choose_root: Callable[[Iterable[str]], str]) -> Edges:
    """Remove from each cycle the edge that leaves the member which `choose_root` returns."""
    kept = dict(edges)
    done: set[str] = set()
    for start in sorted(edges):
        path: list[str] = []
        on_path: set[str] = set()
        at = start
        while at in kept and at not in done and at not in on_path:
            path.append(at)
            on_path.add(at)
            at = kept[at]
        if at in on_path:
            del kept[choose_root(path[path.index(at) :])]
        done.update(path)
    return kept


def _follow_edges(identity: str, edges: Edges) -> str:
    while identity in edges:
        identity = edges[identity]
    return identity


def _preferred_wording(root: Memory, sources: Iterable[Memory], histories: dict[str, RecordHistory]) -> Memory:
    """Return the memory with the newest wording among those trusted as much as the root."""
    fit = [each for each in sources if each.trust == root.trust and each.text and not each.archived]
    return max([root, *fit], key=lambda memory: histories[memory.id].worded_at)


def _merge_memories(root: Memory, sources: Sequence[Memory], histories: dict[str, RecordHistory]) -> Memory:
    """Return the root with the fields of its merged sources combined."""
    if root.redacted:
        return replace(root, sources=_union(root.sources, [(source.id,) for source in sources]))
    group = [root, *sources]
    ids = {memory.id for memory in group}
    links = {(link.relation, link.target): link for memory in reversed(group) for link in memory.links}
    wording = _preferred_wording(root, sources, histories)
    wordings = [memory.text for memory in group if memory.text and memory.text != wording.text]
    return replace(
        root,
        text=wording.text,
        title=wording.title,
        tags=_union(root.tags, [source.tags for source in sources]),
        entities=_union(root.entities, [source.entities for source in sources]),
        questions=_union(root.questions, [source.questions for source in sources]),
        files=_union(root.files, [source.files for source in sources]),
        cites=_cites(group),
        sessions=_union(root.sessions, [source.sessions for source in sources]),
        links=tuple(links[key] for key in sorted(links) if key[1] not in ids),
        aliases=tuple(dict.fromkeys(wordings)),
        sources=tuple(source.id for source in sources),
        importance=max(memory.importance for memory in group),
        pinned=any(memory.pinned for memory in group),
        confidence=_confidence(group),
        updated=max(memory.updated for memory in group),
    )


def _union(memory: tuple[str, ...], others: Iterable[tuple[str, ...]]) -> tuple[str, ...]:
    return tuple(dict.fromkeys([*memory, *(item for other in others for item in other)]))


def _cites(memories: Iterable[Memory]) -> tuple[Cite, ...]:
    distinct = {encode_json(cite): cite for memory in memories for cite in memory.cites}
    return tuple(distinct.values())


def _confidence(memories: Iterable[Memory]) -> float:
    """Return 1 - (1-a)(1-b)…, with one factor per session, its highest: the chance that not all sources err."""
    witnesses: dict[Any, float] = {}
    for memory in memories:
        witness = memory.session or ("none", memory.id)
        witnesses[witness] = max(witnesses.get(witness, 0.0), memory.confidence)
    remaining = [1 - witnesses[key] for key in sorted(witnesses, key=str)]
    return round(1 - reduce(mul, remaining, 1.0), 4)
