"""Approval of memories: who may approve a pending memory (docs/formats/log.md, "Approval").

The rules use records alone, so that every machine gives the same result. Configuration matters only when a memory is
created.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from muninn_core.store.records.record import Record

UNAPPROVED = ("pending", "rejected")
"""The review states in which a memory is stored but has no effect."""


def is_pending(data: Mapping[str, Any]) -> bool:
    """Whether a record creates a memory that needs approval, by its own field or by that of its import."""
    return data.get("pending") is True or (_is_outside(data) and data["imported"].get("pending") is True)


def may_approve(creation: Mapping[str, Any], approval: Mapping[str, Any]) -> bool:
    """Whether an approval counts for a memory. A user's always does; an imported one without trust never does.

    An agent must differ from the author in both program and session, and all four must be known. Versions of a program
    are the same program. Only a user approves an imported memory.
    """
    if _is_outside(approval):
        return False
    if approval.get("actor") == "user":
        return True
    if _is_outside(creation):  # its author's name can't be trusted
        return False
    author, approver = _agent_name(creation.get("agent")), _agent_name(approval.get("agent"))
    author_session, approver_session = _text(creation.get("session")), _text(approval.get("session"))
    return (
        bool(author and approver and author_session and approver_session)
        and author != approver
        and author_session != approver_session
    )


def apply_review(fields: dict[str, Any], creation: Record, change: Record) -> None:
    """Apply an approval or a rejection to a memory's fields. It has no effect on a memory that was never pending.

    Only a user overrules a rejection.
    """
    review = fields.get("review", "")
    if not review:
        return
    if change.type == "approve":
        by_user = change.data.get("actor") == "user"
        if not may_approve(creation.data, change.data) or (review == "rejected" and not by_user):
            return
    fields["review"] = "approved" if change.type == "approve" else "rejected"
    details = {name: value for name, value in fields["details"].items() if name not in _NOTES.values()}
    reason = change.data.get("reason")
    if isinstance(reason, str) and reason:
        details[_NOTES[change.type]] = reason
    fields["details"] = details


def revoke_if_reworded(fields: dict[str, Any], creation: Record, change: Record) -> None:
    """Make an approved memory pending when its text was changed by an actor who may not approve it."""
    if fields.get("review") == "approved" and not may_approve(creation.data, change.data):
        fields["review"] = "pending"


def reopen_rejected(fields: dict[str, Any]) -> None:
    """Make a rejected memory pending after it was restored."""
    if fields.get("review") == "rejected":
        fields["review"] = "pending"
        fields["details"] = {name: value for name, value in fields["details"].items() if name != _NOTES["reject"]}


def _is_outside(data: Mapping[str, Any]) -> bool:
    imported = data.get("imported")
    return isinstance(imported, dict) and imported.get("trust") != "keep"


def _agent_name(agent: Any) -> str:
    """Return a program's name without its version: "scribe 2.1" and "scribe 2.2" are the same."""
    name, _, version = _text(agent).strip().rpartition(" ")
    return (name if name and version[:1].isdigit() else _text(agent)).strip().casefold()


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""


_NOTES = {"approve": "approved_note", "reject": "rejected_reason"}
"""The detail that has the reason of a decision."""
