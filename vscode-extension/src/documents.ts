// Read-only documents for the pages: requests their texts from the server and opens them.

import * as vscode from 'vscode';
import { address, memoryDocument, type Page, pageOf, SCHEME } from './pages';
import type { Repositories } from './repositories';
import type { Server } from './server';

/** Provides the texts of pages. After a reload of the window, a page is requested again. */
export class Documents implements vscode.TextDocumentContentProvider, vscode.Disposable {
  private readonly texts = new Map<string, string>();
  private readonly changed = new vscode.EventEmitter<vscode.Uri>();
  private readonly registrations: readonly vscode.Disposable[];

  readonly onDidChange = this.changed.event;

  constructor(private readonly repositories: Repositories) {
    this.registrations = [
      vscode.workspace.registerTextDocumentContentProvider(SCHEME, this),
      vscode.workspace.onDidCloseTextDocument((document) => this.texts.delete(document.uri.toString())),
    ];
  }

  /** Opens a page of a repository, with its present text. Throws a Failure. */
  async open(server: Server, page: Page, title: string): Promise<vscode.TextDocument> {
    return this.show(await this.prepare(server, page, title));
  }

  /** Shows a page that was fetched. */
  async show(uri: vscode.Uri, options: vscode.TextDocumentShowOptions = {}): Promise<vscode.TextDocument> {
    const document = await vscode.workspace.openTextDocument(uri);
    await vscode.window.showTextDocument(document, { preview: true, ...options });
    return document;
  }

  /** Fetches the text of a page, and returns the address of the page. Throws a Failure. */
  async prepare(server: Server, page: Page, title: string): Promise<vscode.Uri> {
    const uri = vscode.Uri.from({ scheme: SCHEME, authority: server.key, ...address(page, title) });
    this.texts.set(uri.toString(), await render(server, page));
    this.changed.fire(uri);
    return uri;
  }

  async provideTextDocumentContent(uri: vscode.Uri, token: vscode.CancellationToken): Promise<string> {
    return this.texts.get(uri.toString()) ?? (await render(this.repositories.byKey(uri.authority), pageOf(uri.query), token));
  }

  dispose(): void {
    for (const registration of this.registrations) registration.dispose();
    this.changed.dispose();
  }
}

async function render(server: Server, page: Page, token?: vscode.CancellationToken): Promise<string> {
  if (page.page === 'context') return (await server.request('context', page.params, token)).text;
  const { text } = await server.request('document', { uri: memoryDocument(page.id), form: 'plain' }, token);
  // A narrow window shows both sides below one another, and so does a screen reader.
  return `${page.side === 'right' ? 'Right' : 'Left'}\n\n${text}`;
}
