// The catalogue of verbs, made by scripts/typescript.py from muninn_core.protocol. Do not edit.

/** The kinds of memory that are known without configuration. */
export const KINDS = [
  'attempt',
  'bug_fix',
  'configuration',
  'constraint',
  'context_hit',
  'decision',
  'entity',
  'insight',
  'pattern',
  'preference',
  'reference',
  'session_summary',
] as const;

/** What `data.kind` of an error says; `data.hint` says what to do about it. */
export type ErrorKind =
  | 'error'
  | 'parse'
  | 'request'
  | 'internal'
  | 'usage'
  | 'unknown_verb'
  | 'bad_params'
  | 'not_found'
  | 'not_a_repository'
  | 'not_initialised'
  | 'read_only'
  | 'storage'
  | 'busy'
  | 'cancelled'
  | 'daemon'
  | 'stopping';

/** Every verb with the types of its parameters and its result. */
export interface Verbs {
  /** Recall. Find code, knowledge and memories for a question, each with the reasons for its place. */
  recall: { params: RecallParams; result: RecallResult };
  /** Gather context. Make a pack of what matters for a task, within a token budget. */
  context: { params: ContextParams; result: ContextResult };
  /** Explain a context. Say why a context holds what it holds: inputs, the signals of each item, what was left out and why. */
  why: { params: WhyParams; result: WhyResult };
  /** Replay a context. Give a context once more, byte for byte; or gather it anew and say what differs. */
  replay: { params: ReplayParams; result: ReplayResult };
  /** Find definitions. Find classes, functions and other definitions by name. */
  symbols: { params: SymbolsParams; result: SymbolsResult };
  /** Outline a file. Show what a file defines, as a tree with heads and comments. */
  outline: { params: OutlineParams; result: OutlineResult };
  /** Look around in the code. Show what a file or definition imports, calls, is called by and is tested by. */
  graph: { params: GraphParams; result: GraphResult };
  /** Match skills. Find the skills that help with a task: the best seven within 30 % of a context's budget. */
  'skills.match': { params: SkillsMatchParams; result: SkillsMatchResult };
  /** List skills. List the skills of this repository and of your home, and what is wrong with them. */
  'skills.list': { params: SkillsListParams; result: SkillsListResult };
  /** List memories. List, filter or get memories. */
  memories: { params: MemoriesParams; result: MemoriesResult };
  /** Show a memory. Show one memory whole, with its citations as they stand and its links in both directions. */
  show: { params: ShowParams; result: ShowResult };
  /** History of a memory. Tell every record about a memory: who, when, where HEAD was, and what it changed. */
  history: { params: HistoryParams; result: HistoryResult };
  /** Follow links. Show what a memory is linked to, and that in turn, up to a depth. */
  links: { params: LinksParams; result: LinksResult };
  /** Overview. Show the project's memory at a glance: recent, important, how it hangs together, how much there is. */
  overview: { params: OverviewParams; result: OverviewResult };
  /** List sessions. List the sessions that wrote to the memory: open or sealed, when, on which branch, by whom. */
  sessions: { params: SessionsParams; result: SessionsResult };
  /** Remember. Store a memory; it is on disk when the answer comes. */
  remember: { params: RememberParams; result: RememberResult };
  /** Update a memory. Change what a memory says, its weight, its places or its links; its history keeps what it was. */
  update: { params: UpdateParams; result: UpdateResult };
  /** Consolidate memories. Let one of several memories speak for all of them, or stand in the place of the others. */
  consolidate: { params: ConsolidateParams; result: ConsolidateResult };
  /** Forget a memory. Archive a memory: it is no longer recalled, and it is not lost. */
  forget: { params: ForgetParams; result: ForgetResult };
  /** Restore a memory. Bring an archived memory back. */
  restore: { params: RestoreParams; result: ForgetResult };
  /** Promote a memory. Take a session's note to the project, or a memory to all of your projects. */
  promote: { params: PromoteParams; result: PromoteResult };
  /** Brief a session. Say what a session that starts should know, in few characters. */
  brief: { params: BriefParams; result: BriefResult };
  /** Remind. Say what is remembered about a prompt, if anything is; a session is told nothing twice. */
  remind: { params: RemindParams; result: RemindResult };
  /** Capture. Remember what a session shows: commits, what its transcript decides, failures, its end. */
  capture: { params: CaptureParams; result: CaptureResult };
  /** Backfill memory. Remember what was there before: significant commits, or transcripts; a dry run unless applied. */
  backfill: { params: BackfillParams; result: BackfillResult };
  /** Review memory. Tell what memory a branch adds, changes, contradicts and makes stale. */
  diff: { params: DiffParams; result: DiffResult };
  /** Check memory. Check what the repository carries: malformed lines, secrets, dangling citations, open conflicts. */
  check: { params: CheckParams; result: CheckResult };
  /** Verify citations. Check whether the code still says what memories cite: fresh, moved, drifted or gone. */
  verify: { params: VerifyParams; result: VerifyResult };
  /** Confirm a memory. Say that a memory still holds: it cites the code as it is now, or in the place that is given. */
  confirm: { params: ConfirmParams; result: ConfirmResult };
  /** Approve memories. Let memories that wait for an approval speak; an agent can't approve what it made itself. */
  approve: { params: ApproveParams; result: ReviewResult };
  /** Reject memories. Decide that memories which wait for an approval are not recalled; they are kept with the reason. */
  reject: { params: RejectParams; result: ReviewResult };
  /** Seal sessions. Turn what the open sessions stored into new files that git can carry. */
  seal: { params: SealParams; result: SealResult };
  /** Reconcile memory. Seal all sessions and consolidate them in main.jsonl: merge the same, queue what contradicts. */
  reconcile: { params: ReconcileParams; result: ReconcileResult };
  /** Undo. Take back the last reconcile or prune: every file as it was, byte for byte. */
  undo: { params: UndoParams; result: UndoResult };
  /** Prune memory. Move what speaks no longer from main.jsonl to the archive, by the policy in the config. */
  prune: { params: PruneParams; result: PruneResult };
  /** Show conflicts. Show the contradictions that wait for a person. */
  conflicts: { params: ConflictsParams; result: ConflictsResult };
  /** Resolve a conflict. Decide a conflict: keep left, right or both. */
  resolve: { params: ResolveParams; result: ResolveResult };
  /** Export memories. Make a bundle of memories for another repository; it is checked for secrets once more. */
  export: { params: ExportParams; result: ExportResult };
  /** Import memories. Take in the memories of a bundle, all or none; they count as text from outside. */
  import: { params: ImportParams; result: ImportResult };
  /** Export a pack. Write curated knowledge as a pack with a version; one that holds secrets is refused. */
  'pack.export': { params: PackExportParams; result: PackExportResult };
  /** Add a pack. Take in a pack from this machine, checked byte by byte; its text counts as text from outside. */
  'pack.add': { params: PackAddParams; result: PackAddResult };
  /** List packs. List the packs that are here, with version, origin, and what was edited since. */
  'pack.list': { params: PackListParams; result: PackListResult };
  /** Update a pack. Put another version in the place of a pack, and say what that changes. */
  'pack.update': { params: PackUpdateParams; result: PackUpdateResult };
  /** Remove a pack. Remove a pack with all of its files. */
  'pack.remove': { params: PackRemoveParams; result: PackRemoveResult };
  /** Render a context file. Make the pack of a context file: its text, and what its references mean, within its budget. */
  render: { params: RenderParams; result: RenderResult };
  /** New context file. Make a context file from a template; one that is there stays as it is. */
  'template.new': { params: TemplateNewParams; result: TemplateNewResult };
  /** List templates. List the templates of context files. */
  'template.list': { params: TemplateListParams; result: TemplateListResult };
  /** Check a file. Check one file of .muninn, or a context file: keys, links, citations, lines, secrets. */
  lint: { params: LintParams; result: LintResult };
  /** Resolve references. Say what the references in a context or knowledge file mean. */
  references: { params: ReferencesParams; result: ReferencesResult };
  /** Find references. Find the knowledge, context files, documents and memories that refer to something. */
  backlinks: { params: BacklinksParams; result: BacklinksResult };
  /** Links after a rename. Say which edits keep links right when files get other names; nothing is changed. */
  relink: { params: RelinkParams; result: RelinkResult };
  /** List names. List what a text can name: memories, documents, knowledge, context files, files, symbols, tags. */
  names: { params: NamesParams; result: NamesResult };
  /** Annotate a file. Say what is remembered about a file in the places of that file, and what of it is in doubt. */
  annotate: { params: AnnotateParams; result: AnnotateResult };
  /** Tell about a place. Say what is remembered about a line or a name in the code, and why it has to do with it. */
  about: { params: AboutParams; result: AboutResult };
  /** Read a document. Show a memory, what is known of a file, or a pack as a page for reading. */
  document: { params: DocumentParams; result: DocumentResult };
  /** Begin a draft. Make a file to write a memory into; saved in an editor that Muninn serves, it is remembered. */
  draft: { params: DraftParams; result: DraftResult };
  /** Redact a memory. Blank what a memory says in every file and index of this work tree; nothing undoes it. */
  redact: { params: RedactParams; result: RedactResult };
  /** Find a memory in git's history. Say which commits and branches still hold what a memory said, and how to take it out of them. */
  purge: { params: PurgeParams; result: PurgeResult };
  /** Initialise the repository's memory. Write .muninn with its defaults; what is there already stays as it is. */
  init: { params: InitParams; result: InitResult };
  /** Status. Say how the daemon, the index and the log are, and what needs a person. */
  status: { params: StatusParams; result: StatusResult };
  /** Bring the index up to date. Compare every file with the index and take in what changed. */
  index: { params: IndexParams; result: IndexResult };
  /** Stop the daemon. Stop the repository's daemon; it finishes what it has acknowledged. */
  shutdown: { params: ShutdownParams; result: ShutdownResult };
}

