"""Scales cosines of the text encoder so that they mean the same for every prompt and memory.

Some texts are near to everything: general statements, long prompts. Cross-domain similarity local scaling (Conneau et
al. 2018, "Word translation without parallel data") subtracts from a cosine half the mean cosine of the prompt to the
statements nearest to it, and half that of the memory to the prompts nearest to it. These statements and prompts are a
background of other projects; `scripts/encoder/background.py` encodes them.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from muninn_core.index.vectors.quantise import SCALE

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Rows = NDArray[np.float32]

FILE = Path(__file__).parent / "background.npz"
"""The encodings of the background: `prompts` and `statements`, int8 [n, dim], and the name of the `encoder`."""

NEAREST = 20
"""The nearest texts of the background whose mean cosine counts; 10 in the publication."""


DECIMALS = 4
"""Sums of floats depend on the processor and on how many rows are multiplied at once; so many decimals do not."""


class Background(NamedTuple):
    """The encodings of prompts and statements of other projects, float32 [n, dim]."""

    prompts: Rows
    statements: Rows


@cache
def load_background() -> Background:
    """Return the background of the package. It is read once and takes 2.3 MB."""
    with np.load(FILE) as found:
        return Background(*(found[name].astype(np.float32) / np.float32(SCALE) for name in Background._fields))


def closeness(prompt: Rows, memories: NDArray[np.int8], background: Background) -> NDArray[np.float64]:
    """Return how much nearer a prompt [dim] and each memory [n, dim] are to one another than to the background.

    The memories are encodings as the index keeps them. Values lie around 0; 0.1 is close.
    """
    rows = memories.astype(np.float32) / np.float32(SCALE)
    near_prompt = _nearest(background.statements @ prompt[:, None])
    near_memories = _nearest(background.prompts @ rows.T)
    found: NDArray[np.float64] = (rows @ prompt - (near_prompt + near_memories) / 2).astype(np.float64)
    return found.round(DECIMALS)


def _nearest(cosines: Rows) -> Rows:
    """Return the mean of the `NEAREST` highest cosines of each column."""
    count = min(NEAREST, len(cosines))
    found: Rows = np.partition(cosines, len(cosines) - count, axis=0)[-count:].mean(axis=0)
    return found
