"""The verbs of the family `session`."""

from __future__ import annotations

from muninn_core.engine.memory import backfill
from muninn_core.engine.session import capture, reminders
from muninn_core.engine.session.briefs import brief
from muninn_core.engine.verbs.base import Verbs
from muninn_core.protocol.session import (
    BackfillParams,
    BackfillResult,
    BriefParams,
    BriefResult,
    CaptureParams,
    CaptureResult,
    RemindParams,
    RemindResult,
)
from muninn_core.worktree.call import Call


class SessionVerbs(Verbs):
    """Brief agents, remind them, and remember what their sessions show."""

    def brief(self, params: BriefParams, call: Call) -> BriefResult:
        """Summarise what a new session should know, and note where the session starts."""
        workspace, now = self._reading(call), self.clock()
        self._captures.catch_up(workspace, call, params.session)
        result = brief(workspace, params, call, now)
        capture.note_start(workspace, params.session, now)
        workspace.warm_up()
        return result

    def remind(self, params: RemindParams, call: Call) -> RemindResult:
        """Say what is remembered about a prompt, if anything is."""
        return reminders.remind(self._reading(call), params, call, self.clock())

    def capture(self, params: CaptureParams, call: Call) -> CaptureResult:
        """Remember what a session shows: commits, decisions, failures, its end."""
        return self._captures.capture(self._writable(call), params, call)

    def backfill(self, params: BackfillParams, call: Call) -> BackfillResult:
        """Say what would be remembered of what was there before; store it with `apply`."""
        return backfill.fill(self._writable(call) if params.apply else self._reading(call), params, call)