/** The command that carries a verb through `workspace/executeCommand`; its one argument is the params. */
export const COMMANDS: { readonly [Verb in keyof Verbs]: string } = {
  recall: 'muninn.recall',
  context: 'muninn.context',
  why: 'muninn.why',
  replay: 'muninn.replay',
  symbols: 'muninn.symbols',
  outline: 'muninn.outline',
  graph: 'muninn.graph',
  'skills.match': 'muninn.skills.match',
  'skills.list': 'muninn.skills.list',
  memories: 'muninn.memories',
  show: 'muninn.memory',
  history: 'muninn.history',
  links: 'muninn.links',
  overview: 'muninn.overview',
  sessions: 'muninn.sessions',
  remember: 'muninn.remember',
  update: 'muninn.update',
  consolidate: 'muninn.consolidate',
  forget: 'muninn.forget',
  restore: 'muninn.restore',
  promote: 'muninn.promote',
  brief: 'muninn.brief',
  remind: 'muninn.remind',
  capture: 'muninn.capture',
  backfill: 'muninn.backfill',
  diff: 'muninn.diff',
  check: 'muninn.check',
  verify: 'muninn.verify',
  confirm: 'muninn.confirm',
  approve: 'muninn.approve',
  reject: 'muninn.reject',
  seal: 'muninn.seal',
  reconcile: 'muninn.reconcile',
  undo: 'muninn.undo',
  prune: 'muninn.prune',
  conflicts: 'muninn.conflicts',
  resolve: 'muninn.resolve',
  export: 'muninn.export',
  import: 'muninn.import',
  'pack.export': 'muninn.pack.export',
  'pack.add': 'muninn.pack.add',
  'pack.list': 'muninn.pack.list',
  'pack.update': 'muninn.pack.update',
  'pack.remove': 'muninn.pack.remove',
  render: 'muninn.render',
  'template.new': 'muninn.template.new',
  'template.list': 'muninn.template.list',
  lint: 'muninn.lint',
  references: 'muninn.references',
  backlinks: 'muninn.backlinks',
  relink: 'muninn.relink',
  names: 'muninn.names',
  annotate: 'muninn.annotate',
  about: 'muninn.about',
  document: 'muninn.document',
  draft: 'muninn.draft',
  redact: 'muninn.redact',
  purge: 'muninn.purge',
  init: 'muninn.init',
  status: 'muninn.status',
  index: 'muninn.index',
  shutdown: 'muninn.shutdown',
};

/** A question: `query`, or what it shall be like, or a further page. All filters must hold, those in `query` too. */
export interface RecallParams {
  /** Words, identifiers or a sentence; also "exact phrase" and filters: type:decision tag:auth path:src/** lang:python kind:code author:user importance:>=7 since:2w until:2026-01-31 session:ID task:ID branch:NAME at:REV; -KEY:VALUE leaves out. */
  query?: string;
  /** The most hits to return. */
  limit?: number;
  /** Only code, only knowledge or only memory. */
  kind?: 'code' | 'knowledge' | 'memory' | null;
  /** Only memories of any of these types. */
  type?: readonly string[];
  /** Only memories with any of these tags. */
  tag?: readonly string[];
  /** Only files that match any of these globs, as in .gitignore, and memories about them. */
  path?: readonly string[];
  /** Only files in any of these languages: python, ts, go. */
  lang?: readonly string[];
  /** Only what holds these words side by side. */
  phrase?: readonly string[];
  /** Only memories by any of these: user, assistant, tool, an agent's name. */
  author?: readonly string[];
  /** Only memories of this importance or more; 0 is whatever importance. */
  min_importance?: number;
  /** Only memories changed since: 12h, 3d, 2w, 2026-01-31. */
  since?: string | null;
  /** Only memories last changed before: 2w, 2026-01-31. */
  until?: string | null;
  /** Only memories made on any of these branches (globs). */
  branch?: readonly string[];
  /** Only memories of any of these sessions. */
  from_session?: readonly string[];
  /** Only what was learned on this task, and its document; T-0042 finds MUNI-T-0042. */
  task?: string | null;
  /** More like this: FILE:LINE, or a memory's id. Words in `query` count as well. */
  like?: string | null;
  /** Files at hand: what changed together with them, or is beside them, counts more. */
  at_hand?: readonly string[];
  /** One hit a file: its best place, and how many of its pieces were found. */
  by_file?: boolean;
  /** Further hits of an earlier answer: what it gave as `next`. */
  page?: string | null;
  /** How hits are ranked. mnemosyne finds memories alone, by words and the links between them; muninn is the ranking of everything. Otherwise what the config says of questions for memories. */
  profile?: 'mnemosyne' | 'muninn' | null;
  /** With the profile mnemosyne: how many links are followed from what words find. */
  depth?: number;
  /** Take the query as words alone: no filters, no phrases in it. */
  plain?: boolean;
  /** session: only this session's notes; project: project and global memory; global: all memory, other sessions' notes too. Otherwise this session's, the project's and the global one. */
  scope?: 'global' | 'project' | 'session' | null;
  /** The working session that this belongs to; letters, digits, '.', '_' and '-'. */
  session?: string | null;
  /** Answer as of this commit, branch or tag, from git's objects: what was remembered then. */
  at?: string | null;
  /** Also what is remembered on other branches only; it is labelled with their names. */
  branches?: boolean;
}

/** What to gather context for: a query, or a task, files, a cursor or a diff to make one from; all may be given. */
export interface ContextParams {
  /** The task or question at hand; follows from what else is given when absent. */
  query?: string;
  /** The most tokens of the whole pack. */
  budget?: number;
  /** Files at hand; what is remembered of them counts more. */
  files?: readonly string[];
  /** Where the work is: FILE:LINE or FILE:LINE:COL. The code around it comes first. */
  cursor?: string | null;
  /** Changes at hand: HEAD or another revision for those of the work tree against it, A..B for those between two, or a patch as `git diff` writes it. */
  diff?: string | null;
  /** Files that are open in the asker's editor, the last used first. */
  open_files?: readonly string[];
  /** A task's id; its document and memories come first. */
  task?: string | null;
  /** session: only this session's notes; project: project and global memory; global: all memory, other sessions' notes too. Otherwise this session's, the project's and the global one. */
  scope?: 'global' | 'project' | 'session' | null;
  /** The working session that this belongs to; letters, digits, '.', '_' and '-'. */
  session?: string | null;
  /** Answer as of this commit, branch or tag, from git's objects: what was remembered then. */
  at?: string | null;
  /** Also what is remembered on other branches only; it is labelled with their names. */
  branches?: boolean;
  /** How `text` is written; the items are the same in all. */
  format?: 'json' | 'markdown' | 'xml';
  /** Also the skills that help with it, in at most 30 % of the budget. */
  skills?: boolean;
}

/** Which context to explain. */
export interface WhyParams {
  /** The id that `context` gave its answer, or an unambiguous prefix of it. */
  bundle: string;
  /** Only this item, taken or left out: its id, a path, or the beginning of either. */
  item?: string | null;
}

/** Which context to give again. */
export interface ReplayParams {
  /** The id that `context` gave its answer, or an unambiguous prefix of it. */
  bundle: string;
  /** Gather it anew from what it was asked with, and say what differs. */
  fresh?: boolean;
}

/** Which definitions to find. */
export interface SymbolsParams {
  /** A name, its beginning, its humps (`gUN` for getUserName) or a part; `Class.method`, too. */
  query: string;
  /** Only of this kind: class, function, method, constant … */
  kind?: string | null;
  /** Only of this language: python, typescript, go … */
  language?: string | null;
  /** Only in this folder, or in files of this pattern: `src/*.py`. */
  path?: string | null;
  /** The most definitions. */
  limit?: number;
}

/** Whose definitions to tell. */
export interface OutlineParams {
  /** A file, relative to the root. */
  path: string;
}

/** What to look around from, and where to. */
export interface GraphParams {
  /** A file, a definition (`name`, `Class.method`), or one of a file: `path#Class.method`. */
  start: string;
  /** What to follow: definitions, imports, importers, callers, callees, tests, or neighbours, which are all but definitions. */
  relation?: string;
  /** How many steps to go. */
  depth?: number;
  /** The most edges. */
  limit?: number;
}

/** The task, and the budget of the context that skills may take 30 % of. */
export interface SkillsMatchParams {
  /** What is to be done, in a sentence. */
  task: string;
  /** Tokens of the whole context; skills take at most 30 % of them. */
  budget?: number;
}

/** Which skills: all, or those with which something is wrong. */
export interface SkillsListParams {
  /** Only those with which something is wrong. */
  problems?: boolean;
}

