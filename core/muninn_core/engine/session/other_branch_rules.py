"""The user's rules on other local branches and in other open work trees.

A rule that a user stated in one session holds in every session of this machine, also before its branch is merged.
Remote branches are left out: everyone with the right to push could write a rule there.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable, Sequence
from concurrent.futures import Future
from datetime import datetime

from muninn_core.context.results.brief import is_rule
from muninn_core.errors import MuninnError
from muninn_core.model.memory import Memory
from muninn_core.model.value import replace
from muninn_core.retrieval.decay import is_recallable
from muninn_core.worktree.thread_future import run_in_thread
from muninn_core.worktree.workspace import Workspace

log = logging.getLogger("muninn.rules")

SECONDS = 1.0
"""The longest wait for the memories of other branches. They are kept, so that a later session gets them at once."""

OTHER_TREE = "another work tree"
"""Stands for the branch of a memory without one."""

Reading = Future[dict[str, Memory]]


def start_reading(workspace: Workspace) -> Reading:
    """Start to read the memories of other local branches on a thread: git takes some milliseconds."""
    branches, own = workspace.local_branches, workspace.memory.log
    return run_in_thread(lambda: branches.memories(own, recent=True), "branches")


def recallable(reading: Reading, now: datetime) -> list[Memory]:
    """Return the recallable memories of other local branches, the newest first; none when they come too late."""
    try:
        found = reading.result(SECONDS)
    except TimeoutError:
        log.info("the memories of other branches came too late for the brief")
        return []
    except (MuninnError, OSError) as error:  # the brief works without them
        log.warning("the memories of other branches can't be read: %s", error)
        return []
    return sorted(
        (memory for memory in found.values() if is_recallable(memory, now) and not memory.trace),
        key=lambda memory: (memory.ts, memory.id),
        reverse=True,
    )


def rules(workspace: Workspace, trees: Iterable[Workspace], others: Sequence[Memory], now: datetime) -> list[Memory]:
    """Return the rules of the user among `others` and in the other open work trees of the repository, newest first."""
    here = workspace.memory.log.state.memories
    found = {memory.id: memory for memory in others if is_rule(memory)}
    for tree in trees:
        if tree is workspace or tree.location.identity != workspace.location.identity:
            continue
        for memory in tree.memory.active.newest(now):
            if is_rule(memory) and _is_shared(memory) and memory.id not in here:
                found.setdefault(memory.id, replace(memory, elsewhere=(memory.branch or OTHER_TREE,)))
    return sorted(found.values(), key=lambda memory: (memory.ts, memory.id), reverse=True)


def _is_shared(memory: Memory) -> bool:
    """Whether a memory is for everyone in the repository."""
    return memory.scope == "project" and not memory.private
