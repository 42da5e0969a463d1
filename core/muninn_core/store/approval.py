"""Who may approve what: a memory that is born pending waits for somebody else's word (docs/formats/log.md, "Approval").

Looks at records alone, so that every machine judges a line alike, whoever wrote it into a file. Knows no configuration:
that a memory waits was decided when it was made.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from muninn_core.store.record import Record

HELD = ("pending", "rejected")
"""The states in which a memory is kept and does not speak."""


def is_pending(data: Mapping[str, Any]) -> bool:
    """Whether a record makes a memory that waits: it says so itself, or the import that brought it here does."""
    return data.get("pending") is True or (_is_outside(data) and data["imported"].get("pending") is True)


def may_approve(birth: Mapping[str, Any], approval: Mapping[str, Any]) -> bool:
    """Whether an approval counts for the memory that a record made. A user's does; one from outside has no say.

    Anybody else has to be told apart from the author: by another program and another session, both named on both
    sides. The version of a program does not make it another one. What was imported is approved by a user alone.
    """
    if _is_outside(approval):
        return False
    if approval.get("actor") == "user":
        return True
    if _is_outside(birth):  # whoever made that may have named anybody as its author
        return False
    one, other = _name(birth.get("agent")), _name(approval.get("agent"))
    there, here = _text(birth.get("session")), _text(approval.get("session"))
    return bool(one and other and there and here) and one != other and there != here


def judge(fields: dict[str, Any], birth: Record, change: Record) -> None:
    """Apply an approval or a rejection to a memory's fields. Neither says anything of one that never waited.

    A rejection is overruled by a user alone.
    """
    review = fields.get("review", "")
    if not review:
        return
    if change.type == "approve":
        by_user = change.data.get("actor") == "user"
        if not may_approve(birth.data, change.data) or (review == "rejected" and not by_user):
            return
    fields["review"] = "approved" if change.type == "approve" else "rejected"
    details = {name: value for name, value in fields["details"].items() if name not in _NOTES.values()}
    reason = change.data.get("reason")
    if isinstance(reason, str) and reason:
        details[_NOTES[change.type]] = reason
    fields["details"] = details


def reword(fields: dict[str, Any], birth: Record, change: Record) -> None:
    """Let a memory wait again whose approved words were changed by somebody who could not have approved them."""
    if fields.get("review") == "approved" and not may_approve(birth.data, change.data):
        fields["review"] = "pending"


def reopen(fields: dict[str, Any]) -> None:
    """Let a rejected memory wait again: it was restored."""
    if fields.get("review") == "rejected":
        fields["review"] = "pending"
        fields["details"] = {name: value for name, value in fields["details"].items() if name != _NOTES["reject"]}


def _is_outside(data: Mapping[str, Any]) -> bool:
    imported = data.get("imported")
    return isinstance(imported, dict) and imported.get("trust") != "keep"


def _name(agent: Any) -> str:
    """Return a program's name without its version: "scribe 2.1" and "scribe 2.2" are one author."""
    name, _, version = _text(agent).strip().rpartition(" ")
    return (name if name and version[:1].isdigit() else _text(agent)).strip().casefold()


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""


_NOTES = {"approve": "approved_note", "reject": "rejected_reason"}
"""The detail that keeps what was said with a decision."""
