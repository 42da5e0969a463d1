"""Turns and their tokens: an event of a turn is recorded only with the token that `begin` returned.

    (none) --begin--> open --end--> closed
                      open --expiry, end as incomplete--> incomplete

The journal stores a token's sha256 only. A turn that its client never ends becomes incomplete when its token expires;
so does that of a crashed client. Ids of turns are not used again. Time is that of the journal, which does not go back,
so that an expired token stays expired.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import re
from collections.abc import Callable, Sequence
from datetime import timedelta
from typing import Any, Literal, NamedTuple

from muninn_core.errors import BadParams, PreconditionError
from muninn_core.journal.journal import Appended, Journal, stream_of
from muninn_core.journal.row import Row
from muninn_core.journal.spans import Span, bound_project, close_span, find_span, insert_span, session_span
from muninn_core.journal.writer import Refused, Transaction
from muninn_core.model.event import TURN_BEGUN, TURN_ENDED, TURN_INCOMPLETE, EventDraft
from muninn_core.model.value import replace
from muninn_core.store.records.timestamps import EPOCH, timestamp

TOKEN_BYTES = 32
DEFAULT_SECONDS = 3600
MAX_SECONDS = 86_400

_TOKEN = re.compile(r"[A-Za-z0-9_-]{43}")

Outcome = Literal["closed", "incomplete"]

_REASONS = {
    "project": "the session '{session}' belongs to the project '{other}', not to '{project}'",
    "missing": "the turn '{turn}' needs its ack_token",
    "malformed": "the ack_token is malformed",
    "wrong": "the ack_token was never given out",
    "unknown_turn": "the turn '{turn}' of the session '{session}' was not begun",
    "other_session": "the ack_token belongs to another session",
    "other_turn": "the ack_token belongs to another turn",
    "expired": "the ack_token of the turn '{turn}' has expired; the turn is incomplete",
    "ended": "the turn '{turn}' has ended; its ack_token can't be used again",
    "incomplete": "the turn '{turn}' was given up; its ack_token can't be used again",
    "turn_open": "the turn '{turn}' of the session '{session}' is open already",
    "turn_used": "the turn '{turn}' of the session '{session}' is {other} already",
}
_HINTS = {
    "project": "Give the session's own project_id, or use another session.",
    "turn_open": "End it with its ack_token, or begin a turn with a new id.",
    "turn_used": "Begin a turn with a new id.",
}


class Turn(NamedTuple):
    """A turn that has begun. `ack_token` is returned here only; `expires_at` is an RFC 3339 time."""

    ack_token: str
    expires_at: str
    position: int


class Turns:
    """The turns of one journal. `chance` returns random bytes, as `os.urandom` does."""

    def __init__(self, journal: Journal, chance: Callable[[int], bytes]) -> None:
        self._journal = journal
        self._chance = chance

    def begin(
        self,
        project: str,
        session: str,
        turn: str,
        *,
        client: str = "",
        actor: str = "user",
        seconds: int = DEFAULT_SECONDS,
    ) -> Turn:
        """Begin a turn; the first turn binds the session to the project.

        Raises PreconditionError for a session of another project and for a turn that was begun before, BadParams for an
        empty name or a lifetime beyond `MAX_SECONDS`.
        """
        for name, value in (("project_id", project), ("session_id", session), ("turn_id", turn)):
            if not value:
                raise BadParams(f"'{name}' is empty", hint="A turn names its project, session and turn.")
        if not 1 <= seconds <= MAX_SECONDS:
            raise BadParams(f"a turn can't last {seconds} seconds", hint=f"It lasts from 1 to {MAX_SECONDS} seconds.")
        token = base64.urlsafe_b64encode(self._chance(TOKEN_BYTES)).rstrip(b"=").decode()
        begun = self._journal.prepare(
            _about(TURN_BEGUN, project, session, turn, {"client": client, "seconds": seconds}, actor), system=True
        )

        def operation(transaction: Transaction) -> Turn | Refused:
            now = journal_time(transaction)
            refused = self.bind(transaction, project, session, client, now)
            if refused is not None:
                return refused
            span_id = stream_of(session, turn)
            known = find_span(transaction.connection, "project_id = ? AND span_id = ?", (project, span_id))
            if known is not None:
                if self._expire(transaction, known, now):
                    known = known._replace(status="incomplete")
                why = "turn_open" if known.status == "open" else "turn_used"
                return _refuse(why, project=project, session=session, turn=turn, other=known.status)
            row, _ = self._journal.add(transaction, begun)
            span = turn_span(project, session, turn, client, row, now + seconds * 1000)
            insert_span(transaction, span._replace(token_hash=_hashed(token)))
            return Turn(token, _time(now + seconds * 1000), row.position)

        return self._journal.writer.run(operation)

    def end(
        self, project: str, session: str, turn: str, token: str, outcome: Outcome = "closed", *, actor: str = "user"
    ) -> Appended:
        """End a turn. Raises PreconditionError without a valid token."""
        about = _about(TURN_ENDED, project, session, turn, {"outcome": outcome}, actor)
        prepared = self._journal.prepare(about, system=True)

        def operation(transaction: Transaction) -> Appended | Refused:
            span = self.check(transaction, project, session, turn, token)
            if isinstance(span, Refused):
                return span
            row, _ = self._journal.add(transaction, prepared)
            close_span(transaction, span, outcome, "" if outcome == "closed" else "ended", row.occurred_at)
            return self._journal.appended(row, prepared, duplicate=False)

        return self._journal.writer.run(operation)

    def append(self, draft: EventDraft, token: str = "", patterns: Sequence[str] = ()) -> Appended:
        """Record an event. One that names a turn, or comes with a token, needs the turn's valid token.

        The session is bound to the draft's project. Raises PreconditionError, and what `Journal.append` raises.
        """
        return self._journal.writer.run(self.appending(draft, token, patterns))

    def appending(
        self, draft: EventDraft, token: str = "", patterns: Sequence[str] = ()
    ) -> Callable[[Transaction], Appended | Refused]:
        """Return the operation of `append`. Raises BadParams for a draft that can't be recorded."""
        prepared = self._journal.prepare(draft, patterns)
        client = draft.source

        def operation(transaction: Transaction) -> Appended | Refused:
            if draft.turn_id or token:
                span = self.check(transaction, draft.project_id, draft.session_id, draft.turn_id, token)
                if isinstance(span, Refused):
                    return span
            elif draft.session_id:
                now = journal_time(transaction)
                refused = self.bind(transaction, draft.project_id, draft.session_id, client, now)
                if refused is not None:
                    return refused
            row, duplicate = self._journal.add(transaction, prepared)
            return self._journal.appended(row, prepared, duplicate=duplicate)

        return operation

    def record(
        self,
        project: str,
        session: str,
        turn: str,
        drafts: Sequence[EventDraft],
        *,
        client: str = "",
        outcome: Outcome | None = None,
        seconds: int = DEFAULT_SECONDS,
        patterns: Sequence[str] = (),
    ) -> int:
        """Record events of a turn for an adapter that runs in this process, in one transaction and without a token.

        An event whose idempotency key is known is skipped, whatever its payload. The turn begins with its first new
        event and ends with an outcome; without one it expires after `seconds`. New events of a turn that has ended, and
        events without a turn, go to the session's stream; the trace of the former is the turn. Returns the number of
        new events. Raises PreconditionError for a session of another project, and what `Journal.append` raises.
        """
        prepared = [self._journal.prepare(draft, patterns) for draft in drafts]
        about = {"outcome": outcome or "closed"}
        ended = self._journal.prepare(_about(TURN_ENDED, project, session, turn, about), system=True)

        def operation(transaction: Transaction) -> int | Refused:
            refused = self.bind(transaction, project, session, client, journal_time(transaction))
            if refused is not None:
                return refused
            new = [one for one in prepared if not is_known(transaction, one.draft)]
            span = self._open_span(transaction, (project, session, turn, client), seconds, begin=bool(new))
            for one in new:
                within = replace(one.draft, turn_id=turn) if span else replace(one.draft, trace_id=turn or None)
                self._journal.add(transaction, one._replace(draft=within))
            if span is not None and outcome is not None:
                row, _ = self._journal.add(transaction, ended)
                close_span(transaction, span, outcome, "" if outcome == "closed" else "ended", row.occurred_at)
            return len(new)

        return self._journal.writer.run(operation)

    def _open_span(
        self, transaction: Transaction, names: tuple[str, str, str, str], seconds: int, *, begin: bool
    ) -> Span | None:
        """Return the open span of a turn; with `begin`, a turn that is unknown begins. None when it has ended."""
        project, session, turn, client = names
        if not turn:
            return None
        where = "project_id = ? AND span_id = ?"
        span = find_span(transaction.connection, where, (project, stream_of(session, turn)))
        now = journal_time(transaction)
        if span is not None:
            return span if span.status == "open" and not self._expire(transaction, span, now) else None
        if not begin:
            return None
        about = {"client": client, "seconds": seconds}
        begun = self._journal.prepare(_about(TURN_BEGUN, project, session, turn, about), system=True)
        row, _ = self._journal.add(transaction, begun)
        span = turn_span(project, session, turn, client, row, now + seconds * 1000)
        insert_span(transaction, span)
        return span

    def bind(self, transaction: Transaction, project: str, session: str, client: str, now: int) -> Refused | None:
        """Bind a session to its project at its first use; return a refusal when it belongs to another project."""
        bound = bound_project(transaction.connection, session)
        if bound is None:
            insert_span(transaction, session_span(project, session, client, _time(now), transaction.position + 1))
            return None
        if bound != project:
            return _refuse("project", project=project, session=session, turn="", other=bound)
        return None

    def check(self, transaction: Transaction, project: str, session: str, turn: str, token: str) -> Span | Refused:
        """Return the open turn of a valid token, else the refusal. An expired turn becomes incomplete."""
        names = {"project": project, "session": session, "turn": turn}
        if not token:
            return _refuse("missing", **names, other="")
        if not _TOKEN.fullmatch(token):
            return _refuse("malformed", **names, other="")
        connection, hashed = transaction.connection, _hashed(token)
        bound = bound_project(connection, session)
        if bound is not None and bound != project:
            return _refuse("project", **names, other=bound)
        span = find_span(connection, "project_id = ? AND span_id = ?", (project, stream_of(session, turn)))
        if span is None or span.token_hash is None or not hmac.compare_digest(span.token_hash, hashed):
            owner = find_span(connection, "token_hash = ?", (hashed,))
            if owner is not None:
                other = owner.session_id != session or owner.project_id != project
                return _refuse("other_session" if other else "other_turn", **names, other="")
            return _refuse("wrong" if span is not None and span.kind == "turn" else "unknown_turn", **names, other="")
        if span.status == "open" and not self._expire(transaction, span, journal_time(transaction)):
            return span
        if span.status == "closed":
            return _refuse("ended", **names, other="")
        return _refuse("incomplete" if span.reason == "ended" else "expired", **names, other="")

    def expire(self) -> int:
        """Make all turns whose token has expired incomplete; return their number."""

        def operation(transaction: Transaction) -> int:
            now = journal_time(transaction)
            count = 0
            while True:
                where = "kind = 'turn' AND status = 'open' AND expires_at <= ?"
                span = find_span(transaction.connection, where, (now,))
                if span is None or not self._expire(transaction, span, now):
                    return count
                count += 1

        return self._journal.writer.run(operation)

    def _expire(self, transaction: Transaction, span: Span, now: int) -> bool:
        """Make an open turn incomplete when its token has expired; return whether it had."""
        if span.status != "open" or span.expires_at is None or now < span.expires_at:
            return False
        draft = _about(TURN_INCOMPLETE, span.project_id, span.session_id, span.turn_id, {"reason": "expired"})
        row, _ = self._journal.add(transaction, self._journal.prepare(draft, system=True))
        close_span(transaction, span, "incomplete", "expired", row.occurred_at)
        return True


