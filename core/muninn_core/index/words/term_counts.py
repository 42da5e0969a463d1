"""BM25 from the documents that exist now, the same in every index of the same content.

Tantivy's scores depend on the history of an index: its statistics count deleted documents until segments merge, a merge
estimates the lengths, and it adds the words of a question in an order of its own. So tantivy finds candidates, and
their scores are computed here, from the term counts of each document and exact totals in the manifest.

The counts of a document are an array of 32-bit numbers: four lengths (body, symbol, title, path; the first of a whole
file is its own), then an entry for each word of each field, 24 bits of a hash and 8 bits of the count,
which is exact below 128.
"""

from __future__ import annotations

import math
import sys
import zlib
from array import array
from bisect import bisect_right
from collections import Counter
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from numpy.typing import NDArray

FIELDS = ("body", "symbol", "title", "path", "whole")
_SALTS = {"body": 0, "symbol": 0x3D4D5100, "title": 0x7A9AA300, "path": 0x41D7F200, "whole": 0}
"""A document has either chunks' fields or that of a whole file, so that `body` and `whole` share a salt."""

_HEADER = 4
HEADER_BYTES = 4 * _HEADER
_EXACT = 128
_COUNTS = [*range(_EXACT), *(round(_EXACT * 2 ** (step * 17 / 127)) for step in range(128))]
"""The counts that 8 bits stand for: exact below 128, then in steps of a tenth up to 16 million."""

LIST_BITS = 19
"""The bits of an entry of an inverted list below the document's id."""

_TABLE = 1 << 16
"""The numbers of counts and lengths: of longer lists, scores are looked up."""

_HASH = 0xFFFFFF00
_K1, _B = 1.2, 0.75
"""The constants of tantivy's BM25. Source: tantivy's bm25.rs."""

_HASH_CACHE = 60_000
_hashes: dict[str, int] = {}


class Totals(NamedTuple):
    """The number of documents, and of words in each of `FIELDS`."""

    documents: int
    words: tuple[int, ...]

    def mean(self, field: str) -> float:
        """Return the mean length of a field over all documents, which also have a length of 0."""
        return self.words[FIELDS.index(field)] / max(1, self.documents)


class Term(NamedTuple):
    """A word of a question in a field. `weight` is that of the field times the word's inverse document frequency."""

    field: str
    word: str
    weight: float


def count_terms(fields: Mapping[Any, str]) -> bytes:
    """Return the term counts of a chunk from the words of its fields, separated by blanks."""
    header, entries = [0] * _HEADER, array("I")
    for field, text in fields.items():
        words = text.split()
        header[FIELDS.index(field) % _HEADER] = len(words)
        salt = _SALTS[field]
        entries.extend([_hash(word) ^ salt | _coded(count) for word, count in Counter(words).items()])
    return _encoded(array("I", header) + array("I", sorted(entries)))


def list_terms(fields: Mapping[Any, str]) -> dict[str, list[int]]:
    """Return {word: its entries in an inverted list} of a document, one for each field: `LIST_BITS` bits.

    From the high bits: three of the field, eight of the count and eight of the field's length, coded as in `scores`.
    """
    entries: dict[str, list[int]] = {}
    for field, text in fields.items():
        words = text.split()
        high, low = FIELDS.index(field) << 16, bisect_right(_NORM_LIST, len(words)) - 1
        for word, count in Counter(words).items():
            entries.setdefault(word, []).append(high | _coded(count) << 8 | low)
    return entries


def listed_scores(term: Term, entries: NDArray[np.int64], totals: Totals) -> NDArray[np.float64]:
    """Return what a term adds to the score of each document, from the entries of its field: the numbers of `scores`."""
    codes = entries & 0xFFFF
    if len(codes) < _TABLE:
        return _added(term, codes, totals)
    table: NDArray[np.float64] = _added(term, np.arange(_TABLE), totals)[codes]
    return table


def _added(term: Term, codes: NDArray[np.int64], totals: Totals) -> NDArray[np.float64]:
    frequency, length = _FREQUENCIES[codes >> 8], _NORMS[codes & 0xFF]
    spread = _K1 * (1 - _B + _B * length / (totals.mean(term.field) or 1.0))
    added: NDArray[np.float64] = term.weight * frequency * (_K1 + 1) / (frequency + spread)
    return added


def count_file_terms(parts: Sequence[str]) -> bytes:
    """Return the term counts of a whole file."""
    return count_terms({"whole": " ".join(parts)})


def lengths(counts: bytes, *, whole: bool) -> tuple[int, ...]:
    """Return the number of words in each of `FIELDS` from the first HEADER_BYTES of a document's counts."""
    header = np.frombuffer(counts, "<u4", _HEADER).tolist()
    return (0, 0, 0, 0, header[0]) if whole else (*header, 0)


