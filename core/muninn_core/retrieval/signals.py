"""What a score is made of: signals, each a value times a weight, and the reasons that they are shown as."""

from __future__ import annotations

from collections.abc import Iterable
from math import floor

from muninn_core.model.answer import Reason

Signal = tuple[str, float, float, float, str]
"""A signal's name, value, weight, contribution to the score, and note: a reason before anybody reads it."""


def signal(name: str, value: float, weight: float, note: str = "") -> Signal:
    """Make a signal; contributions are rounded so that their sum is the score, exactly."""
    return (name, value, weight, floor(value * weight * 10_000 + 0.5) / 10_000, note)  # `round` takes thrice as long


def total(signals: Iterable[Signal]) -> float:
    """Return the score that signals add up to."""
    return floor(sum([found[3] for found in signals]) * 10_000 + 0.5) / 10_000


def reason_of(found: Signal) -> Reason:
    """Return a signal as it is shown."""
    name, value, weight, contribution, note = found
    return Reason(signal=name, value=round(value, 4), weight=weight, contribution=contribution, note=note)
