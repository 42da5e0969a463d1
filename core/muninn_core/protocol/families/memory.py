"""Store, change and archive memories."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from muninn_core.model.memory import Actor, Cite, Link, Memory, Scope, Trust
from muninn_core.model.value import Meta, Value, field
from muninn_core.protocol.base import CallingProgram, MemoryId, Result, SessionId, Text
from muninn_core.protocol.method import Family, Method

MAX_TEXT_CHARS = 200_000
"""The longest text of a memory that a client stores. The log's own limit is that of the whole record."""


MAX_QUESTIONS, MAX_QUESTION_CHARS = 20, 500
"""The most questions that a client stores with a memory, and the length of the longest."""

Questions = tuple[Annotated[str, Meta(max_length=MAX_QUESTION_CHARS)], ...]


class MemoryDraft(Value):
    """A memory as its author writes it. The log adds id, time, commit and branch."""

    text: Annotated[str, Meta(max_length=MAX_TEXT_CHARS, description="What to remember, in whole sentences.")] = ""
    type: Annotated[
        str,
        Meta(
            description="decision, attempt, bug_fix, constraint, configuration, insight, pattern, preference, "
            "reference, entity, context_hit, session_summary, or a kind from the configuration."
        ),
    ] = "insight"
    title: Annotated[str, Meta(description="A headline; made from the text when absent.")] = ""
    tags: Annotated[tuple[str, ...], Meta(description="Tags to filter by.")] = ()
    files: Annotated[
        tuple[str, ...],
        Meta(description="Files that it is about, relative to the root; `path:START-END` or `path#symbol` cites code."),
    ] = ()
    entities: Annotated[tuple[str, ...], Meta(description="Symbols, services or people that it is about.")] = ()
    questions: Annotated[
        Questions,
        Meta(
            max_length=MAX_QUESTIONS,
            description="Three to five questions that it answers, in other words: a symptom, a task, general terms.",
        ),
    ] = ()
    cites: Annotated[tuple[Cite, ...], Meta(description="Spans of code that support it.")] = ()
    importance: Annotated[int, Meta(ge=1, le=10, description="1 (trivia) to 10 (never forget).")] = 5
    confidence: Annotated[float, Meta(ge=0, le=1, description="How certain it is, 0 to 1.")] = 0.8
    links: Annotated[
        tuple[Link, ...],
        Meta(description="Links to other memories by id: extends, contradicts, implements, references, supersedes."),
    ] = ()
    pin: Annotated[bool, Meta(description="Include it in every context pack.")] = False
    private: Annotated[bool, Meta(description="Keep it on this machine: it is never sealed and never in git.")] = False
    scope: Annotated[
        Scope,
        Meta(
            description="project: for everyone who works here; session: for this session only; global: for "
            "this user in every project. Only project memories get into git."
        ),
    ] = "project"
    session: SessionId | None = None
    task: Annotated[
        str | None,
        Meta(description="The task's id, as in .metis/tasks. Without it the current task; none when empty."),
    ] = None
    actor: Annotated[Actor, Meta(description="The author.")] = "user"
    agent: CallingProgram = None
    trust: Annotated[
        Trust | None, Meta(description="The trust level; follows from the actor when absent, and never exceeds it.")
    ] = None
    expires: Annotated[
        str | None, Meta(description="When to stop recalling it: 30d, 2026-12-31, or an RFC 3339 time.")
    ] = None
    details: Annotated[
        dict[str, Any],
        Meta(description="Fields of its kind: rationale, status, alternatives; command, exit_status."),
    ] = field(default_factory=dict)
    key: Annotated[
        str | None,
        Meta(description="An idempotency key: a memory is stored once; another one with its key is refused."),
    ] = None


class RememberParams(MemoryDraft):
    """One memory, or many in one call."""

    batch: Annotated[
        tuple[MemoryDraft, ...], Meta(description="Several memories instead of `text`; each is stored durably.")
    ] = ()


class RememberResult(Result):
    """The ids, in the order of the request. `memory` is set when one was stored; `masked` counts masked secrets.

    `notices` are sentences about what may be a mistake: a file that does not exist, a text that is stored already.
    """

    ids: tuple[str, ...]
    memory: Memory | None = None
    masked: int = 0
    notices: tuple[str, ...] = ()


