"""Effects of time on memories: expiry, recency and decayed importance."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import datetime

from muninn_core.model.memory import Memory
from muninn_core.retrieval import weights as w


def is_recallable(memory: Memory, now: datetime) -> bool:
    """Whether a memory can be recalled: it is active and has not expired."""
    return memory.active and not has_expired(memory, now)


def recallable_among(
    identities: Iterable[str], memory_of: Callable[[str], Memory | None], now: datetime
) -> dict[str, Memory]:
    """Return, by id, those of some memories that can be recalled. A question asks this of hundreds at once."""
    found = {}
    for identity in identities:
        memory = memory_of(identity)
        if memory is None:
            continue
        # Most memories have none of these fields, and need no call. `Memory.active` decides about the others.
        special = memory.archived or memory.superseded_by or memory.merged_into or memory.redacted or memory.review
        if (special or memory.type == "context_hit") and not memory.active:
            continue
        if memory.expires and has_expired(memory, now):
            continue
        found[identity] = memory
    return found


def has_expired(memory: Memory, now: datetime) -> bool:
    """Whether a memory's expiry time is past. An unreadable time never expires."""
    if not memory.expires:
        return False
    try:
        return datetime.fromisoformat(memory.expires) < now
    except (ValueError, TypeError):
        return False  # unreadable or without a time zone: show it rather than lose it


def recency(ts: str, now: datetime) -> float:
    """Return 1 for now and 0.5 for `HALF_LIFE_DAYS` ago; 0 for an unreadable time."""
    age = _days(ts, now)
    return 0.0 if age is None else float(0.5 ** (age / w.HALF_LIFE_DAYS))


def importance_and_recency(memories: Iterable[Memory], now: datetime, half_life: float) -> list[tuple[float, float]]:
    """Return the importance of each memory, 0..1, after decay since its last change, and its recency.

    `half_life` is in days; 0 is no decay. The stored importance does not change. Pinned memories and those of a
    `NO_DECAY` kind do not decay.
    """
    found = []
    for memory in memories:
        full = memory.importance / 10
        try:  # as `_days`, without a call
            age = max((now - datetime.fromisoformat(memory.updated or memory.ts)).total_seconds() / 86_400, 0.0)
        except (ValueError, TypeError):
            found.append((full, 0.0))
            continue
        fresh = float(0.5 ** (age / w.HALF_LIFE_DAYS))
        lasts = half_life <= 0 or memory.pinned or memory.type in w.NO_DECAY
        found.append((full if lasts else full * float(0.5 ** (age / half_life)), fresh))
    return found


def _days(ts: str, now: datetime) -> float | None:
    """Return the days from a time to now, 0 for a later one, None for an unreadable one."""
    try:
        return max((now - datetime.fromisoformat(ts)).total_seconds() / 86_400, 0.0)
    except (ValueError, TypeError):
        return None
