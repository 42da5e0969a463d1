"""Finds the pairs of memories that are worth judging, without comparing all with all.

Memories that relate share most of their words. The pairs of a block of texts with common words are candidates if their
other words can satisfy a rule.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

import numpy as np

from muninn_core.model.memory import Memory
from muninn_core.reconcile.comparison.blocking import DENIALS, pairs_in_blocks
from muninn_core.reconcile.comparison.compare import EVENTS, comparable_kind
from muninn_core.reconcile.comparison.finding import MAX_VALUE_WORDS
from muninn_core.reconcile.comparison.known_texts import Known, Numbers, Question, sentences_of
from muninn_core.reconcile.comparison.words import Words, words_of
from muninn_core.reconcile.language.exclusion import ANTONYMS
from muninn_core.reconcile.language.thesaurus.table import are_antonyms, are_synonyms
from muninn_core.reconcile.language.vocabulary import LIGHT

MAX_DIFFERENT = 6
"""In words: how many two memories may not have in common, when they have fewer than that in common."""


def candidates(ordered: Sequence[Memory], texts: Numbers, known: Known) -> list[tuple[int, int]]:
    """Return the pairs worth judging as (preferred, other), without those whose answer is known to be no.

    `texts` are the numbers of the memories' texts. A memory of several sentences is compared as a whole and by each of
    them: one may contradict another memory.
    """
    search = _Search(ordered, texts, known)
    search.add_texts()
    search.add_sentences()
    return _connected(search.pairs)


def question_of(memory: Memory) -> Question:
    """Return what is asked about the text of a memory and another one of its kind."""
    return Question.SAME if memory.type in EVENTS else Question.RELATED


class _Search:
    """The pairs found so far."""

    def __init__(self, ordered: Sequence[Memory], texts: Numbers, known: Known) -> None:
        self.pairs: set[tuple[int, int]] = set()
        self._ordered, self._texts, self._known = ordered, texts, known
        self._kinds = _numbered(comparable_kind(memory.type) for memory in ordered)
        self._files = [frozenset(memory.files) for memory in ordered]
        self._questions = np.array([question_of(memory) for memory in ordered], np.int64)

    def add_texts(self) -> None:
        """Add the pairs whose texts may relate."""
        kinds = self._kinds
        one, other = pairs_in_blocks(self._known, self._texts, lambda one, other: kinds[one] == kinds[other])
        wordings = [memory.text for memory in self._ordered]
        self._add_likely(one, other, self._texts, np.arange(len(self._texts)), wordings.__getitem__)

    def add_sentences(self) -> None:
        """Add the pairs of which one sentence each may relate, if any memory has several."""
        parts, counts = self._known.sentences(self._texts)
        if len(parts) == len(self._texts):
            return
        owners = np.repeat(np.arange(len(counts)), counts)
        kinds, first = self._kinds[owners], np.cumsum(counts) - counts
        one, other = pairs_in_blocks(
            self._known,
            parts,
            lambda one, other: (
                (owners[one] != owners[other]) & (parts[one] != parts[other]) & (kinds[one] == kinds[other])
            ),
        )

        def wording(part: int) -> str:
            owner = int(owners[part])
            return sentences_of(self._ordered[owner].text)[part - int(first[owner])]

        self._add_likely(one, other, parts, owners, wording)

    def _add_likely(
        self, one: Numbers, other: Numbers, numbers: Numbers, owners: Numbers, wording: Callable[[int], str]
    ) -> None:
        """Add the owners of texts or sentences in common blocks that may relate by their words."""
        known, texts = self._known, self._texts
        left, right = owners[one], owners[other]
        is_open = ~known.denied(numbers[one], numbers[other], Question.LIKELY)
        is_open &= ~known.denied(texts[left], texts[right], self._questions[left])
        chosen = (each[is_open].tolist() for each in (one, other, left, right))
        for first, second, *owned in zip(*chosen, strict=True):
            pair = (owned[0], owned[1])
            if pair in self.pairs or not _may_share(self._files[pair[0]], self._files[pair[1]]):
                continue
            common, different = known.words_apart(int(numbers[first]), int(numbers[second]))
            is_near = different <= max(common, MAX_DIFFERENT)
            if is_near and _is_likely(words_of(wording(first)), words_of(wording(second))):
                self.pairs.add(pair)
            else:
                known.deny(int(numbers[first]), int(numbers[second]), Question.LIKELY)


def _connected(pairs: set[tuple[int, int]]) -> list[tuple[int, int]]:
    """Return pairs in an order in which all that connect the same memories follow each other.

    A memory is then read once, because what is read is cached for a while. No merge depends on pairs elsewhere.
    """
    root: dict[int, int] = {}

    def find(place: int) -> int:
        while root.setdefault(place, place) != place:
            root[place] = root[root[place]]
            place = root[place]
        return place

    for pair in pairs:
        one, other = map(find, pair)
        root[max(one, other)] = min(one, other)
    return sorted(pairs, key=lambda pair: (find(pair[0]), pair))


def _numbered(values: Iterable[str]) -> Numbers:
    """Return a number for each value, equal for equal ones."""
    known: dict[str, int] = {}
    return np.array([known.setdefault(value, len(known)) for value in values], np.int64)


def _may_share(one: frozenset[str], other: frozenset[str]) -> bool:
    """Whether two sets of files have a common file, or one of them is empty."""
    return not one or not other or not one.isdisjoint(other)


def _is_likely(one: Words, other: Words) -> bool:
    """Whether the words that two near texts do not have in common can be what a rule asks for."""
    one_words, other_words = one.words - other.words, other.words - one.words
    common = len(one.words) - len(one_words)
    one_words, other_words = one_words - LIGHT, other_words - LIGHT
    if not one_words or not other_words:
        return len((one_words | other_words) - DENIALS) <= MAX_VALUE_WORDS
    if one_words <= DENIALS or other_words <= DENIALS:
        return True
    apart = one.first in one_words and other.first in other_words and not _are_related(one.first, other.first)
    if apart and not (common > 1 and len(one_words) == len(other_words) == 1):
        return False  # about different subjects
    if len(one_words) <= MAX_VALUE_WORDS and len(other_words) <= MAX_VALUE_WORDS:
        return True
    return any(_are_related(word, each) for word in one_words for each in other_words)


def _are_related(one: str, other: str) -> bool:
    return are_synonyms(one, other) or are_antonyms(one, other) or other in ANTONYMS.get(one, ())
