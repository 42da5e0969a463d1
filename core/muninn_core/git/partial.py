"""Partial clones (`git clone --filter`): which repositories may lack objects that git would fetch.

Muninn never fetches, so a git command that meets a missing object fails. Callers then answer without it, or say so.
"""

from __future__ import annotations

import os
from pathlib import Path

from muninn_core.launch.repository_location import locate

FETCH_HINT = (
    "This is a partial clone, and Muninn does not fetch. `git fetch --refetch --no-filter` fetches all objects."
)


def is_partial(root: Path) -> bool:
    """Whether a repository has objects from a remote that keeps others back.

    Source: gitrepository-layout(5) and the technical note "Partial Clone Design Notes": such packs have a file
    `.promisor` beside them.
    """
    location = locate(str(root))
    if not location.git_dir:
        return False
    try:
        names = os.listdir(f"{location.identity}/objects/pack")  # noqa: PTH208 (names only)
    except OSError:
        return False
    return any(name.endswith(".promisor") for name in names)
