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
  | 'refused'
  | 'precondition'
  | 'model'
  | 'cancelled'
  | 'daemon'
  | 'stopping';

/** Every verb with the types of its parameters and its result. */
export interface Verbs {
  /** Search memory and code. Find code, knowledge and memories for a question, each with the reasons for its rank. */
  recall: { params: RecallParams; result: RecallResult };
  /** Gather context. Return a pack of what a task needs, within a token budget. */
  context: { params: ContextParams; result: ContextResult };
  /** Explore with a model. Let a model explore the repository for a question, and return a pack of the places it names. */
  explore: { params: ExploreParams; result: ExploreResult };
  /** Explain a context. Explain what a context contains: inputs, the signals of each item, and what was left out. */
  why: { params: WhyParams; result: WhyResult };
  /** Replay a context. Return a context again, byte for byte, or gather it again and report the differences. */
  replay: { params: ReplayParams; result: ReplayResult };
  /** Find definitions. Find classes, functions and other definitions by name. */
  symbols: { params: SymbolsParams; result: SymbolsResult };
  /** Outline a file. Show the definitions of a file as a tree, with signatures and comments. */
  outline: { params: OutlineParams; result: OutlineResult };
  /** Map the repository. Show the repository by folders: languages, definitions, memories, and which folder imports which. */
  map: { params: MapParams; result: MapResult };
  /** Follow relations in the code. Show what a file or definition imports and calls, and what imports, calls and tests it. */
  graph: { params: GraphParams; result: GraphResult };
  /** Search files for a pattern. Search the files of the work tree for a regular expression, in linear time. */
  grep: { params: GrepParams; result: GrepResult };
  /** Read a file. Show lines of a file of the work tree. */
  read: { params: ReadParams; result: ReadResult };
  /** Show folders and files. Show the folders and files of the work tree, without ignored ones. */
  tree: { params: TreeParams; result: TreeResult };
  /** List files. List files of the work tree by glob, language or kind, without ignored ones. */
  files: { params: FilesParams; result: FilesResult };
  /** Match skills. Find the skills that match a task: at most seven, within 30 % of a context's budget. */
  'skills.match': { params: SkillsMatchParams; result: SkillsMatchResult };
  /** List skills. List the skills of this repository and of your home, with their problems. */
  'skills.list': { params: SkillsListParams; result: SkillsListResult };
  /** List memories. List memories by type, tag, file, task, session, text or time. */
  memories: { params: MemoriesParams; result: MemoriesResult };
  /** Show a memory. Show one memory in full, with the state of its citations and its links in both directions. */
  show: { params: ShowParams; result: ShowResult };
  /** Show a memory's history. List every record about a memory: author, time, commit, and what it changed. */
  history: { params: HistoryParams; result: HistoryResult };
  /** List recent changes of memory. List the newest records of memory: what was remembered, changed, merged or archived, and by whom. */
  log: { params: LogParams; result: LogResult };
  /** Follow links. Show the memories linked to a memory, up to a number of steps. */
  links: { params: LinksParams; result: LinksResult };
  /** Show an overview. Summarise the project's memory: recent and important memories, their links, and counts. */
  overview: { params: OverviewParams; result: OverviewResult };
  /** List sessions. List the sessions that stored memories: state, time, branch and author. */
  sessions: { params: SessionsParams; result: SessionsResult };
  /** Remember. Store a memory; it is on disk when the answer arrives. */
  remember: { params: RememberParams; result: RememberResult };
  /** Update a memory. Change a memory's text, importance, files or links; its history keeps the old values. */
  update: { params: UpdateParams; result: UpdateResult };
  /** Pin a memory. Include a memory in every context pack. */
  pin: { params: PinParams; result: UpdateResult };
  /** Unpin a memory. Include a memory only in contexts that it is relevant to. */
  unpin: { params: PinParams; result: UpdateResult };
  /** Consolidate memories. Merge memories that say the same, or let one supersede the others. */
  consolidate: { params: ConsolidateParams; result: ConsolidateResult };
  /** Forget a memory. Archive a memory: it is no longer recalled and can be restored. */
  forget: { params: ForgetParams; result: ForgetResult };
  /** Restore a memory. Restore an archived memory. */
  restore: { params: RestoreParams; result: ForgetResult };
  /** Promote a memory. Copy a session note to the project, or a memory to all of your projects. */
  promote: { params: PromoteParams; result: PromoteResult };
  /** Brief a session. Summarise what a new session should know, in a few characters. */
  brief: { params: BriefParams; result: BriefResult };
  /** Find memories for a prompt. Return memories about a prompt, if any are relevant, each once per session. */
  remind: { params: RemindParams; result: RemindResult };
  /** List what sessions received. List the memories that a session received and their outcomes, or the deliveries of a memory. */
  given: { params: GivenParams; result: GivenResult };
  /** Capture memories. Store what a session shows: its commits, decisions from its transcript, failures, and its summary. */
  capture: { params: CaptureParams; result: CaptureResult };
  /** Backfill memory. Make memories from significant commits or from transcripts; without `apply` they are only listed. */
  backfill: { params: BackfillParams; result: BackfillResult };
  /** List candidates for memory. List the candidates for memory from ended sessions, with the events that support them. */
  'candidate.list': { params: CandidateListParams; result: CandidateListResult };
  /** Find candidates in a session. Find candidates in the events of a session; hooks do this when a session ends. */
  'candidate.distil': { params: CandidateDistilParams; result: CandidateDistilResult };
  /** Promote a candidate. Store a candidate as a memory, which keeps the link to its events on this machine. */
  'candidate.promote': { params: CandidatePromoteParams; result: CandidatePromoteResult };
  /** Discard a candidate. Discard a candidate; equal findings are not offered again. */
  'candidate.discard': { params: CandidateDiscardParams; result: CandidateDiscardResult };
  /** Review a branch's memory. Show which memories a branch adds, changes, contradicts and makes stale. */
  diff: { params: DiffParams; result: DiffResult };
  /** Check memory. Check the repository's memory files: malformed lines, secrets, dangling citations, open conflicts. */
  check: { params: CheckParams; result: CheckResult };
  /** Verify citations. Compare the citations of memories with the code: fresh, moved, drifted or gone. */
  verify: { params: VerifyParams; result: VerifyResult };
  /** Confirm a memory. Confirm that a memory still holds, and update its citations to the current code. */
  confirm: { params: ConfirmParams; result: ConfirmResult };
  /** Approve memories. Approve waiting memories, so that they are recalled. An agent can't approve its own. */
  approve: { params: ApproveParams; result: ReviewResult };
  /** Reject memories. Reject waiting memories. They are not recalled; they are kept with the reason. */
  reject: { params: RejectParams; result: ReviewResult };
  /** Seal sessions. Write the records of open sessions to new files that git can track. */
  seal: { params: SealParams; result: SealResult };
  /** Reconcile memory. Seal all sessions and consolidate them in main.jsonl: merge duplicates, queue contradictions. */
  reconcile: { params: ReconcileParams; result: ReconcileResult };
  /** Undo the last reconcile or prune. Undo the last reconcile or prune; every file is restored byte for byte. */
  undo: { params: UndoParams; result: UndoResult };
  /** Prune memory. Move memories that are no longer recalled from main.jsonl to the archive, by the configured policy. */
  prune: { params: PruneParams; result: PruneResult };
  /** Maintain memory. Merge equal memories, weaken unused links, adjust importance by use, and archive unused memories; report first, --apply records. */
  evolve: { params: EvolveParams; result: EvolveResult };
  /** Show conflicts. Show the contradictions that a person must resolve. */
  conflicts: { params: ConflictsParams; result: ConflictsResult };
  /** Resolve a conflict. Resolve a conflict: keep left, right or both. A later decision replaces an earlier one. */
  resolve: { params: ResolveParams; result: ResolveResult };
  /** Add a repository. Add a repository of this machine to your list. */
  'repos.add': { params: ReposAddParams; result: ReposAddResult };
  /** List repositories. List your repositories: what can be found in each, how current its index is, and its daemon. */
  'repos.list': { params: ReposListParams; result: ReposListResult };
  /** Remove a repository. Remove a repository from your list; its files are not changed. */
  'repos.remove': { params: ReposRemoveParams; result: ReposRemoveResult };
  /** Find repositories. Find the repositories with memory below a folder, and add them to your list if wanted. */
  'repos.scan': { params: ReposScanParams; result: ReposScanResult };
  /** Export memories. Write memories to a bundle for another repository; it is checked for secrets again. */
  export: { params: ExportParams; result: ExportResult };
  /** Import memories. Store the memories of a bundle or of another tool, all or none; their text is not trusted. */
  import: { params: ImportParams; result: ImportResult };
  /** Export a pack. Write curated knowledge to a versioned pack; a pack with secrets is refused. */
  'pack.export': { params: PackExportParams; result: PackExportResult };
  /** Add a pack. Add a pack from this machine after checking its checksums; its text is not trusted. */
  'pack.add': { params: PackAddParams; result: PackAddResult };
  /** List packs. List the installed packs: version, origin, and files edited since. */
  'pack.list': { params: PackListParams; result: PackListResult };
  /** Update a pack. Replace a pack by another version, and show what changes. */
  'pack.update': { params: PackUpdateParams; result: PackUpdateResult };
  /** Remove a pack. Remove a pack and all of its files. */
  'pack.remove': { params: PackRemoveParams; result: PackRemoveResult };
  /** Record an event. Record an event in the journal; it is on disk when this returns. */
  'event.append': { params: EventAppendParams; result: EventAppendResult };
  /** Find events. Find events by their fields, their time, and words and meaning of a text. */
  'event.query': { params: EventQueryParams; result: EventQueryResult };
  /** Wait for events. Wait until an event is recorded that passes the filters, and return it; call again with `last`. */
  'event.wait': { params: EventWaitParams; result: EventWaitResult };
  /** Count events. Count the journal's events by type, actor, source and day, and its turns by state. */
  'event.statistics': { params: EventStatisticsParams; result: EventStatisticsResult };
  /** Redact an event. Erase the payload of an event for good; its place in the journal stays, and the chain verifies. */
  'event.redact': { params: EventRedactParams; result: EventChangeResult };
  /** Hide an event. Hide an event from everything but the audit; its payload stays in the journal. */
  'event.tombstone': { params: EventChangeParams; result: EventChangeResult };
  /** Begin a turn. Begin a turn, and return the token that its events need. */
  'turn.begin': { params: TurnBeginParams; result: TurnBeginResult };
  /** End a turn. End a turn; its token can't be used again. */
  'turn.end': { params: TurnEndParams; result: TurnEndResult };
  /** List sessions and turns. List sessions, turns and capsules with their state. */
  'span.list': { params: SpanListParams; result: SpanListResult };
  /** Replay events. Return events in their order as lines of JSON: the same bytes each time. */
  'audit.replay': { params: AuditReplayParams; result: AuditReplayResult };
  /** Verify the journal. Check every event against the chain of hashes, and name the first that was changed or removed. */
  'audit.verify': { params: AuditVerifyParams; result: AuditVerifyResult };
  /** Show the last events. Show the last events of the journal, deleted and redacted ones too. */
  'audit.tail': { params: AuditTailParams; result: AuditTailResult };
  /** Seal months. Move the events of past months into compressed files, and remove files beyond the retention. */
  'audit.seal': { params: AuditSealParams; result: AuditSealResult };
  /** Show projections. Show how many events the projections lag behind the journal. */
  'projections.status': { params: ProjectionsStatusParams; result: ProjectionsStatusResult };
  /** Rebuild projections. Rebuild the projections of the journal, and compare them with their earlier content. */
  'projections.rebuild': { params: ProjectionsRebuildParams; result: ProjectionsRebuildResult };
  /** Show rows of a projection. Show facts, decisions, their edges and artifacts, or patterns. */
  'projections.show': { params: ProjectionsShowParams; result: ProjectionsShowResult };
  /** Open a capsule. Open a capsule for a unit of work. */
  'capsule.open': { params: CapsuleOpenParams; result: CapsuleResult };
  /** Close a capsule. Close a capsule, with a last summary. */
  'capsule.close': { params: CapsuleCloseParams; result: CapsuleResult };
  /** Record an observation. Record an observation in an open capsule. */
  'capsule.observe': { params: CapsuleObserveParams; result: CapsuleEventResult };
  /** Summarise a capsule. Record a summary of an open capsule; the latest one is part of each retrieval. */
  'capsule.summarise': { params: CapsuleSummariseParams; result: CapsuleEventResult };
  /** Pin an event. Pin an event in a scope, so that each retrieval there returns it; or unpin it. */
  'capsule.pin': { params: CapsulePinParams; result: CapsuleEventResult };
  /** List capsules. List the capsules of a scope. */
  'capsule.list': { params: CapsuleListParams; result: CapsuleListResult };
  /** Retrieve from capsules. Return pins, the latest summaries of open capsules, and observations that match a question. */
  'capsule.retrieve': { params: CapsuleRetrieveParams; result: CapsuleRetrieveResult };
  /** Export capsules. Return the capsules of a scope with their observations, summaries and pins, as a bundle. */
  'capsule.export': { params: CapsuleExportParams; result: CapsuleExportResult };
  /** Import capsules. Import a bundle of capsules, all or nothing. */
  'capsule.import': { params: CapsuleImportParams; result: CapsuleImportResult };
  /** Record a decision in the journal. Record a decision as an event of the journal; it can't be changed, only superseded. */
  'decision.record': { params: DecisionRecordParams; result: RecordedResult };
  /** Supersede a decision. Record a decision that takes the place of an earlier one. */
  'decision.supersede': { params: DecisionSupersedeParams; result: RecordedResult };
  /** List decisions of the journal. List the journal's decisions with their state and lineage. */
  'decision.list': { params: DecisionListParams; result: DecisionListResult };
  /** Record a pattern. Record a pattern as an event of the journal. */
  'pattern.record': { params: PatternRecordParams; result: RecordedResult };
  /** Return the context of a turn. Return the active decisions, the facts and the recent turns of a project. */
  'journal.context': { params: JournalContextParams; result: JournalContextResult };
  /** Register an agent. Register an agent under a name and a role; its key is needed on other connections. */
  'agent.register': { params: AgentRegisterParams; result: AgentRegisterResult };
  /** Keep an agent alive. Extend an agent and its leases, and return the hand-offs that it may take. */
  'agent.heartbeat': { params: AgentHeartbeatParams; result: AgentHeartbeatResult };
  /** End an agent. End an agent and its leases. */
  'agent.leave': { params: AgentLeaveParams; result: AgentLeaveResult };
  /** List agents. List the active agents with their tasks and leases, and the pending hand-offs. */
  'agent.list': { params: AgentListParams; result: AgentListResult };
  /** Grant the rights of a role. Grant an agent the rights of its role: reviewers may approve memories, orchestrators end leases. */
  'agent.grant': { params: AgentGrantParams; result: AgentGrantResult };
  /** Hand work off. Leave a note for another agent, with leases that it gets when it takes the note. */
  'agent.handoff': { params: AgentHandoffParams; result: AgentHandoffResult };
  /** Take a hand-off. Take a hand-off and its leases; no other agent can take it then. */
  'agent.take': { params: AgentTakeParams; result: AgentTakeResult };
  /** Claim files or tasks. Claim files and tasks, all or none; the lease ends with the agent. */
  'lease.claim': { params: LeaseClaimParams; result: LeaseClaimResult };
  /** Release files or tasks. Release leases of an agent, or all of them; a person can end those of others. */
  'lease.release': { params: LeaseReleaseParams; result: LeaseReleaseResult };
  /** List leases. List which agent works on which file or task; with a token, check that it still holds. */
  'lease.list': { params: LeaseListParams; result: LeaseListResult };
  /** Wait at a barrier. Wait until a number of agents has arrived; all of them pass together. */
  'barrier.wait': { params: BarrierWaitParams; result: BarrierWaitResult };
  /** Render a context file. Return a context file with the content of its references, within its budget. */
  render: { params: RenderParams; result: RenderResult };
  /** Create a context file. Create a context file from a template; an existing file is not changed. */
  'template.new': { params: TemplateNewParams; result: TemplateNewResult };
  /** List templates. List the templates of context files. */
  'template.list': { params: TemplateListParams; result: TemplateListResult };
  /** Check a file. Check a file of .muninn or a context file: keys, links, citations, lines, secrets. */
  lint: { params: LintParams; result: LintResult };
  /** Resolve references. Return the targets of the references in a context or knowledge file. */
  references: { params: ReferencesParams; result: ReferencesResult };
  /** Find references. Find references to a target in knowledge, context files, documents and memories. */
  backlinks: { params: BacklinksParams; result: BacklinksResult };
  /** List the edits of a rename. Return the edits that keep links valid when files are renamed; nothing is changed. */
  relink: { params: RelinkParams; result: RelinkResult };
  /** List names. List names that a text can refer to: memories, documents, knowledge, context files, files, symbols, tags. */
  names: { params: NamesParams; result: NamesResult };
  /** Annotate a file. Return the notes on a file by line, and the citations of it that are doubtful. */
  annotate: { params: AnnotateParams; result: AnnotateResult };
  /** Show notes on a place. Show what is remembered about a line or a name in the code, and how it is related. */
  about: { params: AboutParams; result: AboutResult };
  /** Read a document. Return a memory, the notes on a file, a commit or a pack as a page to read. */
  document: { params: DocumentParams; result: DocumentResult };
  /** Draft a memory. Create a file to write a memory in; saving it in an editor that Muninn serves stores the memory. */
  draft: { params: DraftParams; result: DraftResult };
  /** Redact a memory. Erase the content of a memory in all work trees: in every file and index, and in the events that hold its text. This can't be undone. */
  redact: { params: RedactParams; result: RedactResult };
  /** Find a memory in git's history. List the commits and branches that still contain a memory's text, and how to remove it from them. */
  purge: { params: PurgeParams; result: PurgeResult };
  /** List the models. List the routes to language models, what this repository uses them for, and the budget. */
  'models.list': { params: ModelsListParams; result: ModelsListResult };
  /** Test a model. Ask a model one short question, and report whether it answers, streams and calls tools. */
  'models.test': { params: ModelsTestParams; result: ModelsTestResult };
  /** Show what models cost. Sum the calls to language models, with tokens and cost. */
  'models.usage': { params: ModelsUsageParams; result: ModelsUsageResult };
  /** Give the key of a model. Hold the key of a route in the daemon's memory, or store it in the system's keychain. */
  'models.key': { params: ModelsKeyParams; result: ModelsKeyResult };
  /** Enrich memories. Ask a model for summary, keywords, tags, kind, importance and questions of memories. */
  enrich: { params: EnrichParams; result: EnrichResult };
  /** Judge similar memories. Ask a model about similar memories that the rules keep apart; `reconcile` applies its verdicts. */
  judge: { params: JudgeParams; result: JudgeResult };
  /** Link memories. Find links between memories, by rules or with a model, and record them with --apply. */
  link: { params: LinkParams; result: LinkResult };
  /** Initialise Muninn. Create .muninn with its defaults; existing files are not changed. */
  init: { params: InitParams; result: InitResult };
  /** Show the status. Report the state of the daemon, the index and the log, and the problems that a person should fix. */
  status: { params: StatusParams; result: StatusResult };
  /** Check readiness. Check that memory and the journal take writes, the index is current, and the projections follow. */
  ready: { params: ReadyParams; result: ReadyResult };
  /** Show metrics. Show latencies, errors, turns, lags and sizes in Prometheus' text format. */
  metrics: { params: MetricsParams; result: MetricsResult };
  /** Update the index. Compare every file with the index and index what changed. */
  index: { params: IndexParams; result: IndexResult };
  /** List the settings. List the settings of this repository with their origin. */
  'config.list': { params: ConfigListParams; result: ConfigListResult };
  /** Show a setting. Show a setting with its origin, its default and what it takes. */
  'config.get': { params: ConfigGetParams; result: ConfigResult };
  /** Change a setting. Set a key in .muninn/config.yaml; comments and other keys do not change. */
  'config.set': { params: ConfigSetParams; result: ConfigResult };
  /** Reset a setting. Remove a key from .muninn/config.yaml, so that its default applies. */
  'config.unset': { params: ConfigUnsetParams; result: ConfigResult };
  /** Stop the daemon. Stop the repository's daemon after it has finished the requests it accepted. */
  shutdown: { params: ShutdownParams; result: ShutdownResult };
}

