"""A memory: the result of folding all records of the log about one remembered fact."""

from __future__ import annotations

from typing import Any, Literal

from muninn_core.model.value import Value, field

SHORT_ID = 8
"""The number of an id's last characters that terminals, lists and packs show. They are random, and every verb takes
them."""

Trust = Literal["user", "commit", "agent", "outside"]
"""The source of a memory: a person said it, a commit or test shows it, an agent inferred it, text from outside."""

TRUST_ORDER: tuple[Trust, ...] = ("outside", "agent", "commit", "user")
"""From the least trusted to the most."""

Work = Literal["", "reverted", "rewritten", "unmerged", "abandoned"]
"""The state of the commit that a memory was made at. "": it is in HEAD's history. reverted: `git revert` undid it.
rewritten: the memory is in HEAD's history and the commit is not (squash, rebase or cherry-pick). unmerged: it is on
other branches only. abandoned: no branch has it."""

Scope = Literal["project", "session", "global"]
"""Where a memory applies: for all users of the project, in one session, or for its user in all projects."""

SCOPES: tuple[Scope, ...] = ("project", "session", "global")

Review = Literal["", "pending", "approved", "rejected"]
"""The state of a memory's approval; "" when it needs none."""

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

MANY_SESSIONS = 5
"""So many sessions that are not reconciled are worth a hint."""

MANY_STEPS = 5
"""So many steps of upkeep are worth a hint."""

RELATIONS: tuple[str, ...] = ("contradicts", "extends", "implements", "references", "supersedes")


class Cite(Value):
    """A place in the code that a memory is about. Lines are 1-based and inclusive; `start` 0 is the whole file."""

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
    """One memory. `type` is that of the record that created it; times are RFC 3339 in UTC.

    `elsewhere` are the branches that hold a memory which HEAD does not have, `work` is the state of its commit. Both
    depend on HEAD, and `expired` on the current time; none of them is in the log.
    `questions` are what it answers, in the words of a person who does not know it; it is found by them too.
    `author` is the name of the person who wrote it, or whose agent did; "" where it is not known.
    `details` holds the fields of single kinds (a decision's rationale, an attempt's command) and all fields of the
    record that this version does not define. `sealed` is false while the memory is only in the spool.
    A `private` memory is stored in the ignored part of this work tree and never in git. A memory of the global `scope`
    is stored in the user's log, outside of the repository. `repository` names the repository of the user's list that
    a memory was read from, "" for this one; it is not in the log either.
    """

    id: str
    type: str
    text: str
    ts: str
    title: str = ""
    tags: tuple[str, ...] = ()
    entities: tuple[str, ...] = ()
    questions: tuple[str, ...] = ()
    files: tuple[str, ...] = ()
    cites: tuple[Cite, ...] = ()
    importance: int = 5
    confidence: float = 0.8
    trust: Trust = "agent"
    actor: str = ""
    author: str = ""
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
    repository: str = ""
    details: dict[str, Any] = field(default_factory=dict)

    @property
    def active(self) -> bool:
        """Whether the memory may be an answer: in force, no trace, and neither pending nor rejected."""
        # Opening a log asks this of each memory, of 100,000 at times: it reads fields, not other properties.
        retired = self.archived or self.superseded_by or self.merged_into or self.redacted
        return not (retired or self.review in ("pending", "rejected") or (self.type == "context_hit" and self.trace))

    @property
    def unvetted(self) -> bool:
        """Whether the text comes from outside of the project and no person approved it."""
        return self.trust == "outside" and self.review != "approved"

    @property
    def trace(self) -> bool:
        """Whether it only records which files a commit changed. It ranks these files and is no answer itself."""
        return self.type == "context_hit" and self.private and "commit" in self.details

    @property
    def witness(self) -> bool:
        """Whether it counts in the ranking of files: it is active, or a trace in force."""
        return self.active or (self.trace and not self.is_out_of_force)

    @property
    def is_out_of_force(self) -> bool:
        """Whether it is out of force: archived, superseded, merged or redacted."""
        return bool(self.archived or self.superseded_by or self.merged_into or self.redacted)

    @property
    def waits(self) -> bool:
        """Whether the memory waits for an approval. A trace needs none."""
        return self.review == "pending" and not (self.is_out_of_force or self.trace)

    @property
    def work_session(self) -> str:
        """The session of work in which it was stored; "" for none.

        Memories of commits and of other tools have the session of their import, in which they have nothing in common.
        """
        imported = self.origin == "backfill from git" or "imported_from" in self.details
        return "" if imported else self.session or ""

    @property
    def origin(self) -> str:
        """The source of a memory that a backfill made, as `backfill from git`, or another tool wrote; else ""."""
        source = self.details.get("backfill")
        if isinstance(source, str) and self.actor == "import":
            return f"backfill from {source}"
        place = self.details.get("imported_from")
        tool = place.get("tool") if isinstance(place, dict) else None
        return f"imported from {tool}" if isinstance(tool, str) and tool else ""
