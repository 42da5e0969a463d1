"""The results of every verb. Each carries `saw`: the state that it was computed from."""

from __future__ import annotations

from typing import Any, Literal

from muninn_core.model.answer import Hit, Reason, Saw
from muninn_core.model.chunk import SourceKind
from muninn_core.model.citation import Citation
from muninn_core.model.memory import Memory, Scope, Trust, Work
from muninn_core.model.note import Doubt, Lens, Note, Pointer
from muninn_core.model.value import Value, field
from muninn_core.protocol.params import ContextParams


class Result(Value):
    """What every answer has."""

    saw: Saw


class InitResult(Result):
    """The folder is there; `created` are the files that were written, relative to the root."""

    root: str
    created: tuple[str, ...]


class Problem(Value):
    """Something that a person should mend. `path` is relative to the root; `line` 0 is the whole file."""

    kind: str
    message: str
    path: str = ""
    line: int = 0
    hint: str = ""


class IndexStatus(Value):
    """The index. `state` is absent, building, ready or failed; `lag` counts changed files not yet searchable.

    `chunks` are found by their words, `vectors` of them by their meaning, too: that follows after a first index.
    """

    state: str
    generation: int
    files: int
    chunks: int
    vectors: int
    lag: int
    model: str
    skipped: dict[str, int] = field(default_factory=dict)


class LogStatus(Value):
    """The memory log: records read, memories that are active, what is not sealed yet, what waits for an approval."""

    records: int
    memories: int
    unsealed: int
    segments: int
    malformed: int
    conflicts: int
    pending: int = 0


class BridgeStatus(Value):
    """Memory of another tool that is read here: whether it is `on`, and how many of its files are in the index.

    `trust` is that of who writes it; `folder` is named where it lies outside of the work tree.
    """

    name: str
    title: str
    on: bool
    files: int
    trust: Trust
    folder: str = ""


class ProjectStatus(Value):
    """What the project calls itself, in CLAUDE.md or by its folder."""

    name: str = ""
    description: str = ""


class WorkItem(Value):
    """An initiative or task that is under way, and how many memories were made on it."""

    code: str
    level: str
    title: str
    phase: str
    path: str
    memories: int = 0


class FocusStatus(Value):
    """What is being worked at. `source` says what told the current task: session, branch, active, or "" for none."""

    task: str = ""
    source: str = ""
    items: tuple[WorkItem, ...] = ()


class SharedStatus(Value):
    """The user's global memory. `path` is "" where there is none: it is switched off, or has no place."""

    path: str = ""
    memories: int = 0


class StatusResult(Result):
    """The daemon and the repository. `mode` is read-write, read-only or uninitialised; sizes are in bytes."""

    pid: int
    version: str
    root: str
    mode: str
    uptime_seconds: float
    clients: int
    rss_bytes: int
    longest_stall_ms: float
    index: IndexStatus
    log: LogStatus
    project: ProjectStatus = ProjectStatus()
    focus: FocusStatus = FocusStatus()
    shared: SharedStatus = SharedStatus()
    problems: tuple[Problem, ...] = ()
    bridges: tuple[BridgeStatus, ...] = ()


class IndexResult(Result):
    """What indexing did."""

    files: int
    chunks: int
    changed: int
    removed: int
    seconds: float
    skipped: dict[str, int] = field(default_factory=dict)


class RememberResult(Result):
    """The ids in the order of the request. `memory` is there when one was stored; `masked` counts masked secrets."""

    ids: tuple[str, ...]
    memory: Memory | None = None
    masked: int = 0


class RecallResult(Result):
    """Best first; ties by kind, path, line and id.

    `next` is what `page` takes for the hits that come after these, "" when there are none. `notes` say what filters
    left out, and which of them nothing passes.
    """

    hits: tuple[Hit, ...]
    next: str = ""
    notes: tuple[str, ...] = ()


class MemoryLink(Value):
    """A link that was followed: who states it, of whom, and at which step it was met."""

    source: str
    relation: str
    target: str
    strength: float
    depth: int
    reason: str = ""
    by: str = ""


