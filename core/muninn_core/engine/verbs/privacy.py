"""The verbs of the family `privacy`."""

from __future__ import annotations

from muninn_core.engine.memory import lookup, redaction
from muninn_core.engine.verbs.base import Verbs
from muninn_core.protocol.privacy import PurgeParams, PurgeResult, RedactParams, RedactResult
from muninn_core.worktree.call import Call


class PrivacyVerbs(Verbs):
    """Take a memory's content out of files and of git's history."""

    def redact(self, params: RedactParams, call: Call) -> RedactResult:
        """Blank a memory, and those that were merged with it, in files and index."""
        workspace = self._writable(call)
        workspace.log.refresh()
        workspace.follow_shared()
        memory = lookup.memory_of(workspace.known(), params.id)
        shared = self._sharing(workspace) if memory.scope == "global" else None
        group = redaction.group_of(workspace.log.state if shared is None else shared.state, memory)
        files = (shared or workspace.log).redact(
            [each.id for each in group],
            texts=redaction.texts_of(group),
            actor=call.actor or "user",
            session=params.session or workspace.session,
        )
        workspace.contexts.scrub((each.id for each in group), redaction.texts_of(group))
        redaction.scrub_index(workspace)
        return RedactResult(
            ids=tuple(each.id for each in group),
            files=files,
            memory=workspace.known()[memory.id],
            saw=workspace.saw(),
        )

    def purge(self, params: PurgeParams, call: Call) -> PurgeResult:
        """Say where git still holds what a memory said."""
        return redaction.purge(self._reading(call), params)
