"""Rules for reports, which state what some subject is doing or where it is: "a worker is reading from the queue".

A general statement has many wordings. A report has one order of words for one meaning, and another order means the same
where a known rule of English explains it: the passive, a modifier behind its noun, an adverb, a list. Its verbs, places
and the number of those who act are what it tells, so that none of them has too little weight.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import combinations, pairwise

from muninn_core.reconcile.comparison.attachment import PLACES, heads, is_loose
from muninn_core.reconcile.language.lexicon import stem
from muninn_core.reconcile.language.terms import Proposition, Term
from muninn_core.reconcile.language.thesaurus.table import are_synonyms, base_of
from muninn_core.reconcile.language.vocabulary import PREPOSITIONS, WEAK, is_adverb, is_participle

_Pair = tuple[Term, Term]

_VERBAL = ("verb", "pred")
_AT = {"in", "on", "into", "onto"}


def tells_event(text: Proposition) -> bool:
    """Whether a text tells what some subject is doing, or where it is."""
    return text.continuous or text.passing or any(is_doing(term) for term in text.terms)


def is_doing(term: Term) -> bool:
    """Whether a word is a verb in the continuous form: "is running"."""
    return term.role in _VERBAL and term.shown.endswith("ing")


def reports_differ(pairs: Sequence[_Pair], left: Proposition, right: Proposition) -> bool:
    """Whether two reports with the same words tell something else: who does what to whom, where, or how many do it."""
    return (
        _is_arranged_otherwise(pairs, left, right)
        or _is_placed_otherwise(pairs, left, right)
        or any(_is_counted_otherwise(a, b, left, right) or not _is_same_word(a, b) for a, b in pairs)
    )


def informative_terms(
    heavy: Sequence[Term], terms: Sequence[Term], pairs: Sequence[_Pair], text: Proposition
) -> list[Term]:
    """Return the terms without partner that a report tells, given those of weight in a general statement."""
    more = [term for term in terms if term not in heavy and _tells_more(term, pairs, text)]
    return [*(term for term in heavy if not _is_one(term, text)), *more]


def _is_arranged_otherwise(pairs: Sequence[_Pair], left: Proposition, right: Proposition) -> bool:
    """Whether the words of two reports stand in an order that no rule explains."""
    both = _in_order(pairs, left, right)
    voices = [(a, b) for a, b in both if _is_passive(a, left) != _is_passive(b, right) and a.key == b.key]
    if voices:
        several = {key for text in (left, right) for key, times in Counter(_keys(text)).items() if times > 1}
        once = [(a, b) for a, b in both if a.key not in several]
        return any(_acts_otherwise(a, b, once, left, right) for a, b in voices)
    if any("purpose" in (a.role, b.role) and a.role != b.role for a, b in both):
        return False  # "opens it with a key", "uses a key to open it"
    left_positions, right_positions = _positions(left), _positions(right)
    places = [
        (left_positions[id(a)], right_positions[id(b)], a, b) for a, b in both if not (is_loose(a) or a.key in WEAK)
    ]
    return any(
        (mine - another) * (their - others) < 0
        and not (_is_list(left, mine, another) and _is_list(right, their, others))
        and not (_is_moved(a, b, both, left, right) or _is_moved(c, d, both, left, right))
        for (mine, their, a, b), (another, others, c, d) in combinations(places, 2)
    )


def _is_placed_otherwise(pairs: Sequence[_Pair], left: Proposition, right: Proposition) -> bool:
    """Whether a noun of two reports stands behind another preposition, or behind none: "is jumping off the ramp", "is
    jumping the ramp".
    """
    left_places, right_places = (_places(text) for text in (left, right))
    if left.particles - right_places or right.particles - left_places:
        return True
    nouns, others = heads(left), heads(right)
    for a, b in pairs:
        sides = (nouns[a.group] is a, others[b.group] is b)
        if any(sides) and "for" in {a.role} ^ {b.role} and not (a.owner or b.owner):
            return True  # "a scooter for water" may be another one than "a water scooter"
        behind_another = _is_behind_another(a, b, left, right) or _is_behind_another(b, a, right, left)
        if all(sides) and behind_another and not _is_moved(a, b, pairs, left, right):
            return True
    return False


def _places(text: Proposition) -> frozenset[str]:
    """Return the prepositions of a text, with an object or without."""
    return text.particles | {term.role for term in text.terms} | {term.key for term in text.terms}


def _is_behind_another(one: Term, other: Term, left: Proposition, right: Proposition) -> bool:
    if one.role not in PREPOSITIONS or one.quantity or one.name:
        return False
    if other.role == "obj":
        uses = one.role == "with" and any(term.key == "us" for term in right.terms)  # "using it" is read as "with it"
        return not (uses or left.passive or right.passive or one.shown.endswith("ing"))
    if other.role not in PREPOSITIONS or {one.role, other.role} <= _AT:
        return False
    return PLACES.get(one.role, one.role) != PLACES.get(other.role, other.role)


def _is_counted_otherwise(one: Term, other: Term, left: Proposition, right: Proposition) -> bool:
    """Whether one is said to do in one report what several do in the other: "a worker is", "the workers are"."""
    counts = one.key == other.key and one.shown.lower() != other.shown.lower() and one.head and other.head
    return counts and not (one.quantity or one.name) and _is_actor(one, left) and _is_actor(other, right)


def _is_actor(term: Term, text: Proposition) -> bool:
    return term.role == ("by" if text.passive else "subj")


def _is_same_word(one: Term, other: Term) -> bool:
    """Whether two words are alike beyond statements of software, where "wipes" and "drops" both remove."""
    if one.quantity or one.name or other.name:
        return True
    first, second = stem(one.shown.lower()), stem(other.shown.lower())
    bases = base_of(first), base_of(second)
    return bases[0] == bases[1] or are_synonyms(first, second) or are_synonyms(*bases)


def _tells_more(term: Term, pairs: Sequence[_Pair], text: Proposition) -> bool:
    """Whether a word without partner tells more, though it has no weight in general statements.

    "Is running" in "is running and shouting" does, "is doing" in "is doing exercises" and "made" in "made of steel"
    do not.
    """
    word = term.shown.lower()
    if term.key == "us" or is_adverb(word) or (is_participle(word) and term.role != "verb"):
        return False
    at = text.terms.index(term)
    return not any(_is_action(b) and not _is_action(a) and text.terms.index(a) > at for a, b in pairs)


def _is_action(term: Term) -> bool:
    return term.role == "verb" or term.shown.endswith("ing")


def _is_one(term: Term, text: Proposition) -> bool:
    """Whether a word is "one" before the subject: "one worker is reading" is "a worker is reading"."""
    behind = text.terms[text.terms.index(term) + 1 :][:1]
    return term.key == "1" and term.role in ("subj", "by") and [each.role for each in behind] == [term.role]


def _in_order(pairs: Sequence[_Pair], left: Proposition, right: Proposition) -> list[_Pair]:
    """Return the pairs with equal words paired in their order: the first with the first."""
    left_order = {id(term): at for at, term in enumerate(left.terms)}
    right_order = {id(term): at for at, term in enumerate(right.terms)}
    waiting: dict[str, list[Term]] = {}
    for _, b in sorted(pairs, key=lambda pair: right_order.get(id(pair[1]), 0)):
        waiting.setdefault(b.key, []).append(b)
    return [(a, waiting[b.key].pop(0)) for a, b in sorted(pairs, key=lambda pair: left_order.get(id(pair[0]), 0))]


def _is_passive(term: Term, text: Proposition) -> bool:
    return text.passive and term.role == "verb" and not term.shown.endswith("ing")


def _acts_otherwise(one: Term, other: Term, pairs: Sequence[_Pair], left: Proposition, right: Proposition) -> bool:
    """Whether the subject of a verb in one voice is not behind the verb in the other voice."""
    turned = [(b, a) for a, b in pairs]
    return _is_before(one, other, pairs, left, right) or _is_before(other, one, turned, right, left)


def _is_before(verb: Term, other: Term, pairs: Sequence[_Pair], left: Proposition, right: Proposition) -> bool:
    places = {id(term): at for at, term in enumerate(right.terms)}
    partner = {id(a): b for a, b in pairs}
    subject: list[Term] = []
    for term in left.terms:
        if term is verb:
            break
        if term.role in _VERBAL:
            subject = []
        elif term.role == "subj" or subject:
            subject.append(term)
    return any(id(each) in partner and places[id(partner[id(each)])] < places[id(other)] for each in subject)


def _positions(text: Proposition) -> dict[int, int]:
    """Return the place of the first word of each word's phrase."""
    phrases = _phrases(text)
    first = {phrases[term.group]: at for at, term in reversed(list(enumerate(text.terms)))}
    return {id(term): first[phrases[term.group]] for term in text.terms}


