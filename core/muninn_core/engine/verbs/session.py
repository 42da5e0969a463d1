"""The verbs of the family `session`."""

from __future__ import annotations

from contextlib import suppress

from muninn_core.engine.memory.exchange import backfill
from muninn_core.engine.memory.lookup import only
from muninn_core.engine.session import capture, outcomes, reminders
from muninn_core.engine.session.briefs import brief
from muninn_core.engine.verbs.base import Verbs
from muninn_core.errors import NotFoundError
from muninn_core.model.value import replace
from muninn_core.protocol.families.session import (
    BackfillParams,
    BackfillResult,
    BriefParams,
    BriefResult,
    CaptureParams,
    CaptureResult,
    GivenParams,
    GivenResult,
    RemindParams,
    RemindResult,
)
from muninn_core.worktree.call_context import CallContext


def _reasons(result: BriefResult | RemindResult) -> list[tuple[str, str]]:
    """Return what an answer withheld, as ids with reasons."""
    return [(each.id, each.why) for each in result.withheld]


class SessionVerbs(Verbs):
    """Brief agents, remind them, and capture memories from sessions and history."""

    def brief(self, params: BriefParams, call: CallContext) -> BriefResult:
        """Summarise what a new session should know, and note where the session starts."""
        workspace, now = self._reading(call), self.clock()
        self._captures.catch_up(workspace, call, params.session)
        self.overlaps.note(call.location.root, params.session)
        rules = self.repositories.rules(call.location, now)
        result = brief(workspace, self.trees, params, call, now, self._overlap_lines(call), rules)
        capture.note_start(workspace, params.session, now)
        self.agent_journal.given(
            workspace, params.session, "brief", result.ids, _reasons(result), lambda: result.text, source=params.source
        )
        workspace.warm_up()
        return result

    def remind(self, params: RemindParams, call: CallContext) -> RemindResult:
        """Return memories about a prompt, if any are relevant."""
        workspace = self._reading(call)
        self.overlaps.note(call.location.root, params.session)
        result = reminders.remind(workspace, params, call, self.clock(), self._overlap_lines(call))
        self.agent_journal.given(workspace, params.session, "remind", result.ids, _reasons(result), lambda: result.text)
        return result

    def given(self, params: GivenParams, call: CallContext) -> GivenResult:
        """List what sessions were given, and what came of it."""
        if params.id:
            with suppress(NotFoundError):  # a place of a file, or a memory of another branch
                params = replace(params, id=only(params.id, self._reading(call).memory.all(), "memory"))
        return outcomes.given(self._journal_now(call), params)

    def _overlap_lines(self, call: CallContext) -> list[str]:
        """Return sentences about files that another work tree is changing, too."""
        return self.overlaps.lines(self.trees.open(call.location), self.journals.opened(call.location))

    def capture(self, params: CaptureParams, call: CallContext) -> CaptureResult:
        """Store what a session shows: commits, decisions, failures, its summary."""
        if params.source in ("session", "compact"):
            self.overlaps.ended(params.session)
        return self._captures.capture(self._writable(call), params, call)

    def backfill(self, params: BackfillParams, call: CallContext) -> BackfillResult:
        """Make memories from commits or transcripts; with `apply`, store them."""
        return backfill.fill(self._writable(call) if params.apply else self._reading(call), params, call)
