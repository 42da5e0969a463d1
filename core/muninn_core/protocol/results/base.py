"""What every result has."""

from __future__ import annotations

from muninn_core.model.answer import ReadState
from muninn_core.model.value import Value


class Result(Value):
    """What every answer has."""

    saw: ReadState
