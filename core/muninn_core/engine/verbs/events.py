"""The verbs of the family `events`."""

from __future__ import annotations

from muninn_core.engine.session import journal
from muninn_core.engine.verbs.base import Verbs
from muninn_core.protocol.events import (
    AuditReplayParams,
    AuditReplayResult,
    AuditSealParams,
    AuditSealResult,
    AuditTailParams,
    AuditTailResult,
    AuditVerifyParams,
    AuditVerifyResult,
    EventAppendParams,
    EventAppendResult,
    EventChangeResult,
    EventQueryParams,
    EventQueryResult,
    EventRedactParams,
    EventStatisticsParams,
    EventStatisticsResult,
    EventTombstoneParams,
    ProjectionsRebuildParams,
    ProjectionsRebuildResult,
    ProjectionsShowParams,
    ProjectionsShowResult,
    ProjectionsStatusParams,
    ProjectionsStatusResult,
    SpanListParams,
    SpanListResult,
    TurnBeginParams,
    TurnBeginResult,
    TurnEndParams,
    TurnEndResult,
)
from muninn_core.worktree.call import Call


class EventsVerbs(Verbs):
    """Record what happens in the journal, and read, query and audit it."""

    def _at(self, call: Call) -> journal.At:
        workspace = self.trees.open(call.place)
        self.agent_journal.drain()
        return journal.At(workspace, self.journals.open(call.place), self.journals.types(call.place))

    def event_append(self, params: EventAppendParams, call: Call) -> EventAppendResult:
        """Record an event."""
        return journal.append(self._at(call), params, call)

    def event_query(self, params: EventQueryParams, call: Call) -> EventQueryResult:
        """Find events."""
        return journal.query(self._at(call), params)

    def event_statistics(self, params: EventStatisticsParams, call: Call) -> EventStatisticsResult:
        """Count events and turns."""
        return journal.statistics(self._at(call), params)

    def event_redact(self, params: EventRedactParams, call: Call) -> EventChangeResult:
        """Erase the payload of an event."""
        at = self._at(call)
        event = at.open.journal.redact(params.id, params.reason, call.actor or "user")
        at.open.projections.catch_up()
        return EventChangeResult(event=event, saw=at.workspace.read_state())

    def event_tombstone(self, params: EventTombstoneParams, call: Call) -> EventChangeResult:
        """Hide an event."""
        at = self._at(call)
        event = at.open.journal.tombstone(params.id, params.reason, call.actor or "user")
        return EventChangeResult(event=event, saw=at.workspace.read_state())

    def turn_begin(self, params: TurnBeginParams, call: Call) -> TurnBeginResult:
        """Begin a turn."""
        return journal.begin_turn(self._at(call), params, call)

    def turn_end(self, params: TurnEndParams, call: Call) -> TurnEndResult:
        """End a turn."""
        return journal.end_turn(self._at(call), params)

    def span_list(self, params: SpanListParams, call: Call) -> SpanListResult:
        """List sessions, turns and capsules."""
        return journal.spans(self._at(call), params)

    def audit_replay(self, params: AuditReplayParams, call: Call) -> AuditReplayResult:
        """Return events as lines, or write them to a file."""
        return journal.replay(self._at(call), params, call)

    def audit_verify(self, _params: AuditVerifyParams, call: Call) -> AuditVerifyResult:
        """Check the chain."""
        return journal.verify(self._at(call))

    def audit_tail(self, params: AuditTailParams, call: Call) -> AuditTailResult:
        """Return the last events."""
        return journal.tail(self._at(call), params)

    def audit_seal(self, params: AuditSealParams, call: Call) -> AuditSealResult:
        """Seal past months and apply the retention."""
        return journal.seal(self._at(call), params, self.clock())

    def projections_status(self, _params: ProjectionsStatusParams, call: Call) -> ProjectionsStatusResult:
        """Return the state of the projections."""
        return journal.projections_status(self._at(call))

    def projections_rebuild(self, params: ProjectionsRebuildParams, call: Call) -> ProjectionsRebuildResult:
        """Build projections again."""
        at = self._at(call)
        rebuilt = tuple(at.open.projections.rebuild(params.names))
        at.open.search.release_memory()
        return ProjectionsRebuildResult(rebuilt=rebuilt, saw=at.workspace.read_state())

    def projections_show(self, params: ProjectionsShowParams, call: Call) -> ProjectionsShowResult:
        """Return rows of a projection."""
        return journal.show(self._at(call), params)
