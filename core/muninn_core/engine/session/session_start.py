"""Where a session starts: what happened since the one before, and what is remembered about the work in hand.

It gathers; what is said first, and how much of it, is decided in `context.brief`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime
from itertools import islice
from typing import NamedTuple

from muninn_core import git
from muninn_core.context.brief import STALE, TOUCHED
from muninn_core.context.staleness import warning
from muninn_core.engine.answer.touched_decisions import touched
from muninn_core.engine.session.session_end import OPEN
from muninn_core.git import log as history
from muninn_core.git.log import CommitRange
from muninn_core.model.memory import Memory
from muninn_core.retrieval.decay import is_recallable
from muninn_core.worktree.citations import CitationCheck
from muninn_core.worktree.memory_store import MemoryStore
from muninn_core.worktree.session_notes import SessionNotes
from muninn_core.worktree.workspace import Workspace

COMMITS = 5
"""Commits since the session before that are named; the rest is counted."""

SUBJECT_CHARS = 100

LOOKED = 200
"""How many of the newest memories are looked at; there may be thousands, and somebody waits."""

MOST_DISPUTES = 2
SIDE_CHARS = 120

_UNTOLD = frozenset({"session_summary", "context_hit"})


class PreviousWork(NamedTuple):
    """The session before: where HEAD was when it was last seen, and when that was (RFC 3339)."""

    head: str
    at: str


def previous_work(notes: SessionNotes, session: str | None) -> PreviousWork | None:
    """Return the session before: this one itself when it goes on, else the one that was noted of last."""
    noted = [name for name, _ in notes.all("at")]
    name = session if session in noted else next(iter(reversed(noted)), None)
    if name is None:
        return None
    head, at = notes.get(name, "head"), notes.get(name, "at")
    return PreviousWork(head, at) if isinstance(head, str) and isinstance(at, str) else None


def since(workspace: Workspace, session: str | None, newest: Sequence[Memory]) -> list[str]:
    """Return lines about what happened since the session before: commits, and what others remembered."""
    then = previous_work(workspace.session_notes, session)
    now = workspace.head.read().commit
    if then is None:
        return []
    lines = _commits(workspace, then.head, now) if now is not None and now != then.head else []
    fresh = [memory for memory in newest if memory.ts > then.at and memory.type not in _UNTOLD]
    if fresh:
        more = " or more" if len(fresh) == LOOKED else ""
        count = "one memory" if len(fresh) == 1 else f"{len(fresh)}{more} memories"
        lines.append(f"- {count} stored since {then.at[:16].replace('T', ' ')} UTC\n")
    return lines


def _commits(workspace: Workspace, old: str, new: str) -> list[str]:
    root = workspace.layout.root
    try:
        total = history.count_commits(root, CommitRange(tip=new, base=old))
        found = git.list_commits(root, old, new, COMMITS)
    except git.GitError:
        return ["- HEAD is on another history than it was: commits were rewritten or are gone\n"]
    if not total:
        return ["- HEAD was moved back: commits of the session before are not on this branch\n"]
    lines = [f"- commit {one.sha[:8]} {_short(one.subject, SUBJECT_CHARS)}\n" for one in reversed(found)]
    return [*lines, f"- and {total - len(found)} more commits\n"] if total > len(found) else lines


def in_work(workspace: Workspace, seen: Callable[[Memory], bool], now: datetime) -> tuple[list[Memory], list[str]]:
    """Return what is remembered about the files that the work tree changes, and the decision records about them."""
    changed = workspace.edited_files.files()
    found = [
        memory
        for memory in workspace.memory.index.by_files(changed)
        if memory.type not in _UNTOLD and is_recallable(memory, now) and seen(memory)
    ]
    found.sort(key=lambda memory: memory.id)
    found.sort(key=lambda memory: (memory.importance, memory.updated or memory.ts), reverse=True)
    records = [
        f"- {one.document.title or one.document.path} ({one.document.path}) {one.reason}\n"
        for one in touched(workspace.documents.read(), changed, (), ())
    ]
    return found[:TOUCHED], records


def stale(newest: Sequence[Memory], look: CitationCheck) -> list[Memory]:
    """Return the newest memories whose code has changed or is gone, as far as the look's time goes."""
    return list(islice((memory for memory in newest if warning(look.judge(memory))), STALE))


def left_open(newest: Sequence[Memory], session: str | None) -> list[Memory]:
    """Return what other sessions have left open, the newest first."""
    return [memory for memory in newest if OPEN in memory.tags and memory.private and memory.session != session]


def disputes(store: MemoryStore) -> list[str]:
    """Return a line for each of the first contradictions that a person has to decide."""
    state = store.log.state
    lines = []
    for one in state.conflicts[:MOST_DISPUTES]:
        left, right = (_short(state.memories[side].text, SIDE_CHARS) for side in (one.left, one.right))
        lines.append(f"- {one.id}: “{left}” against “{right}”\n")
    return lines


def _short(text: str, most: int) -> str:
    said = " ".join(text.split())
    return said if len(said) <= most else said[: most - 1].rstrip() + "…"
