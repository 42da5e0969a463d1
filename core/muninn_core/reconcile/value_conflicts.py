"""Finds contradicting values in statements that are otherwise equal.

A frame is a statement with one place left open. Statements with the same frame differ in that place alone.
"""

from __future__ import annotations

from collections.abc import Iterator

from muninn_core.model.value import Value
from muninn_core.reconcile.lexicon import ADDITIVE, BEING, KINDRED, PLACES, SOURCES
from muninn_core.reconcile.sentence import Statement

MIN_WORDS, MAX_WORDS = 2, 30
"""The length of a statement, in words, that can contradict by a single value."""

MOST_VALUE_WORDS = 3
"""The maximum number of words of a value."""


Frame = tuple[object, ...]
"""A statement without the words in one place; equal for statements that differ in that place alone."""


class Slot(Value):
    """The words in the open place of a frame, in common form and as written (`shown`).

    `figure` and `value` tell whether a figure or a value is among the words. `lead` and `verb` are those before them
    (see `Statement`). `rest` is the number of words of the frame.
    """

    words: tuple[str, ...]
    shown: str
    figure: bool
    value: bool
    lead: str
    verb: str
    rest: int


def frames_of(statement: Statement) -> Iterator[tuple[Frame, int, int]]:
    """Yield every frame of a statement, with the first word of the open place and the one behind its last."""
    words, claims = statement.words, statement.claims
    if not MIN_WORDS <= len(words) <= MAX_WORDS:
        return
    base = (statement.negations, statement.order)
    for start in range(len(words)):
        for stop in range(start + 1, min(start + MOST_VALUE_WORDS, len(words)) + 1):
            if not claims[stop - 1]:
                break
            yield (*base, words[:start], words[stop:]), start, stop
        if claims[start] and words[start] in statement.numbers and len(words) >= 3:
            yield (*base, tuple(sorted((*words[:start], *words[start + 1 :])))), start, start + 1


def slots_conflict(one: Slot, other: Slot) -> bool:
    """Whether two slots of one frame contradict each other (rules: docs/reconcile.md)."""
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
        return False  # "is tagged" does not exclude "is signed"
    return alone or (one.value and other.value) or (one.lead in _FROM_TO and one.verb in PLACES | SOURCES)


def slot_at(statement: Statement, place: int, end: int) -> Slot:
    """Return the slot of the words from `place` up to, not including, `end`."""
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
