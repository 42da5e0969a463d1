"""Signals: the weighted values that add up to a score, and their conversion to reasons."""

from __future__ import annotations

from collections.abc import Iterable
from math import floor
from operator import itemgetter

from muninn_core.model.answer import Reason

Signal = tuple[str, float, float, float, str]
"""(name, value, weight, contribution, note). A tuple, because most are discarded before they become a `Reason`."""


contribution = itemgetter(3)
"""Returns a signal's contribution."""


def signal(name: str, value: float, weight: float, note: str = "") -> Signal:
    """Return a signal. Its contribution is rounded to 4 decimals, so that contributions add up to the score exactly."""
    return (name, value, weight, floor(value * weight * 10_000 + 0.5) / 10_000, note)  # `round` is three times slower


def total(signals: Iterable[Signal]) -> float:
    """Return the score: the sum of the contributions, rounded to 4 decimals."""
    exact: float = sum(map(contribution, signals))
    return floor(exact * 10_000 + 0.5) / 10_000


def reasons_of(found: Iterable[Signal]) -> list[Reason]:
    """Return signals as reasons."""
    return [
        Reason(signal=name, value=round(value, 4), weight=weight, contribution=contribution, note=note)
        for name, value, weight, contribution, note in found
    ]
