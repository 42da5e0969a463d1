"""Whether the words of two texts belong to other words: equal words in another structure do not state the same.

There is no parser behind it. Each rule compares what the reading of both texts has: phrases with their last word, the
preposition in front of them, the verb, and who does and who undergoes it. Wordings that mean the same are exceptions:
"the upload limit" and "the limit for uploads", passive and active, a verb and its noun.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from muninn_core.reconcile.language.terms import Proposition, Term
from muninn_core.reconcile.language.vocabulary import SUBORDINATORS, SUPPORTING, WEAK, is_adverb

_Pair = tuple[Term, Term]

_EXACT = (
    {"under", "below"},
    {"over", "above", "across"},
    {"near", "beside", "by"},
    {"towards", "toward", "to"},
    {"about", "of"},
    {"against"},
    {"around"},
    {"behind"},
    {"between", "among"},
    {"inside", "within", "in"},
    {"outside"},
    {"like"},
    {"up"},
    {"down"},
    {"along"},
    {"past"},
)
"""Prepositions of an exact meaning, those of one meaning together. Others, as "in" and "on", stand for one another."""
PLACES = {word: place for place, words in enumerate(_EXACT) for word in words}
_APART = ({"by", "for"}, {"by", "to"}, {"by", "from"}, {"with", "in"}, {"with", "for"})
"""Further pairs of prepositions that do not stand for one another, except before a name."""
_EXACT_ONLY = frozenset(PLACES) - {"by", "to", "in", "of"}
_NOMINAL = frozenset(("of", "for", "in", "on", "from", "with", "by", "at", "per", "to", "into", "against"))
"""Prepositions that a compound leaves out: "the limit for uploads", "the upload limit"."""
_VERBAL = ("verb", "pred")
_CLAUSAL = SUBORDINATORS | {*_VERBAL, "subj", "obj", "else", "why", "purpose", "amount"}


def attached_otherwise(pairs: Sequence[_Pair], left: Proposition, right: Proposition) -> bool:
    """Whether a pair of equal words belongs to other words in one text than in the other. The order does not matter."""
    turned = [(b, a) for a, b in pairs]
    return (
        any(_prepositions_differ(a, b) for a, b in pairs)
        or _is_used_otherwise(pairs, left, right)
        or _is_used_otherwise(turned, right, left)
        or _modifies_another(pairs, left, right)
        or _modifies_another(turned, right, left)
        or _owns_otherwise(pairs, left, right)
        or _has_other_owner(pairs, left, right)
        or _has_other_owner(turned, right, left)
        or any(_is_ordered_otherwise(a, b) or _is_ordered_otherwise(b, a) for a, b in pairs)
        or _acts_there(pairs, left, right)
        or _acts_there(turned, right, left)
        or _across_verb(pairs, left, right)
        or _acts_otherwise(pairs, left, right)
        or _acts_otherwise(turned, right, left)
        or _has_other_verb(pairs, left, right)
        or _is_named_verb(pairs, left, right)
        or _is_named_verb(turned, right, left)
    )


def _prepositions_differ(one: Term, other: Term) -> bool:
    """Whether one preposition has an exact meaning and the other another one: "under the lock", "near the lock"."""
    if one.role == other.role or one.role in _CLAUSAL or other.role in _CLAUSAL or one.name or one.quantity:
        return False
    if {one.role, other.role} in _APART:
        return True
    exact = one.role in _EXACT_ONLY or other.role in _EXACT_ONLY
    return exact and PLACES.get(one.role) != PLACES.get(other.role)


def _is_used_otherwise(pairs: Sequence[_Pair], left: Proposition, right: Proposition) -> bool:
    """Whether the left text acts on a thing that the right one acts with: "tests the parser", "tests with the
    parser".
    """
    if left.verb in WEAK | SUPPORTING or not any(a.role == "verb" and a.key == left.verb for a, _ in pairs):
        return False
    nouns, others = heads(left), heads(right)
    return any(
        _undergoes(a, left) and nouns[a.group] is a and others[b.group] is b and _is_means(b, right) for a, b in pairs
    )


def _undergoes(term: Term, text: Proposition) -> bool:
    """Whether the verb acts on a thing: the object, in the passive the subject before the verb."""
    if not text.passive:
        return term.role == "obj"
    verb = next((each.chunk for each in text.terms if each.role == "verb"), 0)
    return term.role == "subj" and not any(term.chunk < each.chunk < verb for each in text.terms)


def _is_means(term: Term, text: Proposition) -> bool:
    """Whether something is done with a thing: "with the linter", "uses the linter to ..."."""
    uses = text.verb == "us" and any(each.role == "purpose" for each in text.terms)
    return term.role in ("with", "as") or (uses and term.role == ("subj" if text.passive else "obj"))


def _modifies_another(pairs: Sequence[_Pair], left: Proposition, right: Proposition) -> bool:
    """Whether a word of the left text is part of the phrase of a noun, and of another one's in the right text."""
    partner = {id(a): b for a, b in pairs}
    left_heads, right_heads = heads(left), heads(right)
    several = _several(left) | _several(right)
    certain = left.continuous and right.continuous
    for a, b in pairs:
        head = left_heads[a.group]
        if a is head or a.role == "why" or is_loose(a) or not _is_noun(head) or a.key in several or head.key in several:
            continue
        noun = partner.get(id(head))
        if noun is None or "as" in (noun.role, b.role) or (noun.chunk == b.chunk and not certain):
            continue
        if right_heads[b.group] is not b:
            if right_heads[b.group] is not noun and (noun.role != "pred" or noun.chunk == b.chunk):
                return True
        elif noun.chunk == b.chunk:
            continue
        elif _is_action(b) or noun.role in _VERBAL:
            if _is_action(b) and noun.role not in ("subj", "obj", "by") and b.chunk < noun.chunk:
                return True  # "a burning torch", "is burning the wood with a torch"
        elif b.role == "pred":
            if certain and b.chunk < noun.chunk and noun.role != "pred" and not _is_participle(b):
                return True  # "a small job's log", "a job, which is small"
        elif not _follows(right, noun, b):
            return True
    return False


