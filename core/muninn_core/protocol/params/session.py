"""Parameters about sessions of work: briefs, reminders, captures, and the seal at their end."""

from __future__ import annotations

from typing import Annotated, Literal

from muninn_core.model.value import Meta, Value
from muninn_core.protocol.params.base import SessionId, Text


class SessionsParams(Value):
    """Which sessions to list: open ones first, then those that wrote last."""

    session: SessionId | None = None
    open: Annotated[bool, Meta(description="Only those with something that is not sealed yet.")] = False
    limit: Annotated[int, Meta(ge=1, le=10_000, description="The most sessions to return.")] = 50
    offset: Annotated[int, Meta(ge=0, description="How many to leave out at the start.")] = 0


class SealParams(Value):
    """Which sessions to seal."""

    session: Annotated[
        SessionId | None, Meta(description="Only this session; all sessions of the work tree when absent.")
    ] = None


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


class RemindParams(Value):
    """What somebody asks an agent for."""

    prompt: Annotated[Text, Meta(description="The prompt, as it was given.")]
    session: SessionId | None = None
    max_chars: Annotated[int, Meta(ge=200, le=100_000, description="The most characters of the reminder.")] = 1500
    limit: Annotated[int, Meta(ge=1, le=20, description="The most memories that are told.")] = 3


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
