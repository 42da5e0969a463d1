"""Suggestions for misspelt words: "did you mean". The only module that compares words by their letters.

Likeness is the ratio of Ratcliff and Obershelp (difflib): twice the letters that match, divided by the letters of both
words. Upper and lower case count as equal. `difflib` is imported at the first comparison, because clients start often
and rarely need a suggestion.
"""

from __future__ import annotations

from collections.abc import Iterable

VOCABULARY = 0.5
"""Least likeness in a short, closed list: keys, verbs, options, definitions of one file. One of them was meant."""

NAMES = 0.6
"""Least likeness among the many names of a repository: files, documents, tags. By chance some resemble any word."""

OPEN = 0.75
"""Least likeness where an unknown word may be right as it is: a further field, a kind of another version."""


MAX_LETTERS = 100
"""A longer word is no misspelt name. Comparing takes the square of the length."""


def shorten(word: str) -> str:
    """Return a word as a message repeats it: cut after `MAX_LETTERS`."""
    return word if len(word) <= MAX_LETTERS else f"{word[:MAX_LETTERS]}…"


def nearest(word: str, known: Iterable[str], alike: float = VOCABULARY) -> str | None:
    """Return the known word that is most like `word`; None when none reaches the likeness `alike` (0 to 1)."""
    found = nearest_few(word, known, 1, alike)
    return found[0] if found else None


def did_you_mean(word: str, known: Iterable[str], otherwise: str) -> str:
    """Return the hint of a message about an unknown word: the known word that is nearest, else `otherwise`."""
    near = nearest(word, known)
    return f"Did you mean '{near}'?" if near else otherwise


def nearest_few(word: str, known: Iterable[str], most: int, alike: float = VOCABULARY) -> list[str]:
    """Return up to `most` known words with at least the likeness `alike` (0 to 1), the most alike first.

    A word of more than `MAX_LETTERS` has none.
    """
    if len(word) > MAX_LETTERS:
        return []
    import difflib

    folded: dict[str, str] = {}
    for name in known:
        folded.setdefault(name.casefold(), name)
    return [folded[name] for name in difflib.get_close_matches(word.casefold(), folded, n=most, cutoff=alike)]


def nearest_path(path: str, paths: Iterable[str]) -> str | None:
    """Return the path that was probably meant; None without one.

    It has the same file name, or one whose part before the first dot is alike: equal endings make no names alike.
    """
    known = sorted(paths)
    name = path.rpartition("/")[2]
    same = [each for each in known if each.rpartition("/")[2] == name]
    if not same:
        near = nearest(_stem(path), sorted({_stem(each) for each in known}), NAMES)
        same = [each for each in known if near is not None and _stem(each) == near]
    return nearest(path, same, 0.0)


def _stem(path: str) -> str:
    name = path.rpartition("/")[2].casefold()
    return name.partition(".")[0] or name


def likeness(word: str, other: str) -> float:
    """Return how much two words are alike: 0 for no common letter, 1 for the same word."""
    import difflib

    return difflib.SequenceMatcher(None, word.casefold(), other.casefold()).ratio()
