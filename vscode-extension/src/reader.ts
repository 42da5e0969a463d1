// Pages to read, rendered: a memory with its history, the notes on a file, a commit. One tab shows them all in turn.

import * as vscode from 'vscode';
import { isPassing } from './failure';
import { LINKED } from './links';
import { shortened, withReasons } from './pages';
import type { Reason } from './protocol';
import type { Repositories } from './repositories';
import { linked } from './restricted';
import type { Server } from './server';

const TYPE = 'muninn.page';
const TITLE = 40;

/** What the tab shows. */
export interface Shown {
  readonly address: string;
  readonly repository: string;
  readonly why: readonly Reason[];
  readonly isPreview: boolean;
}

/**
 * How a page is opened. It is not if it is not `wanted` any more when it was fetched; `why` is what found a memory. A
 * preview is shown behind a list that keeps the focus.
 */
export interface How {
  readonly why?: readonly Reason[];
  readonly isPreview?: boolean;
  readonly beside?: boolean;
  readonly wanted?: () => boolean;
}

const STYLE = `
  body { max-width: 46em; margin: 0 auto; padding: 0.5em 2em 3em; line-height: 1.55; }
  body.preview { padding-top: 48vh; }
  h1 { font-size: 1.5em; line-height: 1.3; font-weight: 600; }
  h2 { font-size: 1.1em; }
  blockquote { margin: 0.8em 0; padding: 0.1em 1em; border-left: 3px solid var(--vscode-textBlockQuote-border); background: none; }
  details { margin: 0.8em 0; } summary { cursor: pointer; color: var(--vscode-descriptionForeground); }
  ul { padding-left: 1.3em; } code { color: inherit; background: none; padding: 0; }`;

const OPTIONS: vscode.WebviewOptions & vscode.WebviewPanelOptions = {
  enableFindWidget: true,
  enableCommandUris: LINKED,
  enableScripts: false,
  localResourceRoots: [],
};

/** The tab of pages. Its links are commands of this extension; it runs no scripts. */
export class Reader implements vscode.Disposable {
  private panel: vscode.WebviewPanel | undefined;
  private shown: Shown | undefined;
  private markdown = '';
  private opened = 0; // counts the pages that were asked for: a late answer must not replace a newer one
  private outdatedBy: Server | undefined; // its state changed while the tab was hidden
  private readonly registration: vscode.Disposable;

  constructor(
    private readonly repositories: Repositories,
    private readonly icon: vscode.Uri,
  ) {
    this.registration = repositories.onDidChangeState((server) => {
      if (server.key === this.shown?.repository) void this.update(server);
    });
  }

  /** The markdown of the page that is shown, for tests; empty without one. */
  get text(): string {
    return this.panel ? this.markdown : '';
  }

  /** What the tab shows; undefined without a tab. */
  get page(): Shown | undefined {
    return this.panel && this.shown;
  }

  /** Shows a document of the server. Throws a Failure. */
  async open(server: Server, address: string, { why = [], isPreview = false, beside = false, wanted }: How = {}): Promise<void> {
    const turn = (this.opened += 1);
    const { title, text } = await server.request('document', { uri: address, form: 'page' });
    if (turn !== this.opened || (wanted && !wanted())) return;
    const where = { viewColumn: beside ? vscode.ViewColumn.Beside : vscode.ViewColumn.Active, preserveFocus: isPreview };
    // A page that covers what it is to be beside moves; one in another column stays there.
    const covers = beside && this.panel?.viewColumn === vscode.window.tabGroups.activeTabGroup.viewColumn;
    if (this.panel) this.panel.reveal(covers ? vscode.ViewColumn.Beside : undefined, isPreview);
    else this.adopt(vscode.window.createWebviewPanel(TYPE, title, where, OPTIONS));
    await this.show({ address, repository: server.key, why, isPreview }, title, text, turn);
  }

  /** Shows again what a preview has replaced. Throws a Failure. */
  async restore(page: Shown): Promise<void> {
    const turn = (this.opened += 1);
    const { title, text } = await this.repositories.byKey(page.repository).request('document', { uri: page.address, form: 'page' });
    if (turn === this.opened) await this.show(page, title, text, turn);
  }

  /** Closes the tab. */
  close(): void {
    this.panel?.dispose();
  }

  dispose(): void {
    this.close();
    this.registration.dispose();
  }

  private adopt(panel: vscode.WebviewPanel): void {
    this.panel = panel;
    panel.iconPath = this.icon;
    panel.onDidDispose(() => {
      if (this.panel === panel) [this.panel, this.shown] = [undefined, undefined];
    });
    panel.onDidChangeViewState(() => {
      if (panel.active && this.shown) this.repositories.selectKey(this.shown.repository);
      if (panel.visible && this.outdatedBy) void this.update(this.outdatedBy);
    });
  }

  /** Requests the page again, that of a hidden tab when the tab becomes visible. The page stays while the server ends and starts again. */
  private async update(server: Server): Promise<void> {
    const { shown, opened } = this;
    this.outdatedBy = this.panel?.visible ? undefined : server;
    if (!shown || !this.panel?.visible || server.state.phase !== 'running') return;
    try {
      const { title, text } = await server.request('document', { uri: shown.address, form: 'page' });
      if (shown === this.shown) await this.show(shown, title, text, opened);
    } catch (error) {
      if (shown === this.shown && !isPassing(error)) this.close(); // its document is gone
    }
  }

  /** Shows a page, unless another one was asked for after `turn`. */
  private async show(shown: Shown, title: string, text: string, turn: number): Promise<void> {
    const markdown = withReasons(text, shown.why);
    const body = await vscode.commands.executeCommand<string>('markdown.api.render', linked(markdown, shown.repository));
    const { panel } = this;
    if (!panel || turn !== this.opened) return;
    const same = this.shown?.address === shown.address && this.shown.isPreview === shown.isPreview && this.markdown === markdown;
    [this.shown, this.markdown, this.outdatedBy] = [shown, markdown, undefined];
    panel.title = shortened(title, TITLE);
    if (!same) panel.webview.html = page(body, shown.isPreview);
    if (panel.active) this.repositories.selectKey(shown.repository);
  }
}

/** The page. That of a preview begins below the list, which covers the upper part of the window. */
function page(body: string, isPreview: boolean): string {
  const policy = `default-src 'none'; style-src 'unsafe-inline'`;
  return `<!DOCTYPE html><html><head><meta charset="UTF-8"><meta http-equiv="Content-Security-Policy" content="${policy}"><style>${STYLE}</style></head><body${isPreview ? ' class="preview"' : ''}>${body}</body></html>`;
}
