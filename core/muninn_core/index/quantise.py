"""Vectors as whole numbers of 8 bits: what workers send, the manifest stores and the index of meaning compares.

The range is fixed, not learnt: a vector is the same whatever was stored before it, so that an index that grew through
many edits answers as one that was built at once. Sums of products of whole numbers are exact, so that every processor
finds the same neighbours.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

SCALE = 254.0
"""A component is stored as a whole number of 1/254, -128 to 127: what is beyond a half is clipped. In 256 dimensions
nearly all components of unit vectors lie within 0.4."""


def quantise(vectors: NDArray[np.float32], scale: float = SCALE) -> NDArray[np.int8]:
    """Return vectors [..., dim] as whole numbers of 1/`scale`, clipped to 8 bits."""
    rounded: NDArray[np.int8] = np.clip(np.rint(vectors * scale), -128, 127).astype(np.int8)
    return rounded