def scores(terms: Sequence[Term], counts: Sequence[bytes], totals: Totals) -> NDArray[np.float64]:
    """Return the BM25 score of each document for the terms. Each sum has the order of the terms."""
    ends = np.fromiter(map(len, counts), np.intp, len(counts)).cumsum() >> 2
    joined = b"".join(counts)
    numbers = np.frombuffer(joined, "<u4")
    hashes = [_hash(word) ^ _SALTS[field] for field, word, _ in terms]
    wanted = np.array(hashes, np.uint32)
    order = wanted.argsort(kind="stable")
    # Most entries are other words: tables of the hashes' first 8 bits, then of their first 16, rule them out.
    first = bytearray(1 << 8)
    for each in hashes:
        first[each >> 24] = 1
    (found,) = np.frombuffer(joined[3::4].translate(bytes(first)), bool).nonzero()
    may_match = np.zeros(1 << 16, bool)
    may_match[wanted >> 16] = True
    entries = numbers[found]
    likely = may_match[entries >> 16]
    found, entries = found[likely], entries[likely]
    known = entries & np.uint32(_HASH)
    places = wanted.searchsorted(known, sorter=order)
    places[places == len(wanted)] = 0
    columns = order[places]
    rows = ends.searchsorted(found, "right")
    starts = np.concatenate(([0], ends))[rows]
    same = (wanted[columns] == known) & (found - starts >= _HEADER)  # lengths are no words
    entries, columns, rows, starts = entries[same], columns[same], rows[same], starts[same]
    frequency = _FREQUENCIES[entries & np.uint32(0xFF)]
    mean = {field: totals.mean(field) or 1.0 for field in {term[0] for term in terms}}
    fields = np.array([FIELDS.index(field) % _HEADER for field, _, _ in terms])
    means = np.array([mean[field] for field, _, _ in terms])
    weights = np.array([weight for _, _, weight in terms])
    length = _rounded(numbers[starts + fields[columns]])
    spread = _K1 * (1 - _B + _B * length / means[columns])
    added = weights[columns] * frequency * (_K1 + 1) / (frequency + spread)
    # One after the other, in the order of the terms: numpy's sum adds in an order that depends on the processor.
    by_term = columns.argsort(kind="stable")
    return np.bincount(rows[by_term], added[by_term], len(counts)).astype(np.float64, copy=False)


def inverse_frequency(documents: int, found: int) -> float:
    """Return the inverse document frequency, as BM25 computes it: near 0 for a word in all documents."""
    return math.log(1 + (max(documents - found, 0) + 0.5) / (found + 0.5))


def added(one: Sequence[int], other: Iterable[int], sign: int = 1) -> tuple[int, ...]:
    """Return the sums, or with `sign` -1 the differences, of two sequences of lengths."""
    return tuple(a + sign * b for a, b in zip(one, other, strict=True))


def _rounded(length: NDArray[np.uint32]) -> NDArray[np.float64]:
    """Round lengths down as tantivy does, which stores them in a byte: four significant bits above 40.

    Source: tantivy's fieldnorm/code.rs.
    """
    if not length.size or np.max(length) < _SHORT:
        return _SHORT_NORMS[length]
    return _NORMS[np.searchsorted(_NORMS, length, side="right") - 1]


def _norm(number: int) -> int:
    """Return the length that a byte stands for."""
    if number < 40:
        return number
    bits, shift = (number - 24) & 7, ((number - 24) >> 3) - 1
    return 24 + ((bits | 8) << shift if shift >= 0 else bits)


_NORM_LIST = [_norm(number) for number in range(256)]
_NORMS = np.array(_NORM_LIST, np.float64)
_SHORT = 4096
_SHORT_NORMS = _NORMS[np.searchsorted(_NORMS, np.arange(_SHORT), side="right") - 1]
"""The rounded lengths below `_SHORT`: most lengths are looked up."""

_FREQUENCIES = np.array(_COUNTS, np.float64)


def _coded(count: int) -> int:
    return count if count < _EXACT else bisect_right(_COUNTS, count) - 1


def _hash(word: str) -> int:
    known = _hashes.get(word)
    if known is None:
        if len(_hashes) >= _HASH_CACHE:
            _hashes.clear()
        known = _hashes[word] = zlib.crc32(word.encode("utf-8", "replace")) & _HASH
    return known


def _encoded(numbers: array[int]) -> bytes:
    if sys.byteorder == "big":
        numbers.byteswap()
    return numbers.tobytes()
