"""The parameters of every verb. A field's description is the text that people and models read."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from muninn_core.model.chunk import SourceKind
from muninn_core.model.memory import Actor, Cite, Link, Scope, Trust
from muninn_core.model.value import Meta, Value, field

Text = Annotated[str, Meta(min_length=1)]
SessionId = Annotated[
    str,
    Meta(
        pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$",
        description="The working session that this belongs to; letters, digits, '.', '_' and '-'.",
    ),
]

ScopeOfQuestion = Annotated[
    Scope | None,
    Meta(
        description="session: only this session's notes; project: project and global memory; global: all memory, other "
        "sessions' notes too. Otherwise this session's, the project's and the global one."
    ),
]


Profile = Literal["muninn", "mnemosyne"]
"""The rankings of memories that a question can name; `retrieval.profile` says what the second is."""

RelationName = Annotated[str, Meta(pattern=r"^(contradicts|extends|implements|references|supersedes)$")]


class InitParams(Value):
    """Nothing to say: `init` writes the folder and its defaults."""


class StatusParams(Value):
    """Nothing to say."""


class ShutdownParams(Value):
    """Nothing to say."""


class IndexParams(Value):
    """What to bring up to date."""

    wait: Annotated[
        bool, Meta(description="Answer only when everything on disk is found, by words and by meaning.")
    ] = True
    rebuild: Annotated[bool, Meta(description="Throw the index away and build it from the files.")] = False


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


class RecallParams(Value):
    """A question: `query`, or what it shall be like, or a further page. All filters must hold, those in `query` too."""

    query: Annotated[
        str,
        Meta(
            description='Words, identifiers or a sentence; also "exact phrase" and filters: type:decision tag:auth '
            "path:src/** lang:python kind:code author:user importance:>=7 since:2w until:2026-01-31 session:ID "
            "task:ID branch:NAME at:REV; -KEY:VALUE leaves out."
        ),
    ] = ""
    limit: Annotated[int, Meta(ge=1, le=200, description="The most hits to return.")] = 10
    kind: Annotated[SourceKind | None, Meta(description="Only code, only knowledge or only memory.")] = None
    type: Annotated[tuple[str, ...], Meta(description="Only memories of any of these types.")] = ()
    tag: Annotated[tuple[str, ...], Meta(description="Only memories with any of these tags.")] = ()
    path: Annotated[
        tuple[str, ...],
        Meta(description="Only files that match any of these globs, as in .gitignore, and memories about them."),
    ] = ()
    lang: Annotated[tuple[str, ...], Meta(description="Only files in any of these languages: python, ts, go.")] = ()
    phrase: Annotated[tuple[str, ...], Meta(description="Only what holds these words side by side.")] = ()
    author: Annotated[
        tuple[str, ...], Meta(description="Only memories by any of these: user, assistant, tool, an agent's name.")
    ] = ()
    min_importance: Annotated[
        int, Meta(ge=0, le=10, description="Only memories of this importance or more; 0 is whatever importance.")
    ] = 0
    since: Annotated[str | None, Meta(description="Only memories changed since: 12h, 3d, 2w, 2026-01-31.")] = None
    until: Annotated[str | None, Meta(description="Only memories last changed before: 2w, 2026-01-31.")] = None
    branch: Annotated[tuple[str, ...], Meta(description="Only memories made on any of these branches (globs).")] = ()
    from_session: Annotated[tuple[str, ...], Meta(description="Only memories of any of these sessions.")] = ()
    task: Annotated[
        str | None, Meta(description="Only what was learned on this task, and its document; T-0042 finds MUNI-T-0042.")
    ] = None
    like: Annotated[
        str | None, Meta(description="More like this: FILE:LINE, or a memory's id. Words in `query` count as well.")
    ] = None
    at_hand: Annotated[
        tuple[str, ...],
        Meta(description="Files at hand: what changed together with them, or is beside them, counts more."),
    ] = ()
    by_file: Annotated[
        bool, Meta(description="One hit a file: its best place, and how many of its pieces were found.")
    ] = False
    page: Annotated[str | None, Meta(description="Further hits of an earlier answer: what it gave as `next`.")] = None
    profile: Annotated[
        Profile | None,
        Meta(
            description="How hits are ranked. mnemosyne finds memories alone, by words and the links between them; "
            "muninn is the ranking of everything. Otherwise what the config says of questions for memories."
        ),
    ] = None
    depth: Annotated[
        int,
        Meta(ge=0, le=5, description="With the profile mnemosyne: how many links are followed from what words find."),
    ] = 2
    plain: Annotated[bool, Meta(description="Take the query as words alone: no filters, no phrases in it.")] = False
    scope: ScopeOfQuestion = None
    session: SessionId | None = None
    at: Annotated[
        str | None,
        Meta(description="Answer as of this commit, branch or tag, from git's objects: what was remembered then."),
    ] = None
    branches: Annotated[
        bool, Meta(description="Also what is remembered on other branches only; it is labelled with their names.")
    ] = False


class ContextParams(Value):
    """What to gather context for: a query, or a task, files, a cursor or a diff to make one from; all may be given."""

    query: Annotated[
        str, Meta(description="The task or question at hand; follows from what else is given when absent.")
    ] = ""
    budget: Annotated[int, Meta(ge=50, le=200_000, description="The most tokens of the whole pack.")] = 4000
    files: Annotated[tuple[str, ...], Meta(description="Files at hand; what is remembered of them counts more.")] = ()
    cursor: Annotated[
        str | None,
        Meta(description="Where the work is: FILE:LINE or FILE:LINE:COL. The code around it comes first."),
    ] = None
    diff: Annotated[
        str | None,
        Meta(
            description="Changes at hand: HEAD or another revision for those of the work tree against it, A..B for "
            "those between two, or a patch as `git diff` writes it."
        ),
    ] = None
    open_files: Annotated[
        tuple[str, ...], Meta(description="Files that are open in the asker's editor, the last used first.")
    ] = ()
    task: Annotated[str | None, Meta(description="A task's id; its document and memories come first.")] = None
    scope: ScopeOfQuestion = None
    session: SessionId | None = None
    at: Annotated[
        str | None,
        Meta(description="Answer as of this commit, branch or tag, from git's objects: what was remembered then."),
    ] = None
    branches: Annotated[
        bool, Meta(description="Also what is remembered on other branches only; it is labelled with their names.")
    ] = False
    format: Annotated[
        Literal["markdown", "json", "xml"], Meta(description="How `text` is written; the items are the same in all.")
    ] = "markdown"
    skills: Annotated[bool, Meta(description="Also the skills that help with it, in at most 30 % of the budget.")] = (
        False
    )


BundleId = Annotated[
    str, Meta(min_length=1, description="The id that `context` gave its answer, or an unambiguous prefix of it.")
]


class WhyParams(Value):
    """Which context to explain."""

    bundle: BundleId
    item: Annotated[
        str | None,
        Meta(description="Only this item, taken or left out: its id, a path, or the beginning of either."),
    ] = None


class ReplayParams(Value):
    """Which context to give again."""

    bundle: BundleId
    fresh: Annotated[bool, Meta(description="Gather it anew from what it was asked with, and say what differs.")] = (
        False
    )


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


class SessionsParams(Value):
    """Which sessions to list: open ones first, then those that wrote last."""

    session: SessionId | None = None
    open: Annotated[bool, Meta(description="Only those with something that is not sealed yet.")] = False
    limit: Annotated[int, Meta(ge=1, le=10_000, description="The most sessions to return.")] = 50
    offset: Annotated[int, Meta(ge=0, description="How many to leave out at the start.")] = 0


class HistoryParams(Value):
    """Whose life to tell."""

    id: Annotated[Text, Meta(description="The memory's id or an unambiguous prefix of it.")]


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


class DiffParams(Value):
    """Which work to review."""

    range: Annotated[
        Text,
        Meta(description="A..B: what B adds to A since they parted. One revision alone is compared with HEAD."),
    ]
    format: Annotated[
        Literal["text", "markdown"], Meta(description="How `text` is written; markdown suits a pull request.")
    ] = "text"


class CheckParams(Value):
    """How to judge; the levels of the single rules stand in the config, under `check`."""

    strict: Annotated[bool, Meta(description="Count warnings as errors.")] = False


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


class SealParams(Value):
    """Which sessions to seal."""

    session: Annotated[
        SessionId | None, Meta(description="Only this session; all sessions of the work tree when absent.")
    ] = None


class ReconcileParams(Value):
    """How to consolidate."""

    dry_run: Annotated[bool, Meta(description="Say what would happen; change nothing.")] = False
    archive: Annotated[bool, Meta(description="Move the segments to memory/archive in place of deleting them.")] = False
    session: Annotated[SessionId | None, Meta(description="Only this session's segments; all of them when absent.")] = (
        None
    )


class UndoParams(Value):
    """Nothing to say: the last reconcile or prune of the work tree is taken back."""


class PruneParams(Value):
    """Whether to prune or to say what that would do; the policy is `prune` in the config."""

    dry_run: Annotated[bool, Meta(description="Say what would leave; change nothing.")] = False


class ConflictsParams(Value):
    """Which conflicts to show."""

    id: Annotated[str | None, Meta(description="One conflict, by its id or an unambiguous prefix of it.")] = None


class ResolveParams(Value):
    """A person's decision."""

    id: Annotated[Text, Meta(description="The conflict's id or an unambiguous prefix of it.")]
    keep: Annotated[Literal["left", "right", "both"], Meta(description="Which side holds.")]
    text: Annotated[str, Meta(description="A new wording for the side that is kept.")] = ""
    session: SessionId | None = None


