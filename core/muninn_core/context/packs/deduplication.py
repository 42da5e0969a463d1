"""Removes candidates that add nothing to a pack: irrelevant hits, duplicate texts, many pieces of one file.

Candidates are (tier, hit), ordered by score within each tier, and keep that order. Each removed candidate is returned
with its reason.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple
from zlib import crc32

from muninn_core.context.packs.tokens import count_tokens
from muninn_core.model.answer import Hit, Reason
from muninn_core.model.value import replace
from muninn_core.source.files.qualified import shown

SEARCHED_TIERS = ("memory", "knowledge", "code")
"""The tiers that come from search. Candidates of other tiers were requested by name and always count as relevant."""

RELEVANCE_FLOOR = 0.3
"""A candidate below this share of its tier's best score is not relevant."""

COMMIT_FLOOR = 0.65
"""The same for memories of commits, reverts among them, which are similar to many questions."""

SIMILARITY = 0.85
"""Two texts count as equal when they share at least this part of their word triples (Jaccard index)."""

MIN_WORDS = 8
"""Texts of fewer words count as equal only when they are identical."""

FREE_PER_FILE = 2
"""The number of pieces of one file that are always accepted."""

EXTRA_SHARE = 0.6
"""A further piece of a file needs at least this share of its tier's best score."""

EXTRA_LEAD = 0.1
"""A further piece must also score this much more than the best piece of a file without any."""

_SKETCH = 8
"""Texts are compared only when they share one of this many smallest triples. Similar texts practically always do."""

Candidate = tuple[str, Hit]


class Duplicate(NamedTuple):
    """A removed candidate and the reason."""

    tier: str
    hit: Hit
    reason: str


def without_duplicates(candidates: Sequence[Candidate], most: int) -> tuple[list[Candidate], list[Duplicate]]:
    """Return the candidates to keep and the removed ones. Adjacent pieces are joined up to `most` tokens."""
    dropped: list[Duplicate] = []
    kept = _drop_repeats(_drop_irrelevant(candidates, dropped), dropped)
    return _limit_per_file(_join_adjacent(kept, most), dropped), dropped


def _drop_irrelevant(candidates: Sequence[Candidate], dropped: list[Duplicate]) -> list[Candidate]:
    """Drop what scores low beside the best of its tier, but no decision whose subject is touched: it need not fit the
    question.
    """
    best = _best_scores(candidates)
    kept = []
    for tier, hit in candidates:
        floor = COMMIT_FLOOR if hit.trust == "commit" else RELEVANCE_FLOOR
        low = tier in SEARCHED_TIERS and hit.score < floor * best[tier]
        if low and not any(reason.signal == "subject" for reason in hit.why):
            dropped.append(Duplicate(tier, hit, "below relevance"))
        else:
            kept.append((tier, hit))
    return kept


def _drop_repeats(candidates: Sequence[Candidate], dropped: list[Duplicate]) -> list[Candidate]:
    """Remove candidates of an earlier tier, repeated texts, and spans within other spans."""
    seen: set[tuple[str, str]] = set()
    spans: dict[str, list[Hit]] = {}
    texts = _SeenTexts()
    kept = []
    for tier, hit in candidates:
        if (hit.kind, hit.id) in seen:
            continue  # an earlier tier has it
        around = next((each for each in spans.get(hit.path, ()) if hit.kind != "memory" and _within(hit, each)), None)
        reason = f"inside {around.id}" if around is not None else texts.find_repeat(hit)
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


class _SeenTexts:
    """The texts so far, indexed for exact and near-duplicate lookup."""

    def __init__(self) -> None:
        self._whole: dict[str, str] = {}
        self._triples: dict[str, frozenset[int]] = {}
        self._by_sketch: dict[int, list[str]] = {}

    def find_repeat(self, hit: Hit) -> str:
        """Return why a text repeats an earlier one; "" for a new text, which is then added."""
        words = hit.text.split()
        plain = " ".join(words)
        if plain in self._whole:
            return f"same text as {self._whole[plain]}"
        triples = _triples(words)
        sketch = sorted(triples)[:_SKETCH]
        for each in sorted({each for number in sketch for each in self._by_sketch.get(number, ())}):
            other = self._triples[each]
            if len(triples & other) >= SIMILARITY * len(triples | other):
                return f"nearly the same text as {each}"
        self._whole[plain] = hit.id
        self._triples[hit.id] = triples
        for number in sketch:
            self._by_sketch.setdefault(number, []).append(hit.id)
        return ""


def _triples(words: Sequence[str]) -> frozenset[int]:
    """Return a hash for each three consecutive words, equal on all machines; empty for a short text."""
    if len(words) < MIN_WORDS:
        return frozenset()
    sums = [*map(_word_hash, words)]
    return frozenset((a * 31 + b) * 31 + c for a, b, c in zip(sums, sums[1:], sums[2:], strict=False))


@lru_cache(8192)
def _word_hash(word: str) -> int:
    return crc32(word.casefold().encode("utf-8", "surrogatepass"))


def _join_adjacent(candidates: Sequence[Candidate], most: int) -> list[Candidate]:
    """Join pieces of a file that touch or overlap, at the position of the best of them."""
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
    """Whether a hit's text is exactly its lines. A repeated header would end up inside a joined text."""
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
    """Return two pieces as one hit, with the score and reasons of the better one and a reason that names both."""
    better = second if second.score > first.score else first
    lines = second.text.rstrip("\n").split("\n")[first.end_line - second.start_line + 1 :]
    names = [reason.note for reason in first.why if reason.signal == "joined"] or [first.id]
    note = ", ".join([*names, second.id])
    why = [reason for reason in better.why if reason.signal != "joined"]
    joined = Reason(signal="joined", value=float(note.count(", ") + 1), weight=0.0, contribution=0.0, note=note)
    return replace(
        better,
        id=f"{shown(first.path)}:{first.start_line}-{second.end_line}",
        start_line=first.start_line,
        end_line=second.end_line,
        text="\n".join([first.text.rstrip("\n"), *lines]),
        symbol=" ".join(dict.fromkeys(f"{first.symbol} {second.symbol}".split())),
        why=(*why, joined),
    )


def _limit_per_file(candidates: Sequence[Candidate], dropped: list[Duplicate]) -> list[Candidate]:
    """Remove further pieces of a file that do not score high enough."""
    best = _best_scores(candidates)
    kept: list[Candidate] = []
    counts: dict[tuple[str, str], int] = {}
    for number, (tier, hit) in enumerate(candidates):
        place = (tier, hit.path)
        if tier in SEARCHED_TIERS and hit.kind != "memory" and counts.get(place, 0) >= FREE_PER_FILE:
            others = (
                each.score for other, each in candidates[number:] if (other, each.path) not in counts and other == tier
            )
            ahead = hit.score - max(others, default=0.0) >= EXTRA_LEAD
            if not (ahead and hit.score >= EXTRA_SHARE * best[tier]):
                dropped.append(Duplicate(tier, hit, f"more than {FREE_PER_FILE} pieces of {shown(hit.path)}"))
                continue
        counts[place] = counts.get(place, 0) + 1
        kept.append((tier, hit))
    return kept


def _best_scores(candidates: Sequence[Candidate]) -> dict[str, float]:
    best: dict[str, float] = {}
    for tier, hit in candidates:
        best[tier] = max(best.get(tier, 0.0), hit.score)
    return best