def heads(text: Proposition) -> dict[int, Term]:
    """Return the noun of each group: its last word that does more than support another one."""
    last = {term.group: term for term in text.terms}
    return last | {term.group: term for term in text.terms if term.key not in SUPPORTING}


def _several(text: Proposition) -> set[str]:
    """Return the keys that a text has more than once: which of them are pairs is open."""
    count = Counter(term.key for term in text.terms)
    return {key for key, times in count.items() if times > 1}


def is_loose(term: Term) -> bool:
    """Whether a word belongs to no noun: an adverb, a figure with a unit, the second part of a verb."""
    adverb = is_adverb(term.shown.lower()) or is_adverb(term.key)
    return adverb or term.key in _LOOSE or (term.quantity and " " in term.key)


def _is_noun(head: Term) -> bool:
    """Whether the last word of a group is the noun of the others: no name beside it, and not a part of a clause."""
    return not (head.name or head.role in SUBORDINATORS or _is_participle(head) or is_loose(head))


def _is_action(term: Term) -> bool:
    return term.role == "verb" or (term.role == "pred" and term.shown.endswith("ing"))


def _follows(text: Proposition, noun: Term, other: Term) -> bool:
    """Whether a phrase behind a noun may belong to it: "the limit for uploads"."""
    between = [term for term in text.terms if noun.chunk < term.chunk < other.chunk]
    if other.chunk < noun.chunk or any(term.role == "verb" for term in between):
        return False
    return other.role in _NOMINAL or any(term.role == "pred" for term in between)