class RedactParams(Value):
    """Which memory to blank."""

    id: Annotated[Text, Meta(description="The memory's id or an unambiguous prefix of it.")]
    session: SessionId | None = None


class PurgeParams(Value):
    """Whose traces in git's history to look for."""

    id: Annotated[Text, Meta(description="The memory's id; the whole of it when only other branches have it.")]
    show_commits: Annotated[bool, Meta(description="Name the commits and blobs, not only their number.")] = False


class ExportParams(Value):
    """Which memories leave in a bundle: every filter that is given must hold."""

    type: Annotated[str | None, Meta(description="Of this type.")] = None
    tag: Annotated[str | None, Meta(description="With this tag.")] = None
    session: SessionId | None = None
    task: Annotated[str | None, Meta(description="Of this task; T-0042 finds MUNI-T-0042.")] = None
    scope: Annotated[Scope, Meta(description="project, this machine's session notes, or your global memory.")] = (
        "project"
    )
    since: Annotated[str | None, Meta(description="Made at this RFC 3339 time or date (UTC), or later.")] = None
    until: Annotated[str | None, Meta(description="Made before this RFC 3339 time or date (UTC).")] = None
    private: Annotated[bool, Meta(description="Private memories, too.")] = False


class ImportParams(Value):
    """A bundle, and what to do with it."""

    path: Annotated[Text, Meta(description="The bundle's file; a relative path is meant from the root.")]
    on_conflict: Annotated[
        Literal["skip", "overwrite", "error"],
        Meta(description="What to do with a record that has another content here; error stores nothing at all."),
    ] = "skip"
    trust: Annotated[
        Literal["outside", "keep"],
        Meta(description="outside: it counts as text from outside; keep: you vouch for what its authors claim."),
    ] = "outside"
    dry_run: Annotated[bool, Meta(description="Say what would happen; change nothing.")] = False
    session: SessionId | None = None


