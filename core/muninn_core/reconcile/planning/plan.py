"""Plans a reconciliation: reads, compares and derives records. It writes only the cache of comparisons.

The time and id of a derived record follow from its subject, so that all machines with the same memories write the same
bytes.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from muninn_core import git
from muninn_core.errors import StorageError
from muninn_core.model.memory import TRUST_ORDER, Memory
from muninn_core.model.value import Value
from muninn_core.protocol.families.reconciliation import Conflict, Merge, Superseded
from muninn_core.reconcile.comparison.known_texts import Known
from muninn_core.reconcile.comparison.pairs import compare_all
from muninn_core.reconcile.comparison.relation import forget
from muninn_core.reconcile.planning import comparison_cache
from muninn_core.reconcile.planning.verdicts import judged_conflicts
from muninn_core.regular_file import FileTooLarge
from muninn_core.store.files.layout import Layout
from muninn_core.store.files.lines import Lines, read_content, read_lines
from muninn_core.store.folding.fold import Dispute, Fold, State
from muninn_core.store.records.ids import derived_id
from muninn_core.store.records.record import VERSION, Record, encode_line, is_merge_marker, make_record
from muninn_core.store.records.timestamps import next_millisecond

SAME = "says the same in other words"
REPEATED = "has the same text"
CHANGED = "the same author changed one value"


class Source(Value):
    """A file and the SHA-256 of the content that was read."""

    path: Path
    digest: str


class Task(Value):
    """The parameters of `plan`, for another process."""

    layout: Layout
    with_spool: bool
    session: str | None


class Plan(Value):
    """The new `main.jsonl`, its sources, and the changes in it.

    `main` is None when there was no main.jsonl. `merges`, `superseded` and `conflicts` are the new ones; a
    conflict that a person has decided before is none. `consolidated` counts the memories that only segments held.
    """

    layout: Layout
    content: bytes
    main: Source | None
    segments: tuple[Source, ...]
    consolidated: int
    merges: tuple[Merge, ...]
    superseded: tuple[Superseded, ...]
    conflicts: tuple[Conflict, ...]


class MemoryFiles(Value):
    """The files of a work tree's memory. `raw` are the malformed lines."""

    main: Source | None
    segments: tuple[Source, ...]
    in_main: frozenset[str]
    fold: Fold
    raw: tuple[bytes, ...]


def plan(layout: Layout, *, with_spool: bool = False, session: str | None = None) -> Plan:
    """Plan the consolidation of main.jsonl and the sealed segments, or those of one session.

    `with_spool` includes unsealed records; use it for a dry run only, because a plan removes its segments. Raises
    StorageError when a file can't be read, because nothing may be lost.
    """
    read = read_memory(layout, with_spool=with_spool, session=session)
    kept = layout.cache / comparison_cache.NAME
    known = comparison_cache.load(kept)
    new = add_derived_records(read.fold, known)
    comparison_cache.save(kept, known)
    state = read.fold.state()
    undecided = {dispute.id: dispute for dispute in state.conflicts}  # a decision outlives the undo of its record
    records = sorted(read.fold.records.values(), key=lambda record: record.id)
    malformed = b"".join(line + b"\n" for line in sorted(set(read.raw)))
    return Plan(
        layout=layout,
        content=b"".join(map(encode_line, records)) + malformed,
        main=read.main,
        segments=read.segments,
        consolidated=len(state.memories.keys() - read.in_main),
        merges=_merges(new),
        superseded=tuple(
            Superseded(newer=record.data["by"], older=record.data["target"], reason=record.data["reason"])
            for record in new
            if record.type == "supersede"
        ),
        conflicts=tuple(_conflict(state, undecided[record.id]) for record in new if record.id in undecided),
    )


def _conflict(state: State, dispute: Dispute) -> Conflict:
    left, right = state.memories[dispute.left], state.memories[dispute.right]
    return Conflict(id=dispute.id, left=left, right=right, reason=dispute.reason, ts=dispute.ts)


def read_memory(layout: Layout, *, with_spool: bool, session: str | None = None) -> MemoryFiles:
    """Read main.jsonl, the sealed segments and, with `with_spool`, unsealed records.

    After a merge that conflicts, both sides are read, from the file and from git's index, and the markers are left out.
    Raises StorageError when a file can't be read, GitError when git's index can't.
    """
    fold = Fold()
    raw: list[bytes] = []
    sources: dict[Path, Source] = {}
    in_main: frozenset[str] = frozenset()
    spools = sorted(layout.spool.glob("*.jsonl")) if with_spool else []
    for path in (layout.main, *sorted(layout.sessions.glob("*.jsonl")), *spools):
        try:
            content = read_content(path)
        except FileNotFoundError:
            continue
        except OSError as error:
            hint = "Move the file out of the folder." if isinstance(error, FileTooLarge) else "Check its permissions."
            raise StorageError(f"can't read {layout.relative(path)}: {error.strerror}", hint=hint) from error
        lines = read_lines(content, layout.relative(path))
        if session is not None and path != layout.main and not _belongs_to(session, lines):
            continue
        sources[path] = Source(path=path, digest=hashlib.sha256(content).hexdigest())
        fold.add(lines.records, sealed=True)
        raw += [line for line in lines.raw if not is_merge_marker(line)]
        if path == layout.main:
            in_main = frozenset(record.id for record in lines.records)
    unmerged = git.unmerged_blobs(layout.root, layout.relative(layout.memory))
    for oid, content in git.read_blobs(layout.root, dict.fromkeys(unmerged)):
        lines = read_lines(content, oid)
        if session is None or _belongs_to(session, lines):
            fold.add(lines.records, sealed=True)
            raw += [line for line in lines.raw if not is_merge_marker(line)]
    main = sources.pop(layout.main, None)
    return MemoryFiles(main=main, segments=tuple(sources.values()), in_main=in_main, fold=fold, raw=tuple(raw))


