"""The parts of a brief: what happened since the previous session, and memories about the current work.

`context.brief` orders and shortens them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime
from itertools import islice
from pathlib import Path
from typing import NamedTuple

from muninn_core import git
from muninn_core.context.results.brief import STALE, TOUCHED
from muninn_core.context.staleness import warning
from muninn_core.engine.answer.touched_decisions import touched
from muninn_core.engine.session.session_end import OPEN
from muninn_core.git import log as history
from muninn_core.git.log import CommitRange
from muninn_core.model.counting import number_of
from muninn_core.model.memory import SHORT_ID, Memory
from muninn_core.retrieval.decay import is_recallable
from muninn_core.worktree.citations.citations import CitationCheck
from muninn_core.worktree.local.session_state import SessionState
from muninn_core.worktree.memories.memory_store import MemoryStore
from muninn_core.worktree.workspace import Workspace

MAX_COMMITS = 5
"""The most commits since the previous session that are listed; the others are counted."""

SUBJECT_CHARS = 100
"""The most characters of a commit's subject."""

READ_MEMORIES = 200
"""How many of the newest memories are read; a brief must be quick."""

MAX_DISPUTES = 2
"""The most contradictions that are listed."""
SIDE_CHARS = 120
"""The most characters of each side of a contradiction."""

_WORK_RECORDS = frozenset({"session_summary", "context_hit"})


class PreviousWork(NamedTuple):
    """The previous session: its HEAD commit and its time (RFC 3339), as last noted."""

    head: str
    at: str


def previous_work(notes: SessionState, session: str | None) -> PreviousWork | None:
    """Return the previous session: `session` itself when it was noted before, else the one noted last. None without
    notes.
    """
    noted = [name for name, _ in notes.all("at")]
    name = session if session in noted else next(iter(reversed(noted)), None)
    if name is None:
        return None
    head, at = notes.get(name, "head"), notes.get(name, "at")
    return PreviousWork(head, at) if isinstance(head, str) and isinstance(at, str) else None


def since(workspace: Workspace, session: str | None, newest: Sequence[Memory]) -> list[str]:
    """Return lines about what happened since the previous session: commits, and the number of memories stored."""
    then = previous_work(workspace.session_state, session)
    head = workspace.head.read()
    if then is None:
        return []
    lines = _commits(workspace, then.head, head) if head.commit is not None and head.commit != then.head else []
    fresh = [memory for memory in newest if memory.ts > then.at and memory.type not in _WORK_RECORDS]
    if fresh:
        more = " or more" if len(fresh) == READ_MEMORIES else ""
        count = number_of(len(fresh), "memory", f"memories{more}")
        lines.append(f"- {count} stored since {then.at[:16].replace('T', ' ')} UTC\n")
    return lines


def _commits(workspace: Workspace, old: str, head: git.Head) -> list[str]:
    """Return lines about the commits since `old`, or that another branch is checked out, which has `old`."""
    root, new = workspace.layout.root, head.commit or ""
    try:
        if (other := _other_branch(root, old, head)) is not None:
            return [f"- the session before ended on {other}; {head.branch or new[:8]} is checked out now\n"]
        total = history.count_commits(root, CommitRange(tip=new, base=old))
        found = git.list_commits(root, old, new, MAX_COMMITS)
    except git.GitError:
        return ["- HEAD is on another history than it was: commits were rewritten or are gone\n"]
    if not total:
        return ["- HEAD was moved back: commits of the session before are not on this branch\n"]
    lines = [f"- commit {commit.sha[:8]} {_short(commit.subject, SUBJECT_CHARS)}\n" for commit in reversed(found)]
    return [*lines, f"- and {number_of(total - len(found), 'more commit')}\n"] if total > len(found) else lines


def _other_branch(root: Path, old: str, head: git.Head) -> str | None:
    """Return a local branch at the commit `old` when HEAD left it without its commits; None if HEAD has them."""
    others = [ref.name for ref in git.list_refs(root, "refs/heads") if ref.commit == old and ref.name != head.branch]
    return others[0] if others and not git.is_ancestor(root, old, head.commit or "") else None


def current_work(workspace: Workspace, seen: Callable[[Memory], bool], now: datetime) -> tuple[list[Memory], list[str]]:
    """Return memories about files that differ from HEAD, the most important first, and lines about their decisions."""
    changed = workspace.edited_files.files()
    found = [
        memory
        for memory in workspace.memory.index.by_files(changed)
        if memory.type not in _WORK_RECORDS and is_recallable(memory, now) and seen(memory)
    ]
    found.sort(key=lambda memory: memory.id)
    found.sort(key=lambda memory: (memory.importance, memory.updated or memory.ts), reverse=True)
    records = [
        f"- {decision.document.title or decision.document.path} ({decision.document.path}) {decision.reason}\n"
        for decision in touched(workspace.documents.read(), changed, (), ())
    ]
    return found[:TOUCHED], records


def stale(newest: Sequence[Memory], checker: CitationCheck) -> list[Memory]:
    """Return the newest memories whose code has changed or is gone, within the checker's time limit.

    Memories of earlier commits are left out: a commit stays what it was, whatever its files became.
    """
    current = (memory for memory in newest if memory.details.get("backfill") != "git")
    return list(islice((memory for memory in current if warning(checker.judge(memory))), STALE))


def left_open(newest: Sequence[Memory], session: str | None) -> list[Memory]:
    """Return the open items of other sessions, the newest first."""
    return [memory for memory in newest if OPEN in memory.tags and memory.private and memory.session != session]


def disputes(store: MemoryStore) -> list[str]:
    """Return a line for each of the first contradictions that wait for a decision."""
    state = store.log.state
    lines: list[str] = []
    for conflict in state.conflicts:
        sides = [state.memories[side] for side in (conflict.left, conflict.right)]
        if len(lines) == MAX_DISPUTES or any(side.unvetted for side in sides):
            continue
        left, right = (_short(side.text, SIDE_CHARS) for side in sides)
        lines.append(f"- {conflict.id[-SHORT_ID:]}: “{left}” against “{right}”\n")
    return lines


def _short(text: str, most: int) -> str:
    line = " ".join(text.split())
    return line if len(line) <= most else line[: most - 1].rstrip() + "…"
