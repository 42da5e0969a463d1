"""Finds the memories related to a text in one search with a short wait for the index.

Reminders and the links of captured memories use it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import datetime
from typing import NamedTuple

from muninn_core.engine.answer.context_search import encoded_question, vector_of
from muninn_core.index.embedding.embed import Encoded
from muninn_core.model.memory import Memory
from muninn_core.retrieval.concurrent import turn
from muninn_core.retrieval.rankers.relatedness import REACH, SURE, RelatedMemories
from muninn_core.retrieval.reader import Reader
from muninn_core.retrieval.request import Bounds, SearchRequest
from muninn_core.retrieval.search import search
from muninn_core.worktree.thread_future import run_in_thread
from muninn_core.worktree.workspace import Workspace

READY_SECONDS = 0.2
"""The longest wait for an index that is being opened."""

FRESH_SECONDS = 0.1
"""The longest wait until recently stored memories are searchable."""

ENCODER_SECONDS = 0.1
"""The longest wait for the text encoder, whose first load takes 180 ms; the words and the table then decide."""

TURN_SECONDS = 0.1
"""The longest wait while other questions are computed."""


class RelatedMemory(NamedTuple):
    """A memory, and the confidence from 0 to 1 that it is related to the text."""

    memory: Memory
    confidence: float


def related_memories(
    workspace: Workspace,
    text: str,
    seen: Callable[[Memory], bool],
    now: datetime,
    *,
    least: float = SURE,
    nearest: bool = False,
    too_late: Callable[[], None] | None = None,
) -> list[RelatedMemory]:
    """Return the memories related to a text for which `seen` is true, the most confident first, ties by id.

    `least` is the lowest confidence. With `nearest`, a memory that stands out by meaning alone is related too. The text
    encoder takes part when its vector is there in time; else `too_late` is called. Without `too_late` the search waits
    for it. Raises MuninnError without an index.
    """
    index = workspace.updater.wait_open(READY_SECONDS)
    workspace.updater.wait_memories(FRESH_SECONDS)
    snapshot, memories = index.snapshot(), workspace.memory.all()
    request = SearchRequest(
        text=text,
        vector=vector_of(workspace.embedder(index), text),
        encoded=_encoded(workspace, snapshot, memories, text, too_late),
        memories=memories,
        limit=REACH,
        now=now,
        terms=RelatedMemories(least, nearest),
        kind="memory",
        bounds=Bounds(lambda _chunk, memory: memory is not None and seen(memory)),
    )
    with turn(TURN_SECONDS):
        ranked = search(snapshot, request)
    found = [RelatedMemory(hit.memory, hit.signals[0][1]) for hit in ranked if hit.memory is not None]
    return sorted(found, key=lambda hit: (-round(hit.confidence, 4), hit.memory.id))


def _encoded(
    workspace: Workspace,
    reader: Reader,
    memories: Mapping[str, Memory],
    text: str,
    too_late: Callable[[], None] | None,
) -> Encoded | None:
    """Return what the text encoder returns for a text, None when it comes too late."""
    if too_late is None:
        return encoded_question(workspace, reader, memories, text)
    vector = run_in_thread(lambda: encoded_question(workspace, reader, memories, text), "encode")
    try:
        return vector.result(ENCODER_SECONDS)
    except TimeoutError:
        too_late()
        return None
