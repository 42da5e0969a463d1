"""Sentences about results that people and models both read. Plain functions, so that the command line can use them."""

from __future__ import annotations

from muninn_core.model.counting import number_of

ALL_KEPT = "All memories are kept."
"""What a consolidation says that merges nothing."""


def unreconciled(sessions: int) -> str:
    """Return that so many sessions are not reconciled, and what to do; "" for none."""
    if not sessions:
        return ""
    them = "it" if sessions == 1 else "them"
    return (
        f"{number_of(sessions, 'session is', 'sessions are')} not reconciled: `muninn reconcile` also compares {them}."
    )


def consolidated(decision: str, *, dry_run: bool) -> str:
    """Return what a decision does to memories: 'merged into', 'would be superseded by'."""
    done = "merged into" if decision == "merge" else "superseded by"
    return f"would be {done}" if dry_run else done


def kept_apart(memories: int) -> str:
    """Return how many memories a consolidation kept, before the reason: '2 memories kept'."""
    return f"{number_of(memories, 'memory', 'memories')} kept"
