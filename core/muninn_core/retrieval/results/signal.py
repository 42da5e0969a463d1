"""Signals: the weighted values that add up to a score, and their conversion to reasons."""

from __future__ import annotations

from collections.abc import Iterable
from math import floor
from operator import itemgetter

import numpy as np
from numpy.typing import NDArray

from muninn_core.model.answer import Reason

Values = NDArray[np.float64]
Signal = tuple[str, float, float, float, str]
"""(name, value, weight, contribution, note). A tuple, because most are discarded before they become a `Reason`."""


contribution = itemgetter(3)
"""Returns a signal's contribution."""


def signal(name: str, value: float, weight: float, note: str = "") -> Signal:
    """Return a signal. Its contribution is rounded to 4 decimals, so that contributions add up to the score exactly."""
    return (name, value, weight, floor(value * weight * 10_000 + 0.5) / 10_000, note)  # `round` is three times slower


Given = tuple[str, float, float, str]
"""(name, value, weight, note) of a signal to be made."""


def signals(given: Iterable[Given]) -> list[Signal]:
    """Return several signals, as `signal` makes them."""
    return [
        (name, value, weight, floor(value * weight * 10_000 + 0.5) / 10_000, note)
        for name, value, weight, note in given
    ]


def points(values: Values | float, weight: float) -> Values:
    """Return the contributions of signals in ten-thousandths: whole numbers, whose sums are exact."""
    return np.floor(np.asarray(values) * weight * 10_000 + 0.5)


def total(signals: Iterable[Signal]) -> float:
    """Return the score: the sum of the contributions, rounded to 4 decimals."""
    return rounded(sum(map(contribution, signals)))


def rounded(score: float) -> float:
    """Return a sum of contributions, rounded to 4 decimals."""
    return floor(score * 10_000 + 0.5) / 10_000


def reasons_of(found: Iterable[Signal]) -> list[Reason]:
    """Return signals as reasons."""
    return [
        Reason(signal=name, value=round(value, 4), weight=weight, contribution=contribution, note=note)
        for name, value, weight, contribution, note in found
    ]