/** Which memories to list: every filter that is given must hold. Newest first. */
export interface MemoriesParams {
  /** One memory, by its id or an unambiguous prefix of it. */
  id?: string | null;
  /** Of this type. */
  type?: string | null;
  /** With this tag. */
  tag?: string | null;
  /** About this file, also under names that it had before. */
  file?: string | null;
  /** The working session that this belongs to; letters, digits, '.', '_' and '-'. */
  session?: string | null;
  /** Of this task; T-0042 finds MUNI-T-0042. */
  task?: string | null;
  /** Of this scope; session shows every session's notes. */
  scope?: 'global' | 'project' | 'session' | null;
  /** Whose text or title contains this, whatever the case. */
  text?: string | null;
  /** Of this importance or more; 0 is whatever. */
  min_importance?: number;
  /** Changed since: 12h, 3d, 2w, 2026-01-31. */
  since?: string | null;
  /** What comes first; the newer one among equals. */
  order?: 'importance' | 'newest';
  /** Archived, superseded, merged, rejected and expired ones, too. */
  archived?: boolean;
  /** Only those that wait for an approval. */
  pending?: boolean;
  /** The most memories to return. */
  limit?: number;
  /** How many to leave out at the start. */
  offset?: number;
  /** Answer as of this commit, branch or tag, from git's objects: what was remembered then. */
  at?: string | null;
  /** Also what is remembered on other branches only; it is labelled with their names. */
  branches?: boolean;
}

/** The memory to show. */
export interface ShowParams {
  /** The memory's id or an unambiguous prefix of it. */
  id: string;
}

/** Whose life to tell. */
export interface HistoryParams {
  /** The memory's id or an unambiguous prefix of it. */
  id: string;
}

/** From where to follow the links between memories, and how far. */
export interface LinksParams {
  /** The memory's id or an unambiguous prefix of it. */
  id: string;
  /** How many links to follow one after the other. */
  depth?: number;
  /** Only links of any of these relations. */
  relation?: readonly string[];
  /** Over archived, superseded and expired ones, too. */
  archived?: boolean;
  /** The most memories to return. */
  limit?: number;
  /** The working session that this belongs to; letters, digits, '.', '_' and '-'. */
  session?: string | null;
}

/** What counts as recent and as important. */
export interface OverviewParams {
  /** Recent is what changed in so many days. */
  days?: number;
  /** Important is this much or more. */
  importance?: number;
  /** The most memories of each sort. */
  limit?: number;
  /** The working session that this belongs to; letters, digits, '.', '_' and '-'. */
  session?: string | null;
}

/** Which sessions to list: open ones first, then those that wrote last. */
export interface SessionsParams {
  /** The working session that this belongs to; letters, digits, '.', '_' and '-'. */
  session?: string | null;
  /** Only those with something that is not sealed yet. */
  open?: boolean;
  /** The most sessions to return. */
  limit?: number;
  /** How many to leave out at the start. */
  offset?: number;
}

/** One memory, or many in one round trip. */
export interface RememberParams {
  /** What is to be remembered, in whole sentences. */
  text?: string;
  /** decision, attempt, bug_fix, constraint, configuration, insight, pattern, preference, reference, entity, context_hit, session_summary, or a kind from the config. */
  type?: string;
  /** A headline; made from the text when absent. */
  title?: string;
  /** Words to filter by. */
  tags?: readonly string[];
  /** Paths that it is about, relative to the root; `path:START-END` or `path#symbol` cites code. */
  files?: readonly string[];
  /** Symbols, services or people that it is about. */
  entities?: readonly string[];
  /** Spans of code that it rests on. */
  cites?: readonly Cite[];
  /** 1 (trivia) to 10 (never forget). */
  importance?: number;
  /** How sure it is, 0 to 1. */
  confidence?: number;
  /** Relations to memories by id: extends, contradicts, implements, references, supersedes. */
  links?: readonly Link[];
  /** Always part of a context pack. */
  pin?: boolean;
  /** Keep it on this machine: never sealed, never in git. */
  private?: boolean;
  /** project: for everybody who works here; session: a working note for this session only; global: for this user in every project. The last two never get into git. */
  scope?: 'global' | 'project' | 'session';
  /** The working session that this belongs to; letters, digits, '.', '_' and '-'. */
  session?: string | null;
  /** The task's id, as in .metis/tasks; the current one when absent, none when empty. */
  task?: string | null;
  /** Who states it. */
  actor?: 'assistant' | 'hook' | 'import' | 'tool' | 'user';
  /** The program that acts, with its version. */
  agent?: string | null;
  /** Who vouches; follows from the actor when absent, and never exceeds it. */
  trust?: 'agent' | 'commit' | 'outside' | 'user' | null;
  /** When it is no longer recalled: 30d, 2026-12-31, or an RFC 3339 time. */
  expires?: string | null;
  /** Fields of the kind: rationale, status, alternatives; command, exit_status. */
  details?: Readonly<Record<string, unknown>>;
  /** An idempotency key: the same key is stored once, however often it is sent. */
  key?: string | null;
  /** Many memories at once, in place of `text`; each is durable. */
  batch?: readonly MemoryDraft[];
}

/** A place in the code that a memory speaks of. Lines are 1-based and inclusive; `start` 0 is the whole file. */
export interface Cite {
  path: string;
  start?: number;
  end?: number;
  symbol?: string | null;
  hash?: string | null;
  commit?: string | null;
}

/** A directed relation from one memory to another. */
export interface Link {
  relation: string;
  target: string;
  strength?: number;
  reason?: string;
  by?: string;
}

/** A memory as its author states it; the log adds id, time, commit and branch. */
export interface MemoryDraft {
  /** What is to be remembered, in whole sentences. */
  text?: string;
  /** decision, attempt, bug_fix, constraint, configuration, insight, pattern, preference, reference, entity, context_hit, session_summary, or a kind from the config. */
  type?: string;
  /** A headline; made from the text when absent. */
  title?: string;
  /** Words to filter by. */
  tags?: readonly string[];
  /** Paths that it is about, relative to the root; `path:START-END` or `path#symbol` cites code. */
  files?: readonly string[];
  /** Symbols, services or people that it is about. */
  entities?: readonly string[];
  /** Spans of code that it rests on. */
  cites?: readonly Cite[];
  /** 1 (trivia) to 10 (never forget). */
  importance?: number;
  /** How sure it is, 0 to 1. */
  confidence?: number;
  /** Relations to memories by id: extends, contradicts, implements, references, supersedes. */
  links?: readonly Link[];
  /** Always part of a context pack. */
  pin?: boolean;
  /** Keep it on this machine: never sealed, never in git. */
  private?: boolean;
  /** project: for everybody who works here; session: a working note for this session only; global: for this user in every project. The last two never get into git. */
  scope?: 'global' | 'project' | 'session';
  /** The working session that this belongs to; letters, digits, '.', '_' and '-'. */
  session?: string | null;
  /** The task's id, as in .metis/tasks; the current one when absent, none when empty. */
  task?: string | null;
  /** Who states it. */
  actor?: 'assistant' | 'hook' | 'import' | 'tool' | 'user';
  /** The program that acts, with its version. */
  agent?: string | null;
  /** Who vouches; follows from the actor when absent, and never exceeds it. */
  trust?: 'agent' | 'commit' | 'outside' | 'user' | null;
  /** When it is no longer recalled: 30d, 2026-12-31, or an RFC 3339 time. */
  expires?: string | null;
  /** Fields of the kind: rationale, status, alternatives; command, exit_status. */
  details?: Readonly<Record<string, unknown>>;
  /** An idempotency key: the same key is stored once, however often it is sent. */
  key?: string | null;
}

/** Which memory to change, and what of it; what is not given stays as it is. */
export interface UpdateParams {
  /** The memory's id or an unambiguous prefix of it. */
  id: string;
  /** A new wording, in whole sentences. */
  text?: string;
  /** A new headline. */
  title?: string;
  /** 1 (trivia) to 10 (never forget). */
  importance?: number | null;
  /** How sure it is, 0 to 1. */
  confidence?: number | null;
  /** Words to filter by, in place of those it has. */
  tags?: readonly string[];
  /** Paths that it is about, in place of those it has; `path:START-END` or `path#symbol` cites. */
  files?: readonly string[];
  /** When it is no longer recalled: 30d, 2026-12-31; never takes the end away. */
  expires?: string | null;
  /** Whether it is always part of a context pack. */
  pin?: boolean | null;
  /** Relations to other memories, beside those it has. */
  links?: readonly Link[];
  /** Relations to take away: RELATION:ID. */
  unlink?: readonly string[];
  /** Fields of the kind that change; null takes one away. */
  details?: Readonly<Record<string, unknown>>;
  /** Why; kept with the memory's history. */
  reason?: string;
  /** The program that acts, with its version. */
  agent?: string | null;
  /** The working session that this belongs to; letters, digits, '.', '_' and '-'. */
  session?: string | null;
}

/** Which memories to consolidate, and how; without a decision they are compared. */
export interface ConsolidateParams {
  /** The memories' ids or unambiguous prefixes of them, two or more. */
  ids: readonly string[];
  /** merge: one speaks for all; supersede: one stands in the place of the others; keep_both: nothing changes. Otherwise what says the same is merged and the rest is kept. */
  decision?: 'keep_both' | 'merge' | 'supersede' | null;
  /** The one that stays; otherwise the most trusted and oldest, or the newest that supersedes. */
  keep?: string | null;
  /** A new wording for the one that stays. */
  text?: string;
  /** Why; kept with the memories' history. */
  reason?: string;
  /** Say what would happen; change nothing. */
  dry_run?: boolean;
  /** The program that acts, with its version. */
  agent?: string | null;
  /** The working session that this belongs to; letters, digits, '.', '_' and '-'. */
  session?: string | null;
}

