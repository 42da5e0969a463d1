"""What memories do to each other: merging, superseding, and how a person decided conflicts.

Works on a component: memories that any record connects. Nothing outside it can change the outcome, so that one new
record costs only its own component. Rings are cut at a place that every machine agrees on.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from functools import reduce
from operator import mul
from typing import Any

from muninn_core.model.memory import Cite, Link, Memory
from muninn_core.model.value import Value, encode_json, replace
from muninn_core.store.approval import HELD
from muninn_core.store.record import Record
from muninn_core.store.record_history import RecordHistory, Stamp, live

Edges = dict[str, str]
Candidates = dict[str, list[tuple[Stamp, str | None]]]


class Component(Value):
    """The records of memories that are connected. A dispute is a conflict with the resolve that counts."""

    births: dict[str, Record]
    changes: dict[str, list[Record]]
    merges: Sequence[Record]
    disputes: Sequence[tuple[Record, Record]]


def relate(component: Component) -> dict[str, Memory]:
    """Fold a component into its memories."""
    lives = _lives(component)
    if len(lives) == 1 and not component.merges and not component.disputes:
        ((identity, life),) = lives.items()  # most memories stand alone
        return {identity: Memory(**life.fields, links=_links_of(life))}
    merged = _merge_edges(lives, component.merges)
    roots = {identity: _end(identity, merged) for identity in lives}
    candidates = _candidates(lives, roots)
    _decide(component, lives, roots, candidates)
    superseded = _supersede_edges(lives, candidates)
    groups: dict[str, list[str]] = defaultdict(list)
    for identity in sorted(lives):
        groups[roots[identity]].append(identity)
    memories = {}
    for identity, life in lives.items():
        own = Memory(**life.fields, links=_links_of(life))
        if roots[identity] == identity:
            own = replace(own, superseded_by=superseded.get(identity))
        else:
            own = replace(own, merged_into=roots[identity])
        memories[identity] = own
    for root, members in groups.items():
        if len(members) > 1:
            sources = [memories[member] for member in members if member != root]
            memories[root] = _speak_for(memories[root], sources, lives)
    return memories


def _lives(component: Component) -> dict[str, RecordHistory]:
    found = {identity: live(birth, component.changes.get(identity, ())) for identity, birth in component.births.items()}
    return {identity: life for identity, life in found.items() if life is not None}


def _speaks(identity: str, lives: dict[str, RecordHistory]) -> bool:
    """Whether a memory is there and nobody has to approve it first: until then it does nothing to others."""
    return identity in lives and lives[identity].fields.get("review") not in HELD


def _links_of(life: RecordHistory) -> tuple[Link, ...]:
    return tuple(life.links[key][0] for key in sorted(life.links))


def _merge_edges(lives: dict[str, RecordHistory], merges: Iterable[Record]) -> Edges:
    edges: Edges = {}
    for record in sorted(merges, key=lambda record: record.stamp):
        keep = record.data["keep"]
        for source in record.data["sources"]:
            if not (_speaks(source, lives) and _speaks(keep, lives)) or source == keep:
                continue
            if record.stamp > lives[source].restored:
                edges[source] = keep
    return _cut_rings(edges, min)


def _candidates(lives: dict[str, RecordHistory], roots: Edges) -> Candidates:
    """Who says that it stands in whose place, and since when; what is said of a source is said of its root."""
    candidates: Candidates = defaultdict(list)

    def add(target: str, stamp: Stamp, by: str | None) -> None:
        if target in lives and (by is None or (_speaks(by, lives) and roots[by] != roots[target])):
            candidates[roots[target]].append((stamp, by and roots[by]))

    for identity, life in lives.items():
        for stamp, by in life.superseders:
            add(identity, stamp, by)
        for (relation, target), (_, stamp) in life.links.items():
            if relation == "supersedes":
                add(target, stamp, identity)
    return candidates


def _decide(component: Component, lives: dict[str, RecordHistory], roots: Edges, candidates: Candidates) -> None:
    """Apply what people decided: the side that lost is superseded, the one that is kept may be reworded."""
    reworded: dict[str, list[Record]] = defaultdict(list)
    for conflict, resolve in component.disputes:
        sides = [conflict.data["left"], conflict.data["right"]]
        if resolve.data["keep"] == "both" or any(side not in lives for side in sides):
            continue
        left, right = (roots[side] for side in sides)
        kept, lost = (left, right) if resolve.data["keep"] == "left" else (right, left)
        if not _speaks(kept, lives):
            continue
        if kept != lost:
            candidates[lost].append((resolve.stamp, kept))
        text = resolve.data.get("text")
        if isinstance(text, str) and text.strip():
            update = {**resolve.data, "type": "update", "target": kept, "set": {"text": text}}
            reworded[kept].append(replace(resolve, type="update", given=update))
    for identity, updates in reworded.items():
        life = live(component.births[identity], [*component.changes.get(identity, ()), *updates])
        if life is not None and life.fields.get("review") not in HELD:  # by somebody who could not approve the words
            lives[identity] = life


def _supersede_edges(lives: dict[str, RecordHistory], candidates: Candidates) -> Edges:
    edges: Edges = {}
    for identity, said in candidates.items():
        _, by = max(said, key=lambda candidate: (candidate[0], candidate[1] or ""))
        if by is not None:
            edges[identity] = by

    def newest(ring: Iterable[str]) -> str:
        return max(ring, key=lambda identity: (lives[identity].fields["ts"], identity))

    return _cut_rings(edges, newest)


def _cut_rings(edges: Edges, stays: Callable[[Iterable[str]], str]) -> Edges:
    """Remove, from every ring, the edge that leaves the member that `stays` chooses."""
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
            del kept[stays(path[path.index(at) :])]
        done.update(path)
    return kept


def _end(identity: str, edges: Edges) -> str:
    while identity in edges:
        identity = edges[identity]
    return identity


def _wording(root: Memory, sources: Iterable[Memory], lives: dict[str, RecordHistory]) -> Memory:
    """Return whose words are kept: the newest of those that are trusted as much as the root's."""
    fit = [each for each in sources if each.trust == root.trust and each.text and not each.archived]
    return max([root, *fit], key=lambda memory: lives[memory.id].worded)