class LinksResult(Result):
    """The memories that links lead to, by the number of steps and then the newest first; the start is the first one.

    `depths` are the steps of each. `links` are those between them; `omitted` memories did not fit the limit.
    """

    memories: tuple[Memory, ...]
    depths: tuple[int, ...]
    links: tuple[MemoryLink, ...]
    omitted: int = 0


class OverviewResult(Result):
    """The memory of a project at a glance. `important` are those that are not `recent` already.

    `links` are those of both with others, whose headlines stand in `linked` by id. `memories` counts all that speak
    here, `kinds` by type, `scopes` by scope; `density` is the number of links for each memory.
    """

    project: ProjectStatus
    focus: FocusStatus
    recent: tuple[Memory, ...]
    important: tuple[Memory, ...]
    links: tuple[MemoryLink, ...]
    linked: dict[str, str]
    memories: int
    kinds: dict[str, int]
    scopes: dict[str, int]
    density: float


class UpdateResult(Result):
    """The memory as it is now. `changed` names what changed, none where all was so already."""

    memory: Memory
    changed: tuple[str, ...]
    masked: int = 0


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


class PackItem(Value):
    """One item of a pack. `tier` says why it is where it is: pin, task, hand, skill, memory, knowledge or code.

    `form`: whole; part, where text and lines are those that fit, and `id` has the lines of the whole; headline, where
    only its place is named. `tokens` is the most that it takes in any format.
    """

    tier: str
    kind: SourceKind
    id: str
    path: str
    start_line: int
    end_line: int
    title: str
    text: str
    tokens: int
    score: float
    form: Literal["whole", "part", "headline"] = "whole"
    symbol: str = ""
    why: tuple[Reason, ...] = ()
    elsewhere: tuple[str, ...] = ()
    work: Work = ""
    private: bool = False
    scope: Scope = "project"
    status: str = ""
    trust: Trust | None = None
    origin: str = ""
    cites: tuple[Citation, ...] = ()


class LeftOut(Value):
    """A candidate that a pack does not hold: what it would have taken, and the reason."""

    tier: str
    kind: SourceKind
    id: str
    path: str
    start_line: int
    end_line: int
    title: str
    tokens: int
    score: float
    reason: str
    why: tuple[Reason, ...] = ()


class ContextResult(Result):
    """A pack. `text` is it in the format that was asked for; `tokens` counts all of it and never exceeds `budget`.

    `bundle` names it, for `why` and `replay`. `inputs` are what was asked with; `question` is what was looked for,
    `asked` when. `omitted` counts `left_out`.
    """

    text: str
    items: tuple[PackItem, ...]
    tokens: int
    budget: int
    omitted: int
    bundle: str = ""
    inputs: ContextParams = ContextParams()
    question: str = ""
    asked: str = ""
    left_out: tuple[LeftOut, ...] = ()


class WhyResult(Result):
    """An explanation of a context. `then` is the state that it was gathered from, `saw` that of now.

    `items` and `left_out` are those of the context, or of them those that `item` names; `text` tells it in words.
    """

    bundle: str
    inputs: ContextParams
    question: str
    asked: str
    then: Saw
    tokens: int
    budget: int
    items: tuple[PackItem, ...]
    left_out: tuple[LeftOut, ...]
    text: str


class ReplayResult(Result):
    """A context once more. `source`: kept, then it is the very answer; fresh, then it was gathered anew.

    `same` says whether its text is that of the first time. `moved` says in which ways the repository is no longer in
    the state that the first answer saw; `differs` what that changed in the answer.
    """

    source: Literal["kept", "fresh"]
    same: bool
    moved: tuple[str, ...]
    differs: tuple[str, ...]
    context: ContextResult


class Mention(Value):
    """Where another tool's memory (`origin`, of that `trust`) speaks of a file."""

    origin: str
    trust: Trust
    path: str
    start_line: int
    end_line: int
    title: str


class Access(Value):
    """How often a memory was part of an answer on this machine, and when last (RFC 3339)."""

    count: int = 0
    last: str = ""