def _owns_otherwise(pairs: Sequence[_Pair], left: Proposition, right: Proposition) -> bool:
    """Whether two nouns of a phrase have exchanged their places: "the edge of a bowl", "the bowl of an edge"."""
    left_heads, right_heads = heads(left), heads(right)
    counted = [{term.chunk for term in text.terms if term.quantity} for text in (left, right)]
    nouns = [
        (a, b)
        for a, b in pairs
        if left_heads[a.group] is a
        and right_heads[b.group] is b
        and a.chunk not in counted[0]
        and b.chunk not in counted[1]
    ]
    for position, (a, b) in enumerate(nouns):
        for c, d in nouns[position + 1 :]:
            apart = a.group != c.group and b.group != d.group and SUBORDINATORS.isdisjoint((a.role, c.role))
            if apart and a.chunk == c.chunk and b.chunk == d.chunk and _is_owned(a, c) != _is_owned(b, d):
                return True
    return False


def _has_other_owner(pairs: Sequence[_Pair], left: Proposition, right: Proposition) -> bool:
    """Whether what a word owns is another one's in the right text: "the user's token", "a token for the user"."""
    partner = {id(a): b for a, b in pairs}
    left_heads = heads(left)
    for a, b in pairs:
        owned = left_heads.get(a.group + 1) if a.owner else None
        noun = partner.get(id(owned)) if owned is not None else None
        if noun is None or noun.role == "as" or b.owner or b.role == "subj":
            continue
        if b.chunk != noun.chunk and not _follows(right, noun, b):
            return True
    return False


def _is_ordered_otherwise(one: Term, other: Term) -> bool:
    """Whether one text tells what happens before or after a thing, and the other what happens to it or with it."""
    return one.role in ("before", "after") and not other.time and other.role in ("obj", "subj", "with", "for", "by")


def _acts_there(pairs: Sequence[_Pair], left: Proposition, right: Proposition) -> bool:
    """Whether something acts in the left text and is beside the same act in the right one: "the bucket writes logs",
    "writes logs to the bucket"; "the job starts the worker", "the worker starts with the job".
    """
    if left.passive or left.verb != right.verb or left.verb in ("", "us", "run"):
        return False
    if not any(term.role == "obj" for term in left.terms):
        return False
    turned = not right.passive and any(a.role == "obj" and b.role == "subj" for a, b in pairs)
    towards = _TOWARDS if any(term.role == "subj" for term in right.terms) else _TOWARDS - {"from"}
    return any(
        a.role == "subj" and a.head and (b.role in towards or (turned and b.role not in ("subj", "obj")))
        for a, b in pairs
    )


def _across_verb(pairs: Sequence[_Pair], left: Proposition, right: Proposition) -> bool:
    """Whether two words around the verb have exchanged their places: "a job on a host is waiting on a lock"."""
    if not (left.continuous and right.continuous) or left.passive != right.passive:
        return False
    left_position, right_position = (
        next((at for at, term in enumerate(text.terms) if _is_action(term)), len(text.terms)) for text in (left, right)
    )
    roles = {(a.role, b.role) for a, b in pairs}
    if {("subj", "obj"), ("obj", "subj")} <= roles:
        return True
    moved = {
        (left.terms.index(a) < left_position, right.terms.index(b) < right_position)
        for a, b in pairs
        if a.role == b.role and a.head
    }
    return (True, False) in moved and (False, True) in moved


def _is_owned(one: Term, other: Term) -> bool:
    """Whether the first of two nouns of a phrase is the one that has an owner."""
    first, second = sorted((one, other), key=lambda term: term.group)
    return (one is first) != (first.owner and second.group == first.group + 1)


def _acts_otherwise(pairs: Sequence[_Pair], left: Proposition, right: Proposition) -> bool:
    """Whether the verb of both texts relates a word in one way in the left text, and in another in the right one: the
    word does it, undergoes it, or is beside it.
    """
    if left.verb != right.verb or not (_is_simple(left) and _is_simple(right)):
        return False
    acts = any(term.role == "obj" for term in left.terms)
    origin = {id(b): a.role for a, b in pairs}
    same_object = any(term.role == "obj" and origin.get(id(term)) == "obj" for term in right.terms if term.head)
    same_subject = any(a.role == b.role == "subj" for a, b in pairs if a.head and b.head)
    first = {term.chunk: term.group for term in reversed(right.terms)}
    for a, b in pairs:
        if not a.head or a.quantity or b.quantity or a.role not in ("subj", "obj"):
            continue
        if b.group != first[b.chunk]:
            continue
        if left.passive == right.passive:
            if b.role in _BESIDE and not (a.role == "obj" and same_object):
                return True
            if a.role == "subj" and b.role == "obj" and same_subject:
                return True  # "A and B stop", "A stops B"; but "it stops", "something stops it" may be the same
        elif not left.passive and a.role == "subj" and ((b.role == "subj" and acts) or b.role in _AWAY):
            return True
    return False


