"""Looks up a memory or a conflict by its id, a prefix of it, or its last characters."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from muninn_core.errors import NotFoundError, UsageError
from muninn_core.model.memory import SHORT_ID, Memory
from muninn_core.protocol.families.reconciliation import Conflict
from muninn_core.store.folding.fold import Dispute, State

SUFFIX = 4
"""The fewest last characters that identify an id. The beginning of an id is its time, so ids of a day share it."""


def memory_of(known: Mapping[str, Memory], prefix: str) -> Memory:
    """Return the memory whose id begins with `prefix`. Raises NotFoundError, or UsageError for an ambiguous prefix."""
    return known[only(prefix, known, "memory")]


def conflicts(state: State, prefix: str | None, *, decided: bool = False) -> tuple[Conflict, ...]:
    """Return the open conflicts, oldest first, and those that a person decided if `decided`.

    With `prefix` it is the open or decided one whose id begins with it. Raises NotFoundError, or UsageError for an
    ambiguous prefix.
    """
    every = decided or prefix is not None
    disputes = {
        dispute.id: dispute for dispute in state.disputes if dispute.open or (every and _decided(state, dispute))
    }
    wanted = disputes if prefix is None else (only(prefix, disputes, "conflict"),)
    return tuple(
        Conflict(
            id=dispute.id,
            left=state.memories[dispute.left],
            right=state.memories[dispute.right],
            reason=dispute.reason,
            ts=dispute.ts,
            keep=dispute.keep or "",
        )
        for dispute in (disputes[identity] for identity in wanted)
    )


def _decided(state: State, dispute: Dispute) -> bool:
    """Whether a person decided a dispute between two memories that are still different."""
    sides = {dispute.left, dispute.right}
    return dispute.keep is not None and len(sides) == 2 and sides <= state.memories.keys()


def only(prefix: str, ids: Collection[str], what: str) -> str:
    """Return the id that begins with `prefix`; if none does, the one that ends with it or whose shown part begins so.

    Raises NotFoundError, or UsageError for an ambiguous prefix.
    """
    exact = prefix.strip()
    if exact in ids:  # avoids a scan of all ids
        return exact
    wanted = exact.lower()
    matching = sorted(identity for identity in ids if wanted and identity.lower().startswith(wanted))
    if not matching and len(wanted) >= SUFFIX:
        matching = sorted(
            identity
            for identity in ids
            if identity.lower().endswith(wanted) or identity[-SHORT_ID:].lower().startswith(wanted)
        )
    whole = [identity for identity in matching if identity.lower() == wanted]
    if len(whole) == 1:
        return whole[0]
    if not matching:
        where = "`muninn conflicts --decided`" if what == "conflict" else "`muninn memories`"
        raise NotFoundError(f"there is no {what} '{prefix}'", hint=f"{where} lists the ids.")
    if len(matching) > 1:
        more = ", …" if len(matching) > 5 else "."
        raise UsageError(
            f"'{prefix}' is part of {len(matching):,} ids",
            hint=f"Give more characters, or the last eight. They are {', '.join(matching[:5])}{more}",
        )
    return matching[0]
