"""Contradictions by denial: one text says the opposite of the other."""

from __future__ import annotations

from collections.abc import Sequence

from muninn_core.reconcile.comparison.alignment import Alignment, heavy, limits_differ, roles_clash
from muninn_core.reconcile.comparison.finding import MAX_VALUE_WORDS, Finding, contradicting
from muninn_core.reconcile.language.exclusion import CHANGES
from muninn_core.reconcile.language.terms import Proposition, Term
from muninn_core.reconcile.language.thesaurus.table import is_kind_of
from muninn_core.reconcile.language.vocabulary import DENIED_WEAK, LIGHT, MACHINES, PERSONS, WEAK, is_adverb

_COMPATIBLE = ({"for", "after"},)
"""Limits that a denial exchanges: "valid for 5 minutes", "not valid after 5 minutes"."""
_ANYTHING = frozenset(("someth", "anyth"))
"""Keys of words that a denial says of all."""


def find_denial(left: Proposition, right: Proposition, alignment: Alignment) -> Finding | None:
    """One says the opposite of the other: an odd number of denials and opposites, and nothing else differs."""
    if left.segments != right.segments or left.qualified != right.qualified or limits_differ(alignment, _COMPATIBLE):
        return None
    flips = left.negations + right.negations + len(alignment.opposites)
    if (
        (flips % 2 == 0 and not _denies_several(left, right, alignment))
        or len(alignment.opposites) > 1
        or left.only != right.only
    ):
        return None
    if any({a.key, b.key} <= CHANGES and a.role == b.role == "verb" for a, b in alignment.opposites):
        return None
    passing = left.continuous and right.continuous
    weak = DENIED_WEAK | {"1", "keep"} if alignment.opposites or passing else DENIED_WEAK
    if _denies_case(left, right, alignment, turned=False) or _denies_case(right, left, alignment, turned=True):
        return contradicting("one says never what the other says of a case")
    complements = {term.chunk for pair in alignment.opposites for term in pair if term.role == "pred"}
    left_rest, right_rest = (
        [term for term in heavy(side, weak) if term.chunk not in complements]
        for side in (alignment.left, alignment.right)
    )
    if not right.negations:
        left_rest, right_rest = _outside_denial(left, right, left_rest, right_rest, alignment.pairs)
    elif not left.negations:
        right_rest, left_rest = _outside_denial(
            right, left, right_rest, left_rest, [pair[::-1] for pair in alignment.pairs]
        )
    if (
        left_rest
        or right_rest
        or any(_is_modifier(term) for pair in alignment.opposites for term in pair if not _is_extreme(*pair))
    ):
        return None
    if left.bound != right.bound and ((left.bound and right.bound) or not _has_figure(left, right)):
        return None
    if roles_clash(alignment, left, right):
        return None
    return contradicting("one says the opposite of the other")


def _has_figure(left: Proposition, right: Proposition) -> bool:
    return any(term.quantity for text in (left, right) for term in text.terms)


def _denies_several(left: Proposition, right: Proposition, found: Alignment) -> bool:
    """Whether one text denies several statements, the other none: "is not signed, is not sent", "is signed, sent"."""
    denying, stating = (left, right) if left.negations else (right, left)
    return denying.negations > 1 and _denies_separately(denying) and not stating.negations and not found.opposites


def _denies_separately(text: Proposition) -> bool:
    """Whether each denial of a text is in a part of its own, so that none denies another."""
    return len({term.part for term in text.terms if term.denied}) == text.negations


