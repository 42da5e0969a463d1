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
  /** Initialise the repository's memory. Write .muninn with its defaults; what is there already stays as it is. */
  init: { params: InitParams; result: InitResult };
  /** Status. Say how the daemon, the index and the log are, and what needs a person. */
  status: { params: StatusParams; result: StatusResult };
  /** Bring the index up to date. Compare every file with the index and take in what changed. */
  index: { params: IndexParams; result: IndexResult };
  /** Remember. Store a memory; it is on disk when the answer comes. */
  remember: { params: RememberParams; result: RememberResult };
  /** Recall. Find code, knowledge and memories for a question, each with the reasons for its place. */
  recall: { params: RecallParams; result: RecallResult };
  /** Gather context. Make a pack of what matters for a task, within a token budget. */
  context: { params: ContextParams; result: ContextResult };
  /** List memories. List, filter or get memories. */
  memories: { params: MemoriesParams; result: MemoriesResult };
  /** Forget a memory. Archive a memory: it is no longer recalled, and it is not lost. */
  forget: { params: ForgetParams; result: ForgetResult };
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
  /** Brief a session. Say what a session that starts should know, in few characters. */
  brief: { params: BriefParams; result: BriefResult };
  /** Capture. Remember significant commits since the last look, or decisions marked in a transcript. */
  capture: { params: CaptureParams; result: CaptureResult };
  /** Stop the daemon. Stop the repository's daemon; it finishes what it has acknowledged. */
  shutdown: { params: ShutdownParams; result: ShutdownResult };
}

/** The command that carries a verb through `workspace/executeCommand`; its one argument is the params. */
export const COMMANDS: { readonly [Verb in keyof Verbs]: string } = {
  init: 'muninn.init',
  status: 'muninn.status',
  index: 'muninn.index',
  remember: 'muninn.remember',
  recall: 'muninn.recall',
  context: 'muninn.context',
  memories: 'muninn.memories',
  forget: 'muninn.forget',
  seal: 'muninn.seal',
  reconcile: 'muninn.reconcile',
  undo: 'muninn.undo',
  prune: 'muninn.prune',
  conflicts: 'muninn.conflicts',
  resolve: 'muninn.resolve',
  brief: 'muninn.brief',
  capture: 'muninn.capture',
  shutdown: 'muninn.shutdown',
};

/** Nothing to say: `init` writes the folder and its defaults. */
export type InitParams = Record<string, never>;

/** Nothing to say. */
export type StatusParams = Record<string, never>;

/** What to bring up to date. */
export interface IndexParams {
  /** Answer only when everything on disk is searchable. */
  wait?: boolean;
  /** Throw the index away and build it from the files. */
  rebuild?: boolean;
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
  /** Paths that it is about, relative to the root. */
  files?: readonly string[];
  /** Symbols, services or people that it is about. */
  entities?: readonly string[];
  /** Spans of code that it rests on. */
  cites?: readonly Cite[];
  /** 1 (trivia) to 10 (never forget). */
  importance?: number;
  /** How sure it is, 0 to 1. */
  confidence?: number;
  /** Relations to other memories. */
  links?: readonly Link[];
  /** Always part of a context pack. */
  pin?: boolean;
  /** The working session that this belongs to; letters, digits, '.', '_' and '-'. */
  session?: string | null;
  /** The task's id, as in .metis/tasks. */
  task?: string | null;
  /** Who states it. */
  actor?: 'assistant' | 'hook' | 'import' | 'tool' | 'user';
  /** The program that acts, with its version. */
  agent?: string | null;
  /** Who vouches; follows from the actor when absent, and never exceeds it. */
  trust?: 'agent' | 'commit' | 'outside' | 'user' | null;
  /** An RFC 3339 time after which it is no longer recalled. */
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
  /** Paths that it is about, relative to the root. */
  files?: readonly string[];
  /** Symbols, services or people that it is about. */
  entities?: readonly string[];
  /** Spans of code that it rests on. */
  cites?: readonly Cite[];
  /** 1 (trivia) to 10 (never forget). */
  importance?: number;
  /** How sure it is, 0 to 1. */
  confidence?: number;
  /** Relations to other memories. */
  links?: readonly Link[];
  /** Always part of a context pack. */
  pin?: boolean;
  /** The working session that this belongs to; letters, digits, '.', '_' and '-'. */
  session?: string | null;
  /** The task's id, as in .metis/tasks. */
  task?: string | null;
  /** Who states it. */
  actor?: 'assistant' | 'hook' | 'import' | 'tool' | 'user';
  /** The program that acts, with its version. */
  agent?: string | null;
  /** Who vouches; follows from the actor when absent, and never exceeds it. */
  trust?: 'agent' | 'commit' | 'outside' | 'user' | null;
  /** An RFC 3339 time after which it is no longer recalled. */
  expires?: string | null;
  /** Fields of the kind: rationale, status, alternatives; command, exit_status. */
  details?: Readonly<Record<string, unknown>>;
  /** An idempotency key: the same key is stored once, however often it is sent. */
  key?: string | null;
}

