"""The text of a memory that is encoded, and the digest that is the key of its vector and token states."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from muninn_core.index.embedding.token_states import packed
from muninn_core.index.vectors.quantise import quantise
from muninn_core.source.files.text import digest

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from muninn_core.index.embedding.embed import Encoder
    from muninn_core.model.chunk import Chunk

    Rows = NDArray[np.int8]


class Encoding(NamedTuple):
    """What is kept of an encoded text: its vector, 8 bits a component, and its tokens' states (`token_states`)."""

    vector: bytes
    states: bytes


KnownEncodings = Callable[[Sequence[bytes]], Mapping[bytes, Encoding]]
"""Returns {digest: encoding} of the texts that were encoded before."""


class Encodings(NamedTuple):
    """The encodings of texts: the place of each text in the caller's list, its digest, its vector as a row [n, dim],
    and the states of its tokens.
    """

    places: list[int]
    digests: list[bytes]
    rows: Rows
    states: list[bytes]


def encoder_text(memory: Chunk) -> str:
    """Return the text that is encoded for a memory: its title, the questions that it answers, and its text.

    The end of a long one is not encoded (`MOST` in `token_states`), so that the questions come first.
    """
    questions = memory.comment if memory.kind == "memory" else ""
    return "\n".join(part for part in (memory.title, questions, memory.text) if part)


def encode(texts: Sequence[str], encoder: Encoder, known: KnownEncodings, most: int) -> Encodings:
    """Return the encodings of texts: those that are known, and up to `most` new ones. Equal texts are encoded once."""
    digests = [digest(text.encode("utf-8", "replace")) for text in texts]
    found = dict(known(list(dict.fromkeys(digests)))) if texts else {}
    missing = {one: text for one, text in zip(digests, texts, strict=True) if one not in found}
    if 0 < len(missing) <= most:
        found.update(zip(missing, encoded(list(missing.values()), encoder), strict=True))
    places = [position for position, one in enumerate(digests) if one in found]
    kept = [found[digests[position]] for position in places]
    rows = np.frombuffer(b"".join(each.vector for each in kept), np.int8).reshape(-1, encoder.dim)
    return Encodings(places, [digests[position] for position in places], rows, [each.states for each in kept])


def encoded(texts: Sequence[str], encoder: Encoder) -> list[Encoding]:
    """Return the encodings of texts."""
    return [Encoding(quantise(each.vector).tobytes(), packed(each.states)) for each in encoder.encode(texts)]