class MemoriesResult(Result):
    """The memories that match; `total` counts them before limit and offset.

    `citations` says by a memory's id how what it cites stands in the work tree; `access`, of one that was asked for by
    its id, how often it was recalled here. Of a question about one file, `origin` is the pack that it belongs to, if
    any, and `mentions` are where the memory of other tools speaks of it.
    """

    memories: tuple[Memory, ...]
    total: int
    citations: dict[str, tuple[Citation, ...]] = field(default_factory=dict)
    access: Access | None = None
    origin: str = ""
    mentions: tuple[Mention, ...] = ()


class WorkSession(Value):
    """A working session. `title` is what a reader calls it: its summary, the name that somebody gave it, or its begin.

    It is open while some of its `records` wait to be sealed; `memories` speak. Branch, task, agent and actor are those
    of its last memory that says them.
    """

    session: str
    title: str
    state: Literal["open", "sealed"]
    begin: str
    end: str
    records: int
    waiting: int
    memories: int
    branch: str = ""
    task: str = ""
    agent: str = ""
    actor: str = ""


class SessionsResult(Result):
    """The sessions, open ones first; `total` counts them before limit and offset."""

    sessions: tuple[WorkSession, ...]
    total: int


class Changed(Value):
    """One field of a memory that an event changed, in words. Both are empty once the memory is redacted."""

    name: str
    before: str
    after: str


class Event(Value):
    """One record about a memory: who wrote it, when, where HEAD was, and what it changed."""

    id: str
    ts: str
    type: str
    actor: str
    agent: str
    session: str
    task: str
    branch: str
    commit: str
    summary: str
    changes: tuple[Changed, ...] = ()
    sealed: bool = True


class HistoryResult(Result):
    """A memory as it is now, and its events, oldest first."""

    memory: Memory
    events: tuple[Event, ...]


class Turn(Value):
    """What became of one memory. `by` is the other memory that it has to do with, if any; `reason` is in words."""

    memory: Memory
    by: Memory | None = None
    reason: str = ""


class DiffResult(Result):
    """What the work from `base` to `head` does to memory; every list is in the order of the memories' ids.

    `contradicts` are pairs of which at least one memory is new; `stale` are memories whose code the work changed.
    `pending` wait for an approval since, `approved` do no longer.
    `text` says all of it, as text or markdown.
    """

    base: str
    head: str
    added: tuple[Memory, ...]
    removed: tuple[Memory, ...]
    changed: tuple[Turn, ...]
    superseded: tuple[Turn, ...]
    archived: tuple[Turn, ...]
    contradicts: tuple[Turn, ...]
    stale: tuple[Turn, ...]
    pending: tuple[Memory, ...]
    approved: tuple[Memory, ...]
    malformed: int
    text: str


class Finding(Value):
    """Something that a check found. `level` is error or warn; `line` 0 is the whole file; `id` names a memory."""

    rule: str
    level: str
    message: str
    path: str = ""
    line: int = 0
    id: str = ""
    hint: str = ""


class CheckResult(Result):
    """Findings by path, line, rule. `ok` says that none is an error; `files` counts the files that were read."""

    ok: bool
    errors: int
    warnings: int
    files: int
    memories: int
    findings: tuple[Finding, ...]


class ForgetResult(Result):
    """The memory as it is now."""

    memory: Memory


class PromoteResult(Result):
    """The memory in its wider scope, and the id that it was made from."""

    memory: Memory
    source: str


class ReviewResult(Result):
    """The memories that were decided about, as they are now."""

    memories: tuple[Memory, ...]


class SealResult(Result):
    """The segments that were written, relative to the root, and how many records they hold."""

    segments: tuple[str, ...]
    records: int


class Merge(Value):
    """Memories that said the same: `kept` speaks for `merged` from now on."""

    kept: str
    merged: tuple[str, ...]
    reason: str


class Reconciled(Value):
    """What reconciling did, or would do. `segments` are relative to the root, `summary` is the line for people."""

    consolidated: int
    duplicates: int
    conflicts: int
    segments: tuple[str, ...]
    merges: tuple[Merge, ...]
    dry_run: bool
    summary: str