/** Which memory to archive. */
export interface ForgetParams {
  /** The memory's id or an unambiguous prefix of it. */
  id: string;
  /** Why; kept with the memory. */
  reason?: string;
  /** Bring an archived memory back. */
  restore?: boolean;
  /** The working session that this belongs to; letters, digits, '.', '_' and '-'. */
  session?: string | null;
}

/** Which memory to bring back. */
export interface RestoreParams {
  /** The memory's id or an unambiguous prefix of it. */
  id: string;
  /** Why; kept with the memory. */
  reason?: string;
  /** The working session that this belongs to; letters, digits, '.', '_' and '-'. */
  session?: string | null;
}

/** Which memory to take to a wider scope. */
export interface PromoteParams {
  /** The memory's id or an unambiguous prefix of it. */
  id: string;
  /** project: the repository's memory; global: yours everywhere. */
  scope?: 'global' | 'project';
  /** The working session that this belongs to; letters, digits, '.', '_' and '-'. */
  session?: string | null;
}

/** What a session that starts should know. */
export interface BriefParams {
  /** The working session that this belongs to; letters, digits, '.', '_' and '-'. */
  session?: string | null;
  /** The task that the session is for; it is noted for what it will remember. */
  task?: string | null;
  /** How the session started; after `compact` what was captured from it comes first. */
  source?: 'clear' | 'compact' | 'fork' | 'resume' | 'startup';
  /** The most characters of the brief. */
  max_chars?: number;
}

/** What somebody asks an agent for. */
export interface RemindParams {
  /** The prompt, as it was given. */
  prompt: string;
  /** The working session that this belongs to; letters, digits, '.', '_' and '-'. */
  session?: string | null;
  /** The most characters of the reminder. */
  max_chars?: number;
  /** The most memories that are told. */
  limit?: number;
}

/** What to remember from: the commits since the last look, a transcript, a failure, a turn or a whole session. */
export interface CaptureParams {
  /** commit: commits since the last look; transcript: what was decided and left open, before a compaction; failure: a command that failed; turn: a turn has ended; session: sum it up and seal it. */
  source: 'commit' | 'failure' | 'session' | 'transcript' | 'turn';
  /** The working session that this belongs to; letters, digits, '.', '_' and '-'. */
  session?: string | null;
  /** Path of the agent's transcript (JSON lines). */
  transcript?: string | null;
  /** Of a failure: the command that failed. */
  command?: string;
  /** Of a failure: what it said. */
  error?: string;
  /** The program that acts, with its version. */
  agent?: string | null;
}

/** What to remember of what was there before Muninn, and whether to store it. */
export interface BackfillParams {
  /** The commits of this repository, or transcripts of an agent. */
  source: 'git' | 'transcripts';
  /** Of transcripts: JSON lines files of Claude Code, or folders that hold them. */
  paths?: readonly string[];
  /** Of git: from this date (UTC) on, or the commits that this revision lacks. */
  since?: string | null;
  /** Of git: up to this date (UTC), or this revision. */
  until?: string | null;
  /** Of git: the most commits to look at, the newest of them. */
  limit?: number;
  /** Of transcripts: also those of sessions in other folders than this repository's. */
  elsewhere?: boolean;
  /** Store it; else only say what would be remembered. */
  apply?: boolean;
}

/** Which work to review. */
export interface DiffParams {
  /** A..B: what B adds to A since they parted. One revision alone is compared with HEAD. */
  range: string;
  /** How `text` is written; markdown suits a pull request. */
  format?: 'markdown' | 'text';
}

/** How to judge; the levels of the single rules stand in the config, under `check`. */
export interface CheckParams {
  /** Count warnings as errors. */
  strict?: boolean;
}

/** Which citations to check. */
export interface VerifyParams {
  /** One memory, by its id or an unambiguous prefix of it. */
  id?: string | null;
  /** Let memories whose code has moved cite the new place. */
  fix?: boolean;
  /** The working session that this belongs to; letters, digits, '.', '_' and '-'. */
  session?: string | null;
}

/** Which memory still holds, and where its code is now. */
export interface ConfirmParams {
  /** The memory's id or an unambiguous prefix of it. */
  id: string;
  /** New places in the code, in place of those that are stale; else where the code is now. */
  cites?: readonly Cite[];
  /** The working session that this belongs to; letters, digits, '.', '_' and '-'. */
  session?: string | null;
}

/** Which memories to approve, and who does so. */
export interface ApproveParams {
  /** The memories' ids or unambiguous prefixes of them. */
  ids: readonly string[];
  /** A word on it; kept with the memory. */
  note?: string;
  /** Who approves. */
  actor?: 'assistant' | 'hook' | 'import' | 'tool' | 'user';
  /** The program that acts, with its version. */
  agent?: string | null;
  /** The working session that this belongs to; letters, digits, '.', '_' and '-'. */
  session?: string | null;
}

/** Which memories to reject, why, and who does so. */
export interface RejectParams {
  /** The memories' ids or unambiguous prefixes of them. */
  ids: readonly string[];
  /** Why; kept with the memory. */
  reason: string;
  /** Who rejects. */
  actor?: 'assistant' | 'hook' | 'import' | 'tool' | 'user';
  /** The program that acts, with its version. */
  agent?: string | null;
  /** The working session that this belongs to; letters, digits, '.', '_' and '-'. */
  session?: string | null;
}

/** Which sessions to seal. */
export interface SealParams {
  /** Only this session; all sessions of the work tree when absent. */
  session?: string | null;
}

/** How to consolidate. */
export interface ReconcileParams {
  /** Say what would happen; change nothing. */
  dry_run?: boolean;
  /** Move the segments to memory/archive in place of deleting them. */
  archive?: boolean;
  /** Only this session's segments; all of them when absent. */
  session?: string | null;
}

/** Nothing to say: the last reconcile or prune of the work tree is taken back. */
export type UndoParams = Record<string, never>;

/** Whether to prune or to say what that would do; the policy is `prune` in the config. */
export interface PruneParams {
  /** Say what would leave; change nothing. */
  dry_run?: boolean;
}

/** Which conflicts to show. */
export interface ConflictsParams {
  /** One conflict, by its id or an unambiguous prefix of it. */
  id?: string | null;
}

/** A person's decision. */
export interface ResolveParams {
  /** The conflict's id or an unambiguous prefix of it. */
  id: string;
  /** Which side holds. */
  keep: 'both' | 'left' | 'right';
  /** A new wording for the side that is kept. */
  text?: string;
  /** The working session that this belongs to; letters, digits, '.', '_' and '-'. */
  session?: string | null;
}

/** Which memories leave in a bundle: every filter that is given must hold. */
export interface ExportParams {
  /** Of this type. */
  type?: string | null;
  /** With this tag. */
  tag?: string | null;
  /** The working session that this belongs to; letters, digits, '.', '_' and '-'. */
  session?: string | null;
  /** Of this task; T-0042 finds MUNI-T-0042. */
  task?: string | null;
  /** project, this machine's session notes, or your global memory. */
  scope?: 'global' | 'project' | 'session';
  /** Made at this RFC 3339 time or date (UTC), or later. */
  since?: string | null;
  /** Made before this RFC 3339 time or date (UTC). */
  until?: string | null;
  /** Private memories, too. */
  private?: boolean;
}

/** A bundle, and what to do with it. */
export interface ImportParams {
  /** The bundle's file; a relative path is meant from the root. */
  path: string;
  /** What to do with a record that has another content here; error stores nothing at all. */
  on_conflict?: 'error' | 'overwrite' | 'skip';
  /** outside: it counts as text from outside; keep: you vouch for what its authors claim. */
  trust?: 'keep' | 'outside';
  /** Say what would happen; change nothing. */
  dry_run?: boolean;
  /** The working session that this belongs to; letters, digits, '.', '_' and '-'. */
  session?: string | null;
}

/** Which knowledge leaves, as what. Every filter that is given must hold. */
export interface PackExportParams {
  /** The pack's name: a-z, 0-9 and '-'. */
  name: string;
  /** Where to: a .tar.gz or .zip, else a folder; a relative path is meant from the root. */
  path: string;
  /** The version, as in Semantic Versioning: 1.2.0. */
  version: string;
  /** What the pack is, in a sentence. */
  description?: string;
  /** Its licence, best as an SPDX identifier. */
  licence?: string;
  /** Where it comes from, for its readers: a project or an address. */
  origin?: string;
  /** Only files of this folder or pattern below .muninn/knowledge. */
  match?: readonly string[];
  /** Only of this type (frontmatter). */
  type?: string | null;
  /** Only with this tag (frontmatter). */
  tag?: string | null;
  /** Only of this domain (frontmatter). */
  domain?: string | null;
  /** Replace a pack that is there. */
  force?: boolean;
}

/** The pack to take in. */
export interface PackAddParams {
  /** A pack on this machine: a folder, .tar.gz or .zip; relative ones from the root. */
  path: string;
  /** Take it though it seems to hold secrets. */
  force?: boolean;
}

/** Nothing to say: all packs are listed. */
export type PackListParams = Record<string, never>;

/** The pack that comes in the place of the one of its name. */
export interface PackUpdateParams {
  /** A pack on this machine: a folder, .tar.gz or .zip; relative ones from the root. */
  path: string;
  /** Overwrite what was edited here, and go back to older versions. */
  force?: boolean;
  /** Say what would change; change nothing. */
  dry_run?: boolean;
}

/** The pack to remove. */
export interface PackRemoveParams {
  /** The pack's name: a-z, 0-9 and '-'. */
  name: string;
  /** Remove it though files of it were edited here. */
  force?: boolean;
}

