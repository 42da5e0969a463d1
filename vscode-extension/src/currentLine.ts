// The memory about the line of the cursor, after its text: `decision: signed cookies · NAME, 3 days ago`.

import * as vscode from 'vscode';
import { annotation, innermost, KnownNotes } from './beside';
import { coalesced } from './coalesce';
import { within } from './paths';
import type { Note } from './protocol';
import type { Repositories } from './repositories';

/** Shows the annotation in the active editor alone. It requests the notes of a file once for each version of its text. */
export class CurrentLine implements vscode.Disposable {
  private readonly style = vscode.window.createTextEditorDecorationType({
    after: { color: new vscode.ThemeColor('editorCodeLens.foreground'), margin: '0 0 0 3em', fontStyle: 'italic' },
    rangeBehavior: vscode.DecorationRangeBehavior.ClosedOpen,
  });
  private readonly registrations: vscode.Disposable[];
  private readonly notes = new KnownNotes();
  private annotated: vscode.TextEditor | undefined;
  private readonly showOnce = coalesced(() => this.show());

  constructor(private readonly repositories: Repositories) {
    const refresh = (): void => void this.showOnce().catch(() => undefined); // the server's state has the failure
    const reload = (): void => {
      this.notes.forget();
      refresh();
    };
    this.registrations = [
      this.style,
      vscode.window.onDidChangeTextEditorSelection(({ textEditor }) => textEditor === vscode.window.activeTextEditor && refresh()),
      vscode.window.onDidChangeActiveTextEditor(refresh),
      vscode.workspace.onDidChangeConfiguration((change) => change.affectsConfiguration('muninn.currentLine') && refresh()),
      repositories.onDidChangeState(reload),
    ];
  }

  dispose(): void {
    for (const registration of this.registrations) registration.dispose();
  }

  private async show(): Promise<void> {
    const editor = vscode.window.activeTextEditor;
    if (!editor) return;
    if (this.annotated && this.annotated !== editor && vscode.window.visibleTextEditors.includes(this.annotated)) this.annotated.setDecorations(this.style, []);
    this.annotated = editor;
    const line = editor.selection.active.line;
    const note = await this.noteAt(editor, line);
    if (editor !== vscode.window.activeTextEditor || editor.selection.active.line !== line) return this.show();
    editor.setDecorations(this.style, note ? [{ range: lineEnd(editor.document, line), renderOptions: { after: { contentText: annotation(note) } } }] : []);
  }

  private async noteAt(editor: vscode.TextEditor, line: number): Promise<Note | undefined> {
    const { document } = editor;
    const server = document.uri.scheme === 'file' ? this.repositories.of(document.uri) : undefined;
    const enabled = vscode.workspace.getConfiguration('muninn', document.uri).get<boolean>('currentLine.enabled', true);
    const file = server && within(server.root, document.uri.fsPath);
    if (!enabled || !file || server.state.phase !== 'running' || server.state.status?.mode === 'uninitialised') return undefined;
    const notes = await this.notes.of(`${document.uri.toString()} ${document.version}`, () => server.request('annotate', { file }));
    return innermost(notes, line + 1);
  }
}

function lineEnd(document: vscode.TextDocument, line: number): vscode.Range {
  const { end } = document.lineAt(Math.min(line, document.lineCount - 1)).range;
  return new vscode.Range(end, end);
}
