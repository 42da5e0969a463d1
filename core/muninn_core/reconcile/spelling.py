"""Gives two texts one spelling of what both name: an acronym and its words, a compound in one word and in two."""

from __future__ import annotations

import re
from itertools import pairwise

_ACRONYM = re.compile(r"(?<![\w./-])([A-Z][A-Z0-9]{2,5})s?(?![\w/-])")
_WORD = re.compile(r"[A-Za-z]+")
_SKIPPED = frozenset(("of", "and", "the", "in", "for", "to"))
_INITIALS = {"database": "db"}
"""Words that an acronym has more than one letter of."""
_MIN_COMPOUND = 6
"""In letters."""


def same_spelling(one: str, other: str) -> tuple[str, str]:
    """Return both texts with the acronyms and the compounds that the other text has: "the time series database" and
    "the TSDB", "a lower case name" and "a lowercase name".
    """
    return _compounded(_shortened(one, other), other), _compounded(_shortened(other, one), one)


def _shortened(text: str, other: str) -> str:
    for acronym in dict.fromkeys(_ACRONYM.findall(other)):
        if acronym not in text:
            text = _with_acronym(text, acronym)
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


def _compounded(text: str, other: str) -> str:
    words = list(_WORD.finditer(text))
    compounds = {word.lower() for word in _WORD.findall(other) if len(word) >= _MIN_COMPOUND}
    for first, second in reversed(list(pairwise(words))):
        compound = (first[0] + second[0]).lower()
        if compound in compounds and text[first.end() : second.start()] in (" ", "-"):
            text = f"{text[: first.start()]}{compound}{text[second.end() :]}"
    return text
