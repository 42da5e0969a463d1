"""Whether the comments of some code say the opposite of a memory that cites it, by the rules of reconciling.

Comments are the part of code that states something in words, so they can be compared; what the statements of code do
is nobody's guess here.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import NamedTuple

from muninn_core.model.memory import Memory
from muninn_core.model.value import replace
from muninn_core.reconcile.pairs import compare_all
from muninn_core.reconcile.sentence import analyse

MOST = 40
"""Comments of one span that are looked at."""

SENTENCES = 4
"""Sentences of a memory that a comment can deny; what comes later gives reasons."""

_COMMENT = re.compile(
    r'^\s*(?:#+|//[/!]?|/\*+|\*(?!/)|--|;+|"""|\'\'\')\s*(?P<text>[^\s].*?)\s*(?:\*/|"""|\'\'\')?\s*$'
)
_SENTENCE = re.compile(r"(?<=[.!?;])\s+")


class Objection(NamedTuple):
    """A statement that denies a memory: the line where it stands, its words, and the reason in words."""

    line: int
    text: str
    reason: str


def objection(memory: Memory, lines: Sequence[str], start: int) -> Objection | None:
    """Return the first comment of some lines (the first is line `start`) that denies what a memory says."""
    said = [replace(memory, text=text, title="") for text in _sentences(memory)]
    for line, text in islice(_statements(lines, start), MOST):
        for one in said:
            reason = denies(one, replace(memory, id="~", text=text, title=""))
            if reason:
                return Objection(line, text, reason)
    return None


def denies(one: Memory, other: Memory) -> str:
    """Say why two memories can't both hold, "" when they can."""
    statements = {memory.id: analyse(memory.text) for memory in (one, other)}
    left, right = (statements[memory.id].content for memory in (one, other))
    if not left & right:
        return ""
    found = compare_all([one, other], statements, set()).contradictions
    return found[0][2] if found else ""


def _sentences(memory: Memory) -> list[str]:
    """Return what a memory says, sentence by sentence: a comment denies one of them, hardly ever all."""
    sentences = [memory.title, *_SENTENCE.split(memory.text)[:SENTENCES]]
    return [*dict.fromkeys(text for text in sentences if len(text.split()) > 2)]


def _statements(lines: Sequence[str], start: int) -> Iterator[tuple[int, str]]:
    for number, line in enumerate(lines, start):
        found = _COMMENT.match(line)
        for sentence in _SENTENCE.split(found["text"]) if found else ():
            if len(sentence.split()) > 2:
                yield number, sentence
