"""Finds related memories by rules: what links a memory could have, and how strong they are.

A newer memory links to an older one. Two memories are related when their meaning is near, when they share rare words
and a file or tag, or when one names the other's id or commit. Supersession is never derived: it would retire the older
memory. `python -m bench links` measures the rules.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from muninn_core.model.memory import Link, Memory
from muninn_core.reconcile.comment_conflicts import contradiction_reason
from muninn_core.retrieval.query.query_terms import significant_words

NEAR_ALONE = 0.7
"""The cosine of two memories that are related by their meaning alone."""

NEAR_WORDS = 0.5
"""The same of two that share rare words."""

NEAR = 0.25
"""The same of two that share rare words, and a file or a tag; also the least of a candidate."""

MAX_CANDIDATES = 8
MAX_LINKS = 3
"""The most links that one run adds to a memory, the strongest first."""

RARE_SHARE = 0.005
"""A word is rare when at most this share of the memories has it, and at least two may have it."""

_SHARED_RARE = 2
"""Rare words that two memories must share."""

_IMPLEMENTING = frozenset({"attempt", "bug_fix", "configuration", "insight", "pattern"})
_INTENDED = frozenset({"constraint", "decision"})
_TOKEN = re.compile(r"\b[0-9a-z]{7,40}\b")
_EVENTS = frozenset({"context_hit", "session_summary"})


class Candidate(NamedTuple):
    """An older memory that a newer one may link to, the cosine of their meaning, and what else agrees."""

    memory: Memory
    cosine: float
    files: tuple[str, ...]
    tags: tuple[str, ...]
    words: tuple[str, ...]
    named: bool

    @property
    def related(self) -> bool:
        """Whether the rules make a link of it."""
        if self.named or self.cosine >= NEAR_ALONE:
            return True
        near = NEAR if self.files or self.tags else NEAR_WORDS
        return len(self.words) >= _SHARED_RARE and self.cosine >= near

    @property
    def strength(self) -> float:
        """The strength of a link, 0 to 1."""
        extra = 0.1 * bool(self.files) + 0.05 * bool(self.tags) + 0.02 * min(5, len(self.words))
        return 1.0 if self.named else round(min(1.0, max(0.0, self.cosine) + extra), 2)


class Corpus:
    """The memories that links may connect, with their words. Memories of single events take no part."""

    def __init__(self, memories: Iterable[Memory]) -> None:
        self.memories = sorted((each for each in memories if each.type not in _EVENTS), key=lambda each: each.id)
        self._words = {each.id: frozenset(significant_words(each.text)) for each in self.memories}
        counts = Counter(word for words in self._words.values() for word in words)
        most = max(2, int(RARE_SHARE * len(self.memories)))
        self._rare = {word for word, count in counts.items() if count <= most}

    def candidates(self, newer: Memory, cosines: Mapping[str, float]) -> list[Candidate]:
        """Return the older memories that a memory may link to, the strongest first, ties by id.

        `cosines` has the likeness of each memory of the corpus, by id.
        """
        found = [
            self.candidate(newer, older, cosines.get(older.id, 0.0))
            for older in self.memories
            if (older.ts, older.id) < (newer.ts, newer.id) and not _linked(newer, older)
        ]
        kept = [each for each in found if each.named or each.cosine >= NEAR]
        return sorted(kept, key=lambda each: (-each.strength, each.memory.id))[:MAX_CANDIDATES]

    def candidate(self, newer: Memory, older: Memory, cosine: float) -> Candidate:
        """Return what agrees between two memories of the corpus whose meaning has this likeness."""
        words = self._words.get(newer.id, frozenset()) & self._words[older.id] & self._rare
        return Candidate(
            memory=older,
            cosine=round(cosine, 4),
            files=tuple(sorted(_files(newer) & _files(older))),
            tags=tuple(sorted(set(newer.tags) & set(older.tags))),
            words=tuple(sorted(words)),
            named=names(newer, older),
        )


def rule_links(newer: Memory, candidates: Sequence[Candidate]) -> list[Link]:
    """Return the links that the rules make of candidates, the strongest first."""
    related = [each for each in candidates if each.related]
    return [
        Link(relation=_relation(newer, each), target=each.memory.id, strength=each.strength, reason=explain(each))
        for each in related[:MAX_LINKS]
    ]


def names(newer: Memory, older: Memory) -> bool:
    """Whether a memory's text has the other one's id, the end of it, or the beginning of its commit."""
    tokens = _TOKEN.findall(newer.text)
    ids = {older.id, older.id[-8:]}
    commit = older.commit or str(older.details.get("commit") or "")
    return any(token in ids or (commit and token == commit[: len(token)]) for token in tokens)


def explain(candidate: Candidate) -> str:
    """Return what agrees, in words."""
    parts = ["its text names it"] if candidate.named else []
    parts.append(f"meaning {candidate.cosine:.2f}")
    for what, values in (("files", candidate.files), ("tags", candidate.tags), ("words", candidate.words)):
        if values:
            parts.append(f"{what} {', '.join(values[:3])}")
    return "; ".join(parts)


def _relation(newer: Memory, candidate: Candidate) -> str:
    older = candidate.memory
    if contradiction_reason(older, newer):
        return "contradicts"
    if candidate.named:
        return "references"
    if newer.type in _IMPLEMENTING and older.type in _INTENDED:
        return "implements"
    return "extends" if newer.type == older.type else "references"


def _linked(one: Memory, other: Memory) -> bool:
    return any(link.target == other.id for link in one.links) or any(link.target == one.id for link in other.links)


def _files(memory: Memory) -> set[str]:
    return {*memory.files, *(cite.path for cite in memory.cites)}
