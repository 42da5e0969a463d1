"""Tenses: whether a clause states what holds, reports an event, or describes what happens now."""

from __future__ import annotations

import re
from collections.abc import Sequence

from muninn_core.reconcile.language.lexicon import stem, word_set
from muninn_core.reconcile.language.quantity import number_of
from muninn_core.reconcile.language.thesaurus.table import is_verb
from muninn_core.reconcile.language.vocabulary import AUXILIARIES, PREPOSITIONS, STOP, is_adverb, key_of

PAST = word_set(
    "took ran fell rose hit lost left led made sent found had went came showed wrote broke met grew began saw got "
    "gave was were did"
)
_REPORTING = PAST - word_set("was were did made left had found hit saw led")
_DECIDED = word_set("moved switched picked decided migrated adopted agreed replaced removed named changed")
"""Verbs in the past that tell what holds since."""
_PRESENT = (["is"], ["are"], ["be"], ["being"])
_SHORT = frozenset(("doing", "going"))
"""Continuous forms of verbs that are too short for the thesaurus."""
_SOME = word_set("a an someone somebody §part")
"""Words that open a subject which is not a certain one."""
_MONTHS = sorted(word_set("january february march april may june july august september october november december"))
_BEHIND_MONTH = "|".join(rf"(?<=\b{month} \d)" for month in _MONTHS if month != "may")
_DATE = re.compile(
    rf"\d(?:(?<=\b\d)(?:\d? (?:{'|'.join(_MONTHS)})\b|\d{{3}}-\d\d-\d\d\b)|(?<=\bweek \d)\d*\b|{_BEHIND_MONTH})"
    r"| (?<=\blast )(?:night|week|month)",
    re.I,
)
"""Begins with a digit or a blank, which a search looks for first."""
_OPENING = re.compile(
    r"\W*(?:on|at) [\w: ]{3,12}(?:day|\d),? the \w"
    r"|\W*(?:the |an? |closed |merged |tagged |deployed |flashed |after |restore )*(?:\w+ )?"
    r"(?:pr|build|run|epoch|sprint|session|ticket|incident|version|commit|experiment|checkpoint|benchmark|test|match"
    r"|backtest|pipeline|drill|release|issue|bug) #?[0-9a-f]*\d",
    re.I,
)
"""Words that a text about an event begins with."""
_TICKET = re.compile(r"\b[A-Z]{2,}-\d+\b")


def next_word(plain: Sequence[str], at: int) -> str:
    """Return the first word after `at`, "" for none. Marks, function words and adverbs are skipped."""
    words = (each for each in plain[at + 1 :] if each not in STOP and not each.startswith("§"))
    return next((each for each in words if not is_adverb(each)), "")


def is_undergoing(plain: Sequence[str], at: int) -> bool:
    """Whether "being" and a participle follow: "is being written"."""
    following = next_word(plain, at)
    return "being" in plain[at : at + 3] and not following.endswith("ing") and is_verb(key_of(following))


def is_passing(plain: Sequence[str], at: int) -> bool:
    """Whether the form of "be" at a position tells what some subject is doing, or where: "a worker is in the pool"."""
    is_some = plain[0] in _SOME or number_of(plain[0]) is not None
    following = plain[at + 1] if at + 1 < len(plain) else ""
    return is_some and (following == "being" or following in PREPOSITIONS or next_word(plain, at).endswith("ing"))


def is_continuous(plain: Sequence[str], at: int) -> bool:
    """Whether the form of "be" at a position opens a verb in the continuous tense: "is reading", "is being read"."""
    following = next_word(plain, at)
    behind = plain[at + 1] if at + 1 < len(plain) else ""
    is_known = following in _SHORT or is_verb(stem(following)) or is_verb(key_of(following))
    return behind == "being" or (following.endswith("ing") and is_known)


def has_no_verb(words: Sequence[str]) -> bool:
    """Whether no word of a phrase is a verb."""
    return not any(word in AUXILIARIES or (word.endswith(("s", "ed", "ing")) and is_verb(stem(word))) for word in words)


def is_past(word: str) -> bool:
    """Whether a word is a verb in the past that tells of an event."""
    return word in PAST or (word.endswith("ed") and not word.endswith("eed") and word not in _DECIDED)


def is_dated(text: str) -> bool:
    """Whether a text names a date, a run or a ticket, and so tells of an event."""
    return bool(_OPENING.match(text) or _DATE.search(text) or ("-" in text and _TICKET.search(text)))


def has_reporting_verb(plain: Sequence[str]) -> bool:
    """Whether a clause has a verb in the past that tells of an event: "took", but not "is hit"."""
    return any(word in _REPORTING and plain[at - 1 : at] not in _PRESENT for at, word in enumerate(plain))
