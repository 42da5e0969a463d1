// Where the person is: the selection and the active file.

import * as vscode from 'vscode';
import { within } from '../paths';
import type { Server } from '../server';

/** The selected text on one line; undefined when nothing, or more than a question, is selected. */
export function selection(): string | undefined {
  const editor = vscode.window.activeTextEditor;
  const text = editor?.document.getText(editor.selection).replace(/\s+/g, ' ').trim();
  return text && text.length <= 200 ? text : undefined;
}

/** The schemes of files, and of their earlier versions in a comparison. */
const FILES = ['file', 'git'];

/** The active editor's file, relative to the repository's root, as a list of one; empty when it lies elsewhere. */
export function filesAtHand(server: Server): string[] {
  const document = vscode.window.activeTextEditor?.document;
  if (!document || !FILES.includes(document.uri.scheme)) return [];
  const file = within(server.root, document.uri.fsPath);
  return file ? [file] : [];
}

/** What a memory made now is about: the selected lines as `path:START-END`, else the active file. */
export function citedAtHand(server: Server): string[] {
  const [file] = filesAtHand(server);
  const chosen = vscode.window.activeTextEditor?.selection;
  if (!file || !chosen || chosen.isEmpty) return file ? [file] : [];
  // A selection that ends before a line's first character does not mean that line.
  const end = chosen.end.character === 0 ? chosen.end.line : chosen.end.line + 1;
  return [`${file}:${chosen.start.line + 1}-${Math.max(end, chosen.start.line + 1)}`];
}
