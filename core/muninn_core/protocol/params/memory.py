"""Parameters about memories: stored, listed, joined, changed, approved, given up, found in what was there before."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from muninn_core.model.memory import Actor, Cite, Link, Scope, Trust
from muninn_core.model.value import Meta, Value, field
from muninn_core.protocol.params.base import SessionId, Text

RelationName = Annotated[str, Meta(pattern=r"^(contradicts|extends|implements|references|supersedes)$")]


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


class MemoriesParams(Value):
    """Which memories to list: every filter that is given must hold. Newest first."""

    id: Annotated[str | None, Meta(description="One memory, by its id or an unambiguous prefix of it.")] = None
    type: Annotated[str | None, Meta(description="Of this type.")] = None
    tag: Annotated[str | None, Meta(description="With this tag.")] = None
    file: Annotated[str | None, Meta(description="About this file, also under names that it had before.")] = None
    session: SessionId | None = None
    task: Annotated[str | None, Meta(description="Of this task; T-0042 finds MUNI-T-0042.")] = None
    scope: Annotated[Scope | None, Meta(description="Of this scope; session shows every session's notes.")] = None
    text: Annotated[str | None, Meta(description="Whose text or title contains this, whatever the case.")] = None
    min_importance: Annotated[int, Meta(ge=0, le=10, description="Of this importance or more; 0 is whatever.")] = 0
    since: Annotated[str | None, Meta(description="Changed since: 12h, 3d, 2w, 2026-01-31.")] = None
    order: Annotated[
        Literal["newest", "importance"], Meta(description="What comes first; the newer one among equals.")
    ] = "newest"
    archived: Annotated[bool, Meta(description="Archived, superseded, merged, rejected and expired ones, too.")] = False
    pending: Annotated[bool, Meta(description="Only those that wait for an approval.")] = False
    limit: Annotated[int, Meta(ge=1, le=10_000, description="The most memories to return.")] = 50
    offset: Annotated[int, Meta(ge=0, description="How many to leave out at the start.")] = 0
    at: Annotated[
        str | None,
        Meta(description="Answer as of this commit, branch or tag, from git's objects: what was remembered then."),
    ] = None
    branches: Annotated[
        bool, Meta(description="Also what is remembered on other branches only; it is labelled with their names.")
    ] = False


class LinksParams(Value):
    """From where to follow the links between memories, and how far."""

    id: Annotated[Text, Meta(description="The memory's id or an unambiguous prefix of it.")]
    depth: Annotated[int, Meta(ge=1, le=5, description="How many links to follow one after the other.")] = 2
    relation: Annotated[tuple[RelationName, ...], Meta(description="Only links of any of these relations.")] = ()
    archived: Annotated[bool, Meta(description="Over archived, superseded and expired ones, too.")] = False
    limit: Annotated[int, Meta(ge=1, le=500, description="The most memories to return.")] = 50
    session: SessionId | None = None


class OverviewParams(Value):
    """What counts as recent and as important."""

    days: Annotated[int, Meta(ge=0, le=36_500, description="Recent is what changed in so many days.")] = 7
    importance: Annotated[int, Meta(ge=1, le=10, description="Important is this much or more.")] = 8
    limit: Annotated[int, Meta(ge=1, le=100, description="The most memories of each sort.")] = 10
    session: SessionId | None = None


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


class ForgetParams(Value):
    """Which memory to archive."""

    id: Annotated[Text, Meta(description="The memory's id or an unambiguous prefix of it.")]
    reason: Annotated[str, Meta(description="Why; kept with the memory.")] = ""
    restore: Annotated[bool, Meta(description="Bring an archived memory back.")] = False
    session: SessionId | None = None


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


class ApproveParams(Value):
    """Which memories to approve, and who does so."""

    ids: Annotated[
        tuple[Text, ...], Meta(min_length=1, description="The memories' ids or unambiguous prefixes of them.")
    ]
    note: Annotated[str, Meta(description="A word on it; kept with the memory.")] = ""
    actor: Annotated[Actor, Meta(description="Who approves.")] = "user"
    agent: Annotated[str | None, Meta(description="The program that acts, with its version.")] = None
    session: SessionId | None = None


class RejectParams(Value):
    """Which memories to reject, why, and who does so."""

    ids: Annotated[
        tuple[Text, ...], Meta(min_length=1, description="The memories' ids or unambiguous prefixes of them.")
    ]
    reason: Annotated[Text, Meta(description="Why; kept with the memory.")]
    actor: Annotated[Actor, Meta(description="Who rejects.")] = "user"
    agent: Annotated[str | None, Meta(description="The program that acts, with its version.")] = None
    session: SessionId | None = None


class RedactParams(Value):
    """Which memory to blank."""

    id: Annotated[Text, Meta(description="The memory's id or an unambiguous prefix of it.")]
    session: SessionId | None = None


class PurgeParams(Value):
    """Whose traces in git's history to look for."""

    id: Annotated[Text, Meta(description="The memory's id; the whole of it when only other branches have it.")]
    show_commits: Annotated[bool, Meta(description="Name the commits and blobs, not only their number.")] = False


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