/** The command that carries a verb through `workspace/executeCommand`; its one argument is the params. */
export const COMMANDS: { readonly [Verb in keyof Verbs]: string } = {
  recall: 'muninn.recall',
  context: 'muninn.context',
  explore: 'muninn.explore',
  why: 'muninn.why',
  replay: 'muninn.replay',
  symbols: 'muninn.symbols',
  outline: 'muninn.outline',
  map: 'muninn.map',
  graph: 'muninn.graph',
  grep: 'muninn.grep',
  read: 'muninn.read',
  tree: 'muninn.tree',
  files: 'muninn.files',
  'skills.match': 'muninn.skills.match',
  'skills.list': 'muninn.skills.list',
  memories: 'muninn.memories',
  show: 'muninn.memory',
  history: 'muninn.history',
  log: 'muninn.log',
  links: 'muninn.links',
  overview: 'muninn.overview',
  sessions: 'muninn.sessions',
  remember: 'muninn.remember',
  update: 'muninn.update',
  pin: 'muninn.pin',
  unpin: 'muninn.unpin',
  consolidate: 'muninn.consolidate',
  forget: 'muninn.forget',
  restore: 'muninn.restore',
  promote: 'muninn.promote',
  brief: 'muninn.brief',
  remind: 'muninn.remind',
  given: 'muninn.given',
  capture: 'muninn.capture',
  backfill: 'muninn.backfill',
  'candidate.list': 'muninn.candidate.list',
  'candidate.distil': 'muninn.candidate.distil',
  'candidate.promote': 'muninn.candidate.promote',
  'candidate.discard': 'muninn.candidate.discard',
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
  evolve: 'muninn.evolve',
  conflicts: 'muninn.conflicts',
  resolve: 'muninn.resolve',
  'repos.add': 'muninn.repos.add',
  'repos.list': 'muninn.repos.list',
  'repos.remove': 'muninn.repos.remove',
  'repos.scan': 'muninn.repos.scan',
  export: 'muninn.export',
  import: 'muninn.import',
  'pack.export': 'muninn.pack.export',
  'pack.add': 'muninn.pack.add',
  'pack.list': 'muninn.pack.list',
  'pack.update': 'muninn.pack.update',
  'pack.remove': 'muninn.pack.remove',
  'event.append': 'muninn.event.append',
  'event.query': 'muninn.event.query',
  'event.wait': 'muninn.event.wait',
  'event.statistics': 'muninn.event.statistics',
  'event.redact': 'muninn.event.redact',
  'event.tombstone': 'muninn.event.tombstone',
  'turn.begin': 'muninn.turn.begin',
  'turn.end': 'muninn.turn.end',
  'span.list': 'muninn.span.list',
  'audit.replay': 'muninn.audit.replay',
  'audit.verify': 'muninn.audit.verify',
  'audit.tail': 'muninn.audit.tail',
  'audit.seal': 'muninn.audit.seal',
  'projections.status': 'muninn.projections.status',
  'projections.rebuild': 'muninn.projections.rebuild',
  'projections.show': 'muninn.projections.show',
  'capsule.open': 'muninn.capsule.open',
  'capsule.close': 'muninn.capsule.close',
  'capsule.observe': 'muninn.capsule.observe',
  'capsule.summarise': 'muninn.capsule.summarise',
  'capsule.pin': 'muninn.capsule.pin',
  'capsule.list': 'muninn.capsule.list',
  'capsule.retrieve': 'muninn.capsule.retrieve',
  'capsule.export': 'muninn.capsule.export',
  'capsule.import': 'muninn.capsule.import',
  'decision.record': 'muninn.decision.record',
  'decision.supersede': 'muninn.decision.supersede',
  'decision.list': 'muninn.decision.list',
  'pattern.record': 'muninn.pattern.record',
  'journal.context': 'muninn.journal.context',
  'agent.register': 'muninn.agent.register',
  'agent.heartbeat': 'muninn.agent.heartbeat',
  'agent.leave': 'muninn.agent.leave',
  'agent.list': 'muninn.agent.list',
  'agent.grant': 'muninn.agent.grant',
  'agent.handoff': 'muninn.agent.handoff',
  'agent.take': 'muninn.agent.take',
  'lease.claim': 'muninn.lease.claim',
  'lease.release': 'muninn.lease.release',
  'lease.list': 'muninn.lease.list',
  'barrier.wait': 'muninn.barrier.wait',
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
  'models.list': 'muninn.models.list',
  'models.test': 'muninn.models.test',
  'models.usage': 'muninn.models.usage',
  'models.key': 'muninn.models.key',
  enrich: 'muninn.enrich',
  judge: 'muninn.judge',
  link: 'muninn.link',
  init: 'muninn.init',
  status: 'muninn.status',
  ready: 'muninn.ready',
  metrics: 'muninn.metrics',
  index: 'muninn.index',
  'config.list': 'muninn.config.list',
  'config.get': 'muninn.config.get',
  'config.set': 'muninn.config.set',
  'config.unset': 'muninn.config.unset',
  shutdown: 'muninn.shutdown',
};

/** The commands of the verbs that only read. */
export const READERS: readonly string[] = [
  'muninn.recall',
  'muninn.context',
  'muninn.why',
  'muninn.replay',
  'muninn.symbols',
  'muninn.outline',
  'muninn.map',
  'muninn.graph',
  'muninn.grep',
  'muninn.read',
  'muninn.tree',
  'muninn.files',
  'muninn.skills.match',
  'muninn.skills.list',
  'muninn.memories',
  'muninn.memory',
  'muninn.history',
  'muninn.log',
  'muninn.links',
  'muninn.overview',
  'muninn.sessions',
  'muninn.brief',
  'muninn.remind',
  'muninn.given',
  'muninn.candidate.list',
  'muninn.diff',
  'muninn.check',
  'muninn.conflicts',
  'muninn.repos.list',
  'muninn.export',
  'muninn.pack.list',
  'muninn.event.query',
  'muninn.event.wait',
  'muninn.event.statistics',
  'muninn.span.list',
  'muninn.audit.tail',
  'muninn.projections.status',
  'muninn.projections.show',
  'muninn.capsule.list',
  'muninn.capsule.retrieve',
  'muninn.capsule.export',
  'muninn.decision.list',
  'muninn.journal.context',
  'muninn.agent.list',
  'muninn.lease.list',
  'muninn.render',
  'muninn.template.list',
  'muninn.lint',
  'muninn.references',
  'muninn.backlinks',
  'muninn.relink',
  'muninn.names',
  'muninn.annotate',
  'muninn.about',
  'muninn.document',
  'muninn.purge',
  'muninn.models.list',
  'muninn.models.usage',
  'muninn.status',
  'muninn.ready',
  'muninn.metrics',
  'muninn.config.list',
  'muninn.config.get',
];

/** A question by `query`, by `like`, or a further page. Filters in the parameters and in `query` must all hold. */
export interface RecallParams {
  /** Words, identifiers or a sentence; also "exact phrase" and filters: type:decision tag:auth path:src/** lang:python kind:code author:user importance:>=7 since:2w until:2026-01-31 session:ID task:ID branch:NAME at:REV; -KEY:VALUE excludes. */
  query?: string;
  /** The most hits to return. */
  limit?: number;
  /** Only code, only knowledge or only memories. */
  kind?: 'code' | 'knowledge' | 'memory' | null;
  /** Only memories and knowledge of these types. */
  type?: readonly string[];
  /** Only memories and knowledge with any of these tags. */
  tag?: readonly string[];
  /** Only knowledge, and memories, of these domains. */
  domain?: readonly string[];
  /** Only files that match any of these globs, as in .gitignore, and memories about them. */
  path?: readonly string[];
  /** Only files in these languages: python, ts, go. */
  lang?: readonly string[];
  /** Only results that contain these exact phrases. */
  phrase?: readonly string[];
  /** Only memories by these authors: user, assistant, tool, a person's or an agent's name. */
  author?: readonly string[];
  /** Only memories of this importance or more; 0 admits all. */
  min_importance?: number;
  /** Only memories changed since then: 12h, 3d, 2w, 2026-01-31. */
  since?: string | null;
  /** Only memories last changed before then: 2w, 2026-01-31. */
  until?: string | null;
  /** Only memories made on these branches (globs). */
  branch?: readonly string[];
  /** Only memories of these sessions. */
  from_session?: readonly string[];
  /** Only memories of this task, and its document; T-0042 finds MUNI-T-0042. */
  task?: string | null;
  /** Find results similar to this: FILE:LINE or a memory's id. Words in `query` count as well. */
  like?: string | null;
  /** Files in use: files that changed together with them or are next to them rank higher. */
  at_hand?: readonly string[];
  /** Return one hit per file: its best place, and how many of its chunks matched. */
  by_file?: boolean;
  /** The next page of an earlier answer: its `next`. */
  page?: string | null;
  /** The ranking. muninn ranks everything; mnemosyne finds memories only, by words and links. Without it the configuration decides for questions about memories. */
  profile?: 'mnemosyne' | 'muninn' | null;
  /** For the profile mnemosyne: how many links to follow from the matches. */
  depth?: number;
  /** Read the query as words only, without filters and phrases. */
  plain?: boolean;
  /** session: this session's notes only; project: project and global memory; global: all memory, including notes of other sessions. Without it: this session's notes, project and global memory. */
  scope?: 'global' | 'project' | 'session' | null;
  /** The working session of the call: letters, digits, '.', '_' and '-'. */
  session?: string | null;
  /** Answer from git's objects as of this commit, branch or tag. */
  at?: string | null;
  /** Include memories that exist on other branches only, labelled with the branch names. */
  branches?: boolean;
  /** Ask these other repositories of your list as well, by name; `all` is every one. */
  repos?: readonly string[];
}

/**
 * What to gather context for: a query, or a task, files, a cursor or a diff to derive one from. They may be
 * combined.
 */
export interface ContextParams {
  /** The task or question. Without it, it is derived from the other parameters. */
  query?: string;
  /** The token budget of the whole pack. */
  budget?: number;
  /** Files in use; memories about them rank higher. */
  files?: readonly string[];
  /** The cursor: FILE:LINE or FILE:LINE:COL. The code around it comes first. */
  cursor?: string | null;
  /** The current changes: a revision such as HEAD compares the work tree with it; A..B compares two revisions; or a patch in the format of `git diff`. */
  diff?: string | null;
  /** Files open in the editor, the last used first. */
  open_files?: readonly string[];
  /** A task's id; its document and memories come first. */
  task?: string | null;
  /** session: this session's notes only; project: project and global memory; global: all memory, including notes of other sessions. Without it: this session's notes, project and global memory. */
  scope?: 'global' | 'project' | 'session' | null;
  /** The working session of the call: letters, digits, '.', '_' and '-'. */
  session?: string | null;
  /** Answer from git's objects as of this commit, branch or tag. */
  at?: string | null;
  /** Include memories that exist on other branches only, labelled with the branch names. */
  branches?: boolean;
  /** Ask these other repositories of your list as well, by name; `all` is every one. */
  repos?: readonly string[];
  /** The format of `text`, which the budget applies to. */
  format?: 'json' | 'markdown' | 'xml';
  /** Include matching skills, in at most 30 % of the budget. */
  skills?: boolean;
}

/** A question for a model that explores the repository, and the limits of the exploration. */
export interface ExploreParams {
  /** The question, or the task to find the places for. */
  query: string;
  /** The token budget of the pack. */
  budget?: number;
  /** How deep explorations of parts may be nested. */
  depth?: number;
  /** The most calls of the model. */
  calls?: number;
  /** The most tokens that the model reads and writes. */
  tokens?: number;
  /** The longest time in seconds. */
  seconds?: number;
  /** Show the first prompt; ask no model. */
  show_prompt?: boolean;
  /** The working session of the call: letters, digits, '.', '_' and '-'. */
  session?: string | null;
}

/** The context to explain. */
export interface WhyParams {
  /** The `bundle` of an answer of `context`, or an unambiguous prefix of it. */
  bundle: string;
  /** Only this item, included or left out: its id, a path, or a prefix of either. */
  item?: string | null;
}

/** The context to replay. */
export interface ReplayParams {
  /** The `bundle` of an answer of `context`, or an unambiguous prefix of it. */
  bundle: string;
  /** Gather it again from the same parameters, and report the differences. */
  fresh?: boolean;
}

/** Which definitions to find. */
export interface SymbolsParams {
  /** A name, its beginning, its capitals (`gUN` for getUserName), a part of it, or `Class.method`. */
  query: string;
  /** Only definitions of this kind: class, function, method, constant … */
  kind?: string | null;
  /** Only in files of this language: python, typescript, go … */
  language?: string | null;
  /** Only in this folder, or in files that match this pattern: `src/*.py`. */
  path?: string | null;
  /** The most definitions to return. */
  limit?: number;
  /** Ask these other repositories of your list as well, by name; `all` is every one. */
  repos?: readonly string[];
}

/** The file to outline. */
export interface OutlineParams {
  /** A file, relative to the root. */
  path: string;
}

/** Which part of the repository to show, and how finely. */
export interface MapParams {
  /** Only this folder, relative to the root. */
  path?: string;
  /** How many levels of folders are told apart. */
  depth?: number;
  /** The most folders to return. */
  limit?: number;
}

/** Where to start, and which relation to follow. */
export interface GraphParams {
  /** A file, a definition (`name`, `Class.method`), or one in a file: `path#Class.method`; with `repos` also `.`, all that this repository publishes. */
  start: string;
  /** The relation to follow: definitions, imports, importers, callers, callees, tests, changes (files that commits changed together), or neighbours (all except definitions and changes). */
  relation?: string;
  /** How many steps to follow. */
  depth?: number;
  /** The most edges to return. */
  limit?: number;
  /** Find importers in these repositories of your list as well, by name; `all` is every one. */
  repos?: readonly string[];
}

/** What to search for, and in which files. */
export interface GrepParams {
  /** A regular expression of RE2, matched within single lines: no lookaround, no back references. */
  pattern: string;
  /** Only files that match any of these globs, as in .gitignore: src/**, *.py. */
  path?: readonly string[];
  /** Only files in these languages: python, ts, go. */
  lang?: readonly string[];
  /** The pattern is plain text instead of a regular expression. */
  fixed?: boolean;
  /** Upper and lower case match each other. */
  ignore_case?: boolean;
  /** Match whole words only. */
  word?: boolean;
  /** How many lines to show before and after each match. */
  context?: number;
  /** Return only the files, with the number of their matching lines. */
  count?: boolean;
  /** The most lines, or with `count` files, to return. */
  limit?: number;
}

/** Which lines of which file to read. */
export interface ReadParams {
  /** A file, relative to the root. */
  path: string;
  /** The first line, counted from 1. */
  start?: number;
  /** The last line; 0 is that of the file. */
  end?: number;
  /** The most lines to return. */
  limit?: number;
}

/** Which folder to show, and how deep. */
export interface TreeParams {
  /** Only this folder, relative to the root. */
  path?: string;
  /** How many levels of folders to open. */
  depth?: number;
  /** The most entries to return; upper levels come first. */
  limit?: number;
}

/** Which files to list. */
export interface FilesParams {
  /** Only files that match any of these globs, as in .gitignore: src/**, *.py. */
  path?: readonly string[];
  /** Only files in these languages: python, ts, go. */
  lang?: readonly string[];
  /** Only code, or only knowledge. */
  kind?: 'code' | 'knowledge' | null;
  /** The most files to return. */
  limit?: number;
  /** How many files to skip. */
  offset?: number;
}

/** The task, and the budget of the context that the skills are for. */
export interface SkillsMatchParams {
  /** The task, in a sentence. */
  task: string;
  /** The token budget of the whole context; skills take at most 30 % of it. */
  budget?: number;
}

