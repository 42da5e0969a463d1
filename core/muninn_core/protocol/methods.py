"""The catalogue: every capability of Muninn, once.

JSON-RPC methods (`muninn/<verb>`), LSP commands (`muninn.<verb>`), MCP tools, CLI verbs, the extension's TypeScript
types and the reference page are made from `METHODS`. A capability is in this table or it does not exist.
"""

from __future__ import annotations

import difflib
import keyword
from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Any, Literal

from muninn_core.errors import BadParams, UnknownVerb
from muninn_core.model.value import ValidationError, Value, encode_json, field, from_plain
from muninn_core.protocol import params as p
from muninn_core.protocol import results as r

Effect = Literal["read", "write", "control"]


class Method(Value):
    """One verb, with everything that a front end must know about it.

    A dot in a verb separates a group from the verb in it: `pack.add` is `muninn pack add` on the command line.
    """

    verb: str
    """The name, on every front end."""

    title: str
    """A few words for a menu or a list."""

    summary: str
    """One sentence: what the verb does. People and models read it."""

    params: type[Value]
    """The parameters. The description of each field is what people and models read."""

    result: type[Value]
    """The result."""

    effect: Effect
    """read changes nothing; write adds to the log or the work tree, one at a time; control acts on the daemon or the
    index, or takes so long that writers must not wait for it."""

    use: str = ""
    """When a model should call the verb. Without it the verb is no MCP tool."""

    destructive: bool = False
    """Whether the verb takes away or replaces something, so that a person may want to confirm it."""

    idempotent: bool = True
    """Whether a second call with the same parameters changes nothing more: a hint for MCP clients."""

    retry: bool = False
    """Whether a client may send a verb that does not only read again when the connection broke before the answer."""

    alone: bool = False
    """Whether the command line runs the verb in a daemon of its own, which leaves nothing behind."""

    searches: bool = False
    """Whether the answer comes from the index. The command line then warns when the index could not be updated."""

    progress: str = ""
    """The title of the progress bar on a terminal. Without it there is no bar."""

    positional: tuple[str, ...] = ()
    """The parameters that the command line takes by position, in this order."""

    flags: dict[str, str] = field(default_factory=dict)
    """Names of options that differ from their parameter's name, by parameter."""

    bare: dict[str, str] = field(default_factory=dict)
    """Options that may be given without a value, by parameter, and the value that they then have."""

    aliases: tuple[str, ...] = ()
    """Other words for the verb on the command line: `context new` for `template.new`."""

    absolute_paths: tuple[str, ...] = ()
    """Parameters that the command line sends as absolute paths: files that need not be in the repository."""

    rooted_paths: tuple[str, ...] = ()
    """Parameters that a person gives relative to the current folder and the verb takes relative to the root."""

    tool: bool = False
    """Whether the verb is in the MCP tool set `core`, which agents are shown by default."""

    always_loaded: bool = False
    """Whether an MCP client that loads tools on demand should load this one at the start."""

    shown: tuple[str, ...] = ()
    """The parameters in the schema of the MCP tool; () is all that a model may fill in."""

    may_omit: tuple[str, ...] = ()
    """Positional parameters that a model may leave out. A model must give all others."""

    session_filter: bool = False
    """Whether `session` selects what is looked at, so that a model may fill it in. Otherwise it says who calls."""

    example: dict[str, Any] = field(default_factory=dict)
    """The parameters of the example in the reference."""

    @property
    def repeatable(self) -> bool:
        """Whether a client may send the verb again when it does not know whether it was carried out."""
        return self.effect == "read" or self.retry

    @property
    def names_speaker(self) -> bool:
        """Whether the effect depends on who calls: a person or an agent."""
        return "actor" in self.params.__struct_fields__

    @property
    def function(self) -> str:
        """The name of the engine's method; a word of the language gets a line behind it."""
        return self.verb.replace(".", "_") + ("_" if keyword.iskeyword(self.verb) else "")

    @property
    def words(self) -> str:
        """The verb as the command line has it."""
        return self.verb.replace(".", " ")

    @property
    def name(self) -> str:
        """The JSON-RPC method's name."""
        return f"muninn/{self.verb}"

    @property
    def command(self) -> str:
        """The LSP command's name."""
        return f"muninn.{self.verb}"


