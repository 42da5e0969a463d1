"""A text as propositions: its terms, each with its role, and what limits or denies them.

The rules cover English. They read a sentence from left to right: a subject up to the verb, an object behind it, and
phrases that prepositions and conjunctions open. There is no grammar behind it, so the comparison of two propositions
(`relation`) asks for more than equal roles.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

from muninn_core.model.value import replace
from muninn_core.reconcile.language.clauses import FRONTING, Sentence, is_amount, is_purpose, split
from muninn_core.reconcile.language.exclusion import FLIPPED
from muninn_core.reconcile.language.lexicon import stem, word_set
from muninn_core.reconcile.language.quantity import read_quantity
from muninn_core.reconcile.language.sentences import sentences
from muninn_core.reconcile.language.synonyms import SAME_AS
from muninn_core.reconcile.language.tenses import (
    PAST,
    has_no_verb,
    has_reporting_verb,
    is_continuous,
    is_dated,
    is_passing,
    is_past,
    is_undergoing,
    next_word,
)
from muninn_core.reconcile.language.terms import Proposition, Term
from muninn_core.reconcile.language.thesaurus.table import is_verb
from muninn_core.reconcile.language.vocabulary import (
    AUXILIARIES,
    BEING,
    DETERMINERS,
    LIFETIME,
    LIMITS,
    MANY,
    NO,
    PATHS,
    PREPOSITIONS,
    PRODUCTS,
    STOP,
    SUBORDINATORS,
    UNIVERSAL,
    WEAK,
    is_adverb,
    is_participle,
    is_unknown,
    key_of,
)

_NAME = re.compile(r"^-|[a-z][A-Z]|[_./:]|[A-Za-z]\d|\d[A-Za-z]|[A-Z]{2}|-\d")
_NOBODY = frozenset(("nobody", "no one"))
_DURATIVE = frozenset(("while", "during"))
"""Words for a time that lasts, which are read as "when"."""
_NO_BEHIND_THERE = 2
"""In words: how near to "there" a denial of existence is."""
_EVERYBODY = word_set("anyone anybody everyone everybody everywhere anywhere")
_SEVERAL = frozenset(("several", "multiple", "more than one"))
_LANGUAGES = {"Go": "golang", "Make": "gnumake"}
"""Names that are other words in lower case."""


_PREPOSITION = {"using": "with", "via": "with", "through": "with", "out": "without", "off": "from"}
_SUBJECTS = frozenset(("we", "they", "it", "you", "i"))
_PERSONAL = (["him"], ["her"], ["them"], ["it"], ["us"], ["me"])
_SEPARATORS = word_set(", ( ) : and or but ; = . ! ?")
_FUNCTION = SUBORDINATORS | AUXILIARIES | PREPOSITIONS | PATHS | _SEPARATORS | DETERMINERS | STOP


@lru_cache(maxsize=20_000)
def read(text: str) -> Proposition:
    """Return a text as one proposition. Results are cached."""
    reader = _Reader(text)
    for sentence in sentences(text):
        found = split(sentence)
        reader.read_sentence(found)
        if found.reason is not None:
            reader.read_reason(found.reason)
    return reader.proposition()


class _Reader:
    """Collects the terms of a text, clause by clause."""

    def __init__(self, text: str) -> None:
        self.terms: list[Term] = []
        self.flags: set[str] = set()
        self.particles: set[str] = set()
        self.negations = 0
        self.bound = ""
        self.verb = ""
        self.passive = False
        self.imperative = False
        self.event = is_dated(text)
        self.passing = self.continuous = False
        self.none: set[str] = set()
        self.extents: set[str] = set()
        self.chunk = 0
        self.group = 0
        self.segments = 0
        self.parts = 0
        self._role, self._limit = "subj", ""
        self._after_content = False
        self._preferring = False
        self._universal = self._any = self._definite = False
        self._finite = -1
        self._fronted = self._subordinate = False
        self._part_start, self._part_denied = 0, False
        self.restricted = ""
        self._existential = self._min_denied = self._part_negated = False

    def read_sentence(self, sentence: Sentence) -> None:
        """Add the terms of a sentence, without its reason."""
        self.segments += 1
        self._existential = sentence.existential
        for words, plain, verb, self._preferring in sentence.clauses:
            start = self._part_start = len(self.terms)
            self._clause(words, plain, verb)
            self._end_part()
            self._order(start, "§then" in plain)

    def read_reason(self, words: Sequence[tuple[str, str]]) -> None:
        """Add the terms of a reason. Its denials do not count."""
        kept = self.negations, set(self.flags), self.bound, self.verb, self.passive
        start = len(self.terms)
        self._clause(words, [word for word, _ in words], -1)
        self.terms[start:] = [replace(term, role="why", time="") for term in self.terms[start:]]
        self.negations, self.flags, self.bound, self.verb, self.passive = kept

    def proposition(self) -> Proposition:
        terms = _with_lifetime(_with_period(list(self.terms)))
        if not self.verb and any(term.role == "pred" for term in terms):
            roles = {term.chunk: term.role for term in terms}
            terms = [_with_purpose(term) if roles.get(term.chunk + 1) == "for" else term for term in terms]
        last = {term.chunk: at for at, term in enumerate(terms)}
        for at in last.values():
            terms[at] = replace(terms[at], head=True)
        if self._min_denied and self.bound == "min" and self.negations == 1:
            self.bound, self.negations, self.none = "max", 0, set()  # "no name is longer than 8 letters"
            terms = [replace(term, denied=False) for term in terms]
        return Proposition(
            terms=tuple(terms),
            stated=tuple(term for term in terms if term.role != "why"),
            weight=frozenset(term.key for term in terms if term.key not in WEAK),
            negations=self.negations,
            part="part" in self.flags,
            only="only" in self.flags,
            maybe="maybe" in self.flags,
            may="may" in self.flags,
            bound=self.bound,
            verb=self.verb,
            passive=self.passive,
            event=self.event,
            passing=self.passing,
            continuous=self.continuous,
            none=frozenset(self.none),
            extents=frozenset(self.extents),
            some="some" in self.flags,
            very="very" in self.flags,
            qualified="qualified" in self.flags,
            segments=self.segments,
            imperative=self.imperative,
            particles=frozenset(self.particles),
            restricted=self.restricted,
        )

    def _clause(self, words: Sequence[tuple[str, str]], plain: Sequence[str], verb: int) -> None:
        self._open("subj" if verb else "verb")
        self._finite = verb
        self._subordinate = False
        opens_without = bool(words) and words[0][1] == "Without"
        self._fronted = opens_without or (bool(plain) and plain[0] in FRONTING)
        self.imperative = self.imperative or verb == 0
        opens_past = bool(plain) and verb != 0 and plain[0].endswith("ed") and is_verb(stem(plain[0]))
        self.event = self.event or opens_past or has_reporting_verb(plain)
        at = 0
        while at < len(plain):
            quantity = read_quantity(plain, at)
            if quantity is None:
                self._token(words, plain, at)
                at += 1
                continue
            key, end = quantity
            shown = " ".join(written for _, written in words[at:end])
            self.group += 1
            self._add(
                Term(
                    key=key,
                    shown=shown,
                    role=self._role,
                    chunk=self.chunk,
                    quantity=True,
                    group=self.group,
                    limit=self._limit,
                )
            )
            self._fronted = self._fronted and end < verb
            at = end

    def _token(self, words: Sequence[tuple[str, str]], plain: Sequence[str], at: int) -> None:
        word, shown = words[at]
        if at == self._finite and word not in AUXILIARIES:
            self._finite_verb(word, shown, at == 0)
        elif word not in _FUNCTION and not word.startswith("§"):
            self._content(word, shown, at)
        elif word.startswith("§"):
            self._none(plain, at, shown.lower())
            if word == "§part":
                extent = shown.lower().removesuffix(" the").removesuffix(" of")
                self.extents.add("several" if extent in _SEVERAL else extent)
            if not (word == "§part" and self._role == "with" and shown.lower() in MANY):
                self._mark(word)  # but "with several workers" tells when, not of how many
            if shown.lower() == "without":
                self._open("with")
            if word == "§not" and self._role == "with" and at < self._finite:
                self.flags.add("qualified")
            if word == "§not" and at == self._finite:
                self._denied_verb(plain, at, shown.lower())
        elif word in SUBORDINATORS:
            self._subordinator(plain, at, shown.lower())
        elif word in AUXILIARIES:
            if at == self._finite or (not self._subordinate and word in BEING):
                self._auxiliary(plain, at)
            elif word == "have" and at == self._finite + 1 and not is_participle(next_word(plain, at)):
                self._open("obj")  # "can have"
        elif word in PREPOSITIONS or (word in PATHS and self._is_path(plain, at)):
            self._preposition(words, plain, at)
        elif word in _SEPARATORS:
            self._separator(plain, at)
        elif word in DETERMINERS:
            self.group += 1
            is_time = plain[0] in ("after", "before") and has_no_verb(plain[1:at])
            if self._fronted and (is_time or not self._subordinate) and self._after_content and at < self._finite:
                self._open("subj")
                self._fronted = self._subordinate = False
            self._universal = word in UNIVERSAL
            self._any, self._definite = word in ("a", "an"), word in ("the", "our")
        elif word not in STOP:
            self._content(word, shown, at)

    def _content(self, word: str, shown: str, at: int) -> None:
        """Add a word that is no function word."""
        self._word(word, shown, at == 0 and not (self._finite == 1 and is_unknown(word)))
        if self._role == "verb" and not is_adverb(word):
            self._open("obj")

    def _is_path(self, plain: Sequence[str], at: int) -> bool:
        """Whether a particle behind an object is a preposition: "pushes the cart up the hill"."""
        behind = plain[at + 1] if at + 1 < len(plain) else ""
        return self._role == "obj" and self._after_content and behind in DETERMINERS

    def _finite_verb(self, word: str, shown: str, initial: bool) -> None:
        self.event = self.event or is_past(word)
        self._open("verb")
        self._word(word, shown, initial)
        self._open("obj")
        self._subordinate = False

    def _none(self, plain: Sequence[str], at: int, shown: str) -> None:
        """Note a denial of all: "no test ...", "there is no test ...", "nobody ..."."""
        opens = self._role == "subj" and not self._after_content
        if self._existential and at <= _NO_BEHIND_THERE and shown in NO | _NOBODY:
            self.none.add("there")
        elif opens and shown in NO:
            self.none.add("subj")
        if shown == "nothing" and not self._after_content and self._role in ("subj", "obj", "pred"):
            self.none.add("thing")
        if shown in _NOBODY and (opens or self._role == "by" or "there" in self.none):
            self.none.add("person")

    def _denied_verb(self, plain: Sequence[str], at: int, shown: str) -> None:
        """Open what is denied by "is not" or "does not", which are read as one mark."""
        following = next_word(plain, at)
        has_subject = self._after_content or plain[max(at - 1, 0)] in _SUBJECTS
        if following in AUXILIARIES or not has_subject or shown in NO:
            return
        is_being = shown.startswith(("is", "are", "was", "were"))
        if is_being:
            self._tense(plain, at)
        if is_participle(following) or is_undergoing(plain, at):
            self.passive = self.passive or is_being
            self._open("verb")
        else:
            self._open("verb" if is_verb(stem(following)) else "pred")

    def _tense(self, plain: Sequence[str], at: int) -> None:
        """Note what the form of "be" at a position tells about the time of the statement."""
        self.passing = self.passing or is_passing(plain, at)
        self.continuous = self.continuous or is_continuous(plain, at)

    def _subordinator(self, plain: Sequence[str], at: int, shown: str) -> None:
        if plain[at] in ("after", "before", "until") and at + 1 < len(plain) and read_quantity(plain, at + 1):
            self._open("amount", plain[at])
        else:
            self._open(plain[at])
            self._limit = "while" if shown in _DURATIVE else ""
            self._subordinate = True

    def _separator(self, plain: Sequence[str], at: int) -> None:
        if plain[at] == "," and self._fronted:
            verb = self._finite
            opens_request = verb < 0 and at + 1 < len(plain) and is_verb(stem(plain[at + 1]))
            self._open("subj" if verb > at or (verb < 0 and not opens_request) else "obj" if verb >= 0 else "verb")
            self._fronted = self._subordinate = False
            return
        if plain[at] in (",", "but", "and"):
            self._end_part()
        self._open(self._role)

    def _auxiliary(self, plain: Sequence[str], at: int) -> None:
        word = plain[at]
        self.event = self.event or word in ("was", "were")
        following = next_word(plain, at)
        if word in BEING:
            self._tense(plain, at)
        self._after_content = self._subordinate = False
        if is_participle(following) or is_undergoing(plain, at):
            self.passive = self.passive or word in BEING or any(each in BEING for each in plain[at + 1 : at + 4])
            self._open("verb")
        elif word in BEING and following.endswith("ing") and is_verb(stem(following)):
            self._open("verb")  # "is polling"
        elif word in BEING or any(each in BEING for each in plain[at + 1 : at + 3]):
            self._open("pred")
        elif word in ("has", "have", "had"):
            self._open("obj")
        else:
            self._open("verb")

    def _preposition(self, words: Sequence[tuple[str, str]], plain: Sequence[str], at: int) -> None:
        word = plain[at]
        self.group += 1
        behind = at + 1 + (plain[at + 1 : at + 2] in _PERSONAL)
        if word != "of" and (behind >= len(plain) or plain[behind] in _SEPARATORS):
            self.particles.add(_PREPOSITION.get(word, word))
        if is_amount(plain, at + 1):
            self._open("amount", word)
        elif self._preferring and word in ("over", "to", "than") and self.terms:
            self._open("else")
        elif word == "to" and is_purpose(words, at + 1):
            self._open("purpose")
        elif not self._subordinate and word != "of" and (self._role != "else" or self._after_content):
            self._open(_PREPOSITION.get(word, word))  # but "the state of the cart" is one phrase

    def _mark(self, word: str) -> None:
        mark = word[1:]
        if mark == "not":
            self.negations += 1
            self._part_denied = self._part_negated = True
        elif mark in ("max", "min"):
            self._min_denied = self._min_denied or (mark == "min" and self._part_negated)
            self.bound = self.bound or mark
        elif mark == "else":
            self._open("else")
        elif mark == "of":
            self._own()
        elif mark == "then":
            pass
        else:
            self.flags.add(mark)
            if mark == "only" and self._role in ("subj", "verb"):
                self.restricted = "verb" if self._role == "verb" or self._after_content else "subj"
            if mark == "part" and self._role == "subj":
                self.flags.add("some")
            if mark == "may":
                self._open("verb")

    def _own(self) -> None:
        """Mark the words before "'s" as an owner."""
        at = len(self.terms)
        while at and self.terms[at - 1].group == self.group:
            at -= 1
            self.terms[at] = replace(self.terms[at], owner=True)
        self.group += 1

    def _word(self, word: str, shown: str, initial: bool) -> None:
        key, flipped = _meaning(word)
        if flipped:
            self.negations += 1
            self._part_denied = True
        name = _is_name(shown) or word in PRODUCTS or (shown[:1].isupper() and not initial)
        if self._role == "verb" and not self.verb:
            self.verb = key
            self.event = self.event or (word in PAST and not self.passive)
        if self._role == "else" and self._after_content and is_verb(stem(word)) and not name and key == self.verb:
            return
        self._add(
            Term(
                key=_named(word, shown, key, initial) if name else key,
                shown=shown,
                role=self._role,
                chunk=self.chunk,
                name=name,
                universal=self._universal or word in _EVERYBODY,
                definite=self._definite,
                single=self._any,
                group=self.group,
                limit="while" if self._limit == "while" else "",
                flipped=flipped,
            )
        )

    def _add(self, term: Term) -> None:
        self.terms.append(term)
        self._after_content = True

    def _end_part(self) -> None:
        self.parts += 1
        self.terms[self._part_start :] = [
            replace(term, denied=self._part_denied, part=self.parts) for term in self.terms[self._part_start :]
        ]
        self._part_start, self._part_denied, self._part_negated = len(self.terms), False, False

    def _open(self, role: str, limit: str = "") -> None:
        self.chunk += 1
        self.group += 1
        self._universal = self._any = self._definite = False
        self._role, self._limit = role, LIMITS.get(limit, "")
        self._after_content = False

    def _order(self, start: int, later: bool) -> None:
        """Mark the terms of two events as early and late: "A before B", "after B, A", "first A, then B"."""
        terms = self.terms[start:]
        for role, own, other in (("before", "late", "early"), ("after", "early", "late")):
            if any(term.role == role for term in terms):
                self.terms[start:] = [replace(term, time=own if term.role == role else other) for term in terms]
                return
        if later and start:
            self.terms = [replace(term, time=term.time or "early") for term in self.terms[:start]]
            self.terms += [replace(term, time="late") for term in terms]


@lru_cache(maxsize=20_000)
def _meaning(word: str) -> tuple[str, bool]:
    """Return the key of a word, and whether it is that of its opposite: the word is read as a denial of it."""
    base = stem(word)
    flipped = FLIPPED.get(base) or FLIPPED.get(SAME_AS.get(base, ""))
    if word.endswith("ly") and stem(word[:-2]) in FLIPPED:
        flipped = key_of(f"{FLIPPED[stem(word[:-2])]}ly")
    return flipped or key_of(word), bool(flipped)


@lru_cache(maxsize=20_000)
def _is_name(shown: str) -> bool:
    """Whether a word looks like a name wherever it is: "load_session", "UTF-8", "--fix"."""
    return _NAME.search(shown) is not None


def _named(word: str, shown: str, key: str, initial: bool) -> str:
    """Return the key of a name."""
    if not initial and shown in _LANGUAGES:
        return _LANGUAGES[shown]
    return word if "/" in word and _is_name(shown) else key


def _with_purpose(term: Term) -> Term:
    """Note what a thing does that is named after it: "Ruff is the linter for scripts"."""
    word = term.shown.lower()
    deed = key_of(word[:-2]) if word.endswith("er") and term.role in ("subj", "pred") else ""
    return replace(term, deed=deed) if is_verb(deed) else term


def _with_period(terms: list[Term]) -> list[Term]:
    """Read "the interval is 5 s" as "every 5 s"."""
    named = [term for term in terms if term.key == "interval"]
    amounts = [
        at for at, term in enumerate(terms) if term.quantity and term.key.endswith(" ms") and term.key[0].isdigit()
    ]
    if not named or len(amounts) != 1:
        return terms
    terms[amounts[0]] = replace(terms[amounts[0]], key=f"every {terms[amounts[0]].key}")
    return [term for term in terms if term.key != "interval"]


def _with_lifetime(terms: list[Term]) -> list[Term]:
    """Give words for a duration ("expires after", "is valid for") one key, when there is a duration."""
    if not any(term.quantity and term.key.endswith((" ms", " month")) for term in terms):
        return [replace(term, key="lifetime") if term.key == "expir" else term for term in terms]
    return [replace(term, key="lifetime") if term.key in LIFETIME else term for term in terms]
