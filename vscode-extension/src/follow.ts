// Follows each running server: refreshes its status after changes, and reports each problem once.

import * as vscode from 'vscode';
import type { FailureKind } from './failure';
import { within } from './paths';
import type { Server } from './server';
import { showFailure } from './show';

/** Milliseconds after which a changed file of records is certainly in the server's log. */
const SETTLED = 1_500;

/** Problems of the machine, which all servers of the window share and which are reported once. */
const COMMON: readonly FailureKind[] = ['missing_program', 'other_version'];

/** Follows a server until it is disposed of. `told` are the messages about the machine that were shown already. */
export function follow(server: Server, told: Set<string>, log: vscode.LogOutputChannel): vscode.Disposable {
  const say = (failure: Server['state']['failure'], before: string | undefined): string | undefined => {
    // Once: it may fail in the same way at every look.
    if (failure?.message === before) return before;
    if (before) told.delete(before);
    if (!failure || told.has(failure.message)) return failure?.message;
    const common = COMMON.includes(failure.kind);
    void showFailure(failure, log, common ? undefined : server.label);
    if (common) told.add(failure.message);
    return failure.message;
  };
  let [failed, warned]: (string | undefined)[] = [];
  const look = (): void => void (server.state.phase === 'starting' || server.refresh());
  let later: NodeJS.Timeout | undefined;
  const lookTwice = (): void => {
    look();
    clearTimeout(later);
    later = setTimeout(look, SETTLED); // the server takes in a file that git brought a moment after we hear of it
  };
  // Another client may have remembered something: every memory ends up in a file of this shape. Of a folder that goes
  // with all that is in it, VS Code tells the folder alone.
  const pattern = new vscode.RelativePattern(vscode.Uri.file(server.root), '{.muninn,.muninn/**/*.jsonl}');
  const records = vscode.workspace.createFileSystemWatcher(pattern);
  return vscode.Disposable.from(
    server.onDidChange(({ failure, warning }) => {
      failed = say(failure, failed);
      warned = say(warning, warned) ?? warned;
    }),
    records,
    server.onDidOutdate(lookTwice),
    // The server reports no changes of open files, because the editor sends their texts.
    vscode.workspace.onDidChangeTextDocument(({ document: { isDirty, uri } }) => {
      if (!isDirty && uri.scheme === 'file' && within(server.root, uri.fsPath)) lookTwice();
    }),
    new vscode.Disposable(() => clearTimeout(later)),
    records.onDidCreate(lookTwice),
    records.onDidChange(lookTwice),
    records.onDidDelete(lookTwice),
    vscode.window.onDidChangeWindowState(({ focused }) => focused && look()),
    vscode.workspace.onDidChangeConfiguration((change) => {
      if (change.affectsConfiguration('muninn.server', server.folder)) void server.restart();
    }),
  );
}
