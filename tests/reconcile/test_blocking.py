"""Which pairs of texts are in a common block, compared with the definition."""

import random
from collections import defaultdict
from itertools import combinations

import numpy as np
import pytest

from muninn_core.reconcile.comparison import blocking, known_texts
from muninn_core.reconcile.comparison.blocking import MOST_ALIKE, MOST_IN_BLOCK, RARE, pairs_in_blocks
from muninn_core.reconcile.comparison.known_texts import Known
from muninn_core.reconcile.comparison.words import Words

LINKING = ("not", "in", "one")


def texts(seed, count, words):
    chance = random.Random(seed)
    known = [*(f"w{number:03}" for number in range(words)), *LINKING]
    weights = [1 / (number + 3) for number in range(words)] + [0.05] * len(LINKING)
    return [frozenset(chance.choices(known, weights, k=chance.choice((0, 1, 2, 3, 4, 6, 9)))) for _ in range(count)]


def by_definition(words):
    count = defaultdict(int)
    for word in (word for each in words for word in each):
        count[word] += 1
    equal, rare = defaultdict(list), defaultdict(list)
    for place, each in enumerate(words):
        equal[each].append(place)
        shared = sorted((word for word in each if count[word] > 1), key=lambda word: (count[word], word))
        for two in combinations(shared[:RARE], 2):
            rare[two].append(place)
        if len(each - set(LINKING)) <= 3:
            for word in shared:
                rare[word, "with linking words"].append(place)
                if len(each) <= 3:
                    rare[word, "alone"].append(place)
    blocks = [places[:MOST_ALIKE] for places in equal.values()]
    blocks += [places for places in rare.values() if len(places) <= MOST_IN_BLOCK]
    return sorted({pair for places in blocks for pair in combinations(places, 2)})


@pytest.mark.parametrize(("count", "words"), [(0, 5), (1, 5), (40, 8), (400, 60), (700, 300), (900, 4)])
def test_texts_with_equal_words_or_two_rare_ones_in_common_are_in_a_block(count, words, monkeypatch):
    monkeypatch.setattr(blocking, "_MOST_AT_ONCE", 100)
    monkeypatch.setattr(known_texts, "words_of", lambda text: Words(frozenset(text.split()), ""))
    given = texts(count + words, count, words)
    found = by_definition(given)
    known = Known()
    numbers = known.read(" ".join(sorted(each)) for each in given)

    def pairs(admits):
        return list(zip(*map(np.ndarray.tolist, pairs_in_blocks(known, numbers, admits)), strict=True))

    assert pairs(lambda one, other: np.ones(len(one), np.bool_)) == found
    odd = pairs(lambda one, other: (one + other) % 2 == 1)
    assert odd == [(one, other) for one, other in found if (one + other) % 2]
    assert bool(found) == (count > 1)
