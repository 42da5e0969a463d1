"""Finds memories about the subject in the name of the current branch, such as `feature/move-exports-to-a-worker`."""

from __future__ import annotations

import logging
import re
from collections.abc import Callable
from concurrent.futures import Future
from datetime import datetime

from muninn_core.engine.session.reminder_search import related_memories
from muninn_core.engine.session.reminders import AS_CERTAIN
from muninn_core.errors import MuninnError
from muninn_core.model.memory import Memory
from muninn_core.worktree.thread_future import run_in_thread
from muninn_core.worktree.workspace import Workspace

log = logging.getLogger("muninn.branch")

SECONDS = 0.3
"""The longest wait for the search, which runs beside the rest of the brief."""

MAX_MEMORIES = 3
"""The most memories about a branch."""

FEWEST_WORDS = 2
"""A branch's name with fewer words names no subject."""

_PREFIX = re.compile(r"^(?:[\w.-]+/)+")
_WORD = re.compile(r"[^\W\d_]{2,}|\d+")
_WORK_RECORDS = frozenset({"session_summary", "context_hit"})


def subject_of(branch: str | None) -> str:
    """Return the words of a branch's name without its prefixes, "" for a name without a subject."""
    words = _WORD.findall(_PREFIX.sub("", branch or ""))
    return " ".join(words) if sum(word.isalpha() for word in words) >= FEWEST_WORDS else ""


def start_search(workspace: Workspace, seen: Callable[[Memory], bool], now: datetime) -> Future[list[Memory]]:
    """Start to search for the memories about the branch on a thread."""
    subject = subject_of(workspace.head.read().branch)

    def is_about(memory: Memory) -> bool:
        return memory.type not in _WORK_RECORDS and seen(memory)

    def find() -> list[Memory]:
        if not subject:
            return []
        found = related_memories(workspace, subject, is_about, now, nearest=True)
        return [hit.memory for hit in found if hit.confidence >= AS_CERTAIN * found[0].confidence][:MAX_MEMORIES]

    return run_in_thread(find, "about-branch")


def found_in_time(search: Future[list[Memory]]) -> list[Memory]:
    """Return what a search has found, nothing when it takes longer than `SECONDS` or there is no index."""
    try:
        return search.result(SECONDS)
    except (TimeoutError, MuninnError) as error:
        log.info("the brief has no memories about the branch: %s", error or "they came too late")
        return []