def _belongs_to(session: str, lines: Lines) -> bool:
    """Whether all records of a file belong to one session, whatever the file's name."""
    return bool(lines.records) and all(record.session == session for record in lines.records)


def add_derived_records(fold: Fold, known: Known | None = None) -> list[Record]:
    """Add derived records to a fold until there are no more; a merge can enable further merges. Return the records.

    Conflicts come last, when nothing is left to merge. They change no memory. What is `known` of the texts saves time
    and grows; it changes no record.
    """
    known = known or Known()
    concluded: list[Record] = []
    while new := _step(fold, known):
        fold.add(new, sealed=True)
        concluded += new
        if new[0].type == "conflict":
            break
    forget()
    return concluded


def _step(fold: Fold, known: Known) -> list[Record]:
    state = fold.state()
    active = sorted((memory for memory in state.memories.values() if memory.active and memory.text), key=_preference)
    found = compare_all(active, _separated_pairs(fold), known)
    if found.merges:
        # Earlier decisions about a pair are known only after merging, so contradictions come last.
        return [_merge_record(state.memories[keep], state.memories[source]) for keep, source in found.merges]
    replaced = [
        _supersede_record(state.memories[newer], state.memories[older], reason)
        for newer, older, reason in found.replaced
    ]
    if any(record.id not in fold.records for record in replaced):
        return [record for record in replaced if record.id not in fold.records]
    queued = {frozenset((dispute.left, dispute.right)) for dispute in state.disputes}
    new: list[Record] = []
    for one, other, reason in [*found.contradictions, *_stated_contradictions(state), *judged_conflicts(fold, state)]:
        pair = frozenset((one, other))
        if pair not in queued:
            queued.add(pair)
            new.append(_conflict_record(state.memories[one], state.memories[other], reason))
    return new


def _preference(memory: Memory) -> tuple[int, str, str]:
    return (-TRUST_ORDER.index(memory.trust), memory.ts, memory.id)


def _separated_pairs(fold: Fold) -> set[tuple[str, str]]:
    """Return the pairs that were merged once. A person has separated those of them that are both active."""
    merges = [record.data for record in fold.records.values() if record.type == "merge"]
    pairs = {(data["keep"], source) for data in merges for source in data["sources"]}
    return pairs | {(source, keep) for keep, source in pairs}


def _stated_contradictions(state: State) -> Iterable[tuple[str, str, str]]:
    """Yield the contradictions that a link states."""
    for memory in state.memories.values():
        for link in memory.links:
            target = state.memories.get(link.target)
            if link.relation == "contradicts" and target is not None and memory.active:
                target = state.memories[target.merged_into or target.id]
                if target.active and target.id != memory.id:
                    yield memory.id, target.id, link.reason or "one was stored as contradicting the other"


def _merge_record(keep: Memory, source: Memory) -> Record:
    # Just after the last change of either, or an old restore would count as undoing this merge.
    ts = next_millisecond(max(keep.updated, source.updated))
    return _derived(
        "merge", ts, [keep, source], {"keep": keep.id, "sources": [source.id], "reason": _sameness(keep, source)}
    )


def _sameness(keep: Memory, source: Memory) -> str:
    one, other = (re.findall(r"\w+", memory.text.casefold()) for memory in (keep, source))
    return REPEATED if one == other else SAME


def _supersede_record(newer: Memory, older: Memory, reason: str) -> Record:
    # A restore of the older one comes later and holds: the same record is not made twice.
    ts = next_millisecond(max(newer.ts, older.ts))
    fields = {"target": older.id, "by": newer.id, "reason": f"{CHANGED}: {reason}"}
    return _derived("supersede", ts, [older, newer], fields)


def _conflict_record(one: Memory, other: Memory, reason: str) -> Record:
    # The time of the memories, without later changes, so that a pair is one conflict on all machines.
    left, right = sorted((one, other), key=lambda memory: (memory.ts, memory.id))
    return _derived("conflict", right.ts, [left, right], {"left": left.id, "right": right.id, "reason": reason})


def _derived(kind: str, ts: str, about: list[Memory], fields: dict[str, Any]) -> Record:
    identity = derived_id(ts, "\0".join([kind, *(memory.id for memory in about)]).encode())
    return make_record({"v": VERSION, "id": identity, "ts": ts, "type": kind, "actor": "tool", **fields})


def _merges(new: Iterable[Record]) -> tuple[Merge, ...]:
    groups: dict[tuple[str, str], list[str]] = {}
    for record in new:
        if record.type == "merge":
            groups.setdefault((record.data["keep"], record.data["reason"]), []).extend(record.data["sources"])
    return tuple(Merge(kept=keep, merged=tuple(sorted(groups[keep, why])), reason=why) for keep, why in sorted(groups))