def _has_other_verb(pairs: Sequence[_Pair], left: Proposition, right: Proposition) -> bool:
    """Whether a word stands beside another verb of several: "wears a coat and holds a cup", "holds a coat ..."."""
    if not (left.continuous and right.continuous):
        return False
    partner = {id(a): b for a, b in pairs}
    left_verbs, right_verbs = _verbs(left), _verbs(right)
    verbs = {id(a) for a, b in pairs if a in left_verbs.values() and b in right_verbs.values()}
    if len(verbs) < 2:
        return False
    for a, b in pairs:
        verb, other = left_verbs.get(id(a)), right_verbs.get(id(b))
        if verb is None or other is None or (a.role == "subj") != (b.role == "subj"):
            continue
        if id(verb) in verbs and partner[id(verb)] is not other and any(partner[each] is other for each in verbs):
            return True
    return False


def _verbs(text: Proposition) -> dict[int, Term]:
    """Return the verb of each word: the one before it, of a subject the one behind it."""
    verbs: dict[int, Term] = {}
    last: Term | None = None
    waiting: list[Term] = []
    for term in text.terms:
        if _is_action(term):
            verbs |= {id(each): term for each in waiting}
            waiting, last = [], term
        elif term.role == "subj":
            waiting.append(term)
        elif last is not None:
            verbs[id(term)] = last
    return verbs


def _is_simple(text: Proposition) -> bool:
    """Whether a text has one verb, and names who does it."""
    verbs = sum(term.role == "verb" for term in text.terms)
    return verbs == 1 and not text.imperative and any(term.role == "subj" for term in text.terms)


def _is_named_verb(pairs: Sequence[_Pair], left: Proposition, right: Proposition) -> bool:
    """Whether the verb of the left text is a noun in the right one, beside a verb that does more than support it."""
    verb = next((term for term in left.terms if term.role == "verb"), None)
    noun = next((b for a, b in pairs if a is verb), None)
    if verb is None or noun is None or noun.role in _VERBAL or noun.role in ("why", "purpose"):
        return False
    if noun.single and noun.shown.endswith("ing"):
        return True  # "is drawing a line", "is looking at a drawing of the line"
    other = next((term for term in right.terms if term.role == "verb"), None)
    compound = any(a.role == "subj" and b.chunk == noun.chunk and b is not noun for a, b in pairs)
    has = any(term.role == "obj" for term in right.terms)
    if other is None and noun.role == "subj" and not left.passive and compound and has:
        return True  # "the compiler caches modules", "the compiler cache has modules"
    if other is None:
        acts = any(term.role == "obj" for term in left.terms)
        return verb.shown.endswith("ing") and (noun.role == "when" or (acts and noun.shown == verb.shown))
    return _is_participle(verb) and _is_participle(other) and other.key not in SUPPORTING


def _is_participle(term: Term) -> bool:
    return term.shown.endswith(("ing", "ed"))


_BESIDE = frozenset(("in", "into", "on", "at", "from", "for", "by")) | _EXACT_ONLY
_TOWARDS = frozenset(("from", "to", "into", "onto"))
_AWAY = _EXACT_ONLY | _TOWARDS
"""Prepositions of what does not act itself: "the vault reads secrets", "secrets are read from the vault"."""
_LOOSE = frozenset(("up", "down", "away", "back", "together", "alon", "default", "roundrobin"))
