"""Contradictions by value: two texts give one thing different figures, times or choices."""

from __future__ import annotations

from collections.abc import Sequence

from muninn_core.reconcile.comparison.alignment import Alignment, heavy, roles_clash
from muninn_core.reconcile.comparison.finding import (
    DIFFERENT_VALUES,
    MAX_VALUE_WORDS,
    Finding,
    contradicting,
    escaped,
    shown,
)
from muninn_core.reconcile.language.exclusion import EXCLUSIVE
from muninn_core.reconcile.language.quantity import unit_of
from muninn_core.reconcile.language.terms import Proposition, Term
from muninn_core.reconcile.language.thesaurus.table import is_kind_of
from muninn_core.reconcile.language.vocabulary import (
    ADDITIVE,
    LIGHT,
    PARTNERS,
    PRODUCTS,
    STANDING,
    TIMING,
    WEAK,
    is_unknown,
)

_COUNTED = frozenset(("port", "version", "pin", "rate", "siz", "seed", "level"))
_LIMITING = frozenset(("for", "if", "when", "of", "until", "without", "else"))
_COPULAR = PARTNERS["us"] | PARTNERS["serv"] | PARTNERS["giv"] | PARTNERS["liv"]
"""Verbs beside a value that "is" may stand for: "is written in TOML", "is TOML"."""
_EMPLOYING = PARTNERS["us"] | {"run", "rely", "bas"}
"""Verbs beside which a place is what something uses: "runs on Flyway"."""
_FILLED = frozenset(("used", "pred", "with", "by", "on", "in", "from", "at", "as", "to", "against", "per", "into"))
_SINGLE = frozenset(("in", "at", "from", "to", "on", "against", "per"))


def find_figure(left: Proposition, right: Proposition, alignment: Alignment) -> Finding | None:
    """Find a figure of one thing that differs: "the limit is 5 MB", "the limit is 8 MB"."""
    if left.event or right.event or left.negations % 2 != right.negations % 2:
        return None
    left_figures = [term for term in alignment.left if term.quantity]
    right_figures = [term for term in alignment.right if term.quantity]
    if len(left_figures) != 1 or len(right_figures) != 1 or alignment.opposites:
        return None
    rest = [
        *_values(_unexplained(alignment.left, right), alignment.right, right),
        *_values(_unexplained(alignment.right, left), alignment.left, left),
    ]
    copula = [text for text in (left, right) if not text.verb]
    if len(copula) == 1 and len(rest) == 1 and rest[0].role == "verb":
        rest = []  # "the rate is 3", "the model is trained with a rate of 5"
    if rest or unit_of(left_figures[0].key) != unit_of(right_figures[0].key):
        return None
    if {left_figures[0].role, right_figures[0].role} & _LIMITING:
        return None
    if _is_label(left_figures[0], left) or _is_label(right_figures[0], right):
        return None
    bounded = left.bound and right.bound
    if _active_verbs(left, right) & ADDITIVE and _is_number_of_name(left_figures[0], left) and not bounded:
        return None  # "supports format 3", "happens on Windows 10"
    if left.bound != right.bound and left.bound and right.bound:
        return None
    plain = (
        not alignment.left[1:]
        and not alignment.right[1:]
        and not alignment.synonyms
        and _hold_one_value(left_figures[0], right_figures[0], left, right)
    )
    return contradicting(DIFFERENT_VALUES, shown(left_figures), shown(right_figures), value=plain)


def _is_label(figure: Term, text: Proposition) -> bool:
    """Whether a figure names the subject: "zone 2", but not "Node 20" nor "at least two reviewers"."""
    if figure.role != "subj" or " " in figure.key or text.bound or text.verb == "requir":
        return False
    at = text.terms.index(figure)
    return not (at and text.terms[at - 1].shown.lower() in PRODUCTS)


def _hold_one_value(one: Term, other: Term, left: Proposition, right: Proposition) -> bool:
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


def _unexplained(terms: Sequence[Term], other: Proposition) -> list[Term]:
    """Return the terms left over that could limit or change what a text is about."""
    keys = {term.key for term in other.terms}
    return [term for term in terms if not term.quantity and term.key not in LIGHT and term.key not in keys]


def find_value(left: Proposition, right: Proposition, alignment: Alignment) -> Finding | None:
    """Find a value of one thing that differs: "stored in Redis", "stored in PostgreSQL"."""
    if left.negations % 2 != right.negations % 2 or alignment.opposites:
        return None
    if left.event or right.event:
        return None
    if _is_timing(alignment.left) and _is_timing(alignment.right):
        return contradicting(DIFFERENT_VALUES, shown(alignment.left), shown(alignment.right))
    turned = _rejected_alternative(alignment)
    if turned:
        return contradicting(f"one uses '{escaped(turned)}', the other turns it down")
    left_value = [term for term in _values(alignment.left, alignment.right, right) if term.role != "else"]
    right_value = [term for term in _values(alignment.right, alignment.left, left) if term.role != "else"]
    if not (0 < len(left_value) <= MAX_VALUE_WORDS and 0 < len(right_value) <= MAX_VALUE_WORDS):
        return None
    if len({term.chunk for term in left_value}) > 1 or len({term.chunk for term in right_value}) > 1:
        return None
    if any(term.quantity for term in (*left_value, *right_value)):
        return None
    if _are_denied(left_value) and _are_denied(right_value):
        return None  # "does not call the cache", "does not call the index"
    if roles_clash(alignment, left, right) or not _exclude(left_value, right_value, left, right, alignment):
        return None
    one, other = left_value[-1], right_value[-1]
    plain = len(heavy(alignment.left)) + len(heavy(alignment.right)) == len(alignment.left) + len(alignment.right)
    return contradicting(
        DIFFERENT_VALUES,
        shown(left_value),
        shown(right_value),
        value=plain and not alignment.synonyms and _hold_one_value(one, other, left, right),
    )