/** The context file to render. */
export interface RenderParams {
  /** A context file; a bare name is that of a file in .muninn/context, without its ending. */
  path: string;
  /** The file's text, where an editor has it unsaved; else the file is read. */
  text?: string | null;
  /** The most tokens; 0 is what the file says, or else 8000. */
  budget?: number;
  /** The working session that this belongs to; letters, digits, '.', '_' and '-'. */
  session?: string | null;
}

/** The context file to make. */
export interface TemplateNewParams {
  /** The name of the new file in .muninn/context, without its ending. */
  name: string;
  /** What it begins as. */
  template?: 'api' | 'architecture' | 'bugfix' | 'feature' | 'refactor';
  /** What it is about, on one line; made from the name when absent. */
  title?: string;
}

/** Nothing to say: all templates are listed. */
export type TemplateListParams = Record<string, never>;

/** The file to look at. */
export interface LintParams {
  /** A file of .muninn, a context file, or a decision record. */
  path: string;
  /** The file's text, where an editor has it unsaved; else the file is read. */
  text?: string | null;
}

/** The file whose references to resolve. */
export interface ReferencesParams {
  /** A file of .muninn, a context file, or a decision record. */
  path: string;
  /** The file's text, where an editor has it unsaved; else the file is read. */
  text?: string | null;
  /** Only those on this line, from 1; 0 is all of them. */
  line?: number;
}

/** What to look for. */
export interface BacklinksParams {
  /** A path, a memory's id, a decision's name, or a reference: [[ADR 7]], @src/a.py#f. */
  target: string;
  /** The file that the target was written in; paths may be relative to it. */
  path?: string;
}

/** Which files get other names. */
export interface RelinkParams {
  /** Old and new path in turn, of files or folders. */
  moves: readonly string[];
}

/** Which names to list. */
export interface NamesParams {
  /** What the name contains, whatever the case; nothing lists them all. */
  text?: string;
  /** memory, document, knowledge, context, file, symbol or tag; the first four by default. */
  kinds?: readonly string[];
  /** For symbols: the file that defines them. */
  file?: string;
  /** The most names to return. */
  limit?: number;
}

/** The file to say it of. */
export interface AnnotateParams {
  /** The file, relative to the root. */
  file: string;
}

/** A place in the code. */
export interface AboutParams {
  /** The file, relative to the root. */
  file: string;
  /** The line (1-based); 0 is the file as a whole. */
  line?: number;
  /** The name that stands there, if one is meant. */
  name?: string;
  /** Link records as `muninn:` documents, for a client that can open them. */
  links?: boolean;
}

/** The document to read. */
export interface DocumentParams {
  /** muninn:/memory/ID.md, muninn:/notes/PATH.md, muninn:/commit/SHA.md, muninn:/context/PATH.md or muninn:/pack.md?query=TEXT&budget=TOKENS. */
  uri: string;
}

/** What to begin a draft of. */
export interface DraftParams {
  /** insight, decision, attempt, constraint or any other kind of memory. */
  type?: string;
  /** The file that it is about, relative to the root. */
  path?: string;
  /** The first line that it cites; 0 cites none. */
  start?: number;
  /** The last line that it cites. */
  end?: number;
  /** The memory that it takes the place of. */
  supersedes?: string;
}

/** Which memory to blank. */
export interface RedactParams {
  /** The memory's id or an unambiguous prefix of it. */
  id: string;
  /** The working session that this belongs to; letters, digits, '.', '_' and '-'. */
  session?: string | null;
}

/** Whose traces in git's history to look for. */
export interface PurgeParams {
  /** The memory's id; the whole of it when only other branches have it. */
  id: string;
  /** Name the commits and blobs, not only their number. */
  show_commits?: boolean;
}

/** Nothing to say: `init` writes the folder and its defaults. */
export type InitParams = Record<string, never>;

/** Nothing to say. */
export type StatusParams = Record<string, never>;

/** What to bring up to date. */
export interface IndexParams {
  /** Answer only when everything on disk is found, by words and by meaning. */
  wait?: boolean;
  /** Throw the index away and build it from the files. */
  rebuild?: boolean;
}

/** Nothing to say. */
export type ShutdownParams = Record<string, never>;

/**
 * Best first; ties by kind, path, line and id.
 *
 * `next` is what `page` takes for the hits that come after these, "" when there are none. `notes` say what filters
 * left out, and which of them nothing passes.
 */
export interface RecallResult {
  saw: ReadState;
  hits: readonly Hit[];
  next: string;
  notes: readonly string[];
}

/**
 * The state that an answer saw: HEAD, the number of records in the log and in the global one, and the index.
 *
 * For a question about another revision `commit` is that one. `note` says what such an answer leaves out.
 */
export interface ReadState {
  commit: string | null;
  branch: string | null;
  log: number;
  shared: number;
  index: IndexState;
  note: string;
}

/**
 * The index that an answer was computed from: its generation, and how many changed files it lags behind.
 *
 * `surveyed` of these are found by their words as a whole already. `unembedded` chunks are found by their words and
 * not yet by their meaning. `failure` is what keeps the index from taking in what is new,
 * memories too, "" for nothing.
 */
export interface IndexState {
  generation: number;
  lag: number;
  surveyed: number;
  unembedded: number;
  failure: string;
}

/**
 * One result of recall. `id` is `path:start-end` for code and knowledge, the memory's id for a memory.
 *
 * A memory's `path` is where its first cite is now, else the first file that it names, or "" when it names none; a
 * `private` one is in no repository. `cites` are its citations as they stand; `elsewhere`, `work` and `scope` are its
 * own, too. `status` says how a steering document stands: "decided", "superseded by ADR 7".
 * `trust` is that of a memory, or of who writes the knowledge of another tool, and outside for a pack's. `origin` says
 * where it comes from if it is not this project's own work: "pack NAME VERSION", "CLAUDE.md", "backfill from git".
 * `snippet` are the lines of `text` that hold the question's words best, none where it holds none of them. Of an
 * answer by files, `chunks` is how many pieces of the file were found, and `total` the sum of their scores.
 */
export interface Hit {
  kind: 'code' | 'knowledge' | 'memory';
  id: string;
  path: string;
  start_line: number;
  end_line: number;
  score: number;
  why: readonly Reason[];
  text: string;
  title: string;
  type: string;
  symbol: string;
  elsewhere: readonly string[];
  work: '' | 'abandoned' | 'reverted' | 'rewritten' | 'unmerged';
  private: boolean;
  scope: 'global' | 'project' | 'session';
  status: string;
  trust: 'agent' | 'commit' | 'outside' | 'user' | null;
  origin: string;
  cites: readonly Citation[];
  snippet: readonly SnippetLine[];
  chunks: number;
  total: number;
}

/** One signal of a score. The contributions of a hit's reasons add up to its score. */
export interface Reason {
  signal: string;
  value: number;
  weight: number;
  contribution: number;
  note: string;
}

/**
 * A cite, judged. `path`, `start` and `end` say where the code is now; of what is gone, where it was.
 *
 * `was` is the place that the memory names, where that is another one. `note` says why nothing was compared.
 */
export interface Citation {
  path: string;
  start: number;
  end: number;
  symbol: string;
  state: 'drifted' | 'fresh' | 'gone' | 'moved' | 'unchecked';
  was: string;
  note: string;
}

/** A line of a hit's text, its number in the file (of a memory, in its text) and what to highlight in it. */
export interface SnippetLine {
  line: number;
  text: string;
  marks: readonly Mark[];
}

/** A part of a line to highlight: `start` up to `end`, in UTF-16 code units, as in the language server protocol. */
export interface Mark {
  start: number;
  end: number;
}

/**
 * A pack. `text` is it in the format that was asked for; `tokens` counts all of it and never exceeds `budget`.
 *
 * `bundle` names it, for `why` and `replay`. `inputs` are what was asked with; `question` is what was looked for,
 * `asked` when. `omitted` counts `left_out`.
 */
export interface ContextResult {
  saw: ReadState;
  text: string;
  items: readonly PackItem[];
  tokens: number;
  budget: number;
  omitted: number;
  bundle: string;
  inputs: ContextParams;
  question: string;
  asked: string;
  left_out: readonly LeftOut[];
}

/**
 * One item of a pack. `tier` says why it is where it is: pin, task, hand, skill, memory, knowledge or code.
 *
 * `form`: whole; part, where text and lines are those that fit, and `id` has the lines of the whole; headline, where
 * only its place is named. `tokens` is the most that it takes in any format.
 */
export interface PackItem {
  tier: string;
  kind: 'code' | 'knowledge' | 'memory';
  id: string;
  path: string;
  start_line: number;
  end_line: number;
  title: string;
  text: string;
  tokens: number;
  score: number;
  form: 'headline' | 'part' | 'whole';
  symbol: string;
  why: readonly Reason[];
  elsewhere: readonly string[];
  work: '' | 'abandoned' | 'reverted' | 'rewritten' | 'unmerged';
  private: boolean;
  scope: 'global' | 'project' | 'session';
  status: string;
  trust: 'agent' | 'commit' | 'outside' | 'user' | null;
  origin: string;
  cites: readonly Citation[];
}

/** A candidate that a pack does not hold: what it would have taken, and the reason. */
export interface LeftOut {
  tier: string;
  kind: 'code' | 'knowledge' | 'memory';
  id: string;
  path: string;
  start_line: number;
  end_line: number;
  title: string;
  tokens: number;
  score: number;
  reason: string;
  why: readonly Reason[];
}

