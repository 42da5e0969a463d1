"""Brief agents, remind them, and capture memories from sessions and history."""

from __future__ import annotations

from typing import Annotated, Literal

from muninn_core.model.memory import Trust
from muninn_core.model.value import Meta, Value, field
from muninn_core.protocol.base import CallingProgram, Result, SessionId, Text
from muninn_core.protocol.method import Family, Method


class BriefParams(Value):
    """The session to brief."""

    session: SessionId | None = None
    task: Annotated[
        str | None, Meta(description="The session's task; it is recorded with the memories of the session.")
    ] = None
    source: Annotated[
        Literal["startup", "resume", "clear", "compact", "fork"],
        Meta(description="How the session started; after `compact` the memories captured from it come first."),
    ] = "startup"
    max_chars: Annotated[int, Meta(ge=200, le=100_000, description="The most characters of the brief.")] = 4000
    program: Annotated[
        str,
        Meta(
            min_length=1, max_length=500, description="How the session runs Muninn; the brief's commands begin with it."
        ),
    ] = "muninn"


class BriefResult(Result):
    """The brief as markdown, and the ids of the memories in it. `withheld` are important ones without room."""

    text: str
    ids: tuple[str, ...]
    withheld: tuple[Withheld, ...] = ()


class RemindParams(Value):
    """The prompt to find memories for."""

    prompt: Annotated[Text, Meta(description="The prompt, unchanged.")]
    session: SessionId | None = None
    max_chars: Annotated[int, Meta(ge=200, le=100_000, description="The most characters of the reminder.")] = 1500
    limit: Annotated[int, Meta(ge=1, le=20, description="The most memories in the reminder.")] = 3
    shared: Annotated[
        bool, Meta(description="Only memories of the project that are not private: the text leaves this machine.")
    ] = False


class RemindResult(Result):
    """The reminder, and the ids of the memories and files in it; "" when nothing is certain or new.

    `withheld` are related memories that are not in it.
    """

    text: str
    ids: tuple[str, ...]
    withheld: tuple[Withheld, ...] = ()


Outcome = Literal["refuted", "confirmed", "used", "unused"]
"""What came of something given: the session contradicted, confirmed or used it, or none of these."""


class GivenParams(Value):
    """Which answers to list. Without session and memory, those of all sessions."""

    session: SessionId | None = None
    id: Annotated[str, Meta(description="Only this memory or this place of a file.")] = ""
    limit: Annotated[int, Meta(ge=1, le=500, description="The most answers.")] = 50
    before: (
        Annotated[int, Meta(ge=1, description="Only answers before this position: the `next` of the page before.")]
        | None
    ) = None


class GivenItem(Value):
    """A memory, or a place of a file (`path:lines`), that a session was given. `how` says what the session did."""

    id: str
    title: str
    outcome: Outcome
    how: tuple[str, ...] = ()


class Withheld(Value):
    """A related memory that was not given, and the reason."""

    id: str
    why: str
    title: str = ""


class GivenAnswer(Value):
    """One answer that a session received: the verb, its question, what was in it, and what was withheld."""

    position: int
    at: str
    session: str
    verb: str
    query: str
    bundle: str
    items: tuple[GivenItem, ...]
    withheld: tuple[Withheld, ...]


class GivenCounts(Value):
    """How often something was delivered, and its outcomes. `used` includes `confirmed`."""

    shown: int
    used: int
    confirmed: int
    refuted: int


class GivenResult(Result):
    """The answers, the newest first, and the counts of their items. `next` is `before` of the next page."""

    answers: tuple[GivenAnswer, ...]
    counts: GivenCounts
    next: int | None = None