def _outside_denial(
    denying: Proposition,
    stating: Proposition,
    denying_rest: list[Term],
    stating_rest: list[Term],
    pairs: Sequence[tuple[Term, Term]],
) -> tuple[list[Term], list[Term]]:
    """Return the terms left over of a denial and of a statement, without those that the denial covers.

    "Nobody reviews it" covers every person, "there is no job" every kind of job, "no cache" every small cache.
    """
    passing = denying.continuous and stating.continuous
    if "person" in denying.none:
        stating_rest = _without_persons(stating_rest, stating)
    if "thing" in denying.none:
        stating_rest = [term for term in stating_rest if term.role not in ("subj", "obj", "pred") or _is_person(term)]
    if passing or "there" in denying.none:
        kinds = [
            (one, other)
            for one in denying_rest
            for other in stating_rest
            if one.key in _ANYTHING
            or (
                is_kind_of(other.key, one.key)
                and ("there" in denying.none or not (_acts(one, denying) or _acts(other, stating)))
            )
        ]
        denying_rest = [term for term in denying_rest if all(term is not general for general, _ in kinds)]
        stating_rest = [term for term in stating_rest if all(term is not special for _, special in kinds)]
    singly = _denies_separately(denying)
    if singly and denying.negations > 1:
        about = {one.part for one, _ in pairs if one.key not in WEAK}
        denying_rest = [term for term in denying_rest if term.part in about or not term.denied]
    if denying_rest or not singly:
        return denying_rest, stating_rest
    stating_rest = [term for term in stating_rest if not is_adverb(term.shown.lower())]
    if passing:
        return denying_rest, [] if "there" in denying.none else _outside_event(stating_rest, stating, pairs)
    if len(stating_rest) > MAX_VALUE_WORDS:
        return denying_rest, stating_rest
    if "there" in denying.none or (denying.none and all(term.role != "subj" for term in stating_rest)):
        return denying_rest, []
    covered = {other.chunk for one, other in pairs if one.single and one.head and other.head and other.role != "subj"}
    return denying_rest, [term for term in stating_rest if term.chunk not in covered]


def _outside_event(terms: Sequence[Term], text: Proposition, pairs: Sequence[tuple[Term, Term]]) -> list[Term]:
    """Return the terms left over that make another event. Where and how it happens, and what else, does not.

    "The job is not reading rows" denies that it is reading old rows from a replica, and that it is reading rows while
    another job waits.
    """
    about = {other.part for _, other in pairs if other.key not in WEAK}
    subjects = [other for _, other in pairs if _acts(other, text)]
    return [
        term
        for term in terms
        if _acts(term, text)
        and term.part in about
        and not any(
            each.chunk == term.chunk and (each.group < term.group or is_kind_of(each.key, term.key))
            for each in subjects
        )
    ]


def _acts(term: Term, text: Proposition) -> bool:
    """Whether a term is part of who does something."""
    return term.role == ("by" if text.passive else "subj")


def _without_persons(terms: list[Term], text: Proposition) -> list[Term]:
    """Return terms without those that name or describe a person who acts: "a young man on a bike"."""
    persons = {term.chunk for term in terms if _is_person(term)}
    if any(term.role == "subj" for term in terms if term.chunk in persons):
        verb = next((term.chunk for term in text.terms if term.role in ("verb", "pred")), 0)
        persons |= {term.chunk for term in terms if term.chunk < verb}
    return [term for term in terms if term.chunk not in persons]


def _is_person(term: Term) -> bool:
    if term.role not in ("subj", "by"):
        return False
    kind = is_kind_of(term.key, "person") and term.key not in MACHINES
    return term.quantity or term.key in PERSONS or kind


def _denies_case(denying: Proposition, stating: Proposition, found: Alignment, turned: bool) -> bool:
    """Whether a text denies in general what the other states with a figure: "never cached", "cached for an hour"."""
    if denying.negations % 2 == 0 or stating.negations or found.opposites:
        return False
    denying_rest, stating_rest = (found.right, found.left) if turned else (found.left, found.right)
    light = LIGHT if denying.bound and stating.bound else WEAK
    stated = heavy(stating_rest, light)
    counted = {term.chunk for term in stated if term.quantity} if denying.bound else set()
    return (
        not heavy(denying_rest, light)
        and bool(stated)
        and all(_is_case(term) or term.chunk in counted for term in stated)
    )


def _is_case(term: Term) -> bool:
    """Whether a term is a figure or tells each time: "on every start"."""
    return term.quantity or (term.universal and term.role in ("on", "at", "in"))


def _is_modifier(term: Term) -> bool:
    """Whether a term belongs to the name of the subject: "the public bucket"."""
    if term.key == "own":
        return False
    return term.role == "subj" or (term.role == "obj" and not term.head)


def _is_extreme(one: Term, other: Term) -> bool:
    """Whether two opposites hold of one thing at most: "has the highest priority", "has the lowest priority"."""
    return one.key.endswith("est") and other.key.endswith("est") and one.role == other.role == "obj"
