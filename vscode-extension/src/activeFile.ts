// The active file and its selection.

import * as vscode from 'vscode';
import { within } from './paths';
import type { Server } from './server';

/** The selected text on one line; undefined when nothing, or more than a question, is selected. */
export function selection(): string | undefined {
  const editor = vscode.window.activeTextEditor;
  const text = editor?.document.getText(editor.selection).replace(/\s+/g, ' ').trim();
  return text && text.length <= 200 ? text : undefined;
}

/** The schemes of files, of their earlier versions in a comparison, and of the cells of a notebook. */
const FILES = ['file', 'git', 'vscode-notebook-cell'];

/** The address of what the active editor shows; of a notebook or an image that of its tab. */
export function activeUri(): vscode.Uri | undefined {
  const text = vscode.window.activeTextEditor?.document.uri;
  if (text && FILES.includes(text.scheme)) return text;
  const input = vscode.window.tabGroups.activeTabGroup.activeTab?.input;
  return input instanceof vscode.TabInputNotebook || input instanceof vscode.TabInputCustom ? input.uri : text;
}

/** Calls `run` when the active editor shows another file than before. */
export function followActiveUri(run: () => void): vscode.Disposable {
  let before = activeUri()?.toString();
  const compare = (): void => {
    const now = activeUri()?.toString();
    if (now === before) return;
    before = now;
    run();
  };
  // The tab of an editor without text becomes active after the text of the one before it has gone.
  return vscode.Disposable.from(vscode.window.onDidChangeActiveTextEditor(compare), vscode.window.tabGroups.onDidChangeTabs(compare));
}

/** A list of the active editor's file, relative to the repository's root; empty for a file outside of it. */
export function activeFiles(server: Server): string[] {
  const uri = activeUri();
  if (!uri || !FILES.includes(uri.scheme)) return [];
  const file = within(server.root, uri.fsPath);
  return file ? [file] : [];
}

/** What a new memory is about: the selected lines as `path:START-END`, else the active file. */
export function selectedPlaces(server: Server): string[] {
  const [file] = activeFiles(server);
  const editor = vscode.window.activeTextEditor;
  // The lines of a cell are not those of its notebook, nor those of an earlier version those of the file.
  const chosen = editor?.document.uri.scheme === 'file' ? editor.selection : undefined;
  if (!file || !chosen || chosen.isEmpty) return file ? [file] : [];
  // A selection that ends before the first character of a line does not include that line.
  const end = chosen.end.character === 0 ? chosen.end.line : chosen.end.line + 1;
  return [`${file}:${chosen.start.line + 1}-${Math.max(end, chosen.start.line + 1)}`];
}
