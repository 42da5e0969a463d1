"""Recognises the versions of one fact among the best memories, and puts the newer one before the older.

A project's memory keeps what was true before. The older statement often has the words of the question, so that it ranks
higher. Two memories are versions of one fact when their encodings are close and the newer one states a change, repeats
most of the older one's words, or has other numbers. Talk between people is not compared: its turns are close to one
another and replace nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from operator import attrgetter
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from muninn_core.index.vectors.quantise import SCALE
from muninn_core.retrieval import weights as w
from muninn_core.retrieval.query.query_terms import significant
from muninn_core.retrieval.reader import encodings_of_memories
from muninn_core.retrieval.results.signal import signal
from muninn_core.source.identifiers import words_of_each

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from muninn_core.model.memory import Memory
    from muninn_core.retrieval.reader import Reader
    from muninn_core.retrieval.results.ranking import Candidate

NEAR = 0.6
"""The least cosine of two versions. Of 24 facts of six projects with two versions, 21 reach it; of 4,656 other pairs of
the same projects one does."""

NEAR_WITH_QUESTIONS = 0.66
"""The same where both have questions, which are encoded too: versions of one fact answer the same questions. 20 of
23 pairs of versions reach it, and the others begin with the same word; 7 false pairs reach 0.6, one of them 0.66."""

SAME_HEAD = 0.4
"""The same of two statements that begin with the same word: "Executor is Celery", "Executor moved to Kubernetes"."""

_SHARED = 0.2
"""The least share of the shorter statement's words that both have."""

_REPEATED = 0.5
"""The same of a newer statement that states no change."""

_STEP = 0.0001
"""The difference of the scores of two versions: the smallest that a score has."""

_TALK = frozenset(["i", "you", "your", "yours", "my", "mine", "me", "hey", "wow", "haha", "thanks"])
# fmt: off
_CHANGE = frozenset(
    [
        "now", "anymore", "instead", "raised", "lowered", "increased", "decreased", "reduced", "moved", "switched",
        "upgraded", "downgraded", "dropped", "replaced", "renamed", "changed", "migrated", "converted", "extended",
        "shortened", "removed", "ended",
    ]
)
# fmt: on
_CHANGE_PHRASE = re.compile(r"\b(?:no\s+longer|any\s+more|back\s+to|took\s+over|since\s+(?:v\d|version))\b")
_OF_PHRASES = frozenset(["longer", "more", "back", "took", "since"])
_RUN = re.compile(r"\w+")
_NUMBER = re.compile(r"\d[\d.,]*\s*[a-zA-Z%]*")


class _Statement(NamedTuple):
    """The compared parts of a statement: first word, words, whether it is talk or states a change, numbers."""

    head: tuple[str, ...]
    words: frozenset[str]
    talk: bool
    change: bool
    numbers: frozenset[str]


_MAX_KEPT = 1_000
_kept: dict[str, _Statement] = {}


def _statements(texts: Sequence[str]) -> list[_Statement]:
    """Return the statements of some texts. They are kept, because successive questions meet the same ones."""
    known = {text: each for text in texts if (each := _kept.get(text)) is not None}
    missing = [text for text in texts if text not in known]
    for text, words in zip(missing, words_of_each(missing), strict=True):
        distinct, numbers = significant(words), "\0".join(_NUMBER.findall(text)).replace(" ", "").lower()
        low = text.lower()
        runs = frozenset(_RUN.findall(low))
        talk = not _TALK.isdisjoint(runs) or low.rstrip().endswith("?")
        change = not _CHANGE.isdisjoint(runs)
        if not (change or _OF_PHRASES.isdisjoint(runs)):
            change = _CHANGE_PHRASE.search(low) is not None
        parts = (distinct[:1], frozenset(distinct), talk, change, frozenset(numbers.split("\0") if numbers else ()))
        known[text] = tuple.__new__(_Statement, parts)  # the constructor is a Python function
    if len(_kept) + len(missing) > _MAX_KEPT:
        _kept.clear()
    _kept.update(known)
    return [known[text] for text in texts]


