// Hits of the organisation. Their files are not on this machine: the text of the hit is shown read-only.

import * as vscode from 'vscode';
import type { Hit } from './protocol';

const SCHEME = 'muninn-elsewhere';
const LIMIT = 50;

/** Provides the texts. An address has the repository and the path, from which VS Code derives the language. */
export class Elsewhere implements vscode.TextDocumentContentProvider, vscode.Disposable {
  private readonly texts = new Map<string, string>();
  private readonly registered = vscode.workspace.registerTextDocumentContentProvider(SCHEME, this);

  provideTextDocumentContent(uri: vscode.Uri): string {
    return this.texts.get(uri.toString()) ?? 'This text is no longer in memory. Search again.';
  }

  /** The address of a hit's text. */
  address(hit: Hit): vscode.Uri {
    const name = hit.kind === 'memory' ? `${hit.id}.md` : hit.path;
    const uri = vscode.Uri.from({ scheme: SCHEME, path: `/${hit.repository}/${name}`, query: `${hit.start_line}-${hit.end_line}` });
    this.texts.delete(uri.toString());
    this.texts.set(uri.toString(), hit.text);
    const oldest = this.texts.keys().next();
    if (this.texts.size > LIMIT && !oldest.done) this.texts.delete(oldest.value);
    return uri;
  }

  dispose(): void {
    this.registered.dispose();
  }
}
