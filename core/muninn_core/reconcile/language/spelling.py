"""Gives two texts one spelling of what both name: an acronym and its words, a compound in one word and in two."""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

_ACRONYM = re.compile(r"(?<![\w./-])([A-Z][A-Z0-9]{2,5})s?(?![\w/-])")
_WORD = re.compile(r"[A-Za-z]+")
_SKIPPED = frozenset(("of", "and", "the", "in", "for", "to"))
_INITIALS = {"database": "db"}
"""Words that an acronym has more than one letter of."""
_MIN_COMPOUND = 6
"""In letters."""


class _Words(NamedTuple):
    """The acronyms of a text, its long words, and the compounds that its neighbouring words would make."""

    acronyms: frozenset[str]
    long: frozenset[str]
    compounds: frozenset[str]


def same_spelling(one: str, other: str) -> tuple[str, str]:
    """Return both texts with the acronyms and the compounds that the other text has: "the time series database" and
    "the TSDB", "a lower case name" and "a lowercase name".
    """
    one_words, other_words = words_in(one), words_in(other)
    return _adapted(one, one_words, other_words), _adapted(other, other_words, one_words)


@lru_cache(maxsize=20_000)
def words_in(text: str) -> _Words:
    """Return what the spelling of a text is compared by. Results are cached."""
    words = list(_WORD.finditer(text))
    return _Words(
        frozenset(_ACRONYM.findall(text)),
        frozenset(word[0].lower() for word in words if len(word[0]) >= _MIN_COMPOUND),
        frozenset(
            (first[0] + second[0]).lower()
            for first, second in pairwise(words)
            if text[first.end() : second.start()] in (" ", "-")
        ),
    )


def _adapted(text: str, words: _Words, others: _Words) -> str:
    for acronym in sorted(others.acronyms - words.acronyms):
        text = _with_acronym(text, acronym)
    for compound in sorted(words.compounds & others.long):
        text = _with_compound(text, compound)
    return text


def _with_acronym(text: str, acronym: str) -> str:
    """Return a text with the words that an acronym stands for replaced by it."""
    words = [found for found in _WORD.finditer(text) if found[0].lower() not in _SKIPPED]
    for first in range(len(words)):
        letters = ""
        for last in range(first, len(words)):
            word = words[last][0].lower()
            if last > first and not _are_adjacent(text[words[last - 1].end() : words[last].start()]):
                break
            letters += _INITIALS.get(word, word[0])
            if letters.upper() == acronym and last > first:
                return f"{text[: words[first].start()]}{acronym}{text[words[last].end() :]}"
            if not acronym.startswith(letters.upper()):
                break
    return text


def _are_adjacent(between: str) -> bool:
    """Whether only blanks, a hyphen or function words are between two words."""
    return between == "-" or (between.isspace() or set(between.lower().split()) <= _SKIPPED)


def _with_compound(text: str, compound: str) -> str:
    """Return a text with two words replaced by the one that they make."""
    for first, second in pairwise(list(_WORD.finditer(text))):
        if (first[0] + second[0]).lower() == compound:
            return f"{text[: first.start()]}{compound}{text[second.end() :]}"
    return text