/**
 * An explanation of a context. `then` is the state that it was gathered from, `saw` that of now.
 *
 * `items` and `left_out` are those of the context, or of them those that `item` names; `text` tells it in words.
 */
export interface WhyResult {
  saw: ReadState;
  bundle: string;
  inputs: ContextParams;
  question: string;
  asked: string;
  then: ReadState;
  tokens: number;
  budget: number;
  items: readonly PackItem[];
  left_out: readonly LeftOut[];
  text: string;
}

/**
 * A context once more. `source`: kept, then it is the very answer; fresh, then it was gathered anew.
 *
 * `same` says whether its text is that of the first time. `moved` says in which ways the repository is no longer in
 * the state that the first answer saw; `differs` what that changed in the answer.
 */
export interface ReplayResult {
  saw: ReadState;
  source: 'fresh' | 'kept';
  same: boolean;
  moved: readonly string[];
  differs: readonly string[];
  context: ContextResult;
}

/** The best first: the whole name, its beginning, humps, parts. `total` is how many there are. */
export interface SymbolsResult {
  saw: ReadState;
  symbols: readonly CodeSymbol[];
  total: number;
}

/** A definition. `container` are the names around it, `signature` its head; `children` are there in an outline. */
export interface CodeSymbol {
  name: string;
  kind: string;
  container: string;
  path: string;
  start_line: number;
  end_line: number;
  signature: string;
  comment: string;
  children: readonly CodeSymbol[];
}

/** The definitions of a file as a tree, in the order of their lines. */
export interface OutlineResult {
  saw: ReadState;
  path: string;
  language: string;
  symbols: readonly CodeSymbol[];
  comment: string;
}

/** What is around a file or definition, by depth, relation and place; `omitted` did not fit the limit. */
export interface GraphResult {
  saw: ReadState;
  target: string;
  symbol: CodeSymbol | null;
  relation: string;
  edges: readonly GraphEdge[];
  omitted: number;
}

/**
 * What hangs together with `origin`: a file, or a definition in it with `name`, `kind` and lines.
 *
 * It is written at `at_path`, line `at_line`; `how` says why a call means this definition: it is in the same file,
 * imported, in the same package, or the only one of its name.
 */
export interface GraphEdge {
  depth: number;
  relation: string;
  origin: string;
  path: string;
  name: string;
  kind: string;
  start_line: number;
  end_line: number;
  signature: string;
  at_path: string;
  at_line: number;
  how: string;
}

/** The best skills first; together they have `tokens`, and might have `share`. */
export interface SkillsMatchResult {
  saw: ReadState;
  skills: readonly SkillMatch[];
  left_out: readonly SkillLeftOut[];
  tokens: number;
  share: number;
}

/** A skill that helps with the task, and its whole text; the contributions of `why` add up to `score`. */
export interface SkillMatch {
  name: string;
  description: string;
  path: string;
  local: boolean;
  score: number;
  why: readonly Reason[];
  tokens: number;
  text: string;
  problems: readonly string[];
}

/** A skill that would help, too, and why it is not there. */
export interface SkillLeftOut {
  name: string;
  path: string;
  tokens: number;
  reason: string;
}

/** The skills by name. */
export interface SkillsListResult {
  saw: ReadState;
  skills: readonly SkillEntry[];
}

/** A skill. `hidden_by` is the file of the same name that is taken in its place; `problems` are its own. */
export interface SkillEntry {
  name: string;
  description: string;
  path: string;
  local: boolean;
  tokens: number;
  hidden_by: string;
  problems: readonly string[];
}

/**
 * The memories that match; `total` counts them before limit and offset.
 *
 * `citations` says by a memory's id how what it cites stands in the work tree; `access`, of one that was asked for by
 * its id, how often it was recalled here. Of a question about one file, `origin` is the pack that it belongs to, if
 * any, and `mentions` are where the memory of other tools speaks of it.
 */
export interface MemoriesResult {
  saw: ReadState;
  memories: readonly Memory[];
  total: number;
  citations: Readonly<Record<string, readonly Citation[]>>;
  access: Access | null;
  origin: string;
  mentions: readonly Mention[];
}

/**
 * One memory, folded. `type` is that of the record that created it; times are RFC 3339 in UTC.
 *
 * `elsewhere` are the branches that hold a memory which HEAD does not; `work` says what became of the commit that it
 * was made at. Both depend on the asker's HEAD and are no part of the log.
 * `details` holds the fields that only some kinds have (a decision's rationale, an attempt's command), and every
 * field of a record that this version does not know. `sealed` is false while the memory is only in the spool.
 * A `private` one is only in the ignored part of this work tree and never gets into git. `scope` says whom it is for;
 * a global one is in no log of the repository. `expired` depends on the time of asking and is no part of the log.
 */
export interface Memory {
  id: string;
  type: string;
  text: string;
  ts: string;
  title: string;
  tags: readonly string[];
  entities: readonly string[];
  files: readonly string[];
  cites: readonly Cite[];
  importance: number;
  confidence: number;
  trust: 'agent' | 'commit' | 'outside' | 'user';
  actor: string;
  agent: string | null;
  session: string | null;
  sessions: readonly string[];
  task: string | null;
  branch: string | null;
  commit: string | null;
  expires: string | null;
  updated: string;
  links: readonly Link[];
  aliases: readonly string[];
  pinned: boolean;
  archived: boolean;
  redacted: boolean;
  review: '' | 'approved' | 'pending' | 'rejected';
  superseded_by: string | null;
  merged_into: string | null;
  sealed: boolean;
  private: boolean;
  scope: 'global' | 'project' | 'session';
  expired: boolean;
  sources: readonly string[];
  elsewhere: readonly string[];
  work: '' | 'abandoned' | 'reverted' | 'rewritten' | 'unmerged';
  details: Readonly<Record<string, unknown>>;
}

/** How often a memory was part of an answer on this machine, and when last (RFC 3339). */
export interface Access {
  count: number;
  last: string;
}

/** Where another tool's memory (`origin`, of that `trust`) speaks of a file. */
export interface Mention {
  origin: string;
  trust: 'agent' | 'commit' | 'outside' | 'user';
  path: string;
  start_line: number;
  end_line: number;
  title: string;
}

/**
 * A memory with its citations as they stand in the work tree, and its links in both directions.
 *
 * `linked` has the headline of each memory at the other end of `links`, by id.
 */
export interface ShowResult {
  saw: ReadState;
  memory: Memory;
  citations: readonly Citation[];
  links: readonly MemoryLink[];
  linked: Readonly<Record<string, string>>;
  access: Access;
}

/** A link that was followed: who states it, of whom, and at which step it was met. */
export interface MemoryLink {
  source: string;
  relation: string;
  target: string;
  strength: number;
  depth: number;
  reason: string;
  by: string;
}

/** A memory as it is now, and its events, oldest first. */
export interface HistoryResult {
  saw: ReadState;
  memory: Memory;
  events: readonly Event[];
}

/** One record about a memory: who wrote it, when, where HEAD was, and what it changed. */
export interface Event {
  id: string;
  ts: string;
  type: string;
  actor: string;
  agent: string;
  session: string;
  task: string;
  branch: string;
  commit: string;
  summary: string;
  changes: readonly Changed[];
  sealed: boolean;
}

/** One field of a memory that an event changed, in words. Both are empty once the memory is redacted. */
export interface Changed {
  name: string;
  before: string;
  after: string;
}

/**
 * The memories that links lead to, by the number of steps and then the newest first; the start is the first one.
 *
 * `depths` are the steps of each. `links` are those between them; `omitted` memories did not fit the limit.
 */
export interface LinksResult {
  saw: ReadState;
  memories: readonly Memory[];
  depths: readonly number[];
  links: readonly MemoryLink[];
  omitted: number;
}

/**
 * The memory of a project at a glance. `important` are those that are not `recent` already.
 *
 * `links` are those of both with others, whose headlines stand in `linked` by id. `memories` counts all that speak
 * here, `kinds` by type, `scopes` by scope; `density` is the number of links for each memory.
 */
export interface OverviewResult {
  saw: ReadState;
  project: ProjectStatus;
  focus: FocusStatus;
  recent: readonly Memory[];
  important: readonly Memory[];
  links: readonly MemoryLink[];
  linked: Readonly<Record<string, string>>;
  memories: number;
  kinds: Readonly<Record<string, number>>;
  scopes: Readonly<Record<string, number>>;
  density: number;
}

/** What the project calls itself, in CLAUDE.md or by its folder. */
export interface ProjectStatus {
  name: string;
  description: string;
}

/** What is being worked at. `source` says what told the current task: session, branch, active, or "" for none. */
export interface FocusStatus {
  task: string;
  source: string;
  items: readonly WorkItem[];
}

/** An initiative or task that is under way, and how many memories were made on it. */
export interface WorkItem {
  code: string;
  level: string;
  title: string;
  phase: string;
  path: string;
  memories: number;
}

/** The sessions, open ones first; `total` counts them before limit and offset. */
export interface SessionsResult {
  saw: ReadState;
  sessions: readonly WorkSession[];
  total: number;
}

/**
 * A working session. `title` is what a reader calls it: its summary, the name that somebody gave it, or its begin.
 *
 * It is open while some of its `records` wait to be sealed; `memories` speak. Branch, task, agent and actor are those
 * of its last memory that says them.
 */
