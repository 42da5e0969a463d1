"""The words that the rules of comparing know, and the common form of a word. English."""

from __future__ import annotations

import re


def stem(word: str) -> str:
    """Take an English ending off: enough to make one form of use, uses, used and using."""
    if len(word) < 3 or not word.isascii():
        return word
    for ending, put in (("ies", "y"), ("ing", ""), ("ed", "")):
        rest = word.removesuffix(ending)
        if rest != word and len(rest) >= 2 and re.search("[aeiouy]", rest):
            return _tidy(rest + put)
    if word.endswith("s") and not word.endswith(("ss", "us", "is")):
        word = word[:-1]
    return _tidy(word)


def _tidy(stem: str) -> str:
    if len(stem) > 3 and stem[-1] == stem[-2] and stem[-1] not in "ls":
        stem = stem[:-1]
    return stem.removesuffix("e") if len(stem) > 2 else stem


def _words(words: str) -> frozenset[str]:
    return frozenset(words.split())


def _stems(words: str) -> frozenset[str]:
    return frozenset(map(stem, words.split()))


def _to_first(*groups: str) -> dict[str, str]:
    stems = ([stem(word) for word in group.split()] for group in groups)
    return {word: first for first, *others in stems for word in others}


ORDERING = _words("over than before after instead by rather against until unless above below under")
"""Words that give the order of the others its meaning."""

REVERSED = {"before": "after", "over": "under", "above": "below", "after": "before", "under": "over", "below": "above"}

STOP = ORDERING | _words(
    "a an the this that these those it its is are was were be been being do does did has have had will would shall "
    "should must can could may might need needs and or but so as of to in on at by with from for into onto there here "
    "i we you they our your their us them which who what when where while than then also just very always "
    "please all any each both via per about over after before if because"
)
NEGATIONS = _words("not no never cannot without neither nor nobody none off")
SCOPES = _words("for when if during in on at under within of")
CLAIMING = _words("is are was be must should has have")
PLACES = _stems("store live run deploy locate write define host place listen")
CLAIM_VERBS = _stems(
    "use set require prefer want store run live deploy call return depend support allow default equal become take "
    "contain expect write read listen locate host enable throw raise accept send inherit extend implement follow pick "
    "limit cap build format start retry expire"
)
_NAMED = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")
NUMERALS = {name: str(number) for number, name in enumerate(_NAMED)}
SAME = _to_first(
    "use rely employ utilise utilize leverage adopt",
    "store save keep kept persist hold held",
    "run execute ran",
    "start launch begin",
    "build built",
    "send emit sent",
    "write written wrote",
    "prefer favour favor choose chosen",
    "require demand mandatory",
    "remove delete drop",
    "repair fix",
    "allow permit",
    "synchronous sync",
    "database db",
    "configuration config settings",
    "authentication auth",
    "environment env",
    "directory dir folder",
    "repository repo",
    "function func",
    "parameter param",
    "argument arg",
    "documentation docs",
    "second s sec secs",
    "millisecond ms",
    "minute min mins",
    "hour h hr hrs",
    "kilobyte kb",
    "megabyte mb",
    "gigabyte gb",
)
"""Words that mean the first of their line."""

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
)
"""Words that deny the first of their line."""
