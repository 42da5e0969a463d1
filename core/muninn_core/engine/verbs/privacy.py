"""The verbs of the family `privacy`."""

from __future__ import annotations

from muninn_core.engine.memory import redaction
from muninn_core.engine.verbs.base import Verbs
from muninn_core.protocol.privacy import PurgeParams, PurgeResult, RedactParams, RedactResult
from muninn_core.worktree.call import Call


class PrivacyVerbs(Verbs):
    """Take a memory's content out of files and of git's history."""

    def redact(self, params: RedactParams, call: Call) -> RedactResult:
        """Blank a memory, and those that were merged with it, in files and index."""
        return redaction.redact(self._writable(call), params, call)

    def purge(self, params: PurgeParams, call: Call) -> PurgeResult:
        """Say where git still holds what a memory said."""
        return redaction.purge(self._reading(call), params)
