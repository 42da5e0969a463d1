"""A parsed question: its words, its identifiers and its form, and how well other words match it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache
from itertools import filterfalse

from muninn_core.model.value import Value
from muninn_core.retrieval import weights as w
from muninn_core.source import stop_words
from muninn_core.source.identifiers import beginning_of, split_words

STOP_WORDS = frozenset(split_words(" ".join(stop_words.STOP_WORDS)).split())
"""Words that say little, as `split_words` returns them."""

_IDENTIFIER = re.compile(r"[^\W\d]\w*")
_NAME_ALONE = re.compile(r"[^\W\d]\w*(?:(?:\.|::|->|#|/)[^\W\d]\w*)*(?:\(\))?")
_CODE_LIKE = re.compile(r"[^_]_+[^_]|[a-z][A-Z]|^[A-Z][A-Z0-9_]{2,}$")
_TEST_WORDS = frozenset(split_words("test tests testing spec fixture mock").split())

_CHANGE = re.compile(
    r"""\s*+(?:[\w.,/()\[\]*-]+:\s)?\W*(?:
    add|allow|avoid|correct|deprecate|disable|do\s+not|don't|enable|ensure|fix|handle|ignore|implement|improve|increase
    |introduce|make|move|optimi[sz]e|prevent|reduce|refactor|remove|rename|replace|restore|revert|simplify|skip|support
    |switch|tweak|update|use|fixe[sd]|(?:add|chang|implement|improv|mov|refactor|remov|renam|replac|support|updat)ed
    |(?:add|chang|fix|implement|improv|mak|mov|refactor|remov|updat|us)ing)\b""",
    re.IGNORECASE | re.VERBOSE,
)
"""The beginning of a change's title, also after a scope (`parser: fix …`). Third-person verbs ("adds", "returns") are
excluded: comments use them to describe existing code."""

_MIN_ABBREVIATION = 3
"""The fewest letters of an abbreviation: `proc` matches `process`, `p` does not."""


class Query(Value):
    """A parsed question. `words` are distinct, in the order of the text, without stop words unless there are no others.

    `factors` has {word: how much it counts}; words of a long question's title count `TITLE` times as much as others.
    `identifiers` are the runs that look like code (`get_user`, `getUser`, `MAX_SIZE`), or else all except stop words.
    `sought` is true for a question that is a single name, `change` for one that requests a change ("fix the parser").
    `tests` is 0 for a question that does not mention tests, and 1 for one about tests.
    """

    text: str
    words: tuple[str, ...]
    factors: Mapping[str, float]
    identifiers: frozenset[str]
    sought: bool
    change: bool
    tests: float


@lru_cache(maxsize=64)
def parse_query(text: str, title: str = "") -> Query:
    """Return the words, identifiers and form of a question. `title` is that of a long question.

    It is kept, because several parts of an answer need it.
    """
    words = significant_words(text)
    runs = _IDENTIFIER.findall(text)
    names = frozenset(filter(_CODE_LIKE.search, runs))
    about_tests = sum(map(_TEST_WORDS.__contains__, words))
    return Query(
        text=text,
        words=words,
        factors=_factors(words, title),
        identifiers=names or frozenset([run for run in runs if split_words(run) not in STOP_WORDS]),
        sought=bool(_NAME_ALONE.fullmatch(text.strip())),
        change=bool(_CHANGE.match(text)),
        # "and add tests" at the end of a long sentence does not make it one about tests.
        tests=min(1.0, 2.5 * about_tests / len(words)) if words else 0.0,
    )


def _factors(words: Sequence[str], title: str) -> Mapping[str, float]:
    """Return {word: factor}; words of the title count `TITLE` times as much as the others."""
    first = frozenset(significant_words(title)) if title else ()
    return {word: w.TITLE if word in first else 1.0 for word in words}


def significant_words(text: str) -> tuple[str, ...]:
    """Return the distinct words of a text without stop words; all words of a text that has only stop words."""
    return significant(split_words(text).split())


def significant(words: Iterable[str]) -> tuple[str, ...]:
    """Return the distinct ones of some words without stop words; all of them if there are no others."""
    every = tuple(dict.fromkeys(words))
    return tuple(filterfalse(STOP_WORDS.__contains__, every)) or every


@lru_cache(maxsize=1_000)
def words_of_memory(text: str) -> tuple[str, ...]:
    """Return the significant words of a memory's text. Successive questions meet the same memories."""
    return significant_words(text)


Rarities = Callable[[Iterable[str]], dict[str, float]]
"""Returns {word: inverse document frequency} of some words."""

TermMatch = tuple[float, float, Mapping[str, float]]
"""The match of words with a question: the share of the question that they cover, weighted by rarity; the share of the
words that match; and {matched word of the question: degree}."""


class TermMatcher:
    """Matches words against those of one question.

    `rarities` returns {word: inverse document frequency}. `factors` has {word: how much it counts}; None counts all
    words equally.
    """

    def __init__(self, asked: Sequence[str], rarities: Rarities, factors: Mapping[str, float] | None = None) -> None:
        self._plain = rarities([*asked, ""])
        self.unknown_rarity = self._plain.pop("")
        """The rarity of a word that is not in the index. It grows with the index."""
        self._rarity = self._plain
        if factors:
            self._rarity = {word: value * factors[word] for word, value in self._plain.items()}
        self._whole = sum(self._rarity.values()) or 1.0
        self._matched: dict[str, tuple[float, str]] = {}
        self.rarities: Mapping[str, float] = self._plain
        """The rarity of each word of the question."""
        self._beginnings = frozenset([word[:_MIN_ABBREVIATION] for word in self._rarity])
        """The first letters of the question's words. A word with others does not match."""
        self._within = {beginning_of(each) if len(each) == _MIN_ABBREVIATION else each for each in self._beginnings}
        """What a name in lower case holds that has a word with such a beginning: `flies` has the word `fly`."""

    @property
    def known_share(self) -> float:
        """The share of the question, weighted by rarity, whose words are in the index."""
        known = [self._rarity[word] for word, each in self._plain.items() if each < self.unknown_rarity]
        return sum(known) / self._whole

    def may_match(self, name: str) -> bool:
        """Whether a word of a name may match. Most names are ruled out without being split into words."""
        return not name.isascii() or any(map(name.lower().__contains__, self._within))

    def match(self, parts: Sequence[str]) -> TermMatch | None:
        """Return the match of distinct words with the question; None when no word matches.

        Equal words match with degree 1, abbreviations with the ratio of the lengths of both words.
        """
        best: dict[str, float] = {}
        own, matched, beginnings, rarity = 0.0, self._matched, self._beginnings, self._rarity
        for part in parts:
            if part[:_MIN_ABBREVIATION] not in beginnings:
                continue
            degree, word = (1.0, part) if part in rarity else matched.get(part) or self._abbreviated(part)
            if degree:
                own += degree
                if word not in best or degree > best[word]:
                    best[word] = degree
        if not best:
            return None
        question = sum([degree * self._rarity[word] for word, degree in best.items()])
        return question / self._whole, own / len(parts), best

    def _abbreviated(self, part: str) -> tuple[float, str]:
        """Return the degree of a word that the question lacks, and the word that it matches."""
        found = (0.0, "")
        if len(part) >= _MIN_ABBREVIATION:
            for word in self._rarity:
                if len(word) >= _MIN_ABBREVIATION and (word.startswith(part) or part.startswith(word)):
                    degree = min(len(word), len(part)) / max(len(word), len(part))
                    found = max(found, (degree, word))
        self._matched[part] = found
        return found