_PLURALS = {"files": "file", "tags": "tag", "entities": "entity"}

_TABLE = (
    Method(
        verb="init",
        title="Initialise the repository's memory",
        summary="Write .muninn with its defaults; what is there already stays as it is.",
        params=p.InitParams,
        result=r.InitResult,
        effect="write",
    ),
    Method(
        verb="status",
        title="Status",
        summary="Say how the daemon, the index and the log are, and what needs a person.",
        params=p.StatusParams,
        result=r.StatusResult,
        effect="read",
        tool=True,
        use="Call when an answer looks incomplete or an error says so: it tells whether the index lags and what is "
        "broken.",
    ),
    Method(
        verb="index",
        title="Bring the index up to date",
        summary="Compare every file with the index and take in what changed.",
        params=p.IndexParams,
        result=r.IndexResult,
        effect="control",
        retry=True,
        progress="Indexing",
    ),
    Method(
        verb="remember",
        title="Remember",
        summary="Store a memory; it is on disk when the answer comes.",
        params=p.RememberParams,
        result=r.RememberResult,
        effect="write",
        idempotent=False,
        tool=True,
        positional=("text",),
        flags=_PLURALS,
        use="Call when something was decided, learned or tried that the next session would need: a decision and its "
        "reason, a constraint, the cause of a bug, a way that failed (type `attempt`, with the command in `details`). "
        "Name the files that it is about. One fact a memory, in whole sentences. Never store secrets.",
        example={
            "text": "The socket's name is a hash of the git common directory, so that work trees share one daemon."
        },
        rooted_paths=("files", "cites"),
        shown=("text", "type", "title", "tags", "files", "importance", "links", "scope", "expires", "details"),
        always_loaded=True,
    ),
    Method(
        verb="recall",
        title="Recall",
        summary="Find code, knowledge and memories for a question, each with the reasons for its place.",
        params=p.RecallParams,
        result=r.RecallResult,
        effect="read",
        tool=True,
        positional=("query",),
        flags={"by_file": "files"},
        use="Call before you search the code by hand, and before you decide something that may have been decided: it "
        "finds code by words and meaning, and what was decided, learned or tried about it. Narrow with `kind`, `path` "
        "or `type`; `like` finds what resembles a place; `page` goes on where an answer ended.",
        example={"query": "how does a client find the daemon"},
        rooted_paths=("like",),
        searches=True,
        shown=("query", "limit", "kind", "type", "path", "like", "page"),
        may_omit=("query",),
        always_loaded=True,
    ),
    Method(
        verb="context",
        title="Gather context",
        summary="Make a pack of what matters for a task, within a token budget.",
        params=p.ContextParams,
        result=r.ContextResult,
        effect="read",
        tool=True,
        positional=("query",),
        flags={**_PLURALS, "open_files": "open"},
        use="Call once at the start of a task: it returns pins, the task, decisions, knowledge and code that belong "
        "to it, deduplicated and within `budget` tokens. Name the files that you work on; `cursor` and `diff` bring "
        "the code around a place or a change.",
        example={"query": "how does a client find the daemon"},
        rooted_paths=("files", "open_files", "cursor"),
        searches=True,
        shown=("query", "budget", "files", "cursor", "diff", "task"),
        may_omit=("query",),
        always_loaded=True,
        bare={"diff": "HEAD"},
    ),
    Method(
        verb="why",
        title="Explain a context",
        summary="Say why a context holds what it holds: inputs, the signals of each item, what was left out and why.",
        params=p.WhyParams,
        result=r.WhyResult,
        effect="read",
        positional=("bundle",),
        use="Call when you wonder why a context holds or lacks something: it names the signals of each item.",
        example={"bundle": "c-5d41402abc4b2a76"},
    ),
    Method(
        verb="replay",
        title="Replay a context",
        summary="Give a context once more, byte for byte; or gather it anew and say what differs.",
        params=p.ReplayParams,
        result=r.ReplayResult,
        effect="read",
        positional=("bundle",),
        example={"bundle": "c-5d41402abc4b2a76"},
    ),
    Method(
        verb="symbols",
        title="Find definitions",
        summary="Find classes, functions and other definitions by name.",
        params=p.SymbolsParams,
        result=r.SymbolsResult,
        effect="read",
        positional=("query",),
        use="Call when you know the name of a class or function, or a part of it, and want its place.",
        example={"query": "UserStore"},
        searches=True,
    ),
    Method(
        verb="outline",
        title="Outline a file",
        summary="Show what a file defines, as a tree with heads and comments.",
        params=p.OutlineParams,
        result=r.OutlineResult,
        effect="read",
        positional=("path",),
        use="Call before you read a long file: it shows what the file defines, with lines to read from.",
        example={"path": "src/users.py"},
        searches=True,
    ),
    Method(
        verb="graph",
        title="Look around in the code",
        summary="Show what a file or definition imports, calls, is called by and is tested by.",
        params=p.GraphParams,
        result=r.GraphResult,
        effect="read",
        positional=("start", "relation"),
        use="Call before you change a definition that others use: it shows who imports, calls and tests it.",
        example={"start": "src/users.py#User.rename"},
        searches=True,
    ),
    Method(
        verb="memories",
        title="List memories",
        summary="List, filter or get memories.",
        params=p.MemoriesParams,
        result=r.MemoriesResult,
        effect="read",
        tool=True,
        flags={"archived": "all"},
        use="Call to see what is remembered about a file, a task, a tag or a session, or to read one memory by id.",
        rooted_paths=("file",),
        shown=("id", "type", "tag", "file", "task", "text", "limit", "offset"),
        session_filter=True,
    ),
    Method(
        verb="sessions",
        title="List sessions",
        summary="List the sessions that wrote to the memory: open or sealed, when, on which branch, by whom.",
        params=p.SessionsParams,
        result=r.SessionsResult,
        effect="read",
    ),
    Method(
        verb="forget",
        title="Forget a memory",
        summary="Archive a memory: it is no longer recalled, and it is not lost.",
        params=p.ForgetParams,
        result=r.ForgetResult,
        effect="write",
        destructive=True,
        tool=True,
        positional=("id",),
        use="Call when the user says that a memory is wrong or no longer holds. It is archived and can be restored.",
        example={"id": "0198c5"},
    ),
    Method(
        verb="restore",
        title="Restore a memory",
        summary="Bring an archived memory back.",
        params=p.RestoreParams,
        result=r.ForgetResult,
        effect="write",
        positional=("id",),
        use="Call when something was forgotten by mistake.",
        example={"id": "0198c5"},
    ),
    Method(
        verb="promote",
        title="Promote a memory",
        summary="Take a session's note to the project, or a memory to all of your projects.",
        params=p.PromoteParams,
        result=r.PromoteResult,
        effect="write",
        idempotent=False,
        positional=("id",),
        example={"id": "0198c5"},
    ),
    Method(
        verb="approve",
        title="Approve memories",
        summary="Let memories that wait for an approval speak; an agent can't approve what it made itself.",
        params=p.ApproveParams,
        result=r.ReviewResult,
        effect="write",
        positional=("ids",),
        example={"ids": ["0198c5"]},
    ),
    Method(
        verb="reject",
        title="Reject memories",
        summary="Decide that memories which wait for an approval are not recalled; they are kept with the reason.",
        params=p.RejectParams,
        result=r.ReviewResult,
        effect="write",
        destructive=True,
        positional=("ids",),
        example={"ids": ["0198c5"], "reason": "It was measured before the cache."},
    ),
    Method(
        verb="history",
        title="History of a memory",
        summary="Tell every record about a memory: who, when, where HEAD was, and what it changed.",
        params=p.HistoryParams,
        result=r.HistoryResult,
        effect="read",
        positional=("id",),
        use="Call when it matters who said something, when, and what it was before; it is the audit trail.",
        example={"id": "0198c5"},
    ),
    Method(
        verb="links",
        title="Follow links",
        summary="Show what a memory is linked to, and that in turn, up to a depth.",
        params=p.LinksParams,
        result=r.LinksResult,
        effect="read",
        positional=("id",),
        use="Call when a memory that you found refers to others, or you want what was built on it: it shows the "
        "memories around it and how they are related.",
        example={"id": "0198c5"},
        shown=("id", "depth", "relation", "limit"),
    ),
    Method(
        verb="overview",
        title="Overview",
        summary="Show the project's memory at a glance: recent, important, how it hangs together, how much there is.",
        params=p.OverviewParams,
        result=r.OverviewResult,
        effect="read",
        use="Call at the start of a session without a task yet, to learn what the project has been about lately.",
    ),
    Method(
        verb="update",
        title="Update a memory",
        summary="Change what a memory says, its weight, its places or its links; its history keeps what it was.",
        params=p.UpdateParams,
        result=r.UpdateResult,
        effect="write",
        destructive=True,
        positional=("id",),
        flags={"files": "file", "tags": "tag"},
        use="Call when a memory is right in the main and wrong or incomplete in a part. What replaces it altogether is "
        "a new memory with a link that supersedes it.",
        example={"id": "0198c5"},
        rooted_paths=("files",),
        shown=("id", "text", "title", "importance", "tags", "files", "links", "unlink", "pin", "reason"),
    ),
    Method(
        verb="consolidate",
        title="Consolidate memories",
        summary="Let one of several memories speak for all of them, or stand in the place of the others.",
        params=p.ConsolidateParams,
        result=r.ConsolidateResult,
        effect="write",
        destructive=True,
        positional=("ids",),
        use="Call when you found memories that say the same or of which one replaces another: say what you decide "
        "(`merge`, `supersede`, `keep_both`), or leave it out to have them compared. `dry_run` only tells.",
        example={"ids": ["0198c5", "0199a1"]},
    ),
    Method(
        verb="diff",
        title="Review memory",
        summary="Tell what memory a branch adds, changes, contradicts and makes stale.",
        params=p.DiffParams,
        result=r.DiffResult,
        effect="read",
        alone=True,
        positional=("range",),
        use="Call when the user reviews a branch: it tells what memory the branch adds, contradicts and makes stale.",
        example={"range": "main..HEAD"},
    ),
    Method(
        verb="check",
        title="Check memory",
        summary="Check what the repository carries: malformed lines, secrets, dangling citations, open conflicts.",
        params=p.CheckParams,
        result=r.CheckResult,
        effect="read",
        alone=True,
    ),
    Method(
        verb="seal",
        title="Seal sessions",
        summary="Turn what the open sessions stored into new files that git can carry.",
        params=p.SealParams,
        result=r.SealResult,
        effect="write",
        retry=True,
    ),
    Method(
        verb="reconcile",
        title="Reconcile memory",
        summary="Seal all sessions and consolidate them in main.jsonl: merge the same, queue what contradicts.",
        params=p.ReconcileParams,
        result=r.ReconcileResult,
        effect="write",
        destructive=True,
        tool=True,
        use="Call only when the user asks for it: it rewrites .muninn/memory/main.jsonl. Try `dry_run` first.",
        progress="Reconciling",
        shown=("dry_run",),
        session_filter=True,
    ),
    Method(
        verb="undo",
        title="Undo",
        summary="Take back the last reconcile or prune: every file as it was, byte for byte.",
        params=p.UndoParams,
        result=r.UndoResult,
        effect="write",
        destructive=True,
        idempotent=False,
    ),
    Method(
        verb="prune",
        title="Prune memory",
        summary="Move what speaks no longer from main.jsonl to the archive, by the policy in the config.",
        params=p.PruneParams,
        result=r.PruneResult,
        effect="write",
        destructive=True,
    ),
    Method(
        verb="conflicts",
        title="Show conflicts",
        summary="Show the contradictions that wait for a person.",
        params=p.ConflictsParams,
        result=r.ConflictsResult,
        effect="read",
        tool=True,
        use="Call after reconcile reports conflicts, and show both sides to the user; they decide with `resolve`.",
    ),
    Method(
        verb="resolve",
        title="Resolve a conflict",
        summary="Decide a conflict: keep left, right or both.",
        params=p.ResolveParams,
        result=r.ResolveResult,
        effect="write",
        destructive=True,
        positional=("id",),
        example={"id": "0198c5", "keep": "left"},
    ),
    Method(
        verb="redact",
        title="Redact a memory",
        summary="Blank what a memory says in every file and index of this work tree; nothing undoes it.",
        params=p.RedactParams,
        result=r.RedactResult,
        effect="write",
        destructive=True,
        positional=("id",),
        example={"id": "0198c5"},
    ),
    Method(
        verb="purge",
        title="Find a memory in git's history",
        summary="Say which commits and branches still hold what a memory said, and how to take it out of them.",
        params=p.PurgeParams,
        result=r.PurgeResult,
        effect="read",
        positional=("id",),
        example={"id": "0198c5"},
    ),
    Method(
        verb="export",
        title="Export memories",
        summary="Make a bundle of memories for another repository; it is checked for secrets once more.",
        params=p.ExportParams,
        result=r.ExportResult,
        effect="read",
    ),
    Method(
        verb="import",
        title="Import memories",
        summary="Take in the memories of a bundle, all or none; they count as text from outside.",
        params=p.ImportParams,
        result=r.ImportResult,
        effect="write",
        destructive=True,
        positional=("path",),
        example={"path": "memories.json"},
        absolute_paths=("path",),
    ),
    Method(
        verb="pack.export",
        title="Export a pack",
        summary="Write curated knowledge as a pack with a version; one that holds secrets is refused.",
        params=p.PackExportParams,
        result=r.PackExportResult,
        effect="write",
        positional=("name", "path"),
        example={"name": "house-style", "path": "house-style.tar.gz", "version": "1.2.0"},
        absolute_paths=("path",),
    ),
    Method(
        verb="pack.add",
        title="Add a pack",
        summary="Take in a pack from this machine, checked byte by byte; its text counts as text from outside.",
        params=p.PackAddParams,
        result=r.PackAddResult,
        effect="write",
        positional=("path",),
        example={"path": "house-style.tar.gz"},
        absolute_paths=("path",),
    ),
    Method(
        verb="pack.list",
        title="List packs",
        summary="List the packs that are here, with version, origin, and what was edited since.",
        params=p.PackListParams,
        result=r.PackListResult,
        effect="read",
    ),
    Method(
        verb="pack.update",
        title="Update a pack",
        summary="Put another version in the place of a pack, and say what that changes.",
        params=p.PackUpdateParams,
        result=r.PackUpdateResult,
        effect="write",
        destructive=True,
        positional=("path",),
        example={"path": "house-style.tar.gz"},
        absolute_paths=("path",),
    ),
    Method(
        verb="pack.remove",
        title="Remove a pack",
        summary="Remove a pack with all of its files.",
        params=p.PackRemoveParams,
        result=r.PackRemoveResult,
        effect="write",
        destructive=True,
        positional=("name",),
        example={"name": "house-style"},
    ),
    Method(
        verb="render",
        title="Render a context file",
        summary="Make the pack of a context file: its text, and what its references mean, within its budget.",
        params=p.RenderParams,
        result=r.RenderResult,
        effect="read",
        positional=("path",),
        use="Call when a person names a context file, or hands one over: it returns the file's text with what its "
        "references mean, within its budget.",
        example={"path": "review"},
        searches=True,
        shown=("path", "budget"),
        aliases=("context render",),
    ),
    Method(
        verb="template.new",
        title="New context file",
        summary="Make a context file from a template; one that is there stays as it is.",
        params=p.TemplateNewParams,
        result=r.TemplateNewResult,
        effect="write",
        idempotent=False,
        positional=("name",),
        example={"name": "review"},
        aliases=("context new",),
    ),
    Method(
        verb="template.list",
        title="List templates",
        summary="List the templates of context files.",
        params=p.TemplateListParams,
        result=r.TemplateListResult,
        effect="read",
    ),
    Method(
        verb="skills.match",
        title="Match skills",
        summary="Find the skills that help with a task: the best seven within 30 % of a context's budget.",
        params=p.SkillsMatchParams,
        result=r.SkillsMatchResult,
        effect="read",
        positional=("task",),
        use="Call before a task of a kind that somebody may have written down as a skill: it returns the texts of "
        "those that help.",
        example={"task": "write tests for a parser"},
    ),
    Method(
        verb="skills.list",
        title="List skills",
        summary="List the skills of this repository and of your home, and what is wrong with them.",
        params=p.SkillsListParams,
        result=r.SkillsListResult,
        effect="read",
    ),
    Method(
        verb="lint",
        title="Check a file",
        summary="Check one file of .muninn, or a context file: keys, links, citations, lines, secrets.",
        params=p.LintParams,
        result=r.LintResult,
        effect="read",
        positional=("path",),
        example={"path": ".muninn/config.yaml"},
        absolute_paths=("path",),
    ),
    Method(
        verb="references",
        title="Resolve references",
        summary="Say what the references in a context or knowledge file mean.",
        params=p.ReferencesParams,
        result=r.ReferencesResult,
        effect="read",
        positional=("path",),
        example={"path": ".muninn/context/review.md"},
        absolute_paths=("path",),
    ),
    Method(
        verb="backlinks",
        title="Find references",
        summary="Find the knowledge, context files, documents and memories that refer to something.",
        params=p.BacklinksParams,
        result=r.BacklinksResult,
        effect="read",
        positional=("target",),
        example={"target": "[[ADR 7]]"},
    ),
    Method(
        verb="relink",
        title="Links after a rename",
        summary="Say which edits keep links right when files get other names; nothing is changed.",
        params=p.RelinkParams,
        result=r.RelinkResult,
        effect="read",
        positional=("moves",),
        example={"moves": ["src/tokens.py", "src/auth/tokens.py"]},
    ),
    Method(
        verb="names",
        title="List names",
        summary="List what a text can name: memories, documents, knowledge, context files, files, symbols, tags.",
        params=p.NamesParams,
        result=r.NamesResult,
        effect="read",
        positional=("text",),
        example={"text": "cache"},
        rooted_paths=("file",),
        searches=True,
    ),
    Method(
        verb="verify",
        title="Verify citations",
        summary="Check whether the code still says what memories cite: fresh, moved, drifted or gone.",
        params=p.VerifyParams,
        result=r.VerifyResult,
        effect="write",
        positional=("id",),
        use="Call after larger changes of the code, to see which memories cite what is no longer there. With `fix` "
        "memories follow code that has moved.",
        example={"id": "0198c5"},
        progress="Checking",
        shown=("id", "fix"),
    ),
    Method(
        verb="confirm",
        title="Confirm a memory",
        summary="Say that a memory still holds: it cites the code as it is now, or in the place that is given.",
        params=p.ConfirmParams,
        result=r.ConfirmResult,
        effect="write",
        positional=("id",),
        example={"id": "0198c5"},
        rooted_paths=("cites",),
    ),
    Method(
        verb="annotate",
        title="Annotate a file",
        summary="Say what is remembered about a file in the places of that file, and what of it is in doubt.",
        params=p.AnnotateParams,
        result=r.AnnotateResult,
        effect="read",
        positional=("file",),
        example={"file": "src/users.py"},
        rooted_paths=("file",),
    ),
    Method(
        verb="about",
        title="Tell about a place",
        summary="Say what is remembered about a line or a name in the code, and why it has to do with it.",
        params=p.AboutParams,
        result=r.AboutResult,
        effect="read",
        positional=("file",),
        use="Call before you change a line or definition, to learn what was decided or tried about it.",
        example={"file": "src/users.py"},
        rooted_paths=("file",),
    ),
    Method(
        verb="document",
        title="Read a document",
        summary="Show a memory, what is known of a file, or a pack as a page for reading.",
        params=p.DocumentParams,
        result=r.DocumentResult,
        effect="read",
        positional=("uri",),
        example={"uri": "muninn:/notes/src/users.py.md"},
    ),
    Method(
        verb="draft",
        title="Begin a draft",
        summary="Make a file to write a memory into; saved in an editor that Muninn serves, it is remembered.",
        params=p.DraftParams,
        result=r.DraftResult,
        effect="write",
        idempotent=False,
    ),
    Method(
        verb="brief",
        title="Brief a session",
        summary="Say what a session that starts should know, in few characters.",
        params=p.BriefParams,
        result=r.BriefResult,
        effect="read",
        use="Call when a session begins or its history was compacted: it says in short where things stand.",
    ),
    Method(
        verb="remind",
        title="Remind",
        summary="Say what is remembered about a prompt, if anything is; a session is told nothing twice.",
        params=p.RemindParams,
        result=r.RemindResult,
        effect="read",
        positional=("prompt",),
        example={"prompt": "move the sessions to Redis"},
    ),
    Method(
        verb="capture",
        title="Capture",
        summary="Remember what a session shows: commits, what its transcript decides, failures, its end.",
        params=p.CaptureParams,
        result=r.CaptureResult,
        effect="write",
        positional=("source",),
        example={"source": "commit"},
        retry=True,
    ),
    Method(
        verb="backfill",
        title="Backfill memory",
        summary="Remember what was there before: significant commits, or transcripts; a dry run unless applied.",
        params=p.BackfillParams,
        result=r.BackfillResult,
        effect="control",
        destructive=True,
        positional=("source", "paths"),
        example={"source": "git"},
        progress="Looking back",
        absolute_paths=("paths",),
    ),
    Method(
        verb="shutdown",
        title="Stop the daemon",
        summary="Stop the repository's daemon; it finishes what it has acknowledged.",
        params=p.ShutdownParams,
        result=r.ShutdownResult,
        effect="control",
    ),
)

