"""The cache by identity keeps what cannot change, and no more than a few results."""

from __future__ import annotations

from muninn_core.index.identity_cache import IdentityCache


def test_an_equal_sequence_is_another_one_and_a_list_is_never_kept():
    cache, made = IdentityCache(), []

    def length(key):
        return cache.get(key, lambda: made.append(len(key)) or len(key))

    first, equal = tuple(range(500)), tuple(range(500))
    assert [length(first), length(first), length(equal)] == [500] * 3
    assert len(made) == 2
    several = list(first)
    assert length(several) == 500
    several.append(1)
    assert length(several) == 501
    cache.clear()
    assert length(first) == 500
    assert len(made) == 5


def test_the_oldest_results_go():
    cache, made = IdentityCache(), []
    keys = [tuple(range(number, number + 200)) for number in range(20)]
    for key in (*keys, keys[-1], keys[0]):
        assert cache.get(key, lambda key=key: made.append(key) or key[0]) == key[0]
    assert made == [*keys, keys[0]]
