"""The verbs of the family `privacy`."""

from __future__ import annotations

from muninn_core.engine.memory.changes import redaction
from muninn_core.engine.verbs.base import Verbs
from muninn_core.protocol.families.privacy import PurgeParams, PurgeResult, RedactParams, RedactResult
from muninn_core.worktree.call_context import CallContext


class PrivacyVerbs(Verbs):
    """Remove the content of a memory, and find where git's history still has it."""

    def redact(self, params: RedactParams, call: CallContext) -> RedactResult:
        """Erase a memory, and those merged with it, in files, indexes and journal."""
        self.agent_journal.drain()
        return redaction.redact(self._writable(call), self.trees, self.journals.get(call.location), params, call)

    def purge(self, params: PurgeParams, call: CallContext) -> PurgeResult:
        """Find the commits and branches that still contain a memory's text."""
        return redaction.purge(self._reading(call), params)
