"""A memory: what folding the log says of one thing that was remembered."""

from __future__ import annotations

from typing import Any, Literal

from muninn_core.model.value import Value, field

Trust = Literal["user", "commit", "agent", "outside"]
"""Who vouches: a person said it > a commit or test shows it > an agent inferred it > text from outside."""

TRUST_ORDER: tuple[Trust, ...] = ("outside", "agent", "commit", "user")
"""From the least trusted to the most."""

Work = Literal["", "reverted", "rewritten", "unmerged", "abandoned"]
"""What became of the commit that a memory was made at: nothing to say (HEAD's history has it); taken back by
`git revert`; not in this history, though the memory is (a squash, rebase or cherry-pick brought it); on another branch
only; on no branch any more."""

Scope = Literal["project", "session", "global"]
"""Whom a memory is for: everybody who works at the project, one session only, or its user in every project."""

SCOPES: tuple[Scope, ...] = ("project", "session", "global")

Review = Literal["", "pending", "approved", "rejected"]
"""Whether a memory had to wait for an approval, and what came of it; "" for one that nobody has to approve."""

Actor = Literal["user", "assistant", "tool", "hook", "import"]

ACTORS: tuple[Actor, ...] = ("user", "assistant", "tool", "hook", "import")

KINDS: tuple[str, ...] = (
    "attempt",
    "bug_fix",
    "configuration",
    "constraint",
    "context_hit",
    "decision",
    "entity",
    "insight",
    "pattern",
    "preference",
    "reference",
    "session_summary",
)
"""The kinds of memory known without configuration; `memory.kinds` in the config adds more."""

RELATIONS: tuple[str, ...] = ("contradicts", "extends", "implements", "references", "supersedes")


class Cite(Value):
    """A place in the code that a memory speaks of. Lines are 1-based and inclusive; `start` 0 is the whole file."""

    path: str
    start: int = 0
    end: int = 0
    symbol: str | None = None
    hash: str | None = None
    commit: str | None = None


class Link(Value):
    """A directed relation from one memory to another."""

    relation: str
    target: str
    strength: float = 1.0
    reason: str = ""
    by: str = ""


class Memory(Value):
    """One memory, folded. `type` is that of the record that created it; times are RFC 3339 in UTC.

    `elsewhere` are the branches that hold a memory which HEAD does not; `work` says what became of the commit that it
    was made at. Both depend on the asker's HEAD and are no part of the log.
    `details` holds the fields that only some kinds have (a decision's rationale, an attempt's command), and every
    field of a record that this version does not know. `sealed` is false while the memory is only in the spool.
    A `private` one is only in the ignored part of this work tree and never gets into git. `scope` says whom it is for;
    a global one is in no log of the repository. `expired` depends on the time of asking and is no part of the log.
    """

    id: str
    type: str
    text: str
    ts: str
    title: str = ""
    tags: tuple[str, ...] = ()
    entities: tuple[str, ...] = ()
    files: tuple[str, ...] = ()
    cites: tuple[Cite, ...] = ()
    importance: int = 5
    confidence: float = 0.8
    trust: Trust = "agent"
    actor: str = ""
    agent: str | None = None
    session: str | None = None
    sessions: tuple[str, ...] = ()
    task: str | None = None
    branch: str | None = None
    commit: str | None = None
    expires: str | None = None
    updated: str = ""
    links: tuple[Link, ...] = ()
    aliases: tuple[str, ...] = ()
    pinned: bool = False
    archived: bool = False
    redacted: bool = False
    review: Review = ""
    superseded_by: str | None = None
    merged_into: str | None = None
    sealed: bool = False
    private: bool = False
    scope: Scope = "project"
    expired: bool = False
    sources: tuple[str, ...] = ()
    elsewhere: tuple[str, ...] = ()
    work: Work = ""
    details: dict[str, Any] = field(default_factory=dict)

    @property
    def active(self) -> bool:
        """Whether the memory speaks for itself: in force, no trace, neither waiting for an approval nor rejected."""
        # Asked of a hundred thousand when a log is opened: one look at each field, and none through other properties.
        silenced = self.archived or self.superseded_by or self.merged_into or self.redacted
        return not (silenced or self.review in ("pending", "rejected") or (self.type == "context_hit" and self.trace))

    @property
    def trace(self) -> bool:
        """Whether it only shows which files a commit changed: that counts for these files, and is no answer itself."""
        return self.type == "context_hit" and self.private and "commit" in self.details

    @property
    def witness(self) -> bool:
        """Whether what it says of files counts: it speaks, or is a trace that nobody has silenced."""
        return self.active or (self.trace and not self.silenced)

    @property
    def silenced(self) -> bool:
        """Whether somebody or something has put it out of force."""
        return bool(self.archived or self.superseded_by or self.merged_into or self.redacted)

    @property
    def waits(self) -> bool:
        """Whether the memory waits for an approval. A trace states nothing that somebody could approve."""
        return self.review == "pending" and not (self.silenced or self.trace)

    @property
    def origin(self) -> str:
        """Where a memory comes from that was made long after what it tells: `backfill from git`; else ""."""
        source = self.details.get("backfill")
        return f"backfill from {source}" if isinstance(source, str) and self.actor == "import" else ""
