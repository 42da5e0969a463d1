// Commands on a memory, a session or a conflict: open, forget, approve, seal, resolve.

import * as vscode from 'vscode';
import type { Documents } from '../documents';
import { Failure } from '../failure';
import { memoryDocument, pageOf, SCHEME } from '../pages';
import type { Places } from '../places';
import { COMMANDS, type ReconcileResult, type ResolveParams } from '../protocol';
import type { Server } from '../server';
import { headline } from '../views/memories';
import type { Node, Target } from '../views/node';
import { counted } from '../state';

/** Opens what a row stands for. Throws a Failure. */
export async function open(server: Server, { reader, documents }: Places, target: Target): Promise<void> {
  switch (target.to) {
    case 'memory':
      return reader.open(server, memoryDocument(target.id));
    case 'file': {
      const line = Math.max(0, target.line - 1);
      await vscode.window.showTextDocument(server.file(target.path), { selection: new vscode.Range(line, 0, line, 0) });
      return;
    }
    case 'conflict':
      await compare(server, documents, target.id);
  }
}

/** Archives a memory, after asking for the reason. Throws a Failure. */
export async function forget(server: Server, what: Node | string): Promise<void> {
  const id = typeof what === 'string' ? what : memoryOf(what);
  const reason = await vscode.window.showInputBox({
    title: `${server.label}: Forget`,
    prompt: `Why is it no longer true? It stays in the history.${typeof what === 'string' ? '' : ` (${what.label})`}`,
    ignoreFocusOut: true,
  });
  if (reason === undefined) return;
  const { memory } = await server.request('forget', { id, reason });
  await server.refresh();
  // Not awaited: the command ends while the message stays.
  void vscode.window.showInformationMessage(`${server.label}: forgotten: ${headline(memory)}`, 'Restore').then(async (answer) => {
    if (answer) await vscode.commands.executeCommand(COMMANDS.restore, { id }, server.key);
    await server.refresh();
  });
}

/** Approves or rejects a memory. Throws a Failure. */
export async function review(server: Server, node: Node, verb: 'approve' | 'reject'): Promise<void> {
  await server.request(verb, { ids: [memoryOf(node)], actor: 'user' });
  await server.refresh();
}

/** Confirms a memory: it cites the current code then. Throws a Failure. */
export async function confirm(server: Server, node: Node): Promise<void> {
  await server.request('confirm', { id: memoryOf(node) });
  await server.refresh();
  vscode.window.setStatusBarMessage(`$(check) ${server.label}: the memory cites the current code now.`, 5000);
}

/** Seals a session's memories as files for git. Throws a Failure. */
export async function seal(server: Server, node?: Node): Promise<void> {
  const { segments, records } = await server.request('seal', { session: node?.key || null });
  await server.refresh();
  const done = segments.length ? `${counted(records, 'record', 'records')} sealed; commit .muninn to share them` : 'there was nothing to seal';
  vscode.window.setStatusBarMessage(`$(archive) ${server.label}: ${done}.`, 5000);
}

/**
 * Decides a conflict: that of a row, or the one whose sides are compared in the editor; by the side that is named, or by the
 * one that the person picks. Throws a Failure.
 */
export async function resolve(server: Server, node: Node | undefined, keep?: ResolveParams['keep']): Promise<void> {
  const id = node?.target?.to === 'conflict' ? node.target.id : conflictOf(vscode.window.tabGroups.activeTabGroup.activeTab);
  if (!id) throw new Failure('bad_params', 'no conflict is shown', 'The view “Conflicts” lists those that wait.');
  const chosen = keep ?? (node && (await side(server, node)));
  if (!chosen) return;
  await server.request('resolve', { id, keep: chosen });
  const tabs = vscode.window.tabGroups.all.flatMap((group) => group.tabs).filter((tab) => conflictOf(tab) === id);
  await vscode.window.tabGroups.close(tabs);
  await server.refresh();
}

/** The conflict whose two sides a tab compares; undefined for any other tab. */
function conflictOf(tab: vscode.Tab | undefined): string | undefined {
  if (!(tab?.input instanceof vscode.TabInputTextDiff) || tab.input.modified.scheme !== SCHEME) return undefined;
  const page = pageOf(tab.input.modified.query);
  return page.page === 'side' ? page.conflict : undefined;
}

