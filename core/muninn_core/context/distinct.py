"""Leaves out of a pack's candidates what would not add to it: the irrelevant, the said already, the crowd of one file.

Candidates come as (tier, hit) in the order of their worth within each tier, and stay in that order. What is left out is
returned with its reason. It knows no budget but the size that joined pieces may have, and no format.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple
from zlib import crc32

from muninn_core.context.tokens import count_tokens
from muninn_core.model.answer import Hit, Reason
from muninn_core.model.value import replace

FOUND = ("memory", "knowledge", "code")
"""The tiers that were searched for; what is in the others was named by somebody, and is relevant by that."""

FLOOR = 0.3
"""The share of its tier's best score below which a candidate is not relevant."""

ALIKE = 0.85
"""From which share of common word triples (Jaccard) on two texts say the same."""

SHORTEST = 8
"""Texts of fewer words are the same only when they are equal."""

OF_ONE_FILE = 2
"""How many pieces of one file come in without having to earn it."""

EARNED = 0.6
"""A further one needs this share of its tier's best score,"""

AHEAD = 0.1
"""and must be so far ahead of the best piece of a file that has none yet."""

_SKETCH = 8
"""Texts that share none of so many smallest triples are not compared: among alike ones that does not happen."""

Candidate = tuple[str, Hit]


class Duplicate(NamedTuple):
    """A candidate that is left out, and why."""

    tier: str
    hit: Hit
    reason: str


def without_duplicates(candidates: Sequence[Candidate], most: int) -> tuple[list[Candidate], list[Duplicate]]:
    """Return what is worth a place, and what is left out. Joined pieces have at most `most` tokens."""
    dropped: list[Duplicate] = []
    kept = _unsaid(_relevant(candidates, dropped), dropped)
    return _spread(_joined(kept, most), dropped), dropped


def _relevant(candidates: Sequence[Candidate], dropped: list[Duplicate]) -> list[Candidate]:
    best = _best(candidates)
    kept = []
    for tier, hit in candidates:
        if tier in FOUND and hit.score < FLOOR * best[tier]:
            dropped.append(Duplicate(tier, hit, "below relevance"))
        else:
            kept.append((tier, hit))
    return kept


def _unsaid(candidates: Sequence[Candidate], dropped: list[Duplicate]) -> list[Candidate]:
    """Leave out what is there already: the same thing in a later tier, the same text, a span within a span."""
    seen: set[tuple[str, str]] = set()
    spans: dict[str, list[Hit]] = {}
    texts = _Texts()
    kept = []
    for tier, hit in candidates:
        if (hit.kind, hit.id) in seen:
            continue  # it stands in an earlier tier; nothing is missing
        around = next((each for each in spans.get(hit.path, ()) if hit.kind != "memory" and _within(hit, each)), None)
        reason = f"inside {around.id}" if around is not None else texts.said(hit)
        if reason:
            dropped.append(Duplicate(tier, hit, reason))
            continue
        seen.add((hit.kind, hit.id))
        if hit.kind != "memory":
            spans.setdefault(hit.path, []).append(hit)
        kept.append((tier, hit))
    return kept


def _within(inner: Hit, outer: Hit) -> bool:
    return outer.start_line <= inner.start_line and inner.end_line <= outer.end_line


class _Texts:
    """The texts so far, to tell whether one was said."""

    def __init__(self) -> None:
        self._whole: dict[str, str] = {}
        self._triples: dict[str, frozenset[int]] = {}
        self._by_sketch: dict[int, list[str]] = {}

    def said(self, hit: Hit) -> str:
        """Return the reason why a text says nothing new; "" when it does, and then it is taken note of."""
        words = hit.text.split()
        plain = " ".join(words)
        if plain in self._whole:
            return f"same text as {self._whole[plain]}"
        triples = _triples(words)
        sketch = sorted(triples)[:_SKETCH]
        for each in sorted({each for number in sketch for each in self._by_sketch.get(number, ())}):
            other = self._triples[each]
            if len(triples & other) >= ALIKE * len(triples | other):
                return f"nearly the same text as {each}"
        self._whole[plain] = hit.id
        self._triples[hit.id] = triples
        for number in sketch:
            self._by_sketch.setdefault(number, []).append(hit.id)
        return ""


