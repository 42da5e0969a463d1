// The status bar item: puts an appearance on the screen.

import * as vscode from 'vscode';
import { appearance, type State } from './state';

const ACTIONS = [
  ['Recall', 'muninn.ui.recall'],
  ['Remember', 'muninn.ui.remember'],
  ['Context', 'muninn.ui.context'],
  ['Restart Server', 'muninn.ui.restart'],
] as const;

const COLOURS = { normal: undefined, warning: 'statusBarItem.warningBackground', error: 'statusBarItem.errorBackground' };

/** Makes the item, shown and ready for `paint`. */
export function statusBarItem(): vscode.StatusBarItem {
  const item = vscode.window.createStatusBarItem('muninn.status', vscode.StatusBarAlignment.Left, 50);
  item.name = 'Muninn';
  item.show();
  return item;
}

/** Shows a state. */
export function paint(item: vscode.StatusBarItem, state: State): void {
  const { text, tooltip, severity, command } = appearance(state);
  const colour = COLOURS[severity];
  item.text = text;
  item.command = command;
  item.backgroundColor = colour ? new vscode.ThemeColor(colour) : undefined;
  item.tooltip = hover(tooltip);
}

function hover(lines: readonly string[]): vscode.MarkdownString {
  const markdown = new vscode.MarkdownString();
  // Paths and messages come from the repository: shown as text, and only our own commands may be links.
  markdown.isTrusted = { enabledCommands: ACTIONS.map(([, command]) => command) };
  for (const line of lines) markdown.appendText(line).appendMarkdown('\n\n');
  markdown.appendMarkdown(ACTIONS.map(([title, command]) => `[${title}](command:${command})`).join(' · '));
  return markdown;
}
