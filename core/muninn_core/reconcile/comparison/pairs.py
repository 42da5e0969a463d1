"""Compares many memories, without comparing all with all.

Memories that relate share most of their words. They are filed by their words; those filed together are candidates, and
`judge` decides about them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

import numpy as np

from muninn_core.model.memory import Memory
from muninn_core.model.value import Value
from muninn_core.reconcile.comparison.compare import comparable_kind, judge, replaces
from muninn_core.reconcile.comparison.filing import DENIALS, Numbers, filed_together
from muninn_core.reconcile.comparison.finding import MAX_VALUE_WORDS
from muninn_core.reconcile.comparison.relation import MOST_SENTENCES, Relation
from muninn_core.reconcile.comparison.words import Words, words_of
from muninn_core.reconcile.language.exclusion import ANTONYMS
from muninn_core.reconcile.language.sentences import sentences
from muninn_core.reconcile.language.thesaurus.table import are_antonyms, are_synonyms
from muninn_core.reconcile.language.vocabulary import LIGHT

MAX_VALUES = 4
"""With more different values in one place, the statements are a list and no contradiction."""

MAX_DIFFERENT = 6
"""In words: how many two memories may not have in common, when they have fewer than that in common."""


class Comparison(Value):
    """The result of a comparison, by id: merges as (kept, source), replacements as (newer, older, reason),
    contradictions as (one, other, reason).
    """

    merges: tuple[tuple[str, str], ...] = ()
    replaced: tuple[tuple[str, str, str], ...] = ()
    contradictions: tuple[tuple[str, str, str], ...] = ()


def compare_all(ordered: Sequence[Memory], apart: set[tuple[str, str]]) -> Comparison:
    """Compare memories, in the order of preference. Of equal memories the first is kept.

    Contradictions are only searched when there is nothing to merge: earlier decisions about a pair are known only after
    merging. `apart` are pairs that a person has separated, in both orders. The result depends on the order of the
    memories alone.
    """
    merges: dict[int, int] = {}
    others: list[tuple[int, int, Relation]] = []
    for first, second in _connected(_candidates(ordered)):
        one, other = ordered[first], ordered[second]
        if first in merges or second in merges or (one.id, other.id) in apart:
            continue
        found = judge(*sorted((one, other), key=lambda memory: (memory.ts, memory.id)))
        if found.verdict == "same":
            merges[second] = first
        elif found.verdict == "contradiction":
            others.append((first, second, found))
    if merges:
        return Comparison(merges=tuple((ordered[kept].id, ordered[gone].id) for gone, kept in sorted(merges.items())))
    others.sort(key=lambda each: each[:2])
    listed = _lists(others)
    replaced: dict[int, tuple[str, str, str]] = {}
    contradictions = []
    for first, second, found in others:
        if found.sides and {first, second} <= listed:
            continue
        older, newer = sorted((first, second), key=lambda position: (ordered[position].ts, ordered[position].id))
        if found.value and replaces(ordered[newer], ordered[older]):
            replaced.setdefault(older, (ordered[newer].id, ordered[older].id, found.reason))
        else:
            contradictions.append((ordered[first].id, ordered[second].id, found.reason))
    return Comparison(
        replaced=tuple(replaced[position] for position in sorted(replaced)), contradictions=tuple(contradictions)
    )


def _lists(found: Iterable[tuple[int, int, Relation]]) -> set[int]:
    """Return the memories that differ in one value from too many others to be in contradiction with them."""
    degree = Counter(position for first, second, relation in found if relation.sides for position in (first, second))
    return {position for position, count in degree.items() if count >= MAX_VALUES}


def _candidates(ordered: Sequence[Memory]) -> set[tuple[int, int]]:
    """Return the pairs worth judging as (preferred, other).

    A memory of several sentences is compared as a whole and by each of them: one may contradict another memory.
    """
    words: list[Words] = []
    parts: list[str] = []
    words_of_parts: list[Words] = []
    places: list[int] = []
    for position, memory in enumerate(ordered):
        words.append(words_of(memory.text))
        for part in _sentences(memory.text):
            parts.append(part)
            words_of_parts.append(words_of(part))
            places.append(position)
    kinds = _numbered(comparable_kind(memory.type) for memory in ordered)
    files = [frozenset(memory.files) for memory in ordered]
    pairs = {
        (one, other)
        for one, other in filed_together([each.words for each in words], lambda one, other: kinds[one] == kinds[other])
        if _may_share(files[one], files[other]) and _is_likely(words[one], words[other])
    }
    if len(parts) > len(ordered):
        owners, texts, kinds = np.array(places), _numbered(parts), kinds[places]
        likely = filed_together(
            [each.words for each in words_of_parts],
            lambda one, other: (
                (owners[one] != owners[other]) & (texts[one] != texts[other]) & (kinds[one] == kinds[other])
            ),
        )
        for one, other in likely:
            pair = places[one], places[other]
            is_open = pair not in pairs and _may_share(files[pair[0]], files[pair[1]])
            if is_open and _is_likely(words_of_parts[one], words_of_parts[other]):
                pairs.add(pair)
    return pairs


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


def _sentences(text: str) -> Sequence[str]:
    """Return the sentences of a text, or the whole one if it has more than are judged on their own."""
    found = sentences(text)
    return found if len(found) <= MOST_SENTENCES else (text,)


def _is_likely(one: Words, other: Words) -> bool:
    """Whether the words that two memories do not have in common can be what a rule asks for."""
    one_words, other_words = one.words - other.words, other.words - one.words
    common = len(one.words) - len(one_words)
    if len(one_words) + len(other_words) > max(common, MAX_DIFFERENT):
        return False
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
