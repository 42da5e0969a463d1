"""Reviews a range of commits: the memories that it adds, changes, contradicts and makes stale.

Both sides are read from git's objects. Uncommitted memory is counted, and not compared.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path

from muninn_core import git
from muninn_core.context.memory_summary import shorten
from muninn_core.context.results.diff_text import CHARS, review_markdown, review_text
from muninn_core.errors import BadParams
from muninn_core.model.answer import ReadState
from muninn_core.model.citation import place
from muninn_core.model.counting import number_of
from muninn_core.model.memory import Cite, Memory
from muninn_core.model.value import replace
from muninn_core.protocol.families.review import AffectedMemory, DiffParams, DiffResult
from muninn_core.reconcile.planning.plan import add_derived_records
from muninn_core.store.files.layout import Layout
from muninn_core.store.files.lines import read_content, read_lines
from muninn_core.store.files.spool import list_spools
from muninn_core.store.folding.fold import Fold, State
from muninn_core.store.records.change import required_ids
from muninn_core.store.records.fields import headline
from muninn_core.worktree.history.revisions import MemoryAtCommit, Revisions

_WORD = re.compile(r"\w+")

SHARED = 0.34
"""The share of the shorter text's words that two memories must share to be compared. Reconcile requires more."""

_COMPARED_FIELDS = frozenset(
    {"text", "title", "tags", "entities", "questions", "files", "cites", "importance", "trust", "expires", "type"}
)
"""The fields whose change makes a memory `changed`; other changes have lists of their own."""


def review(past: Revisions, layout: Layout, params: DiffParams) -> DiffResult:
    """Compare the memories of both ends of a range. `layout` is the work tree's, whose uncommitted memory is counted.

    Raises BadParams for an invalid range, NotFoundError for an unknown revision.
    """
    older, newer = _ends(params.range)
    root = past.root
    start, head = git.resolve_commit(root, older), git.resolve_commit(root, newer)
    base = git.merge_base(root, start, head)
    before, after = past.at(base or start, strict=False), past.at(head, strict=False)
    apart = "" if base else f"{older} and {newer} have no common ancestor here; all of both is compared."
    here = head == git.read_head(past.location).commit
    note = " ".join(part for part in (apart, _uncommitted(layout, after) if here else "") if part)
    old, new = before.state, after.state
    added = [new.memories[identity] for identity in new.memories if identity not in old.memories]
    result = DiffResult(
        base=before.commit,
        head=after.commit,
        added=tuple(memory for memory in added if memory.active),
        removed=tuple(old.memories[identity] for identity in old.memories if identity not in new.memories),
        changed=_turns(old, new, lambda was, now: was.active and now.active, _reason_of_change),
        superseded=_turns(old, new, lambda was, now: not _replaced(was) and _replaced(now), lambda _was, _now: ""),
        archived=_turns(old, new, lambda was, now: not _closed(was) and _closed(now), _reason_of_end),
        contradicts=_contradictions(past.at(start, strict=False), after, {memory.id for memory in added}),
        stale=_stale(root, before, after),
        pending=tuple(memory for memory in new.memories.values() if memory.waits and not _waited(old, memory)),
        approved=tuple(memory for memory in new.memories.values() if memory.active and _waited(old, memory)),
        malformed=after.malformed,
        text="",
        saw=ReadState(commit=after.commit, log=len(after.records), note=note),
    )
    names = (older, newer)
    return replace(result, text=(review_markdown if params.format == "markdown" else review_text)(result, names))


def _ends(wanted: str) -> tuple[str, str]:
    """Return both revisions of `A..B`, `A...B` or `A`; a missing end is HEAD."""
    dots = "..." if "..." in wanted else ".."
    one, _, other = wanted.strip().partition(dots)
    if ".." in other or not (one or other):
        raise BadParams(
            f"'{wanted}' is not a range of revisions", hint="Write A..B, or one revision to compare with HEAD."
        )
    return one or "HEAD", other or "HEAD"


def _turns(
    old: State,
    new: State,
    counts: Callable[[Memory, Memory], bool],
    reason: Callable[[Memory, Memory], str],
) -> tuple[AffectedMemory, ...]:
    found = []
    for identity, memory in new.memories.items():
        was = old.memories.get(identity)
        if was is None or was == memory or not counts(was, memory):
            continue
        text = reason(was, memory)
        successor = new.memories.get(memory.superseded_by or memory.merged_into or "")
        if text or successor is not None:
            found.append(AffectedMemory(memory=memory, by=successor, reason=text))
    return tuple(found)


def _replaced(memory: Memory) -> bool:
    return bool(memory.superseded_by or memory.merged_into)


def _closed(memory: Memory) -> bool:
    return memory.archived or memory.redacted or memory.review == "rejected"


def _waited(before: State, memory: Memory) -> bool:
    was = before.memories.get(memory.id)
    return was is not None and was.waits


def _uncommitted(layout: Layout, after: MemoryAtCommit) -> str:
    """Return a sentence on the records of the work tree that are not in its commit, "" for none."""
    known = {record.id for record in after.records}
    spooled = {record for path in list_spools(layout).values() for record in _records(path)} - known
    files = (layout.main, *layout.sessions.glob("*.jsonl"))
    sealed = {record for path in files for record in _records(path)} - known
    number = len(spooled | sealed)
    if not number:
        return ""
    what = number_of(number, "record is", "records are")
    steps = "run `muninn seal` and commit" if spooled - sealed else "commit"
    return f"{what} not committed and not compared: {steps} .muninn/memory."


