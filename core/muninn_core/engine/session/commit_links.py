"""Links a captured commit to memories of the same files or of similar text, and to the commit that it rewrites or
reverts.

A rewrite or revert can be taken back (`git reset` to the earlier commit, a revert of the revert). Then the earlier
commit's memory is in force again.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any

from muninn_core import git
from muninn_core.capture.commits.commit_history import reverts
from muninn_core.capture.commits.commit_memory import commit_key
from muninn_core.engine.answer.touched_decisions import touched
from muninn_core.engine.memory.drafting.scopes import visible
from muninn_core.engine.session.reminder_search import related_memories
from muninn_core.errors import MuninnError
from muninn_core.model.memory import Link, Memory
from muninn_core.model.value import replace
from muninn_core.protocol.families.memory import MemoryDraft
from muninn_core.retrieval.decay import is_recallable
from muninn_core.worktree.workspace import Workspace

HOOK = "hook"
SUPERSEDES = "supersedes"

MAX_RETURNED = 50
"""The newest commits of HEAD whose rewrites may have been taken back."""

MAX_LINKS = 4
"""The most links of one commit."""

FILES = 0.35
"""The confidence when all files of a memory are among those of the commit."""

MIN_CONFIDENCE = 0.3
"""The lowest confidence of a link."""

IMPLEMENTS = 0.6
"""The lowest confidence at which a commit `implements` a decision."""

_LINKED = frozenset(
    {"attempt", "bug_fix", "configuration", "constraint", "decision", "insight", "pattern", "reference"}
)


def related(workspace: Workspace, draft: MemoryDraft, now: datetime) -> MemoryDraft:
    """Return a commit's draft with its links and the decision records that it touches.

    A commit that was amended or rebased supersedes its earlier form, which no branch has any more. A revert supersedes
    what it takes back.
    A link's strength is its confidence, from 0 to 1: shared files, plus the relatedness of the texts. Without an index
    the files alone decide.
    """
    seen = visible(workspace.memory, "project", draft.session)

    def is_linkable(memory: Memory) -> bool:
        return memory.type in _LINKED and memory.scope == "project" and not memory.private and seen(memory)

    former = [*_former(workspace, draft), *_reverted(workspace, draft)]
    confidence: dict[str, float] = {}
    why: dict[str, list[str]] = {}
    known: Mapping[str, Memory] = workspace.memory.all()
    for memory in workspace.memory.index.by_files(draft.files):
        if is_linkable(memory) and is_recallable(memory, now):
            named = {*memory.files, *(cite.path for cite in memory.cites)}
            common = sorted(named.intersection(draft.files))
            confidence[memory.id] = FILES * len(common) / len(named)
            why[memory.id] = [f"both about {common[0]}" + (f" and {len(common) - 1} more" if common[1:] else "")]
    try:
        for hit in related_memories(workspace, f"{draft.title}\n{draft.text}", is_linkable, now):
            confidence[hit.memory.id] = confidence.get(hit.memory.id, 0.0) + hit.confidence
            why.setdefault(hit.memory.id, []).append("similar text")
    except MuninnError:
        pass  # the index is not open yet: the files alone decide
    best = sorted(
        (identity for identity in confidence if confidence[identity] >= MIN_CONFIDENCE and identity not in former),
        key=lambda identity: (-round(confidence[identity], 4), identity),
    )
    links = tuple(
        Link(
            relation="implements"
            if known[identity].type == "decision" and confidence[identity] >= IMPLEMENTS
            else "references",
            target=identity,
            strength=round(min(1.0, confidence[identity]), 2),
            reason=", ".join(why[identity]),
            by=HOOK,
        )
        for identity in best[:MAX_LINKS]
    )
    records = [decision.document.path for decision in touched(workspace.documents.read(), draft.files, (), ())]
    details = {**draft.details, **({"decisions": records} if records else {})}
    supersedes = tuple(Link(relation=SUPERSEDES, target=identity, by=HOOK) for identity in former)
    return replace(draft, links=(*draft.links, *supersedes, *links), details=details)


def _former(workspace: Workspace, draft: MemoryDraft) -> list[str]:
    """Return this author's memories of commits with this title and some of these files that are in no history any more.

    The commit of another author may be on a branch that was not fetched, or was squashed into one.
    """
    author = workspace.author()
    same = {
        str(memory.details["commit"]): memory.id
        for memory in workspace.memory.index.by_files(draft.files)
        if memory.actor == HOOK and memory.author == author and memory.title == draft.title
        if "commit" in memory.details
    }
    same.pop(str(draft.details["commit"]), None)
    if not same:
        return []
    return sorted(same[commit] for commit in _in_no_history(workspace, same))


def _reverted(workspace: Workspace, draft: MemoryDraft) -> list[str]:
    """Return the memory in force of the commit that a draft's commit takes back."""
    memory = _memory_of(workspace, str(draft.details.get("reverts", "")))
    return [memory.id] if memory is not None and memory.active else []