class ReconcileResult(Reconciled):
    """What reconciling did, or would do; `summary` is the line for people."""

    saw: Saw


class UndoResult(Result):
    """What was put back: `files` relative to the root; `summary` says what had been done to them."""

    kind: str
    files: tuple[str, ...]
    summary: str


class PruneResult(Result):
    """What left main.jsonl for the file `archive`, or would; `before` and `after` are the size of main in bytes."""

    memories: tuple[str, ...]
    records: int
    before: int
    after: int
    archive: str
    dry_run: bool
    summary: str


class CitedCode(Value):
    """Code that a side of a conflict cites, as it stands in the work tree; `problem` says why there is no text."""

    side: str
    path: str
    start: int
    end: int
    text: str = ""
    problem: str = ""


class Conflict(Value):
    """Two memories that can't both hold, why they were put side by side, and the code that they cite."""

    id: str
    left: Memory
    right: Memory
    reason: str
    ts: str
    code: tuple[CitedCode, ...] = ()


class ConflictsResult(Result):
    """The conflicts that wait for a person, oldest first; `citations` by memory, as in the result of `memories`."""

    conflicts: tuple[Conflict, ...]
    citations: dict[str, tuple[Citation, ...]] = field(default_factory=dict)


class ResolveResult(Result):
    """Both sides as they are now."""

    conflict: str
    left: Memory
    right: Memory


class RedactResult(Result):
    """What was blanked: the memories (those that were merged say the same) and the files, relative to the root."""

    ids: tuple[str, ...]
    files: tuple[str, ...]
    memory: Memory


class HoldingCommit(Value):
    """A commit that put the text into its tree (`holds`) or took it out (`removes`), and the files."""

    commit: str
    time: str
    subject: str
    effect: str
    paths: tuple[str, ...]


class PurgeResult(Result):
    """Where git still holds what the memories said. `refs` are branches, tags and stashes whose tree has it now.

    `total` counts commits; `blobs` are the file contents that would have to leave the history. Nothing was changed.
    """

    ids: tuple[str, ...]
    total: int
    refs: tuple[str, ...]
    redacted: bool
    commits: tuple[HoldingCommit, ...] = ()
    blobs: tuple[str, ...] = ()


class ExportResult(Result):
    """A bundle: `version`, `exported` (the newest record's time) and `records`, by id. The rest says what was left out.

    `memories` counts what was exported, `private` what was not because it is private, `masked` secrets.
    """

    version: int
    exported: str
    records: tuple[dict[str, Any], ...]
    memories: int
    private: int = 0
    masked: int = 0


class ImportResult(Result):
    """What was stored, in records. `known` were here; `skipped` have another content here, and it stayed.

    `withheld` would have changed memories of this repository, which outside text can't.
    """

    imported: int
    replaced: int
    known: int
    skipped: tuple[str, ...]
    withheld: tuple[str, ...]
    masked: int
    dry_run: bool


class KnowledgePack(Value):
    """A pack. `edited` are files that are not as they came; `problem` says why there is no more to tell of one."""

    name: str
    version: str = ""
    description: str = ""
    licence: str = ""
    origin: str = ""
    files: int = 0
    bytes: int = 0
    checksum: str = ""
    edited: tuple[str, ...] = ()
    problem: str = ""


class PackExportResult(Result):
    """The pack that was written to `path`, and the paths of the knowledge in it."""

    pack: KnowledgePack
    path: str
    contents: tuple[str, ...]


class PackAddResult(Result):
    """The pack that is here now, and the paths of its files."""

    pack: KnowledgePack
    contents: tuple[str, ...]


class SkillEntry(Value):
    """A skill. `hidden_by` is the file of the same name that is taken in its place; `problems` are its own."""

    name: str
    description: str
    path: str
    local: bool
    tokens: int
    hidden_by: str = ""
    problems: tuple[str, ...] = ()


class SkillMatch(Value):
    """A skill that helps with the task, and its whole text; the contributions of `why` add up to `score`."""

    name: str
    description: str
    path: str
    local: bool
    score: float
    why: tuple[Reason, ...]
    tokens: int
    text: str
    problems: tuple[str, ...] = ()


