// The menu of the status bar item, with the most likely commands first.

import * as vscode from 'vscode';
import type { Repositories } from '../repositories';
import { counted } from '../state';

interface Row extends vscode.QuickPickItem {
  readonly command?: string;
  readonly argument?: unknown;
}

/** Offers the commands, those with pending work first, and runs the chosen one. */
export async function menu(repositories: Repositories): Promise<void> {
  const { current } = repositories;
  const { isTrusted } = vscode.workspace;
  const { status } = current.state;
  const isBare = status?.mode === 'uninitialised';
  const rows: Row[] = [];
  const { conflicts = 0, unsealed = 0 } = status?.log ?? {};
  if (conflicts && isTrusted) rows.push({ label: '$(git-merge) Decide Conflicts', description: counted(conflicts, 'conflict waits', 'conflicts wait'), command: 'muninn.ui.resolve' });
  if (isBare && isTrusted) rows.push({ label: '$(new-folder) Initialise', description: 'gives this repository a memory', command: 'muninn.ui.init' });
  rows.push(
    ...(isBare ? [] : [{ label: '$(search) Recall…', command: 'muninn.ui.recall' }]),
    isTrusted ? { label: '$(bookmark) Remember…', command: 'muninn.ui.remember' } : { label: '$(shield) Manage Workspace Trust', command: 'workbench.trust.manage' },
    ...(isBare ? [] : [{ label: '$(package) Context…', command: 'muninn.ui.context' }]),
  );
  if (unsealed && isTrusted) rows.push({ label: '$(save) Seal Sessions', description: counted(unsealed, 'record is not in git yet', 'records are not in git yet'), command: 'muninn.ui.seal' });
  rows.push(
    { label: '', kind: vscode.QuickPickItemKind.Separator },
    { label: '$(info) Show Status', description: status?.problems.length ? counted(status.problems.length, 'problem', 'problems') : '', command: 'muninn.ui.status' },
    { label: '$(debug-restart) Restart Server', command: 'muninn.ui.restart' },
    { label: '$(settings-gear) Settings', command: 'workbench.action.openSettings', argument: '@ext:muninn.muninn' },
  );
  const chosen = await vscode.window.showQuickPick(rows, { title: current.label });
  if (chosen?.command) await vscode.commands.executeCommand(chosen.command, ...(chosen.argument === undefined ? [] : [chosen.argument]));
}
