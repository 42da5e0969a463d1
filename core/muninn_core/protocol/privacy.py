"""Take a memory's content out of files and of git's history."""

from __future__ import annotations

from typing import Annotated

from muninn_core.model.memory import Memory
from muninn_core.model.value import Meta, Value
from muninn_core.protocol.base import Result, SessionId, Text
from muninn_core.protocol.method import Family, Method


class RedactParams(Value):
    """Which memory to blank."""

    id: Annotated[Text, Meta(description="The memory's id or an unambiguous prefix of it.")]
    session: SessionId | None = None


class RedactResult(Result):
    """What was blanked: the memories (those that were merged say the same) and the files, relative to the root."""

    ids: tuple[str, ...]
    files: tuple[str, ...]
    memory: Memory


class PurgeParams(Value):
    """Whose traces in git's history to look for."""

    id: Annotated[Text, Meta(description="The memory's id; the whole of it when only other branches have it.")]
    show_commits: Annotated[bool, Meta(description="Name the commits and blobs, not only their number.")] = False


class HoldingCommit(Value):
    """A commit that put the text into its tree (`holds`) or took it out (`removes`), and the files."""

    commit: str
    time: str
    subject: str
    effect: str
    paths: tuple[str, ...]


class PurgeResult(Result):
    """Where git still holds what the memories said. `refs` are branches, tags and stashes whose tree has it now.

    `total` counts commits; `blobs` are the file contents that would have to leave the history. Nothing was changed.
    """

    ids: tuple[str, ...]
    total: int
    refs: tuple[str, ...]
    redacted: bool
    commits: tuple[HoldingCommit, ...] = ()
    blobs: tuple[str, ...] = ()


FAMILY = Family(
    name="privacy",
    title="Privacy",
    summary="Take a memory's content out of files and of git's history.",
    methods=(
        Method(
            verb="redact",
            title="Redact a memory",
            summary="Blank what a memory says in every file and index of this work tree; nothing undoes it.",
            params=RedactParams,
            result=RedactResult,
            effect="write",
            destructive=True,
            positional=("id",),
            example={"id": "0198c5"},
        ),
        Method(
            verb="purge",
            title="Find a memory in git's history",
            summary="Say which commits and branches still hold what a memory said, and how to take it out of them.",
            params=PurgeParams,
            result=PurgeResult,
            effect="read",
            positional=("id",),
            example={"id": "0198c5"},
        ),
    ),
)
