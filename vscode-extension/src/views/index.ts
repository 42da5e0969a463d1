// The views of Muninn's container: the request of each one, and when it is repeated.

import * as vscode from 'vscode';
import { activeFiles, followActiveUri } from '../activeFile';
import { within } from '../paths';
import type { Repositories } from '../repositories';
import type { Server } from '../server';
import { completeSteps } from '../walkthrough';
import { fileNodes, type Grouping, memoryNodes, timelineNodes, withConflicts } from './memories';
import { type Node, rowsOf } from './node';
import { conflictNodes, knowledgeNodes, sessionNodes, staleNodes } from './rest';
import { Tree } from './tree';
import { counted } from '../state';

/** The maximum number of memories in a view. */
const LISTED = 500;

const KNOWLEDGE = '.muninn/{knowledge,packs,context}/**/*.md';

/** All views, of the current repository. */
export class Views implements vscode.Disposable {
  private readonly trees: Readonly<Record<'memory' | 'file' | 'timeline' | 'sessions' | 'conflicts' | 'stale' | 'knowledge', Tree>>;
  private readonly registrations: vscode.Disposable[] = [];
  private files: vscode.FileSystemWatcher | undefined;
  private words = '';
  private loadedState = '';
  private lastFile: { readonly server: Server; readonly file: string } | undefined;

  constructor(
    private readonly repositories: Repositories,
    private readonly onRefresh: () => void,
  ) {
    const load = (rows: (server: Server, within?: Node) => Promise<readonly Node[]>) => (within?: Node) =>
      this.loaded((server) => rows(server, within), within);
    this.trees = {
      memory: new Tree('muninn.memory', load((server) => this.memories(server)), () => this.emptyMemory()),
      file: new Tree('muninn.file', load((server) => this.aboutActiveFile(server)), () => this.emptyFile()),
      timeline: new Tree('muninn.timeline', load((server) => this.timeline(server)), () => this.emptyFile()),
      sessions: new Tree('muninn.sessions', load((server, one) => this.sessions(server, one)), () => 'No session has remembered anything.'),
      conflicts: new Tree('muninn.conflicts', load(conflicts), () => 'No conflict waits for a decision.', badge),
      stale: new Tree('muninn.stale', load(stale), () => 'No memory cites code that has changed.'),
      knowledge: new Tree('muninn.knowledge', load(knowledge), () => 'No pages of knowledge, packs or context files yet.'),
    };
    this.registrations.push(
      ...Object.values(this.trees),
      repositories.onDidChange(() => this.showCurrent()),
      repositories.onDidChangeState((server) => server === repositories.currentIfAny && this.refreshIfChanged(server)),
      followActiveUri(() => {
        this.describe();
        this.trees.file.refresh();
        this.trees.timeline.refresh();
        this.onRefresh();
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
    this.onRefresh();
  }

  /** Lists only memories that contain these words; all of them for an empty text. */
  setFilter(words: string): void {
    this.words = words;
    this.describe();
    void vscode.commands.executeCommand('setContext', 'muninn.filtered', !!words);
    this.trees.memory.refresh();
  }

  /** The words of the filter; empty without one. */
  get filter(): string {
    return this.words;
  }

  dispose(): void {
    for (const registration of [...this.registrations, this.files]) registration?.dispose();
  }

  /** Shows the current repository. */
  private showCurrent(): void {
    const server = this.repositories.currentIfAny;
    this.files?.dispose();
    this.files = server && vscode.workspace.createFileSystemWatcher(knowledgeOf(server));
    this.files?.onDidCreate(() => this.trees.knowledge.refresh());
    this.files?.onDidDelete(() => this.trees.knowledge.refresh());
    this.loadedState = '';
    this.describe();
    if (server) this.refreshIfChanged(server);
    else setContext({ uninitialised: this.repositories.withoutMemory.length > 0, initialised: false, remembers: false, unsealed: false });
    this.refresh();
  }

  /** Sets the descriptions beside the titles of the views. */
  private describe(): void {
    const server = this.repositories.currentIfAny;
    const file = server && this.fileOf(server);
    const name = file?.slice(file.lastIndexOf('/') + 1);
    const more = { memory: this.words && `“${this.words}”`, file: name, timeline: name };
    for (const [view, tree] of Object.entries(this.trees)) {
      tree.describe([server?.isAlone ? '' : server?.name, more[view as keyof typeof more]].filter((part) => part).join(' · '));
    }
  }

  /** Refreshes when memory, HEAD or a file that may be cited has changed. */
  private refreshIfChanged({ state: { status } }: Server): void {
    if (!status) return;
    const { saw, log } = status;
    const now = [saw.commit, saw.branch, saw.log, saw.shared, saw.index.generation, log.conflicts, log.unsealed, status.mode].join();
    if (now === this.loadedState) return;
    this.loadedState = now;
    const isUninitialised = status.mode === 'uninitialised';
    const context = { uninitialised: isUninitialised, initialised: !isUninitialised, remembers: log.memories > 0, unsealed: log.unsealed > 0 };
    setContext(context);
    void completeSteps();
    this.refresh();
  }

  /** The rows of the current repository, or below one of its rows, as `load` gives them. */
  private async loaded(load: (server: Server) => Promise<readonly Node[]>, within?: Node): Promise<Node[]> {
    const server = this.repositories.byKey(within?.repository);
    return rowsOf(server.key, await load(server));
  }

  private async memories(server: Server): Promise<Node[]> {
    const text = this.words || null;
    const found = await server.request('memories', { text, limit: LISTED });
    const by = vscode.workspace.getConfiguration('muninn', server.folder).get<Grouping>('views.groupBy', 'type');
    return withConflicts(memoryNodes(found.memories, found.citations, by, found.total), await conflicting(server));
  }

  private async aboutActiveFile(server: Server): Promise<Node[]> {
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

  /** The text of the view Memory without rows. */
  private emptyMemory(): string {
    return this.words ? `No memory contains “${this.words}”.` : 'No memory yet. “Muninn: Remember” stores the first.';
  }

  /** The text of a view of a file without rows. */
  private emptyFile(): string {
    const server = this.repositories.currentIfAny;
    return server && this.fileOf(server) ? 'Nothing is remembered about this file.' : 'No file of this repository is open.';
  }

  /** The active file, or the last one while it is open: a comparison, a page or a list of results is no other file. */
  private fileOf(server: Server): string | undefined {
    const [file] = activeFiles(server);
    if (file) this.lastFile = { server, file };
    if (file || this.lastFile?.server !== server) return file;
    const place = server.file(this.lastFile.file).toString();
    const inputs = vscode.window.tabGroups.all.flatMap((group) => group.tabs).map(({ input }) => input);
    const isOpen = inputs.some((input) => input instanceof vscode.TabInputText && input.uri.toString() === place);
    return isOpen ? this.lastFile.file : undefined;
  }

  private async sessions(server: Server, one?: Node): Promise<Node[]> {
    if (!one) return sessionNodes((await server.request('sessions', { limit: LISTED })).sessions);
    const found = await server.request('memories', { session: one.key, limit: LISTED });
    return memoryNodes(found.memories, found.citations, 'none', found.total, one.key);
  }
}

/** Sets the keys that the conditions in package.json use. */
function setContext(context: Readonly<Record<string, boolean>>): void {
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
  return { value: rows.length, tooltip: counted(rows.length, 'conflict waits', 'conflicts wait') };
}
