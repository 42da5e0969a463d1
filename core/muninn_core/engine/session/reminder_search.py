"""Which memories have to do with a text for sure, asked of the index in one look that waits for nothing.

It serves those who speak without being asked: reminders, and links of what was captured.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import datetime
from typing import NamedTuple

from muninn_core.engine.answer.context_search import vector_of
from muninn_core.model.memory import Memory
from muninn_core.retrieval.recall import is_recallable
from muninn_core.retrieval.relatedness import SURE, Relatedness
from muninn_core.worktree.workspace import Workspace

READY_SECONDS = 0.2
"""How long an index that is being opened is waited for."""

FRESH_SECONDS = 0.1
"""How long memories that were stored a moment ago are waited for."""

REACH = 40
"""How many memories words and meaning each bring."""

_PATH = re.compile(r"[\w.-]+(?:/[\w.-]+)*\.\w{1,8}\b|(?:[\w.-]+/)+[\w.-]+")


class RelatedMemory(NamedTuple):
    """A memory, and how sure it is that it has to do with the text."""

    memory: Memory
    sure: float


def related_memories(
    workspace: Workspace, text: str, seen: Callable[[Memory], bool], now: datetime, *, least: float = SURE
) -> list[RelatedMemory]:
    """Return the memories that have to do with a text, the surest first. Raises MuninnError without an index."""
    index = workspace.updater.wait_open(READY_SECONDS)
    workspace.updater.wait_memories(FRESH_SECONDS)
    snapshot, embedder = index.snapshot(), workspace.embedder(index)
    vector = vector_of(embedder, text)
    known = workspace.memory.all()
    sureness = Relatedness(text, snapshot.rarity)
    named = _named(text)
    cosines = dict(snapshot.dense(vector, REACH, "memory")) if vector is not None else {}
    words = [number for number, _ in snapshot.lexical(sureness.words, REACH, "memory")]
    missing = [number for number in words if number not in cosines]
    if vector is not None and missing:
        cosines |= dict(snapshot.near(vector, missing))
    found: dict[str, RelatedMemory] = {}
    for number, chunk in snapshot.chunks([*cosines, *missing]).items():
        memory = known.get(chunk.path)
        if memory is None or not is_recallable(memory, now) or not seen(memory):
            continue
        about = any(_same_file(name, path) for path in memory.files for name in named)
        sure = sureness.of(f"{memory.title} {memory.text}", cosines.get(number, 0.0), named=about)
        if sure >= least and sure > found.get(memory.id, RelatedMemory(memory, 0.0)).sure:
            found[memory.id] = RelatedMemory(memory, sure)
    return sorted(found.values(), key=lambda one: (-round(one.sure, 4), one.memory.id))


def _named(text: str) -> frozenset[str]:
    return frozenset(found.removeprefix("./") for found in _PATH.findall(text))


def _same_file(name: str, path: str) -> bool:
    return path == name or path.endswith(f"/{name}") or ("/" in path and name.endswith(f"/{path}"))