class SkillLeftOut(Value):
    """A skill that would help, too, and why it is not there."""

    name: str
    path: str
    tokens: int
    reason: str


class SkillsListResult(Result):
    """The skills by name."""

    skills: tuple[SkillEntry, ...]


class SkillsMatchResult(Result):
    """The best skills first; together they have `tokens`, and might have `share`."""

    skills: tuple[SkillMatch, ...]
    left_out: tuple[SkillLeftOut, ...]
    tokens: int
    share: int


class PackListResult(Result):
    """The packs by name."""

    packs: tuple[KnowledgePack, ...]


class PackUpdateResult(Result):
    """The pack that is here now, or would be, the version `before`, and its files. `edited` were edited here."""

    pack: KnowledgePack
    before: str
    added: tuple[str, ...]
    changed: tuple[str, ...]
    removed: tuple[str, ...]
    edited: tuple[str, ...]
    older: bool
    dry_run: bool


class PackRemoveResult(Result):
    """The pack that is gone."""

    pack: KnowledgePack


class ShutdownResult(Value):
    """The daemon that leaves."""

    pid: int


class BriefResult(Result):
    """The brief as markdown, and the memories that it shows."""

    text: str
    ids: tuple[str, ...]


class RemindResult(Result):
    """What is remembered about a prompt, and the memories and files in it; "" when nothing is sure or new."""

    text: str
    ids: tuple[str, ...]


class CaptureResult(Result):
    """What was remembered; `note` is the line to show, "" when there is nothing to say."""

    ids: tuple[str, ...]
    note: str


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


class Verified(Value):
    """A memory whose citations are not all fresh. `fixed`: it cites the new places from now on."""

    id: str
    type: str
    title: str
    cites: tuple[Citation, ...]
    fixed: bool = False


class VerifyResult(Result):
    """How many citations there are in each state, of how many memories, and the memories that need a look.

    Those with something gone come first, then drifted, unchecked, moved; by id among equals.
    """

    memories: int
    states: dict[str, int]
    found: tuple[Verified, ...]
    fixed: int = 0


class Fix(Value):
    """A way to mend a fault: other text for a span of its line (as in `Fault`), or else a verb with its parameters."""

    title: str
    column: int = 0
    end: int = 0
    text: str = ""
    verb: str = ""
    params: dict[str, Any] = field(default_factory=dict)


class Fault(Value):
    """What is wrong in a file. `line` and `column` count from 1, in characters; `end` is the column behind it.

    `end` 0 is the end of the line. `level` is error, warning or information; `rule` is that of `check`.
    """

    rule: str
    level: str
    message: str
    line: int
    column: int = 1
    end: int = 0
    hint: str = ""
    fixes: tuple[Fix, ...] = ()


class LintResult(Result):
    """The faults of a file in the order of its lines; `kind` says as what it was read. `ok`: none is an error."""

    path: str
    kind: str
    ok: bool
    faults: tuple[Fault, ...]


class Meaning(Value):
    """What a reference means: a memory, document, knowledge, file, folder, symbol or question.

    `line` and `column` are the reference's, from 1; `path`, `start` and `end` (lines, 0: the whole) are where it leads.
    `markdown` is what to show of it. `problem` says what of it is not there; `near` what may have been meant.
    """

    kind: str
    text: str
    line: int
    column: int
    end: int
    title: str = ""
    path: str = ""
    start: int = 0
    last: int = 0
    id: str = ""
    markdown: str = ""
    problem: str = ""
    near: str = ""


class ReferencesResult(Result):
    """The references that a file makes, in its order."""

    path: str
    references: tuple[Meaning, ...]


class Backlink(Value):
    """A reference to something: where it stands (from 1; `end` exclusive), and its line's text.

    Of a memory `id` is set, and the place is that of its record, if that is in a file of the work tree.
    """

    path: str
    line: int
    column: int
    end: int
    text: str
    id: str = ""


class BacklinksResult(Result):
    """What refers to a file, document or memory, by path and line; memories come last, by id. `target` is its name."""

    target: str
    backlinks: tuple[Backlink, ...]


