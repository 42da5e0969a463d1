"""The verbs of the family `session`."""

from __future__ import annotations

import logging

from muninn_core.engine.memory import backfill
from muninn_core.engine.session import capture, hook_inbox, reminders, session_end
from muninn_core.engine.session.briefs import brief
from muninn_core.engine.verbs.memory import MemoryVerbs
from muninn_core.errors import MuninnError
from muninn_core.protocol.memory import RememberParams
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
from muninn_core.worktree.workspace import Workspace

log = logging.getLogger("muninn.engine")


class SessionVerbs(MemoryVerbs):
    """Brief agents, remind them, and remember what their sessions show."""

    def brief(self, params: BriefParams, call: Call) -> BriefResult:
        """Say what a session that starts should know, and note where it starts from."""
        workspace = self._reading(call)
        now = self.clock()
        self._catch_up(workspace, call, params.session)
        made = brief(workspace, params, call, now)
        capture.note_start(workspace, params.session, now)
        workspace.warm()
        return made

    def remind(self, params: RemindParams, call: Call) -> RemindResult:
        """Say what is remembered about a prompt, if anything is."""
        return reminders.remind(self._reading(call), params, call, self.clock())

    def capture(self, params: CaptureParams, call: Call) -> CaptureResult:
        """Remember what a session shows: commits, decisions, failures, its end."""
        workspace = self._writable(call)
        self._catch_up(workspace, call, params.session)
        return self._captured(workspace, params, call)

    def backfill(self, params: BackfillParams, call: Call) -> BackfillResult:
        """Say what would be remembered of what was there before; store it with `apply`."""
        return backfill.fill(self._writable(call) if params.apply else self._reading(call), params, call)

    def _captured(self, workspace: Workspace, params: CaptureParams, call: Call) -> CaptureResult:
        found = capture.find(workspace, params, self.clock())
        ids: tuple[str, ...] = ()
        if found.drafts or found.traces:
            batch = RememberParams(batch=(*found.drafts, *found.traces), session=params.session)
            stored = self.remember(batch, Call(place=call.place, client=call.client)).ids
            ids = stored[: len(found.drafts)]
        for identity in dict.fromkeys(found.archive):
            self._change(workspace, call, params.session, "archive", target=identity, reason="its time is over")
        found.commit()
        workspace.given.note(params.session, (*ids, *found.given))
        if params.source == "session":
            workspace.log.seal(params.session)
        return CaptureResult(ids=ids, note=found.note if ids or found.given else "", saw=workspace.saw())

    def _catch_up(self, workspace: Workspace, call: Call, session: str | None) -> None:
        """Do what hooks could not hand over in time, and sum up the sessions whose end nobody saw."""
        if not workspace.writable or not self._catching_up.acquire(blocking=False):
            return
        try:
            for letter in hook_inbox.inbox_entries(workspace):
                if letter.params is not None:
                    self._caught_up(workspace, letter.params, call)
                letter.path.unlink(missing_ok=True)
            for ended in session_end.abandoned(workspace, session, self.clock()):
                self._caught_up(workspace, ended, call)
                workspace.notes.put(ended.session or "", session_end.OPEN, None)
        except OSError as error:
            workspace.trouble("hooks", f"what hooks have left could not be taken up: {error}")
        finally:
            self._catching_up.release()

    def _caught_up(self, workspace: Workspace, params: CaptureParams, call: Call) -> None:
        try:
            self._captured(workspace, params, call)
        except MuninnError as error:
            log.warning("a %s of session %s could not be captured: %s", params.source, params.session, error.message)
