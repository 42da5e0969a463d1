"""Aligns the terms of two propositions, and compares the places of the pairs."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from muninn_core.model.value import Value
from muninn_core.reconcile.language.exclusion import ANTONYMS, OPPOSED
from muninn_core.reconcile.language.terms import Proposition, Term
from muninn_core.reconcile.language.thesaurus.table import are_antonyms, are_synonyms
from muninn_core.reconcile.language.vocabulary import WEAK

MAX_LEFT = 5
"""The number of words of weight that both of two texts may have and the other not."""


class Alignment(Value):
    """The terms of two propositions in pairs, those left over, the number of synonyms, and the opposites."""

    pairs: tuple[tuple[Term, Term], ...]
    left: tuple[Term, ...]
    right: tuple[Term, ...]
    synonyms: int
    opposites: tuple[tuple[Term, Term], ...]


def align(left: Sequence[Term], right: Sequence[Term]) -> Alignment:
    """Pair the terms of two texts: equal ones first, then synonyms, then opposites."""
    pairs, left_terms, right_terms = _equal_pairs(left, right)
    synonyms = opposites = _NO_PAIRS
    if left_terms and right_terms and min(len(left_terms), len(right_terms)) <= 2 * MAX_LEFT:
        synonyms, left_terms, right_terms = _matched(left_terms, right_terms, _are_alike)
        opposites, left_terms, right_terms = _matched(left_terms, right_terms, _are_opposites)
    return Alignment(
        pairs=(*pairs, *synonyms),
        left=tuple(left_terms),
        right=tuple(right_terms),
        synonyms=len(synonyms),
        opposites=tuple(opposites),
    )


_Pairs = list[tuple[Term, Term]]
_NO_PAIRS: _Pairs = []


def _equal_pairs(left: Sequence[Term], right: Sequence[Term]) -> tuple[_Pairs, list[Term], list[Term]]:
    """Pair the terms of one key, those of the same role and time first; return the rest of both sides, too."""
    waiting: dict[str, list[Term]] = {}
    for term in right:
        waiting.setdefault(term.key, []).append(term)
    pairs: _Pairs = []
    left_terms: list[Term] = []
    later: list[Term] = []
    for exact in (True, False):
        for term in left if exact else later:
            partners = waiting.get(term.key)
            if not partners:
                left_terms.append(term)
                continue
            found = min(partners, key=lambda each: (each.role != term.role, each.time != term.time))
            if exact and len(partners) > 1 and (found.role, found.time) != (term.role, term.time):
                later.append(term)
                continue
            partners.remove(found)
            pairs.append((term, found))
    left_over = {id(term) for terms in waiting.values() for term in terms}
    right_terms = [term for term in right if id(term) in left_over]
    return pairs, left_terms, right_terms


def _matched(
    left: Sequence[Term], right: Sequence[Term], fits: Callable[[Term, Term], bool]
) -> tuple[_Pairs, list[Term], list[Term]]:
    pairs: _Pairs = []
    left_terms: list[Term] = []
    right_terms = list(right)
    for term in left:
        partner = next((each for each in right_terms if fits(term, each)), None)
        if partner is None:
            left_terms.append(term)
        else:
            right_terms.remove(partner)
            pairs.append((term, partner))
    return pairs, left_terms, right_terms


def _are_alike(one: Term, other: Term) -> bool:
    if one.quantity or other.quantity:
        return False
    return are_synonyms(one.key, other.key) or _does(one, other) or _does(other, one)


def _does(one: Term, other: Term) -> bool:
    """Whether a noun names who does what a verb tells: "is the linter for scripts", "lints scripts"."""
    return bool(one.deed) and other.role == "verb" and one.deed == other.key


def _are_opposites(one: Term, other: Term) -> bool:
    if one.quantity or other.quantity:
        return False
    return other.key in ANTONYMS.get(one.key, ()) or are_antonyms(one.key, other.key)


def is_far(left: Proposition, right: Proposition) -> bool:
    """Whether too many words of both texts differ for any rule."""
    common = len(left.weight & right.weight)
    return not common or min(len(left.weight), len(right.weight)) - common > MAX_LEFT


def heavy(terms: Sequence[Term], light: frozenset[str] = WEAK) -> list[Term]:
    """Return the terms of weight: those that are not in `light`."""
    return [term for term in terms if term.key not in light]


def roles_clash(found: Alignment, left: Proposition, right: Proposition) -> bool:
    """Whether the parts of two texts are exchanged: subject and object, source and target, early and late."""
    denied = {(a.denied, b.denied) for a, b in found.pairs if a.key not in WEAK}
    if {(True, False), (False, True)} <= denied or any((a.role == "why") != (b.role == "why") for a, b in found.pairs):
        return True
    roles = [(a, _role(a, left), b, _role(b, right)) for a, b in found.pairs]
    for a, mine, b, their in roles:
        if {a.time, b.time} == {"early", "late"}:
            return True
        if "else" in (mine, their) and mine != their:
            return True
        is_opposed = any({mine, their} == set(pair) for pair in OPPOSED)
        if is_opposed and not (_is_counted(a, left) and _is_counted(b, right)):
            return True
    naming = _names_thing(left) and _names_thing(right)
    for first in roles:
        for second in roles:
            exchanged = first[1] == second[3] != first[3] == second[1] and first[0].key != second[0].key
            if exchanged and "verb" not in (first[1], first[3]) and not (naming and {first[1], first[3]} == _ACTING):
                return True
    return _order_differs(found, left, right)


def _is_counted(term: Term, text: Proposition) -> bool:
    """Whether a figure is beside a word, so that the figure says which it is: "from 3 nodes to 12"."""
    return not term.quantity and any(each.quantity and each.chunk == term.chunk for each in text.terms)


_ACTING = frozenset(("agent", "theme"))


def limits_differ(found: Alignment, kinds: Sequence[set[str]] = ()) -> bool:
    """Whether one text tells what happens until a time, and the other what happens after it.

    `kinds` are further pairs of limits of an amount that differ.
    """
    sides = [({a.limit or a.role, b.limit or b.role}, a.quantity) for a, b in found.pairs]
    return any(side in _SIDES or (amount and side in kinds) for side, amount in sides)


_SIDES = ({"until", "after"}, {"till", "after"})


def times_differ(found: Alignment) -> bool:
    """Whether something happens during a time in one text, and before, until or after it in the other."""
    times = [{a.limit or a.role, b.limit or b.role} for a, b in found.pairs]
    return any(each in _TIMES for each in times)


_TIMES = (
    *({during, beside} for during in ("while", "when") for beside in ("before", "until", "till")),
    {"while", "after"},  # but "when it fails" is "after it fails"
)


def verbs_exchanged(found: Alignment, left: Proposition, right: Proposition) -> bool:
    """Whether the verb of each text is a noun of the other: "is racing for the lead", "is leading the race"."""
    left_verb, right_verb = _main_verb(left), _main_verb(right)
    if left_verb is None or right_verb is None:
        return False
    nouns = [b for a, b in found.pairs if a is left_verb] + [a for a, b in found.pairs if b is right_verb]
    if len(nouns) == 2 and all(noun.role == "obj" for noun in nouns):
        return True  # "deploy the chart", "chart the deploys"
    verbal = _is_verbal(left_verb), _is_verbal(right_verb)
    if not (any(verbal) if left.continuous or right.continuous else all(verbal)):
        return False
    return len(nouns) == 2 and not any(_is_verbal(noun) for noun in nouns)


def particles_clash(left: Proposition, right: Proposition) -> bool:
    """Whether the prepositions without an object exclude each other: "runs inside", "runs outside"."""
    return any({one, other} == set(pair) for one in left.particles for other in right.particles for pair in OPPOSED)


def _main_verb(text: Proposition) -> Term | None:
    return next((term for term in text.terms if term.role in ("verb", "pred")), None)


def _is_verbal(term: Term) -> bool:
    return term.shown.endswith(("ing", "ed"))


def _names_thing(text: Proposition) -> bool:
    """Whether a text says what something is or is called: its two sides may change places.

    "The worker is polling the queue" does not.
    """
    said = next((term for term in text.terms if term.role == "pred"), None)
    if text.extents or text.continuous or (said is not None and not said.head and said.shown.endswith("ing")):
        return False
    return text.verb in ("", "call", "nam") and any(term.role in ("pred", "obj") for term in text.terms)


def _role(term: Term, text: Proposition) -> str:
    """Return the role of a term, with the subject as agent or theme."""
    if term.role == "subj":
        return "theme" if text.passive else "agent"
    if term.role == "by":
        return "agent"
    if term.role in ("obj", "pred"):
        return "theme"
    return term.role


def _order_differs(found: Alignment, left: Proposition, right: Proposition) -> bool:
    """Whether two active statements have their subject and object in another order."""
    if left.passive or right.passive or left.imperative or right.imperative:
        return False
    core = [
        (left.terms.index(a), right.terms.index(b))
        for a, b in found.pairs
        if a.role in _CORE and b.role in _CORE and a.role != b.role and "verb" not in (a.role, b.role)
    ]
    kinds = {(left.terms[a].role, right.terms[b].role) for a, b in core}
    return ("subj", "obj") in kinds and ("obj", "subj") in kinds


_CORE = frozenset(("subj", "verb", "obj"))


def exchanged_parts(found: Alignment) -> bool:
    """Whether two parts of one text exchange a term in the other: "A for X and B for Y", "B for X and A for Y"."""
    left_parts, right_parts = _parts([a for a, _ in found.pairs]), _parts([b for _, b in found.pairs])
    if len(left_parts) < 2 or len(left_parts) != len(right_parts):
        return False
    first = [part for part in left_parts if part not in right_parts]
    second = [part for part in right_parts if part not in left_parts]
    return len(first) == len(second) == 2 and first[0] | first[1] == second[0] | second[1]


def _parts(terms: Sequence[Term]) -> list[frozenset[str]]:
    """Return the keys of each part, without those of a single key: they are items of a list."""
    parts: dict[int, set[str]] = {}
    for term in terms:
        if term.key not in WEAK:
            parts.setdefault(term.part, set()).add(term.key)
    return [frozenset(part) for _, part in sorted(parts.items()) if len(part) > 1]