class Edit(Value):
    """Other text for a span of a line (from 1; `end` exclusive)."""

    path: str
    line: int
    column: int
    end: int
    text: str


class RelinkResult(Result):
    """The edits that keep links right when files get other names, by path, line and column."""

    edits: tuple[Edit, ...]


class Name(Value):
    """Something that can be named in a text: `insert` is how. `kind` is as in `Meaning`, or tag."""

    kind: str
    name: str
    insert: str
    detail: str = ""
    markdown: str = ""
    path: str = ""
    line: int = 0
    id: str = ""


class NamesResult(Result):
    """The names that match, best first; `more` says that there are others."""

    names: tuple[Name, ...]
    more: bool = False


class Rendered(Value):
    """What became of one reference of a context file: its tokens in the pack, or the problem why it is not there.

    `known`: what it means was there already, for another reference.
    """

    text: str
    line: int
    column: int
    title: str = ""
    tokens: int = 0
    problem: str = ""
    known: bool = False


class RenderResult(Result):
    """The pack of a context file as markdown; `tokens` counts all of it and never exceeds `budget`."""

    path: str
    title: str
    text: str
    tokens: int
    budget: int
    references: tuple[Rendered, ...]


class Template(Value):
    """A template of context files."""

    name: str
    summary: str


class TemplateListResult(Result):
    """The templates by name."""

    templates: tuple[Template, ...]


class TemplateNewResult(Result):
    """The context file that was made, relative to the root."""

    path: str
    template: str
    text: str


class AnnotateResult(Result):
    """What is remembered about a file, in its places: notes by line and id, what to show above what, what is in doubt.

    `pointers` are where its text names memories and decisions; `omitted` counts memories that were not looked at,
    `pending` citations that there was no time to check: the next answer does.
    """

    path: str
    notes: tuple[Note, ...]
    lenses: tuple[Lens, ...]
    doubts: tuple[Doubt, ...]
    pointers: tuple[Pointer, ...] = ()
    omitted: int = 0
    pending: int = 0


class AboutResult(Result):
    """What is remembered about a place, as markdown, "" for nothing, and the ids of the memories that it shows."""

    text: str
    ids: tuple[str, ...]


class DocumentResult(Result):
    """A document for reading: its title, and its text as markdown."""

    uri: str
    title: str
    text: str


class ConfirmResult(Result):
    """The memory as it is now; `cites` are the places that it cites from now on."""

    memory: Memory
    cites: tuple[Citation, ...]


class DraftResult(Result):
    """A file to write a memory into: saved in an editor, it is remembered. `path` is that of the file, whole."""

    path: str
    text: str


class CodeSymbol(Value):
    """A definition. `container` are the names around it, `signature` its head; `children` are there in an outline."""

    name: str
    kind: str
    container: str
    path: str
    start_line: int
    end_line: int
    signature: str = ""
    comment: str = ""
    children: tuple[CodeSymbol, ...] = ()


class SymbolsResult(Result):
    """The best first: the whole name, its beginning, humps, parts. `total` is how many there are."""

    symbols: tuple[CodeSymbol, ...]
    total: int


class OutlineResult(Result):
    """The definitions of a file as a tree, in the order of their lines."""

    path: str
    language: str
    symbols: tuple[CodeSymbol, ...]
    comment: str = ""


class GraphEdge(Value):
    """What hangs together with `origin`: a file, or a definition in it with `name`, `kind` and lines.

    It is written at `at_path`, line `at_line`; `how` says why a call means this definition: it is in the same file,
    imported, in the same package, or the only one of its name.
    """

    depth: int
    relation: str
    origin: str
    path: str
    name: str = ""
    kind: str = ""
    start_line: int = 0
    end_line: int = 0
    signature: str = ""
    at_path: str = ""
    at_line: int = 0
    how: str = ""


class GraphResult(Result):
    """What is around a file or definition, by depth, relation and place; `omitted` did not fit the limit."""

    target: str
    symbol: CodeSymbol | None
    relation: str
    edges: tuple[GraphEdge, ...]
    omitted: int = 0