def _phrases(text: Proposition) -> dict[int, int]:
    """Return the last group of each group's phrase: "a black and white dog" and "a dog's ball" have two groups."""
    phrases = {term.group: term.group for term in text.terms}
    for term, behind in reversed(list(pairwise(text.terms))):
        follows = behind.group == term.group + 1 and behind.role == term.role != "verb"
        if follows and (term.owner or behind.chunk == term.chunk + 1):
            phrases[term.group] = phrases[behind.group]
    return phrases


def _is_moved(one: Term, other: Term, pairs: Sequence[_Pair], left: Proposition, right: Proposition) -> bool:
    """Whether a modifier stands before its noun in one text and behind it in the other: "a black dog", "a dog which is
    black".
    """
    turned = [(b, a) for a, b in pairs]
    return _is_behind_noun(one, other, pairs, left, right) or _is_behind_noun(other, one, turned, right, left)


def _is_behind_noun(one: Term, other: Term, pairs: Sequence[_Pair], left: Proposition, right: Proposition) -> bool:
    left_phrases, right_phrases = _phrases(left), _phrases(right)
    phrase = left_phrases[one.group]
    noun = heads(left)[phrase]
    partner = {id(a): b for a, b in pairs}
    same = partner.get(id(noun))
    if noun is one or same is None or right_phrases[same.group] == right_phrases[other.group]:
        return False
    origin = {id(b): left_phrases[a.group] for a, b in pairs}
    if any(
        origin.get(id(term), phrase) != phrase
        for term in right.terms
        if right_phrases[term.group] == right_phrases[other.group]
    ):
        return False
    at, behind = right.terms.index(same), right.terms.index(other)
    if other.role == "pred" and same.role == "subj" and behind > at:
        return not any(term.role == "verb" for term in right.terms[at:behind])
    return behind > at and all(
        term.key in WEAK or right_phrases[term.group] == right_phrases[other.group] or origin.get(id(term)) == phrase
        for term in right.terms[at + 1 : behind]
    )


def _keys(text: Proposition) -> list[str]:
    return [term.key for term in text.terms]


def _is_list(text: Proposition, one: int, other: int) -> bool:
    """Whether the words from one place to another are parts of one subject or object: "a reader and a writer"."""
    return {term.role for term in text.terms[min(one, other) : max(one, other) + 1]} in ({"subj"}, {"obj"})
