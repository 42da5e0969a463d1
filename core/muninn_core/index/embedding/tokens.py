"""Tokenizes texts and caches the tokens of each run: code repeats its names, and a lookup is cheaper than a tokenizer.

The only importer of tokenizers.

A run is a sequence of letters, digits and non-ASCII characters. Any tokenizer may be used whose tokens of a run do not
depend on the text around it.
"""

from __future__ import annotations

from array import array
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from tokenizers import Tokenizer

    Encode = Callable[[list[str]], Sequence[Sequence[int]]]

_MAX_RUNS = 60_000
"""Runs that are cached, some 10 MB per process."""

_RUN_BYTES = bytes(code if code > 127 or chr(code).isalnum() else 32 for code in range(256))
"""Maps each byte of UTF-8 to itself when it belongs to a run, else to a blank."""


def load_tokenizer(path: Path, most: int) -> Tokenizer:
    """Load a tokenizer that cuts a text after `most` tokens and does not pad."""
    # Loading it takes as long as the rest of a module, and a worker that only reads files needs none of it.
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_file(str(path))
    tokenizer.enable_truncation(max_length=most)
    tokenizer.no_padding()
    return tokenizer


class Tokens:
    """Caches the tokens of runs. Safe to use from several threads.

    `encode` returns the token ids of each of the given runs; ids are below 65,536.
    """

    def __init__(self, encode: Encode) -> None:
        self._encode = encode
        self._known: dict[bytes, bytes] = {}

    def encode(self, text: str) -> bytes:
        """Return the token ids of a text as native 16-bit integers."""
        runs = text.encode("utf-8", "replace").translate(_RUN_BYTES).split()
        try:
            return b"".join(map(self._known.__getitem__, runs))
        except KeyError:
            return b"".join(map(self._with(runs).__getitem__, runs))

    def forget(self) -> None:
        """Empty the cache. The next texts take longer."""
        self._known = {}

    def _with(self, runs: list[bytes]) -> dict[bytes, bytes]:
        """Return the cache with these runs in it."""
        known = self._known
        missing = [run for run in dict.fromkeys(runs) if run not in known]
        if len(known) + len(missing) > _MAX_RUNS:
            known = self._known = {}  # other threads keep the dict that they read
            missing = list(dict.fromkeys(runs))
        ids = self._encode([run.decode("utf-8", "replace") for run in missing])
        known.update((run, array("H", some).tobytes()) for run, some in zip(missing, ids, strict=True))
        return known