PackName = Annotated[str, Meta(description="The pack's name: a-z, 0-9 and '-'.", min_length=1, max_length=64)]
PackPath = Annotated[
    str,
    Meta(min_length=1, description="A pack on this machine: a folder, .tar.gz or .zip; relative ones from the root."),
]


class PackExportParams(Value):
    """Which knowledge leaves, as what. Every filter that is given must hold."""

    name: PackName
    path: Annotated[
        Text, Meta(description="Where to: a .tar.gz or .zip, else a folder; a relative path is meant from the root.")
    ]
    version: Annotated[Text, Meta(description="The version, as in Semantic Versioning: 1.2.0.")]
    description: Annotated[str, Meta(description="What the pack is, in a sentence.")] = ""
    licence: Annotated[str, Meta(description="Its licence, best as an SPDX identifier.")] = ""
    origin: Annotated[str, Meta(description="Where it comes from, for its readers: a project or an address.")] = ""
    match: Annotated[
        tuple[str, ...], Meta(description="Only files of this folder or pattern below .muninn/knowledge.")
    ] = ()
    type: Annotated[str | None, Meta(description="Only of this type (frontmatter).")] = None
    tag: Annotated[str | None, Meta(description="Only with this tag (frontmatter).")] = None
    domain: Annotated[str | None, Meta(description="Only of this domain (frontmatter).")] = None
    force: Annotated[bool, Meta(description="Replace a pack that is there.")] = False