/** Which skills to list. */
export interface SkillsListParams {
  /** Only skills with problems. */
  problems?: boolean;
}

/** Filters; a memory must pass all that are given. Newest first unless `order` says otherwise. */
export interface MemoriesParams {
  /** One memory, by its id or an unambiguous prefix of it. */
  id?: string | null;
  /** Only memories of this type. */
  type?: string | null;
  /** Only memories with this tag. */
  tag?: string | null;
  /** Only memories about this file, including its former names. */
  file?: string | null;
  /** The working session of the call: letters, digits, '.', '_' and '-'. */
  session?: string | null;
  /** Only memories of this task; T-0042 finds MUNI-T-0042. */
  task?: string | null;
  /** Only memories of this scope; session shows the notes of every session. */
  scope?: 'global' | 'project' | 'session' | null;
  /** Only memories whose text or title contains this; case does not matter. */
  text?: string | null;
  /** Only memories of this importance or more; 0 admits all. */
  min_importance?: number;
  /** Only memories changed since then: 12h, 3d, 2w, 2026-01-31. */
  since?: string | null;
  /** Count the types of memory that matter to this role as more important. */
  role?: 'executor' | 'optimizer' | 'orchestrator' | 'reviewer' | null;
  /** The order; among equals the newer comes first. */
  order?: 'importance' | 'newest';
  /** Include archived, superseded, merged, rejected and expired memories. */
  archived?: boolean;
  /** Only memories that wait for approval. */
  pending?: boolean;
  /** Only memories that have no questions. */
  without_questions?: boolean;
  /** The most memories to return. */
  limit?: number;
  /** How many results to skip. */
  offset?: number;
  /** Answer from git's objects as of this commit, branch or tag. */
  at?: string | null;
  /** Include memories that exist on other branches only, labelled with the branch names. */
  branches?: boolean;
  /** Ask these other repositories of your list as well, by name; `all` is every one. */
  repos?: readonly string[];
}

/** The memory to show. */
export interface ShowParams {
  /** The memory's id, an unambiguous beginning of it, or its last characters. */
  id: string;
}

/** The memory. */
export interface HistoryParams {
  /** The memory's id, an unambiguous beginning of it, or its last characters. */
  id: string;
}

/** Which records to list. */
export interface LogParams {
  /** The most records to return. */
  limit?: number;
  /** Only records since then: 12h, 3d, 2w, 2026-01-31. */
  since?: string;
  /** The working session of the call: letters, digits, '.', '_' and '-'. */
  session?: string | null;
}

/** Where to start, and which links to follow. */
export interface LinksParams {
  /** The memory's id, an unambiguous beginning of it, or its last characters. */
  id: string;
  /** How many links to follow in a row. */
  depth?: number;
  /** Only links of these relations. */
  relation?: readonly string[];
  /** Follow links of archived, merged and expired memories, too. */
  archived?: boolean;
  /** The most memories to return. */
  limit?: number;
  /** The working session of the call: letters, digits, '.', '_' and '-'. */
  session?: string | null;
}

/** Which memories count as recent and as important. The newest are shown where none does. */
export interface OverviewParams {
  /** Memories changed within this many days are recent. */
  days?: number;
  /** Memories of this importance or more are important. */
  importance?: number;
  /** The most memories in each list. */
  limit?: number;
  /** The working session of the call: letters, digits, '.', '_' and '-'. */
  session?: string | null;
}

/** Which sessions to list. Open ones come first, then the last to write. */
export interface SessionsParams {
  /** The working session of the call: letters, digits, '.', '_' and '-'. */
  session?: string | null;
  /** Only sessions with records that are not sealed. */
  open?: boolean;
  /** The most sessions to return. */
  limit?: number;
  /** How many results to skip. */
  offset?: number;
}

/** One memory, or many in one call. */
export interface RememberParams {
  /** What to remember, in whole sentences. */
  text?: string;
  /** decision, attempt, bug_fix, constraint, configuration, insight, pattern, preference, reference, entity, context_hit, session_summary, or a kind from the configuration. */
  type?: string;
  /** A headline; made from the text when absent. */
  title?: string;
  /** Tags to filter by. */
  tags?: readonly string[];
  /** Files that it is about, relative to the root; `path:START-END` or `path#symbol` cites code. */
  files?: readonly string[];
  /** Symbols, services or people that it is about. */
  entities?: readonly string[];
  /** Three to five questions that it answers, in other words: a symptom, a task, general terms. */
  questions?: readonly string[];
  /** Spans of code that support it. */
  cites?: readonly Cite[];
  /** 1 (trivia) to 10 (never forget). */
  importance?: number;
  /** How certain it is, 0 to 1. */
  confidence?: number;
  /** Links to other memories by id: extends, contradicts, implements, references, supersedes. */
  links?: readonly Link[];
  /** Include it in every context pack. */
  pin?: boolean;
  /** Keep it on this machine: it is never sealed and never in git. */
  private?: boolean;
  /** project: for everyone who works here; session: for this session only; global: for this user in every project. Only project memories get into git. */
  scope?: 'global' | 'project' | 'session';
  /** The working session of the call: letters, digits, '.', '_' and '-'. */
  session?: string | null;
  /** The task's id, as in .metis/tasks. Without it the current task; none when empty. */
  task?: string | null;
  /** The author. */
  actor?: 'assistant' | 'hook' | 'import' | 'tool' | 'user';
  /** The calling program, with its version. */
  agent?: string | null;
  /** The trust level; follows from the actor when absent, and never exceeds it. */
  trust?: 'agent' | 'commit' | 'outside' | 'user' | null;
  /** When to stop recalling it: 30d, 2026-12-31, or an RFC 3339 time. */
  expires?: string | null;
  /** Fields of its kind: rationale, status, alternatives; command, exit_status. */
  details?: Readonly<Record<string, unknown>>;
  /** An idempotency key: a memory is stored once; another one with its key is refused. */
  key?: string | null;
  /** Several memories instead of `text`; each is stored durably. */
  batch?: readonly MemoryDraft[];
}

/** A place in the code that a memory is about. Lines are 1-based and inclusive; `start` 0 is the whole file. */
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

/** A memory as its author writes it. The log adds id, time, commit and branch. */
export interface MemoryDraft {
  /** What to remember, in whole sentences. */
  text?: string;
  /** decision, attempt, bug_fix, constraint, configuration, insight, pattern, preference, reference, entity, context_hit, session_summary, or a kind from the configuration. */
  type?: string;
  /** A headline; made from the text when absent. */
  title?: string;
  /** Tags to filter by. */
  tags?: readonly string[];
  /** Files that it is about, relative to the root; `path:START-END` or `path#symbol` cites code. */
  files?: readonly string[];
  /** Symbols, services or people that it is about. */
  entities?: readonly string[];
  /** Three to five questions that it answers, in other words: a symptom, a task, general terms. */
  questions?: readonly string[];
  /** Spans of code that support it. */
  cites?: readonly Cite[];
  /** 1 (trivia) to 10 (never forget). */
  importance?: number;
  /** How certain it is, 0 to 1. */
  confidence?: number;
  /** Links to other memories by id: extends, contradicts, implements, references, supersedes. */
  links?: readonly Link[];
  /** Include it in every context pack. */
  pin?: boolean;
  /** Keep it on this machine: it is never sealed and never in git. */
  private?: boolean;
  /** project: for everyone who works here; session: for this session only; global: for this user in every project. Only project memories get into git. */
  scope?: 'global' | 'project' | 'session';
  /** The working session of the call: letters, digits, '.', '_' and '-'. */
  session?: string | null;
  /** The task's id, as in .metis/tasks. Without it the current task; none when empty. */
  task?: string | null;
  /** The author. */
  actor?: 'assistant' | 'hook' | 'import' | 'tool' | 'user';
  /** The calling program, with its version. */
  agent?: string | null;
  /** The trust level; follows from the actor when absent, and never exceeds it. */
  trust?: 'agent' | 'commit' | 'outside' | 'user' | null;
  /** When to stop recalling it: 30d, 2026-12-31, or an RFC 3339 time. */
  expires?: string | null;
  /** Fields of its kind: rationale, status, alternatives; command, exit_status. */
  details?: Readonly<Record<string, unknown>>;
  /** An idempotency key: a memory is stored once; another one with its key is refused. */
  key?: string | null;
}

/** The memory to change, and its new values. Omitted values do not change. */
export interface UpdateParams {
  /** The memory's id, an unambiguous beginning of it, or its last characters. */
  id: string;
  /** A new text, in whole sentences. */
  text?: string;
  /** A new headline. */
  title?: string;
  /** 1 (trivia) to 10 (never forget). */
  importance?: number | null;
  /** How certain it is, 0 to 1. */
  confidence?: number | null;
  /** New tags, in place of the old ones; "" removes them. */
  tags?: readonly string[];
  /** New questions that it answers, in place of the old ones; "" removes them. */
  questions?: readonly string[];
  /** New files, in place of the old ones; `path:START-END` or `path#symbol` cites code. */
  files?: readonly string[];
  /** When to stop recalling it: 30d, 2026-12-31; never removes the end. */
  expires?: string | null;
  /** Whether to include it in every context pack. */
  pin?: boolean | null;
  /** Links to add, by id. */
  links?: readonly Link[];
  /** Links to remove: RELATION:ID. */
  unlink?: readonly string[];
  /** Fields of its kind to change; null removes one. */
  details?: Readonly<Record<string, unknown>>;
  /** The reason, kept in the memory's history. */
  reason?: string;
  /** The calling program, with its version. */
  agent?: string | null;
  /** The working session of the call: letters, digits, '.', '_' and '-'. */
  session?: string | null;
}

/** The memory to pin or unpin. */
export interface PinParams {
  /** The memory's id, an unambiguous beginning of it, or its last characters. */
  id: string;
  /** The reason, kept in the memory's history. */
  reason?: string;
  /** The calling program, with its version. */
  agent?: string | null;
  /** The working session of the call: letters, digits, '.', '_' and '-'. */
  session?: string | null;
}

/** The memories to consolidate, and the decision. Without a decision they are compared. */
export interface ConsolidateParams {
  /** Two or more ids, or unambiguous prefixes of them. */
  ids: readonly string[];
  /** merge: one memory stands for all; supersede: one replaces the others; keep_both: nothing changes. Without it, duplicates are merged and the rest is kept. */
  decision?: 'keep_both' | 'merge' | 'supersede' | null;
  /** The memory that stays. Without it the most trusted and oldest, or for supersede the newest. */
  keep?: string | null;
  /** A new text for the memory that stays. */
  text?: string;
  /** The reason, kept in the memories' history. */
  reason?: string;
  /** Report what would happen; change nothing. */
  dry_run?: boolean;
  /** The calling program, with its version. */
  agent?: string | null;
  /** The working session of the call: letters, digits, '.', '_' and '-'. */
  session?: string | null;
}

/** The memory to archive. */
export interface ForgetParams {
  /** The memory's id, an unambiguous beginning of it, or its last characters. */
  id: string;
  /** The reason, kept with the memory. */
  reason?: string;
  /** Restore the memory instead. */
  restore?: boolean;
  /** The working session of the call: letters, digits, '.', '_' and '-'. */
  session?: string | null;
}

/** The memory to restore. */
export interface RestoreParams {
  /** The memory's id, an unambiguous beginning of it, or its last characters. */
  id: string;
  /** The reason, kept with the memory. */
  reason?: string;
  /** The working session of the call: letters, digits, '.', '_' and '-'. */
  session?: string | null;
}

/** The memory to promote, and its new scope. */
export interface PromoteParams {
  /** The memory's id, an unambiguous beginning of it, or its last characters. */
  id: string;
  /** project: the repository's memory; global: your memory of all projects. */
  scope?: 'global' | 'project';
  /** The working session of the call: letters, digits, '.', '_' and '-'. */
  session?: string | null;
}

/** The session to brief. */
export interface BriefParams {
  /** The working session of the call: letters, digits, '.', '_' and '-'. */
  session?: string | null;
  /** The session's task; it is recorded with the memories of the session. */
  task?: string | null;
  /** How the session started; after `compact` the memories captured from it come first. */
  source?: 'clear' | 'compact' | 'fork' | 'resume' | 'startup';
  /** The most characters of the brief. */
  max_chars?: number;
  /** How the session runs Muninn; the brief's commands begin with it. */
  program?: string;
}

/** The prompt to find memories for. */
export interface RemindParams {
  /** The prompt, unchanged. */
  prompt: string;
  /** The working session of the call: letters, digits, '.', '_' and '-'. */
  session?: string | null;
  /** The most characters of the reminder. */
  max_chars?: number;
  /** The most memories in the reminder. */
  limit?: number;
  /** Only memories of the project that are not private: the text leaves this machine. */
  shared?: boolean;
}

/** Which answers to list. Without session and memory, those of all sessions. */
export interface GivenParams {
  /** The working session of the call: letters, digits, '.', '_' and '-'. */
  session?: string | null;
  /** Only this memory or this place of a file. */
  id?: string;
  /** The most answers. */
  limit?: number;
  /** Only answers before this position: the `next` of the page before. */
  before?: number | null;
}

/**
 * The source: commits since the last capture, a transcript, a failure, a turn, a message or a whole session.
 *
 * `turn`, `call`, `output`, `text` and `time` are for agents whose transcript can't be read: the journal records the
 * event from them.
 */
export interface CaptureParams {
  /** commit: commits since the last capture; transcript: decisions and open points, before a compaction; failure: a failed command; turn: the end of a turn; session: summarise the session and seal it; prompt, answer: a message for the journal. */
  source: 'answer' | 'commit' | 'failure' | 'prompt' | 'session' | 'transcript' | 'turn';
  /** The working session of the call: letters, digits, '.', '_' and '-'. */
  session?: string | null;
  /** The path of the agent's transcript (JSON lines). */
  transcript?: string | null;
  /** For failure and commit: the command. */
  command?: string;
  /** For failure: its error output. */
  error?: string;
  /** For turn: the model's last answer, which the transcript ends with. */
  answer?: string;
  /** For turn: whether the agent can be asked to remember something before it stops. */
  may_ask?: boolean;
  /** The turn to record the event in. */
  turn?: string;
  /** For failure and commit: the id of the tool call. */
  call?: string;
  /** For commit: what the command printed. */
  output?: string;
  /** For prompt and answer: the message. */
  text?: string;
  /** When it happened (RFC 3339); now when empty. */
  time?: string;
  /** The calling program, with its version. */
  agent?: string | null;
}

/** The source of the memories, and whether to store them. */
export interface BackfillParams {
  /** The commits of this repository, or transcripts of an agent. */
  source: 'git' | 'transcripts';
  /** For transcripts: JSON lines files of Claude Code or Codex, or folders with them. */
  paths?: readonly string[];
  /** For git: from this date (UTC), or commits that are not in this revision. */
  since?: string | null;
  /** For git: up to this date (UTC), or this revision. */
  until?: string | null;
  /** For git: the most commits to read, newest first. */
  limit?: number;
  /** For transcripts: include sessions in other folders than this repository's. */
  elsewhere?: boolean;
  /** Store the memories. Without it they are only listed. */
  apply?: boolean;
}

/** Which candidates to list. */
export interface CandidateListParams {
  /** Only candidates in this state; open ones by default. */
  status?: 'discarded' | 'open' | 'promoted' | null;
  /** Only candidates of this session. */
  session_id?: string;
  /** Only the candidate that became this memory, whatever its state. */
  memory?: string;
  /** Return the events of the evidence, too. */
  events?: boolean;
  /** The most candidates. */
  limit?: number;
}

/** The session to look at. */
export interface CandidateDistilParams {
  /** The session. */
  session_id: string;
  /** The project. Empty is that of the session, else that of the configuration, else the name of the repository's folder. */
  project_id?: string;
  /** Ask the route of `capture`, too, for what the rules miss. */
  model?: boolean;
}

/** The candidate to store, and what to change in it. */
export interface CandidatePromoteParams {
  /** The candidate's id, or an unambiguous prefix of it. */
  id: string;
  /** The text to store instead of the candidate's. */
  text?: string;
  /** The title to store instead of the candidate's. */
  title?: string;
  /** The type to store instead of the candidate's. */
  type?: string;
  /** What it answers, instead of the candidate's questions; an empty one removes them. */
  questions?: readonly string[];
  /** Keep the memory on this machine. */
  private?: boolean;
}

/** The candidate to discard. */
export interface CandidateDiscardParams {
  /** The candidate's id, or an unambiguous prefix of it. */
  id: string;
  /** The reason; it is recorded. */
  reason?: string;
}

/** The range to review. */
export interface DiffParams {
  /** A..B compares B with the merge base of A and B. A single revision is compared with HEAD. */
  range: string;
  /** The format of `text`; markdown suits a pull request. */
  format?: 'markdown' | 'text';
}

/** How to judge findings. The level of each rule is in the configuration, under `check`. */
export interface CheckParams {
  /** Treat warnings as errors. */
  strict?: boolean;
}

/** Which citations to check. */
export interface VerifyParams {
  /** One memory, by its id or an unambiguous prefix of it. Without it all are checked. */
  id?: string | null;
  /** Update citations of code that has moved to its new place. */
  fix?: boolean;
  /** The working session of the call: letters, digits, '.', '_' and '-'. */
  session?: string | null;
}

/** The memory that still holds, and the code that it is about. */
export interface ConfirmParams {
  /** The memory's id, an unambiguous beginning of it, or its last characters. */
  id: string;
  /** New citations in place of the stale ones. Without them the current places are cited. */
  cites?: readonly Cite[];
  /** The working session of the call: letters, digits, '.', '_' and '-'. */
  session?: string | null;
}

/** The memories to approve, and the approving actor. */
export interface ApproveParams {
  /** The memories' ids, or unambiguous prefixes of them. */
  ids: readonly string[];
  /** A note, kept with the memory. */
  note?: string;
  /** The approving actor. */
  actor?: 'assistant' | 'hook' | 'import' | 'tool' | 'user';
  /** The calling program, with its version. */
  agent?: string | null;
  /** The working session of the call: letters, digits, '.', '_' and '-'. */
  session?: string | null;
}

