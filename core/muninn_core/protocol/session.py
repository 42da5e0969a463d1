"""Brief agents, remind them, and remember what their sessions show."""

from __future__ import annotations

from typing import Annotated, Literal

from muninn_core.model.memory import Trust
from muninn_core.model.value import Meta, Value, field
from muninn_core.protocol.base import Result, SessionId, Text
from muninn_core.protocol.method import Family, Method


class BriefParams(Value):
    """What a session that starts should know."""

    session: SessionId | None = None
    task: Annotated[
        str | None, Meta(description="The task that the session is for; it is noted for what it will remember.")
    ] = None
    source: Annotated[
        Literal["startup", "resume", "clear", "compact", "fork"],
        Meta(description="How the session started; after `compact` what was captured from it comes first."),
    ] = "startup"
    max_chars: Annotated[int, Meta(ge=200, le=100_000, description="The most characters of the brief.")] = 4000


class BriefResult(Result):
    """The brief as markdown, and the memories that it shows."""

    text: str
    ids: tuple[str, ...]


class RemindParams(Value):
    """What somebody asks an agent for."""

    prompt: Annotated[Text, Meta(description="The prompt, as it was given.")]
    session: SessionId | None = None
    max_chars: Annotated[int, Meta(ge=200, le=100_000, description="The most characters of the reminder.")] = 1500
    limit: Annotated[int, Meta(ge=1, le=20, description="The most memories that are told.")] = 3


class RemindResult(Result):
    """What is remembered about a prompt, and the memories and files in it; "" when nothing is sure or new."""

    text: str
    ids: tuple[str, ...]


class CaptureParams(Value):
    """What to remember from: the commits since the last look, a transcript, a failure, a turn or a whole session."""

    source: Annotated[
        Literal["commit", "transcript", "failure", "turn", "session"],
        Meta(
            description="commit: commits since the last look; transcript: what was decided and left open, before a "
            "compaction; failure: a command that failed; turn: a turn has ended; session: sum it up and seal it."
        ),
    ]
    session: SessionId | None = None
    transcript: Annotated[str | None, Meta(description="Path of the agent's transcript (JSON lines).")] = None
    command: Annotated[str, Meta(description="Of a failure: the command that failed.")] = ""
    error: Annotated[str, Meta(description="Of a failure: what it said.")] = ""
    agent: Annotated[str | None, Meta(description="The program that acts, with its version.")] = None


class CaptureResult(Result):
    """What was remembered; `note` is the line to show, "" when there is nothing to say."""

    ids: tuple[str, ...]
    note: str


class BackfillParams(Value):
    """What to remember of what was there before Muninn, and whether to store it."""

    source: Annotated[
        Literal["git", "transcripts"], Meta(description="The commits of this repository, or transcripts of an agent.")
    ]
    paths: Annotated[
        tuple[str, ...],
        Meta(description="Of transcripts: JSON lines files of Claude Code, or folders that hold them."),
    ] = ()
    since: Annotated[
        str | None, Meta(description="Of git: from this date (UTC) on, or the commits that this revision lacks.")
    ] = None
    until: Annotated[str | None, Meta(description="Of git: up to this date (UTC), or this revision.")] = None
    limit: Annotated[
        int, Meta(ge=1, le=1_000_000, description="Of git: the most commits to look at, the newest of them.")
    ] = 10_000
    elsewhere: Annotated[
        bool, Meta(description="Of transcripts: also those of sessions in other folders than this repository's.")
    ] = False
    apply: Annotated[bool, Meta(description="Store it; else only say what would be remembered.")] = False


class Recollection(Value):
    """A memory that a backfill makes. `time` is when the thing was that it tells; `commit` and `session` say where.

    `known`: it is stored already, and is not stored again.
    """

    id: str
    type: str
    title: str
    text: str
    time: str
    importance: int
    confidence: float
    trust: Trust
    files: tuple[str, ...] = ()
    commit: str = ""
    session: str = ""
    known: bool = False


class BackfillResult(Result):
    """What a backfill remembers, or would (`applied` is false), oldest first; `ids` are those that it has stored.

    `looked` counts commits or transcripts; `skipped` those that give no memory, by the reason. `malformed` are lines
    that can't be read, as `path:line`; `masked` counts secrets.
    """

    source: str
    applied: bool
    looked: int
    found: tuple[Recollection, ...]
    ids: tuple[str, ...] = ()
    skipped: dict[str, int] = field(default_factory=dict)
    malformed: tuple[str, ...] = ()
    masked: int = 0


FAMILY = Family(
    name="session",
    title="Sessions",
    summary="Brief agents, remind them, and remember what their sessions show.",
    methods=(
        Method(
            verb="brief",
            title="Brief a session",
            summary="Say what a session that starts should know, in few characters.",
            params=BriefParams,
            result=BriefResult,
            effect="read",
            use="Call when a session begins or its history was compacted: it says in short where things stand.",
        ),
        Method(
            verb="remind",
            title="Remind",
            summary="Say what is remembered about a prompt, if anything is; a session is told nothing twice.",
            params=RemindParams,
            result=RemindResult,
            effect="read",
            positional=("prompt",),
            example={"prompt": "move the sessions to Redis"},
        ),
        Method(
            verb="capture",
            title="Capture",
            summary="Remember what a session shows: commits, what its transcript decides, failures, its end.",
            params=CaptureParams,
            result=CaptureResult,
            effect="write",
            positional=("source",),
            example={"source": "commit"},
            retry=True,
        ),
        Method(
            verb="backfill",
            title="Backfill memory",
            summary="Remember what was there before: significant commits, or transcripts; a dry run unless applied.",
            params=BackfillParams,
            result=BackfillResult,
            effect="control",
            destructive=True,
            positional=("source", "paths"),
            example={"source": "git"},
            progress="Looking back",
            absolute_paths=("paths",),
        ),
    ),
)
