"""Finds the stored memories that a new memory contradicts or replaces."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, NamedTuple

from muninn_core.errors import MuninnError
from muninn_core.index.embedding.encodings import encoder_text
from muninn_core.model.counting import number_of
from muninn_core.model.memory import Memory
from muninn_core.reconcile.comment_conflicts import contradiction_reason
from muninn_core.retrieval.concurrent import start_encoding
from muninn_core.retrieval.query.query_terms import significant_words
from muninn_core.retrieval.signals.versions import SAME_HEAD, is_version
from muninn_core.worktree.indexing.index_updater import text_of
from muninn_core.worktree.workspace import Workspace

_COMPARED = 5
"""The memories that a new one is compared with: the nearest by their encodings, or without the encoder by words."""

OPEN_SECONDS = 0.05
"""The longest wait for the index. Storing a memory does not wait for a notice."""


class Contradicted(NamedTuple):
    """A stored memory, and why the new one contradicts it; "" where both seem to state one fact."""

    memory: Memory
    reason: str


def start_encoding_records(workspace: Workspace, records: Sequence[Mapping[str, Any]]) -> None:
    """Start to encode the memories of new records, on another thread while the records are written to the disk."""
    if workspace.encoder is not None:
        for record in records:
            given = {name: record[name] for name in ("id", "type", "text", "ts", "title")}
            memory = Memory(**given, questions=tuple(record.get("questions", ())))
            start_encoding(workspace.encoder.encode_query, _encoded_text(memory))


def _encoded_text(memory: Memory) -> str:
    return encoder_text(text_of(memory).chunk(memory.id))


def contradicted(workspace: Workspace, new: Memory, before: Mapping[str, Memory]) -> Contradicted | None:
    """Return the newest stored memory that a new one contradicts or replaces; None for none, or without an index."""
    try:
        snapshot = workspace.updater.wait_open(OPEN_SECONDS).snapshot()
    except MuninnError:
        return None
    cosines: dict[int, float] = {}
    if workspace.encoder is not None and snapshot.encoded:
        vector = workspace.encoder.encode_query(_encoded_text(new)).vector
        cosines = {each: near for each, near in snapshot.nearest_encoded(vector, _COMPARED) if near >= SAME_HEAD}
        ids = list(cosines)
    else:
        ids = [number for number, _ in snapshot.lexical(significant_words(new.text), _COMPARED, "memory")]
    found = []
    for number, chunk in snapshot.chunks(ids).items():
        memory = before.get(chunk.path)
        if memory is None or not memory.active or memory.id == new.id:
            continue
        reason = contradiction_reason(memory, new)
        if reason or is_version(memory, new, cosines.get(number, 0.0)):
            found.append(Contradicted(memory, reason))
    return max(found, key=lambda each: (each.memory.ts, each.memory.id), default=None)


def age(then: str, now: datetime) -> str:
    """Return how old a time is, in the largest whole unit: 2 months, 3 days, less than a day."""
    days = (now - datetime.fromisoformat(then.replace("Z", "+00:00"))).days
    for unit, length in (("year", 365), ("month", 30), ("week", 7), ("day", 1)):
        if days >= length:
            count = days // length
            return number_of(count, unit)
    return "less than a day"
