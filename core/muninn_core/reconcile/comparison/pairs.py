"""Compares many memories, without comparing all with all.

Memories that relate share most of their words. Each memory is filed under every two of its rarest words that another
memory has, too; those filed together are candidates, and `judge` decides about them. Words that many memories share
find nothing that rarer ones do not, so crowded files are left out.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from functools import cache, lru_cache
from itertools import combinations
from typing import NamedTuple

from muninn_core.model.memory import Memory
from muninn_core.model.value import Value
from muninn_core.reconcile.comparison.compare import judge, replaces, same_subject
from muninn_core.reconcile.comparison.finding import MAX_VALUE_WORDS
from muninn_core.reconcile.comparison.relation import MOST_SENTENCES, Relation
from muninn_core.reconcile.language.exclusion import ANTONYMS
from muninn_core.reconcile.language.phrases import rewrite
from muninn_core.reconcile.language.quantity import is_unit, number_of, split_units
from muninn_core.reconcile.language.sentences import sentences, without_reasons
from muninn_core.reconcile.language.thesaurus.table import are_antonyms, are_synonyms
from muninn_core.reconcile.language.vocabulary import LIGHT, PREPOSITIONS, STOP, WEAK, key_of

MAX_VALUES = 4
"""With more different values in one place, the statements are a list and no contradiction."""

MOST_ALIKE, MOST_FILED = 50, 12
"""The maximum number of memories with the same words, and with the same two rare words, that are compared."""

RARE = 5
"""The number of rarest words that a memory is filed under."""

MAX_DIFFERENT = 6
"""In words: how many two memories may not have in common, when they have fewer than that in common."""

_WORD = re.compile(r"\w+(?:['’]\w+)?")
_TINY = 3
"""Memories of no more words are also filed under single ones, and again with those that have linking words beside."""
_DENIALS = frozenset(("no", "not", "nobody", "isn", "aren", "doesn", "don", "t"))
_LINKING = PREPOSITIONS | _DENIALS | {"one"}


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
    candidates = list(_candidates([words_of(memory.text) for memory in ordered], ordered))
    merges: dict[int, int] = {}
    others: list[tuple[int, int, Relation]] = []
    for first, second in candidates:
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


class Words(NamedTuple):
    """The words of a text in common form, without reasons, figures and words of no weight, and the first of
    them where a text begins with it.
    """

    words: frozenset[str]
    first: str


@lru_cache(maxsize=20_000)
def words_of(text: str) -> Words:
    """Return the words of a text."""
    words = _joined(_WORD.findall(without_reasons(text)))
    keys = [key_of(word) for word in words if word not in STOP and not word.isdigit()]
    kept = [key for key in keys if key not in WEAK] or keys
    opens = bool(keys) and keys[0] not in WEAK and keys[0] not in _restricting() and len(keys[0]) > 2
    return Words(frozenset(kept), keys[0] if opens else "")


def _joined(words: Sequence[str]) -> Iterator[str]:
    """Yield words in lower case, two that are one word elsewhere as that one: "time-out" as "timeout".

    Units behind a figure are left out: a figure may have another one elsewhere.
    """
    before = ""
    for word, shown in rewrite([part for each in words for part in split_units(each)]):
        is_amount = number_of(before) is not None and is_unit(word)
        if not (is_amount or word in ("§max", "§min") or (word != "one" and number_of(word) is not None)):
            yield from ("not",) if word == "§not" else shown.lower().split() if word.startswith("§") else (word,)
        before = word


@cache
def _restricting() -> frozenset[str]:
    """Return the keys of words that restrict a statement: a text that begins with one does not begin with its subject.

    The first call loads the thesaurus.
    """
    return frozenset(map(key_of, ("only", "nobody", "none", "no", "not", "never", "each", "every")))


def _lists(found: Iterable[tuple[int, int, Relation]]) -> set[int]:
    """Return the memories that differ in one value from too many others to be in contradiction with them."""
    degree = Counter(position for first, second, relation in found if relation.sides for position in (first, second))
    return {position for position, count in degree.items() if count >= MAX_VALUES}


def _candidates(words: Sequence[Words], ordered: Sequence[Memory]) -> Iterator[tuple[int, int]]:
    """Yield the pairs worth judging as (preferred, other), each once and in order.

    A memory of several sentences is compared as a whole and by each of them: one may contradict another memory.
    """
    pairs = _likely_pairs(words, ordered)
    parts = [(position, part) for position, memory in enumerate(ordered) for part in _sentences(memory.text)]
    if len(parts) > len(ordered):
        places = [position for position, _ in parts]
        likely = _likely_pairs([words_of(part) for _, part in parts], [ordered[position] for position in places])
        found = [(places[first], places[second]) for first, second in likely if parts[first][1] != parts[second][1]]
        pairs.update((min(pair), max(pair)) for pair in found if pair[0] != pair[1])
    yield from sorted(pairs)


def _sentences(text: str) -> Sequence[str]:
    """Return the sentences of a text, or the whole one if it has more than are judged on their own."""
    found = sentences(text)
    return found if len(found) <= MOST_SENTENCES else (text,)


def _likely_pairs(words: Sequence[Words], ordered: Sequence[Memory]) -> set[tuple[int, int]]:
    """Return the pairs of places whose words and subjects allow a judgement."""
    pairs: set[tuple[int, int]] = set()
    for places in _files(words, ordered):
        for first, second in combinations(places[:MOST_ALIKE], 2):
            known = (first, second) in pairs or not _is_likely(words[first], words[second])
            if not known and same_subject(ordered[first], ordered[second]):
                pairs.add((first, second))
    return pairs


def _is_likely(one: Words, other: Words) -> bool:
    """Whether the words that two memories do not have in common can be what a rule asks for."""
    one_words, other_words = one.words - other.words, other.words - one.words
    common = len(one.words) - len(one_words)
    if len(one_words) + len(other_words) > max(common, MAX_DIFFERENT):
        return False
    one_words, other_words = one_words - LIGHT, other_words - LIGHT
    if not one_words or not other_words:
        return len((one_words | other_words) - _DENIALS) <= MAX_VALUE_WORDS
    if one_words <= _DENIALS or other_words <= _DENIALS:
        return True
    apart = one.first in one_words and other.first in other_words and not _are_related(one.first, other.first)
    if apart and not (common > 1 and len(one_words) == len(other_words) == 1):
        return False  # about different subjects
    if len(one_words) <= MAX_VALUE_WORDS and len(other_words) <= MAX_VALUE_WORDS:
        return True
    return any(_are_related(word, each) for word in one_words for each in other_words)


def _are_related(one: str, other: str) -> bool:
    return are_synonyms(one, other) or are_antonyms(one, other) or other in ANTONYMS.get(one, ())


def _files(words: Sequence[Words], ordered: Sequence[Memory]) -> Iterator[list[int]]:
    """Yield lists of memories that have the same words, or two rare words in common."""
    count = Counter(word for each in words for word in each.words)
    equal: dict[frozenset[str], list[int]] = defaultdict(list)
    filed: dict[tuple[str, ...], list[int]] = defaultdict(list)
    for position, each in enumerate(words):
        equal[each.words].append(position)
        shared = sorted((word for word in each.words if count[word] > 1), key=lambda word: (count[word], word))
        for two in combinations(shared[:RARE], 2):
            filed[two].append(position)
        if len(each.words - _LINKING) <= _TINY:
            for word in shared:
                filed[word, ""].append(position)
                if len(each.words) <= _TINY:
                    filed[word,].append(position)
    yield from (places for places in equal.values() if len(places) > 1)
    yield from (places for places in filed.values() if 1 < len(places) <= MOST_FILED)
