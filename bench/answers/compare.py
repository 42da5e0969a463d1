"""Compares two records of answers."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping
from difflib import unified_diff
from itertools import islice
from typing import Any

MAX_SHOWN = 8
"""Answers whose differences are shown; the others are counted."""

_MOST_LINES = 30


def difference(before: Mapping[str, dict[str, Any]], after: Mapping[str, dict[str, Any]]) -> list[str]:
    """Return lines that describe what differs; none when both records have the same questions and answers."""
    told = [f"only in the earlier record: {key}" for key in before if key not in after]
    told += [f"only in the later record: {key}" for key in after if key not in before]
    changed = [key for key in before if key in after and before[key]["digest"] != after[key]["digest"]]
    for key in changed[:MAX_SHOWN]:
        told.append(f"{key} {json.dumps(after[key]['question'], ensure_ascii=False)}")
        told += _lines(before[key]["answer"], after[key]["answer"])
    if changed:
        counts = Counter(after[key]["kind"] for key in changed)
        told.append(f"{len(changed)} of {len(before)} answers differ: {dict(counts.most_common())}")
    return told


def _lines(before: Any, after: Any) -> Iterator[str]:
    sides = [json.dumps(side, indent=1, sort_keys=True, ensure_ascii=False).splitlines() for side in (before, after)]
    return islice(unified_diff(*sides, "earlier", "later", lineterm="", n=1), _MOST_LINES)
