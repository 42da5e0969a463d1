"""Late interaction: how states of tokens are stored, and how a question is compared with memories by them."""

import numpy as np
import pytest

from muninn_core.index.embedding.token_states import (
    BIAS,
    MAX_TOKENS,
    arranged,
    packed,
    rounded_states,
    tokens_in,
    unpacked,
)
from muninn_core.retrieval.signals.late_interaction import late_interaction

DIM = 8
WORDS = dict(zip("abcdefgh", np.eye(DIM, dtype=np.float32), strict=True))


def states(text):
    return np.array([WORDS[word] for word in text.split()], np.float32).reshape(-1, DIM)


def matches(question, *memories):
    return late_interaction(states(question), [packed(states(each)) for each in memories]).tolist()


def test_states_are_stored_with_four_bits_and_their_direction():
    rows = np.random.default_rng(1).standard_normal((5, 16)).astype(np.float32)
    stored = packed(rows)
    assert len(stored) == 5 * 16 // 2
    assert tokens_in(stored, 16) == 5
    assert np.array_equal(unpacked([stored], 16).view(np.int8) - BIAS, arranged(rounded_states(rows)))
    assert np.array_equal(rounded_states(rows), rounded_states(3.0 * rows))
    assert np.abs(rounded_states(rows)).max(axis=1).tolist() == [7] * 5
    cosines = (rows * rounded_states(rows)).sum(1) / np.linalg.norm(rows, axis=1)
    assert (cosines / np.linalg.norm(rounded_states(rows), axis=1) > 0.99).all()


def test_several_texts_are_read_one_after_another():
    one, two = states("a b"), states("c")
    both = unpacked([packed(one), packed(two)], DIM)
    assert np.array_equal(both.view(np.int8) - BIAS, arranged(rounded_states(np.concatenate([one, two]))))


def test_only_the_first_tokens_of_a_long_text_are_stored():
    assert tokens_in(packed(states("a " * (MAX_TOKENS + 9))), DIM) == MAX_TOKENS


def test_a_zero_state_is_stored():
    assert (unpacked([packed(np.zeros((1, DIM), np.float32))], DIM) == BIAS).all()


def test_a_memory_that_has_every_token_matches_whole():
    assert matches("a b", "c a d b", "c d") == [1.0, 0.0]


def test_a_rare_token_counts_more_than_a_frequent_one():
    rare, frequent, *_ = matches("a b", "a c", "b c", *["b d"] * 8)
    assert rare > 2 * frequent


def test_the_number_of_other_tokens_does_not_count():
    short, long = matches("a", "a", "a b c d e f g h")
    assert short == long == 1.0


@pytest.mark.parametrize("count", [1, 3, 60])
def test_a_match_does_not_depend_on_the_order_of_memories(count):
    random = np.random.default_rng(2)
    question = random.standard_normal((7, 384)).astype(np.float32)
    stored = [packed(random.standard_normal((3 + n % 5, 384)).astype(np.float32)) for n in range(count)]
    there = late_interaction(question, stored)
    back = late_interaction(question, stored[::-1])[::-1]
    assert there.tolist() == back.tolist()


def test_memories_are_compared_in_blocks_with_the_same_result(monkeypatch):
    memories = ("a b c", "d", "a a a a", "b c", "a d")
    together = matches("a b", *memories)
    for size in 1, 3, 4:
        monkeypatch.setattr("muninn_core.retrieval.signals.late_interaction._BLOCK", size)
        assert matches("a b", *memories) == together


def test_without_tokens_nothing_matches():
    assert matches("", "a", "b") == [0.0, 0.0]
    assert matches("a") == []
