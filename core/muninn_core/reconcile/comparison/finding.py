"""The result of comparing two texts: a verdict, and the reason for a contradiction."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from muninn_core.model.value import Value
from muninn_core.reconcile.language.terms import Term

Verdict = Literal["same", "contradiction", "apart"]

MAX_VALUE_WORDS = 3
"""The maximum number of words of a value."""
DIFFERENT_VALUES = "one says '{}', the other '{}'"
"""The reason of a contradiction between two values."""


class Finding(Value):
    """A verdict on two texts in their order. `reason` is a format string with a field for each of `sides`."""

    verdict: Verdict
    reason: str = ""
    sides: tuple[str, ...] = ()
    value: bool = False


NO_RELATION = Finding(verdict="apart")


def contradicting(reason: str, *sides: str, value: bool = False) -> Finding:
    """Return a contradiction for a reason. `value` says that it is between two values of one thing."""
    return Finding(verdict="contradiction", reason=reason, sides=sides, value=value)


def escaped(text: str) -> str:
    """Return a text for a reason, which is a format string."""
    return text.replace("{", "{{").replace("}", "}}")


def shown(terms: Sequence[Term]) -> str:
    """Return the words of terms as they are written."""
    return " ".join(term.shown for term in terms)
