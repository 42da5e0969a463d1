"""Recognises the versions of one fact among the best memories, and puts the newer one before the older.

A project's memory keeps what was true before. The older statement often has the words of the question, so that it ranks
higher. Two memories are versions of one fact when their encodings are close and the newer one states a change, repeats
most of the older one's words, or has other numbers. Talk between people is not compared: its turns are close to one
another and replace nothing.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from operator import attrgetter
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from muninn_core.index.quantise import SCALE
from muninn_core.retrieval import weights as w
from muninn_core.retrieval.query_terms import significant_words
from muninn_core.retrieval.reader import encodings_of_memories
from muninn_core.retrieval.signals import signal

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from muninn_core.model.memory import Memory
    from muninn_core.retrieval.ranking import Candidate
    from muninn_core.retrieval.reader import Reader

NEAR = 0.6
"""The least cosine of two versions. Of 24 facts of six projects with two versions, 21 reach it; of 4,656 other pairs of
the same projects one does."""

SAME_HEAD = 0.4
"""The same of two statements that begin with the same word: "Executor is Celery", "Executor moved to Kubernetes"."""

_SHARED = 0.2
"""The least share of the shorter statement's words that both have."""

_REPEATED = 0.5
"""The same of a newer statement that states no change."""

_STEP = 0.0001
"""The difference of the scores of two versions: the smallest that a score has."""

_TALK = re.compile(r"\b(?:I|I'm|I've|I'd|I'll|you|your|yours|my|mine|me|hey|wow|haha|thanks)\b|\?\s*$", re.IGNORECASE)
_CHANGE = re.compile(
    r"""\b(?:now|no\s+longer|any\s?more|instead|from\s+now\s+on|back\s+to|took\s+over|since\s+(?:v\d|version)
    |(?:raised|lowered|increased|decreased|reduced|moved|switched|upgraded|downgraded|dropped|replaced|renamed|changed
    |migrated|converted|extended|shortened|removed|ended))\b""",
    re.IGNORECASE | re.VERBOSE,
)
_NUMBER = re.compile(r"\d[\d.,]*\s*[a-zA-Z%]*")


class _Statement(NamedTuple):
    """The compared parts of a statement: first word, words, whether it is talk or states a change, numbers."""

    head: tuple[str, ...]
    words: frozenset[str]
    talk: bool
    change: bool
    numbers: frozenset[str]


@lru_cache(maxsize=1_000)
def _statement(text: str) -> _Statement:
    words = significant_words(text)
    return _Statement(
        head=words[:1],
        words=frozenset(words),
        talk=_TALK.search(text) is not None,
        change=_CHANGE.search(text) is not None,
        numbers=frozenset([each.replace(" ", "").lower() for each in _NUMBER.findall(text)]),
    )


def newer_first(reader: Reader, ranked: Sequence[Candidate]) -> None:
    """Raise newer versions above older ones among the best memories, and note in the older ones which is newer.

    `ranked` may have any order. A newer version is raised by at most `VERSION_SPAN`. The order of time is that of the
    memories' creation.
    """
    best = sorted((each for each in ranked if each.memory is not None), key=attrgetter("order"))[: w.VERSIONS]
    rows = encodings_of_memories(reader, [each.memory.id for each in best if each.memory is not None])
    best = [each for each in best if each.memory is not None and each.memory.id in rows]
    if len(best) < 2:
        return
    best.sort(key=lambda each: _age(each.memory))
    near = _cosines(np.stack([rows[each.memory.id] for each in best if each.memory is not None]))
    scores = [-each.order[0] for each in best]
    raised = list(scores)
    memories = [each.memory for each in best if each.memory is not None]
    places, befores = np.nonzero(np.tril(near >= SAME_HEAD, -1))
    statements = {place: _statement(memories[place].text) for place in {*places.tolist(), *befores.tolist()}}
    cosines = near[places, befores].tolist()
    for place, before, cosine in zip(places.tolist(), befores.tolist(), cosines, strict=True):
        newer, older = statements[place], statements[before]
        if scores[place] < scores[before] - w.VERSION_SPAN or newer.talk or older.talk:
            continue
        if newer.words.isdisjoint(older.words) or (cosine < NEAR and newer.head != older.head):
            continue
        if _replaces(newer, older):
            raised[place] = max(raised[place], round(raised[before] + _STEP, 4))
            best[before].newer = memories[place].id
    for candidate, score, own in zip(best, raised, scores, strict=True):
        if score > own:
            candidate.add(signal("newer", round(score - own, 4), w.NEWER, "newer than another hit about the same"))


def is_version(older: str, newer: str, near: float) -> bool:
    """Whether two statements are versions of one fact, by their words and `near`, the cosine of their encodings."""
    if near < SAME_HEAD:
        return False
    first, second = _statement(older), _statement(newer)
    if first.talk or second.talk or (near < NEAR and first.head != second.head):
        return False
    return _replaces(second, first)


def _replaces(second: _Statement, first: _Statement) -> bool:
    """Whether a newer statement with a close encoding replaces an older one, by the words and numbers of both."""
    before, after = first.words, second.words
    shared = len(before & after) / max(1, min(len(before), len(after)))
    if shared < _SHARED or before == after:
        return False
    numbers_differ = bool(first.numbers) and bool(second.numbers) and first.numbers != second.numbers
    return second.change or shared >= _REPEATED or numbers_differ


def _cosines(rows: NDArray[np.int8]) -> NDArray[np.float64]:
    """Return the cosines of encodings [n, dim] with one another, from integers: every processor has the same."""
    whole = rows.astype(np.int32)
    return (whole @ whole.T) / (SCALE * SCALE)


def _age(memory: Memory | None) -> tuple[str, str]:
    assert memory is not None
    return memory.ts, memory.id
