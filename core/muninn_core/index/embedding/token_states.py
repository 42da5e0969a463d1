"""The states of a text's tokens, as they are stored: 4 bits for each component.

A state is compared by its direction alone, so no scale is stored. On the questions that rules were chosen on, 4 bits
find as much as 32 (`docs/memory-quality-choices.md`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

MAX_TOKENS = 128
"""The most tokens of a text whose states are stored: 24 kB of 384 components. Most memories have 15 to 40."""

_LIMIT = 7
BIAS = 8
"""What is added to a component, so that none is negative."""


def packed(states: NDArray[np.float32]) -> bytes:
    """Return the first `MAX_TOKENS` states [tokens, dim] with 4 bits for each component. `dim` is even."""
    rounded = rounded_states(states[:MAX_TOKENS]) + BIAS
    return bytes((rounded[:, 0::2] << 4 | rounded[:, 1::2]).astype(np.uint8).tobytes())


def rounded_states(states: NDArray[np.float32]) -> NDArray[np.int8]:
    """Return states [tokens, dim] with components from -7 to 7, the largest of each token as 7."""
    largest = np.abs(states).max(axis=1, keepdims=True, initial=1e-9)
    found: NDArray[np.int8] = np.rint(states * (_LIMIT / largest)).astype(np.int8)
    return found


def unpacked(stored: Sequence[bytes], dim: int) -> NDArray[np.uint8]:
    """Return the rounded states [tokens, dim] of several texts in turn: `arranged`, and with `BIAS` added."""
    pairs = np.frombuffer(b"".join(stored), np.uint8).reshape(-1, dim // 2)
    states = np.empty((len(pairs), dim), np.uint8)
    np.right_shift(pairs, 4, out=states[:, : dim // 2])
    np.bitwise_and(pairs, 15, out=states[:, dim // 2 :])
    return states


def arranged(states: NDArray[np.int8]) -> NDArray[np.int8]:
    """Return states [tokens, dim] with the components at even places first: pairs are unpacked in that order."""
    return np.concatenate([states[:, 0::2], states[:, 1::2]], axis=1)


def tokens_in(stored: bytes, dim: int) -> int:
    """Return the number of tokens in `packed` states."""
    return 2 * len(stored) // dim
