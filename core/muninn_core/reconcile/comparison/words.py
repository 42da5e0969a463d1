"""The words by which memories are indexed and compared."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache, lru_cache
from typing import NamedTuple

from muninn_core.reconcile.language.phrases import rewrite
from muninn_core.reconcile.language.quantity import is_unit, number_of, split_units
from muninn_core.reconcile.language.sentences import without_reasons
from muninn_core.reconcile.language.vocabulary import STOP, WEAK, key_of

_WORD = re.compile(r"\w+(?:['’]\w+)?")
_DIGIT = re.compile(r"\d")


class Words(NamedTuple):
    """The words of a text in common form, without reasons, figures and words of no weight, and the first of
    them where a text begins with it.
    """

    words: frozenset[str]
    first: str


@lru_cache(maxsize=20_000)
def words_of(text: str) -> Words:
    """Return the words of a text."""
    tokens = _WORD.findall(without_reasons(text))
    if _DIGIT.search(text):
        tokens = [part for token in tokens for part in split_units(token)]
    keys = _keys(tokens)
    kept = frozenset(keys) - WEAK or frozenset(keys)
    opens = bool(keys) and keys[0] not in WEAK and keys[0] not in _restricting() and len(keys[0]) > 2
    return Words(kept, keys[0] if opens else "")


def _keys(tokens: Sequence[str]) -> list[str]:
    """Return the common forms of words, of two that are one word elsewhere as that one: "time-out" as "timeout".

    Units behind a figure are left out: a figure may have another one elsewhere.
    """
    keys: list[str] = []
    behind_figure = False
    for word, shown in rewrite(tokens):
        key, is_figure, counts = _read(word)
        if key and not (behind_figure and counts):
            keys.append(key)
        elif word.startswith("§") and word not in ("§max", "§min", "§not"):
            keys += filter(None, map(_key, shown.lower().split()))
        behind_figure = is_figure
    return keys


@lru_cache(maxsize=20_000)
def _read(word: str) -> tuple[str, bool, bool]:
    """Return the key of a word, "" for a mark, a figure or a word of no meaning; whether it is a figure, or a unit."""
    if word.startswith("§"):
        return _key("not") if word == "§not" else "", False, False
    is_figure = number_of(word) is not None
    return "" if is_figure and word != "one" else _key(word), is_figure, is_unit(word)


def _key(word: str) -> str:
    return "" if word in STOP or word.isdigit() else key_of(word)


@cache
def _restricting() -> frozenset[str]:
    """Return the keys of words that restrict a statement: a text that begins with one does not begin with its subject.

    The first call loads the thesaurus.
    """
    return frozenset(map(key_of, ("only", "nobody", "none", "no", "not", "never", "each", "every")))
