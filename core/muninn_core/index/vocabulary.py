"""The words that are in the bundled model's vocabulary as a whole: those of English prose and of code that are common.

The model takes rarer words, and what is none, apart into pieces (`brow` and `##er`).
"""

from __future__ import annotations

from functools import cache
from pathlib import Path

from muninn_core.model.value import decode_json

_FILE = Path(__file__).parent / "model" / "tokenizer.json"
_SHORTEST = 4
"""Letters; of shorter words nobody asks."""


def is_common(word: str) -> bool:
    """Whether a word, in lower case and of four letters and more, is among them. Reads the file at the first call."""
    return word in _vocabulary()


@cache
def _vocabulary() -> frozenset[str]:
    pieces = decode_json(_FILE.read_bytes())["model"]["vocab"]
    return frozenset(piece for piece in pieces if len(piece) >= _SHORTEST and piece.isalpha())
