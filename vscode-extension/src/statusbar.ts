// The status bar item: puts an appearance on the screen, and into a screen reader's mouth.

import * as vscode from 'vscode';
import { appearance, type State } from './state';

const ACTIONS = [
  ['Recall', 'muninn.ui.recall'],
  ['Remember', 'muninn.ui.remember'],
  ['Context', 'muninn.ui.context'],
  ['Restart Server', 'muninn.ui.restart'],
] as const;

const COLOURS = { normal: undefined, warning: 'statusBarItem.warningBackground', error: 'statusBarItem.errorBackground' };

/** The item. It shows the last state and, once counted, what the file at hand has. */
export class StatusBar implements vscode.Disposable {
  readonly item = vscode.window.createStatusBarItem('muninn.status', vscode.StatusBarAlignment.Left, 50);
  private state: State = { phase: 'starting' };
  private count: number | undefined;

  constructor() {
    this.item.name = 'Muninn';
    this.paint();
    this.item.show();
  }

  /** Shows a state. */
  show(state: State): void {
    this.state = state;
    this.paint();
  }

  /** Shows how many memories the file at hand has; undefined when no file is. */
  here(count: number | undefined): void {
    this.count = count;
    this.paint();
  }

  dispose(): void {
    this.item.dispose();
  }

  private paint(): void {
    const { text, tooltip, severity, command } = appearance(this.state, this.count);
    const colour = COLOURS[severity];
    this.item.text = text;
    this.item.command = command;
    this.item.backgroundColor = colour ? new vscode.ThemeColor(colour) : undefined;
    this.item.tooltip = hover(tooltip);
    this.item.accessibilityInformation = { label: [text.replace(/\$\([^)]*\) ?/g, ''), ...tooltip].join('. ') };
  }
}

function hover(lines: readonly string[]): vscode.MarkdownString {
  const markdown = new vscode.MarkdownString();
  // Paths and messages come from the repository: shown as text, and only our own commands may be links.
  markdown.isTrusted = { enabledCommands: ACTIONS.map(([, command]) => command) };
  for (const line of lines) markdown.appendText(line).appendMarkdown('\n\n');
  markdown.appendMarkdown(ACTIONS.map(([title, command]) => `[${title}](command:${command})`).join(' · '));
  return markdown;
}