/** The memories to reject, the reason, and the rejecting actor. */
export interface RejectParams {
  /** The memories' ids, or unambiguous prefixes of them. */
  ids: readonly string[];
  /** The reason, kept with the memory. */
  reason: string;
  /** The rejecting actor. */
  actor?: 'assistant' | 'hook' | 'import' | 'tool' | 'user';
  /** The calling program, with its version. */
  agent?: string | null;
  /** The working session of the call: letters, digits, '.', '_' and '-'. */
  session?: string | null;
}

/** Which sessions to seal. */
export interface SealParams {
  /** Only this session. Without it all sessions of the work tree are sealed. */
  session?: string | null;
}

/** How to reconcile. */
export interface ReconcileParams {
  /** Report what would happen; change nothing. */
  dry_run?: boolean;
  /** Move the segments to memory/archive instead of deleting them. */
  archive?: boolean;
  /** Only the segments of this session. Without it all are consolidated. */
  session?: string | null;
  /** First ask the route of `reconcile` about similar memories. Needs `background`. */
  llm?: boolean;
  /** With `llm`: return at once; `status` shows how it ends. One run at a time. */
  background?: boolean;
}

/** `undo` takes no parameters: it undoes the last reconcile or prune of the work tree. */
export type UndoParams = Record<string, never>;

/** Whether to prune or only to report. The policy is `prune` in the configuration. */
export interface PruneParams {
  /** Report what would be moved; change nothing. */
  dry_run?: boolean;
}

/** Whether to report, to record, or to take back. */
export interface EvolveParams {
  /** Record the steps. Otherwise only report them. */
  apply?: boolean;
  /** The last run instead: report it, or with `apply` revert it. */
  undo?: boolean;
  /** The most steps of each kind. */
  limit?: number;
  /** The working session of the call: letters, digits, '.', '_' and '-'. */
  session?: string | null;
}

/** Which conflicts to show. */
export interface ConflictsParams {
  /** One conflict, open or decided, by its id or an unambiguous prefix of it. */
  id?: string | null;
  /** List the conflicts that a person has decided, too. */
  decided?: boolean;
}

/** The decision on a conflict. A later decision replaces an earlier one. */
export interface ResolveParams {
  /** The conflict's id or an unambiguous prefix of it. */
  id: string;
  /** The side to keep. */
  keep: 'both' | 'left' | 'right';
  /** A new text for the side that is kept. */
  text?: string;
  /** The working session of the call: letters, digits, '.', '_' and '-'. */
  session?: string | null;
}

/** The repository to add. */
export interface ReposAddParams {
  /** A folder in the repository. */
  path: string;
  /** Its name: letters, digits, '.', '_' and '-'. Default: its folder's name. */
  name?: string;
  /** Its constraints hold in every repository of yours: they are part of each brief. */
  rules?: boolean;
}

/** `repos.list` takes no parameters. */
export type ReposListParams = Record<string, never>;

/** The repository to remove from the list. Its files are not changed. */
export interface ReposRemoveParams {
  /** The repository's name in your list: `repos list` shows it. */
  name: string;
}

/** Where to look for repositories. */
export interface ReposScanParams {
  /** The folder below which to look. */
  path: string;
  /** Add those that are not in the list yet. */
  add?: boolean;
}

/** Which memories to export. A memory must pass all filters that are given. */
export interface ExportParams {
  /** Only memories of this type. */
  type?: string | null;
  /** Only memories with this tag. */
  tag?: string | null;
  /** The working session of the call: letters, digits, '.', '_' and '-'. */
  session?: string | null;
  /** Only memories of this task; T-0042 finds MUNI-T-0042. */
  task?: string | null;
  /** project: the repository's memory; session: this machine's session notes; global: your memory of all projects. */
  scope?: 'global' | 'project' | 'session';
  /** Only memories made at or after this RFC 3339 time or date (UTC). */
  since?: string | null;
  /** Only memories made before this RFC 3339 time or date (UTC). */
  until?: string | null;
  /** Include private memories. */
  private?: boolean;
  /** bundle: records for another repository; html: one page that is read without a network; obsidian: linked notes and a canvas. */
  form?: 'bundle' | 'html' | 'obsidian';
}

/** The bundle or the memory of another tool, and how to import it. */
export interface ImportParams {
  /** A bundle, or memory of another tool: the file of the MCP memory server, the notes of basic-memory (a folder), an export of claude-mem or beads. A relative path starts at the root. */
  path: string;
  /** What to do with a record whose content differs here; error stores nothing. */
  on_conflict?: 'error' | 'overwrite' | 'skip';
  /** outside: the text is not trusted; keep: you vouch for the trust that its authors claim. */
  trust?: 'keep' | 'outside';
  /** Report what would happen; change nothing. */
  dry_run?: boolean;
  /** The working session of the call: letters, digits, '.', '_' and '-'. */
  session?: string | null;
}

/** The knowledge to export, and the pack's manifest. A file must pass all filters that are given. */
export interface PackExportParams {
  /** The pack's name: a-z, 0-9 and '-'. */
  name: string;
  /** The pack to write: a .tar.gz or .zip, otherwise a folder. A relative path starts at the root. */
  path: string;
  /** The version, in the form of Semantic Versioning: 1.2.0. */
  version: string;
  /** One sentence about the pack. */
  description?: string;
  /** Its licence, preferably an SPDX identifier. */
  licence?: string;
  /** Its origin, for readers: a project or an address. */
  origin?: string;
  /** Only files in this folder or of this pattern, below .muninn/knowledge. */
  match?: readonly string[];
  /** Only files of this type (frontmatter). */
  type?: string | null;
  /** Only files with this tag (frontmatter). */
  tag?: string | null;
  /** Only files of this domain (frontmatter). */
  domain?: string | null;
  /** Replace an existing pack. */
  force?: boolean;
}

/** The pack to add. */
export interface PackAddParams {
  /** A pack on this machine: a folder, .tar.gz or .zip. A relative path starts at the root. */
  path: string;
  /** Add it although it seems to contain secrets. */
  force?: boolean;
}

/** `pack.list` takes no parameters. */
export type PackListParams = Record<string, never>;

/** The new version of an installed pack. */
export interface PackUpdateParams {
  /** A pack on this machine: a folder, .tar.gz or .zip. A relative path starts at the root. */
  path: string;
  /** Overwrite files that were edited here, and allow an older version. */
  force?: boolean;
  /** Report what would change; change nothing. */
  dry_run?: boolean;
}

/** The pack to remove. */
export interface PackRemoveParams {
  /** The pack's name: a-z, 0-9 and '-'. */
  name: string;
  /** Remove it although files of it were edited here. */
  force?: boolean;
}

/** The event to record. */
export interface EventAppendParams {
  /** What happened, such as `tool_call`; `muninn.` is reserved. */
  event_type: string;
  /** What is recorded of it: any JSON object, at most 16 MiB. */
  payload?: Readonly<Record<string, unknown>>;
  /** The project. Empty is that of the session, else that of the configuration, else the name of the repository's folder. */
  project_id?: string;
  /** The session. */
  session_id?: string;
  /** The turn; an event of a turn needs its `ack_token`. */
  turn_id?: string;
  /** The ack_token that `turn.begin` returned. */
  ack_token?: string;
  /** Refuse an event without an open turn and its token. */
  require_turn?: boolean;
  /** The stream; without it that of the turn, else that of the session. */
  stream_id?: string;
  /** The event's number in its stream; refused when another one is next. */
  stream_seq?: number | null;
  /** The version of the payload's form. */
  event_version?: number;
  /** When it happened, an RFC 3339 time; now when empty. */
  occurred_at?: string;
  /** Who caused it: user, assistant, tool or another word. */
  actor?: string;
  /** The program that records it. */
  source?: string;
  /** A key of the project: a second event with it is not recorded. */
  idempotency_key?: string | null;
  /** A trace that the event belongs to. */
  trace_id?: string | null;
}

/** What to look for. An event must pass all filters that are given. */
export interface EventQueryParams {
  /** What the event is about, found by words and by meaning. */
  text?: string;
  /** Values of columns and of payload fields: {"event_type": "tool", "payload.exit_status": 1}. */
  where?: Readonly<Record<string, unknown>>;
  /** Only events of this type. */
  event_type?: string;
  /** Only events of this project. */
  project_id?: string;
  /** Only events of this session. */
  session_id?: string;
  /** Only events of this turn. */
  turn_id?: string;
  /** Only events of this stream. */
  stream_id?: string;
  /** Only events from this program. */
  source?: string;
  /** The event with this id. */
  id?: string;
  /** Only events that occurred at or after this RFC 3339 time or date (UTC). */
  since?: string;
  /** Only events that occurred before this RFC 3339 time or date (UTC). */
  until?: string;
  /** The most events. */
  limit?: number;
  /** Only events before this position: the `next` of the page before. */
  before?: number | null;
}

/** The events to wait for. An event must pass all filters that are given. */
export interface EventWaitParams {
  /** Only events of this type. */
  event_type?: string;
  /** Values of columns and of payload fields: {"payload.service": "shop"}. */
  where?: Readonly<Record<string, unknown>>;
  /** Only events after this position; without it those from now on. */
  after?: number | null;
  /** How long to wait, in seconds. */
  wait?: number;
  /** The most events. */
  limit?: number;
}

/** The events to count. */
export interface EventStatisticsParams {
  /** Only events of this project. */
  project_id?: string;
  /** Only events that occurred at or after this RFC 3339 time or date (UTC). */
  since?: string;
  /** Only events that occurred before this RFC 3339 time or date (UTC). */
  until?: string;
}

/** The event to erase the payload of. */
export interface EventRedactParams {
  /** The event's id. */
  id: string;
  /** The reason; it is recorded. */
  reason?: string;
  /** Return the event that would be erased; change nothing. */
  dry_run?: boolean;
}

/** The event to change. */
export interface EventChangeParams {
  /** The event's id. */
  id: string;
  /** The reason; it is recorded. */
  reason?: string;
}

/** The turn to begin. */
export interface TurnBeginParams {
  /** The project; a session belongs to the project of its first call. */
  project_id: string;
  /** The session. */
  session_id: string;
  /** The turn. Its id is used once per session. */
  turn_id: string;
  /** The client program. */
  client_id?: string;
  /** After how many seconds the token expires. */
  seconds?: number | null;
}

/** The turn to end. */
export interface TurnEndParams {
  /** The project; a session belongs to the project of its first call. */
  project_id: string;
  /** The session. */
  session_id: string;
  /** The turn. Its id is used once per session. */
  turn_id: string;
  /** The ack_token that `turn.begin` returned. */
  ack_token: string;
  /** closed: it is complete; incomplete: it was abandoned. */
  outcome?: 'closed' | 'incomplete';
}

/** Which spans to list. */
export interface SpanListParams {
  /** Only sessions, turns or capsules. */
  kind?: 'capsule' | 'session' | 'turn' | null;
  /** Only spans in this state. */
  status?: 'closed' | 'incomplete' | 'open' | null;
  /** Only spans of this project. */
  project_id?: string;
  /** Only spans of this session. */
  session_id?: string;
  /** Only spans opened at or after this RFC 3339 time or date (UTC). */
  since?: string;
  /** The most spans. */
  limit?: number;
}

/** Which events to replay, from the first to the last. */
export interface AuditReplayParams {
  /** Only events of this stream. */
  stream?: string;
  /** Only events that occurred at or after this RFC 3339 time or date (UTC). */
  since?: string;
  /** Only events that occurred before this RFC 3339 time or date (UTC). */
  until?: string;
  /** Only events of this project. */
  project_id?: string;
  /** Only events after this position: the `next` of the page before. */
  after?: number;
  /** The most events of one answer; a file gets all. */
  limit?: number;
  /** Write the lines to this new file instead; a relative path starts at the root. */
  path?: string;
}

/** The verb takes no parameters. */
export type AuditVerifyParams = Record<string, never>;

/** How many events to show. */
export interface AuditTailParams {
  /** The most events. */
  limit?: number;
  /** The first events after this position, instead of the last ones. */
  after?: number | null;
}

/** Which months to seal. */
export interface AuditSealParams {
  /** Seal the months before this one (YYYY-MM); the current one when empty. */
  before?: string;
  /** Report the files that would be written and removed; change nothing. */
  dry_run?: boolean;
}

/** The verb takes no parameters. */
export type ProjectionsStatusParams = Record<string, never>;

/** Which projections to build again. */
export interface ProjectionsRebuildParams {
  /** The projections; all when there are none. */
  names?: readonly string[];
}

/** Which rows to show. */
export interface ProjectionsShowParams {
  /** The table. */
  table: 'artifact_links' | 'decision_edges' | 'decisions' | 'memory_facts' | 'patterns';
  /** Values of columns: {"status": "accepted"}. */
  where?: Readonly<Record<string, unknown>>;
  /** Only rows of this project. */
  project_id?: string;
  /** The most rows. */
  limit?: number;
}

/** The capsule to open. */
export interface CapsuleOpenParams {
  /** What kind of work it is: session, task, node or another word. */
  type: string;
  /** What the work is for. */
  intent?: string;
  /** Ids that it is bound to: session, repository, agent, user. */
  scope?: Readonly<Record<string, string>>;
  /** The open capsule that contains it. */
  parent?: string;
  /** The project. Empty is that of the session, else that of the configuration, else the name of the repository's folder. */
  project_id?: string;
}

/** The capsule to close. */
export interface CapsuleCloseParams {
  /** The capsule's id. */
  id: string;
  /** A last summary of the work. */
  summary?: string;
  /** The project. Empty is that of the session, else that of the configuration, else the name of the repository's folder. */
  project_id?: string;
}

/** What was observed. */
export interface CapsuleObserveParams {
  /** The capsule's id. */
  id: string;
  /** The observation in words. */
  text?: string;
  /** The kind: tool_call, command, file_diff, error, message. */
  kind?: string;
  /** Fields of its kind: inputs, outputs, errors. */
  details?: Readonly<Record<string, unknown>>;
  /** An idempotency key: a second event with it is not recorded. */
  key?: string | null;
  /** The project. Empty is that of the session, else that of the configuration, else the name of the repository's folder. */
  project_id?: string;
}

/** The summary of an open capsule. The latest one counts. */
export interface CapsuleSummariseParams {
  /** The capsule's id. */
  id: string;
  /** The summary. */
  text: string;
  /** The project. Empty is that of the session, else that of the configuration, else the name of the repository's folder. */
  project_id?: string;
}

/** The event to pin, or to take out of the pins. */
export interface CapsulePinParams {
  /** The event's id. */
  id: string;
  /** Ids that it is bound to: session, repository, agent, user. */
  scope?: Readonly<Record<string, string>>;
  /** The reason; it is recorded. */
  reason?: string;
  /** Remove it from the pins of this scope. */
  remove?: boolean;
  /** The project. Empty is that of the session, else that of the configuration, else the name of the repository's folder. */
  project_id?: string;
}

/** Which capsules to list. */
export interface CapsuleListParams {
  /** Ids that it is bound to: session, repository, agent, user. */
  scope?: Readonly<Record<string, string>>;
  /** Only capsules in this state. */
  status?: 'closed' | 'open' | null;
  /** Only capsules opened at or after this RFC 3339 time or date (UTC). */
  after?: string;
  /** Only capsules opened before this RFC 3339 time or date (UTC). */
  before?: string;
  /** The project. Empty is that of the session, else that of the configuration, else the name of the repository's folder. */
  project_id?: string;
}

/** The question, and the scope that the answer comes from. */
export interface CapsuleRetrieveParams {
  /** What to look for; empty gives the latest observations. */
  query?: string;
  /** Ids that it is bound to: session, repository, agent, user. */
  scope?: Readonly<Record<string, string>>;
  /** The most tokens, estimated. */
  token_budget?: number | null;
  /** The most candidates. */
  limit?: number;
  /** The project. Empty is that of the session, else that of the configuration, else the name of the repository's folder. */
  project_id?: string;
}

/** Which capsules to export. */
export interface CapsuleExportParams {
  /** Ids that it is bound to: session, repository, agent, user. */
  scope?: Readonly<Record<string, string>>;
  /** Only capsules opened at or after this RFC 3339 time or date (UTC). */
  after?: string;
  /** Only capsules opened before this RFC 3339 time or date (UTC). */
  before?: string;
  /** The project. Empty is that of the session, else that of the configuration, else the name of the repository's folder. */
  project_id?: string;
}

/** The bundle, and what to do with items that differ here. */
export interface CapsuleImportParams {
  /** The bundle's file; - is standard input. */
  path?: string;
  /** The bundle itself, instead of a file. */
  bundle?: Readonly<Record<string, unknown>> | null;
  /** What to do with an item that differs here; error imports nothing. */
  on_conflict?: 'error' | 'overwrite' | 'skip';
  /** The project. Empty is that of the session, else that of the configuration, else the name of the repository's folder. */
  project_id?: string;
}

/** The decision to record. */
export interface DecisionRecordParams {
  /** The project. Empty is that of the session, else that of the configuration, else the name of the repository's folder. */
  project_id?: string;
  /** The session. */
  session_id?: string;
  /** The turn; an event of a turn needs its `ack_token`. */
  turn_id?: string;
  /** The ack_token that `turn.begin` returned. */
  ack_token?: string;
  /** Refuse an event without an open turn and its token. */
  require_turn?: boolean;
  /** A key of the project: a second event with it is not recorded. */
  idempotency_key?: string | null;
  /** The decision, in one sentence. */
  title: string;
  /** Why. */
  rationale?: string;
  /** The situation in which it was made. */
  context?: string;
  /** What came of it. */
  outcome?: string;
  /** Whether it turned out well. */
  success?: boolean | null;
  /** Its state, such as accepted, proposed or rejected. */
  status?: string;
  /** Relations to earlier decisions, by their ids: refines, depends_on. */
  edges?: Readonly<Record<string, string>>;
  /** What belongs to it, by kind: commit, file_path, pr, note; one or a list. */
  artifacts?: Readonly<Record<string, string | number | readonly string[]>>;
  /** Its id; without one that of its event. */
  decision_id?: string;
}

