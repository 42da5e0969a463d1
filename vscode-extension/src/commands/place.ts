// The selection and the active file.

import * as vscode from 'vscode';
import { within } from '../paths';
import type { Server } from '../server';

/** The selected text on one line; undefined when nothing, or more than a question, is selected. */
export function selection(): string | undefined {
  const editor = vscode.window.activeTextEditor;
  const text = editor?.document.getText(editor.selection).replace(/\s+/g, ' ').trim();
  return text && text.length <= 200 ? text : undefined;
}

/** The schemes of files, of their earlier versions in a comparison, and of the cells of a notebook. */
const FILES = ['file', 'git', 'vscode-notebook-cell'];

/** The place that the active editor shows; of a notebook or an image that of its tab. */
export function placeAtHand(): vscode.Uri | undefined {
  const text = vscode.window.activeTextEditor?.document.uri;
  if (text && FILES.includes(text.scheme)) return text;
  const input = vscode.window.tabGroups.activeTabGroup.activeTab?.input;
  return input instanceof vscode.TabInputNotebook || input instanceof vscode.TabInputCustom ? input.uri : text;
}

/** Calls `run` when another place is shown than before. */
export function followPlace(run: () => void): vscode.Disposable {
  let before = placeAtHand()?.toString();
  const look = (): void => {
    const now = placeAtHand()?.toString();
    if (now !== before) [before] = [now, run()];
  };
  // The tab of an editor without text becomes active after the text of the one before it has gone.
  return vscode.Disposable.from(vscode.window.onDidChangeActiveTextEditor(look), vscode.window.tabGroups.onDidChangeTabs(look));
}

/** The active editor's file, relative to the repository's root, as a list of one; empty when it lies elsewhere. */
export function filesAtHand(server: Server): string[] {
  const uri = placeAtHand();
  if (!uri || !FILES.includes(uri.scheme)) return [];
  const file = within(server.root, uri.fsPath);
  return file ? [file] : [];
}

/** What a memory made now is about: the selected lines as `path:START-END`, else the active file. */
export function citedAtHand(server: Server): string[] {
  const [file] = filesAtHand(server);
  const editor = vscode.window.activeTextEditor;
  const chosen = editor?.document.uri.scheme === 'vscode-notebook-cell' ? undefined : editor?.selection; // its lines are those of a cell
  if (!file || !chosen || chosen.isEmpty) return file ? [file] : [];
  // A selection that ends before a line's first character does not mean that line.
  const end = chosen.end.character === 0 ? chosen.end.line : chosen.end.line + 1;
  return [`${file}:${chosen.start.line + 1}-${Math.max(end, chosen.start.line + 1)}`];
}
