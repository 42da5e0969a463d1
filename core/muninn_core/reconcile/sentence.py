"""A sentence as data: subject words, negations, and the places where a value is claimed.

The rules cover English and identifiers of code; texts in other languages are compared word by word. They prefer to miss
a similarity over reporting a false one.
"""

from __future__ import annotations

import re
from functools import lru_cache

from muninn_core.model.value import Value
from muninn_core.reconcile.lexicon import (
    ALIKE,
    CLAIM_VERBS,
    CLAIMING,
    LEADING,
    NEGATIONS,
    NUMERALS,
    OPPOSITES,
    ORDERING,
    PERMITTING,
    PLACES,
    RUNTIMES,
    SAME,
    SCOPES,
    STOP,
    UNITS,
    stem,
)

_TOKEN = re.compile(r"\w+(?:(?:[./:-]|::)\w+)+|\w+(?:['’]\w+)?")
_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")
_NAME = re.compile(r"[a-z][A-Z]|[_./:]|[A-Za-z]\d|\d[A-Za-z]")
_NOMINAL = re.compile("(?:tion|ment|ness|ity|sion)s?$", re.I)
_ARTICLES = frozenset(("a", "an", "the", "our", "your", "their", "its", "each", "every", "all"))
_VERSIONED = re.compile(r"(\d+(?:[.,]\d+)*)([A-Za-z]{1,3})")


class Statement(Value):
    """The content of a text.

    `words` are its content words in order, in a common form, opposites replaced by their positive side; a figure and
    its unit are one word. `shown` are the words as written. `names` are identifiers and `numbers` figures, both also in
    `words`. `negations` counts negating words. `order` are the words that make the order significant ("before",
    "over"); `pivot` counts the words before the first of them. `permits`: it allows rather than states. For each word,
    `leads` has the preposition or form of "be" before it, `verbs` the verb that claims it ("" before the first),
    `claims` whether another word in its place would contradict it, and `values` whether it looks like a value: a
    figure, a name, a capitalized word.
    """

    words: tuple[str, ...]
    shown: tuple[str, ...]
    names: tuple[str, ...]
    numbers: tuple[str, ...]
    negations: int
    order: tuple[str, ...]
    pivot: int
    permits: bool
    leads: tuple[str, ...]
    verbs: tuple[str, ...]
    claims: tuple[bool, ...]
    values: tuple[bool, ...]
    content: frozenset[str]


class _Word(Value):
    base: str
    shown: str
    kind: str
    scoped: bool
    verb: str
    lead: str
    value: bool


@lru_cache(maxsize=50_000)
def analyse(text: str) -> Statement:
    """Return a text as a Statement. Results are cached."""
    reader = _Reader()
    for token, initial in _genitives(_quantities(_tokens(text))):
        reader.read_token(token, initial)
    return _statement(reader)


class _Reader:
    """Collects words from tokens, with the context of the previous ones."""

    def __init__(self) -> None:
        self.found: list[_Word] = []
        self.order: list[str] = []
        self.negations = 0
        self.pivot = 0
        self.permits = False
        self.verb = ""
        self._before = ("", "")
        self._lead = ""
        self._scoped = False

    def read_token(self, token: str, initial: bool) -> None:
        plain = ALIKE.get(token.lower(), token.lower())
        kind = _kind(token, initial)
        base = _base(token, plain, kind)
        said = plain
        if kind == "word" and (plain in NEGATIONS or plain.endswith(("n't", "n’t"))):
            self.negations += 1
        elif kind == "word" and plain in STOP:
            if plain in ORDERING or (plain == "to" and "from" in self._before):
                self.pivot = self.pivot if self.order else len(self.found)
                self.order.append(plain)
            self.permits = self.permits or plain in PERMITTING
            self._lead = plain if plain in LEADING else self._lead
        else:
            said = self._content(token, initial, kind, base)
        if kind == "word" and (plain in CLAIMING or base in CLAIM_VERBS):
            self.verb = base if base in CLAIM_VERBS else self.verb or plain
        if plain not in _ARTICLES or kind != "word":
            self._before = (self._before[1], said)
        self._scoped = self._scoped and kind != "number" and plain not in STOP and base not in CLAIM_VERBS

    def _content(self, token: str, initial: bool, kind: str, base: str) -> str:
        if kind == "word" and base in OPPOSITES:
            self.negations += 1
            base = OPPOSITES[base]
        verb = self.verb
        if kind == "number" and not verb and self.found and self.found[-1].base in RUNTIMES:
            verb = "is"
        self._scoped = self._scoped or _is_scope(self._before)
        word = _Word(
            base=base,
            shown=token,
            kind=kind,
            scoped=self._scoped,
            verb=verb,
            lead=self._lead,
            value=kind != "word" or (token[0].isupper() and not initial),
        )
        self.found.append(word)
        self._lead = ""
        return base


