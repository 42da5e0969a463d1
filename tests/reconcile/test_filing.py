"""Which texts are filed together, compared with the definition."""

import random
from collections import defaultdict
from itertools import combinations

import numpy as np
import pytest

from muninn_core.reconcile.comparison import filing, known_texts
from muninn_core.reconcile.comparison.filing import MOST_ALIKE, MOST_FILED, RARE, filed_together
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
    equal, filed = defaultdict(list), defaultdict(list)
    for place, each in enumerate(words):
        equal[each].append(place)
        shared = sorted((word for word in each if count[word] > 1), key=lambda word: (count[word], word))
        for two in combinations(shared[:RARE], 2):
            filed[two].append(place)
        if len(each - set(LINKING)) <= 3:
            for word in shared:
                filed[word, "with linking words"].append(place)
                if len(each) <= 3:
                    filed[word, "alone"].append(place)
    files = [places[:MOST_ALIKE] for places in equal.values()]
    files += [places for places in filed.values() if len(places) <= MOST_FILED]
    return sorted({pair for places in files for pair in combinations(places, 2)})


@pytest.mark.parametrize(("count", "words"), [(0, 5), (1, 5), (40, 8), (400, 60), (700, 300), (900, 4)])
def test_texts_with_equal_words_or_two_rare_ones_in_common_are_filed_together(count, words, monkeypatch):
    monkeypatch.setattr(filing, "_MOST_AT_ONCE", 100)
    monkeypatch.setattr(known_texts, "words_of", lambda text: Words(frozenset(text.split()), ""))
    given = texts(count + words, count, words)
    found = by_definition(given)
    known = Known()
    numbers = known.read(" ".join(sorted(each)) for each in given)

    def filed(admits):
        return list(zip(*map(np.ndarray.tolist, filed_together(known, numbers, admits)), strict=True))

    assert filed(lambda one, other: np.ones(len(one), np.bool_)) == found
    odd = filed(lambda one, other: (one + other) % 2 == 1)
    assert odd == [(one, other) for one, other in found if (one + other) % 2]
    assert bool(found) == (count > 1)