/** A question. */
export interface RecallParams {
  /** Words, identifiers or a sentence. */
  query: string;
  /** The most hits to return. */
  limit?: number;
  /** Only code, only knowledge or only memory. */
  kind?: 'code' | 'knowledge' | 'memory' | null;
  /** The working session that this belongs to; letters, digits, '.', '_' and '-'. */
  session?: string | null;
}

/** A task to gather context for. */
export interface ContextParams {
  /** The task or question at hand. */
  query: string;
  /** The most tokens of the whole pack. */
  budget?: number;
  /** Files at hand; what is remembered of them counts more. */
  files?: readonly string[];
  /** A task's id; its document and memories come first. */
  task?: string | null;
  /** The working session that this belongs to; letters, digits, '.', '_' and '-'. */
  session?: string | null;
}

/** Which memories to list: every filter that is given must hold. Newest first. */
export interface MemoriesParams {
  /** One memory, by its id or an unambiguous prefix of it. */
  id?: string | null;
  /** Of this type. */
  type?: string | null;
  /** With this tag. */
  tag?: string | null;
  /** About this file. */
  file?: string | null;
  /** The working session that this belongs to; letters, digits, '.', '_' and '-'. */
  session?: string | null;
  /** Of this task. */
  task?: string | null;
  /** Whose text or title contains this, whatever the case. */
  text?: string | null;
  /** Archived, superseded and merged ones, too. */
  archived?: boolean;
  /** The most memories to return. */
  limit?: number;
  /** How many to leave out at the start. */
  offset?: number;
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

/** What a session that starts should know. */
export interface BriefParams {
  /** The working session that this belongs to; letters, digits, '.', '_' and '-'. */
  session?: string | null;
  /** How the session started; after `compact` what was captured from it comes first. */
  source?: 'clear' | 'compact' | 'fork' | 'resume' | 'startup';
  /** The most characters of the brief. */
  max_chars?: number;
}

/** What to remember from: the commits since the last look, or a transcript. */
export interface CaptureParams {
  /** Where to look for something to remember. */
  source: 'commit' | 'transcript';
  /** The working session that this belongs to; letters, digits, '.', '_' and '-'. */
  session?: string | null;
  /** Path of the agent's transcript (JSON lines). */
  transcript?: string | null;
  /** The program that acts, with its version. */
  agent?: string | null;
}

/** Nothing to say. */
export type ShutdownParams = Record<string, never>;

/** The folder is there; `created` are the files that were written, relative to the root. */
export interface InitResult {
  saw: Saw;
  root: string;
  created: readonly string[];
}

/** The state that an answer saw: HEAD, the number of records in the log, and the index. */
export interface Saw {
  commit: string | null;
  branch: string | null;
  log: number;
  index: IndexSaw;
}

/** The index that an answer was computed from: its generation, and how many changed files it lags behind. */
export interface IndexSaw {
  generation: number;
  lag: number;
}

/** The daemon and the repository. `mode` is read-write, read-only or uninitialised; sizes are in bytes. */
export interface StatusResult {
  saw: Saw;
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
  problems: readonly Problem[];
}

/** The index. `state` is absent, building, ready or failed; `lag` counts changed files not yet searchable. */
export interface IndexStatus {
  state: string;
  generation: number;
  files: number;
  chunks: number;
  vectors: number;
  lag: number;
  model: string;
  skipped: Readonly<Record<string, number>>;
}

/** The memory log: records read, memories that are active, and what is not sealed yet. */
export interface LogStatus {
  records: number;
  memories: number;
  unsealed: number;
  segments: number;
  malformed: number;
  conflicts: number;
}

/** Something that a person should mend. `path` is relative to the root; `line` 0 is the whole file. */
export interface Problem {
  kind: string;
  message: string;
  path: string;
  line: number;
  hint: string;
}

/** What indexing did. */
export interface IndexResult {
  saw: Saw;
  files: number;
  chunks: number;
  changed: number;
  removed: number;
  seconds: number;
  skipped: Readonly<Record<string, number>>;
}

/** The ids in the order of the request. `memory` is there when one was stored; `masked` counts masked secrets. */
export interface RememberResult {
  saw: Saw;
  ids: readonly string[];
  memory: Memory | null;
  masked: number;
}

/**
 * One memory, folded. `type` is that of the record that created it; times are RFC 3339 in UTC.
 *
 * `details` holds the fields that only some kinds have (a decision's rationale, an attempt's command), and every
 * field of a record that this version does not know. `sealed` is false while the memory is only in the spool.
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
  superseded_by: string | null;
  merged_into: string | null;
  sealed: boolean;
  sources: readonly string[];
  details: Readonly<Record<string, unknown>>;
}

/** Best first; ties by kind, path, line and id. */
export interface RecallResult {
  saw: Saw;
  hits: readonly Hit[];
}

/**
 * One result of recall. `id` is `path:start-end` for code and knowledge, the memory's id for a memory.
 *
 * A memory's `path` is the first file that it names, or "" when it names none.
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
}

/** One signal of a score. The contributions of a hit's reasons add up to its score. */
export interface Reason {
  signal: string;
  value: number;
  weight: number;
  contribution: number;
  note: string;
}

/** A pack. `text` is its markdown; `tokens` counts all of it and never exceeds `budget`. */
export interface ContextResult {
  saw: Saw;
  text: string;
  items: readonly PackItem[];
  tokens: number;
  budget: number;
  omitted: number;
}

/** One item of a pack. `tier` says why it is where it is: pin, task, memory, knowledge or code. */
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
  why: readonly Reason[];
}