class UpdateParams(Value):
    """The memory to change, and its new values. Omitted values do not change."""

    id: MemoryId
    text: Annotated[str, Meta(max_length=MAX_TEXT_CHARS, description="A new text, in whole sentences.")] = ""
    title: Annotated[str, Meta(description="A new headline.")] = ""
    importance: Annotated[int, Meta(ge=1, le=10, description="1 (trivia) to 10 (never forget).")] | None = None
    confidence: Annotated[float, Meta(ge=0, le=1, description="How certain it is, 0 to 1.")] | None = None
    tags: Annotated[tuple[str, ...], Meta(description='New tags, in place of the old ones; "" removes them.')] = ()
    questions: Annotated[
        Questions,
        Meta(
            max_length=MAX_QUESTIONS,
            description='New questions that it answers, in place of the old ones; "" removes them.',
        ),
    ] = ()
    files: Annotated[
        tuple[str, ...],
        Meta(description="New files, in place of the old ones; `path:START-END` or `path#symbol` cites code."),
    ] = ()
    expires: Annotated[
        str | None, Meta(description="When to stop recalling it: 30d, 2026-12-31; never removes the end.")
    ] = None
    pin: Annotated[bool | None, Meta(description="Whether to include it in every context pack.")] = None
    links: Annotated[tuple[Link, ...], Meta(description="Links to add, by id.")] = ()
    unlink: Annotated[tuple[str, ...], Meta(description="Links to remove: RELATION:ID.")] = ()
    details: Annotated[dict[str, Any], Meta(description="Fields of its kind to change; null removes one.")] = field(
        default_factory=dict
    )
    reason: Annotated[str, Meta(description="The reason, kept in the memory's history.")] = ""
    agent: CallingProgram = None
    session: SessionId | None = None


class PinParams(Value):
    """The memory to pin or unpin."""

    id: MemoryId
    reason: Annotated[str, Meta(description="The reason, kept in the memory's history.")] = ""
    agent: CallingProgram = None
    session: SessionId | None = None


class UpdateResult(Result):
    """The memory in its new state. `changed` names the changed fields; it is empty when nothing changed.

    `notices` are sentences about changed files and citations that do not exist.
    """

    memory: Memory
    changed: tuple[str, ...]
    masked: int = 0
    notices: tuple[str, ...] = ()


class ConsolidateParams(Value):
    """The memories to consolidate, and the decision. Without a decision they are compared."""

    ids: Annotated[
        tuple[Text, ...],
        Meta(min_length=1, description="Two or more ids, or unambiguous prefixes of them."),
    ]
    decision: Annotated[
        Literal["merge", "supersede", "keep_both"] | None,
        Meta(
            description="merge: one memory stands for all; supersede: one replaces the others; keep_both: nothing "
            "changes. Without it, duplicates are merged and the rest is kept."
        ),
    ] = None
    keep: Annotated[
        str | None,
        Meta(description="The memory that stays. Without it the most trusted and oldest, or for supersede the newest."),
    ] = None
    text: Annotated[str, Meta(max_length=MAX_TEXT_CHARS, description="A new text for the memory that stays.")] = ""
    reason: Annotated[str, Meta(description="The reason, kept in the memories' history.")] = ""
    dry_run: Annotated[bool, Meta(description="Report what would happen; change nothing.")] = False
    agent: CallingProgram = None
    session: SessionId | None = None


class Separate(Value):
    """Memories that stay separate for one reason."""

    reason: str
    ids: tuple[str, ...]


class ConsolidateResult(Result):
    """The decision. `gone` were merged into `kept` or superseded by it.

    `apart` are the ids that stay separate, `separate` has them by reason. `contradictions` name pairs that can't both
    hold, and the reasons.
    """

    decision: str
    kept: Memory | None
    gone: tuple[str, ...]
    apart: tuple[str, ...]
    separate: tuple[Separate, ...] = ()
    contradictions: tuple[str, ...] = ()
    reason: str = ""
    dry_run: bool = False


class ForgetParams(Value):
    """The memory to archive."""

    id: MemoryId
    reason: Annotated[str, Meta(description="The reason, kept with the memory.")] = ""
    restore: Annotated[bool, Meta(description="Restore the memory instead.")] = False
    session: SessionId | None = None


class ForgetResult(Result):
    """The memory in its new state. `changed` is false when it was in that state before."""

    memory: Memory
    changed: bool = True


class RestoreParams(Value):
    """The memory to restore."""

    id: MemoryId
    reason: Annotated[str, Meta(description="The reason, kept with the memory.")] = ""
    session: SessionId | None = None


