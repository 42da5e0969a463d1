"""A sentence as data: what it speaks of, whether it affirms, and where in it a claim is made.

English words and the identifiers of code; a text in another language is compared by its words as they stand.
Rules, no model: they are meant to miss a likeness rather than to invent one.
"""

from __future__ import annotations

import re
from functools import lru_cache

from muninn_core.model.value import Value
from muninn_core.reconcile.lexicon import (
    CLAIM_VERBS,
    CLAIMING,
    NEGATIONS,
    NUMERALS,
    OPPOSITES,
    ORDERING,
    PLACES,
    SAME,
    SCOPES,
    STOP,
    stem,
)

_TOKEN = re.compile(r"\w+(?:(?:[./:-]|::)\w+)+|\w+(?:['’]\w+)?")
_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")
_NAME = re.compile(r"[a-z][A-Z]|[_./:]|[A-Za-z]\d|\d[A-Za-z]")
_VERSIONED = re.compile(r"(\d+(?:[.,]\d+)*)([A-Za-z]{1,3})")


class Statement(Value):
    """What a text says.

    `words` are its content words in order, brought to a common form, opposites to their positive side; `shown` is how
    they stood. `names` are identifiers and `numbers` figures, both also among the words. `negations` counts words
    that deny. `order` are the words that give the order its meaning ("before", "over"). `subject` holds the words
    before the first verb that claims something, and `claims` tells for each word whether another one in its place
    would contradict it.
    """

    words: tuple[str, ...]
    shown: tuple[str, ...]
    names: tuple[str, ...]
    numbers: tuple[str, ...]
    negations: int
    order: tuple[str, ...]
    subject: frozenset[str]
    claims: tuple[bool, ...]
    content: frozenset[str]


class _Word(Value):
    base: str
    shown: str
    kind: str
    scoped: bool
    claimed: bool


@lru_cache(maxsize=50_000)
def analyse(text: str) -> Statement:
    """Take a text apart."""
    found: list[_Word] = []
    order: list[str] = []
    negations, claimed = 0, False
    before = ("", "")
    for token, initial in _tokens(text):
        plain = token.lower()
        kind = _kind(token, initial)
        base = _base(token, plain, kind)
        said = plain
        if kind == "word" and (plain in NEGATIONS or plain.endswith(("n't", "n’t"))):
            negations += 1
        elif kind == "word" and plain in STOP:
            order += [plain] if plain in ORDERING or (plain == "to" and "from" in before) else []
        else:
            if kind == "word" and base in OPPOSITES:
                negations += 1
                base = OPPOSITES[base]
            found.append(_Word(base=base, shown=token, kind=kind, scoped=_is_scope(before), claimed=claimed))
            said = base
        claimed = claimed or (kind == "word" and (plain in CLAIMING or base in CLAIM_VERBS))
        before = (before[1], said)
    return _statement(found, tuple(order), negations, claimed)


def _statement(found: list[_Word], order: tuple[str, ...], negations: int, claimed: bool) -> Statement:
    return Statement(
        words=tuple(word.base for word in found),
        shown=tuple(word.shown for word in found),
        names=tuple(word.base for word in found if word.kind == "name"),
        numbers=tuple(word.base for word in found if word.kind == "number"),
        negations=negations,
        order=order,
        subject=frozenset(word.base for word in found if claimed and not word.claimed and word.base not in CLAIM_VERBS),
        claims=tuple(
            # Without a verb only a figure can be claimed: "Timeout 30 s".
            (word.claimed and not word.scoped) or (word.kind == "number" and word.claimed == claimed)
            for word in found
        ),
        content=frozenset(word.base for word in found),
    )


def _base(token: str, plain: str, kind: str) -> str:
    if kind == "name":
        return token
    base = NUMERALS.get(plain) or stem(plain)
    return SAME.get(base, base) if kind == "word" else base


def _is_scope(before: tuple[str, str]) -> bool:
    """Whether the next word says where something holds rather than what: "for Python", but not "stored in Redis"."""
    return before[1] in SCOPES and not (before[1] in ("in", "on", "at") and before[0] in PLACES)


def _tokens(text: str) -> list[tuple[str, bool]]:
    """The tokens, and whether each begins a sentence; words joined by hyphens, a figure and its unit are parted."""
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


def _kind(token: str, initial: bool) -> str:
    if _NUMBER.fullmatch(token) or token.lower() in NUMERALS:
        return "number"
    # "module A": a single capital within a sentence is somebody's name, not the article.
    if _NAME.search(token) or (len(token) == 1 and token.isupper() and not initial and token != "I"):
        return "name"
    return "word"
