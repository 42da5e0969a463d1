"""Parameters about what memory rests on: its history, its differences, its citations, its files."""

from __future__ import annotations

from typing import Annotated, Literal

from muninn_core.model.memory import Cite
from muninn_core.model.value import Meta, Value
from muninn_core.protocol.params.base import SessionId, Text


class HistoryParams(Value):
    """Whose life to tell."""

    id: Annotated[Text, Meta(description="The memory's id or an unambiguous prefix of it.")]


class DiffParams(Value):
    """Which work to review."""

    range: Annotated[
        Text,
        Meta(description="A..B: what B adds to A since they parted. One revision alone is compared with HEAD."),
    ]
    format: Annotated[
        Literal["text", "markdown"], Meta(description="How `text` is written; markdown suits a pull request.")
    ] = "text"


class CheckParams(Value):
    """How to judge; the levels of the single rules stand in the config, under `check`."""

    strict: Annotated[bool, Meta(description="Count warnings as errors.")] = False


class VerifyParams(Value):
    """Which citations to check."""

    id: Annotated[str | None, Meta(description="One memory, by its id or an unambiguous prefix of it.")] = None
    fix: Annotated[bool, Meta(description="Let memories whose code has moved cite the new place.")] = False
    session: SessionId | None = None


class ConfirmParams(Value):
    """Which memory still holds, and where its code is now."""

    id: Annotated[Text, Meta(description="The memory's id or an unambiguous prefix of it.")]
    cites: Annotated[
        tuple[Cite, ...],
        Meta(description="New places in the code, in place of those that are stale; else where the code is now."),
    ] = ()
    session: SessionId | None = None
