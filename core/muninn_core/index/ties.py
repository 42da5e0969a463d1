"""Results of equal score at a limit: how many are returned, and which ones first."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

MAX_TIED = 4
"""Times the limit of a search: how many results are returned when the last ones have the same score."""

Key = TypeVar("Key")


def cut_ties(
    found: list[tuple[Key, float]], limit: int, by_place: Callable[[Sequence[Key]], Sequence[Key]]
) -> list[tuple[Key, float]]:
    """Return results, best first, with ties at the limit up to `MAX_TIED` times as many.

    Of more, those are left out whose place is last: `by_place` orders results by path and line, the same in every build
    of an index.
    """
    most = MAX_TIED * limit
    if len(found) <= most:
        return found
    last = found[limit - 1][1]
    better = [hit for hit in found if hit[1] > last]
    tied = by_place([key for key, score in found if score == last])
    return [*better, *((key, last) for key in tied[: most - len(better)])]
