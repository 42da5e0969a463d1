"""What the reading of a text returns: its terms, each with its role, and what limits or denies them."""

from __future__ import annotations

from muninn_core.model.value import Value


class Term(Value):
    """A content word or quantity. `key` is its common form, `role` its place in the sentence.

    Roles are subj, verb, obj, pred (behind a form of "be"), a preposition, a conjunction ("if"), else (an alternative
    that is turned down) and why (a reason). `chunk` numbers the phrases of a text; `head` marks the last word of one.
    `group` numbers the nouns of a phrase with what stands before each: "the state | of the cart". `owner` tells
    whether it is before "'s". `limit` tells whether something holds "until" or "after" an amount of time, or "while"
    something lasts, `flipped`
    whether an opposite was read as a denial of this word.
    `deed` is the verb of a noun for who does it, where a text says what something is: "is the linter".
    `name` tells whether it looks like a proper name or identifier, `single` whether it is behind "a",
    `definite` whether behind "the" or "our". `time` is "early"
    or "late" where the text orders two events. `part` numbers clauses and what conjunctions join, `denied` tells
    whether that part has a denial.
    """

    key: str
    shown: str
    role: str
    chunk: int
    head: bool = False
    name: bool = False
    quantity: bool = False
    universal: bool = False
    single: bool = False
    definite: bool = False
    group: int = 0
    owner: bool = False
    time: str = ""
    denied: bool = False
    part: int = 0
    limit: str = ""
    flipped: bool = False
    deed: str = ""


class Proposition(Value):
    """What a text states. `negations` counts denials; `part`, `only`, `maybe` and `may` tell whether it is about less
    than all, restricts, plans or permits; `some` whether its subject is less than all. `bound` is max, min or "".
    `verb` is the key of the first verb. `passive` tells whether the subject is acted on, `event` whether it reports
    something that happened at a time, `continuous` whether its verb is in the continuous tense, `passing` whether it
    tells what some subject is doing: "a worker is reading". `none` tells what is denied of all: "there" ("there is
    no"), "person" ("nobody"), "thing" ("nothing"), "subj" ("no test"); `extents` are the words for less than all
    ("some", "most"); `qualified` tells whether a denial is part of the subject: "requests without a token". `very`
    tells of a high degree. `stated` are the terms without those of a reason, `weight` the keys that matter.
    `particles` are prepositions without an object: "runs outside". `restricted` tells what "only" is before: subj, verb
    or "".
    """

    terms: tuple[Term, ...]
    negations: int
    part: bool
    only: bool
    maybe: bool
    may: bool
    bound: str
    verb: str
    passive: bool
    event: bool
    passing: bool
    continuous: bool
    none: frozenset[str]
    extents: frozenset[str]
    some: bool
    very: bool
    qualified: bool
    segments: int
    imperative: bool
    stated: tuple[Term, ...]
    weight: frozenset[str]
    particles: frozenset[str] = frozenset()
    restricted: str = ""