def turn_span(project: str, session: str, turn: str, client: str, row: Row, expires_at: int) -> Span:
    """Return the span of a turn that began with the event of a row; it has no token yet."""
    return session_span(project, session, client, row.occurred_at, row.position)._replace(
        span_id=stream_of(session, turn),
        kind="turn",
        parent=stream_of(session, ""),
        turn_id=turn,
        expires_at=expires_at,
    )


def is_known(transaction: Transaction, draft: EventDraft) -> bool:
    """Whether the journal has an event with a draft's idempotency key, in a sealed month too."""
    key = (draft.idempotency_key, draft.project_id)
    for table in ("raw_events", "sealed_keys"):
        sql = f"SELECT 1 FROM {table} WHERE idempotency_key = ? AND project_id = ? LIMIT 1"
        if transaction.connection.execute(sql, key).fetchone():
            return True
    return False


def _about(
    kind: str, project: str, session: str, turn: str, payload: dict[str, Any], actor: str = "user"
) -> EventDraft:
    return EventDraft(
        event_type=kind,
        payload=payload,
        project_id=project,
        session_id=session,
        turn_id=turn,
        actor=actor,
        source="muninn",
    )


def _hashed(token: str) -> bytes:
    return hashlib.sha256(token.encode()).digest()


def journal_time(transaction: Transaction) -> int:
    """Return the journal's time in milliseconds since 1970; it does not go back."""
    return max(transaction.now(), transaction.recorded_at)


def _time(milliseconds: int) -> str:
    return timestamp(EPOCH + timedelta(milliseconds=milliseconds))


def _refuse(why: str, **names: str) -> Refused:
    return Refused(
        PreconditionError(
            _REASONS[why].format(**names),
            hint=f"{_HINTS.get(why, 'Begin a turn with turn.begin and send its ack_token.')} Nothing was recorded.",
            data={"precondition": why},
        )
    )
