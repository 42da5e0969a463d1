"""Spans: sessions, turns and capsules. Events belong to the span that their stream names.

A span's row is changed in the transaction that appends the event about it.
"""

from __future__ import annotations

import sqlite3
from typing import NamedTuple

from muninn_core.journal.journal import stream_of
from muninn_core.journal.writer import Transaction


class Span(NamedTuple):
    """A row of `spans`. `expires_at` is in milliseconds since 1970; `reason` says why a turn is incomplete."""

    project_id: str
    span_id: str
    kind: str
    parent: str
    session_id: str
    turn_id: str
    type: str
    intent: str
    scope_json: str
    status: str
    reason: str
    token_hash: bytes | None
    expires_at: int | None
    opened_at: str
    closed_at: str
    opened_position: int


SPAN_COLUMNS = ", ".join(Span._fields)


def find_span(connection: sqlite3.Connection, where: str, parameters: tuple[object, ...]) -> Span | None:
    """Return the first span that meets a condition, None for none."""
    row = connection.execute(f"SELECT {SPAN_COLUMNS} FROM spans WHERE {where} LIMIT 1", parameters).fetchone()
    return Span(*row) if row else None


def bound_project(connection: sqlite3.Connection, session: str) -> str | None:
    """Return the project that a session belongs to, None before its first event."""
    row = connection.execute(
        "SELECT project_id FROM spans WHERE kind = 'session' AND session_id = ?", (session,)
    ).fetchone()
    return row[0] if row else None


def insert_span(transaction: Transaction, span: Span) -> None:
    """Add a span."""
    marks = ", ".join("?" * len(Span._fields))
    transaction.connection.execute(f"INSERT INTO spans({SPAN_COLUMNS}) VALUES({marks})", span)


def close_span(transaction: Transaction, span: Span, status: str, reason: str, at: str) -> None:
    """Change the state of a span that is open."""
    transaction.connection.execute(
        "UPDATE spans SET status = ?, reason = ?, closed_at = ? WHERE project_id = ? AND span_id = ?",
        (status, reason, at, span.project_id, span.span_id),
    )


def session_span(project: str, session: str, client: str, opened_at: str, position: int) -> Span:
    """Return the span of a session that begins."""
    return Span(
        project_id=project,
        span_id=stream_of(session, ""),
        kind="session",
        parent="",
        session_id=session,
        turn_id="",
        type=client,
        intent="",
        scope_json="{}",
        status="open",
        reason="",
        token_hash=None,
        expires_at=None,
        opened_at=opened_at,
        closed_at="",
        opened_position=position,
    )