/** The decision that takes the place of another one. */
export interface DecisionSupersedeParams {
  /** The project. Empty is that of the session, else that of the configuration, else the name of the repository's folder. */
  project_id?: string;
  /** The session. */
  session_id?: string;
  /** The turn; an event of a turn needs its `ack_token`. */
  turn_id?: string;
  /** The ack_token that `turn.begin` returned. */
  ack_token?: string;
  /** Refuse an event without an open turn and its token. */
  require_turn?: boolean;
  /** A key of the project: a second event with it is not recorded. */
  idempotency_key?: string | null;
  /** The decision, in one sentence. */
  title: string;
  /** Why. */
  rationale?: string;
  /** The situation in which it was made. */
  context?: string;
  /** What came of it. */
  outcome?: string;
  /** Whether it turned out well. */
  success?: boolean | null;
  /** Its state, such as accepted, proposed or rejected. */
  status?: string;
  /** Relations to earlier decisions, by their ids: refines, depends_on. */
  edges?: Readonly<Record<string, string>>;
  /** What belongs to it, by kind: commit, file_path, pr, note; one or a list. */
  artifacts?: Readonly<Record<string, string | number | readonly string[]>>;
  /** The id of the decision that no longer holds. */
  supersedes: string;
  /** The id of the new decision; without one that of its event. */
  decision_id?: string;
}

/** Which decisions to list. */
export interface DecisionListParams {
  /** The project. Empty is that of the session, else that of the configuration, else the name of the repository's folder. */
  project_id?: string;
  /** Only decisions in this state, such as accepted or superseded. */
  status?: string;
  /** Only events that occurred at or after this RFC 3339 time or date (UTC). */
  since?: string;
  /** The most decisions. */
  limit?: number;
}

/** The pattern to record. */
export interface PatternRecordParams {
  /** The project. Empty is that of the session, else that of the configuration, else the name of the repository's folder. */
  project_id?: string;
  /** The session. */
  session_id?: string;
  /** The turn; an event of a turn needs its `ack_token`. */
  turn_id?: string;
  /** The ack_token that `turn.begin` returned. */
  ack_token?: string;
  /** Refuse an event without an open turn and its token. */
  require_turn?: boolean;
  /** A key of the project: a second event with it is not recorded. */
  idempotency_key?: string | null;
  /** The kind of pattern. */
  type: string;
  /** What recurs. */
  description: string;
  /** How sure it is. */
  confidence?: number;
  /** More fields. */
  data?: Readonly<Record<string, unknown>>;
}

/** The project, and what the next turn is about. */
export interface JournalContextParams {
  /** The project. Empty is that of the session, else that of the configuration, else the name of the repository's folder. */
  project_id?: string;
  /** The session that asks; it must belong to the project. */
  session_id?: string;
  /** What facts should be about; empty gives the newest. */
  query?: string;
  /** The most turns. */
  turns?: number;
  /** The most facts. */
  facts?: number;
  /** The most decisions. */
  decisions?: number;
  /** The most tokens, estimated. */
  token_budget?: number | null;
}

/** The agent that begins to work. */
export interface AgentRegisterParams {
  /** A name that no active agent has: letters, digits, '.', '_' and '-'. */
  name: string;
  /** The role; it sets the agent's rights and the types of memory that count more. */
  role?: 'executor' | 'optimizer' | 'orchestrator' | 'reviewer';
  /** The working session of the call: letters, digits, '.', '_' and '-'. */
  session?: string | null;
  /** What it works on, in a few words. */
  task?: string;
  /** How long it stays active after its last call, in seconds. */
  seconds?: number;
  /** End the agent when this connection ends, too. */
  bound?: boolean;
}

/** The agent that still works. Every other call of the agent extends its life, too. */
export interface AgentHeartbeatParams {
  /** The key that `agent.register` returned; not needed on the connection that registered. */
  agent_key?: string;
  /** What it works on now, in a few words. */
  task?: string | null;
}

/** The agent that ends its work. */
export interface AgentLeaveParams {
  /** The key that `agent.register` returned; not needed on the connection that registered. */
  agent_key?: string;
}

/** All agents. */
export type AgentListParams = Record<string, never>;

/** The agent to grant the rights of its role: a reviewer may then approve memories, an orchestrator end leases. */
export interface AgentGrantParams {
  /** The agent's name. */
  name: string;
  /** Withdraw the rights instead. */
  withdraw?: boolean;
}

/** The note to leave, and leases that its taker gets. */
export interface AgentHandoffParams {
  /** What was done and what is left. */
  text: string;
  /** An agent's name, a role, or empty for anyone. */
  to?: string;
  /** Files, relative to the root of the work tree. */
  files?: readonly string[];
  /** Names of tasks; any text. */
  tasks?: readonly string[];
  /** The key that `agent.register` returned; not needed on the connection that registered. */
  agent_key?: string;
}

/** The hand-off to take. */
export interface AgentTakeParams {
  /** The number of the hand-off. */
  number: number;
  /** The key that `agent.register` returned; not needed on the connection that registered. */
  agent_key?: string;
}

/** What to claim: all of it or nothing. */
export interface LeaseClaimParams {
  /** Files, relative to the root of the work tree. */
  files?: readonly string[];
  /** Names of tasks; any text. */
  tasks?: readonly string[];
  /** How long to wait, in seconds. */
  wait?: number;
  /** The key that `agent.register` returned; not needed on the connection that registered. */
  agent_key?: string;
}

/** What to release; without files and tasks, all leases of the agent. */
export interface LeaseReleaseParams {
  /** Files, relative to the root of the work tree. */
  files?: readonly string[];
  /** Names of tasks; any text. */
  tasks?: readonly string[];
  /** End leases of others: for people and granted orchestrators. */
  force?: boolean;
  /** The key that `agent.register` returned; not needed on the connection that registered. */
  agent_key?: string;
}

/** Which leases to list. */
export interface LeaseListParams {
  /** Files, relative to the root of the work tree. */
  files?: readonly string[];
  /** Names of tasks; any text. */
  tasks?: readonly string[];
  /** Refuse unless each named file and task has a lease with this token. */
  token?: number | null;
}

/** The barrier to pass. It is passed once; use another name for the next one. */
export interface BarrierWaitParams {
  /** The name of the barrier. */
  name: string;
  /** How many agents pass it together. */
  parties: number;
  /** How long to wait, in seconds. */
  wait?: number;
  /** The key that `agent.register` returned; not needed on the connection that registered. */
  agent_key?: string;
}

/** The context file to render. */
export interface RenderParams {
  /** A context file; a bare name is that of a file in .muninn/context, without .md. */
  path: string;
  /** The file's unsaved text in an editor. Without it the file is read from disk. */
  text?: string | null;
  /** The token budget; 0 takes the file's own, or 8000. */
  budget?: number;
  /** The working session of the call: letters, digits, '.', '_' and '-'. */
  session?: string | null;
}

/** The context file to create. */
export interface TemplateNewParams {
  /** The name of the new file in .muninn/context, without .md. */
  name: string;
  /** The template. Without it the one of the file's name, else feature. */
  template?: 'api' | 'architecture' | 'bugfix' | 'feature' | 'refactor' | null;
  /** A one-line title; made from the name when absent. */
  title?: string;
}

/** `template.list` takes no parameters. */
export type TemplateListParams = Record<string, never>;

/** The file to check. */
export interface LintParams {
  /** A file of .muninn, a context file, or a decision record. */
  path: string;
  /** The file's unsaved text in an editor. Without it the file is read from disk. */
  text?: string | null;
}

/** The file whose references to resolve. */
export interface ReferencesParams {
  /** A file of .muninn, a context file, or a decision record. */
  path: string;
  /** The file's unsaved text in an editor. Without it the file is read from disk. */
  text?: string | null;
  /** Only references on this line (1-based); 0 is all. */
  line?: number;
}

/** The target to find references to. */
export interface BacklinksParams {
  /** A path, a memory's id, a decision's name, or a reference: [[ADR 7]], @src/a.py#f. */
  target: string;
  /** The file that contains the target; paths may be relative to it. */
  path?: string;
}

/** The files to rename. */
export interface RelinkParams {
  /** Old and new path of each file or folder, alternating. */
  moves: readonly string[];
}

/** Which names to list. */
export interface NamesParams {
  /** Text that the name contains; case does not matter. Without it all names match. */
  text?: string;
  /** memory, document, knowledge, context, file, symbol or tag; the first four by default. */
  kinds?: readonly string[];
  /** For symbols: the file that defines them. */
  file?: string;
  /** The most names to return. */
  limit?: number;
}

/** The file to annotate. */
export interface AnnotateParams {
  /** The file, relative to the root. */
  file: string;
}

/** A place in the code. */
export interface AboutParams {
  /** The file, relative to the root; the command line also takes FILE:LINE. */
  file: string;
  /** The line (1-based); 0 is the whole file. */
  line?: number;
  /** The name at that place, to ask about it alone. */
  name?: string;
  /** Link memories as `muninn:` documents, for clients that can open them. */
  links?: boolean;
  /** Fold details with HTML and link actions as `command:`, for clients that show both. */
  rich?: boolean;
}

/** The document to read. */
export interface DocumentParams {
  /** muninn:/memory/ID.md, muninn:/notes/PATH.md, muninn:/commit/SHA.md, muninn:/context/PATH.md or muninn:/pack.md?query=TEXT&budget=TOKENS. */
  uri: string;
  /** text is plain markdown. page folds history and details with HTML and links actions as `command:`, for clients that show both. card is such a page of a memory without links and history. plain is a memory without markdown, to compare it with another. */
  form?: 'card' | 'page' | 'plain' | 'text';
}

/** The memory to draft. */
export interface DraftParams {
  /** insight, decision, attempt, constraint or any other kind of memory. */
  type?: string;
  /** The file that the memory is about, relative to the root. */
  path?: string;
  /** The first line to cite; 0 cites none. */
  start?: number;
  /** The last line to cite. */
  end?: number;
  /** The memory that it supersedes. */
  supersedes?: string;
}

/** The memory to redact. */
export interface RedactParams {
  /** The memory's id, an unambiguous beginning of it, or its last characters. */
  id: string;
  /** Report what would be erased, and where; change nothing. */
  dry_run?: boolean;
  /** The working session of the call: letters, digits, '.', '_' and '-'. */
  session?: string | null;
}

/** The memory to look for. */
export interface PurgeParams {
  /** The memory's id or a prefix of it; the whole id when only other branches have it. */
  id: string;
  /** List the commits and blobs, not only their number. */
  show_commits?: boolean;
}

/** The verb takes no parameters. */
export type ModelsListParams = Record<string, never>;

/** The route to try. */
export interface ModelsTestParams {
  /** The name of a route: a model and how to reach it. */
  route: string;
  /** Show what would be sent; ask no model. */
  show_prompt?: boolean;
  /** The working session of the call: letters, digits, '.', '_' and '-'. */
  session?: string | null;
}

/** Which calls to sum. */
export interface ModelsUsageParams {
  /** The number of days in UTC, today included. */
  days?: number;
  /** List each call, too. */
  calls?: boolean;
}

/** The key of a route. */
export interface ModelsKeyParams {
  /** The name of a route: a model and how to reach it. */
  route: string;
  /** The key. The command line asks for it or reads it from standard input when it is left out. */
  value?: string;
  /** Store it in the system's keychain. Otherwise the daemon holds it until it exits. */
  keychain?: boolean;
}

/** Which memories to enrich. */
export interface EnrichParams {
  /** The memories' ids, or prefixes. Without them the newest that have no enrichment. */
  ids?: readonly string[];
  /** The most memories to ask about. */
  limit?: number;
  /** Show what would be sent; ask no model. */
  show_prompt?: boolean;
  /** The working session of the call: letters, digits, '.', '_' and '-'. */
  session?: string | null;
}

/** How many pairs to ask about, or the two memories to decide about. */
export interface JudgeParams {
  /** Two ids, or prefixes: ask whether to merge them, to let one supersede the other, or neither. */
  ids?: readonly string[];
  /** The most pairs to ask about. */
  limit?: number;
  /** List the pairs; ask no model and record nothing. */
  dry_run?: boolean;
  /** Show what would be sent; ask no model. */
  show_prompt?: boolean;
  /** The working session of the call: letters, digits, '.', '_' and '-'. */
  session?: string | null;
}

/** Which memories to find links for, and how. */
export interface LinkParams {
  /** The memories' ids, or prefixes. Without them the newest that have no link. */
  ids?: readonly string[];
  /** The most memories to find links for. */
  limit?: number;
  /** Record the links, or with `undo` remove them. Otherwise report. */
  apply?: boolean;
  /** Ask the route for links instead of the rules. */
  model?: boolean;
  /** Remove links that this verb recorded: of `ids`, or all. */
  undo?: boolean;
  /** With `model`: show what would be sent; ask no model. */
  show_prompt?: boolean;
  /** The working session of the call: letters, digits, '.', '_' and '-'. */
  session?: string | null;
}

/** `init` takes no parameters. */
export type InitParams = Record<string, never>;

/** The verb takes no parameters. */
export type StatusParams = Record<string, never>;

/** The verb takes no parameters. */
export type ReadyParams = Record<string, never>;

/** The verb takes no parameters. */
export type MetricsParams = Record<string, never>;

/** How to update the index. */
export interface IndexParams {
  /** Answer after all files on disk are searchable by words and by meaning. */
  wait?: boolean;
  /** Delete the index and build it again from the files. */
  rebuild?: boolean;
}

/** Which keys to list. */
export interface ConfigListParams {
  /** Only the keys of this section; all of them without it. */
  section?: string;
  /** Only keys that are not at their default. */
  changed?: boolean;
}

/** The key to show. */
export interface ConfigGetParams {
  /** The key with its section: memory.half_life_days. */
  key: string;
}

/** The key to set, and its value. */
export interface ConfigSetParams {
  /** The key with its section: memory.half_life_days. */
  key: string;
  /** The value as YAML writes it: 30, off, [a, b]. */
  value: string;
}

/** The key whose default shall apply. */
export interface ConfigUnsetParams {
  /** The key with its section: memory.half_life_days. */
  key: string;
}

/** The verb takes no parameters. */
export type ShutdownParams = Record<string, never>;

/**
 * The hits, best first; ties by kind, path, line and id.
 *
 * `next` is the `page` of the following hits, "" when there are none. `notes` report what filters excluded, and
 * filters that nothing passes. `remembered` are the memories that answer the question, at most three, the most certain
 * first; they may be among the hits, too. Front ends show them above the others. It is empty on further
 * pages, and for questions of one `kind`. `repositories` are the other repositories that were asked. `ranked` is
 * false for a list, which a question of filters alone gets: memories by importance and age, then files by path. Its
 * scores compare nothing, and front ends show none.
 */
export interface RecallResult {
  saw: ReadState;
  hits: readonly Hit[];
  remembered: readonly Hit[];
  next: string;
  notes: readonly string[];
  repositories: readonly AskedRepository[];
  ranked: boolean;
}

/**
 * The state that an answer was computed from.
 *
 * `commit` is HEAD, or the revision that the question names; `note` then says what the answer leaves out. `log` and
 * `shared` are the numbers of records in the log and in the global log.
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
 * The index that an answer was computed from. `lag` is the number of changed files that it does not have yet.
 *
 * Of these, `surveyed` files are already found by the words of the whole file. `unembedded` chunks are found by words
 * and not yet by meaning. While memories are `unencoded`, all memories are compared by the table of tokens instead of
 * the text encoder. `failure` is the error that keeps the index from following files and memories, or "".
 */
export interface IndexState {
  generation: number;
  lag: number;
  surveyed: number;
  unembedded: number;
  unencoded: number;
  failure: string;
}

/**
 * One result of recall. `id` is `path:start-end` for code and knowledge, the memory's id for a memory.
 *
 * `path` of a memory is the current file of its first cite, else the first file that it names, else "". `private`,
 * `elsewhere`, `work` and `scope` are those of the memory; `cites` are its citations with their current state.
 * `status` is that of a steering document, "decided" or "superseded by ADR 7", or names the memories that a memory
 * contradicts. `trust` is that of a memory, of the author of another tool's knowledge, or "outside" for knowledge of a
 * pack. `origin` names a source other than this project: "pack NAME VERSION", "CLAUDE.md", "backfill from git".
 * `snippet` holds the lines of `text` with the most words of the query, none when no line has one. In an answer by
 * files, `chunks` is the number of chunks found in the file, and `total` the sum of their scores. `author` and `ts`
 * say who wrote a memory, and when. `newer` is the id of a memory that states the same fact anew. `repository` names
 * the repository of the user's list that the hit comes from, "" for this one; the id of a file's chunk then
 * begins with the name and a colon. `certainty` of a memory that answers the question says how sure that is, 0 to 1;
 * a memory with `least_certainty` or more is shown, and others that are nearly as certain beside it.
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
  author: string;
  ts: string;
  newer: string;
  repository: string;
  certainty: number | null;
  least_certainty: number | null;
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
 * A checked cite. `path`, `start` and `end` are the current place of the code, or the last one when it is gone.
 *
 * `was` is the place that the memory names, when it differs. `note` says why an unchecked citation was not compared,
 * and what a gone one was a part of.
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

/** A line of a hit's text, its number in the file (of a memory: in its text) and the ranges to highlight. */
export interface SnippetLine {
  line: number;
  text: string;
  marks: readonly Mark[];
}

/** A range of a line to highlight: UTF-16 code units, `end` exclusive, as in the Language Server Protocol. */
export interface Mark {
  start: number;
  end: number;
}

/**
 * Another repository that a question was put to, and the state that was read there.
 *
 * `generation` counts the changes of its index. `skipped` is the reason why it was not read, `hint` what to do.
 */
export interface AskedRepository {
  name: string;
  path: string;
  commit: string | null;
  branch: string | null;
  generation: number;
  skipped: string;
  hint: string;
}

