"""The tokens of texts, run by run: code repeats its names, and to look one up costs less than to take it apart again.

A run is what stands between blanks and signs. It knows no model: whoever makes one says how a run is taken apart, and
promises that what is around a run changes nothing.
"""

from __future__ import annotations

from array import array
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    Encode = Callable[[list[str]], Sequence[Sequence[int]]]

_MOST = 60_000
"""Runs that are remembered, some 10 MB in each process."""

_SIGNS = bytes(code if code > 127 or chr(code).isalnum() else 32 for code in range(256))
"""Each byte of UTF-8 but those of letters, digits and what is no ASCII becomes a blank."""


class Tokens:
    """Remembers the tokens of runs. Safe to use from several threads.

    `encode` returns the numbers (below 65,536) of the tokens of each of some runs.
    """

    def __init__(self, encode: Encode) -> None:
        self._encode = encode
        self._known: dict[bytes, bytes] = {}

    def of(self, text: str) -> bytes:
        """Return the numbers of a text's tokens, two bytes each in the order of the machine."""
        runs = text.encode("utf-8", "replace").translate(_SIGNS).split()
        try:
            return b"".join(map(self._known.__getitem__, runs))
        except KeyError:
            return b"".join(map(self._learnt(runs).__getitem__, runs))

    def forget(self) -> None:
        """Give the memory back: only the next texts take longer."""
        self._known = {}

    def _learnt(self, runs: list[bytes]) -> dict[bytes, bytes]:
        """Return what is known, with these runs in it."""
        known = self._known
        fresh = [run for run in dict.fromkeys(runs) if run not in known]
        if len(known) + len(fresh) > _MOST:
            known = self._known = {}  # another thread goes on with the one that it has
            fresh = list(dict.fromkeys(runs))
        numbers = self._encode([run.decode("utf-8", "replace") for run in fresh])
        known.update((run, array("H", some).tobytes()) for run, some in zip(fresh, numbers, strict=True))
        return known
