// Hits of the organisation: their files are not on this machine, so that their text is shown read-only.

import * as vscode from 'vscode';
import type { Hit } from './protocol';

const SCHEME = 'muninn-elsewhere';
const MOST = 50;

/** Shows texts whose files are elsewhere. The address names the repository and the path, so that VS Code knows the language. */
export class Elsewhere implements vscode.TextDocumentContentProvider, vscode.Disposable {
  private readonly texts = new Map<string, string>();
  private readonly registered = vscode.workspace.registerTextDocumentContentProvider(SCHEME, this);

  provideTextDocumentContent(uri: vscode.Uri): string {
    return this.texts.get(uri.toString()) ?? 'This text is shown no more. Ask again.';
  }

  /** The address of a hit's text. */
  address(hit: Hit): vscode.Uri {
    const name = hit.kind === 'memory' ? `${hit.id}.md` : hit.path;
    const uri = vscode.Uri.from({ scheme: SCHEME, path: `/${hit.repository}/${name}`, query: `${hit.start_line}-${hit.end_line}` });
    this.texts.delete(uri.toString());
    this.texts.set(uri.toString(), hit.text);
    const oldest = this.texts.keys().next();
    if (this.texts.size > MOST && !oldest.done) this.texts.delete(oldest.value);
    return uri;
  }

  dispose(): void {
    this.registered.dispose();
  }
}
