"""The common words of English prose and of code: those that the bundled model has as one token.

The model splits all other words into pieces (`brow` and `##er`).
"""

from __future__ import annotations

from functools import cache
from pathlib import Path

from muninn_core.model.value import decode_json

_FILE = Path(__file__).parents[1] / "model" / "tokenizer.json"
_MIN_LENGTH = 4
"""Letters; callers ask for no shorter word."""


def is_common(word: str) -> bool:
    """Whether a word of four letters or more, in lower case, is common. The first call reads the file."""
    return word in _vocabulary()


@cache
def _vocabulary() -> frozenset[str]:
    pieces = decode_json(_FILE.read_bytes())["model"]["vocab"]
    return frozenset(piece for piece in pieces if len(piece) >= _MIN_LENGTH and piece.isalpha())