class PackAddParams(Value):
    """The pack to take in."""

    path: PackPath
    force: Annotated[bool, Meta(description="Take it though it seems to hold secrets.")] = False


class SkillsListParams(Value):
    """Which skills: all, or those with which something is wrong."""

    problems: Annotated[bool, Meta(description="Only those with which something is wrong.")] = False


class SkillsMatchParams(Value):
    """The task, and the budget of the context that skills may take 30 % of."""

    task: Annotated[str, Meta(description="What is to be done, in a sentence.")]
    budget: Annotated[
        int, Meta(ge=50, le=200_000, description="Tokens of the whole context; skills take at most 30 % of them.")
    ] = 20_000


class PackListParams(Value):
    """Nothing to say: all packs are listed."""


class PackUpdateParams(Value):
    """The pack that comes in the place of the one of its name."""

    path: PackPath
    force: Annotated[bool, Meta(description="Overwrite what was edited here, and go back to older versions.")] = False
    dry_run: Annotated[bool, Meta(description="Say what would change; change nothing.")] = False


class PackRemoveParams(Value):
    """The pack to remove."""

    name: PackName
    force: Annotated[bool, Meta(description="Remove it though files of it were edited here.")] = False


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


class VerifyParams(Value):
    """Which citations to check."""

    id: Annotated[str | None, Meta(description="One memory, by its id or an unambiguous prefix of it.")] = None
    fix: Annotated[bool, Meta(description="Let memories whose code has moved cite the new place.")] = False
    session: SessionId | None = None


TextOfFile = Annotated[
    str | None, Meta(description="The file's text, where an editor has it unsaved; else the file is read.")
]
OwnPath = Annotated[Text, Meta(description="A file of .muninn, a context file, or a decision record.")]


class LintParams(Value):
    """The file to look at."""

    path: OwnPath
    text: TextOfFile = None


class ReferencesParams(Value):
    """The file whose references to resolve."""

    path: OwnPath
    text: TextOfFile = None
    line: Annotated[int, Meta(ge=0, description="Only those on this line, from 1; 0 is all of them.")] = 0


class BacklinksParams(Value):
    """What to look for."""

    target: Annotated[
        Text, Meta(description="A path, a memory's id, a decision's name, or a reference: [[ADR 7]], @src/a.py#f.")
    ]
    path: Annotated[str, Meta(description="The file that the target was written in; paths may be relative to it.")] = ""


class RelinkParams(Value):
    """Which files get other names."""

    moves: Annotated[tuple[Text, ...], Meta(min_length=1, description="Old and new path in turn, of files or folders.")]


class NamesParams(Value):
    """Which names to list."""

    text: Annotated[str, Meta(description="What the name contains, whatever the case; nothing lists them all.")] = ""
    kinds: Annotated[
        tuple[Annotated[str, Meta(pattern="^(memory|document|knowledge|file|symbol|tag)$")], ...],
        Meta(description="memory, document, knowledge, file, symbol or tag; the first three when nothing is said."),
    ] = ()
    file: Annotated[str, Meta(description="For symbols: the file that defines them.")] = ""
    limit: Annotated[int, Meta(ge=1, le=1000, description="The most names to return.")] = 50


