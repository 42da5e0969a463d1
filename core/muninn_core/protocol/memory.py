"""Store memories and change them."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from muninn_core.model.memory import Actor, Cite, Link, Memory, Scope, Trust
from muninn_core.model.value import Meta, Value, field
from muninn_core.protocol.base import Result, SessionId, Text
from muninn_core.protocol.method import Family, Method


class MemoryDraft(Value):
    """A memory as its author states it; the log adds id, time, commit and branch."""

    text: Annotated[str, Meta(description="What is to be remembered, in whole sentences.")] = ""
    type: Annotated[
        str,
        Meta(
            description="decision, attempt, bug_fix, constraint, configuration, insight, pattern, preference, "
            "reference, entity, context_hit, session_summary, or a kind from the config."
        ),
    ] = "insight"
    title: Annotated[str, Meta(description="A headline; made from the text when absent.")] = ""
    tags: Annotated[tuple[str, ...], Meta(description="Words to filter by.")] = ()
    files: Annotated[
        tuple[str, ...],
        Meta(description="Paths that it is about, relative to the root; `path:START-END` or `path#symbol` cites code."),
    ] = ()
    entities: Annotated[tuple[str, ...], Meta(description="Symbols, services or people that it is about.")] = ()
    cites: Annotated[tuple[Cite, ...], Meta(description="Spans of code that it rests on.")] = ()
    importance: Annotated[int, Meta(ge=1, le=10, description="1 (trivia) to 10 (never forget).")] = 5
    confidence: Annotated[float, Meta(ge=0, le=1, description="How sure it is, 0 to 1.")] = 0.8
    links: Annotated[
        tuple[Link, ...],
        Meta(description="Relations to memories by id: extends, contradicts, implements, references, supersedes."),
    ] = ()
    pin: Annotated[bool, Meta(description="Always part of a context pack.")] = False
    private: Annotated[bool, Meta(description="Keep it on this machine: never sealed, never in git.")] = False
    scope: Annotated[
        Scope,
        Meta(
            description="project: for everybody who works here; session: a working note for this session only; "
            "global: for this user in every project. The last two never get into git."
        ),
    ] = "project"
    session: SessionId | None = None
    task: Annotated[
        str | None,
        Meta(description="The task's id, as in .metis/tasks; the current one when absent, none when empty."),
    ] = None
    actor: Annotated[Actor, Meta(description="Who states it.")] = "user"
    agent: Annotated[str | None, Meta(description="The program that acts, with its version.")] = None
    trust: Annotated[
        Trust | None, Meta(description="Who vouches; follows from the actor when absent, and never exceeds it.")
    ] = None
    expires: Annotated[
        str | None, Meta(description="When it is no longer recalled: 30d, 2026-12-31, or an RFC 3339 time.")
    ] = None
    details: Annotated[
        dict[str, Any],
        Meta(description="Fields of the kind: rationale, status, alternatives; command, exit_status."),
    ] = field(default_factory=dict)
    key: Annotated[
        str | None, Meta(description="An idempotency key: the same key is stored once, however often it is sent.")
    ] = None


class RememberParams(MemoryDraft):
    """One memory, or many in one round trip."""

    batch: Annotated[
        tuple[MemoryDraft, ...], Meta(description="Many memories at once, in place of `text`; each is durable.")
    ] = ()


class RememberResult(Result):
    """The ids in the order of the request. `memory` is there when one was stored; `masked` counts masked secrets."""

    ids: tuple[str, ...]
    memory: Memory | None = None
    masked: int = 0


class UpdateParams(Value):
    """Which memory to change, and what of it; what is not given stays as it is."""

    id: Annotated[Text, Meta(description="The memory's id or an unambiguous prefix of it.")]
    text: Annotated[str, Meta(description="A new wording, in whole sentences.")] = ""
    title: Annotated[str, Meta(description="A new headline.")] = ""
    importance: Annotated[int, Meta(ge=1, le=10, description="1 (trivia) to 10 (never forget).")] | None = None
    confidence: Annotated[float, Meta(ge=0, le=1, description="How sure it is, 0 to 1.")] | None = None
    tags: Annotated[tuple[str, ...], Meta(description="Words to filter by, in place of those it has.")] = ()
    files: Annotated[
        tuple[str, ...],
        Meta(description="Paths that it is about, in place of those it has; `path:START-END` or `path#symbol` cites."),
    ] = ()
    expires: Annotated[
        str | None, Meta(description="When it is no longer recalled: 30d, 2026-12-31; never takes the end away.")
    ] = None
    pin: Annotated[bool | None, Meta(description="Whether it is always part of a context pack.")] = None
    links: Annotated[tuple[Link, ...], Meta(description="Relations to other memories, beside those it has.")] = ()
    unlink: Annotated[tuple[str, ...], Meta(description="Relations to take away: RELATION:ID.")] = ()
    details: Annotated[dict[str, Any], Meta(description="Fields of the kind that change; null takes one away.")] = (
        field(default_factory=dict)
    )
    reason: Annotated[str, Meta(description="Why; kept with the memory's history.")] = ""
    agent: Annotated[str | None, Meta(description="The program that acts, with its version.")] = None
    session: SessionId | None = None


class UpdateResult(Result):
    """The memory as it is now. `changed` names what changed, none where all was so already."""

    memory: Memory
    changed: tuple[str, ...]
    masked: int = 0


class ConsolidateParams(Value):
    """Which memories to consolidate, and how; without a decision they are compared."""

    ids: Annotated[
        tuple[Text, ...],
        Meta(min_length=1, description="The memories' ids or unambiguous prefixes of them, two or more."),
    ]
    decision: Annotated[
        Literal["merge", "supersede", "keep_both"] | None,
        Meta(
            description="merge: one speaks for all; supersede: one stands in the place of the others; keep_both: "
            "nothing changes. Otherwise what says the same is merged and the rest is kept."
        ),
    ] = None
    keep: Annotated[
        str | None,
        Meta(description="The one that stays; otherwise the most trusted and oldest, or the newest that supersedes."),
    ] = None
    text: Annotated[str, Meta(description="A new wording for the one that stays.")] = ""
    reason: Annotated[str, Meta(description="Why; kept with the memories' history.")] = ""
    dry_run: Annotated[bool, Meta(description="Say what would happen; change nothing.")] = False
    agent: Annotated[str | None, Meta(description="The program that acts, with its version.")] = None
    session: SessionId | None = None


class ConsolidateResult(Result):
    """What was decided. `kept` speaks now; `gone` were merged into it or superseded by it.

    `apart` are the ids that stay for themselves. `contradictions` say which of them can't both hold, and why.
    """

    decision: str
    kept: Memory | None
    gone: tuple[str, ...]
    apart: tuple[str, ...]
    contradictions: tuple[str, ...] = ()
    reason: str = ""
    dry_run: bool = False


class ForgetParams(Value):
    """Which memory to archive."""

    id: Annotated[Text, Meta(description="The memory's id or an unambiguous prefix of it.")]
    reason: Annotated[str, Meta(description="Why; kept with the memory.")] = ""
    restore: Annotated[bool, Meta(description="Bring an archived memory back.")] = False
    session: SessionId | None = None


class ForgetResult(Result):
    """The memory as it is now."""

    memory: Memory


class RestoreParams(Value):
    """Which memory to bring back."""

    id: Annotated[Text, Meta(description="The memory's id or an unambiguous prefix of it.")]
    reason: Annotated[str, Meta(description="Why; kept with the memory.")] = ""
    session: SessionId | None = None


class PromoteParams(Value):
    """Which memory to take to a wider scope."""

    id: Annotated[Text, Meta(description="The memory's id or an unambiguous prefix of it.")]
    scope: Annotated[
        Literal["project", "global"], Meta(description="project: the repository's memory; global: yours everywhere.")
    ] = "project"
    session: SessionId | None = None


class PromoteResult(Result):
    """The memory in its wider scope, and the id that it was made from."""

    memory: Memory
    source: str


FAMILY = Family(
    name="memory",
    title="Remember",
    summary="Store memories and change them.",
    methods=(
        Method(
            verb="remember",
            title="Remember",
            summary="Store a memory; it is on disk when the answer comes.",
            params=RememberParams,
            result=RememberResult,
            effect="write",
            idempotent=False,
            tool=True,
            positional=("text",),
            use=(
                "Call when something was decided, learned or tried that the next session would need: a decision and"
                " its reason, a constraint, the cause of a bug, a way that failed (type `attempt`, with the command"
                " in `details`). Name the files that it is about. One fact a memory, in whole sentences. Never "
                "store secrets."
            ),
            example={
                "text": "The socket's name is a hash of the git common directory, so that work trees share one daemon."
            },
            rooted_paths=("files", "cites"),
            shown=("text", "type", "title", "tags", "files", "importance", "links", "scope", "expires", "details"),
            always_loaded=True,
        ),
        Method(
            verb="update",
            title="Update a memory",
            summary="Change what a memory says, its weight, its places or its links; its history keeps what it was.",
            params=UpdateParams,
            result=UpdateResult,
            effect="write",
            destructive=True,
            positional=("id",),
            use=(
                "Call when a memory is right in the main and wrong or incomplete in a part. What replaces it "
                "altogether is a new memory with a link that supersedes it."
            ),
            example={"id": "0198c5"},
            rooted_paths=("files",),
            shown=("id", "text", "title", "importance", "tags", "files", "links", "unlink", "pin", "reason"),
        ),
        Method(
            verb="consolidate",
            title="Consolidate memories",
            summary="Let one of several memories speak for all of them, or stand in the place of the others.",
            params=ConsolidateParams,
            result=ConsolidateResult,
            effect="write",
            destructive=True,
            positional=("ids",),
            use="Call when you found memories that say the same or of which one replaces another: say what you decide "
            "(`merge`, `supersede`, `keep_both`), or leave it out to have them compared. `dry_run` only tells.",
            example={"ids": ["0198c5", "0199a1"]},
        ),
        Method(
            verb="forget",
            title="Forget a memory",
            summary="Archive a memory: it is no longer recalled, and it is not lost.",
            params=ForgetParams,
            result=ForgetResult,
            effect="write",
            destructive=True,
            tool=True,
            positional=("id",),
            use=(
                "Call when the user says that a memory is wrong or no longer holds. It is archived and can be restored."
            ),
            example={"id": "0198c5"},
        ),
        Method(
            verb="restore",
            title="Restore a memory",
            summary="Bring an archived memory back.",
            params=RestoreParams,
            result=ForgetResult,
            effect="write",
            positional=("id",),
            use="Call when something was forgotten by mistake.",
            example={"id": "0198c5"},
        ),
        Method(
            verb="promote",
            title="Promote a memory",
            summary="Take a session's note to the project, or a memory to all of your projects.",
            params=PromoteParams,
            result=PromoteResult,
            effect="write",
            idempotent=False,
            positional=("id",),
            example={"id": "0198c5"},
        ),
    ),
)
