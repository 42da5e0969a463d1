"""The verbs of the family `events`."""

from __future__ import annotations

from muninn_core.engine.session import journal, team
from muninn_core.engine.verbs.base import Verbs
from muninn_core.protocol.families.events import (
    EventAppendParams,
    EventAppendResult,
    EventChangeParams,
    EventChangeResult,
    EventQueryParams,
    EventQueryResult,
    EventRedactParams,
    EventStatisticsParams,
    EventStatisticsResult,
    EventWaitParams,
    EventWaitResult,
    SpanListParams,
    SpanListResult,
    TurnBeginParams,
    TurnBeginResult,
    TurnEndParams,
    TurnEndResult,
)
from muninn_core.worktree.call_context import CallContext


class EventsVerbs(Verbs):
    """Record what happens in the journal, and find it again."""

    def event_append(self, params: EventAppendParams, call: CallContext) -> EventAppendResult:
        """Record an event."""
        return journal.append(self._journal(call), params, call)

    def event_query(self, params: EventQueryParams, call: CallContext) -> EventQueryResult:
        """Find events."""
        return journal.query(self._journal_now(call), params)

    def event_statistics(self, params: EventStatisticsParams, call: CallContext) -> EventStatisticsResult:
        """Count events and turns."""
        return journal.statistics(self._journal_now(call), params)

    def event_wait(self, params: EventWaitParams, call: CallContext) -> EventWaitResult:
        """Wait for events."""
        return team.wait_for_events(self._journal_now(call), params, call)

    def event_redact(self, params: EventRedactParams, call: CallContext) -> EventChangeResult:
        """Erase the payload of an event."""
        at = self._journal(call)
        event_id = at.open.capsules.event_id(params.id)
        if params.dry_run:
            return EventChangeResult(event=at.open.journal.redactable(event_id), saw=at.workspace.read_state())
        item = params.id if params.id != event_id else at.open.capsules.identity(at.open.journal.event(event_id))
        event = at.open.journal.redact(
            event_id, params.reason, call.actor or "user", item=item if item != event_id else ""
        )
        at.open.projections.catch_up()
        return EventChangeResult(event=event, saw=at.workspace.read_state())

    def event_tombstone(self, params: EventChangeParams, call: CallContext) -> EventChangeResult:
        """Hide an event."""
        at = self._journal(call)
        event_id = at.open.capsules.event_id(params.id)
        event = at.open.journal.tombstone(event_id, params.reason, call.actor or "user")
        return EventChangeResult(event=event, saw=at.workspace.read_state())

    def turn_begin(self, params: TurnBeginParams, call: CallContext) -> TurnBeginResult:
        """Begin a turn."""
        return journal.begin_turn(self._journal(call), params, call)

    def turn_end(self, params: TurnEndParams, call: CallContext) -> TurnEndResult:
        """End a turn."""
        return journal.end_turn(self._journal(call), params, call)

    def span_list(self, params: SpanListParams, call: CallContext) -> SpanListResult:
        """List sessions, turns and capsules."""
        return journal.spans(self._journal_now(call), params)
