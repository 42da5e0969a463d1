"""Stores new memories."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from muninn_core.engine.memory.drafting import drafts
from muninn_core.engine.memory.drafting.contradicted_memories import start_encoding_records
from muninn_core.engine.memory.drafting.remember_notices import MAX_NOTICES, remember_notices
from muninn_core.errors import UsageError
from muninn_core.model.memory import Memory
from muninn_core.protocol.families.memory import RememberParams, RememberResult
from muninn_core.store.records.ids import UlidGenerator
from muninn_core.worktree.call_context import CallContext
from muninn_core.worktree.memories.memory_store import MemoryStore
from muninn_core.worktree.workspace import Workspace

log = logging.getLogger("muninn.remember")


def remember(
    workspace: Workspace,
    params: RememberParams,
    call: CallContext,
    ids: UlidGenerator,
    now: datetime,
    *,
    differing: bool = False,
) -> RememberResult:
    """Store one memory or a batch; all of them are on the disk when this returns.

    A draft whose `key` is known is not stored again: the result has the id of the stored one. Raises BadParams when a
    draft is invalid, UsageError when a key was used for another memory, unless `differing`; nothing is stored then.
    """
    memory = workspace.memory
    session = params.session or workspace.memory.session
    before = memory.all()
    records, masked = drafts.records_of(params, workspace, call, ids, now)
    own, everywhere = drafts.split(params, records)
    if everywhere:
        memory.shared_log()  # refuse before anything is stored
    for batch, scope in ((own, "project"), (everywhere, "global")):
        if not differing:
            _check_keys(memory, batch, scope)
    start_encoding_records(workspace, records[:MAX_NOTICES])
    stored: dict[str, str] = {}
    for batch, scope in ((own, "project"), (everywhere, "global")):
        if batch:
            appended = memory.append(batch, session, scope=scope)
            stored |= {
                record["id"]: appended_record.id for record, appended_record in zip(batch, appended, strict=True)
            }
    identities = tuple(stored[record["id"]] for record in records)
    known = memory.all()
    notices = _notices(workspace, [known[identity] for identity in identities], before, now)
    first = None if params.batch else known[identities[0]]
    return RememberResult(ids=identities, memory=first, masked=masked, notices=notices, saw=workspace.read_state())


def _notices(
    workspace: Workspace, stored: Sequence[Memory], before: Mapping[str, Memory], now: datetime
) -> tuple[str, ...]:
    """Return the notices about stored memories. A failure becomes a notice, because the memories are stored."""
    try:
        return remember_notices(workspace, stored, before, now)
    except Exception as error:  # an error would say that nothing is stored, and a second try would store it twice
        log.exception("cannot compare new memories with the others")
        return (f"Stored, but not compared with the other memories: {str(error) or 'out of memory'}",)


_OF_THE_AUTHOR = ("type", "text", "title", "tags", "entities", "questions", "importance", "confidence", "details")
"""The fields of a record that make it another memory. The rest depends on when and where it was stored."""


def _check_keys(memory: MemoryStore, batch: Sequence[Mapping[str, Any]], scope: str) -> None:
    """Raise UsageError, which names both, when a draft has the key of a memory with other content."""
    log = memory.log_of(scope) if batch else memory.log
    new: dict[str, tuple[str, Mapping[str, Any]]] = {}
    for record in batch:
        key = record.get("key")
        if not isinstance(key, str) or not key:
            continue
        stored = log.record_of_key(key)
        known = (f"memory {stored.id}", stored.data) if stored is not None else new.get(key)
        new.setdefault(key, ("another memory of this call", record))
        current = memory.all().get(stored.id) if stored is not None else None
        if known is None or (current is not None and current.redacted):
            continue
        name, data = known
        differing = [field for field in _OF_THE_AUTHOR if data.get(field) != record.get(field)]
        if differing:
            raise UsageError(
                f"the key '{key}' was used for {name}, {_shown(data)}; this memory is another, {_shown(record)}:"
                f" {', '.join(differing)} differ{'s' if len(differing) == 1 else ''}",
                hint="Use a new key, or change the stored memory with `muninn update`. Nothing was stored.",
                data={"key": key, "id": str(data.get("id", "")), "differing": differing},
            )


def _shown(data: Mapping[str, Any]) -> str:
    return repr(str(data.get("title") or data.get("text", "")))
