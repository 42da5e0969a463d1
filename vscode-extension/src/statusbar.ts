// The status bar item, with its accessible label.

import * as vscode from 'vscode';
import type { Repositories } from './repositories';
import { appearance } from './state';

/** The links of the hover. In Restricted Mode one leads out of it, in the place of that which writes. */
const actions = (): readonly (readonly [title: string, command: string])[] => [
  ['Recall', 'muninn.ui.recall'],
  vscode.workspace.isTrusted ? ['Remember', 'muninn.ui.remember'] : ['Manage Trust', 'workbench.trust.manage'],
  ['Context', 'muninn.ui.context'],
  ['Restart Server', 'muninn.ui.restart'],
];

const COLOURS = { normal: undefined, warning: 'statusBarItem.warningBackground', error: 'statusBarItem.errorBackground' };

/** The item. It shows the current repository and, once counted, what the active file has; nothing where there is none. */
export class StatusBar implements vscode.Disposable {
  readonly item = vscode.window.createStatusBarItem('muninn.status', vscode.StatusBarAlignment.Left, 50);
  private readonly registrations: readonly vscode.Disposable[];
  private count: number | undefined;

  constructor(private readonly repositories: Repositories) {
    this.item.name = 'Muninn';
    this.registrations = [
      this.item,
      repositories.onDidChange(() => this.setCount(undefined)),
      repositories.onDidChangeState(() => this.paint()),
    ];
  }

  /** Shows how many memories the active file has; undefined when no file is. */
  setCount(count: number | undefined): void {
    this.count = count;
    this.paint();
  }

  dispose(): void {
    for (const registration of this.registrations) registration.dispose();
  }

  private paint(): void {
    const server = this.repositories.currentIfAny;
    if (!server) return this.item.hide();
    const { text, tooltip: lines, severity, command } = appearance({ ...server.state, restricted: !vscode.workspace.isTrusted }, this.count, server.label);
    const others = this.repositories.all.filter((each) => each !== server);
    const tooltip = [...lines, ...others.map((each) => spoken(appearance(each.state, undefined, each.label).text))];
    const colour = COLOURS[severity];
    this.item.text = text;
    this.item.command = command;
    this.item.backgroundColor = colour ? new vscode.ThemeColor(colour) : undefined;
    this.item.tooltip = hover(tooltip);
    this.item.accessibilityInformation = { label: [spoken(text), ...tooltip].join('. ') };
    this.item.show();
  }
}

/** A text without its icons. */
function spoken(text: string): string {
  return text.replace(/\$\([^)]*\) ?/g, '');
}

function hover(lines: readonly string[]): vscode.MarkdownString {
  const markdown = new vscode.MarkdownString();
  // Paths and messages come from the repository: shown as text, and only our own commands may be links.
  const links = actions();
  markdown.isTrusted = { enabledCommands: links.map(([, command]) => command) };
  for (const line of lines) markdown.appendText(line).appendMarkdown('\n\n');
  markdown.appendMarkdown(links.map(([title, command]) => `[${title}](command:${command})`).join(' · '));
  return markdown;
}
