"""The stems of English words, and the opposites that are read as a denial."""

from __future__ import annotations

import re
from functools import lru_cache


@lru_cache(maxsize=20_000)
def stem(word: str) -> str:
    """Remove an English ending: use, uses, used and using get one form."""
    if len(word) < 3 or not word.isascii() or not word.isalpha():
        return word
    if word.endswith("string"):
        return word
    for ending, put in (("ies", "y"), ("ing", ""), ("ed", "")):
        rest = word.removesuffix(ending)
        if rest != word and len(rest) >= 2 and re.search("[aeiouy]", rest) and not word.endswith("eed"):
            return _tidy(rest + put)
    if word.endswith("s") and not word.endswith(("ss", "us", "is")):
        word = word[:-1]
    return _tidy(word)


def _tidy(stem: str) -> str:
    if len(stem) > 3 and stem[-1] == stem[-2] and stem[-1] not in "ls":
        stem = stem[:-1]
    return stem.removesuffix("e") if len(stem) > 2 else stem


def word_set(text: str) -> frozenset[str]:
    """Return the words of a text."""
    return frozenset(text.split())


def stem_set(text: str) -> frozenset[str]:
    """Return the stems of the words of a text."""
    return frozenset(map(stem, text.split()))


def _to_first(*groups: str) -> dict[str, str]:
    stems = ([stem(word) for word in group.split()] for group in groups)
    return {word: first for first, *others in stems for word in others}


OPPOSITES = _to_first(
    "enable disable",
    "allow disallow forbid forbidden deny prohibit",
    "include exclude",
    "use avoid",
    "require optional",
    "synchronous async asynchronous",
    "true false",
    "safe unsafe",
    "secure insecure",
    "immutable mutable",
    "public private",
    "accept reject",
    "succeed fail",
    "valid invalid",
    "stateful stateless",
    "follow ignore",
    "plural singular",
    "bounded unbounded",
    "parallel sequential serial",
    "online offline",
    "sorted unsorted",
    "signed unsigned",
    "encrypted unencrypted",
    "reversible irreversible",
    "manual automatic",
    "blocking nonblocking",
    "available unavailable",
    "supported unsupported",
)
"""Opposites of the first word of their line."""
