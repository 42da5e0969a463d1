"""Quantises vectors to 8-bit integers: the form that workers send, the manifest stores and the vector index compares.

The scale is fixed, not learned, so that a vector does not depend on the vectors stored before it: an index that grew by
edits gives the same answers as one built at once. Products of integers are exact, so that every processor finds the
same neighbours.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

SCALE = 254.0
"""A component is stored in units of 1/254, from -128 to 127; components beyond 0.5 are clipped. In 256 dimensions
nearly all components of unit vectors lie within 0.4."""


def quantise(vectors: NDArray[np.float32], scale: float = SCALE) -> NDArray[np.int8]:
    """Return vectors [..., dim] in units of 1/`scale`, rounded and clipped to 8 bits."""
    rounded: NDArray[np.int8] = np.rint(vectors * scale).clip(-128, 127).astype(np.int8)
    return rounded
