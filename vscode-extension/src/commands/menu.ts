// The menu of the status bar item, with the most likely commands first.

import * as vscode from 'vscode';
import type { Repositories } from '../repositories';
import { counted, isDeleted } from '../state';

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
  if (conflicts && isTrusted) rows.push({ iconPath: new vscode.ThemeIcon('git-merge'), label: 'Decide Conflicts', description: counted(conflicts, 'conflict waits', 'conflicts wait'), command: 'muninn.ui.resolve' });
  if (status && isDeleted(status) && isTrusted) rows.push({ iconPath: new vscode.ThemeIcon('new-folder'), label: 'Initialise', description: 'creates an empty memory; `git restore .muninn` brings back the committed one', command: 'muninn.ui.init' });
  if (isBare && isTrusted) rows.push({ iconPath: new vscode.ThemeIcon('new-folder'), label: 'Initialise', description: 'gives this repository a memory', command: 'muninn.ui.init' });
  rows.push(
    ...(isBare ? [] : [{ iconPath: new vscode.ThemeIcon('search'), label: 'Recall…', command: 'muninn.ui.recall' }]),
    isTrusted ? { iconPath: new vscode.ThemeIcon('bookmark'), label: 'Remember…', command: 'muninn.ui.remember' } : { iconPath: new vscode.ThemeIcon('shield'), label: 'Manage Workspace Trust', command: 'workbench.trust.manage' },
    ...(isBare ? [] : [{ iconPath: new vscode.ThemeIcon('package'), label: 'Context…', command: 'muninn.ui.context' }]),
  );
  if (unsealed && isTrusted) rows.push({ iconPath: new vscode.ThemeIcon('save'), label: 'Seal Sessions', description: counted(unsealed, 'record is not in git yet', 'records are not in git yet'), command: 'muninn.ui.seal' });
  rows.push(
    { label: '', kind: vscode.QuickPickItemKind.Separator },
    { iconPath: new vscode.ThemeIcon('info'), label: 'Show Status', description: status?.problems.length ? counted(status.problems.length, 'problem', 'problems') : '', command: 'muninn.ui.status' },
    { iconPath: new vscode.ThemeIcon('debug-restart'), label: 'Restart Server', command: 'muninn.ui.restart' },
    { iconPath: new vscode.ThemeIcon('settings-gear'), label: 'Settings', command: 'workbench.action.openSettings', argument: '@ext:muninn.muninn' },
  );
  const chosen = await vscode.window.showQuickPick(rows, { title: current.label });
  if (chosen?.command) await vscode.commands.executeCommand(chosen.command, ...(chosen.argument === undefined ? [] : [chosen.argument]));
}
