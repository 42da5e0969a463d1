"""The rules for contradictions: all is aligned but one thing that excludes the other."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from muninn_core.model.value import Value, replace
from muninn_core.reconcile.alignment import Alignment, align, exchanged_parts, heavy, is_far, limits_differ, roles_clash
from muninn_core.reconcile.quantity import unit_of
from muninn_core.reconcile.terms import Proposition, Term
from muninn_core.reconcile.thesaurus.table import is_kind_of
from muninn_core.reconcile.vocabulary import (
    ADDITIVE,
    ASYMMETRIC,
    CHANGES,
    DENIED_WEAK,
    EXCLUSIVE,
    LIGHT,
    MACHINES,
    MANY,
    PARTNERS,
    PERSONS,
    PRODUCTS,
    STANDING,
    TIMING,
    WEAK,
    is_adverb,
    is_unknown,
)

_COMPATIBLE = ({"for", "after"},)
"""Limits that a denial exchanges: "valid for 5 minutes", "not valid after 5 minutes"."""
_ANYTHING = frozenset(("someth", "anyth"))
"""Keys of words that a denial says of all."""

Verdict = Literal["same", "contradiction", "apart"]

MAX_VALUE_WORDS = 3
"""The maximum number of words of a value."""


class Found(Value):
    """A verdict on two texts in their order. `reason` has a place for each of `sides`, if there are any."""

    verdict: Verdict
    reason: str = ""
    sides: tuple[str, ...] = ()
    value: bool = False


NOTHING = Found(verdict="apart")


def contradiction(left: Proposition, right: Proposition) -> Found:
    """Return why two propositions contradict each other, or that they do not."""
    if left.maybe or right.maybe or is_far(left, right):
        return NOTHING
    found = align(left.stated, right.stated)
    left, right = _without_common_denials(left, right, found)
    if (left.extents | right.extents) & _AMOUNTS:
        amount = _other_amount(left, right, found) or _other_amount(right, left, _turned(found))
        if amount is not None:
            return amount
    if not (left.verb or right.verb) and found.pairs and found.left and found.right:
        left, right, found = _with_same_sides(left, right, found)
    if _is_partial(left, right) or not heavy([pair[0] for pair in found.pairs]):
        return NOTHING
    if left.passing or right.passing:
        # What a worker does now excludes nothing that another one does, except that none does it.
        return NOTHING if found.opposites else _denied(left, right, found) or NOTHING
    for rule in (_denied, _other_order, _other_figure, _other_value, _other_scope):
        contradiction = rule(left, right, found)
        if contradiction is not None:
            return contradiction
    return NOTHING


_AMOUNTS = MANY | {"few"}


def _with_same_sides(
    left: Proposition, right: Proposition, found: Alignment
) -> tuple[Proposition, Proposition, Alignment]:
    """Return two texts that tell what something is with the value on one side: "Kafka is the broker" as "the broker is
    Kafka".
    """
    turns = _names_turned(left, right, found), _names_turned(right, left, _turned(found))
    if _names_same(found):
        turns = True, True
    if not any(turns):
        return left, right, found
    left, right = _turned_sides(left) if turns[0] else left, _turned_sides(right) if turns[1] else right
    return left, right, align(left.stated, right.stated)


def _turned(found: Alignment) -> Alignment:
    """Return an alignment from the other side."""
    return replace(
        found,
        pairs=tuple((b, a) for a, b in found.pairs),
        left=found.right,
        right=found.left,
        opposites=tuple((b, a) for a, b in found.opposites),
    )


def _other_amount(one: Proposition, other: Proposition, found: Alignment) -> Found | None:
    """One text says of one what the other says of several, or of few what the other says of all."""
    if one.negations or other.negations or found.opposites or one.event or other.event:
        return None
    if roles_clash(found, one, other):
        return None
    ours, theirs = heavy(found.left), heavy(found.right)
    figure = next((term for term in found.left if term.key == "1"), None)
    if figure is not None and other.extents & MANY and not one.extents:
        restricted = one.only or any(term.key == "exactly" for term in one.terms)
        if restricted and not theirs and all(term is figure or term.key == "exactly" for term in ours):
            return _against("one says of one what the other says of several")
    if one.extents == {"few"} and other.extents in ({"most"}, {"many"}) and not (ours or theirs):
        return _against("one says of few what the other says of most")
    of_all = any(b.universal and a.role == b.role == "subj" for a, b in found.pairs)
    if "few" in one.extents and of_all and not (other.part or ours or theirs):
        return _against("one says of few what the other says of all")
    return None


def _names_turned(one: Proposition, other: Proposition, found: Alignment) -> bool:
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


def _names_same(found: Alignment) -> bool:
    """Whether two texts tell of two things that they are the same one: "SQLite is the default", "Redis is the
    default".
    """
    named = all(a.role == b.role == "pred" and a.definite and b.definite for a, b in found.pairs)
    return named and all(term.role == "subj" for term in (*found.left, *found.right))


def _turned_sides(text: Proposition) -> Proposition:
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


def _against(reason: str, *sides: str, value: bool = False) -> Found:
    return Found(verdict="contradiction", reason=reason, sides=sides, value=value)


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


def _denied(left: Proposition, right: Proposition, found: Alignment) -> Found | None:
    """One says the opposite of the other: an odd number of denials and opposites, and nothing else differs."""
    if left.segments != right.segments or left.qualified != right.qualified or limits_differ(found, _COMPATIBLE):
        return None
    flips = left.negations + right.negations + len(found.opposites)
    if (flips % 2 == 0 and not _denies_each(left, right, found)) or len(found.opposites) > 1 or left.only != right.only:
        return None
    if any({a.key, b.key} <= CHANGES and a.role == b.role == "verb" for a, b in found.opposites):
        return None
    passing = left.continuous and right.continuous
    weak = DENIED_WEAK | {"1", "keep"} if found.opposites or passing else DENIED_WEAK
    if _denies_case(left, right, found, turned=False) or _denies_case(right, left, found, turned=True):
        return _against("one says never what the other says of a case")
    complements = {term.chunk for pair in found.opposites for term in pair if term.role == "pred"}
    ours, theirs = (
        [term for term in heavy(side, weak) if term.chunk not in complements] for side in (found.left, found.right)
    )
    if not right.negations:
        ours, theirs = _beside_denial(left, right, ours, theirs, found.pairs)
    elif not left.negations:
        theirs, ours = _beside_denial(right, left, theirs, ours, [pair[::-1] for pair in found.pairs])
    if ours or theirs or any(_is_modifier(term) for pair in found.opposites for term in pair if not _is_extreme(*pair)):
        return None
    if left.bound != right.bound and ((left.bound and right.bound) or not _has_figure(left, right)):
        return None
    if roles_clash(found, left, right):
        return None
    return _against("one says the opposite of the other")


def _has_figure(left: Proposition, right: Proposition) -> bool:
    return any(term.quantity for text in (left, right) for term in text.terms)


def _denies_each(left: Proposition, right: Proposition, found: Alignment) -> bool:
    """Whether one text denies several statements, the other none: "is not signed, is not sent", "is signed, sent"."""
    denying, stating = (left, right) if left.negations else (right, left)
    return denying.negations > 1 and _denies_singly(denying) and not stating.negations and not found.opposites


def _denies_singly(text: Proposition) -> bool:
    """Whether each denial of a text is in a part of its own, so that none denies another."""
    return len({term.part for term in text.terms if term.denied}) == text.negations


def _beside_denial(
    denying: Proposition,
    stating: Proposition,
    ours: list[Term],
    theirs: list[Term],
    pairs: Sequence[tuple[Term, Term]],
) -> tuple[list[Term], list[Term]]:
    """Return the terms left over of a denial and of a statement, without those that the denial covers.

    "Nobody reviews it" covers every person, "there is no job" every kind of job, "no cache" every small cache.
    """
    passing = denying.continuous and stating.continuous
    if "person" in denying.none:
        theirs = _without_persons(theirs, stating)
    if "thing" in denying.none:
        theirs = [term for term in theirs if term.role not in ("subj", "obj", "pred") or _is_person(term)]
    if passing or "there" in denying.none:
        kinds = [
            (one, other)
            for one in ours
            for other in theirs
            if one.key in _ANYTHING
            or (
                is_kind_of(other.key, one.key)
                and ("there" in denying.none or not (_acts(one, denying) or _acts(other, stating)))
            )
        ]
        ours = [term for term in ours if all(term is not general for general, _ in kinds)]
        theirs = [term for term in theirs if all(term is not special for _, special in kinds)]
    singly = _denies_singly(denying)
    if singly and denying.negations > 1:
        about = {one.part for one, _ in pairs if one.key not in WEAK}
        ours = [term for term in ours if term.part in about or not term.denied]
    if ours or not singly:
        return ours, theirs
    theirs = [term for term in theirs if not is_adverb(term.shown.lower())]
    if passing:
        return ours, [] if "there" in denying.none else _beside_event(theirs, stating, pairs)
    if len(theirs) > MAX_VALUE_WORDS:
        return ours, theirs
    if "there" in denying.none or (denying.none and all(term.role != "subj" for term in theirs)):
        return ours, []
    covered = {other.chunk for one, other in pairs if one.single and one.head and other.head and other.role != "subj"}
    return ours, [term for term in theirs if term.chunk not in covered]


def _beside_event(terms: Sequence[Term], text: Proposition, pairs: Sequence[tuple[Term, Term]]) -> list[Term]:
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
    ours, theirs = (found.right, found.left) if turned else (found.left, found.right)
    light = LIGHT if denying.bound and stating.bound else WEAK
    said = heavy(theirs, light)
    counted = {term.chunk for term in said if term.quantity} if denying.bound else set()
    return not heavy(ours, light) and bool(said) and all(_is_case(term) or term.chunk in counted for term in said)


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


def _other_order(left: Proposition, right: Proposition, found: Alignment) -> Found | None:
    """Both order the same two events, in opposite ways; or exchange what an alternative names."""
    if left.negations != right.negations or heavy(found.left) or heavy(found.right):
        return None
    denied = {(a.denied, b.denied) for a, b in found.pairs if a.key not in WEAK}
    if {(True, False), (False, True)} <= denied:
        return _against("one states what the other denies")
    if not left.negations and limits_differ(found):
        return _against("one says until a time what the other says after it")
    times = [(a.time, b.time) for a, b in found.pairs if a.time and b.time and a.key not in WEAK]
    if times and all(one != other for one, other in times) and len({one for one, _ in times}) == 2:
        return _against("one puts first what the other puts last")
    turned = [(a.role == "else", b.role == "else") for a, b in found.pairs]
    if (True, False) in turned and (False, True) in turned:
        return _against("one prefers what the other turns down")
    if _is_turned(left, right, found):
        return _against("one puts first what the other puts last")
    if left.segments == right.segments and exchanged_parts(found):
        return _against("one exchanges what the other states")
    return None


def _is_turned(left: Proposition, right: Proposition, found: Alignment) -> bool:
    """Whether the sides of a relation in one direction are exchanged: "is faster than", "overrides", "depends on"."""
    if left.may or right.may or left.event or right.event or left.passive or right.passive or found.opposites:
        return False
    verbs = {left.verb, right.verb}
    others = {"than"} | ({"over"} if verbs == {"tak"} or "win" in verbs else set())
    if len(verbs) == 1 and "" not in verbs:
        others |= {"after", "before"}
    if len(verbs) == 1 and verbs <= ASYMMETRIC:
        others |= {"obj", "on", "from", "over"}
    moved = {(a.role, b.role) for a, b in found.pairs if a.role != b.role}
    return any({("subj", other), (other, "subj")} <= moved for other in others)


def _other_figure(left: Proposition, right: Proposition, found: Alignment) -> Found | None:
    if left.event or right.event or left.negations % 2 != right.negations % 2:
        return None
    ours = [term for term in found.left if term.quantity]
    theirs = [term for term in found.right if term.quantity]
    if len(ours) != 1 or len(theirs) != 1 or found.opposites:
        return None
    rest = [
        *_values(_unexplained(found.left, right), found.right, right),
        *_values(_unexplained(found.right, left), found.left, left),
    ]
    copula = [text for text in (left, right) if not text.verb]
    if len(copula) == 1 and len(rest) == 1 and rest[0].role == "verb":
        rest = []  # "the rate is 3", "the model is trained with a rate of 5"
    if rest or unit_of(ours[0].key) != unit_of(theirs[0].key):
        return None
    if {ours[0].role, theirs[0].role} & _LIMITING:
        return None
    if _is_label(ours[0], left) or _is_label(theirs[0], right):
        return None
    bounded = left.bound and right.bound
    if _active_verbs(left, right) & ADDITIVE and _is_number_of_name(ours[0], left) and not bounded:
        return None  # "supports format 3", "happens on Windows 10"
    if left.bound != right.bound and left.bound and right.bound:
        return None
    plain = (
        not found.left[1:] and not found.right[1:] and not found.synonyms and _stand(ours[0], theirs[0], left, right)
    )
    return _against(_SAYS, _shown(ours), _shown(theirs), value=plain)


def _is_label(figure: Term, text: Proposition) -> bool:
    """Whether a figure names the subject: "zone 2", but not "Node 20" nor "at least two reviewers"."""
    if figure.role != "subj" or " " in figure.key or text.bound or text.verb == "requir":
        return False
    at = text.terms.index(figure)
    return not (at and text.terms[at - 1].shown.lower() in PRODUCTS)


def _stand(one: Term, other: Term, left: Proposition, right: Proposition) -> bool:
    """Whether both texts tell a state that has one value at a time: "is 5", "is stored in Redis", "listens on 80"."""
    return all(
        (text.passive or term.role == "pred" or text.verb in STANDING or (term.quantity and not text.verb))
        and not _is_number_of_name(term, text)
        for term, text in ((one, left), (other, right))
    )


def _is_number_of_name(term: Term, text: Proposition) -> bool:
    """Whether a figure without unit is part of a name: "error 42", "Windows 10", but not "port 80"."""
    if not term.quantity or " " in term.key or not term.head:
        return False
    at = text.terms.index(term)
    before = text.terms[at - 1] if at else None
    return before is not None and before.chunk == term.chunk and before.key not in _COUNTED


_COUNTED = frozenset(("port", "version", "pin", "rate", "siz", "seed", "level"))
_LIMITING = frozenset(("for", "if", "when", "of", "until", "without", "else"))


def _unexplained(terms: Sequence[Term], other: Proposition) -> list[Term]:
    """Return the terms left over that could limit or change what a text is about."""
    keys = {term.key for term in other.terms}
    return [term for term in terms if not term.quantity and term.key not in LIGHT and term.key not in keys]


def _other_value(left: Proposition, right: Proposition, found: Alignment) -> Found | None:
    if left.negations % 2 != right.negations % 2 or found.opposites:
        return None
    if left.event or right.event:
        return None
    if _is_timing(found.left) and _is_timing(found.right):
        return _against(_SAYS, _shown(found.left), _shown(found.right))
    turned = _turned_down(found)
    if turned:
        return _against(f"one uses '{_escaped(turned)}', the other turns it down")
    ours = [term for term in _values(found.left, found.right, right) if term.role != "else"]
    theirs = [term for term in _values(found.right, found.left, left) if term.role != "else"]
    if not (0 < len(ours) <= MAX_VALUE_WORDS and 0 < len(theirs) <= MAX_VALUE_WORDS):
        return None
    if len({term.chunk for term in ours}) > 1 or len({term.chunk for term in theirs}) > 1:
        return None
    if any(term.quantity for term in (*ours, *theirs)):
        return None
    if roles_clash(found, left, right) or not _exclude(ours, theirs, left, right, found):
        return None
    one, other = ours[-1], theirs[-1]
    plain = len(heavy(found.left)) + len(heavy(found.right)) == len(found.left) + len(found.right)
    return _against(
        _SAYS, _shown(ours), _shown(theirs), value=plain and not found.synonyms and _stand(one, other, left, right)
    )


def _values(terms: Sequence[Term], others: Sequence[Term], other: Proposition) -> list[Term]:
    """Return the terms of weight, without a verb that stands for the one of the other text: "go", "are added"."""
    partners = [PARTNERS[each.key] for each in others if each.key in PARTNERS]
    if not other.verb and any(each.role == "pred" for each in others):
        partners.append(_GIVEN)
    return [term for term in heavy(terms) if not (term.role == "verb" and any(term.key in each for each in partners))]


_GIVEN = PARTNERS["us"] | PARTNERS["serv"] | PARTNERS["giv"] | PARTNERS["liv"]
"""Verbs beside a value that "is" may stand for: "is written in TOML", "is TOML"."""


def _active_verbs(left: Proposition, right: Proposition) -> set[str]:
    return {text.verb for text in (left, right) if not text.passive}


def _is_timing(terms: Sequence[Term]) -> bool:
    """Whether terms say when something happens, and nothing else."""
    heavy = [term for term in terms if term.key not in WEAK or term.key in TIMING]
    return bool(heavy) and all(
        term.role not in ("subj", "if", "for")
        and (term.key in TIMING or term.key.startswith("every ") or (term.universal and term.role in ("on", "at")))
        for term in heavy
    )


def _turned_down(found: Alignment) -> str:
    """Return the value that one text states and the other names as the alternative it turns down, or ""."""
    for ours, theirs, at in ((found.left, found.right, 0), (found.right, found.left, 1)):
        turned = [pair for pair in found.pairs if pair[at].role == "else" and pair[1 - at].role not in ("else", "subj")]
        kept = [pair for pair in found.pairs if pair[at].role != "else" and pair[at].key not in LIGHT]
        if (
            turned
            and kept
            and all(term.role != "else" for term in heavy([*ours, *theirs]))
            and (heavy(ours) or (ours and all(term.role in ("verb", "pred") for term in ours)))
            and not heavy(theirs, LIGHT)
            and len({term.chunk for term in heavy(ours) or ours}) == 1
        ):
            return " ".join(pair[1 - at].shown for pair in turned)
    return ""


def _exclude(ours: list[Term], theirs: list[Term], left: Proposition, right: Proposition, found: Alignment) -> bool:
    """Whether two values in the same place exclude each other."""
    one, other = ours[-1], theirs[-1]
    if any(is_kind_of(a.key, b.key) or is_kind_of(b.key, a.key) for a in ours for b in theirs):
        return False
    kindred = any({a.key for a in ours} & kin and {b.key for b in theirs} & kin for kin in EXCLUSIVE)
    whole = _is_whole(ours, left) and _is_whole(theirs, right)
    ends = _ends_phrase(one, left), _ends_phrase(other, right)
    if not all(ends) and not (kindred and (one.head == other.head or whole)):
        return False
    roles = {_place(one, left), _place(other, right)}
    voices = left.verb == right.verb and left.passive != right.passive
    if voices and len(roles) == 2 and roles & {"by", "with"} and "subj" in roles:
        roles = {"by"}
    bare = voices and roles == {"by"}
    made = roles == {"with"} and one.head and other.head
    names = all(
        any(term.name or (bare and _is_bare(term)) or (made and _is_tool(term)) for term in side)
        for side in (ours, theirs)
    )
    if "subj" in roles or roles & _LIMITING:
        return False
    additive = _active_verbs(left, right) & ADDITIVE and not (kindred and roles in ({"with"}, {"in"}))
    if additive and not (left.only or right.only):
        return False
    if kindred:
        return len(roles) == 1 or roles <= _FILLED
    if names and whole and roles == {"used"} and not any(a.role in ("for", "as") for a, _ in found.pairs):
        return False  # a thing uses several others
    if (
        names
        and len(roles) > 1
        and roles & _SINGLE
        and roles & {"used", "with"}
        and not {left.verb, right.verb} & _EMPLOYING
    ):
        return False  # "is kept in the URL", "uses FastAPI"
    if names:
        times = [any(term.key in TIMING for term in side) for side in (ours, theirs)]
        return roles <= _FILLED and times[0] == times[1]
    if "from" in roles and "com" in (left.verb, right.verb) and not any(term.name for term in (*ours, *theirs)):
        return False  # causes: a leak comes from one thing in one case and from another in the next
    return len(roles) == 1 and bool(roles & _SINGLE) and whole


_EMPLOYING = PARTNERS["us"] | {"run", "rely", "bas"}
"""Verbs beside which a place is what something uses: "runs on Flyway"."""
_FILLED = frozenset(("used", "pred", "with", "by", "on", "in", "from", "at", "as", "to", "against", "per", "into"))
_SINGLE = frozenset(("in", "at", "from", "to", "on", "against", "per"))


def _ends_phrase(term: Term, text: Proposition) -> bool:
    """Whether a value ends its phrase but for words of no weight: "the Lucide set"."""
    behind = text.terms[text.terms.index(term) + 1 :]
    return term.head or all(each.key in WEAK for each in behind if each.chunk == term.chunk)


def _is_tool(term: Term) -> bool:
    """Whether a word that no dictionary has names a tool: "compressed with zlib"."""
    word = term.shown.lower()
    return word.isalpha() and is_unknown(word) and not (term.definite or term.single) and not word.endswith("s")


def _is_bare(term: Term) -> bool:
    """Whether a capital and no article make a subject a name: "Raft elects the leader"."""
    return term.role == "subj" and term.shown[:1].isupper() and not (term.definite or term.single or term.universal)


def _place(term: Term, text: Proposition) -> str:
    if term.role == "obj":
        return "used" if text.verb in ("us", "choos", "pick", "run", "be", "follow", "") else "object"
    return term.role


def _is_whole(terms: list[Term], text: Proposition) -> bool:
    """Whether terms are all of their phrase."""
    chunk = terms[0].chunk
    return all(term in terms for term in text.terms if term.chunk == chunk)


def _other_scope(left: Proposition, right: Proposition, found: Alignment) -> Found | None:
    """One restricts to some what the other states of all."""
    if left.only == right.only or left.negations % 2 != right.negations % 2 or found.opposites:
        return None
    open_side = right if left.only else left
    ours, theirs = heavy(found.left), heavy(found.right)
    everywhere = any(term.universal for term in (found.right if left.only else found.left))
    if len(ours) > 2 or len(theirs) > 2 or len(found.pairs) < (1 if everywhere else 2):
        return None
    roles = {term.role for term in (*ours, *theirs)}
    if len(roles) == 1 and any(term.universal for term in open_side.terms):
        return _against("one says only what the other says of all")
    return None


_SAYS = "one says '{}', the other '{}'"


def _escaped(text: str) -> str:
    return text.replace("{", "{{").replace("}", "}}")


def _shown(terms: Sequence[Term]) -> str:
    return " ".join(term.shown for term in terms)