def newer_first(reader: Reader, ranked: Sequence[Candidate]) -> None:
    """Raise newer versions above older ones among the best memories, and note in the older ones which is newer.

    `ranked` are memories in any order. A newer version is raised by at most `VERSION_SPAN` or
    `VERSION_SPAN_WITH_QUESTIONS`. The order of time is that of the memories' creation. Memories that were imported with
    the same time have no order: those of a tool without times all have that of its file. The memory of a commit
    replaces nothing: it tells what was done then, as "drop support for 3.7" does after "drop support for 2.7". A memory
    from outside replaces none of the project.
    """
    best = {each.memory.id: each for each in sorted(ranked, key=attrgetter("order"))[: w.VERSIONS] if each.memory}
    rows = encodings_of_memories(reader, list(best))
    memories = sorted(
        [each.memory for each in best.values() if each.memory is not None and each.memory.id in rows],
        key=attrgetter("ts", "id"),
    )
    if len(memories) < 2:
        return
    candidates = [best[memory.id] for memory in memories]
    scores = np.array([-each.order[0] for each in candidates])
    spans = np.array([w.VERSION_SPAN_WITH_QUESTIONS if memory.questions else w.VERSION_SPAN for memory in memories])
    near = _cosines(np.stack([rows[memory.id] for memory in memories]))
    times = np.array([memory.ts if memory.origin else memory.id for memory in memories])
    ordered = times[:, None] != times[None, :]
    places, befores = (ordered & np.tril(near >= SAME_HEAD, -1) & (scores[:, None] >= scores - spans)).nonzero()
    events = np.array([memory.trust == "commit" for memory in memories])
    outside = np.array([memory.trust == "outside" for memory in memories])
    kept = ~events[places] & (outside[befores] | ~outside[places])
    places, befores = places[kept], befores[kept]
    compared = list({*places.tolist(), *befores.tolist()})
    statements = dict(zip(compared, _statements([memories[place].text for place in compared]), strict=True))
    asked = np.array([bool(memory.questions) for memory in memories])
    close = near[places, befores] >= np.where(asked[places] & asked[befores], NEAR_WITH_QUESTIONS, NEAR)
    pairs = zip(places.tolist(), befores.tolist(), close.tolist(), strict=True)
    raised = scores.tolist()
    for place, before in _replacements(statements, pairs):
        raised[place] = max(raised[place], round(raised[before] + _STEP, 4))
        candidates[before].newer = memories[place].id
    for candidate, score, own in zip(candidates, raised, scores.tolist(), strict=True):
        if score > own:
            candidate.add(signal("newer", round(score - own, 4), w.NEWER, "newer than another hit about the same"))


def is_version(older: Memory, newer: Memory, cosine: float) -> bool:
    """Whether two memories are versions of one fact, by their words and the cosine of their encodings."""
    if cosine < SAME_HEAD or newer.trust == "commit" or (newer.trust == "outside" and older.trust != "outside"):
        return False
    close = cosine >= (NEAR_WITH_QUESTIONS if older.questions and newer.questions else NEAR)
    return bool(_replacements(_statements([older.text, newer.text]), [(1, 0, close)]))


def _replacements(
    statements: Mapping[int, _Statement] | Sequence[_Statement], pairs: Iterable[tuple[int, int, bool]]
) -> list[tuple[int, int]]:
    """Return those pairs (newer, older) of statements whose newer one replaces the older one.

    The third part of a pair is whether its encodings are close, whatever the statements begin with.
    """
    found = []
    for place, before, close in pairs:
        newer, older = statements[place], statements[before]
        if newer.talk or older.talk or (not close and newer.head != older.head) or newer.words == older.words:
            continue
        shared = len(older.words & newer.words) / max(1, min(len(older.words), len(newer.words)))
        numbers_differ = bool(older.numbers) and bool(newer.numbers) and older.numbers != newer.numbers
        if shared >= _SHARED and (newer.change or shared >= _REPEATED or numbers_differ):
            found.append((place, before))
    return found


def _cosines(rows: NDArray[np.int8]) -> NDArray[np.float64]:
    """Return the cosines of encodings [n, dim] with one another: every processor has the same.

    The sums are integers, which floats of 64 bits add exactly in any order, and in a tenth of the time.
    """
    whole = rows.astype(np.float64)
    return (whole @ whole.T) / (SCALE * SCALE)