/**
 * A pack. `text` is the pack in the requested format; `tokens` counts all of it and never exceeds `budget`.
 *
 * `bundle` identifies it for `why` and `replay`. `inputs` are the parameters, `question` is what was searched for, and
 * `asked` is the time. `omitted` counts `left_out`. `explored` is how `explore` found the items of the tier explored.
 * `repositories` are the other repositories that were asked.
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
  explored: Exploration | null;
  repositories: readonly AskedRepository[];
}

/**
 * An item of a pack.
 *
 * `tier` is why it is in its place: pin, task, hand (the working set), explored, skill, memory, knowledge or code.
 * `form` is whole; part, where text and lines are cut to fit and `id` has the lines of the whole; or headline, where
 * only its place is named. `tokens` is the most that it takes in any format. `type`, `author` and `ts` are those of a
 * memory.
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
  type: string;
  author: string;
  ts: string;
  why: readonly Reason[];
  elsewhere: readonly string[];
  work: '' | 'abandoned' | 'reverted' | 'rewritten' | 'unmerged';
  private: boolean;
  scope: 'global' | 'project' | 'session';
  status: string;
  trust: 'agent' | 'commit' | 'outside' | 'user' | null;
  origin: string;
  cites: readonly Citation[];
  repository: string;
}

/** A candidate that was left out of a pack: the tokens it needs, and the reason. */
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
  repository: string;
}

/**
 * How a pack was explored. `answer` is the model's own words, with secrets masked; nothing checks it.
 *
 * `complete` is false when a limit or a failure ended the exploration; `ended` says which. The pack then has what was
 * found until then. `steps` are in their order. `dropped` are places that the model named and that are not there.
 * `memory` is the id of the memory of the type context_hit, "" when none was stored.
 */
export interface Exploration {
  route: string;
  model: string;
  complete: boolean;
  answer: string;
  ended: string;
  steps: readonly ExplorationStep[];
  dropped: readonly string[];
  calls: number;
  tokens: number;
  usd: number;
  memory: string;
}

/**
 * One use of a tool. `depth` is 0 in the exploration itself, 1 in one that it started.
 *
 * `arguments` is their JSON, cut to 300 characters. `chars` is the length of the result. `problem` says why there is
 * none.
 */
export interface ExplorationStep {
  depth: number;
  tool: string;
  arguments: string;
  chars: number;
  problem: string;
}

/**
 * The pack: what the model named comes first, and what `context` finds fills the rest of the budget.
 *
 * `context` is None with `show_prompt`, which fills `prompt` with the text that would be sent, `tokens` with its
 * estimated length and `usd` with the most that this first call may cost.
 */
export interface ExploreResult {
  saw: ReadState;
  context: ContextResult | null;
  prompt: string;
  tokens: number;
  usd: number;
}

/**
 * An explanation of a context. `then` is the state that it was computed from, `saw` the current one.
 *
 * `items` and `left_out` are the context's, or those that `item` selects. `text` explains them in words.
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
 * A replayed context. `source` is kept for the stored answer, fresh for one that was gathered again.
 *
 * `same` is true when the text did not change. `moved` names what changed in the repository since the first answer,
 * `differs` what that changed in the answer.
 */
export interface ReplayResult {
  saw: ReadState;
  source: 'fresh' | 'kept';
  same: boolean;
  moved: readonly string[];
  differs: readonly string[];
  context: ContextResult;
}

/**
 * The definitions, best first: matches of the whole name, its beginning, its capitals, a part. `total` counts all
 * matches. `repositories` are the other repositories that were asked.
 */
export interface SymbolsResult {
  saw: ReadState;
  symbols: readonly CodeSymbol[];
  total: number;
  repositories: readonly AskedRepository[];
}

/**
 * A definition. `container` names the definitions around it, `signature` is its head.
 *
 * `children` are filled in an outline only. `repository` is the name of another repository, "" for this one.
 */
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
  repository: string;
}

/** The definitions of a file as a tree, in the order of their lines. */
export interface OutlineResult {
  saw: ReadState;
  path: string;
  language: string;
  symbols: readonly CodeSymbol[];
  comment: string;
}

/**
 * The repository by folders, largest first. `omitted` counts folders beyond the limit.
 *
 * `files`, `definitions` and `languages` (files by language) count everything below `path`. `central` are the files
 * that the most other files import, tests not counted.
 */
export interface MapResult {
  saw: ReadState;
  path: string;
  files: number;
  definitions: number;
  languages: Readonly<Record<string, number>>;
  folders: readonly MapFolder[];
  central: readonly MapImport[];
  omitted: number;
}

/**
 * A folder with everything below it that no other entry has. `path` is "." for the root.
 *
 * `imports` are the folders that its files import, those with the most importing files first. `memories` counts the
 * recallable memories that name one of its files.
 */
export interface MapFolder {
  path: string;
  files: number;
  definitions: number;
  languages: Readonly<Record<string, number>>;
  memories: number;
  imports: readonly MapImport[];
}

/** A folder that is imported, and the number of files that import it. */
export interface MapImport {
  path: string;
  files: number;
}

/**
 * The relations of a file or definition, by depth, relation and place. `omitted` counts those beyond the limit.
 *
 * Edges from other repositories come last. `repositories` are those that were asked.
 */
export interface GraphResult {
  saw: ReadState;
  target: string;
  symbol: CodeSymbol | null;
  relation: string;
  edges: readonly GraphEdge[];
  omitted: number;
  repositories: readonly AskedRepository[];
}

/**
 * A relation from `origin` to a file, or to a definition in it (`name`, `kind` and lines).
 *
 * It is written in `at_path` at line `at_line`. `how` is why a call refers to this definition: it is in the same file,
 * imported, in the same package, or the only one of its name; for `changes` it is in how many commits both changed.
 * `repository` names the repository of both paths, "" for this one; such an edge is an import of a package that this
 * repository publishes, or its declaration.
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
  repository: string;
}

/**
 * The matching lines, by path and line; with `count` the files instead.
 *
 * `total` counts the matching lines of the searched files, `files` the files that have one, `searched` the files that
 * were read. `omitted` counts matching lines beyond the limit, `unsearched` files that were not read because the time
 * was up.
 */
export interface GrepResult {
  saw: ReadState;
  pattern: string;
  matches: readonly GrepLine[];
  counts: readonly GrepFile[];
  total: number;
  files: number;
  searched: number;
  omitted: number;
  unsearched: number;
}

/** A matching line, with the lines around it. A long line is cut around its first match. */
export interface GrepLine {
  path: string;
  line: number;
  text: string;
  before: readonly string[];
  after: readonly string[];
}

/** A file with matches, and the number of its matching lines. */
export interface GrepFile {
  path: string;
  lines: number;
}

/**
 * Lines of a file, as they are on disk. `total` counts its lines, `omitted` those after `end` that were asked for.
 *
 * `cut` counts the characters that were removed from lines of more than 2,000 characters.
 */
export interface ReadResult {
  saw: ReadState;
  path: string;
  language: string;
  start: number;
  end: number;
  total: number;
  lines: readonly string[];
  omitted: number;
  cut: number;
}

/**
 * The files and folders below a folder, by path.
 *
 * `files` counts all files below it. `omitted` counts entries within the depth that are beyond the limit.
 */
export interface TreeResult {
  saw: ReadState;
  path: string;
  entries: readonly TreeEntry[];
  files: number;
  omitted: number;
}

/** A file, or a folder with the number of files below it. The path of a folder ends with a slash. */
export interface TreeEntry {
  path: string;
  files: number;
}

/** The files by path. `total` counts all that match, `omitted` those after the last one returned. */
export interface FilesResult {
  saw: ReadState;
  files: readonly ListedFile[];
  total: number;
  omitted: number;
}

/** A file of the work tree. */
export interface ListedFile {
  path: string;
  kind: 'code' | 'knowledge' | 'memory';
  language: string;
}

/** The matching skills, best first. `tokens` is their sum, `share` the most that they may take. */
export interface SkillsMatchResult {
  saw: ReadState;
  skills: readonly SkillMatch[];
  left_out: readonly SkillLeftOut[];
  tokens: number;
  share: number;
}

/** A matching skill with its whole text. The contributions in `why` add up to `score`. */
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

/** A matching skill that was left out, and the reason. */
export interface SkillLeftOut {
  name: string;
  path: string;
  tokens: number;
  reason: string;
}

/** The skills, by name. */
export interface SkillsListResult {
  saw: ReadState;
  skills: readonly SkillEntry[];
}

/** A skill. `hidden_by` is the file of another skill that takes precedence by the same name. */
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
 * The matching memories; `total` counts them before limit and offset.
 *
 * `citations` are the citations of each memory, judged against the work tree, by memory id. `access` is set when one
 * memory was requested by id. For a question about one file, `origin` is the pack that the file belongs to, and
 * `mentions` are passages about it in the memory of other tools. `repositories` are the other repositories that
 * were asked; of their memories, only active ones are listed. `notes` of an empty list name values that no memory
 * has.
 */
export interface MemoriesResult {
  saw: ReadState;
  memories: readonly Memory[];
  total: number;
  order: 'importance' | 'newest';
  citations: Readonly<Record<string, readonly Citation[]>>;
  access: Access | null;
  origin: string;
  mentions: readonly Mention[];
  notes: readonly string[];
  repositories: readonly AskedRepository[];
}

/**
 * One memory. `type` is that of the record that created it; times are RFC 3339 in UTC.
 *
 * `elsewhere` are the branches that hold a memory which HEAD does not have, `work` is the state of its commit. Both
 * depend on HEAD, and `expired` on the current time; none of them is in the log.
 * `questions` are what it answers, in the words of a person who does not know it; it is found by them too.
 * `author` is the name of the person who wrote it, or whose agent did; "" where it is not known.
 * `details` holds the fields of single kinds (a decision's rationale, an attempt's command) and all fields of the
 * record that this version does not define. `sealed` is false while the memory is only in the spool.
 * A `private` memory is stored in the ignored part of this work tree and never in git. A memory of the global `scope`
 * is stored in the user's log, outside of the repository. `repository` names the repository of the user's list that
 * a memory was read from, "" for this one; it is not in the log either.
 */
export interface Memory {
  id: string;
  type: string;
  text: string;
  ts: string;
  title: string;
  tags: readonly string[];
  entities: readonly string[];
  questions: readonly string[];
  files: readonly string[];
  cites: readonly Cite[];
  importance: number;
  confidence: number;
  trust: 'agent' | 'commit' | 'outside' | 'user';
  actor: string;
  author: string;
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
  repository: string;
  details: Readonly<Record<string, unknown>>;
}

/** How often a memory was part of an answer on this machine, and the last time (RFC 3339). */
export interface Access {
  count: number;
  last: string;
}

/** A passage about the file in the memory of another tool (`origin`). */
export interface Mention {
  origin: string;
  trust: 'agent' | 'commit' | 'outside' | 'user';
  path: string;
  start_line: number;
  end_line: number;
  title: string;
}

/**
 * A memory, its citations judged against the work tree, and its links in both directions.
 *
 * `linked` has the headline of the memory at the other end of each link, by id. `given` says how often sessions of
 * agents on this machine received the memory, and the outcomes.
 */
export interface ShowResult {
  saw: ReadState;
  memory: Memory;
  citations: readonly Citation[];
  links: readonly MemoryLink[];
  linked: Readonly<Record<string, string>>;
  access: Access;
  given: GivenCounts;
}

/** A link between two memories. `depth` is the step at which it was found, `by` the author of the link. */
export interface MemoryLink {
  source: string;
  relation: string;
  target: string;
  strength: number;
  depth: number;
  reason: string;
  by: string;
}

/** How often something was delivered, and its outcomes. `used` includes `confirmed`. */
export interface GivenCounts {
  shown: number;
  used: number;
  confirmed: number;
  refuted: number;
}

/** The memory in its current state, and its events, oldest first. */
export interface HistoryResult {
  saw: ReadState;
  memory: Memory;
  events: readonly Event[];
}

/**
 * A record about a memory: its author, time, branch and commit, and what it changed.
 *
 * `author` is the author's name, "" where the record has none. The records of a `private` memory are never sealed.
 */
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
  private: boolean;
  author: string;
}

/** A field that an event changed, in words. `before` and `after` are empty when the memory is redacted. */
export interface Changed {
  name: string;
  before: string;
  after: string;
}

/** The records of the log, newest first. `total` counts them before the limit. */
export interface LogResult {
  saw: ReadState;
  entries: readonly LogEntry[];
  total: number;
}

/**
 * A record with the memory that it concerns. `title` is the memory's headline, "" when no memory has its id.
 *
 * `event` describes the record. `memory` is the id of the memory that it created or changed.
 */
export interface LogEntry {
  memory: string;
  title: string;
  event: Event;
}

/**
 * The memories that links lead to, by distance and then newest first. The first is the start.
 *
 * `depths` are their distances in links. `omitted` counts memories beyond the limit.
 */
export interface LinksResult {
  saw: ReadState;
  memories: readonly Memory[];
  depths: readonly number[];
  links: readonly MemoryLink[];
  omitted: number;
}

/**
 * An overview of a project's memory.
 *
 * `important` excludes memories that are in `recent`. `links` are the links of both lists; `linked` has the headlines
 * of the memories at their other ends, by id. `memories` counts all recallable memories, `kinds` by type, `scopes` by
 * scope. `density` is the number of links per memory. `weeks` counts the memories made in each of the last twelve
 * weeks, oldest first. `files` are the files with the most memories.
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
  weeks: readonly number[];
  files: readonly FileCount[];
}

/** The project's name and description, from CLAUDE.md or the name of its folder. */
export interface ProjectStatus {
  name: string;
  description: string;
}

/** The current work. `source` is how the current task was found: session, branch, active, or "" for no task. */
export interface FocusStatus {
  task: string;
  source: string;
  items: readonly WorkItem[];
}

/**
 * A vision, or an initiative or task in progress. `memories` counts the memories made while working on it.
 *
 * `summary` is the first paragraph of a vision.
 */
export interface WorkItem {
  code: string;
  level: string;
  title: string;
  phase: string;
  path: string;
  memories: number;
  summary: string;
}

/** A file, and the number of recallable memories that name or cite it. */
export interface FileCount {
  path: string;
  memories: number;
}

/** The sessions, open ones first. `total` counts them before limit and offset. */
export interface SessionsResult {
  saw: ReadState;
  sessions: readonly WorkSession[];
  total: number;
}

/**
 * A working session.
 *
 * `title` is its summary, its given name, or its start time. A session is open while some of its `records` are not
 * sealed (`waiting`). `memories` counts recallable memories. Branch, task, agent, author and actor are those of its
 * latest memory that has them.
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
  author: string;
  actor: string;
}

/**
 * The ids, in the order of the request. `memory` is set when one was stored; `masked` counts masked secrets.
 *
 * `notices` are sentences about what may be a mistake: a file that does not exist, a text that is stored already.
 */
export interface RememberResult {
  saw: ReadState;
  ids: readonly string[];
  memory: Memory | null;
  masked: number;
  notices: readonly string[];
}

/**
 * The memory in its new state. `changed` names the changed fields; it is empty when nothing changed.
 *
 * `notices` are sentences about changed files and citations that do not exist.
 */
export interface UpdateResult {
  saw: ReadState;
  memory: Memory;
  changed: readonly string[];
  masked: number;
  notices: readonly string[];
}

/**
 * The decision. `gone` were merged into `kept` or superseded by it.
 *
 * `apart` are the ids that stay separate, `separate` has them by reason. `contradictions` name pairs that can't both
 * hold, and the reasons.
 */
export interface ConsolidateResult {
  saw: ReadState;
  decision: string;
  kept: Memory | null;
  gone: readonly string[];
  apart: readonly string[];
  separate: readonly Separate[];
  contradictions: readonly string[];
  reason: string;
  dry_run: boolean;
}

/** Memories that stay separate for one reason. */
export interface Separate {
  reason: string;
  ids: readonly string[];
}

/** The memory in its new state. `changed` is false when it was in that state before. */
export interface ForgetResult {
  saw: ReadState;
  memory: Memory;
  changed: boolean;
}

/** The memory in its new scope, and the id of the original. */
export interface PromoteResult {
  saw: ReadState;
  memory: Memory;
  source: string;
}

/** The brief as markdown, and the ids of the memories in it. `withheld` are important ones without room. */
export interface BriefResult {
  saw: ReadState;
  text: string;
  ids: readonly string[];
  withheld: readonly Withheld[];
}

/** A related memory that was not given, and the reason. */
export interface Withheld {
  id: string;
  why: string;
  title: string;
}

/**
 * The reminder, and the ids of the memories and files in it; "" when nothing is certain or new.
 *
 * `withheld` are related memories that are not in it.
 */
export interface RemindResult {
  saw: ReadState;
  text: string;
  ids: readonly string[];
  withheld: readonly Withheld[];
}

/** The answers, the newest first, and the counts of their items. `next` is `before` of the next page. */
export interface GivenResult {
  saw: ReadState;
  answers: readonly GivenAnswer[];
  counts: GivenCounts;
  next: number | null;
}

/** One answer that a session received: the verb, its question, what was in it, and what was withheld. */
export interface GivenAnswer {
  position: number;
  at: string;
  session: string;
  verb: string;
  query: string;
  bundle: string;
  items: readonly GivenItem[];
  withheld: readonly Withheld[];
}

/** A memory, or a place of a file (`path:lines`), that a session was given. `how` says what the session did. */
export interface GivenItem {
  id: string;
  title: string;
  outcome: 'confirmed' | 'refuted' | 'unused' | 'used';
  how: readonly string[];
}

/**
 * The ids of the stored memories. `note` is a line for the user, "" for none.
 *
 * `ask` is what the agent is asked to remember before it stops, "" for nothing.
 */
export interface CaptureResult {
  saw: ReadState;
  ids: readonly string[];
  note: string;
  ask: string;
}

