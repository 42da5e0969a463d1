"""Pruning: moves inactive memories from main.jsonl to a file in the archive, by a policy.

The selection changes no memory that stays: memories that are connected by merges, supersession or edits leave together
or not at all. The archive file is a segment; moved back into `sessions`, it restores everything.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from datetime import datetime, timedelta

from muninn_core.config import PruneConfig
from muninn_core.errors import BusyError, UsageError
from muninn_core.model.counting import number_of
from muninn_core.model.memory import Memory
from muninn_core.model.value import Value
from muninn_core.reconcile.planning.plan import read_memory
from muninn_core.store.files.lines import read_lines
from muninn_core.store.files.spool import segment_path
from muninn_core.store.files.undo_journal import FileRewrite, read_content, rewrite
from muninn_core.store.folding.fold import State, fold
from muninn_core.store.log import Log
from muninn_core.store.records.change import required_ids
from muninn_core.store.records.record import Record, encode_line
from muninn_core.store.records.timestamps import timestamp


class Pruned(Value):
    """The result: ids of the memories, number of records, size of main.jsonl in bytes before and after.

    `archive` is the new file, relative to the root; "" when nothing leaves.
    """

    memories: tuple[str, ...]
    records: int
    before: int
    after: int
    archive: str
    summary: str


def prune(log: Log, policy: PruneConfig, now: datetime, *, dry_run: bool = False) -> Pruned:
    """Move the memories that the policy selects from main.jsonl to the archive. A dry run changes nothing.

    Raises UsageError without a policy, BusyError when main.jsonl changes meanwhile, StorageError or ReadOnlyError.
    """
    if not (policy.age_days or policy.confidence or policy.max_bytes):
        raise UsageError(
            "no policy for pruning",
            hint="Set prune.age_days, prune.confidence or prune.max_bytes in .muninn/config.yaml.",
        )
    layout = log.layout
    log.refresh()
    content = read_content(layout.main)
    lines = read_lines(content or b"", layout.relative(layout.main))
    everything = read_memory(layout, with_spool=True).fold
    state = everything.state()
    main = {record.id: record for record in lines.records}
    leaving = _leaving(main, everything.records, state, policy, now)
    gone = _encode(record for record in lines.records if record.id in leaving)
    left = _encode(record for record in lines.records if record.id not in leaving)
    left += b"".join(line + b"\n" for line in sorted(set(lines.raw)))
    memories = tuple(sorted(leaving & state.memories.keys()))
    archive = layout.archive / segment_path(layout, "pruned", gone).name
    outcome = Pruned(
        memories=memories,
        records=len(leaving),
        before=len(content or b""),
        after=len(left) if leaving else len(content or b""),
        archive=layout.relative(archive) if leaving else "",
        summary=_summary(len(memories)),
    )
    if leaving and not dry_run:
        if read_content(layout.main) != content:
            raise BusyError(f"{layout.relative(layout.main)} has changed meanwhile", hint="Prune again.")
        kept = FileRewrite(path=archive, before=read_content(archive), after=gone)
        rewrite(layout, "prune", outcome.summary, [kept, FileRewrite(path=layout.main, before=content, after=left)])
        log.refresh()
    return outcome


def _leaving(
    main: Mapping[str, Record], everything: Mapping[str, Record], state: State, policy: PruneConfig, now: datetime
) -> set[str]:
    """Return the ids of the records that leave main.jsonl."""
    groups = {
        root: group
        for root, group in _groups(state).items()
        if _may_leave(group, policy) and all(memory.id in main for memory in group)
    }
    chosen = {root for root in groups if _is_due(state.memories[root], policy, now)}
    if policy.max_bytes:
        sizes = {identity: len(encode_line(record)) for identity, record in main.items()}
        silent = [root for root in groups if root not in chosen and _is_inactive(state.memories[root], now)]
        size = sum(sizes.values()) - sum(sizes[memory.id] for root in chosen for memory in groups[root])
        for root in sorted(silent, key=lambda root: (_last_change(state.memories[root]), root)):
            if size <= policy.max_bytes:
                break
            chosen.add(root)
            size -= sum(sizes[memory.id] for memory in groups[root])
    return _records_to_move(chosen, groups, main, everything)


def _groups(state: State) -> dict[str, list[Memory]]:
    """Return the memories grouped by the memory that they are merged into."""
    groups: dict[str, list[Memory]] = defaultdict(list)
    for memory in state.memories.values():
        groups[memory.merged_into or memory.id].append(memory)
    return groups


def _may_leave(group: Iterable[Memory], policy: PruneConfig) -> bool:
    return not any(
        memory.pinned
        or memory.redacted
        or memory.waits
        or memory.importance >= policy.importance
        or (memory.trust == "user" and not policy.user)
        for memory in group
    )


def _is_due(root: Memory, policy: PruneConfig, now: datetime) -> bool:
    if _last_change(root) >= timestamp(now - timedelta(days=policy.age_days)):
        return False
    return bool(policy.age_days) if _is_inactive(root, now) else root.confidence < policy.confidence


def _is_inactive(memory: Memory, now: datetime) -> bool:
    return not memory.witness or (memory.expires is not None and memory.expires < timestamp(now))


def _last_change(memory: Memory) -> str:
    return max(memory.updated or memory.ts, memory.expires or "")


def _records_to_move(
    chosen: set[str],
    groups: Mapping[str, list[Memory]],
    main: Mapping[str, Record],
    everything: Mapping[str, Record],
) -> set[str]:
    """Return the records of the chosen groups, without groups whose removal would change a remaining memory."""
    before = fold(everything.values())
    while chosen:
        away = {memory.id for root in chosen for memory in groups[root]}
        leaving = _records_of(away, main)
        after = fold(record for identity, record in everything.items() if identity not in leaving)
        changed = {identity for identity, memory in after.memories.items() if before.memories[identity] != memory}
        changed |= {side for dispute in _reopened(before, after) for side in dispute}
        if not changed:
            return leaving
        near = _connected(changed, everything)
        kept = {root for root in chosen if any(memory.id in near for memory in groups[root])}
        chosen = chosen - (kept or chosen)
    return set()


def _records_of(away: set[str], records: Mapping[str, Record]) -> set[str]:
    """Return the records about these memories alone, and the conflicts with one of them."""
    leaving = away & records.keys()
    for record in records.values():
        match record.type:
            case "conflict":
                about = bool({record.data["left"], record.data["right"]} & away)
            case "supersede":
                about = record.data["target"] in away
            case _:
                about = bool(required_ids(record.data)) and set(required_ids(record.data)) <= away
        if about:
            leaving.add(record.id)
    leaving |= {
        record.id for record in records.values() if record.type == "resolve" and record.data["conflict"] in leaving
    }
    return leaving


def _reopened(before: State, after: State) -> list[tuple[str, str]]:
    known = {dispute.id for dispute in before.conflicts}
    return [(dispute.left, dispute.right) for dispute in after.conflicts if dispute.id not in known]


def _connected(changed: set[str], records: Mapping[str, Record]) -> set[str]:
    """Return these memories and all that records connect with them, directly or not."""
    near = set(changed)
    links: dict[str, set[str]] = defaultdict(set)
    for record in records.values():
        named = _named_ids(record)
        for one in named:
            links[one] |= named
    ahead = list(changed)
    while ahead:
        fresh = links[ahead.pop()] - near
        near |= fresh
        ahead.extend(fresh)
    return near


def _named_ids(record: Record) -> set[str]:
    named = {record.id, *required_ids(record.data)}
    to = record.data.get("to")
    named |= {to} if isinstance(to, str) else set()
    links = record.data.get("links")
    for link in links if isinstance(links, list) else ():
        if isinstance(link, dict) and isinstance(link.get("target"), str):
            named.add(link["target"])
    return named


def _encode(records: Iterable[Record]) -> bytes:
    distinct = {record.id: record for record in records}
    return b"".join(encode_line(distinct[identity]) for identity in sorted(distinct))


def _summary(count: int) -> str:
    return f"{number_of(count, 'memory', 'memories')} moved to the archive"
