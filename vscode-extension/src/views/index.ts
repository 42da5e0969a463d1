// The views of Muninn's container: the request of each one, and when it is repeated.

import * as vscode from 'vscode';
import { filesAtHand, followPlace } from '../commands/place';
import { within } from '../paths';
import type { Repositories } from '../repositories';
import type { Server } from '../server';
import { completeSteps } from '../walkthrough';
import { fileNodes, type Grouping, memoryNodes, timelineNodes, withConflicts } from './memories';
import { type Node, rowsOf } from './node';
import { conflictNodes, knowledgeNodes, sessionNodes, staleNodes } from './rest';
import { Tree } from './tree';

/** The most memories that a view lists: beyond it a filter or a recall serves better than scrolling. */
const LISTED = 500;

const KNOWLEDGE = '.muninn/{knowledge,packs,context}/**/*.md';

/** All views, of the current repository. */
export class Views implements vscode.Disposable {
  private readonly trees: Readonly<Record<'memory' | 'file' | 'timeline' | 'sessions' | 'conflicts' | 'stale' | 'knowledge', Tree>>;
  private readonly registrations: vscode.Disposable[] = [];
  private files: vscode.FileSystemWatcher | undefined;
  private filter = '';
  private seen = '';
  private last: { readonly server: Server; readonly file: string } | undefined;

  constructor(
    private readonly repositories: Repositories,
    private readonly settled: () => void,
  ) {
    const load = (rows: (server: Server, within?: Node) => Promise<readonly Node[]>) => (within?: Node) =>
      this.loaded((server) => rows(server, within), within);
    this.trees = {
      memory: new Tree('muninn.memory', load((server) => this.memories(server)), () => this.noMemory()),
      file: new Tree('muninn.file', load((server) => this.atHand(server)), () => this.aboutFile()),
      timeline: new Tree('muninn.timeline', load((server) => this.timeline(server)), () => this.aboutFile()),
      sessions: new Tree('muninn.sessions', load((server, one) => this.sessions(server, one)), () => 'No session has remembered anything.'),
      conflicts: new Tree('muninn.conflicts', load(conflicts), () => 'No conflict waits for a decision.', badge),
      stale: new Tree('muninn.stale', load(stale), () => 'No memory cites code that has changed.'),
      knowledge: new Tree('muninn.knowledge', load(knowledge), () => 'No pages of knowledge, packs or context files yet.'),
    };
    this.registrations.push(
      ...Object.values(this.trees),
      repositories.onDidChange(() => this.turn()),
      repositories.onDidChangeState((server) => server === repositories.atHand && this.follow(server)),
      followPlace(() => {
        this.describe();
        this.trees.file.refresh();
        this.trees.timeline.refresh();
        this.settled();
      }),
      vscode.workspace.onDidChangeConfiguration((change) => {
        if (change.affectsConfiguration('muninn.views')) this.trees.memory.refresh();
      }),
    );
  }

  /** The rows of a view, or of one of its closed rows, as they are now. Throws a Failure. */
  rows(view: keyof Views['trees'], within?: Node): Promise<readonly Node[]> {
    return this.trees[view].rows(within);
  }

  /** The words beside the title of a view, for tests. */
  about(view: keyof Views['trees']): string {
    return this.trees[view].described;
  }

  /** Refreshes all views. */
  refresh(): void {
    for (const tree of Object.values(this.trees)) tree.refresh();
    this.settled();
  }

  /** Lists only memories whose text contains this; all of them for an empty text. */
  narrow(text: string): void {
    this.filter = text;
    this.describe();
    void vscode.commands.executeCommand('setContext', 'muninn.filtered', !!text);
    this.trees.memory.refresh();
  }

  /** What the list is narrowed to now. */
  get narrowed(): string {
    return this.filter;
  }

  dispose(): void {
    for (const registration of [...this.registrations, this.files]) registration?.dispose();
  }

  /** Shows the current repository. */
  private turn(): void {
    const server = this.repositories.atHand;
    this.files?.dispose();
    this.files = server && vscode.workspace.createFileSystemWatcher(knowledgeOf(server));
    this.files?.onDidCreate(() => this.trees.knowledge.refresh());
    this.files?.onDidDelete(() => this.trees.knowledge.refresh());
    this.seen = '';
    this.describe();
    if (server) this.follow(server);
    else tell({ uninitialised: this.repositories.bare.length > 0, initialised: false, remembers: false, unsealed: false });
    this.refresh();
  }

  /** Sets the descriptions beside the titles of the views. */
  private describe(): void {
    const server = this.repositories.atHand;
    const file = server && this.fileOf(server);
    const name = file?.slice(file.lastIndexOf('/') + 1);
    const more = { memory: this.filter && `“${this.filter}”`, file: name, timeline: name };
    for (const [view, tree] of Object.entries(this.trees)) {
      tree.describe([server?.alone ? '' : server?.name, more[view as keyof typeof more]].filter((part) => part).join(' · '));
    }
  }

