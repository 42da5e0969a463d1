"""Cached results about texts: their words, their sentences, and the pairs of texts that do not relate.

All of it follows from the texts alone, so that a comparison can take over what an earlier one found out. It has hashes
instead of texts and words. Pairs that relate are not part of it: the reason of a contradiction quotes both texts.
"""

from __future__ import annotations

import hashlib
from array import array
from collections.abc import Iterable, Sequence
from enum import IntEnum
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from muninn_core.reconcile.comparison.relation import MOST_SENTENCES
from muninn_core.reconcile.comparison.words import words_of
from muninn_core.reconcile.language.sentences import sentences

Numbers = NDArray[np.int64]

_KEY_BYTES, _WORD_BYTES = 16, 8
_TEXT, _SENTENCE, _WORD = b"text", b"sentence", b"word"
_BITS = 30
"""Of the number of a text. Two of them and a question are one number of 62 bits."""
_LOW = (1 << _BITS) - 1


class Question(IntEnum):
    """What is asked about two texts: whether their words may relate, whether they relate, or state the same."""

    LIKELY = 0
    RELATED = 1
    SAME = 2


class Contents(NamedTuple):
    """What is known, as arrays.

    `keys` has two numbers for each text. `words` and `sentences` are the rows of all texts, `word_counts` and
    `sentence_counts` their lengths. Words are places in `vocabulary`, in the alphabetical order of the words.
    Sentences are places in `keys`, for a sentence has words as well. `pairs` are those whose answer is no.
    """

    keys: Numbers
    words: Numbers
    word_counts: Numbers
    sentences: Numbers
    sentence_counts: Numbers
    vocabulary: Numbers
    pairs: Numbers