class RenderParams(Value):
    """The context file to render."""

    path: Annotated[
        Text, Meta(description="A context file; a bare name is that of a file in .muninn/context, without its ending.")
    ]
    text: TextOfFile = None
    budget: Annotated[
        int, Meta(ge=0, le=200_000, description="The most tokens; 0 is what the file says, or else 8000.")
    ] = 0
    session: SessionId | None = None


class TemplateListParams(Value):
    """Nothing to say: all templates are listed."""


class TemplateNewParams(Value):
    """The context file to make."""

    name: Annotated[Text, Meta(description="The name of the new file in .muninn/context, without its ending.")]
    template: Annotated[
        Literal["api", "architecture", "bugfix", "feature", "refactor"], Meta(description="What it begins as.")
    ] = "feature"
    title: Annotated[str, Meta(description="What it is about, on one line; made from the name when absent.")] = ""


class AnnotateParams(Value):
    """The file to say it of."""

    file: Annotated[Text, Meta(description="The file, relative to the root.")]


class AboutParams(Value):
    """A place in the code."""

    file: Annotated[Text, Meta(description="The file, relative to the root.")]
    line: Annotated[int, Meta(ge=0, description="The line (1-based); 0 is the file as a whole.")] = 0
    name: Annotated[str, Meta(description="The name that stands there, if one is meant.")] = ""
    links: Annotated[
        bool, Meta(description="Link records as `muninn:` documents, for a client that can open them.")
    ] = False


class DocumentParams(Value):
    """The document to read."""

    uri: Annotated[
        Text,
        Meta(
            description="muninn:/memory/ID.md, muninn:/notes/PATH.md, muninn:/commit/SHA.md, "
            "muninn:/context/PATH.md or muninn:/pack.md?query=TEXT&budget=TOKENS."
        ),
    ]


class ConfirmParams(Value):
    """Which memory still holds, and where its code is now."""

    id: Annotated[Text, Meta(description="The memory's id or an unambiguous prefix of it.")]
    cites: Annotated[
        tuple[Cite, ...],
        Meta(description="New places in the code, in place of those that are stale; else where the code is now."),
    ] = ()
    session: SessionId | None = None


class DraftParams(Value):
    """What to begin a draft of."""

    type: Annotated[Text, Meta(description="insight, decision, attempt, constraint or any other kind of memory.")] = (
        "insight"
    )
    path: Annotated[str, Meta(description="The file that it is about, relative to the root.")] = ""
    start: Annotated[int, Meta(ge=0, description="The first line that it cites; 0 cites none.")] = 0
    end: Annotated[int, Meta(ge=0, description="The last line that it cites.")] = 0
    supersedes: Annotated[str, Meta(description="The memory that it takes the place of.")] = ""


class SymbolsParams(Value):
    """Which definitions to find."""

    query: Annotated[
        str,
        Meta(
            min_length=1,
            max_length=200,
            description="A name, its beginning, its humps (`gUN` for getUserName) or a part; `Class.method`, too.",
        ),
    ]
    kind: Annotated[str | None, Meta(description="Only of this kind: class, function, method, constant …")] = None
    language: Annotated[str | None, Meta(description="Only of this language: python, typescript, go …")] = None
    path: Annotated[str | None, Meta(description="Only in this folder, or in files of this pattern: `src/*.py`.")] = (
        None
    )
    limit: Annotated[int, Meta(ge=1, le=500, description="The most definitions.")] = 20


class OutlineParams(Value):
    """Whose definitions to tell."""

    path: Annotated[Text, Meta(description="A file, relative to the root.")]


class GraphParams(Value):
    """What to look around from, and where to."""

    start: Annotated[
        Text, Meta(description="A file, a definition (`name`, `Class.method`), or one of a file: `path#Class.method`.")
    ]
    relation: Annotated[
        str,
        Meta(
            description="What to follow: definitions, imports, importers, callers, callees, tests, or neighbours, "
            "which are all but definitions."
        ),
    ] = "neighbours"
    depth: Annotated[int, Meta(ge=1, le=3, description="How many steps to go.")] = 1
    limit: Annotated[int, Meta(ge=1, le=500, description="The most edges.")] = 50
