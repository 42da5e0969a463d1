"""Stores new memories."""

from __future__ import annotations

from datetime import datetime

from muninn_core.engine.memory import drafts
from muninn_core.engine.memory.remember_notices import remember_notices
from muninn_core.protocol.memory import RememberParams, RememberResult
from muninn_core.store.ids import UlidGenerator
from muninn_core.worktree.call import Call
from muninn_core.worktree.workspace import Workspace


def remember(
    workspace: Workspace, params: RememberParams, call: Call, ids: UlidGenerator, now: datetime
) -> RememberResult:
    """Store one memory or a batch; all of them are on the disk when this returns.

    A draft whose `key` is known is not stored again: the result has the id of the stored one. Raises BadParams when a
    draft is invalid; nothing is stored then.
    """
    memory = workspace.memory
    session = params.session or workspace.memory.session
    before = memory.all()
    records, masked = drafts.records_of(params, workspace, call, ids, now)
    own, everywhere = drafts.split(params, records)
    if everywhere:
        memory.shared_log()  # refuse before anything is stored
    stored: dict[str, str] = {}
    for batch, scope in ((own, "project"), (everywhere, "global")):
        if batch:
            appended = memory.append(batch, session, scope=scope)
            stored |= {
                record["id"]: appended_record.id for record, appended_record in zip(batch, appended, strict=True)
            }
    identities = tuple(stored[record["id"]] for record in records)
    known = memory.all()
    notices = remember_notices(workspace, (known[identity] for identity in identities), before)
    first = None if params.batch else known[identities[0]]
    return RememberResult(ids=identities, memory=first, masked=masked, notices=notices, saw=workspace.read_state())