/**
 * The memories of a backfill, oldest first. Without `applied` nothing was stored; `ids` are the stored ones.
 *
 * `looked` counts the commits or transcripts that were read, `skipped` those without a memory, by reason. `malformed`
 * are unreadable lines, as `path:line`. `masked` counts secrets.
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
 * A memory from a backfill. `time` is when its subject happened; `commit` and `session` are its origin.
 *
 * `known` is true when it is stored already.
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

/** The candidates, the last found first. `events` has their evidence in order, without what retention removed. */
export interface CandidateListResult {
  saw: ReadState;
  candidates: readonly Candidate[];
  events: readonly Event[];
}

/**
 * A finding from the events of a session. `kind` is fixed (a failure that a change ended), statement, correction,
 * or model for what a language model proposes.
 *
 * `evidence` are ids of events on this machine. `questions` are those of the conversation that it answers. `memory` is
 * the id of the memory that it became, `reason` says why it was discarded.
 */
export interface Candidate {
  id: string;
  kind: string;
  type: string;
  title: string;
  text: string;
  status: 'discarded' | 'open' | 'promoted';
  session_id: string;
  found_at: string;
  evidence: readonly string[];
  files: readonly string[];
  questions: readonly string[];
  details: Readonly<Record<string, unknown>>;
  agent: string;
  memory: string;
  reason: string;
}

/**
 * The new candidates. `known` counts findings that memory or an earlier candidate says already.
 *
 * `spent` is what the model cost, `problem` why its answer was not used.
 */
export interface CandidateDistilResult {
  saw: ReadState;
  candidates: readonly Candidate[];
  known: number;
  spent: Spent;
  problem: string;
}

/** What calls cost. `calls` counts attempts, `failed` those without a usable answer. */
export interface Spent {
  calls: number;
  failed: number;
  tokens_in: number;
  tokens_out: number;
  cached: number;
  usd: number;
}

/** The stored memory, and the candidate. */
export interface CandidatePromoteResult {
  saw: ReadState;
  memory: Memory;
  candidate: Candidate;
}

/** The discarded candidate. */
export interface CandidateDiscardResult {
  saw: ReadState;
  candidate: Candidate;
}

/**
 * What the range `base` to `head` does to memory. Every list is ordered by memory id.
 *
 * `contradicts` are pairs of which at least one memory is new. `stale` are memories whose cited code the range
 * changed. `pending` are memories that wait for approval since then, `approved` those that were approved. `text` has
 * all of it, as text or markdown.
 */
export interface DiffResult {
  saw: ReadState;
  base: string;
  head: string;
  added: readonly Memory[];
  removed: readonly Memory[];
  changed: readonly AffectedMemory[];
  superseded: readonly AffectedMemory[];
  archived: readonly AffectedMemory[];
  contradicts: readonly AffectedMemory[];
  stale: readonly AffectedMemory[];
  pending: readonly Memory[];
  approved: readonly Memory[];
  malformed: number;
  text: string;
}

/** A memory that the range affects. `by` is the other memory involved, if any; `reason` is in words. */
export interface AffectedMemory {
  memory: Memory;
  by: Memory | null;
  reason: string;
}

/** The findings, by path, line and rule. `ok` is true without errors; `files` counts the files that were read. */
export interface CheckResult {
  saw: ReadState;
  ok: boolean;
  errors: number;
  warnings: number;
  files: number;
  memories: number;
  findings: readonly Finding[];
}

/** A finding. `level` is error or warn; `line` is 1-based, 0 for the whole file; `id` names a memory. */
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
 * The number of citations in each state, and the memories that need attention.
 *
 * Memories with gone citations come first, then drifted, unchecked and moved ones; among equals by id.
 */
export interface VerifyResult {
  saw: ReadState;
  memories: number;
  states: Readonly<Record<string, number>>;
  found: readonly Verified[];
  fixed: number;
}

/** A memory with citations that are not fresh. `fixed` is true when its citations were updated. */
export interface Verified {
  id: string;
  type: string;
  title: string;
  cites: readonly Citation[];
  fixed: boolean;
}

/** The memory, and the citations that it has now. */
export interface ConfirmResult {
  saw: ReadState;
  memory: Memory;
  cites: readonly Citation[];
}

/** The memories in their new state. */
export interface ReviewResult {
  saw: ReadState;
  memories: readonly Memory[];
}

/** The segments that were written, relative to the root, and the number of records in them. */
export interface SealResult {
  saw: ReadState;
  segments: readonly string[];
  records: number;
}

/**
 * The outcome of reconciling, or with `dry_run` the expected one. `summary` is one line for people.
 *
 * `conflicts` counts the new conflicts, `opened` are these; the verb `conflicts` does not list those of a dry run.
 * `started` is true for a run in the background; the counts are then 0.
 */
export interface ReconcileResult {
  consolidated: number;
  duplicates: number;
  conflicts: number;
  segments: readonly string[];
  merges: readonly Merge[];
  superseded: readonly Superseded[];
  dry_run: boolean;
  summary: string;
  opened: readonly Conflict[];
  saw: ReadState;
  started: boolean;
}

/** Memories with the same content: `merged` were merged into `kept`. */
export interface Merge {
  kept: string;
  merged: readonly string[];
  reason: string;
}

/** A memory that a newer one of the same author replaced, because one value changed. `restore` restores it. */
export interface Superseded {
  newer: string;
  older: string;
  reason: string;
}

/**
 * Two contradicting memories, the reason for the conflict, and the code that they cite.
 *
 * `keep` is the decision: left, right or both; "" while it is open.
 */
export interface Conflict {
  id: string;
  left: Memory;
  right: Memory;
  reason: string;
  ts: string;
  code: readonly CitedCode[];
  keep: string;
}

/** Code that one side of a conflict cites, from the work tree. `problem` is set when it could not be read. */
export interface CitedCode {
  side: string;
  path: string;
  start: number;
  end: number;
  text: string;
  problem: string;
}

/** The files that were restored, relative to the root. `summary` describes the operation that was undone. */
export interface UndoResult {
  saw: ReadState;
  kind: string;
  files: readonly string[];
  summary: string;
}

/** What was moved from main.jsonl to the file `archive`. `before` and `after` are sizes of main.jsonl in bytes. */
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

/** The steps. `further` counts those beyond the limit. `run` is the id of the recorded run, "" when none was. */
export interface EvolveResult {
  saw: ReadState;
  steps: readonly EvolveStep[];
  further: number;
  run: string;
  undone: boolean;
}

/**
 * One step of upkeep. `kind` is merge, link, importance or archive.
 *
 * `target` is the memory, for a merge the one that is kept; `other` is the merged one, or the end of a link. `before`
 * and `after` are the importance, or the strength of the link; 0 after a link that is removed.
 */
export interface EvolveStep {
  kind: string;
  target: string;
  title: string;
  reason: string;
  other: string;
  relation: string;
  before: number;
  after: number;
}

/**
 * The conflicts, oldest first. `citations` are by memory id, as in the result of `memories`.
 *
 * `unreconciled` counts the sessions with records since the last reconcile: their contradictions are not listed yet.
 * It is 0 for a conflict by its id.
 */
export interface ConflictsResult {
  saw: ReadState;
  conflicts: readonly Conflict[];
  citations: Readonly<Record<string, readonly Citation[]>>;
  unreconciled: number;
}

/**
 * Both memories in their new state. `before` is the decision that this one replaces, "" for none.
 *
 * `changed` is false when the decision was the same before; then nothing is recorded.
 */
export interface ResolveResult {
  saw: ReadState;
  conflict: string;
  left: Memory;
  right: Memory;
  before: string;
  changed: boolean;
}

/** The repository as it is in the list now. `renamed`: another one had the name of the folder. */
export interface ReposAddResult {
  saw: ReadState;
  repository: Repository;
  renamed: boolean;
}

/**
 * A repository of the list. `path` is the root of its work tree; the constraints of one of `rules` hold everywhere.
 *
 * `files`, `chunks` and `memories` are those that a question can find; memories that may not leave it are not counted.
 * `indexed` is the time of the last change of its index (RFC 3339), `behind` the number of its indexed files that
 * were changed or deleted since. `problem` is why it can't be read, or not whole, `hint` what to do.
 */
export interface Repository {
  name: string;
  path: string;
  rules: boolean;
  state: 'missing' | 'running' | 'stopped' | 'this' | 'unindexed' | 'unusable';
  files: number;
  chunks: number;
  memories: number;
  indexed: string;
  behind: number;
  problem: string;
  hint: string;
}

/** The repositories by name. `list_file` is the file of the list. */
export interface ReposListResult {
  saw: ReadState;
  repositories: readonly Repository[];
  list_file: string;
}

/** The removed entry. */
export interface ReposRemoveResult {
  saw: ReadState;
  name: string;
  path: string;
}

/**
 * The repositories with a `.muninn` below a folder, by path. `complete` is false when there were too many folders.
 *
 * Linked work trees are left out.
 */
export interface ReposScanResult {
  saw: ReadState;
  found: readonly FoundRepository[];
  complete: boolean;
}

/**
 * A repository that was found. `name` is that of the list, or the one that it would get.
 *
 * `listed`: it is in the list now. `added`: this call added it.
 */
export interface FoundRepository {
  name: string;
  path: string;
  listed: boolean;
  added: boolean;
}

/**
 * A bundle: its `version`, the time of its newest record (`exported`), and its `records`, by id.
 *
 * `memories` counts the exported memories, `private` those left out because they are private, `masked` secrets. The
 * other forms have no records but the active memories, the newest first: `page` is the document of html, `files` are
 * the texts of obsidian by path.
 */
export interface ExportResult {
  saw: ReadState;
  version: number;
  exported: string;
  records: readonly Readonly<Record<string, unknown>>[];
  memories: number;
  private: number;
  masked: number;
  page: string;
  files: Readonly<Record<string, string>>;
}

/**
 * The outcome, in records. `known` records exist already; `skipped` ones differ from existing records.
 *
 * `withheld` ones would change existing memories, which untrusted text must not do. `tool` names another tool
 * that wrote the memory, "" for a bundle. `contents` counts its items by kind, `left_out` the items that are not
 * imported.
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
  tool: string;
  contents: Readonly<Record<string, number>>;
  left_out: Readonly<Record<string, number>>;
}

/** The pack that was written to `path`, and the paths of its files. */
export interface PackExportResult {
  saw: ReadState;
  pack: KnowledgePack;
  path: string;
  contents: readonly string[];
}

/** A pack. `edited` are the files changed since it was added; `problem` is set when it can't be read. */
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

/** The pack that was added, and the paths of its files. */
export interface PackAddResult {
  saw: ReadState;
  pack: KnowledgePack;
  contents: readonly string[];
}

/** The packs, by name. */
export interface PackListResult {
  saw: ReadState;
  packs: readonly KnowledgePack[];
}

/** The pack after the update, the version `before`, and the files that change. `edited` were edited here. */
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

/** The pack that was removed. */
export interface PackRemoveResult {
  saw: ReadState;
  pack: KnowledgePack;
}

/** The recorded event. `duplicate`: it was recorded before, under the same key; `masked` counts masked secrets. */
export interface EventAppendResult {
  saw: ReadState;
  event: Event;
  duplicate: boolean;
  masked: number;
}

/**
 * The events, newest first, or with a text best first. `next` is `before` of the next page, None at the end.
 *
 * `notes` of an empty answer name the values that no event has.
 */
export interface EventQueryResult {
  saw: ReadState;
  hits: readonly EventHit[];
  next: number | null;
  notes: readonly string[];
}

/** A found event. With a text: its score and its ranks by words and by meaning, from 1; 0 is not found that way. */
export interface EventHit {
  event: Event;
  score: number;
  words: number;
  meaning: number;
}

/** The events in their order, none when the time was over. `last` is the `after` of the next call. */
export interface EventWaitResult {
  saw: ReadState;
  events: readonly Event[];
  last: number;
}

/**
 * The number of events, in all and `by` event_type, actor, source and day; `turns` counts turns by state.
 *
 * Deleted events are not counted, redacted ones are. `first` and `last` are days (UTC).
 */
export interface EventStatisticsResult {
  saw: ReadState;
  events: number;
  by: Readonly<Record<string, Readonly<Record<string, number>>>>;
  turns: Readonly<Record<string, number>>;
  first: string;
  last: string;
}

/** The event that records the change; with `dry_run` the one that would change. */
export interface EventChangeResult {
  saw: ReadState;
  event: Event;
}

/** The turn's token, which is shown only here, and when it expires (RFC 3339). */
export interface TurnBeginResult {
  saw: ReadState;
  ack_token: string;
  expires_at: string;
  event_position: number;
}

/** The event that ended the turn. */
export interface TurnEndResult {
  saw: ReadState;
  event: Event;
}

/** The spans, the last opened first. */
export interface SpanListResult {
  saw: ReadState;
  spans: readonly Span[];
}

/**
 * A session, a turn or a capsule. Its events have its id as their stream. `type` of a session is its client.
 *
 * `reason` says why a turn is incomplete: expired or ended. `scope` holds the ids that a capsule is bound to.
 */
export interface Span {
  id: string;
  kind: string;
  project_id: string;
  session_id: string;
  turn_id: string;
  parent: string;
  type: string;
  intent: string;
  scope: Readonly<Record<string, string>>;
  status: string;
  reason: string;
  opened_at: string;
  closed_at: string;
  expires_at: string;
}

/**
 * The events as lines of JSON, the same bytes each time until one is redacted.
 *
 * `digest` is the sha256 of the lines with their ends. `next` is `after` of the next page, None at the end.
 */
export interface AuditReplayResult {
  saw: ReadState;
  lines: readonly string[];
  count: number;
  digest: string;
  next: number | null;
  path: string;
}

/**
 * Whether the chain is intact. `events` were checked; `redacted` are the ids of those that a redaction blanked.
 *
 * `removed` counts events that retention removed. `head` is the last good hash.
 */
export interface AuditVerifyResult {
  saw: ReadState;
  ok: boolean;
  events: number;
  head: string;
  redacted: readonly string[];
  removed: number;
  broken: BrokenChain | null;
}

/** The first broken place. `kind` is changed, dropped, moved, truncated, blanked or unreadable. */
export interface BrokenChain {
  kind: string;
  position: number;
  event_id: string;
  message: string;
}

/** The events in their order, deleted and redacted ones too. `last` is the position to continue `after`. */
export interface AuditTailResult {
  saw: ReadState;
  events: readonly Event[];
  last: number;
}

/**
 * The sealed files that were written, and those that retention removed, in the journal's folder.
 *
 * With `dry_run` they are those that would be.
 */
export interface AuditSealResult {
  saw: ReadState;
  sealed: readonly string[];
  removed: readonly string[];
  folder: string;
}

/** The projections. `events` is the position of the last event; `failure` says why they do not follow. */
export interface ProjectionsStatusResult {
  saw: ReadState;
  events: number;
  projections: readonly ProjectionState[];
  failure: string;
}

/** A projection: its tables, the position that it holds, and how many events it lags behind. */
export interface ProjectionState {
  name: string;
  tables: readonly string[];
  offset: number;
  lag: number;
}

/** The projections that were built again. */
export interface ProjectionsRebuildResult {
  saw: ReadState;
  rebuilt: readonly RebuiltProjection[];
}

/** A projection, the sha256 of its content, and whether that is the same as before. */
export interface RebuiltProjection {
  name: string;
  digest: string;
  same: boolean;
}

/** The rows, the newest first, with the names of the columns. */
export interface ProjectionsShowResult {
  saw: ReadState;
  rows: readonly Readonly<Record<string, unknown>>[];
}

/** The capsule. */
export interface CapsuleResult {
  saw: ReadState;
  capsule: Span;
}

/** The recorded event. `duplicate`: it was recorded before, under the same key; `masked` counts masked secrets. */
export interface CapsuleEventResult {
  saw: ReadState;
  event: Event;
  duplicate: boolean;
  masked: number;
}

/** The capsules, the last opened first. */
export interface CapsuleListResult {
  saw: ReadState;
  capsules: readonly Span[];
}

/**
 * Pins, then the latest summaries of open capsules, then candidates.
 *
 * Pins and summaries are never left out. `over` counts the tokens by which they exceed the budget; the answer then has
 * no candidates. `left_out` counts the candidates that did not fit.
 */
export interface CapsuleRetrieveResult {
  saw: ReadState;
  items: readonly RetrievedItem[];
  tokens: number;
  over: number;
  left_out: number;
}

/** An item. `tier` is pin, summary or candidate; `score` and the ranks by words and meaning are a candidate's. */
export interface RetrievedItem {
  tier: string;
  event: Event;
  tokens: number;
  score: number;
  words: number;
  meaning: number;
}

/** The bundle: the same content gives the same bundle. */
export interface CapsuleExportResult {
  saw: ReadState;
  bundle: Readonly<Record<string, unknown>>;
}

/** The numbers of new, replaced and known items, and the ids of those that differ here and were skipped. */
export interface CapsuleImportResult {
  saw: ReadState;
  imported: number;
  replaced: number;
  known: number;
  skipped: readonly string[];
}

/** The recorded event. `duplicate`: it was recorded before, under the same key; `masked` counts masked secrets. */
export interface RecordedResult {
  saw: ReadState;
  event: Event;
  duplicate: boolean;
  masked: number;
}

/** The decisions, the newest first. */
export interface DecisionListResult {
  saw: ReadState;
  decisions: readonly RecordedDecision[];
}

/** A decision. `supersedes` are the decisions before it in the chain, the nearest first. */
export interface RecordedDecision {
  decision_id: string;
  title: string;
  rationale: string;
  status: string;
  session_id: string;
  occurred_at: string;
  event_id: string;
  supersedes: readonly string[];
  context: string;
  outcome: string;
  success: boolean | null;
}

/**
 * Active decisions, newest first; facts, best or newest first; turns, newest first.
 *
 * With a budget, decisions come first, then facts, then turns; `left_out` counts what had no room.
 */
export interface JournalContextResult {
  saw: ReadState;
  decisions: readonly RecordedDecision[];
  facts: readonly Event[];
  turns: readonly TurnEvents[];
  tokens: number;
  left_out: number;
}

