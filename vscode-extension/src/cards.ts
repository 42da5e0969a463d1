// The memories of a lens as cards in a widget below the line, as comments of a code review.

import * as path from 'node:path';
import * as vscode from 'vscode';
import { isPassing } from './failure';
import { LINKED } from './links';
import type { Repositories } from './repositories';
import { linked } from './restricted';
import type { Server } from './server';
import { counted } from './state';

/** What a lens counts. `line` is 1-based; `documents` are addresses of memories, `files` paths of decision records. */
export interface Counted {
  readonly path: string;
  readonly line: number;
  readonly documents: readonly string[];
  readonly files: readonly string[];
}

/** The widget, one at a time. It shows changes of memory until it is closed. */
export class Cards implements vscode.Disposable {
  private readonly controller = vscode.comments.createCommentController('muninn.cards', 'Muninn');
  private readonly registrations: readonly vscode.Disposable[];
  private open: { readonly thread: vscode.CommentThread; readonly server: Server; readonly counted: Counted } | undefined;

  constructor(
    repositories: Repositories,
    private readonly icon: vscode.Uri,
  ) {
    this.registrations = [
      this.controller,
      repositories.onDidChangeState((server) => server === this.open?.server && void this.update()),
    ];
  }

  /** The markdown of the cards that are shown, for tests; empty without any. */
  get text(): string {
    return this.open ? bodies(this.open.thread.comments) : '';
  }

  /** Shows the cards below the line of a lens. Throws a Failure. */
  async show(server: Server, counted: Counted): Promise<void> {
    const comments = await this.comments(server, counted);
    this.close();
    const file = server.file(counted.path);
    const isVisible = vscode.window.visibleTextEditors.some(({ document }) => document.uri.toString() === file.toString());
    if (!isVisible) await vscode.window.showTextDocument(file);
    const place = new vscode.Position(Math.max(counted.line, 1) - 1, 0);
    const thread = this.controller.createCommentThread(file, new vscode.Range(place, place), comments);
    // With the default of `comments.openView` in package.json, a resolved thread does not open the list of comments.
    thread.state = vscode.CommentThreadState.Resolved;
    thread.canReply = false;
    thread.contextValue = 'muninn';
    thread.collapsibleState = vscode.CommentThreadCollapsibleState.Expanded;
    thread.label = titleOf(counted);
    this.open = { thread, server, counted };
    setIsOpen(true);
  }

  /** Closes the widget. */
  close(): void {
    if (!this.open) return;
    this.open.thread.dispose();
    this.open = undefined;
    setIsOpen(false);
  }

  dispose(): void {
    this.close();
    for (const registration of this.registrations) registration.dispose();
  }

  /** Requests the cards again. They stay while the server ends and starts again. */
  private async update(): Promise<void> {
    const { open } = this;
    if (!open || open.server.state.phase !== 'running') return;
    try {
      const comments = await this.comments(open.server, open.counted);
      if (this.open === open && bodies(comments) !== bodies(open.thread.comments)) open.thread.comments = comments;
    } catch (error) {
      if (this.open === open && !isPassing(error)) this.close(); // a memory is gone
    }
  }

  private async comments(server: Server, { documents, files }: Counted): Promise<vscode.Comment[]> {
    const cards = documents.map(async (uri) => (await server.request('document', { uri, form: 'card' })).text);
    const records = files.map((file) => `**${path.basename(file)}**\n\n[${file}](${vscode.Uri.file(path.join(server.root, file)).toString()})`);
    return [...(await Promise.all(cards)), ...records].map((text) => {
      const body = new vscode.MarkdownString(linked(text, server.key));
      body.isTrusted = { enabledCommands: LINKED };
      body.supportHtml = true;
      return { body, author: { name: server.label, iconPath: this.icon }, mode: vscode.CommentMode.Preview };
    });
  }
}

/** Sets the condition of the key that closes the widget. */
function setIsOpen(isOpen: boolean): void {
  void vscode.commands.executeCommand('setContext', 'muninn.cards', isOpen);
}

function titleOf({ path: file, line, documents, files }: Counted): string {
  const number = counted(documents.length + files.length, 'memory', 'memories');
  return `${number} about ${path.basename(file)}${line > 1 ? `, line ${line}` : ''}`;
}

function bodies(comments: readonly vscode.Comment[]): string {
  return comments.map(({ body }) => (typeof body === 'string' ? body : body.value)).join('\n');
}
