"""Late interaction: compares a question with memories token by token.

A memory's match is MaxSim (Khattab and Zaharia, "ColBERT", 2020): for each token of the question the cosine to the most
similar token of the memory, averaged over the question. The states of the text encoder's tokens are compared, which
depend on the whole text. Tokens are weighted by their rarity among the memories that are compared. As a token is never
quite absent, a memory counts as one that has it by `_ABSENT` to `_PRESENT`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from muninn_core.index.token_states import rounded_states, tokens_in, unpacked

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Column = NDArray[np.float64]

_ABSENT, _PRESENT = 0.4, 0.8
"""The cosines from which a memory begins to count as one that has a token, and counts whole."""

_FEWEST = 20
"""The least number of memories that rarities are computed for: among fewer, no token is rare."""


def late_interaction(question: NDArray[np.float32], memories: Sequence[bytes]) -> Column:
    """Return the MaxSim of each memory, at most 1.

    `question` has the states of its tokens, [tokens, dim]; a memory its packed ones, of one token at least. Products
    are sums of small integers, which 32-bit floats hold exactly: every order of adding gives the same.
    """
    if not len(question) or not memories:
        return np.zeros(len(memories))
    dim = question.shape[1]
    asked, stored = rounded_states(question).astype(np.float32), unpacked(memories, dim).astype(np.float32)
    products = (asked @ stored.T).astype(np.float64)
    cosines = products / np.outer(_lengths(asked), _lengths(stored))
    starts = np.cumsum([0, *(tokens_in(each, dim) for each in memories[:-1])])
    best = np.maximum.reduceat(cosines, starts, axis=1)
    rarity = _rarities(best)
    found: Column = (best * rarity[:, None]).sum(axis=0) / rarity.sum()
    return found


def _rarities(best: Column) -> Column:
    """Return the inverse document frequency of each token of the question, as BM25 computes it.

    `best` has the cosine of each token, a row, in each memory, a column.
    """
    having = np.clip((best - _ABSENT) / (_PRESENT - _ABSENT), 0.0, 1.0).sum(axis=1)
    rarities: Column = np.log(1.0 + (max(best.shape[1], _FEWEST) - having + 0.5) / (having + 0.5))
    return rarities


def _lengths(states: NDArray[np.float32]) -> Column:
    squares: Column = np.einsum("ij,ij->i", states, states).astype(np.float64)
    return np.maximum(np.sqrt(squares), 1.0)