/** A turn and its last events, in their order. `more`: it has earlier ones, too. */
export interface TurnEvents {
  turn: Span;
  events: readonly Event[];
  more: boolean;
}

/** The agent, its key, and the hand-offs that it may take. */
export interface AgentRegisterResult {
  saw: ReadState;
  agent: Agent;
  agent_key: string;
  handoffs: readonly HandoffNote[];
}

/**
 * A registered agent. `seconds_left` is how long it stays active without another call; `leases` are its resources.
 *
 * `granted`: a person granted it the rights of its role. `root` is its work tree.
 */
export interface Agent {
  name: string;
  role: string;
  session: string;
  root: string;
  client: string;
  task: string;
  granted: boolean;
  registered_at: string;
  seconds_left: number;
  leases: readonly string[];
}

/** A note that waits for its taker. `to` is an agent's name, a role, or empty for anyone. */
export interface HandoffNote {
  number: number;
  sender: string;
  to: string;
  text: string;
  resources: readonly string[];
  sent_at: string;
}

/** The agent, the hand-offs that it may take, and the files that other work trees are changing as well. */
export interface AgentHeartbeatResult {
  saw: ReadState;
  agent: Agent;
  handoffs: readonly HandoffNote[];
  overlaps: readonly string[];
}

/** The name of the agent. Its leases ended with it. */
export interface AgentLeaveResult {
  saw: ReadState;
  name: string;
}

/** The active agents by name, and the hand-offs that wait, the oldest first. */
export interface AgentListResult {
  saw: ReadState;
  agents: readonly Agent[];
  handoffs: readonly HandoffNote[];
}

/** The agent's name, its role, and whether it has the rights. */
export interface AgentGrantResult {
  saw: ReadState;
  name: string;
  role: string;
  granted: boolean;
}

/** The note. */
export interface AgentHandoffResult {
  saw: ReadState;
  handoff: HandoffNote;
}

/** The note, and the leases that came with it. */
export interface AgentTakeResult {
  saw: ReadState;
  handoff: HandoffNote;
  leases: readonly Lease[];
}

/** A resource that one agent works on: `file:PATH` or `task:NAME`. `token` is the fencing token: it only grows. */
export interface Lease {
  resource: string;
  agent: string;
  token: number;
  claimed_at: string;
  seconds_left: number;
}

/** The leases of the agent. */
export interface LeaseClaimResult {
  saw: ReadState;
  leases: readonly Lease[];
}

/** The resources that are free now. */
export interface LeaseReleaseResult {
  saw: ReadState;
  released: readonly string[];
}

/** The leases, by resource. */
export interface LeaseListResult {
  saw: ReadState;
  leases: readonly Lease[];
}

/** The agents that passed together. */
export interface BarrierWaitResult {
  saw: ReadState;
  agents: readonly string[];
}

/**
 * The pack of a context file as markdown; `tokens` counts all of it and never exceeds `budget`.
 *
 * `cut` is true when even the file's own text does not fit and its end is missing.
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
 * A reference of a context file: its tokens in the pack, or the problem why it is missing.
 *
 * `known` is true when the pack already has its content, because of another reference.
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

/** The context file that was created, relative to the root. */
export interface TemplateNewResult {
  saw: ReadState;
  path: string;
  template: string;
  text: string;
}

/** The templates, by name. */
export interface TemplateListResult {
  saw: ReadState;
  templates: readonly Template[];
}

/** A template of context files. */
export interface Template {
  name: string;
  summary: string;
}

/** The faults of a file, by line. `kind` is the kind of file; `ok` is true without errors. */
export interface LintResult {
  saw: ReadState;
  path: string;
  kind: string;
  ok: boolean;
  faults: readonly Fault[];
}

/**
 * A fault in a file.
 *
 * `line` and `column` are 1-based and count characters; `end` is the column after the fault, 0 for the end of the
 * line. `level` is error, warning or information; `rule` is a rule of `check`.
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

/** A fix: replacement text for a span of the fault's line, or a verb with its parameters. */
export interface Fix {
  title: string;
  column: number;
  end: number;
  text: string;
  verb: string;
  params: Readonly<Record<string, unknown>>;
}

/** The references of a file, in its order. */
export interface ReferencesResult {
  saw: ReadState;
  path: string;
  references: readonly Meaning[];
}

/**
 * The target of a reference: a memory, document, knowledge, file, folder, symbol or question.
 *
 * `line` and `column` are the reference's, 1-based. `path`, `start` and `last` (lines, 0 for the whole file) are the
 * target's. `markdown` is the text to show. `problem` is what is missing; `near` is a similar name.
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

/**
 * References to a file, document or memory, by path and line; those in memories come last, by id. `target` is its
 * name.
 */
export interface BacklinksResult {
  saw: ReadState;
  target: string;
  backlinks: readonly Backlink[];
}

/**
 * A reference and its place: `line` and `column` are 1-based, `end` is exclusive; `text` is the line's text.
 *
 * For a reference in a memory `id` is set, and the place is that of its record, if a file of the work tree has it.
 */
export interface Backlink {
  path: string;
  line: number;
  column: number;
  end: number;
  text: string;
  id: string;
}

/** The edits that keep links valid after a rename, by path, line and column. */
export interface RelinkResult {
  saw: ReadState;
  edits: readonly Edit[];
}

/** Replacement text for a span of a line (1-based; `end` exclusive). */
export interface Edit {
  path: string;
  line: number;
  column: number;
  end: number;
  text: string;
}

/** The matching names, best first. `more` is true when there are others. */
export interface NamesResult {
  saw: ReadState;
  names: readonly Name[];
  more: boolean;
}

/** A name that a text can refer to; `insert` is the text to write. `kind` is as in `Meaning`, or context or tag. */
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
 * The annotations of a file: notes by line and id, code lenses, and doubtful citations.
 *
 * `pointers` are the places where its text names memories and decisions. `omitted` counts memories beyond the limit,
 * `pending` citations that were not checked in time; the next answer has them.
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
 * A memory (`id`) or a decision document (`path`) that concerns a file.
 *
 * Lines are the current place of the code (1-based, inclusive), 0 for the whole file. `trust` is that of the memory,
 * "user" for a document. `author` and `ts` say who wrote the memory, and when.
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
  author: string;
  ts: string;
}

/** A line above a definition or the file (lines 0), as "2 decisions, 1 stale"; `ids` and `paths` name the notes. */
export interface Lens {
  start: number;
  end: number;
  symbol: string;
  title: string;
  ids: readonly string[];
  paths: readonly string[];
}

/**
 * A disagreement of code and memory, or of two work trees.
 *
 * `rule` is drifted (the cited text has changed), gone (the code that a constraint or decision cites was removed) or
 * contradicted (the cited code, or a newer memory of it, states the opposite of a constraint or decision), or shared
 * (another work tree is changing the file, too), which has no `id`.
 */
export interface Doubt {
  level: 'information' | 'warning';
  rule: 'contradicted' | 'drifted' | 'gone' | 'shared';
  start: number;
  end: number;
  message: string;
  id: string;
  related: readonly Spot[];
}

/** A place related to a doubt: lines of a file, or a memory (`id`). */
export interface Spot {
  message: string;
  path: string;
  start: number;
  end: number;
  id: string;
}

/**
 * A link in the text of a file, to a document of Muninn (`uri`) or to a file (`path`).
 *
 * `line` is 1-based. `start` and `end` are offsets of characters in the line, 0-based, `end` exclusive.
 */
export interface Pointer {
  line: number;
  start: number;
  end: number;
  uri: string;
  path: string;
}

/**
 * What is remembered about the place, as markdown ("" for nothing), and the ids of the memories in it.
 *
 * Where nothing is remembered, `notice` says how much is about the rest of the file, or that the file does not exist,
 * with the nearest path.
 */
export interface AboutResult {
  saw: ReadState;
  text: string;
  ids: readonly string[];
  notice: string;
}

/** The document's title, and its text as markdown. */
export interface DocumentResult {
  saw: ReadState;
  uri: string;
  title: string;
  text: string;
}

/** The draft file; saving it in an editor stores the memory. `path` is absolute. */
export interface DraftResult {
  saw: ReadState;
  path: string;
  text: string;
}

/**
 * The redacted memory, the ids of all that were redacted (those merged with it, too), and the rewritten files.
 *
 * `events` counts the events of the journal that held its text. With `dry_run` they are those that would change.
 */
export interface RedactResult {
  saw: ReadState;
  ids: readonly string[];
  files: readonly string[];
  events: number;
  memory: Memory;
}

/**
 * Where git still has the text of the memories. Nothing is changed.
 *
 * `refs` are the branches, tags and stashes whose current tree has it. `total` counts the commits; `blobs` are the
 * file contents to remove from the history.
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

/** A commit that added the text (`holds`) or removed it (`removes`), and its files. */
export interface HoldingCommit {
  commit: string;
  time: string;
  subject: string;
  effect: string;
  paths: readonly string[];
}

/**
 * The routes, what this repository uses them for, and what is left of the day's budget.
 *
 * `problems` are settings that do not apply. `file` is the user's own settings.
 */
export interface ModelsListResult {
  saw: ReadState;
  file: string;
  routes: readonly ModelRoute[];
  use: Readonly<Record<string, string>>;
  tokens_left: number | null;
  usd_left: number | null;
  problems: readonly string[];
}

/** A route. `host` is where requests go, or the program that is started. `problem` says why it can't be used now. */
export interface ModelRoute {
  name: string;
  dialect: string;
  model: string;
  host: string;
  local: boolean;
  key: string;
  price_in: number | null;
  price_out: number | null;
  problem: string;
}

/**
 * Whether a route answers. `model` is the name that the model gave itself.
 *
 * `tools` is whether it called the function that it was offered; None for a program, which is offered none.
 */
export interface ModelsTestResult {
  saw: ReadState;
  route: string;
  text: string;
  model: string;
  tools: boolean | null;
  ms: number;
  spent: Spent;
  prompts: readonly ShownPrompt[];
}

/** What is sent. `about` are the memories in it; `tokens` is an estimate, `usd` the most that it may cost. */
export interface ShownPrompt {
  route: string;
  purpose: string;
  messages: readonly SentMessage[];
  about: readonly string[];
  tokens: number;
  usd: number;
}

/** One message of a prompt, with secrets masked. */
export interface SentMessage {
  role: string;
  text: string;
}

/** What the user's calls cost, of all repositories: in total, by purpose and by route. */
export interface ModelsUsageResult {
  saw: ReadState;
  days: number;
  total: Spent;
  by_purpose: Readonly<Record<string, Spent>>;
  by_route: Readonly<Record<string, Spent>>;
  calls: readonly ModelCall[];
}

/** One call of the ledger. `prompt` is a hash of what was sent. */
export interface ModelCall {
  ts: string;
  route: string;
  model: string;
  purpose: string;
  state: string;
  tokens_in: number;
  tokens_out: number;
  usd: number;
  ms: number;
  prompt: string;
  session: string;
  repository: string;
  error: string;
}

/** Where the key of the route is now: `memory` or `keychain`. */
export interface ModelsKeyResult {
  saw: ReadState;
  route: string;
  place: string;
}

/** The enriched memories. `left` counts those that still have no enrichment. */
export interface EnrichResult {
  saw: ReadState;
  memories: readonly Enriched[];
  spent: Spent;
  left: number;
  prompts: readonly ShownPrompt[];
}

/** The enrichment of one memory. `problem` says why the answer was not used; the memory is unchanged then. */
export interface Enriched {
  id: string;
  summary: string;
  keywords: readonly string[];
  tags: readonly string[];
  kind: string;
  importance: number;
  questions: readonly string[];
  problem: string;
}

/**
 * The pairs, most similar first. `waiting` counts pairs that were not asked about.
 *
 * `proposal` is set when two memories were named.
 */
export interface JudgeResult {
  saw: ReadState;
  pairs: readonly JudgedPair[];
  waiting: number;
  spent: Spent;
  dry_run: boolean;
  prompts: readonly ShownPrompt[];
  proposal: ConsolidationProposal | null;
}

/**
 * Two memories that the rules leave as new, and the model's verdict: same, new, contradictory or uncertain.
 *
 * `likeness` is the cosine of their meaning. `problem` says why there is no verdict.
 */
export interface JudgedPair {
  left: string;
  right: string;
  left_text: string;
  right_text: string;
  likeness: number;
  verdict: string;
  reason: string;
  problem: string;
}

/**
 * A model's proposal for two memories: merge, supersede or keep_both. Nothing is recorded.
 *
 * `keep` is the memory that stays active, `gone` the one that is merged or superseded, `text` the merged text. `by` is
 * the model and the version of the prompt.
 * `problem` says why there is no decision.
 */
export interface ConsolidationProposal {
  by: string;
  decision: string;
  keep: string;
  gone: string;
  text: string;
  reason: string;
  problem: string;
}

/**
 * The links. `compared` counts the memories that links were looked for, `recorded` the links that were stored.
 *
 * With `undo`, `links` are those that are removed, or that would be without `apply`. `titles` has the headlines of the
 * memories, by id.
 */
export interface LinkResult {
  saw: ReadState;
  links: readonly ProposedLink[];
  titles: Readonly<Record<string, string>>;
  compared: number;
  recorded: number;
  undone: boolean;
  prompts: readonly ShownPrompt[];
  spent: Spent;
}

/**
 * A link from a newer memory to an older one. `strength` is 0 to 1; `by` is who found it.
 *
 * `problem` says why it is not recorded, or without a target why the memory got no links.
 */
export interface ProposedLink {
  source: string;
  target: string;
  relation: string;
  strength: number;
  reason: string;
  by: string;
  recorded: boolean;
  problem: string;
}

/**
 * The work tree's root, and the files that `init` created, relative to the root.
 *
 * `looked` is the number of commits that were read, the newest ones, and `memorable` how many of them `backfill git`
 * would remember. Both are 0 in a repository that is initialised already. `repositories` are the folders with a
 * repository of their own, such as submodules, whose files are not indexed.
 */
export interface InitResult {
  saw: ReadState;
  root: string;
  created: readonly string[];
  looked: number;
  memorable: number;
  repositories: readonly string[];
}

/**
 * The state of the daemon and the repository.
 *
 * `mode` is read-write, read-only or uninitialised. Sizes are in bytes.
 */
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
  journal: JournalStatus;
  problems: readonly Problem[];
  bridges: readonly BridgeStatus[];
}

/**
 * The state of the index.
 *
 * `state` is absent, opening, building, ready or failed. `lag` counts changed files that are not fully searchable
 * yet; of these, `surveyed` can be found by the words of the whole file. `chunks` are searchable by words,
 * `vectors` of them also by meaning. `skipped` counts the files that are not indexed, by reason. `repositories`
 * are the folders with a repository of their own, such as submodules, whose files are not indexed. `encoder` is
 * the text encoder for memories, "" where it is not installed; `encoded` memories have its vector.
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
  repositories: readonly string[];
  encoder: string;
  encoded: number;
}

/**
 * The memory log.
 *
 * `memories` counts active ones, `unsealed` the records that no segment holds yet, `pending` the memories that wait
 * for approval. `sessions` counts those with records since the last reconcile. `reconcile` is how the last run in the
 * background began or ended, "" for none since the daemon started. `upkeep` counts the steps of `evolve` that wait, as
 * they were last planned.
 */
export interface LogStatus {
  records: number;
  memories: number;
  unsealed: number;
  segments: number;
  malformed: number;
  conflicts: number;
  pending: number;
  sessions: number;
  reconcile: string;
  upkeep: number;
}

/** The user's global memory. `path` is "" when it is disabled or has no folder. */
export interface SharedStatus {
  path: string;
  memories: number;
}

/**
 * The journal. `path` is "" while nothing was recorded. `lag` counts events that a projection lacks.
 *
 * `failure` says why the projections do not follow.
 */
export interface JournalStatus {
  path: string;
  events: number;
  lag: number;
  failure: string;
}

/** A problem that a person should fix. `path` is relative to the root; `line` is 1-based, 0 for the whole file. */
export interface Problem {
  kind: string;
  message: string;
  path: string;
  line: number;
  hint: string;
}

/**
 * The memory of another tool. `on` says whether it is read, `files` how many of its files are indexed.
 *
 * `trust` is the trust of its memories. `folder` is set when it lies outside the work tree.
 */
export interface BridgeStatus {
  name: string;
  title: string;
  on: boolean;
  files: number;
  trust: 'agent' | 'commit' | 'outside' | 'user';
  folder: string;
}

/** Whether all checks are good, and the checks. */
export interface ReadyResult {
  saw: ReadState;
  ok: boolean;
  checks: readonly ReadyCheck[];
}

/** One check: memory, index, journal or projections. `hint` says what to do, "" when there is nothing to do. */
export interface ReadyCheck {
  name: string;
  ok: boolean;
  message: string;
  hint: string;
}

/** The metrics in Prometheus' text format, version 0.0.4. Times are in seconds, sizes in bytes. */
export interface MetricsResult {
  saw: ReadState;
  text: string;
}

/** The index after the update. `changed` and `removed` count files; `skipped` counts files by reason. */
export interface IndexResult {
  saw: ReadState;
  files: number;
  chunks: number;
  changed: number;
  removed: number;
  seconds: number;
  skipped: Readonly<Record<string, number>>;
}

/** The keys in the order of the reference. `problems` are wrong keys of the files, one sentence each. */
export interface ConfigListResult {
  saw: ReadState;
  entries: readonly ConfigEntry[];
  problems: readonly string[];
}

/**
 * A key of the configuration with its value.
 *
 * `value` and `default` are as YAML writes them. `origin` is `default`, or the file that sets the key with its line.
 */
export interface ConfigEntry {
  key: string;
  value: string;
  default: string;
  origin: string;
  about: string;
  takes: string;
}

/** A key with its value. `changed` is true when the file was changed. */
export interface ConfigResult {
  saw: ReadState;
  entry: ConfigEntry;
  changed: boolean;
}

/** The process id of the daemon that stops. */
export interface ShutdownResult {
  pid: number;
}
