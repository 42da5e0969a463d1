"""Late interaction: compares a question with memories token by token.

A memory's match is MaxSim (Khattab and Zaharia, "ColBERT", 2020): for each token of the question the cosine to the most
similar token of the memory, averaged over the question. The states of the text encoder's tokens are compared, which
depend on the whole text. Tokens are weighted by their rarity among the memories that are compared. As a token is never
quite absent, a memory counts as one that has it by `_ABSENT` to `_PRESENT`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np

from muninn_core.index.embedding.encoder import integer_products
from muninn_core.index.embedding.token_states import BIAS, arranged, rounded_states, tokens_in, unpacked

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Column = NDArray[np.float64]

_ABSENT, _PRESENT = 0.4, 0.8
"""The cosines from which a memory begins to count as one that has a token, and counts whole."""

_BLOCK = 1_000
"""The tokens of memories that are compared at once: their arrays fit into a processor's cache. With 2,000 it takes a
third longer."""

_STEPS = 1_000_000
"""The steps between a token that is absent and one that is present: sums of whole numbers are exact in every order."""

_FEWEST = 20
"""The least number of memories that rarities are computed for: among fewer, no token is rare."""


def late_interaction(question: NDArray[np.float32], memories: Sequence[bytes]) -> Column:
    """Return the MaxSim of each memory, at most 1.

    `question` has the states of its tokens, [tokens, dim]; a memory its packed ones, of one token at least. Products
    are sums of small integers, so that every processor gives the same.
    """
    if not len(question) or not memories:
        return np.zeros(len(memories))
    dim = question.shape[1]
    asked = arranged(rounded_states(question)).T.copy()
    best = np.concatenate([_best_cosines(asked, block) for block in _blocks(memories, dim)]).T.copy()
    rarity = _rarities(best)
    found: Column = (best * rarity[:, None]).sum(axis=0) / rarity.sum()
    return found


def _blocks(memories: Sequence[bytes], dim: int) -> Iterator[Sequence[bytes]]:
    """Return the memories in parts of about `_BLOCK` tokens."""
    begin = tokens = 0
    for number, each in enumerate(memories):
        if tokens >= _BLOCK:
            yield memories[begin:number]
            begin, tokens = number, 0
        tokens += tokens_in(each, dim)
    yield memories[begin:]


def _best_cosines(asked: NDArray[np.int8], memories: Sequence[bytes]) -> Column:
    """Return the cosine of each token of the question, a column, to the most similar token of each memory, a row.

    `asked` has the states of the question's tokens as columns.
    """
    dim = len(asked)
    stored = unpacked(memories, dim)
    products = integer_products(stored, asked) - BIAS * asked.sum(axis=0, dtype=np.int32)
    states = stored.view(np.int8) - np.int8(BIAS)
    squares = integer_products(np.square(states).view(np.uint8), np.ones((dim, 1), np.int8))[:, 0]
    cosines = products / np.outer(_lengths(squares), _lengths(np.square(asked).sum(axis=0, dtype=np.int32)))
    starts = np.cumsum([0, *(tokens_in(each, dim) for each in memories[:-1])])
    best: Column = np.maximum.reduceat(cosines, starts)
    return best


def _rarities(best: Column) -> Column:
    """Return the inverse document frequency of each token of the question, as BM25 computes it.

    `best` has the cosine of each token, a row, in each memory, a column.
    """
    shares = np.clip((best - _ABSENT) / (_PRESENT - _ABSENT), 0.0, 1.0)
    having = np.rint(shares * _STEPS).sum(axis=1) / _STEPS
    rarities: Column = np.log(1.0 + (max(best.shape[1], _FEWEST) - having + 0.5) / (having + 0.5))
    return rarities


def _lengths(squares: NDArray[np.int32]) -> Column:
    """Return the lengths of states from the sums of the squares of their components, 1 at least."""
    lengths: Column = np.maximum(np.sqrt(squares, dtype=np.float64), 1.0)
    return lengths
