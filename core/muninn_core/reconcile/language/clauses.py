"""Splits a sentence into clauses and finds the verb of each, without a grammar of English."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

from muninn_core.reconcile.language.lexicon import stem
from muninn_core.reconcile.language.phrases import rewrite
from muninn_core.reconcile.language.quantity import number_of, read_quantity
from muninn_core.reconcile.language.sentences import split_reason, tokens_of
from muninn_core.reconcile.language.thesaurus.table import is_verb
from muninn_core.reconcile.language.vocabulary import (
    AUXILIARIES,
    BEING,
    DETERMINERS,
    FINITE,
    IMPERATIVES,
    NO,
    NOMINAL,
    PREFERRING,
    PREPOSITIONS,
    PRODUCTS,
    STOP,
    SUBORDINATORS,
    is_adverb,
)


class Clause(NamedTuple):
    """The words of a clause, each in lower case and as written; the place of its verb, and whether it prefers."""

    words: list[tuple[str, str]]
    plain: list[str]
    verb: int
    prefers: bool


class Sentence(NamedTuple):
    """A sentence as clauses, the words of its reason, if it has one, and whether it begins with "there"."""

    clauses: list[Clause]
    reason: list[tuple[str, str]] | None
    existential: bool


@lru_cache(maxsize=1_000)
def split(sentence: str) -> Sentence:
    """Return the clauses of a sentence. Results are cached, because a text is read as a whole and by its sentences."""
    body, reason = split_reason(sentence)
    tokens = tokens_of(body)
    found = []
    for words in _clauses(_conjoined(_with_cause(rewrite(tokens)))):
        plain = [word for word, _ in words]
        verb = _verb_at(plain, [shown for _, shown in words])
        found.append(Clause(words, plain, verb, not PREFERRING.isdisjoint(map(stem, plain))))
    return Sentence(found, rewrite(tokens_of(reason)) if reason else None, tokens[:1] in (["There"], ["there"]))


def _conjoined(words: list[tuple[str, str]]) -> list[tuple[str, str]]:
    """Return words with conjunctions and alternatives in one form: "once the ..." is "after the ...", ", not X" turns X
    down.
    """
    if _CONJOINING.isdisjoint(word for word, _ in words):
        return words
    result: list[tuple[str, str]] = []
    words = _with_subject(_without_until(_without_relative(words)))
    for at, (word, shown) in enumerate(words):
        if word not in _CONJOINING and word not in _COMPARED and word != "§only":
            result.append((word, shown))
            continue
        rest = [each for each, _ in words[at + 1 :]]
        if word == "§only" and rest[:1] == ["once"] and set(rest[1:2]) & (DETERMINERS | _PRONOUNS):
            continue  # "only once the export has completed"
        if (
            word == "once"
            and rest
            and not read_quantity(["once", *rest], 0)
            and (rest[0] in DETERMINERS or rest[0] in _PRONOUNS or set(rest[1:3]) & BEING)
        ):
            word = "after"
        if word in ("under", "below", "above", "over") and rest and number_of(rest[0]) is not None:
            word = "§max" if word in ("under", "below") else "§min"
        if word in _COMPARED and rest[:1] == ["than"] and rest[1:] and number_of(rest[1]) is not None:
            word = _COMPARED[word]
        if word == "than" and result and result[-1][0] in _COMPARED.values():
            continue
        denied = word == "§not" and not shown.lower().startswith(("is", "are", "was", "were", "has", "have"))
        if denied and at and words[at - 1][0] == "," and rest and rest[0] != "to":
            until = next(
                (position for position, each in enumerate(rest) if each in (",", ".", "but", "and")), len(rest)
            )
            if until <= _MAX_ALTERNATIVE and not set(rest[:until]) & AUXILIARIES:
                word = "§else"
        result.append((word, shown))
    return result


_COMPARED = dict.fromkeys(("larger", "bigger", "greater", "longer", "higher", "older", "more"), "§min")
_COMPARED |= dict.fromkeys(("smaller", "shorter", "lower", "younger"), "§max")
"""Words before "than" and a figure, and the bound that they make of it."""
_CONJOINING = frozenset(("there", "that", "until", "once", "under", "below", "above", "over", "than", "§not"))
"""`_conjoined` changes no sentence without one of these words."""


def _with_cause(words: list[tuple[str, str]]) -> list[tuple[str, str]]:
    """Return "the cause of the leak was a cycle" as "the leak was caused by a cycle"."""
    at = next((at for at, (word, _) in enumerate(words[:3]) if word in ("cause", "reason")), -1)
    if at < 0:
        return words
    plain = [word for word, _ in words]
    if plain[at + 1 : at + 2] not in (["of"], ["for"], ["behind"]) or set(plain[:at]) - _OPENING_CAUSE:
        return words
    being = next((position for position in range(at + 2, len(plain)) if plain[position] in BEING), -1)
    if being < 0 or being == len(plain) - 1 or plain[being + 1] in ("§not", "that"):
        return words
    return [*words[at + 2 : being + 1], ("caused", "caused"), ("by", "by"), *words[being + 1 :]]


_OPENING_CAUSE = frozenset(("the", "a", "root", "main", "real", "actual", "underlying"))


def _without_relative(words: list[tuple[str, str]]) -> list[tuple[str, str]]:
    """Return "keys that have expired" as "keys expired"."""
    kept: list[tuple[str, str]] = []
    for at, each in enumerate(words):
        behind = [word for word, _ in words[at + 1 : at + 3]]
        if each[0] == "that" and at and len(behind) == 2 and behind[0] in _PERFECT and behind[1].endswith("ed"):
            continue
        if each[0] in _PERFECT and at and words[at - 1][0] == "that" and behind and behind[0].endswith("ed"):
            continue
        kept.append(each)
    return kept


_PERFECT = frozenset(("have", "has", "are", "is"))


def _without_until(words: list[tuple[str, str]]) -> list[tuple[str, str]]:
    """Return "do not merge until it is green" as "merge after it is green"."""
    plain = [word for word, _ in words]
    if "until" not in plain or "§not" not in plain[: plain.index("until")]:
        return words
    dropped, until = plain.index("§not"), plain.index("until")
    kept = [*words[:dropped], *words[dropped + 1 : until]]
    return [*kept, ("after", words[until][1]), *words[until + 1 :]]


def _with_subject(words: list[tuple[str, str]]) -> list[tuple[str, str]]:
    """Return "there is no job writing logs" as "no job is writing logs"."""
    plain = [word for word, _ in words]
    if plain[:1] != ["there"] or len(plain) < _MIN_EXISTENTIAL or plain[1] not in BEING | {"§not"}:
        return words
    for at in range(4 if plain[2] in DETERMINERS or plain[2].startswith("§") else 3, len(plain)):
        word, before = plain[at], plain[at - 1]
        if word in SUBORDINATORS or word in AUXILIARIES or word in ("who", "which", "that", ","):
            break
        if word.endswith("ing") and is_verb(stem(word)) and before not in _BEFORE_NOUN:
            at -= at > _MIN_EXISTENTIAL and is_adverb(before)
            return [*words[2:at], words[1], *words[at:]]
    return words


_PRONOUNS = frozenset(("it", "they", "we", "you", "he", "she"))
_MIN_EXISTENTIAL = 4
_MAX_ALTERNATIVE = 4
"""In words."""


def is_purpose(words: Sequence[tuple[str, str]], at: int) -> bool:
    """Whether "to" is before a verb: "to build the docs", and not before a name."""
    return at < len(words) and words[at][1].islower() and is_verb(stem(words[at][0]))


def _clauses(words: list[tuple[str, str]]) -> list[list[tuple[str, str]]]:
    """Split a sentence at commas and conjunctions that have a verb on both sides."""
    plain = [word for word, _ in words]
    if _SEPARATING.isdisjoint(plain) or plain[0] in FRONTING:
        return [words]
    shown = [written for _, written in words]
    for at, word in enumerate(plain):
        if word not in _SEPARATING or at < 2 or len(plain) - at < 3:
            continue
        behind = at + 1
        while behind < len(plain) and (plain[behind] in _SEPARATING or plain[behind] == "§then"):
            behind += 1
        left, right = plain[:at], plain[behind:]
        if not SUBORDINATORS.isdisjoint(left) or not right or right[0] in FRONTING or right[0] in _RELATIVE:
            continue
        first, second = _verb_at(left, shown[:at]), _verb_at(right, shown[behind:])
        if first < 0 or second < 0 or (second == 0) != (first == 0):
            continue
        return [words[:at], *_clauses(words[at + 1 :])] if plain[at + 1 :] else [words]
    return [words]


_SEPARATING = frozenset((",", "and", "but"))
FRONTING = PREPOSITIONS | SUBORDINATORS
"""Words that open a phrase which may stand before the subject."""
_RELATIVE = frozenset(("which", "who", "that", "whose", "where", "§else"))


def is_amount(plain: Sequence[str], at: int) -> bool:
    """Whether a figure with a unit begins at a word, with or without a bound before it."""
    at += at < len(plain) and plain[at] in ("§max", "§min", "about", "around")
    found = read_quantity(plain, at) if at < len(plain) else None
    return bool(found and " " in found[0])


def _verb_at(plain: Sequence[str], shown: Sequence[str]) -> int:
    """Return the place of the first auxiliary or else of the finite verb; 0 for a request, -1 when none is found."""
    begin = _behind_fronted(plain)
    if plain[begin : begin + 1] == ["§not"] and begin + 1 < len(plain) and shown[begin].lower() not in NO:
        word = plain[begin + 1]
        is_base = is_verb(stem(word)) and not word.endswith(("s", "ed", "ing")) and word not in PREPOSITIONS
        if _is_request(plain, begin + 1) or is_base:
            return begin + 1  # "Don't add what the library does"
    acting = begin + 1
    if plain[begin : begin + 1] and plain[begin] in _SPEAKERS:
        while acting < len(plain) and is_adverb(plain[acting]):
            acting += 1
        if plain[acting : acting + 1] and plain[acting].isalpha() and plain[acting] not in _FUNCTION:
            return acting
    for at in range(begin, len(plain)):
        word = plain[at]
        if word in SUBORDINATORS and not _is_time_of_noun(plain, begin, at):
            break
        is_auxiliary = word in AUXILIARIES and word != "§maybe" and shown[at].lower() not in NO
        if is_auxiliary and (at or not word.startswith("§")):
            return at
    opening = next((at for at in range(begin, len(plain)) if not plain[at].startswith("§")), -1)
    if opening >= 0 and (plain[opening] in STOP or plain[opening] in PREPOSITIONS):
        opening = -1
    if opening >= 0 and _is_request(plain, opening):
        return opening
    end = next(
        (at for at in range(begin + 1, len(plain)) if plain[at] in SUBORDINATORS or plain[at] == ","), len(plain)
    )
    past = next((at for at in range(begin + 1, end) if _is_transitive_past(plain, at)), -1)
    if past >= 0 and not set(plain[begin:past]) & _RELATIVE:
        return past
    for at in range(begin + 1, end):
        if _is_finite(plain, shown, at, begin):
            return at
    if opening >= 0 and is_verb(stem(plain[opening])) and not plain[opening].endswith(("s", "ed", "ing")):
        return opening
    for at in range(begin + 1, len(plain)):
        if plain[at].endswith("ed") and is_verb(stem(plain[at])):
            return at  # "We moved the jobs"
    for at in range(begin, len(plain) - 1):
        is_doing = plain[at].endswith("ing") and is_verb(stem(plain[at])) and plain[at + 1] != "of"
        if is_doing and plain[at + 1] in _BEFORE_NOUN and plain[at - 1 : at] != ["to"]:
            return at  # "Polling the queue"
    return -1


_FUNCTION = AUXILIARIES | STOP
_BEFORE_NOUN = DETERMINERS | PREPOSITIONS
_BEHIND_REQUEST = STOP | PREPOSITIONS
_SPEAKERS = frozenset(("we", "i", "they"))
"""Subjects that a verb follows."""


def _is_time_of_noun(plain: Sequence[str], begin: int, at: int) -> bool:
    """Whether the subject has a time with it: "linting before a commit is done with Ruff"."""
    behind = plain[at + 1 : at + 2]
    is_gerund = at > begin and plain[begin].endswith("ing") and not AUXILIARIES & set(plain[begin:at])
    return is_gerund and plain[at] in ("before", "after") and bool(behind) and behind[0] in DETERMINERS


def _is_request(plain: Sequence[str], at: int) -> bool:
    """Whether a request begins with this verb: "Rotate the keys"."""
    word, following = plain[at], plain[at + 1] if at + 1 < len(plain) else ""
    if word in STOP or word in PREPOSITIONS:
        return False
    if word.endswith(("s", "ed", "ing")) and word not in IMPERATIVES:
        return False
    behind = plain[at + 2] if at + 2 < len(plain) else ""
    if word in NOMINAL and following[:1].isdigit() and word not in ("run", "set", "put"):
        return False  # "test 12 fails"
    if word in NOMINAL and following.endswith("s") and _is_finite(plain, plain, at + 1, at - 1):
        return behind not in _BEHIND_REQUEST
    if word in IMPERATIVES:
        return True
    return is_verb(stem(word)) and (following in DETERMINERS or following in PREPOSITIONS)


def _is_finite(plain: Sequence[str], shown: Sequence[str], at: int, begin: int) -> bool:
    """Whether a word is the verb of the noun before it."""
    word, before = plain[at], plain[at - 1]
    if word in STOP or word in PREPOSITIONS or not word.isalpha() or not is_verb(stem(word)):
        return False
    if before in DETERMINERS or before in PREPOSITIONS or word.endswith("ing"):
        return False
    if before in _PRONOUNS:
        return True
    while at > begin + 1 and (before in STOP or before.endswith("ly") or before.startswith("§")):
        at -= 1
        before = plain[at - 1]
    following = plain[plain.index(word, at) + 1] if plain.index(word, at) + 1 < len(plain) else ""
    if word.endswith("s") and not word.endswith("ss"):
        if (number_of(plain[begin]) or 1) > 1:
            return False  # "two jobs in old queues"
        if following in FINITE or (following in AUXILIARIES):
            return False  # "email digests go out"
        return not before.endswith("s") or before.endswith("ss") or shown[at - 1][:1].isupper() or before in PRODUCTS
    if not (before.endswith("s") or shown[at - 1].lower().endswith("s")) or word.endswith("ed"):
        return False
    ends = not following or following in STOP or following in PREPOSITIONS or following in SUBORDINATORS
    return word in FINITE or ends


def _is_transitive_past(plain: Sequence[str], at: int) -> bool:
    """Whether a word is a verb in the past with its object: "Replica lag caused the stale reads"."""
    word, following = plain[at], plain[at + 1] if at + 1 < len(plain) else ""
    return word.endswith("ed") and following in DETERMINERS and is_verb(stem(word))


def _behind_fronted(plain: Sequence[str]) -> int:
    """Return the place behind a phrase that opens the sentence: "In production, ..."."""
    if plain and plain[0] in FRONTING:
        comma = next((at for at, word in enumerate(plain) if word == ","), -1)
        if 0 < comma < len(plain) - 1:
            return comma + 1
    return 0
