"""Finds comments in cited code that contradict the memory, by the rules of reconciliation.

Comments state something in words and can be compared with memories; code is not interpreted.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import NamedTuple

from muninn_core.model.memory import Memory
from muninn_core.model.value import replace
from muninn_core.reconcile.comparison.compare import judge, may_contradict

MAX_COMMENTS = 40
"""The maximum number of comment sentences of a span that are compared."""

SENTENCES = 4
"""The number of sentences of a memory that are compared. Later ones give reasons."""

_COMMENT = re.compile(r'^\s*(?:#+|//[/!]?|/\*+|\*(?!/)|--|;+|"""|\'\'\')\s*(?P<text>\S.*)$')
_COMMENT_END = re.compile(r'(?<=.)(?:\*/|"""|\'\'\')$')
_SENTENCE = re.compile(r"(?<=[.!?;])\s+")


class Objection(NamedTuple):
    """A comment that contradicts a memory: its line, its text, and the reason in words."""

    line: int
    text: str
    reason: str


def find_objection(memory: Memory, lines: Sequence[str], start: int) -> Objection | None:
    """Return the first comment that contradicts a memory; None for none. `start` is the number of the first line."""
    sentences = [replace(memory, text=text, title="") for text in _sentences(memory)]
    for line, text in islice(_statements(lines, start), MAX_COMMENTS):
        for sentence in sentences:
            reason = contradiction_reason(sentence, replace(memory, id="~", text=text, title=""))
            if reason:
                return Objection(line, text, reason)
    return None


def contradiction_reason(one: Memory, other: Memory) -> str:
    """Return why two memories contradict each other, "" when they do not."""
    return judge(one, other).reason if may_contradict(one, other) else ""


def _sentences(memory: Memory) -> list[str]:
    """Return the title and first sentences of a memory. A comment rarely contradicts the text as a whole."""
    sentences = [memory.title, *_SENTENCE.split(memory.text)[:SENTENCES]]
    return [*dict.fromkeys(text for text in sentences if len(text.split()) > 2)]


def _statements(lines: Sequence[str], start: int) -> Iterator[tuple[int, str]]:
    for number, line in enumerate(lines, start):
        found = _COMMENT.match(line)
        for sentence in _SENTENCE.split(_COMMENT_END.sub("", found["text"].rstrip()).rstrip()) if found else ():
            if len(sentence.split()) > 2:
                yield number, sentence