  /** Refreshes when memory, HEAD or a file that may be cited has changed. */
  private follow({ state: { status } }: Server): void {
    if (!status) return;
    const { saw, log } = status;
    const now = [saw.commit, saw.branch, saw.log, saw.shared, saw.index.generation, log.conflicts, log.unsealed, status.mode].join();
    if (now === this.seen) return;
    this.seen = now;
    const isBare = status.mode === 'uninitialised';
    const context = { uninitialised: isBare, initialised: !isBare, remembers: log.memories > 0, unsealed: log.unsealed > 0 };
    tell(context);
    void completeSteps();
    this.refresh();
  }

  /** The rows of the current repository, or below one of its rows, as `load` gives them. */
  private async loaded(load: (server: Server) => Promise<readonly Node[]>, within?: Node): Promise<Node[]> {
    const server = this.repositories.keyed(within?.repository);
    return rowsOf(server.key, await load(server));
  }

  private async memories(server: Server): Promise<Node[]> {
    const text = this.filter || null;
    const found = await server.request('memories', { text, limit: LISTED });
    const by = vscode.workspace.getConfiguration('muninn', server.folder).get<Grouping>('views.groupBy', 'type');
    return withConflicts(memoryNodes(found.memories, found.citations, by, found.total), await conflicting(server));
  }

  private async atHand(server: Server): Promise<Node[]> {
    const file = this.fileOf(server);
    if (!file) return [];
    const found = await server.request('memories', { file, limit: LISTED });
    return withConflicts(fileNodes(found.memories, found.citations, file, found.total), await conflicting(server));
  }

  private async timeline(server: Server): Promise<Node[]> {
    const file = this.fileOf(server);
    if (!file) return [];
    const found = await server.request('memories', { file, limit: LISTED });
    return withConflicts(timelineNodes(found.memories, found.citations, found.total, new Date()), await conflicting(server));
  }

  /** What the list of memories says without rows. */
  private noMemory(): string {
    return this.filter ? `No memory contains “${this.filter}”.` : 'No memory yet. “Muninn: Remember” stores the first.';
  }

  /** What a view of a file says without rows. */
  private aboutFile(): string {
    const server = this.repositories.atHand;
    return server && this.fileOf(server) ? 'Nothing is remembered about this file.' : 'No file of this repository is open.';
  }

  /** The active file, or the last one while it is open: a comparison, a page or a list of results is no other file. */
  private fileOf(server: Server): string | undefined {
    const [file] = filesAtHand(server);
    if (file) this.last = { server, file };
    if (file || this.last?.server !== server) return file;
    const place = server.file(this.last.file).toString();
    const inputs = vscode.window.tabGroups.all.flatMap((group) => group.tabs).map(({ input }) => input);
    const isOpen = inputs.some((input) => input instanceof vscode.TabInputText && input.uri.toString() === place);
    return isOpen ? this.last.file : undefined;
  }

  private async sessions(server: Server, one?: Node): Promise<Node[]> {
    if (!one) return sessionNodes((await server.request('sessions', { limit: LISTED })).sessions);
    const found = await server.request('memories', { session: one.key, limit: LISTED });
    return memoryNodes(found.memories, found.citations, 'none', found.total, one.key);
  }
}

/** Tells VS Code what the conditions of views and buttons in package.json ask for. */
function tell(context: Readonly<Record<string, boolean>>): void {
  for (const [key, value] of Object.entries(context)) void vscode.commands.executeCommand('setContext', `muninn.${key}`, value);
}

/** The memories that are in a conflict. */
async function conflicting(server: Server): Promise<ReadonlySet<string>> {
  const { conflicts } = server.state.status?.log.conflicts ? await server.request('conflicts', {}) : { conflicts: [] };
  return new Set(conflicts.flatMap(({ left, right }) => [left.id, right.id]));
}

async function conflicts(server: Server): Promise<Node[]> {
  return conflictNodes((await server.request('conflicts', {})).conflicts);
}

async function stale(server: Server): Promise<Node[]> {
  return staleNodes((await server.request('verify', {})).found);
}

async function knowledge(server: Server): Promise<Node[]> {
  const files = await vscode.workspace.findFiles(knowledgeOf(server), null);
  return knowledgeNodes(files.map((file) => within(server.root, file.fsPath) ?? file.fsPath));
}

function knowledgeOf(server: Server): vscode.RelativePattern {
  return new vscode.RelativePattern(vscode.Uri.file(server.root), KNOWLEDGE);
}

function badge(rows: readonly Node[]): vscode.ViewBadge | undefined {
  if (!rows.length) return undefined;
  return { value: rows.length, tooltip: rows.length === 1 ? '1 conflict waits' : `${rows.length} conflicts wait` };
}