/** Consolidates all sessions, after the person has seen what would happen. Throws a Failure. */
export async function reconcile(server: Server): Promise<ReconcileResult | undefined> {
  const title = `${server.label}: reconciling`;
  const run = (dry: boolean): Thenable<ReconcileResult> =>
    vscode.window.withProgress({ location: vscode.ProgressLocation.Notification, title, cancellable: true }, (progress, token) => {
      let reported = 0;
      const report = (message: string, percentage: number): void => {
        progress.report({ message, increment: Math.max(0, percentage - reported) });
        reported = Math.max(reported, percentage);
      };
      return server.requestWithProgress('reconcile', { dry_run: dry }, report, token);
    });
  const plan = await run(true);
  if (!plan.segments.length) {
    void vscode.window.showInformationMessage(`${server.label}: ${plan.summary}`);
    return plan;
  }
  const go = await vscode.window.showInformationMessage(`${server.label} would write main.jsonl: ${plan.summary}`, { modal: true }, 'Reconcile');
  if (!go) return undefined;
  const done = await run(false);
  await server.refresh();
  // Not awaited: the command ends while the message stays.
  void vscode.window.showInformationMessage(`${server.label}: ${done.summary}`, 'Undo').then(async (answer) => {
    if (answer) await vscode.commands.executeCommand('muninn.ui.undo', server.key);
  });
  return done;
}

/** Undoes the last reconcile or prune. Throws a Failure. */
export async function undo(server: Server): Promise<void> {
  const { summary } = await server.request('undo', {});
  await server.refresh();
  void vscode.window.showInformationMessage(`${server.label}: taken back: ${summary}`);
}

/** Shows the sides of a conflict: of the only one that waits, or of the one that the person picks. Throws a Failure. */
export async function showConflict(server: Server, { documents }: Places): Promise<void> {
  const { conflicts } = await server.request('conflicts', {});
  const rows = conflicts.map(({ id, left, right }) => ({ label: headline(left), detail: `or: ${headline(right)}`, id }));
  if (!rows.length) throw new Failure('bad_params', 'no conflict waits');
  const options = { title: `${server.label}: Decide Conflicts`, placeHolder: 'The conflict to decide' };
  const chosen = rows.length === 1 ? rows[0] : await vscode.window.showQuickPick(rows, options);
  if (chosen) await compare(server, documents, chosen.id);
}

async function compare(server: Server, documents: Documents, id: string): Promise<void> {
  const { conflicts } = await server.request('conflicts', { id });
  const conflict = conflicts[0];
  if (!conflict) return;
  const [left, right] = await Promise.all(
    (['left', 'right'] as const).map((side) => documents.prepare(server, { page: 'side', id: conflict[side].id, conflict: id, side }, headline(conflict[side]))),
  );
  await vscode.commands.executeCommand('vscode.diff', left, right, `Conflict: ${conflict.reason}`);
}

async function side(server: Server, node: Node): Promise<ResolveParams['keep'] | undefined> {
  const [left, right] = node.children ?? [];
  const rows = [
    { iconPath: new vscode.ThemeIcon('arrow-left'), label: 'Keep left', detail: left?.label ?? '', keep: 'left' as const },
    { iconPath: new vscode.ThemeIcon('arrow-right'), label: 'Keep right', detail: right?.label ?? '', keep: 'right' as const },
    { iconPath: new vscode.ThemeIcon('check-all'), label: 'Keep both', detail: 'They do not contradict each other.', keep: 'both' as const },
  ];
  return (await vscode.window.showQuickPick(rows, { title: `${server.label}: Which one holds?`, ignoreFocusOut: true }))?.keep;
}

/** The id of a row's memory. VS Code passes no row when the list was replaced between the pointer's move and its click. */
export function memoryOf(node: Node | undefined): string {
  if (!node) throw new Error('the list has just changed: press the button again');
  if (node.target?.to === 'memory') return node.target.id;
  throw new Error('this row is no memory');
}
