// The views of Muninn's container: what each one asks the server for, and when it asks anew.

import * as vscode from 'vscode';
import { filesAtHand } from '../commands/place';
import type { StatusResult } from '../protocol';
import type { Server } from '../server';
import { type Grouping, memoryNodes } from './memories';
import type { Node } from './node';
import { conflictNodes, knowledgeNodes, sessionNodes, staleNodes } from './rest';
import { Tree } from './tree';

/** The most memories that a view lists: beyond it a filter or a recall serves better than scrolling. */
const LISTED = 500;

const KNOWLEDGE = '.muninn/{knowledge,packs,context}/**/*.md';

/** All views of one server. */
export class Views implements vscode.Disposable {
  private readonly trees: Readonly<Record<'memory' | 'file' | 'sessions' | 'conflicts' | 'stale' | 'knowledge', Tree>>;
  private readonly registrations: vscode.Disposable[] = [];
  private filter = '';
  private seen = '';
  private looked = false;

  constructor(
    private readonly server: Server,
    private readonly settled: () => void,
  ) {
    this.trees = {
      memory: new Tree('muninn.memory', () => this.memories(), () => 'No memory yet: “Muninn: Remember” stores the first.'),
      file: new Tree('muninn.file', () => this.atHand(), () =>
        this.looked ? 'Nothing is remembered about this file.' : 'No file of this repository is at hand.',
      ),
      sessions: new Tree('muninn.sessions', (one) => this.sessions(one), () => 'No session has remembered anything.'),
      conflicts: new Tree('muninn.conflicts', () => this.conflicts(), () => 'No contradictions wait for you.', badge),
      stale: new Tree('muninn.stale', () => this.stale(), () => 'All code that memories cite still says so.'),
      knowledge: new Tree('muninn.knowledge', () => this.knowledge(), () => 'No knowledge files in .muninn/knowledge.'),
    };
    const files = vscode.workspace.createFileSystemWatcher(new vscode.RelativePattern(server.folder, KNOWLEDGE));
    this.registrations.push(
      ...Object.values(this.trees),
      files,
      files.onDidCreate(() => this.trees.knowledge.refresh()),
      files.onDidDelete(() => this.trees.knowledge.refresh()),
      server.onDidChange(({ status }) => status && this.follow(status)),
      vscode.window.onDidChangeActiveTextEditor(() => {
        this.trees.file.refresh();
        this.settled();
      }),
      vscode.workspace.onDidChangeConfiguration((change) => {
        if (change.affectsConfiguration('muninn.views', server.folder)) this.trees.memory.refresh();
      }),
    );
  }

  /** The rows of a view, or of one of its closed rows, as they are now. Throws a Failure. */
  rows(view: keyof Views['trees'], within?: Node): Promise<readonly Node[]> {
    return this.trees[view].rows(within);
  }

  /** Asks for all views anew. */
  refresh(): void {
    for (const tree of Object.values(this.trees)) tree.refresh();
    this.settled();
  }

  /** Lists only memories whose text contains this; all of them for an empty text. */
  narrow(text: string): void {
    this.filter = text;
    this.trees.memory.describe(text ? `“${text}”` : '');
    void vscode.commands.executeCommand('setContext', 'muninn.filtered', !!text);
    this.trees.memory.refresh();
  }

  /** What the list is narrowed to now. */
  get narrowed(): string {
    return this.filter;
  }

  dispose(): void {
    for (const registration of this.registrations) registration.dispose();
  }

  /** Asks anew when memory, HEAD or a file that may be cited has changed. */
  private follow(status: StatusResult): void {
    const { saw, log } = status;
    const now = [saw.commit, saw.branch, saw.log, saw.shared, saw.index.generation, log.conflicts, status.mode].join();
    if (now === this.seen) return;
    this.seen = now;
    void vscode.commands.executeCommand('setContext', 'muninn.uninitialised', status.mode === 'uninitialised');
    this.refresh();
  }

  private async memories(): Promise<Node[]> {
    const text = this.filter || null;
    const found = await this.server.request('memories', { text, limit: LISTED });
    const by = vscode.workspace.getConfiguration('muninn', this.server.folder).get<Grouping>('views.groupBy', 'type');
    return memoryNodes(found.memories, found.citations, by, found.total);
  }

  private async atHand(): Promise<Node[]> {
    const [file] = await filesAtHand(this.server);
    this.trees.file.describe(file?.slice(file.lastIndexOf('/') + 1) ?? '');
    this.looked = file !== undefined;
    if (!file) return [];
    const found = await this.server.request('memories', { file, limit: LISTED });
    return memoryNodes(found.memories, found.citations, 'none', found.total);
  }

  private async sessions(one?: Node): Promise<Node[]> {
    if (!one) return sessionNodes((await this.server.request('sessions', { limit: LISTED })).sessions);
    const found = await this.server.request('memories', { session: one.key, limit: LISTED });
    return memoryNodes(found.memories, found.citations, 'none', found.total, one.key);
  }

  private async conflicts(): Promise<Node[]> {
    return conflictNodes((await this.server.request('conflicts', {})).conflicts);
  }

  private async stale(): Promise<Node[]> {
    return staleNodes((await this.server.request('verify', {})).found);
  }

  private async knowledge(): Promise<Node[]> {
    const pattern = new vscode.RelativePattern(this.server.folder, KNOWLEDGE);
    const files = await vscode.workspace.findFiles(pattern, null);
    return knowledgeNodes(files.map((file) => vscode.workspace.asRelativePath(file, false)));
  }
}

function badge(rows: readonly Node[]): vscode.ViewBadge | undefined {
  if (!rows.length) return undefined;
  return { value: rows.length, tooltip: rows.length === 1 ? '1 conflict waits' : `${rows.length} conflicts wait` };
}
