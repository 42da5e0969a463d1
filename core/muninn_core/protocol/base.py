"""What parameters and results of several families are made of."""

from __future__ import annotations

from typing import Annotated

from muninn_core.model.answer import ReadState
from muninn_core.model.value import Meta, Value

Text = Annotated[str, Meta(min_length=1)]


SessionId = Annotated[
    str,
    Meta(
        pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$",
        description="The working session that this belongs to; letters, digits, '.', '_' and '-'.",
    ),
]


TextOfFile = Annotated[
    str | None, Meta(description="The file's text, where an editor has it unsaved; else the file is read.")
]


class Result(Value):
    """What every answer has."""

    saw: ReadState
