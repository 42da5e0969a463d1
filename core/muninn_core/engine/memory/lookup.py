"""Looks up a memory or an open conflict by its id, a prefix of it, or its last characters."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from muninn_core.errors import NotFoundError, UsageError
from muninn_core.model.memory import Memory
from muninn_core.protocol.reconciliation import Conflict
from muninn_core.store.fold import State

SUFFIX = 6
"""The fewest last characters that identify an id. The beginning of an id is its time, so ids of a day share it."""


def memory_of(known: Mapping[str, Memory], prefix: str) -> Memory:
    """Return the memory whose id begins with `prefix`. Raises NotFoundError, or UsageError for an ambiguous prefix."""
    return known[only(prefix, known, "memory")]


def conflicts(state: State, prefix: str | None) -> tuple[Conflict, ...]:
    """Return the open conflicts, oldest first, or the one whose id begins with `prefix`."""
    disputes = {dispute.id: dispute for dispute in state.conflicts}
    wanted = disputes if prefix is None else (only(prefix, disputes, "open conflict"),)
    return tuple(
        Conflict(
            id=dispute.id,
            left=state.memories[dispute.left],
            right=state.memories[dispute.right],
            reason=dispute.reason,
            ts=dispute.ts,
        )
        for dispute in (disputes[identity] for identity in wanted)
    )


def only(prefix: str, ids: Collection[str], what: str) -> str:
    """Return the id that begins with `prefix`, or ends with it if none does.

    Raises NotFoundError, or UsageError for an ambiguous prefix.
    """
    exact = prefix.strip()
    if exact in ids:  # avoids a scan of all ids
        return exact
    wanted = exact.lower()
    matching = sorted(identity for identity in ids if wanted and identity.lower().startswith(wanted))
    if not matching and len(wanted) >= SUFFIX:
        matching = sorted(identity for identity in ids if identity.lower().endswith(wanted))
    whole = [identity for identity in matching if identity.lower() == wanted]
    if len(whole) == 1:
        return whole[0]
    if not matching:
        raise NotFoundError(f"there is no {what} '{prefix}'", hint="`muninn memories` and `muninn conflicts` show ids.")
    if len(matching) > 1:
        raise UsageError(f"'{prefix}' is part of {len(matching)} ids", hint=f"They are {', '.join(matching[:5])}.")
    return matching[0]
