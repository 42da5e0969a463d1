// Follows each running server: refreshes its status after changes, and reports each problem once.

import * as vscode from 'vscode';
import type { FailureKind } from './failure';
import { within } from './paths';
import type { Server } from './server';
import { showFailure } from './show';

/** Milliseconds after which the server has read a changed file of records. */
const SETTLED = 1_500;

/** Problems of the machine. They concern all servers of the window and are reported once. */
const COMMON: readonly FailureKind[] = ['missing_program', 'other_version'];

/** Follows a server until it is disposed of. `reported` are the messages about the machine that were shown already. */
export function follow(server: Server, reported: Set<string>, log: vscode.LogOutputChannel): vscode.Disposable {
  const report = (failure: Server['state']['failure'], before: string | undefined): string | undefined => {
    // Once: each refresh may fail in the same way.
    if (failure?.message === before) return before;
    if (before) reported.delete(before);
    if (!failure || reported.has(failure.message)) return failure?.message;
    const common = COMMON.includes(failure.kind);
    void showFailure(failure, log, common ? undefined : server.label);
    if (common) reported.add(failure.message);
    return failure.message;
  };
  let [failed, warned]: (string | undefined)[] = [];
  const refresh = (): void => void (server.state.phase === 'starting' || server.refresh());
  let timer: NodeJS.Timeout | undefined;
  const refreshTwice = (): void => {
    refresh();
    clearTimeout(timer);
    timer = setTimeout(refresh, SETTLED); // the server reads a file that git changed a moment later
  };
  // Other clients store memories in these files. When a folder is deleted, VS Code reports the folder, not its files.
  const pattern = new vscode.RelativePattern(vscode.Uri.file(server.root), '{.muninn,.muninn/**/*.jsonl}');
  const records = vscode.workspace.createFileSystemWatcher(pattern);
  return vscode.Disposable.from(
    server.onDidChange(({ failure, warning }) => {
      failed = report(failure, failed);
      warned = report(warning, warned) ?? warned;
    }),
    records,
    server.onDidOutdate(refreshTwice),
    // The server reports no changes of open files, because the editor sends their texts.
    vscode.workspace.onDidChangeTextDocument(({ document: { isDirty, uri } }) => {
      if (!isDirty && uri.scheme === 'file' && within(server.root, uri.fsPath)) refreshTwice();
    }),
    new vscode.Disposable(() => clearTimeout(timer)),
    records.onDidCreate(refreshTwice),
    records.onDidChange(refreshTwice),
    records.onDidDelete(refreshTwice),
    vscode.window.onDidChangeWindowState(({ focused }) => focused && refresh()),
    vscode.workspace.onDidChangeConfiguration((change) => {
      if (change.affectsConfiguration('muninn.server', server.folder)) void server.restart();
    }),
  );
}