class CaptureParams(Value):
    """The source: commits since the last capture, a transcript, a failure, a turn, a message or a whole session.

    `turn`, `call`, `output`, `text` and `time` are for agents whose transcript can't be read: the journal records the
    event from them.
    """

    source: Annotated[
        Literal["commit", "transcript", "failure", "turn", "session", "prompt", "answer"],
        Meta(
            description="commit: commits since the last capture; transcript: decisions and open points, before a "
            "compaction; failure: a failed command; turn: the end of a turn; session: summarise the "
            "session and seal it; prompt, answer: a message for the journal."
        ),
    ]
    session: SessionId | None = None
    transcript: Annotated[str | None, Meta(description="The path of the agent's transcript (JSON lines).")] = None
    command: Annotated[str, Meta(description="For failure and commit: the command.")] = ""
    error: Annotated[str, Meta(description="For failure: its error output.")] = ""
    answer: Annotated[str, Meta(description="For turn: the model's last answer, which the transcript ends with.")] = ""
    may_ask: Annotated[
        bool, Meta(description="For turn: whether the agent can be asked to remember something before it stops.")
    ] = False
    turn: Annotated[str, Meta(max_length=200, description="The turn to record the event in.")] = ""
    call: Annotated[str, Meta(description="For failure and commit: the id of the tool call.")] = ""
    output: Annotated[str, Meta(description="For commit: what the command printed.")] = ""
    text: Annotated[str, Meta(description="For prompt and answer: the message.")] = ""
    time: Annotated[str, Meta(description="When it happened (RFC 3339); now when empty.")] = ""
    agent: CallingProgram = None


class CaptureResult(Result):
    """The ids of the stored memories. `note` is a line for the user, "" for none.

    `ask` is what the agent is asked to remember before it stops, "" for nothing.
    """

    ids: tuple[str, ...]
    note: str
    ask: str = ""


class BackfillParams(Value):
    """The source of the memories, and whether to store them."""

    source: Annotated[
        Literal["git", "transcripts"], Meta(description="The commits of this repository, or transcripts of an agent.")
    ]
    paths: Annotated[
        tuple[str, ...],
        Meta(description="For transcripts: JSON lines files of Claude Code or Codex, or folders with them."),
    ] = ()
    since: Annotated[
        str | None, Meta(description="For git: from this date (UTC), or commits that are not in this revision.")
    ] = None
    until: Annotated[str | None, Meta(description="For git: up to this date (UTC), or this revision.")] = None
    limit: Annotated[int, Meta(ge=1, le=1_000_000, description="For git: the most commits to read, newest first.")] = (
        10_000
    )
    elsewhere: Annotated[
        bool, Meta(description="For transcripts: include sessions in other folders than this repository's.")
    ] = False
    apply: Annotated[bool, Meta(description="Store the memories. Without it they are only listed.")] = False


class Recollection(Value):
    """A memory from a backfill. `time` is when its subject happened; `commit` and `session` are its origin.

    `known` is true when it is stored already.
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
    """The memories of a backfill, oldest first. Without `applied` nothing was stored; `ids` are the stored ones.

    `looked` counts the commits or transcripts that were read, `skipped` those without a memory, by reason. `malformed`
    are unreadable lines, as `path:line`. `masked` counts secrets.
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
    summary="Brief agents, remind them, and capture memories from sessions and history.",
    methods=(
        Method(
            verb="brief",
            title="Brief a session",
            summary="Summarise what a new session should know, in a few characters.",
            params=BriefParams,
            result=BriefResult,
            effect="read",
            use=(
                "Call when a session begins or its history was compacted: it returns a short summary of the "
                "current state."
            ),
        ),
        Method(
            verb="remind",
            title="Find memories for a prompt",
            summary="Return memories about a prompt, if any are relevant, each once per session.",
            params=RemindParams,
            result=RemindResult,
            effect="read",
            positional=("prompt",),
            example={"prompt": "move the sessions to Redis"},
        ),
        Method(
            verb="given",
            title="List what sessions received",
            summary="List the memories that a session received and their outcomes, or the deliveries of a memory.",
            params=GivenParams,
            result=GivenResult,
            effect="read",
            session_filter=True,
            example={"session": "s-1"},
        ),
        Method(
            verb="capture",
            title="Capture memories",
            summary=(
                "Store what a session shows: its commits, decisions from its transcript, failures, and its summary."
            ),
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
            synonyms=("learn", "ingest"),
            summary=(
                "Make memories from significant commits or from transcripts; without `apply` they are only listed."
            ),
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
