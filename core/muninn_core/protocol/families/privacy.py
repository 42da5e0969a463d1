"""Remove the content of a memory, and find where git's history still has it."""

from __future__ import annotations

from typing import Annotated

from muninn_core.model.memory import Memory
from muninn_core.model.value import Meta, Value
from muninn_core.protocol.base import MemoryId, Result, SessionId, Text
from muninn_core.protocol.method import Family, Method


class RedactParams(Value):
    """The memory to redact."""

    id: MemoryId
    dry_run: Annotated[bool, Meta(description="Report what would be erased, and where; change nothing.")] = False
    session: SessionId | None = None


class RedactResult(Result):
    """The redacted memory, the ids of all that were redacted (those merged with it, too), and the rewritten files.

    `events` counts the events of the journal that held its text. With `dry_run` they are those that would change.
    """

    ids: tuple[str, ...]
    files: tuple[str, ...]
    events: int
    memory: Memory


class PurgeParams(Value):
    """The memory to look for."""

    id: Annotated[
        Text, Meta(description="The memory's id or a prefix of it; the whole id when only other branches have it.")
    ]
    show_commits: Annotated[bool, Meta(description="List the commits and blobs, not only their number.")] = False


class HoldingCommit(Value):
    """A commit that added the text (`holds`) or removed it (`removes`), and its files."""

    commit: str
    time: str
    subject: str
    effect: str
    paths: tuple[str, ...]


class PurgeResult(Result):
    """Where git still has the text of the memories. Nothing is changed.

    `refs` are the branches, tags and stashes whose current tree has it. `total` counts the commits; `blobs` are the
    file contents to remove from the history.
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
    summary="Remove the content of a memory, and find where git's history still has it.",
    methods=(
        Method(
            verb="redact",
            title="Redact a memory",
            suggested=False,
            summary=(
                "Erase the content of a memory in all work trees: in every file and index, and in the events that hold "
                "its text. This can't be undone."
            ),
            params=RedactParams,
            result=RedactResult,
            effect="write",
            destructive=True,
            irreversible=True,
            positional=("id",),
            example={"id": "0198c5"},
        ),
        Method(
            verb="purge",
            title="Find a memory in git's history",
            suggested=False,
            summary=(
                "List the commits and branches that still contain a memory's text, and how to remove it from them."
            ),
            params=PurgeParams,
            result=PurgeResult,
            effect="read",
            positional=("id",),
            example={"id": "0198c5"},
        ),
    ),
)