export interface WorkSession {
  session: string;
  title: string;
  state: 'open' | 'sealed';
  begin: string;
  end: string;
  records: number;
  waiting: number;
  memories: number;
  branch: string;
  task: string;
  agent: string;
  actor: string;
}

/** The ids in the order of the request. `memory` is there when one was stored; `masked` counts masked secrets. */
export interface RememberResult {
  saw: ReadState;
  ids: readonly string[];
  memory: Memory | null;
  masked: number;
}

/** The memory as it is now. `changed` names what changed, none where all was so already. */
export interface UpdateResult {
  saw: ReadState;
  memory: Memory;
  changed: readonly string[];
  masked: number;
}

/**
 * What was decided. `kept` speaks now; `gone` were merged into it or superseded by it.
 *
 * `apart` are the ids that stay for themselves. `contradictions` say which of them can't both hold, and why.
 */
export interface ConsolidateResult {
  saw: ReadState;
  decision: string;
  kept: Memory | null;
  gone: readonly string[];
  apart: readonly string[];
  contradictions: readonly string[];
  reason: string;
  dry_run: boolean;
}

/** The memory as it is now. */
export interface ForgetResult {
  saw: ReadState;
  memory: Memory;
}

/** The memory in its wider scope, and the id that it was made from. */
export interface PromoteResult {
  saw: ReadState;
  memory: Memory;
  source: string;
}

/** The brief as markdown, and the memories that it shows. */
export interface BriefResult {
  saw: ReadState;
  text: string;
  ids: readonly string[];
}

/** What is remembered about a prompt, and the memories and files in it; "" when nothing is sure or new. */
export interface RemindResult {
  saw: ReadState;
  text: string;
  ids: readonly string[];
}

/** What was remembered; `note` is the line to show, "" when there is nothing to say. */
export interface CaptureResult {
  saw: ReadState;
  ids: readonly string[];
  note: string;
}

/**
 * What a backfill remembers, or would (`applied` is false), oldest first; `ids` are those that it has stored.
 *
 * `looked` counts commits or transcripts; `skipped` those that give no memory, by the reason. `malformed` are lines
 * that can't be read, as `path:line`; `masked` counts secrets.
 */
export interface BackfillResult {
  saw: ReadState;
  source: string;
  applied: boolean;
  looked: number;
  found: readonly Recollection[];
  ids: readonly string[];
  skipped: Readonly<Record<string, number>>;
  malformed: readonly string[];
  masked: number;
}

/**
 * A memory that a backfill makes. `time` is when the thing was that it tells; `commit` and `session` say where.
 *
 * `known`: it is stored already, and is not stored again.
 */
export interface Recollection {
  id: string;
  type: string;
  title: string;
  text: string;
  time: string;
  importance: number;
  confidence: number;
  trust: 'agent' | 'commit' | 'outside' | 'user';
  files: readonly string[];
  commit: string;
  session: string;
  known: boolean;
}

/**
 * What the work from `base` to `head` does to memory; every list is in the order of the memories' ids.
 *
 * `contradicts` are pairs of which at least one memory is new; `stale` are memories whose code the work changed.
 * `pending` wait for an approval since, `approved` do no longer.
 * `text` says all of it, as text or markdown.
 */
export interface DiffResult {
  saw: ReadState;
  base: string;
  head: string;
  added: readonly Memory[];
  removed: readonly Memory[];
  changed: readonly Turn[];
  superseded: readonly Turn[];
  archived: readonly Turn[];
  contradicts: readonly Turn[];
  stale: readonly Turn[];
  pending: readonly Memory[];
  approved: readonly Memory[];
  malformed: number;
  text: string;
}

/** What became of one memory. `by` is the other memory that it has to do with, if any; `reason` is in words. */
export interface Turn {
  memory: Memory;
  by: Memory | null;
  reason: string;
}

/** Findings by path, line, rule. `ok` says that none is an error; `files` counts the files that were read. */
export interface CheckResult {
  saw: ReadState;
  ok: boolean;
  errors: number;
  warnings: number;
  files: number;
  memories: number;
  findings: readonly Finding[];
}

/** Something that a check found. `level` is error or warn; `line` 0 is the whole file; `id` names a memory. */
export interface Finding {
  rule: string;
  level: string;
  message: string;
  path: string;
  line: number;
  id: string;
  hint: string;
}

/**
 * How many citations there are in each state, of how many memories, and the memories that need a look.
 *
 * Those with something gone come first, then drifted, unchecked, moved; by id among equals.
 */
export interface VerifyResult {
  saw: ReadState;
  memories: number;
  states: Readonly<Record<string, number>>;
  found: readonly Verified[];
  fixed: number;
}

/** A memory whose citations are not all fresh. `fixed`: it cites the new places from now on. */
export interface Verified {
  id: string;
  type: string;
  title: string;
  cites: readonly Citation[];
  fixed: boolean;
}

/** The memory as it is now; `cites` are the places that it cites from now on. */
export interface ConfirmResult {
  saw: ReadState;
  memory: Memory;
  cites: readonly Citation[];
}

/** The memories that were decided about, as they are now. */
export interface ReviewResult {
  saw: ReadState;
  memories: readonly Memory[];
}

/** The segments that were written, relative to the root, and how many records they hold. */
export interface SealResult {
  saw: ReadState;
  segments: readonly string[];
  records: number;
}

/** What reconciling did, or would do; `summary` is the line for people. */
export interface ReconcileResult {
  consolidated: number;
  duplicates: number;
  conflicts: number;
  segments: readonly string[];
  merges: readonly Merge[];
  dry_run: boolean;
  summary: string;
  saw: ReadState;
}

/** Memories that said the same: `kept` speaks for `merged` from now on. */
export interface Merge {
  kept: string;
  merged: readonly string[];
  reason: string;
}

/** What was put back: `files` relative to the root; `summary` says what had been done to them. */
export interface UndoResult {
  saw: ReadState;
  kind: string;
  files: readonly string[];
  summary: string;
}

/** What left main.jsonl for the file `archive`, or would; `before` and `after` are the size of main in bytes. */
export interface PruneResult {
  saw: ReadState;
  memories: readonly string[];
  records: number;
  before: number;
  after: number;
  archive: string;
  dry_run: boolean;
  summary: string;
}

/** The conflicts that wait for a person, oldest first; `citations` by memory, as in the result of `memories`. */
export interface ConflictsResult {
  saw: ReadState;
  conflicts: readonly Conflict[];
  citations: Readonly<Record<string, readonly Citation[]>>;
}

/** Two memories that can't both hold, why they were put side by side, and the code that they cite. */
export interface Conflict {
  id: string;
  left: Memory;
  right: Memory;
  reason: string;
  ts: string;
  code: readonly CitedCode[];
}

/** Code that a side of a conflict cites, as it stands in the work tree; `problem` says why there is no text. */
export interface CitedCode {
  side: string;
  path: string;
  start: number;
  end: number;
  text: string;
  problem: string;
}

/** Both sides as they are now. */
export interface ResolveResult {
  saw: ReadState;
  conflict: string;
  left: Memory;
  right: Memory;
}

/**
 * A bundle: `version`, `exported` (the newest record's time) and `records`, by id. The rest says what was left out.
 *
 * `memories` counts what was exported, `private` what was not because it is private, `masked` secrets.
 */
export interface ExportResult {
  saw: ReadState;
  version: number;
  exported: string;
  records: readonly Readonly<Record<string, unknown>>[];
  memories: number;
  private: number;
  masked: number;
}

/**
 * What was stored, in records. `known` were here; `skipped` have another content here, and it stayed.
 *
 * `withheld` would have changed memories of this repository, which outside text can't.
 */
export interface ImportResult {
  saw: ReadState;
  imported: number;
  replaced: number;
  known: number;
  skipped: readonly string[];
  withheld: readonly string[];
  masked: number;
  dry_run: boolean;
}

/** The pack that was written to `path`, and the paths of the knowledge in it. */
export interface PackExportResult {
  saw: ReadState;
  pack: KnowledgePack;
  path: string;
  contents: readonly string[];
}

/** A pack. `edited` are files that are not as they came; `problem` says why there is no more to tell of one. */
export interface KnowledgePack {
  name: string;
  version: string;
  description: string;
  licence: string;
  origin: string;
  files: number;
  bytes: number;
  checksum: string;
  edited: readonly string[];
  problem: string;
}

/** The pack that is here now, and the paths of its files. */
export interface PackAddResult {
  saw: ReadState;
  pack: KnowledgePack;
  contents: readonly string[];
}

/** The packs by name. */
export interface PackListResult {
  saw: ReadState;
  packs: readonly KnowledgePack[];
}

/** The pack that is here now, or would be, the version `before`, and its files. `edited` were edited here. */
export interface PackUpdateResult {
  saw: ReadState;
  pack: KnowledgePack;
  before: string;
  added: readonly string[];
  changed: readonly string[];
  removed: readonly string[];
  edited: readonly string[];
  older: boolean;
  dry_run: boolean;
}

/** The pack that is gone. */
export interface PackRemoveResult {
  saw: ReadState;
  pack: KnowledgePack;
}

/**
 * The pack of a context file as markdown; `tokens` counts all of it and never exceeds `budget`.
 *
 * `cut` says that not even the file's own text fits, so that its end is missing.
 */
export interface RenderResult {
  saw: ReadState;
  path: string;
  title: string;
  text: string;
  tokens: number;
  budget: number;
  references: readonly Rendered[];
  cut: boolean;
}

