"""Statements that agree in everything but a value: which values, in which places, contradict each other.

Pure; knows statements only. A frame is a statement with one place left open; statements that share a frame differ in
what stands there.
"""

from __future__ import annotations

from collections.abc import Iterator

from muninn_core.model.value import Value
from muninn_core.reconcile.lexicon import ADDITIVE, BEING, KINDRED, PLACES, SOURCES
from muninn_core.reconcile.sentence import Statement

SHORTEST, LONGEST = 2, 30
"""In words: a shorter sentence says too little to contradict, in a longer one an exchanged word means too little."""

MOST_VALUE_WORDS = 3
"""A longer part of a sentence is no value, but another thing to say."""


Frame = tuple[object, ...]
"""A statement without what stands in one place: equal for statements that differ there alone."""


class Slot(Value):
    """What stands in the open place of a frame: common forms, and as it was written.

    `figure` and `value` say what is among the words, `lead` and `verb` what is before them (see `Statement`), and
    `rest` counts the words of the frame.
    """

    words: tuple[str, ...]
    shown: str
    figure: bool
    value: bool
    lead: str
    verb: str
    rest: int


def frames_of(statement: Statement) -> Iterator[tuple[Frame, int, int]]:
    """Give every frame of a statement with the place in it that is open: of which words, from and up to."""
    words, claims = statement.words, statement.claims
    if not SHORTEST <= len(words) <= LONGEST:
        return
    base = (statement.negations, statement.order)
    for start in range(len(words)):
        for stop in range(start + 1, min(start + MOST_VALUE_WORDS, len(words)) + 1):
            if not claims[stop - 1]:
                break
            yield (*base, words[:start], words[stop:]), start, stop
        if claims[start] and words[start] in statement.numbers and len(words) >= 3:
            yield (*base, tuple(sorted((*words[:start], *words[start + 1 :])))), start, start + 1


def clash(one: Slot, other: Slot) -> bool:
    """Whether what stands in one frame, once this and once that, can't both hold (docs/reconcile.md has the rules)."""
    if set(one.words) & set(other.words) or one.lead != other.lead or one.verb != other.verb:
        return False
    alone = len(one.words) == len(other.words) == 1
    if one.figure or other.figure:
        return alone and one.figure and other.figure and one.rest >= 2 and _unit(one) == _unit(other)
    if one.rest < 1 or any(word in ADDITIVE for word in (one.verb, one.words[0], other.words[0])):
        return False
    if _kindred(one, other):
        return True
    if one.rest < 2 or (one.lead in BEING and any(slot.shown.endswith("ed") for slot in (one, other))):
        return False  # what is tagged may be signed, too
    return alone or (one.value and other.value) or (one.lead in _FROM_TO and one.verb in PLACES | SOURCES)


def slot_at(statement: Statement, place: int, end: int) -> Slot:
    """Return what stands in a statement from a word up to another one, that one not included."""
    return Slot(
        words=statement.words[place:end],
        shown=" ".join(statement.shown[place:end]),
        figure=any(word in statement.numbers for word in statement.words[place:end]),
        value=any(statement.values[place:end]),
        lead=statement.leads[place],
        verb=statement.verbs[place],
        rest=len(statement.words) - (end - place),
    )


def _unit(slot: Slot) -> str:
    return slot.words[0].partition(" ")[2]


def _kindred(one: Slot, other: Slot) -> bool:
    return any({*one.words} & kin and {*other.words} & kin for kin in KINDRED)


_FROM_TO = ("in", "on", "from", "to")