def _statement(reader: _Reader) -> Statement:
    found = reader.found
    return Statement(
        words=tuple(word.base for word in found),
        shown=tuple(word.shown for word in found),
        names=tuple(word.base for word in found if word.kind == "name"),
        numbers=tuple(word.base for word in found if word.kind == "number"),
        negations=reader.negations,
        order=tuple(reader.order),
        pivot=reader.pivot,
        permits=reader.permits,
        leads=tuple(word.lead for word in found),
        verbs=tuple(word.verb for word in found),
        claims=tuple(
            # Without a verb only a figure can be claimed: "Timeout 30 s".
            (bool(word.verb) and not word.scoped) or (word.kind == "number" and bool(word.verb) == bool(reader.verb))
            for word in found
        ),
        values=tuple(word.value for word in found),
        content=frozenset(word.base for word in found),
    )


def _base(token: str, plain: str, kind: str) -> str:
    if kind == "name":
        return token
    if kind == "number":
        return NUMERALS.get(plain) or _in_common_unit(plain)
    base = stem(plain)
    return SAME.get(base, base)


def _in_common_unit(quantity: str) -> str:
    """Return a figure in the common unit of its kind: "2 min" and "120 s" are both 120000 ms."""
    figure, _, unit = quantity.partition(" ")
    figure = NUMERALS.get(figure, figure)
    if unit not in UNITS or not figure.isdecimal():
        return f"{figure} {unit}".strip()
    factor, common = UNITS[unit]
    return f"{int(figure) * factor} {common}"


def _is_scope(before: tuple[str, str]) -> bool:
    """Whether the next word limits where a statement holds: "for Python", but not "stored in Redis"."""
    return before[1] in SCOPES and not (before[1] in ("in", "on", "at") and before[0] in PLACES)


def _tokens(text: str) -> list[tuple[str, bool]]:
    """Return the tokens, and whether each begins a sentence. Hyphenated words, and figures and units, are split."""
    result: list[tuple[str, bool]] = []
    end = 0
    for match in _TOKEN.finditer(text):
        gap = text[end : match.start()]
        initial = not result or "\n" in gap or any(mark in gap for mark in ".!?:")
        end = match.end()
        token = match.group().removesuffix("'s").removesuffix("’s")
        versioned = _VERSIONED.fullmatch(token)
        if versioned:
            pieces = list(versioned.groups())
        elif "-" in token and not re.search(r"[_./:\d]", token):
            pieces = token.split("-")
        else:
            pieces = [token]
        result.extend((piece, initial and index == 0) for index, piece in enumerate(pieces))
    return result


def _quantities(tokens: list[tuple[str, bool]]) -> list[tuple[str, bool]]:
    """Join figures and their units: "30", "seconds" becomes "30 seconds"."""
    result: list[tuple[str, bool]] = []
    for token, initial in tokens:
        before = result[-1][0].lower() if result else ""
        if token.lower() in UNITS and not initial and (_NUMBER.fullmatch(before) or before in NUMERALS):
            result[-1] = (f"{result[-1][0]} {token}", result[-1][1])
        else:
            result.append((token, initial))
    return result


def _genitives(tokens: list[tuple[str, bool]]) -> list[tuple[str, bool]]:
    """Reorder "the state of the cart" as "the cart's state"."""
    result: list[tuple[str, bool]] = []
    at = 0
    while at < len(tokens):
        word = tokens[at][0].lower()
        owned = len(result)
        while owned and _is_noun(result[owned - 1]):
            owned -= 1
        if (word == "of" or (word == "from" and result and _NOMINAL.search(result[-1][0]))) and owned < len(result):
            start = at + 1
            while start < len(tokens) and tokens[start][0].lower() in _ARTICLES:
                start += 1
            stop = start
            while stop < len(tokens) and _is_noun(tokens[stop]):
                stop += 1
            if stop > start:
                result[owned:owned] = tokens[start:stop]
                at = stop
                continue
        result.append(tokens[at])
        at += 1
    return result


def _is_noun(token: tuple[str, bool]) -> bool:
    plain = token[0].lower()
    return plain not in STOP and plain not in NEGATIONS and stem(plain) not in CLAIM_VERBS


def _kind(token: str, initial: bool) -> str:
    plain = token.lower()
    if _NUMBER.fullmatch(token) or plain in NUMERALS or " " in token:
        return "number"
    # "module A": a single capital within a sentence is a name, not the article.
    if _NAME.search(token) or (len(token) == 1 and token.isupper() and not initial and token != "I"):
        return "name"
    return "word"