def _triples(words: Sequence[str]) -> frozenset[int]:
    """Return a number for each three words in a row, the same on every machine; none for a short text."""
    if len(words) < SHORTEST:
        return frozenset()
    sums = [*map(_sum, words)]
    return frozenset((a * 31 + b) * 31 + c for a, b, c in zip(sums, sums[1:], sums[2:], strict=False))


@lru_cache(8192)
def _sum(word: str) -> int:
    return crc32(word.casefold().encode("utf-8", "surrogatepass"))


def _joined(candidates: Sequence[Candidate], most: int) -> list[Candidate]:
    """Make one piece of those of a file that touch or overlap, in the place of the best of them."""
    found: list[Candidate | None] = list(candidates)
    order = sorted(
        (
            number
            for number, (tier, hit) in enumerate(candidates)
            if tier in ("hand", "knowledge", "code") and _exact(hit)
        ),
        key=lambda number: (
            candidates[number][0],
            candidates[number][1].path,
            candidates[number][1].start_line,
            number,
        ),
    )
    last: int | None = None
    for number in order:
        one, other = found[last] if last is not None else None, candidates[number]
        if one is not None and one[0] == other[0] and _touch(one[1], other[1]):
            whole = _union(one[1], other[1])
            if count_tokens(whole.text) <= most:
                best = min(last or 0, number)
                found[last or 0] = found[number] = None
                found[best] = (other[0], whole)
                last = best
                continue
        last = number
    return [each for each in found if each is not None]


def _exact(hit: Hit) -> bool:
    """Whether a hit's text is its lines and nothing else: a repeated header would come into the middle of the text."""
    return hit.kind != "memory" and len(hit.text.rstrip("\n").split("\n")) == hit.end_line - hit.start_line + 1


def _touch(first: Hit, second: Hit) -> bool:
    same = (first.kind, first.path, first.status, first.origin) == (
        second.kind,
        second.path,
        second.status,
        second.origin,
    )
    return same and second.start_line <= first.end_line + 1 and second.end_line > first.end_line


def _union(first: Hit, second: Hit) -> Hit:
    """Return two pieces as one, with score and reasons of the better one, and a reason that names both."""
    better = second if second.score > first.score else first
    lines = second.text.rstrip("\n").split("\n")[first.end_line - second.start_line + 1 :]
    names = [reason.note for reason in first.why if reason.signal == "joined"] or [first.id]
    note = ", ".join([*names, second.id])
    why = [reason for reason in better.why if reason.signal != "joined"]
    joined = Reason(signal="joined", value=float(note.count(", ") + 1), weight=0.0, contribution=0.0, note=note)
    return replace(
        better,
        id=f"{first.path}:{first.start_line}-{second.end_line}",
        start_line=first.start_line,
        end_line=second.end_line,
        text="\n".join([first.text.rstrip("\n"), *lines]),
        symbol=" ".join(dict.fromkeys(f"{first.symbol} {second.symbol}".split())),
        why=(*why, joined),
    )


def _spread(candidates: Sequence[Candidate], dropped: list[Duplicate]) -> list[Candidate]:
    """Leave out further pieces of one file that do not earn their place."""
    best = _best(candidates)
    kept: list[Candidate] = []
    counts: dict[tuple[str, str], int] = {}
    for number, (tier, hit) in enumerate(candidates):
        place = (tier, hit.path)
        if tier in FOUND and hit.kind != "memory" and counts.get(place, 0) >= OF_ONE_FILE:
            others = (
                each.score for other, each in candidates[number:] if (other, each.path) not in counts and other == tier
            )
            ahead = hit.score - max(others, default=0.0) >= AHEAD
            if not (ahead and hit.score >= EARNED * best[tier]):
                dropped.append(Duplicate(tier, hit, f"third piece of {hit.path}, or a further one"))
                continue
        counts[place] = counts.get(place, 0) + 1
        kept.append((tier, hit))
    return kept


def _best(candidates: Sequence[Candidate]) -> dict[str, float]:
    best: dict[str, float] = {}
    for tier, hit in candidates:
        best[tier] = max(best.get(tier, 0.0), hit.score)
    return best
