"""The limit on open files: raised at the start, and watched before a client is admitted."""

from __future__ import annotations

import os

try:
    import resource
except ImportError:  # Windows has no such limit
    resource = None  # type: ignore[assignment]

WANTED = 16_384
"""The limit that the daemon sets for itself if the system allows it. Each client takes one descriptor."""

RESERVED = 16
"""Descriptors that clients can't take, so that running requests can open files and start git."""


def raise_limit() -> None:
    """Raise the soft limit on open files towards WANTED, as far as the hard limit allows."""
    if resource is None:
        return
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = WANTED if hard == resource.RLIM_INFINITY else min(WANTED, hard)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        try:
            resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
        except (OSError, ValueError):
            pass  # the present limit stays


def has_spare_descriptors(wanted: int = RESERVED) -> bool:
    """Whether `wanted` further files can be opened."""
    opened: list[int] = []
    try:
        for _ in range(wanted):
            opened.append(os.dup(2))  # noqa: PERF401 (all must be closed)
    except OSError:
        return False
    finally:
        for handle in opened:
            os.close(handle)
    return True
