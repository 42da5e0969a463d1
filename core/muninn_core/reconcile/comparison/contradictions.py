"""The rules for contradictions: everything is aligned except one thing that excludes the other."""

from __future__ import annotations

from muninn_core.model.value import replace
from muninn_core.reconcile.comparison.alignment import Alignment, align, heavy, is_far, roles_clash, times_differ
from muninn_core.reconcile.comparison.denial import find_denial
from muninn_core.reconcile.comparison.finding import NO_RELATION, Finding, contradicting
from muninn_core.reconcile.comparison.order import find_order
from muninn_core.reconcile.comparison.values import find_figure, find_value
from muninn_core.reconcile.language.terms import Proposition
from muninn_core.reconcile.language.vocabulary import MANY

_AMOUNTS = MANY | {"few"}


def contradiction(left: Proposition, right: Proposition) -> Finding:
    """Return why two propositions contradict each other, or that they do not."""
    if left.maybe or right.maybe or is_far(left, right):
        return NO_RELATION
    found = align(left.stated, right.stated)
    left, right = _without_common_denials(left, right, found)
    if (left.extents | right.extents) & _AMOUNTS:
        amount = _find_amount(left, right, found) or _find_amount(right, left, _mirrored(found))
        if amount is not None:
            return amount
    if not (left.verb or right.verb) and found.pairs and found.left and found.right:
        left, right, found = _with_same_sides(left, right, found)
    if _is_partial(left, right) or times_differ(found) or not heavy([pair[0] for pair in found.pairs]):
        return NO_RELATION
    if left.passing or right.passing:
        # What a worker does now excludes nothing that another one does, except that none does it.
        return NO_RELATION if found.opposites else find_denial(left, right, found) or NO_RELATION
    for rule in (find_denial, find_order, find_figure, find_value, _find_scope):
        contradiction = rule(left, right, found)
        if contradiction is not None:
            return contradiction
    return NO_RELATION


def _with_same_sides(
    left: Proposition, right: Proposition, found: Alignment
) -> tuple[Proposition, Proposition, Alignment]:
    """Return two texts that tell what something is with the value on one side: "Kafka is the broker" as "the broker is
    Kafka".
    """
    turns = _identifies_subject(left, right, found), _identifies_subject(right, left, _mirrored(found))
    if _identify_same(found):
        turns = True, True
    if not any(turns):
        return left, right, found
    left, right = _with_sides_exchanged(left) if turns[0] else left, _with_sides_exchanged(right) if turns[1] else right
    return left, right, align(left.stated, right.stated)


def _mirrored(found: Alignment) -> Alignment:
    """Return an alignment from the other side."""
    return replace(
        found,
        pairs=tuple((b, a) for a, b in found.pairs),
        left=found.right,
        right=found.left,
        opposites=tuple((b, a) for a, b in found.opposites),
    )


def _find_amount(one: Proposition, other: Proposition, found: Alignment) -> Finding | None:
    """One text says of one what the other says of several, or of few what the other says of all."""
    if one.negations or other.negations or found.opposites or one.event or other.event:
        return None
    if roles_clash(found, one, other):
        return None
    one_rest, other_rest = heavy(found.left), heavy(found.right)
    figure = next((term for term in found.left if term.key == "1"), None)
    if figure is not None and other.extents & MANY and not one.extents:
        restricted = one.only or any(term.key == "exactly" for term in one.terms)
        if restricted and not other_rest and all(term is figure or term.key == "exactly" for term in one_rest):
            return contradicting("one says of one what the other says of several")
    if one.extents == {"few"} and other.extents in ({"most"}, {"many"}) and not (one_rest or other_rest):
        return contradicting("one says of few what the other says of most")
    of_all = any(b.universal and a.role == b.role == "subj" for a, b in found.pairs)
    if "few" in one.extents and of_all and not (other.part or one_rest or other_rest):
        return contradicting("one says of few what the other says of all")
    return None


def _identifies_subject(one: Proposition, other: Proposition, found: Alignment) -> bool:
    """Whether the first text tells of its subject that it is what the subject of the second is: "Kafka is the broker",
    "the broker is NATS".
    """
    if one.continuous or other.continuous:
        return False
    sides = (
        all(a.role == "pred" and b.role == "subj" and not a.single for a, b in found.pairs),
        all(term.role == "subj" for term in found.left),
        all(term.role == "pred" for term in found.right),
    )
    return all(sides) and len({term.role for term in one.terms}) == len({term.role for term in other.terms}) == 2


def _identify_same(found: Alignment) -> bool:
    """Whether two texts tell of two things that they are the same one: "SQLite is the default", "Redis is the
    default".
    """
    named = all(a.role == b.role == "pred" and a.definite and b.definite for a, b in found.pairs)
    return named and all(term.role == "subj" for term in (*found.left, *found.right))


def _with_sides_exchanged(text: Proposition) -> Proposition:
    """Return "Kafka is the broker" as "the broker is Kafka"."""
    sides = {"subj": "pred", "pred": "subj"}
    terms = tuple(
        replace(term, role=sides[term.role], name=term.name or (term.role == "subj" and term.shown[:1].isupper()))
        for term in text.terms
    )
    return replace(text, terms=terms, stated=terms)


def _without_common_denials(left: Proposition, right: Proposition, found: Alignment) -> tuple[Proposition, Proposition]:
    """Return both texts without counting the denials that a word has in both: "is rejected", "is not rejected"."""
    both = sum(a.flipped and b.flipped for a, b in found.pairs)
    if not both:
        return left, right
    return replace(left, negations=left.negations - both), replace(right, negations=right.negations - both)


def _is_partial(left: Proposition, right: Proposition) -> bool:
    """Whether a text is about less than all, and the other does not deny it of all: "some jobs ...", "no job ..."."""
    if not (left.part or right.part):
        return False
    denying, stating = (left, right) if left.negations else (right, left)
    if stating.negations or denying.negations != 1:
        return True
    if denying.some and any(term.universal and term.role == "subj" for term in stating.terms):
        return False  # "some jobs do not", "every job does"
    if denying.continuous and stating.continuous:
        # "Is not reading some rows" is "is reading no rows", and "some workers" are the same ones in both.
        others = any(text.some and not text.passive for text in (denying, stating))
        return not denying.none and others and denying.extents != stating.extents
    return not denying.none and (denying.part or stating.some)


def _find_scope(left: Proposition, right: Proposition, found: Alignment) -> Finding | None:
    """One restricts to some what the other states of all."""
    if left.only == right.only or left.negations % 2 != right.negations % 2 or found.opposites:
        return None
    open_side = right if left.only else left
    left_rest, right_rest = heavy(found.left), heavy(found.right)
    everywhere = any(term.universal for term in (found.right if left.only else found.left))
    if len(left_rest) > 2 or len(right_rest) > 2 or len(found.pairs) < (1 if everywhere else 2):
        return None
    roles = {term.role for term in (*left_rest, *right_rest)}
    if len(roles) == 1 and any(term.universal for term in open_side.terms):
        return contradicting("one says only what the other says of all")
    return None