METHODS: Mapping[str, Method] = MappingProxyType({method.verb: method for method in _TABLE})
"""All methods by verb, in the order in which people meet them."""

FAMILIES: Mapping[str, str] = MappingProxyType(
    {
        "skills": "Find skills: folders with a SKILL.md, here and in your home; alone it lists them.",
        "pack": "Carry curated knowledge between repositories, as packs.",
        "template": "Begin context files; `muninn context new` is the same as `muninn template new`.",
    }
)
"""The families of verbs, and what each is for."""


def lookup(verb: str) -> Method:
    """Return the method of a verb. Raises UnknownVerb, which names the nearest one."""
    method = METHODS.get(verb)
    if method is None:
        hint = nearest(verb, METHODS)
        raise UnknownVerb(
            f"there is no verb '{verb}'",
            hint=f"Did you mean '{hint}'?" if hint else f"The verbs are {', '.join(METHODS)}.",
            data={"nearest": hint} if hint else {},
        )
    return method


def decode_params(method: Method, raw: Any) -> Value:
    """Check plain JSON parameters and make them a value. Raises BadParams, which names the nearest parameter.

    Halves of a character, as programs leave them that cut texts by UTF-16, become replacement characters.
    """
    given = {} if raw is None else whole_text(raw)
    if not isinstance(given, dict):
        raise BadParams(f"the parameters of '{method.verb}' are an object, not {_plain_name(given)}")
    known = method.params.__struct_fields__
    for name in given:
        if name not in known:
            hint = nearest(str(name), known)
            raise BadParams(
                f"'{method.verb}' has no parameter '{name}'",
                hint=f"Did you mean '{hint}'?" if hint else _names(method.verb, known),
                data={"parameter": str(name), **({"nearest": hint} if hint else {})},
            )
    try:
        return from_plain(given, method.params)
    except ValidationError as error:
        from muninn_core.protocol.wanted import wanted

        said = wanted(method.params, str(error)) or _names(method.verb, known)
        raise BadParams(f"'{method.verb}': {error}", hint=said) from None


def whole_text(raw: Any) -> Any:
    """Return plain data without lone surrogates, which are no text: they could be neither searched nor written."""
    try:
        encode_json(raw)
    except UnicodeEncodeError:
        return _replaced(raw)
    except (TypeError, ValueError, RecursionError):
        pass  # whoever decodes it says what is wrong
    return raw


def _replaced(raw: Any) -> Any:
    if isinstance(raw, str):
        return raw.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    if isinstance(raw, list):
        return [_replaced(item) for item in raw]
    if isinstance(raw, dict):
        return {_replaced(key): _replaced(value) for key, value in raw.items()}
    return raw


def nearest(word: str, known: Iterable[str]) -> str | None:
    """Return the known word that a misspelt one most likely means."""
    found = difflib.get_close_matches(word.lower(), list(known), n=1, cutoff=0.5)
    return found[0] if found else None


def _names(verb: str, known: tuple[str, ...]) -> str:
    return f"'{verb}' takes {', '.join(known)}." if known else f"'{verb}' takes no parameters."


def _plain_name(value: Any) -> str:
    return {list: "an array", str: "a string", int: "a number", float: "a number", bool: "a boolean"}.get(
        type(value), type(value).__name__
    )
