"""What of a memory the text encoder sees, and the digest under which its vector is kept."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from muninn_core.index.quantise import quantise
from muninn_core.source.text import digest

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from muninn_core.index.embed import Embedder
    from muninn_core.model.chunk import Chunk

    Rows = NDArray[np.int8]

KnownEncodings = Callable[[Sequence[bytes]], Mapping[bytes, bytes]]
"""Returns {digest: vector} of the texts that were encoded before."""


class Encodings(NamedTuple):
    """The vectors of texts: the place of each text in the caller's list, its digest, and its row [n, dim]."""

    places: list[int]
    digests: list[bytes]
    rows: Rows


def encoder_text(memory: Chunk) -> str:
    """Return the text that is encoded for a memory: its title and its text."""
    return "\n".join(part for part in (memory.title, memory.text) if part)


def encode(texts: Sequence[str], encoder: Embedder, known: KnownEncodings, most: int) -> Encodings:
    """Return the encodings of texts: those that are known, and up to `most` new ones. Equal texts are encoded once."""
    digests = [digest(text.encode("utf-8", "replace")) for text in texts]
    found = dict(known(list(dict.fromkeys(digests)))) if texts else {}
    missing = {one: text for one, text in zip(digests, texts, strict=True) if one not in found}
    if 0 < len(missing) <= most:
        rows = quantise(encoder.embed(list(missing.values())))
        found.update((one, row.tobytes()) for one, row in zip(missing, rows, strict=True))
    places = [place for place, one in enumerate(digests) if one in found]
    blob = b"".join(found[digests[place]] for place in places)
    rows = np.frombuffer(blob, np.int8).reshape(-1, encoder.dim)
    return Encodings(places, [digests[place] for place in places], rows)