def _memory_of(workspace: Workspace, commit: str) -> Memory | None:
    """Return the memory of a commit; None when it has none."""
    record = workspace.memory.log.record_of_key(commit_key(commit)) if commit else None
    return workspace.memory.all().get(record.id) if record is not None else None


def is_captured(workspace: Workspace, commit: str, session: str) -> bool:
    """Whether a session has stored the memory of a commit."""
    memory = _memory_of(workspace, commit)
    return memory is not None and memory.session == session


def reapplying_records(workspace: Workspace, commits: Sequence[git.Commit]) -> tuple[dict[str, Any], ...]:
    """Return the records that put memories of commits in force again whose reverts these commits revert."""
    records: list[dict[str, Any]] = []
    for commit in commits:
        revert = _memory_of(workspace, reverts(commit))
        taken_back = _memory_of(workspace, str(revert.details.get("reverts", ""))) if revert is not None else None
        if revert is not None and taken_back is not None and taken_back.superseded_by == revert.id:
            records += _reinstate(taken_back.id, revert.id)
    return tuple(records)


def _reinstate(earlier: str, later: str) -> list[dict[str, Any]]:
    """Return the records by which a memory is in force again and supersedes the one that superseded it."""
    return [
        {"type": "supersede", "actor": HOOK, "target": earlier, "by": None},
        {"type": "link", "actor": HOOK, "target": earlier, "relation": SUPERSEDES, "to": later, "by": HOOK},
    ]


def _in_no_history(workspace: Workspace, commits: Iterable[str]) -> set[str]:
    root, head = workspace.layout.root, git.read_head(workspace.location).commit
    tips = [*(ref.commit for ref in git.list_refs(root)), *([head] if head else [])]
    return git.find_unreachable(root, commits, tips)


def reinstating_records(workspace: Workspace, head: str) -> tuple[list[dict[str, Any]], bool]:
    """Return the records that put memories of commits in force again whose rewrite no history has any more.

    The second value tells whether a branch still has the rewrite of another one, so that a later call may find more.
    Looked at are the newest `MAX_RETURNED` commits of HEAD, and rewrites that a capture of this author found. The
    rewrite's memory is superseded in turn, so that taking this back works the same way.
    """
    store, author = workspace.memory, workspace.author()
    known: Mapping[str, Memory] = store.all()
    found: dict[str, tuple[str, str]] = {}
    for commit in git.newest_ids(workspace.layout.root, head, MAX_RETURNED):
        record = store.log.record_of_key(commit_key(commit))
        memory = known.get(record.id) if record is not None else None
        later = known.get(memory.superseded_by or "") if memory is not None else None
        if memory is not None and later is not None and "commit" in later.details and later.author == author:
            rewrite = any(
                (each.relation, each.target, each.by) == (SUPERSEDES, memory.id, HOOK) for each in later.links
            )
            if rewrite:
                found[str(later.details["commit"])] = (memory.id, later.id)
    lost = sorted(_in_no_history(workspace, found)) if found else []
    records: list[dict[str, Any]] = []
    for commit in lost:
        records += _reinstate(*found[commit])
    return records, len(lost) < len(found)