class PromoteParams(Value):
    """The memory to promote, and its new scope."""

    id: MemoryId
    scope: Annotated[
        Literal["project", "global"],
        Meta(description="project: the repository's memory; global: your memory of all projects."),
    ] = "project"
    session: SessionId | None = None


class PromoteResult(Result):
    """The memory in its new scope, and the id of the original."""

    memory: Memory
    source: str


FAMILY = Family(
    name="memory",
    title="Remember",
    summary="Store, change and archive memories.",
    methods=(
        Method(
            verb="remember",
            title="Remember",
            everyday="Store a decision, a reason, a failed attempt.",
            synonyms=("add", "save", "note", "store", "write", "put"),
            summary="Store a memory; it is on disk when the answer arrives.",
            params=RememberParams,
            result=RememberResult,
            effect="write",
            idempotent=False,
            tool=True,
            positional=("text",),
            use=(
                "Call when something was decided, learned or tried that a later session needs: a decision and"
                " its reason, a constraint, the cause of a bug, a failed attempt (type `attempt`, with the "
                "command in `details`). One fact per memory, with its `files` and `questions`. Never "
                "store secrets."
            ),
            example={
                "text": "The socket's name is a hash, since a path has 108 bytes.",
                "questions": ["Why does the daemon fail to start in a deep folder?"],
            },
            rooted_paths=("files", "cites"),
            shown=(
                *("text", "type", "title", "tags", "files", "questions", "importance", "links", "scope", "expires"),
                "details",
            ),
            always_loaded=True,
        ),
        Method(
            verb="update",
            title="Update a memory",
            synonyms=("set",),
            summary="Change a memory's text, importance, files or links; its history keeps the old values.",
            params=UpdateParams,
            result=UpdateResult,
            effect="write",
            destructive=True,
            positional=("id",),
            use=(
                "Call when a memory is right in general but wrong or incomplete in a part. To replace it "
                "altogether, remember a new one with a link that supersedes it."
            ),
            example={"id": "0198c5", "importance": 8},
            rooted_paths=("files",),
            shown=(
                "id",
                "text",
                "title",
                "importance",
                "tags",
                "files",
                "questions",
                "links",
                "unlink",
                "pin",
                "reason",
            ),
        ),
        Method(
            verb="pin",
            title="Pin a memory",
            summary="Include a memory in every context pack.",
            params=PinParams,
            result=UpdateResult,
            effect="write",
            positional=("id",),
            example={"id": "0198c5"},
        ),
        Method(
            verb="unpin",
            title="Unpin a memory",
            summary="Include a memory only in contexts that it is relevant to.",
            params=PinParams,
            result=UpdateResult,
            effect="write",
            positional=("id",),
            example={"id": "0198c5"},
        ),
        Method(
            verb="consolidate",
            title="Consolidate memories",
            summary="Merge memories that say the same, or let one supersede the others.",
            params=ConsolidateParams,
            result=ConsolidateResult,
            effect="write",
            destructive=True,
            positional=("ids",),
            use=(
                "Call when you found memories that say the same, or of which one replaces another. State a "
                "decision (`merge`, `supersede`, `keep_both`), or leave it out to compare them. `dry_run` "
                "only reports."
            ),
            example={"ids": ["0198c5", "0199a1"]},
        ),
        Method(
            verb="forget",
            title="Forget a memory",
            suggested=False,
            synonyms=("rm", "delete", "remove", "del", "archive"),
            summary="Archive a memory: it is no longer recalled and can be restored.",
            params=ForgetParams,
            result=ForgetResult,
            effect="write",
            destructive=True,
            tool=True,
            positional=("id",),
            use="Call when the user says that a memory is wrong or no longer holds.",
            example={"id": "0198c5"},
        ),
        Method(
            verb="restore",
            title="Restore a memory",
            synonyms=("unarchive", "recover"),
            summary="Restore an archived memory.",
            params=RestoreParams,
            result=ForgetResult,
            effect="write",
            positional=("id",),
            use="Call when a memory was forgotten by mistake.",
            example={"id": "0198c5"},
        ),
        Method(
            verb="promote",
            title="Promote a memory",
            summary="Copy a session note to the project, or a memory to all of your projects.",
            params=PromoteParams,
            result=PromoteResult,
            effect="write",
            idempotent=False,
            positional=("id",),
            example={"id": "0198c5"},
        ),
    ),
)