def _speak_for(root: Memory, sources: Sequence[Memory], lives: dict[str, RecordHistory]) -> Memory:
    """Let one memory speak for others that say the same, in the words of one of them."""
    if root.redacted:
        return replace(root, sources=_union(root.sources, [(source.id,) for source in sources]))
    everyone = [root, *sources]
    ids = {memory.id for memory in everyone}
    links = {(link.relation, link.target): link for memory in reversed(everyone) for link in memory.links}
    wording = _wording(root, sources, lives)
    wordings = [memory.text for memory in everyone if memory.text and memory.text != wording.text]
    return replace(
        root,
        text=wording.text,
        title=wording.title,
        tags=_union(root.tags, [source.tags for source in sources]),
        entities=_union(root.entities, [source.entities for source in sources]),
        files=_union(root.files, [source.files for source in sources]),
        cites=_cites(everyone),
        sessions=_union(root.sessions, [source.sessions for source in sources]),
        links=tuple(links[key] for key in sorted(links) if key[1] not in ids),
        aliases=tuple(dict.fromkeys(wordings)),
        sources=tuple(source.id for source in sources),
        importance=max(memory.importance for memory in everyone),
        pinned=any(memory.pinned for memory in everyone),
        confidence=_confidence(everyone),
        updated=max(memory.updated for memory in everyone),
    )


def _union(own: tuple[str, ...], others: Iterable[tuple[str, ...]]) -> tuple[str, ...]:
    return tuple(dict.fromkeys([*own, *(item for other in others for item in other)]))


def _cites(memories: Iterable[Memory]) -> tuple[Cite, ...]:
    distinct = {encode_json(cite): cite for memory in memories for cite in memory.cites}
    return tuple(distinct.values())


def _confidence(memories: Iterable[Memory]) -> float:
    """1 - (1-a)(1-b)…, one factor a session (its highest): the chance that not all independent witnesses err."""
    witnesses: dict[Any, float] = {}
    for memory in memories:
        witness = memory.session or ("none", memory.id)
        witnesses[witness] = max(witnesses.get(witness, 0.0), memory.confidence)
    doubts = [1 - witnesses[key] for key in sorted(witnesses, key=str)]
    return round(1 - reduce(mul, doubts, 1.0), 4)
