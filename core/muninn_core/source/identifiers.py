"""Splits text into the words that the lexical index knows.

`getUserName`, `get_user_name` and "get user name" must meet: an identifier gives its parts and, once more, itself
in one piece without separators. Words are lower-cased, stripped of accents and lightly stemmed. The same function
serves documents and queries; it knows neither languages nor files.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

MAX_WORD = 64
"""Characters of a word that are looked at: longer runs are data (hashes, base64), not names."""

_CACHE_SIZE = 60_000
"""Runs whose words are remembered, some 12 MB in each process; Django has 55,000."""

_STEMS = 20_000
_RUN = re.compile(r"\w+")
_SIGNS = bytes(code if (chr(code).isalnum() and code < 128) or code == 95 else 32 for code in range(256))
"""The same for text that is all ASCII, at a third of the cost: what is in no run becomes a blank."""

# HTTPServer -> HTTP Server, getName -> get Name, sha256 -> sha 256; an underscore is no part of a word.
_PART = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")
# Scripts written without blanks: Hiragana, Katakana, CJK ideographs, Hangul.
_UNSPACED = re.compile("[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\uf900-\ufaff]")
_VOWEL = re.compile(r"[aeiouy]")


def words(text: str) -> str:
    """Return the words of a text, separated by single blanks, in the order of the text (repetitions included)."""
    runs = text.encode().translate(_SIGNS).split() if text.isascii() else _RUN.findall(text)
    return " ".join(map(_KNOWN.__getitem__, runs))


def forget() -> None:
    """Give the memory of what was split so far back: only the next texts take longer."""
    _KNOWN.clear()
    stem.cache_clear()


def words_of(run: str) -> str:
    """Return the words of one run of letters, digits and underscores, separated by blanks."""
    return _KNOWN[run]


@lru_cache(maxsize=_STEMS)
def stem(word: str) -> str:
    """Strip the commonest English endings from a lower-case word, so that caches, cached, caching and cache agree.

    It is coarser than Porter's stemmer on purpose: identifiers hold few derivations, and a rule that is not there
    can't merge two names by mistake.
    """
    if len(word) < 4 or not word.isascii() or not word.isalpha():
        return word
    if word.endswith("ies") and len(word) > 4:
        return word[:-3] + "y"
    if word.endswith("s") and not word.endswith(("ss", "us", "is")):
        word = word[:-2] if word.endswith(("xes", "zes", "ches", "shes", "sses")) else word[:-1]
    for ending, least in (("ing", 6), ("ed", 5)):
        if word.endswith(ending) and len(word) >= least and _VOWEL.search(word[: -len(ending)]):
            word = word[: -len(ending)]
            if word[-1] == word[-2] and word[-1] not in "lsz":
                word = word[:-1]
            break
    return word[:-1] if len(word) > 3 and word.endswith("e") else word


def _expand(run: str) -> str:
    """Return the words of one run of letters, digits and underscores."""
    run = run[:MAX_WORD]
    if not run.isascii():
        return _expand_unicode(run)
    parts = _PART.findall(run)
    found = [stem(part.lower()) for part in parts]
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
    # No blanks separate words here: single characters and pairs stand in for them.
    pairs = [folded[i : i + 2] for i in range(len(folded) - 1)]
    return " ".join([*folded, *pairs])


class _Known(dict[str | bytes, str]):
    """Expansions seen so far. Code repeats its names, which is what makes splitting fast."""

    def __missing__(self, run: str | bytes) -> str:
        if len(self) >= _CACHE_SIZE:
            self.clear()
        found = _expand(run if isinstance(run, str) else run.decode())
        if len(run) <= MAX_WORD:
            self[run] = found
        return found


_KNOWN = _Known()