/** The memories that match; `total` counts them before limit and offset. */
export interface MemoriesResult {
  saw: Saw;
  memories: readonly Memory[];
  total: number;
}

/** The memory as it is now. */
export interface ForgetResult {
  saw: Saw;
  memory: Memory;
}

/** The segments that were written, relative to the root, and how many records they hold. */
export interface SealResult {
  saw: Saw;
  segments: readonly string[];
  records: number;
}

/** What reconciling did, or would do. `summary` is the line for people. */
export interface ReconcileResult {
  saw: Saw;
  consolidated: number;
  duplicates: number;
  conflicts: number;
  segments: readonly string[];
  merges: readonly Merge[];
  dry_run: boolean;
  summary: string;
}

/** Memories that said the same: `kept` speaks for `merged` from now on. */
export interface Merge {
  kept: string;
  merged: readonly string[];
  reason: string;
}

/** What was put back: `files` relative to the root; `summary` says what had been done to them. */
export interface UndoResult {
  saw: Saw;
  kind: string;
  files: readonly string[];
  summary: string;
}

/** What left main.jsonl for the file `archive`, or would; `before` and `after` are the size of main in bytes. */
export interface PruneResult {
  saw: Saw;
  memories: readonly string[];
  records: number;
  before: number;
  after: number;
  archive: string;
  dry_run: boolean;
  summary: string;
}

/** The conflicts that wait for a person, oldest first. */
export interface ConflictsResult {
  saw: Saw;
  conflicts: readonly Conflict[];
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
  saw: Saw;
  conflict: string;
  left: Memory;
  right: Memory;
}

/** The brief as markdown, and the memories that it shows. */
export interface BriefResult {
  saw: Saw;
  text: string;
  ids: readonly string[];
}

/** What was remembered; `note` is the line to show, "" when there is nothing to say. */
export interface CaptureResult {
  saw: Saw;
  ids: readonly string[];
  note: string;
}

/** The daemon that leaves. */
export interface ShutdownResult {
  pid: number;
}
