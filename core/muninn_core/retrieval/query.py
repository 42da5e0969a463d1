"""A question, taken apart once: its words for the lexical index and its identifiers for symbol matches."""

from __future__ import annotations

import re

from muninn_core.model.value import Value
from muninn_core.source.identifiers import words

_STOP_WORDS = frozenset(
    words(
        "a an and are as at be but by can could did do does for from had has have how i if in into is it its me my of "
        "on or our should so that the their them then there these they this to us was we were what when where which "
        "who why will with would you your"
    ).split()
)
_IDENTIFIER = re.compile(r"[^\W\d]\w*")
_TEST_WORDS = frozenset(words("test tests testing spec fixture mock").split())


class Query(Value):
    """`words` are distinct, in the order of the text; stop words are gone unless there is nothing else."""

    text: str
    words: tuple[str, ...]
    identifiers: frozenset[str]
    about_tests: bool


def parse_query(text: str) -> Query:
    """Take a question apart."""
    every = tuple(dict.fromkeys(words(text).split()))
    telling = tuple(word for word in every if word not in _STOP_WORDS)
    return Query(
        text=text,
        words=telling or every,
        identifiers=frozenset(_IDENTIFIER.findall(text)),
        about_tests=bool(_TEST_WORDS.intersection(every)),
    )