def _are_denied(values: Sequence[Term]) -> bool:
    """Whether values are denied: two of these exclude each other only where there is no third one."""
    one_of_two = any(term.key in kin for term in values for kin in EXCLUSIVE if len(kin) == 2)
    return all(term.denied for term in values) and not one_of_two


def _values(terms: Sequence[Term], others: Sequence[Term], other: Proposition) -> list[Term]:
    """Return the terms of weight, without a verb that stands for the one of the other text: "go", "are added"."""
    partners = [PARTNERS[each.key] for each in others if each.key in PARTNERS]
    if not other.verb and any(each.role == "pred" for each in others):
        partners.append(_COPULAR)
    return [term for term in heavy(terms) if not (term.role == "verb" and any(term.key in each for each in partners))]


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


def _rejected_alternative(found: Alignment) -> str:
    """Return the value that one text states and the other names as the alternative it turns down, or ""."""
    for stating_rest, naming_rest, side in ((found.left, found.right, 0), (found.right, found.left, 1)):
        turned = [
            pair for pair in found.pairs if pair[side].role == "else" and pair[1 - side].role not in ("else", "subj")
        ]
        other_pairs = [pair for pair in found.pairs if pair[side].role != "else" and pair[side].key not in LIGHT]
        if (
            turned
            and other_pairs
            and all(term.role != "else" for term in heavy([*stating_rest, *naming_rest]))
            and (heavy(stating_rest) or (stating_rest and all(term.role in ("verb", "pred") for term in stating_rest)))
            and not heavy(naming_rest, LIGHT)
            and len({term.chunk for term in heavy(stating_rest) or stating_rest}) == 1
        ):
            return " ".join(pair[1 - side].shown for pair in turned)
    return ""


def _exclude(
    left_value: list[Term], right_value: list[Term], left: Proposition, right: Proposition, alignment: Alignment
) -> bool:
    """Whether two values in the same role exclude each other."""
    one, other = left_value[-1], right_value[-1]
    if any(is_kind_of(a.key, b.key) or is_kind_of(b.key, a.key) for a in left_value for b in right_value):
        return False
    kindred = any({a.key for a in left_value} & kin and {b.key for b in right_value} & kin for kin in EXCLUSIVE)
    whole = _is_whole(left_value, left) and _is_whole(right_value, right)
    ends = _ends_phrase(one, left), _ends_phrase(other, right)
    if not all(ends) and not (kindred and (one.head == other.head or whole)):
        return False
    roles = {_role_of_value(one, left), _role_of_value(other, right)}
    voices = left.verb == right.verb and left.passive != right.passive
    if voices and len(roles) == 2 and roles & {"by", "with"} and "subj" in roles:
        roles = {"by"}
    bare = voices and roles == {"by"}
    made = roles == {"with"} and one.head and other.head
    names = all(
        any(term.name or (bare and _is_bare(term)) or (made and _is_tool(term)) for term in side)
        for side in (left_value, right_value)
    )
    if "subj" in roles or roles & _LIMITING:
        return False
    additive = _active_verbs(left, right) & ADDITIVE and not (kindred and roles in ({"with"}, {"in"}))
    if additive and not (left.only or right.only):
        return False
    if kindred:
        return len(roles) == 1 or roles <= _FILLED
    if names and whole and roles == {"used"} and not any(a.role in ("for", "as") for a, _ in alignment.pairs):
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
        times = [any(term.key in TIMING for term in side) for side in (left_value, right_value)]
        return roles <= _FILLED and times[0] == times[1]
    if (
        "from" in roles
        and "com" in (left.verb, right.verb)
        and not any(term.name for term in (*left_value, *right_value))
    ):
        return False  # causes: a leak comes from one thing in one case and from another in the next
    return len(roles) == 1 and bool(roles & _SINGLE) and whole


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


def _role_of_value(term: Term, text: Proposition) -> str:
    if term.role == "obj":
        return "used" if text.verb in ("us", "choos", "pick", "run", "be", "follow", "") else "object"
    return term.role


def _is_whole(terms: list[Term], text: Proposition) -> bool:
    """Whether terms are all of their phrase."""
    chunk = terms[0].chunk
    return all(term in terms for term in text.terms if term.chunk == chunk)