/**
 * What became of one reference of a context file: its tokens in the pack, or the problem why it is not there.
 *
 * `known`: what it means was there already, for another reference.
 */
export interface Rendered {
  text: string;
  line: number;
  column: number;
  title: string;
  tokens: number;
  problem: string;
  known: boolean;
}

/** The context file that was made, relative to the root. */
export interface TemplateNewResult {
  saw: ReadState;
  path: string;
  template: string;
  text: string;
}

/** The templates by name. */
export interface TemplateListResult {
  saw: ReadState;
  templates: readonly Template[];
}

/** A template of context files. */
export interface Template {
  name: string;
  summary: string;
}

/** The faults of a file in the order of its lines; `kind` says as what it was read. `ok`: none is an error. */
export interface LintResult {
  saw: ReadState;
  path: string;
  kind: string;
  ok: boolean;
  faults: readonly Fault[];
}

/**
 * What is wrong in a file. `line` and `column` count from 1, in characters; `end` is the column behind it.
 *
 * `end` 0 is the end of the line. `level` is error, warning or information; `rule` is that of `check`.
 */
export interface Fault {
  rule: string;
  level: string;
  message: string;
  line: number;
  column: number;
  end: number;
  hint: string;
  fixes: readonly Fix[];
}

/** A way to mend a fault: other text for a span of its line (as in `Fault`), or else a verb with its parameters. */
export interface Fix {
  title: string;
  column: number;
  end: number;
  text: string;
  verb: string;
  params: Readonly<Record<string, unknown>>;
}

/** The references that a file makes, in its order. */
export interface ReferencesResult {
  saw: ReadState;
  path: string;
  references: readonly Meaning[];
}

/**
 * What a reference means: a memory, document, knowledge, file, folder, symbol or question.
 *
 * `line` and `column` are the reference's, from 1; `path`, `start` and `end` (lines, 0: the whole) are where it leads.
 * `markdown` is what to show of it. `problem` says what of it is not there; `near` what may have been meant.
 */
export interface Meaning {
  kind: string;
  text: string;
  line: number;
  column: number;
  end: number;
  title: string;
  path: string;
  start: number;
  last: number;
  id: string;
  markdown: string;
  problem: string;
  near: string;
}

/** What refers to a file, document or memory, by path and line; memories come last, by id. `target` is its name. */
export interface BacklinksResult {
  saw: ReadState;
  target: string;
  backlinks: readonly Backlink[];
}

/**
 * A reference to something: where it stands (from 1; `end` exclusive), and its line's text.
 *
 * Of a memory `id` is set, and the place is that of its record, if that is in a file of the work tree.
 */
export interface Backlink {
  path: string;
  line: number;
  column: number;
  end: number;
  text: string;
  id: string;
}

/** The edits that keep links right when files get other names, by path, line and column. */
export interface RelinkResult {
  saw: ReadState;
  edits: readonly Edit[];
}

/** Other text for a span of a line (from 1; `end` exclusive). */
export interface Edit {
  path: string;
  line: number;
  column: number;
  end: number;
  text: string;
}

/** The names that match, best first; `more` says that there are others. */
export interface NamesResult {
  saw: ReadState;
  names: readonly Name[];
  more: boolean;
}

/** Something that can be named in a text: `insert` is how. `kind` is as in `Meaning`, or context or tag. */
export interface Name {
  kind: string;
  name: string;
  insert: string;
  detail: string;
  markdown: string;
  path: string;
  line: number;
  id: string;
}

/**
 * What is remembered about a file, in its places: notes by line and id, what to show above what, what is in doubt.
 *
 * `pointers` are where its text names memories and decisions; `omitted` counts memories that were not looked at,
 * `pending` citations that there was no time to check: the next answer does.
 */
export interface AnnotateResult {
  saw: ReadState;
  path: string;
  notes: readonly Note[];
  lenses: readonly Lens[];
  doubts: readonly Doubt[];
  pointers: readonly Pointer[];
  omitted: number;
  pending: number;
}

/**
 * One memory or decision document as it concerns a file.
 *
 * `id` names the memory, `path` the document. Lines are where the code is now (1-based, inclusive), 0 for the whole
 * file. `trust` is that of the memory; a document's is "user".
 */
export interface Note {
  id: string;
  path: string;
  type: string;
  title: string;
  start: number;
  end: number;
  symbol: string;
  state: 'drifted' | 'fresh' | 'gone' | 'moved' | 'unchecked' | '';
  trust: string;
}

/** What is said above a definition, or above the file (lines 0): "2 decisions, 1 stale"; and of which notes. */
export interface Lens {
  start: number;
  end: number;
  symbol: string;
  title: string;
  ids: readonly string[];
  paths: readonly string[];
}

/**
 * Code and memory that no longer agree. `level` is information or warning.
 *
 * `rule` is drifted (the cited text changed), gone (what a constraint or decision cites is no longer there) or
 * contradicted (the cited code, or a newer memory of it, says the opposite of a constraint or decision).
 */
export interface Doubt {
  level: 'information' | 'warning';
  rule: 'contradicted' | 'drifted' | 'gone';
  start: number;
  end: number;
  message: string;
  id: string;
  related: readonly Spot[];
}

/** A place that has to do with a doubt: lines of a file, or a memory (`id`). */
export interface Spot {
  message: string;
  path: string;
  start: number;
  end: number;
  id: string;
}

/**
 * Where a file's text names something that can be opened: a document of Muninn (`uri`) or a file (`path`).
 *
 * `line` is 1-based; `start` and `end` are characters of it, 0-based, `end` exclusive.
 */
export interface Pointer {
  line: number;
  start: number;
  end: number;
  uri: string;
  path: string;
}

/** What is remembered about a place, as markdown, "" for nothing, and the ids of the memories that it shows. */
export interface AboutResult {
  saw: ReadState;
  text: string;
  ids: readonly string[];
}

/** A document for reading: its title, and its text as markdown. */
export interface DocumentResult {
  saw: ReadState;
  uri: string;
  title: string;
  text: string;
}

/** A file to write a memory into: saved in an editor, it is remembered. `path` is that of the file, whole. */
export interface DraftResult {
  saw: ReadState;
  path: string;
  text: string;
}

/** What was blanked: the memories (those that were merged say the same) and the files, relative to the root. */
export interface RedactResult {
  saw: ReadState;
  ids: readonly string[];
  files: readonly string[];
  memory: Memory;
}

/**
 * Where git still holds what the memories said. `refs` are branches, tags and stashes whose tree has it now.
 *
 * `total` counts commits; `blobs` are the file contents that would have to leave the history. Nothing was changed.
 */
export interface PurgeResult {
  saw: ReadState;
  ids: readonly string[];
  total: number;
  refs: readonly string[];
  redacted: boolean;
  commits: readonly HoldingCommit[];
  blobs: readonly string[];
}

/** A commit that put the text into its tree (`holds`) or took it out (`removes`), and the files. */
export interface HoldingCommit {
  commit: string;
  time: string;
  subject: string;
  effect: string;
  paths: readonly string[];
}

/** The folder is there; `created` are the files that were written, relative to the root. */
export interface InitResult {
  saw: ReadState;
  root: string;
  created: readonly string[];
}

/** The daemon and the repository. `mode` is read-write, read-only or uninitialised; sizes are in bytes. */
export interface StatusResult {
  saw: ReadState;
  pid: number;
  version: string;
  root: string;
  mode: string;
  uptime_seconds: number;
  clients: number;
  rss_bytes: number;
  longest_stall_ms: number;
  index: IndexStatus;
  log: LogStatus;
  project: ProjectStatus;
  focus: FocusStatus;
  shared: SharedStatus;
  problems: readonly Problem[];
  bridges: readonly BridgeStatus[];
}

/**
 * The index. `state` is absent, building, ready or failed; `lag` counts changed files not yet searchable
 * in full; `surveyed` of them are found by their words as a whole, which is how the first look at a large tree begins.
 *
 * `chunks` are found by their words, `vectors` of them by their meaning, too: that follows after a first index.
 */
export interface IndexStatus {
  state: string;
  generation: number;
  files: number;
  chunks: number;
  vectors: number;
  lag: number;
  model: string;
  surveyed: number;
  skipped: Readonly<Record<string, number>>;
}

/** The memory log: records read, memories that are active, what is not sealed yet, what waits for an approval. */
export interface LogStatus {
  records: number;
  memories: number;
  unsealed: number;
  segments: number;
  malformed: number;
  conflicts: number;
  pending: number;
}

/** The user's global memory. `path` is "" where there is none: it is switched off, or has no place. */
export interface SharedStatus {
  path: string;
  memories: number;
}

/** Something that a person should mend. `path` is relative to the root; `line` 0 is the whole file. */
export interface Problem {
  kind: string;
  message: string;
  path: string;
  line: number;
  hint: string;
}

/**
 * Memory of another tool that is read here: whether it is `on`, and how many of its files are in the index.
 *
 * `trust` is that of who writes it; `folder` is named where it lies outside of the work tree.
 */
export interface BridgeStatus {
  name: string;
  title: string;
  on: boolean;
  files: number;
  trust: 'agent' | 'commit' | 'outside' | 'user';
  folder: string;
}

/** What indexing did. */
export interface IndexResult {
  saw: ReadState;
  files: number;
  chunks: number;
  changed: number;
  removed: number;
  seconds: number;
  skipped: Readonly<Record<string, number>>;
}

/** The daemon that leaves. */
export interface ShutdownResult {
  pid: number;
}
