"""Judges how two texts relate: the same fact, a contradiction, or neither.

The terms of both are aligned: equal ones, synonyms, opposites. What stays without a partner decides. Two texts are the
same only when nothing of weight is left over and no sign speaks against it. They contradict each other when all is
aligned but one thing that excludes the other: a figure, a value, a denial, an order of events.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

from muninn_core.model.value import Value
from muninn_core.reconcile.comparison.alignment import (
    Alignment,
    align,
    exchanged_parts,
    heavy,
    is_far,
    limits_differ,
    particles_clash,
    roles_clash,
    times_differ,
    verbs_exchanged,
)
from muninn_core.reconcile.comparison.attachment import attached_otherwise
from muninn_core.reconcile.comparison.contradictions import contradiction
from muninn_core.reconcile.comparison.finding import NO_RELATION, Finding, Verdict
from muninn_core.reconcile.comparison.reports import informative_terms, is_doing, reports_differ, tells_event
from muninn_core.reconcile.comparison.words import words_of
from muninn_core.reconcile.language.proposition import read
from muninn_core.reconcile.language.sentences import sentences, split_reason
from muninn_core.reconcile.language.spelling import same_spelling, words_in
from muninn_core.reconcile.language.symbols import symbols_agree
from muninn_core.reconcile.language.terms import Proposition, Term
from muninn_core.reconcile.language.vocabulary import (
    BOUNDED_WEAK,
    NEGATED_WEAK,
    PARTNERS,
    WEAK,
)

MAX_SYNONYMS = 2
"""The maximum number of synonyms, beside equal words, of two texts that are the same."""


MOST_SENTENCES = 9
"""The most pairs of sentences of two texts that are compared on their own."""

MOST_CHARS = 10_000
"""Characters of a text up to which its meaning is compared: the time grows with the square of the length. A longer
text is the same as another one only if all of its words are equal.
"""

MIN_SENTENCE = 3
"""In terms: shorter sentences of a longer text are not compared on their own."""

_WORD = re.compile(r"\w+")

_UNLIKE = ({"after", "obj"}, {"until", "obj"})
"""Places of an amount that are not the same: "10 s before the expiry", "after 10 s"."""


class Relation(Value):
    """How two texts relate. `reason` says why they contradict each other, "" otherwise. `sides` are the two values that
    exclude each other, as written; empty for other contradictions. `value` tells whether the texts differ in these
    values and in nothing else, and state what holds one value at a time, so that the newer one may replace the older.
    """

    verdict: Verdict
    reason: str = ""
    sides: tuple[str, ...] = ()
    value: bool = False


APART = Relation(verdict="apart")
"""Two texts that neither state the same nor contradict each other."""
SAME = Relation(verdict="same")
"""Two texts that state the same."""


def relate(one: str, other: str) -> Relation:
    """Return how two texts relate. The verdict does not depend on their order; a reason names `one` first."""
    found = _relate(min(one, other), max(one, other))
    sides = found.sides if one <= other else found.sides[::-1]
    return Relation(verdict=found.verdict, reason=found.reason.format(*sides), sides=sides, value=found.value)


def state_same(one: str, other: str) -> bool:
    """Whether two texts state the same. The order of the two does not matter."""
    one, other = same_spelling(min(one, other), max(one, other))
    return _have_same_meaning(one, other) and symbols_agree(one, other)


@lru_cache(maxsize=50_000)
def _relate(one: str, other: str) -> Finding:
    one, other = same_spelling(one, other)
    if _have_same_meaning(one, other):
        return Finding(verdict="same") if symbols_agree(one, other) else NO_RELATION
    if _is_long(one, other):
        return NO_RELATION
    found = contradiction(read(one), read(other))
    if found.verdict == "apart":
        found = _in_sentences(one, other)
    return found


def _have_same_meaning(one: str, other: str) -> bool:
    return _have_equal_words(one, other) or (not _is_long(one, other) and _is_same(read(one), read(other)))


def _is_long(one: str, other: str) -> bool:
    return max(len(one), len(other)) > MOST_CHARS


def _in_sentences(one: str, other: str) -> Finding:
    """Compare the sentences of two texts, when one has several."""
    first, second = sentences(one), sentences(other)
    if len(first) == len(second) == 1 or len(first) * len(second) > MOST_SENTENCES:
        return NO_RELATION
    for left in first:
        for right in second:
            first_read, second_read = read(left), read(right)
            least = 2 if 1 in (len(first), len(second)) else MIN_SENTENCE
            if min(len(first_read.stated), len(second_read.stated)) < least:
                continue
            found = contradiction(first_read, second_read)
            if found.verdict != "apart":
                return Finding(verdict="contradiction", reason=found.reason, sides=found.sides)
    return NO_RELATION


def forget() -> None:
    """Empty the caches of read texts and judged pairs, after a comparison of many."""
    for cached in (_relate, read, sentences, split_reason, words_in, words_of):
        cached.cache_clear()


def _have_equal_words(one: str, other: str) -> bool:
    return _WORD.findall(one.casefold()) == _WORD.findall(other.casefold())


def _is_same(left: Proposition, right: Proposition) -> bool:
    if is_far(left, right) or _marks(left) != _marks(right):
        return False
    if left.negations != right.negations or left.bound != right.bound:
        return False
    if left.may != right.may and not left.negations and not left.bound:
        return False
    both = all(any(term.role == "why" for term in side.terms) for side in (left, right))
    alignment = align(left.terms if both else left.stated, right.terms if both else right.stated)
    turned = [(b, a) for a, b in alignment.pairs]
    weak = NEGATED_WEAK if left.negations else BOUNDED_WEAK if left.bound or _is_measure(left, right) else WEAK
    weak |= _HAVING if _has(left) or _has(right) else _NO_WORDS
    report = tells_event(left) or tells_event(right)
    left_rest = _without_partners(alignment.left, alignment.right, weak, right)
    right_rest = _without_partners(alignment.right, alignment.left, weak, left)
    if not report:
        left_rest, right_rest = (
            _without_articles(left_rest, left, alignment.pairs),
            _without_articles(right_rest, right, turned),
        )
    else:
        left_rest, right_rest = (
            informative_terms(left_rest, alignment.left, alignment.pairs, left),
            informative_terms(right_rest, alignment.right, turned, right),
        )
    if alignment.opposites or left_rest or right_rest or alignment.synonyms > MAX_SYNONYMS:
        return False
    if _is_made_of_another(alignment, left, right):
        return False
    if len(heavy([pair[0] for pair in alignment.pairs])) < 2:
        return False
    if left.passive == right.passive and {left.restricted, right.restricted} == {"subj", "verb"}:
        return False  # "only the leader can write", "the leader can only write"
    if limits_differ(alignment, _UNLIKE) or times_differ(alignment) or particles_clash(left, right):
        return False
    if verbs_exchanged(alignment, left, right) or _do_otherwise(alignment):
        return False
    if attached_otherwise(alignment.pairs, left, right):
        return False
    if report and reports_differ(alignment.pairs, left, right):
        return False
    return not (roles_clash(alignment, left, right) or exchanged_parts(alignment))


_HAVING = frozenset(("keep", "contain"))
_NO_WORDS: frozenset[str] = frozenset()


def _has(text: Proposition) -> bool:
    """Whether a text tells what something has: "has one replica" is "holds one replica"."""
    return not text.verb and any(term.role == "obj" for term in text.terms)


def _is_made_of_another(found: Alignment, left: Proposition, right: Proposition) -> bool:
    """Whether what one text uses is no material of the other: "uses a log", "a log is written"."""
    made = PARTNERS["us"]
    if left.verb in made and right.verb == "us":
        return any(b.role == "obj" and a.role in ("subj", "obj") for a, b in found.pairs)
    if right.verb in made and left.verb == "us":
        return any(a.role == "obj" and b.role in ("subj", "obj") for a, b in found.pairs)
    return False


def _is_measure(left: Proposition, right: Proposition) -> bool:
    """Whether a text tells how much something is, so that its verb has no weight: "is 64 kB", "holds 64 kB"."""
    return any(
        not text.verb and text.terms and text.terms[-1].quantity and text.terms[-1].role == "pred"
        for text in (left, right)
    )


def _do_otherwise(found: Alignment) -> bool:
    """Whether both texts tell what something is doing, and it is not the same: "is running", "is waiting"."""
    left_keys, right_keys = ({term.key for term in side if is_doing(term)} for side in (found.left, found.right))
    return bool(left_keys and right_keys)


def _marks(text: Proposition) -> tuple[bool | frozenset[str], ...]:
    return text.extents, text.only, text.maybe, text.very


def _without_articles(terms: list[Term], text: Proposition, pairs: Sequence[tuple[Term, Term]]) -> list[Term]:
    """Return terms without "one" where the other text has "a": "is pinned to one commit"."""
    single = {a.chunk for a, b in pairs if b.single}
    return [term for term in terms if not (term.key == "1" and term.chunk in single and not text.only)]


def _without_partners(
    terms: Sequence[Term], others: Sequence[Term], weak: frozenset[str], other: Proposition
) -> list[Term]:
    """Return the terms of weight, without the verbs that a weak verb of the other side stands for."""
    stand_ins = [PARTNERS[term.key] for term in others if term.key in PARTNERS]
    if not other.verb and any(term.role == "in" for term in other.terms):
        stand_ins += [PARTNERS["us"], PARTNERS["liv"]]  # "is written in Go", "is in Go"
    return [term for term in heavy(terms, weak) if not any(term.key in each for each in stand_ins)]