class Known:
    """What is known of texts. Texts, sentences and words have numbers. Not safe for several threads."""

    def __init__(self, contents: Contents | None = None) -> None:
        """Start with what an earlier comparison knew. Raises ValueError when it is inconsistent."""
        found = contents or Contents(*[np.zeros(0, np.int64)] * len(Contents._fields))
        _check(found)
        keys = found.keys.tobytes()
        self._numbers = {keys[at : at + _KEY_BYTES]: at // _KEY_BYTES for at in range(0, len(keys), _KEY_BYTES)}
        self._vocabulary = {hashed: number for number, hashed in enumerate(found.vocabulary.tolist())}
        if len(self._numbers) != len(found.word_counts) or len(self._vocabulary) != len(found.vocabulary):
            raise ValueError("a key is repeated")
        self._words = _Rows(found.words, found.word_counts)
        self._sentences = _Rows(found.sentences, found.sentence_counts)
        self._word_numbers: dict[str, int] = {}
        self._denied = found.pairs
        self._added: list[int] = []
        self._used: list[Numbers] = []
        self._asked: list[Numbers] = []
        """What `contents` returns: texts that were read here, and pairs whose answer was asked for and is no."""

    def read(self, texts: Iterable[str]) -> Numbers:
        """Return the number of each text."""
        read = np.array([self._number(_TEXT, text) for text in texts], np.int64)
        self._used.append(read)
        return read

    def sentences(self, texts: Numbers) -> tuple[Numbers, Numbers]:
        """Return the sentences of texts, one text after the other, and how many each text has."""
        return self._sentences.chosen(texts)

    def words(self, texts: Numbers) -> tuple[Numbers, Numbers]:
        """Return the words of texts or sentences, in alphabetical order for each, and how many each has."""
        return self._words.chosen(texts)

    def words_apart(self, one: int, other: int) -> tuple[int, int]:
        """Return how many words two texts have in common, and how many only one of them has."""
        left, right = frozenset(self._words.row(one)), frozenset(self._words.row(other))
        return len(left & right), len(left ^ right)

    def word_numbers(self, words: Iterable[str]) -> Numbers:
        """Return the numbers of words."""
        return np.array([self._word_number(word) for word in words], np.int64)

    @property
    def vocabulary(self) -> int:
        """How many words have a number."""
        return len(self._vocabulary)

    def denied(self, one: Numbers, other: Numbers, question: Question | Numbers) -> NDArray[np.bool_]:
        """Return for each pair of texts whether the answer is known to be no."""
        if self._added:
            added = np.array(self._added, np.int64)
            self._asked.append(added)
            self._denied, self._added = np.union1d(self._denied, added), []
        codes = np.minimum(one, other) << _BITS | np.maximum(one, other)
        codes = codes << 2 | question
        known: NDArray[np.bool_] = np.isin(codes, self._denied)
        self._asked.append(codes[known])
        return known

    def deny(self, one: int, other: int, question: Question) -> None:
        """Note that the answer is no. It must follow from the two texts alone."""
        self._added.append((min(one, other) << _BITS | max(one, other)) << 2 | question)

    def contents(self) -> Contents:
        """Return what is known of the texts that were read and of the pairs that were asked about."""
        texts = np.unique(np.concatenate([np.zeros(0, np.int64), *self._used]))
        kept = np.union1d(texts, self.sentences(texts)[0])
        places = np.full(len(self._numbers), -1, np.int64)
        places[kept] = np.arange(len(kept))
        words, word_counts = self.words(kept)
        vocabulary, words = np.unique(words, return_inverse=True)
        parts, part_counts = self.sentences(kept)
        pairs = np.unique(np.concatenate([np.array(self._added, np.int64), *self._asked]))
        one, other = places[pairs >> _BITS + 2], places[pairs >> 2 & _LOW]
        pairs = (one << _BITS | other) << 2 | pairs & 3
        return Contents(
            keys=np.frombuffer(b"".join(self._numbers), np.int64).reshape(-1, 2)[kept].ravel(),
            words=words.astype(np.int64),
            word_counts=word_counts,
            sentences=places[parts],
            sentence_counts=part_counts,
            vocabulary=np.array(list(self._vocabulary), np.int64)[vocabulary],
            pairs=pairs[(one >= 0) & (other >= 0)],
        )

    def _number(self, kind: bytes, text: str) -> int:
        key = hashlib.blake2b(_bytes(text), digest_size=_KEY_BYTES, person=kind).digest()
        number = self._numbers.get(key)
        if number is None:
            parts = [self._number(_SENTENCE, part) for part in sentences_of(text)] if kind == _TEXT else []
            number = self._numbers[key] = len(self._numbers)
            self._words.append([self._word_number(word) for word in sorted(words_of(text).words)])
            self._sentences.append(parts)
        return number

    def _word_number(self, word: str) -> int:
        number = self._word_numbers.get(word)
        if number is None:
            digest = hashlib.blake2b(_bytes(word), digest_size=_WORD_BYTES, person=_WORD).digest()
            hashed = int.from_bytes(digest, "little", signed=True)
            number = self._word_numbers[word] = self._vocabulary.setdefault(hashed, len(self._vocabulary))
        return number


def sentences_of(text: str) -> Sequence[str]:
    """Return the sentences of a text, or the whole one if it has more than are judged on their own."""
    found = sentences(text)
    return found if len(found) <= MOST_SENTENCES else (text,)


class _Rows:
    """Rows of numbers, which can be appended, and selected by their places."""

    def __init__(self, values: Numbers, lengths: Numbers) -> None:
        self._values, self._ends = array("q", values.tobytes()), array("q", np.cumsum(lengths).tobytes())

    def append(self, row: Sequence[int]) -> None:
        self._values.extend(row)
        self._ends.append(len(self._values))

    def row(self, place: int) -> Sequence[int]:
        return self._values[self._ends[place - 1] if place else 0 : self._ends[place]]

    def chosen(self, places: Numbers) -> tuple[Numbers, Numbers]:
        """Return the values of the rows at these places, one row after the other, and the length of each row."""
        values, ends = np.array(self._values, np.int64), np.array(self._ends, np.int64)
        lengths = np.diff(ends, prepend=0)
        starts, chosen = (ends - lengths)[places], lengths[places]
        within = np.arange(chosen.sum()) - np.repeat(np.cumsum(chosen) - chosen, chosen)
        return values[np.repeat(starts, chosen) + within], chosen


def _check(contents: Contents) -> None:
    count = len(contents.word_counts)
    one, other = contents.pairs >> _BITS + 2, contents.pairs >> 2 & _LOW
    if not (
        len(contents.keys) * contents.keys.itemsize == count * _KEY_BYTES
        and len(contents.sentence_counts) == count
        and _are_lengths(contents.word_counts, contents.words)
        and _are_lengths(contents.sentence_counts, contents.sentences)
        and _are_below(len(contents.vocabulary), contents.words)
        and _are_below(count, contents.sentences, one, other)
    ):
        raise ValueError("the numbers do not fit")


def _are_lengths(lengths: Numbers, values: Numbers) -> bool:
    return _are_below(len(values) + 1, lengths) and int(lengths.sum()) == len(values)


def _are_below(limit: int, *given: Numbers) -> bool:
    return all(bool(np.all((values >= 0) & (values < limit))) for values in given)


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")