def _records(path: Path) -> Iterator[str]:
    try:
        content = read_content(path)
    except OSError:  # `status` and `check` report it
        return
    yield from (record.id for record in read_lines(content, "").records)


def _reason_of_change(was: Memory, now: Memory) -> str:
    """Return what changed, field by field. A title that follows from the text is not named beside it."""
    names = [name for name in sorted(_COMPARED_FIELDS) if getattr(was, name) != getattr(now, name)]
    if "text" in names and was.title == headline(was.text) and now.title == headline(now.text):
        names = [name for name in names if name != "title"]
    return "; ".join(_change(name, getattr(was, name), getattr(now, name)) for name in names)


def _change(name: str, was: object, now: object) -> str:
    if isinstance(was, tuple) and isinstance(now, tuple):
        old, new = [_item(each) for each in was], [_item(each) for each in now]
        changes = [f"- {each}" for each in old if each not in new] + [f"+ {each}" for each in new if each not in old]
        return f"{name} {' '.join(changes)}" if changes else f"{name} renewed"
    if name in ("text", "title"):
        return f'{name}, before: "{shorten(str(was), CHARS)}"'
    return f"{name} {was or 'none'} to {now or 'none'}"


def _item(value: object) -> str:
    return place(value.path, value.start, value.end) if isinstance(value, Cite) else f'"{value}"'


def _reason_of_end(_was: Memory, now: Memory) -> str:
    if now.redacted:
        return "redacted"
    if now.review == "rejected" and not now.archived:
        return f"rejected: {now.details.get('rejected_reason', '')}"
    reason = now.details.get("archived_reason")
    return reason if isinstance(reason, str) and reason else "archived"


def _contradictions(target: MemoryAtCommit, after: MemoryAtCommit, added: set[str]) -> tuple[AffectedMemory, ...]:
    """Return the conflicts that reconcile would find after a merge of both sides, if an added memory is part of
    them.
    """
    if not added:
        return ()
    records = {record.id: record for record in (*target.records, *after.records)}
    memories = {**target.state.memories, **after.state.memories}
    near = _near(added, memories)
    both = Fold()
    both.add(
        (record for record in records.values() if record.id in near or near.intersection(required_ids(record.data))),
        sealed=True,
    )
    both.add((record for record in records.values() if record.type == "resolve"), sealed=True)
    add_derived_records(both)
    state = both.state()
    found = []
    for dispute in state.conflicts:
        sides = [state.memories[dispute.left], state.memories[dispute.right]]
        if not added.intersection(dispute_id for side in sides for dispute_id in (side.id, *side.sources)):
            continue
        if sides[1].id in added:
            sides.reverse()
        found.append(AffectedMemory(memory=sides[0], by=sides[1], reason=dispute.reason))
    return tuple(sorted(found, key=lambda affected: (affected.memory.id, affected.by.id if affected.by else "")))


def _near(added: set[str], memories: Mapping[str, Memory]) -> set[str]:
    """Return ids of the added memories, and of those that share enough words with one to agree or contradict.

    This limits the comparison; reconcile decides.
    """
    new = [memories[identity] for identity in added if identity in memories]
    words = {memory.id: set(_WORD.findall(memory.text.lower())) for memory in new}
    holders: dict[str, list[str]] = {}
    for identity, own in words.items():
        for word in own:
            holders.setdefault(word, []).append(identity)
    near = set(added) | {link.target for memory in new for link in memory.links}
    for memory in memories.values():
        if memory.id in added:
            continue
        own = set(_WORD.findall(memory.text.lower()))
        shared = Counter(identity for word in own.intersection(holders) for identity in holders[word])
        if any(count >= SHARED * min(len(own), len(words[identity])) for identity, count in shared.items()):
            near.update((memory.id, *memory.sources, *([memory.merged_into] if memory.merged_into else ())))
    return near


def _stale(root: Path, before: MemoryAtCommit, after: MemoryAtCommit) -> tuple[AffectedMemory, ...]:
    """Return the memories, unchanged in the range, whose cited code or named files the range changed."""
    files = {
        change.old_path: change for change in git.changed_files(root, before.commit, after.commit) if change.old_path
    }
    spans: dict[str, tuple[tuple[int, int], ...]] = {}
    found = []
    for identity, memory in before.state.memories.items():
        now = after.state.memories.get(identity)
        if not memory.active or now is None or not now.active or now.updated != memory.updated:
            continue
        reasons = list(dict.fromkeys(filter(None, _touched(root, memory, files, spans))))
        if reasons:
            found.append(AffectedMemory(memory=now, reason="; ".join(reasons)))
    return tuple(found)


def _touched(
    root: Path,
    memory: Memory,
    files: Mapping[str, git.FileChange],
    spans: dict[str, tuple[tuple[int, int], ...]],
) -> Iterable[str]:
    cited = {cite.path for cite in memory.cites}
    for path in (*cited, *(file for file in memory.files if file not in cited)):
        change = files.get(path)
        if change is not None and change.new_path is None:
            yield f"{path} is gone"
        elif change is not None and change.new_path != path:
            yield f"{path} is {change.new_path} now"
    for cite in memory.cites:
        change = files.get(cite.path)
        if change is None or change.new_path is None:
            continue
        if cite.path not in spans:
            same = change.old_oid == change.new_oid
            spans[cite.path] = () if same else git.changed_spans(root, change.old_oid, change.new_oid)
        end = cite.end or cite.start
        if not cite.start:
            yield f"{cite.path} changed" if spans[cite.path] else ""
        elif any(first <= end and cite.start <= last for first, last in spans[cite.path]):
            yield f"{place(cite.path, cite.start, end)} changed"
