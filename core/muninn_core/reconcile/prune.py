"""Pruning: memories that speak no longer leave main.jsonl for a file in the archive, by a policy.

What leaves is chosen so that no memory that stays changes: what a memory was merged with, superseded by or reworded
through goes with it or not at all. The archived file is a segment like any other; moved back into `sessions`, it
brings everything back.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from datetime import datetime, timedelta

from muninn_core.config import PruneConfig
from muninn_core.errors import BusyError, UsageError
from muninn_core.model.memory import Memory
from muninn_core.model.value import Value
from muninn_core.reconcile.plan import read_memory
from muninn_core.store.change import required_ids
from muninn_core.store.fold import State, fold
from muninn_core.store.lines import read_lines
from muninn_core.store.log import Log
from muninn_core.store.record import Record, encode_line
from muninn_core.store.spool import segment_path
from muninn_core.store.stamp import timestamp
from muninn_core.store.undo_journal import FileRewrite, read_content, rewrite


class Pruned(Value):
    """What leaves, or would: ids of memories, how many records, the size of main (bytes) before and after.

    `archive` is the file that takes them, relative to the root, "" when nothing leaves.
    """

    memories: tuple[str, ...]
    records: int
    before: int
    after: int
    archive: str
    summary: str


def prune(log: Log, policy: PruneConfig, now: datetime, *, dry_run: bool = False) -> Pruned:
    """Move what the policy lets go from main.jsonl to the archive; a dry run only says what that would be.

    Raises UsageError without a policy, BusyError when main.jsonl changes meanwhile, StorageError or ReadOnlyError.
    """
    if not (policy.age_days or policy.confidence or policy.max_bytes):
        raise UsageError(
            "there is no policy by which to prune",
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
    """The ids of the records that leave main."""
    groups = {
        root: group
        for root, group in _groups(state).items()
        if _may_go(group, policy) and all(memory.id in main for memory in group)
    }
    chosen = {root for root in groups if _is_due(state.memories[root], policy, now)}
    if policy.max_bytes:
        sizes = {identity: len(encode_line(record)) for identity, record in main.items()}
        silent = [root for root in groups if root not in chosen and _is_silent(state.memories[root], now)]
        size = sum(sizes.values()) - sum(sizes[memory.id] for root in chosen for memory in groups[root])
        for root in sorted(silent, key=lambda root: (_last_word(state.memories[root]), root)):
            if size <= policy.max_bytes:
                break
            chosen.add(root)
            size -= sum(sizes[memory.id] for memory in groups[root])
    return _settle(chosen, groups, main, everything)


def _groups(state: State) -> dict[str, list[Memory]]:
    """The memories by the one that speaks for them."""
    groups: dict[str, list[Memory]] = defaultdict(list)
    for memory in state.memories.values():
        groups[memory.merged_into or memory.id].append(memory)
    return groups


def _may_go(group: Iterable[Memory], policy: PruneConfig) -> bool:
    return not any(
        memory.pinned
        or memory.redacted
        or memory.waits
        or memory.importance >= policy.importance
        or (memory.trust == "user" and not policy.user)
        for memory in group
    )


def _is_due(root: Memory, policy: PruneConfig, now: datetime) -> bool:
    if _last_word(root) >= timestamp(now - timedelta(days=policy.age_days)):
        return False
    return bool(policy.age_days) if _is_silent(root, now) else root.confidence < policy.confidence


def _is_silent(memory: Memory, now: datetime) -> bool:
    return not memory.witness or (memory.expires is not None and memory.expires < timestamp(now))


def _last_word(memory: Memory) -> str:
    return max(memory.updated or memory.ts, memory.expires or "")


def _settle(
    chosen: set[str],
    groups: Mapping[str, list[Memory]],
    main: Mapping[str, Record],
    everything: Mapping[str, Record],
) -> set[str]:
    """Return the records that leave with the chosen groups, but for groups that change what stays by leaving."""
    before = fold(everything.values())
    while chosen:
        away = {memory.id for root in chosen for memory in groups[root]}
        leaving = _records_of(away, main)
        after = fold(record for identity, record in everything.items() if identity not in leaving)
        changed = {identity for identity, memory in after.memories.items() if before.memories[identity] != memory}
        changed |= {side for dispute in _reopened(before, after) for side in dispute}
        if not changed:
            return leaving
        near = _near(changed, everything)
        kept = {root for root in chosen if any(memory.id in near for memory in groups[root])}
        chosen = chosen - (kept or chosen)
    return set()


def _records_of(away: set[str], records: Mapping[str, Record]) -> set[str]:
    """The records that say something of these memories alone, and the conflicts that they were a side of."""
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


def _near(changed: set[str], records: Mapping[str, Record]) -> set[str]:
    """Every memory that a record names together with one of these, the conflicts between them included."""
    near = set(changed)
    links: dict[str, set[str]] = defaultdict(set)
    for record in records.values():
        named = _named(record)
        for one in named:
            links[one] |= named
    ahead = list(changed)
    while ahead:
        fresh = links[ahead.pop()] - near
        near |= fresh
        ahead.extend(fresh)
    return near


def _named(record: Record) -> set[str]:
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
    return f"{count} {'memory' if count == 1 else 'memories'} moved to the archive"
