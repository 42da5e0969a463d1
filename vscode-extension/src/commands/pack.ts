// Commands on the open pack: copy it to the clipboard, or insert it into the active document.

import * as vscode from 'vscode';
import { Failure } from '../failure';
import { SCHEME } from '../pages';

let lastEditor: vscode.TextEditor | undefined;

/** Follows the last document that was active before a pack: a pack is inserted there. */
export function followEditors(): vscode.Disposable {
  const note = (editor: vscode.TextEditor | undefined): void => {
    if (editor && editor.document.uri.scheme !== SCHEME) lastEditor = editor;
  };
  note(vscode.window.activeTextEditor);
  return vscode.window.onDidChangeActiveTextEditor(note);
}

/** Copies the open pack. Throws a Failure when none is open. */
export async function copyPack(): Promise<void> {
  await vscode.env.clipboard.writeText(openPack().getText());
  vscode.window.setStatusBarMessage('$(check) Muninn: the pack is in the clipboard.', 5000);
}

/** Puts the open pack where the cursor was in the document before it. Throws a Failure when there is none. */
export async function insertPack(): Promise<void> {
  const text = openPack().getText();
  if (!lastEditor || lastEditor.document.isClosed) {
    throw new Failure('bad_params', 'no document is open that the pack could go into', 'Open one, or copy the pack.');
  }
  const { document, selection } = lastEditor;
  const editor = await vscode.window.showTextDocument(document, { viewColumn: lastEditor.viewColumn ?? vscode.ViewColumn.Active });
  if (await editor.edit((edit) => edit.insert(selection.active, text))) return;
  throw new Failure('bad_params', 'the pack could not be inserted: this document is read-only', 'Copy the pack.');
}

function openPack(): vscode.TextDocument {
  const document = vscode.window.activeTextEditor?.document;
  if (document?.uri.scheme === SCHEME && document.uri.path.startsWith('/context/')) return document;
  throw new Failure('bad_params', 'no pack is open', '“Muninn: Context” gathers one.');
}
