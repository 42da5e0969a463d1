"""Splits text into the words of the lexical index.

`getUserName`, `get_user_name` and "get user name" must match: an identifier gives its parts and itself without
separators. Words are lower-cased, stripped of accents and lightly stemmed. Documents and queries use the same function.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence
from functools import lru_cache
from itertools import chain, islice

Run = str | bytes
"""Letters, digits and underscores between other signs: bytes in a text of ASCII alone."""

MAX_WORD_LENGTH = 64
"""Longer runs are cut: they are data (hashes, base64), not names."""

_CACHE_SIZE = 60_000
"""The number of runs whose words are cached, some 12 MB in each process; Django has 55,000."""

_STEM_CACHE_SIZE = 20_000
_RUN = re.compile(r"\w+")
_ASCII_SEPARATORS = bytes(code if (chr(code).isalnum() and code < 128) or code == 95 else 32 for code in range(256))
"""Maps separators to blanks: three times as fast as `_RUN` for ASCII text."""

# HTTPServer -> HTTP Server, getName -> get Name, sha256 -> sha 256; an underscore is no part of a word.
_PART = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")
# Scripts written without blanks: Hiragana, Katakana, CJK ideographs, Hangul.
_UNSPACED = re.compile("[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\uf900-\ufaff]")
_VOWEL = re.compile(r"[aeiouy]")


def split_words(text: str) -> str:
    """Return the words of a text, separated by single blanks, in order, with repetitions."""
    runs = text.encode().translate(_ASCII_SEPARATORS).split() if text.isascii() else _RUN.findall(text)
    return " ".join(map(_EXPANSIONS.__getitem__, runs))


def words_of_each(texts: Iterable[str]) -> list[list[str]]:
    """Return the words of each text, as `split_words` gives them. Many texts take as many calls as one."""
    runs = _runs_of_each(texts)
    _EXPANSIONS.learn(chain.from_iterable(runs))
    expand = _EXPANSIONS.__getitem__
    return [" ".join(map(expand, each)).split() for each in runs]


def _runs_of_each(texts: Iterable[str]) -> list[Sequence[Run]]:
    """Return the runs of letters, digits and underscores of each text."""
    return [
        text.encode().translate(_ASCII_SEPARATORS).split() if text.isascii() else _RUN.findall(text) for text in texts
    ]


def ascii_runs(text: str) -> bytes:
    """Return a text of ASCII with a blank for each sign that is in no run: as many bytes as letters."""
    return text.encode().translate(_ASCII_SEPARATORS)


def words_of_run(run: Run) -> list[str]:
    """Return the words of one run."""
    return _EXPANSIONS[run].split()


def beginning_of(word: str) -> str:
    """Return what the texts in lower case begin with that have a word as stem: `fly` is the stem of `flies`."""
    return word.removesuffix("y") or word


def clear_caches() -> None:
    """Free the caches."""
    _EXPANSIONS.clear()
    stem.cache_clear()


def split_identifier(run: str) -> str:
    """Return the words of one run of letters, digits and underscores, separated by blanks."""
    return _EXPANSIONS[run]


@lru_cache(maxsize=_STEM_CACHE_SIZE)
def stem(word: str) -> str:
    """Strip common English endings from a lower-case word, so that caches, cached, caching and cache agree.

    It is deliberately coarser than Porter's stemmer: identifiers have few derivations, and a missing rule can't merge
    two names by mistake.
    """
    return stems((word,))[0]


def stems(words: Iterable[str]) -> list[str]:
    """Return the stem of each word, as `stem` gives it. They are not cached."""
    found = []
    for word in words:
        if len(word) < 4 or not word.isascii() or not word.isalpha():
            found.append(word)
            continue
        if word.endswith("ies") and len(word) > 4:
            found.append(word[:-3] + "y")
            continue
        if word.endswith("s") and not word.endswith(("ss", "us", "is")):
            word = word[:-2] if word.endswith(("xes", "zes", "ches", "shes", "sses")) else word[:-1]
        for ending, least in (("ing", 6), ("ed", 5)):
            if word.endswith(ending) and len(word) >= least and _VOWEL.search(word[: -len(ending)]):
                word = word[: -len(ending)]
                if word[-1] == word[-2] and word[-1] not in "lsz":
                    word = word[:-1]
                break
        found.append(word[:-1] if len(word) > 3 and word.endswith("e") else word)
    return found


def _expand(run: str) -> str:
    """Return the words of one run of letters, digits and underscores."""
    run = run[:MAX_WORD_LENGTH]
    if not run.isascii():
        return _expand_unicode(run)
    parts = _PART.findall(run)
    found = [*map(stem, map(str.lower, parts))]
    if len(found) > 1:
        found.insert(0, stem("".join(parts).lower()))
    return " ".join(found)


def _expand_unicode(run: str) -> str:
    plain = "".join(c for c in unicodedata.normalize("NFKD", run) if not unicodedata.combining(c))
    if plain.isascii():
        return _expand(plain)
    folded = unicodedata.normalize("NFC", plain).casefold()
    if not _UNSPACED.search(folded):
        return folded.strip("_")
    # These scripts have no blanks: index characters and pairs of them.
    pairs = [folded[i : i + 2] for i in range(len(folded) - 1)]
    return " ".join([*folded, *pairs])


class _ExpansionCache(dict[str | bytes, str]):
    """Expansions by run. Code repeats its names, so most look-ups hit."""

    def __missing__(self, run: str | bytes) -> str:
        if len(self) >= _CACHE_SIZE:
            self.clear()
        if isinstance(run, bytes) and len(run) <= MAX_WORD_LENGTH:  # as `_expand`, without a call
            parts = _PART.findall(run.decode())
            words = [*map(stem, map(str.lower, parts))]
            if len(words) > 1:
                words.insert(0, stem("".join(parts).lower()))
            found = " ".join(words)
        else:
            found = _expand(run if isinstance(run, str) else run.decode())
        if len(run) <= MAX_WORD_LENGTH:
            self[run] = found
        return found

    def learn(self, runs: Iterable[str | bytes]) -> None:
        """Add the unknown ones of many runs, without a call for each. Rare forms are left to `__missing__`."""
        unknown = {run for run in runs if run not in self}
        fresh = [run for run in unknown if isinstance(run, bytes) and len(run) <= MAX_WORD_LENGTH]
        if len(self) + len(fresh) >= _CACHE_SIZE:
            self.clear()
        words_of = [
            ["".join(parts), *parts] if len(parts) > 1 else parts
            for parts in [_PART.findall(run.decode()) for run in fresh]
        ]
        stemmed = iter(stems(map(str.lower, chain.from_iterable(words_of))))
        for run, words in zip(fresh, words_of, strict=True):
            self[run] = " ".join(islice(stemmed, len(words)))


_EXPANSIONS = _ExpansionCache()
