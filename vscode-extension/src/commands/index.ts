// The commands, by their names: which function each one runs.

import * as vscode from 'vscode';
import type { Documents } from '../documents';
import { Failure } from '../failure';
import { installation } from '../program';
import type { Server } from '../server';
import { shown } from '../show';
import { counted, describe } from '../state';
import type { Views } from '../views';
import { GROUPINGS } from '../views/memories';
import type { Node, Target } from '../views/node';
import { context } from './context';
import * as memory from './memory';
import { copyPack, insertPack } from './pack';
import { recall } from './recall';
import { remember } from './remember';

/** Registers all commands; what one of them throws is shown with its cure. */
export function registerCommands(
  server: Server,
  documents: Documents,
  views: Views,
  log: vscode.LogOutputChannel,
): vscode.Disposable {
  const registered: vscode.Disposable[] = [];
  const register = (name: string, run: (...args: unknown[]) => Promise<unknown>): void => {
    registered.push(vscode.commands.registerCommand(`muninn.ui.${name}`, shown(run, log)));
  };
  const text = (given: unknown): string | undefined => (typeof given === 'string' ? given : undefined);
  register('recall', (query: unknown) => recall(server, documents, text(query)));
  register('remember', (what: unknown, type: unknown) => remember(server, text(what), text(type)));
  register('context', (query: unknown) => context(server, documents, text(query)));
  register('status', () => showStatus(server, log));
  register('init', () => initialise(server));
  register('restart', () => server.restart());
  register('output', async () => log.show(true));
  register('install', install);
  register('copyPack', copyPack);
  register('insertPack', insertPack);
  register('open', (target: unknown) => memory.open(server, documents, target as Target));
  register('document', (address: unknown) => openDocument(text(address) ?? ''));
  register('forget', (node: unknown) => memory.forget(server, node as Node));
  register('approve', (node: unknown) => memory.review(server, node as Node, 'approve'));
  register('reject', (node: unknown) => memory.review(server, node as Node, 'reject'));
  register('seal', (node: unknown) => memory.seal(server, node as Node | undefined));
  register('reconcile', () => memory.reconcile(server));
  register('undo', () => memory.undo(server));
  register('resolve', (node: unknown) => memory.resolve(server, node as Node));
  for (const keep of ['left', 'right', 'both'] as const) {
    // From a row; or, above two sides that are compared, with their address, which says no more than the tab does.
    register(`keep.${keep}`, (what: unknown) => memory.resolve(server, what instanceof vscode.Uri ? undefined : (what as Node | undefined), keep));
  }
  register('refresh', async () => views.refresh());
  register('filter', async () => {
    const prompt = 'Only memories whose text contains this';
    const text = await vscode.window.showInputBox({ title: 'Muninn: Filter', prompt, value: views.narrowed });
    if (text !== undefined) views.narrow(text.trim());
  });
  register('clearFilter', async () => views.narrow(''));
  register('groupBy', () => groupBy(server.folder));
  return vscode.Disposable.from(...registered);
}

/** Opens a document of the server, as a link in a hover names it. */
async function openDocument(address: string): Promise<void> {
  const uri = vscode.Uri.parse(address, true);
  if (uri.scheme !== 'muninn') throw new Failure('bad_params', `'${address}' is not the address of a document of Muninn`);
  await vscode.window.showTextDocument(uri, { preview: true });
}

async function groupBy(folder: vscode.WorkspaceFolder): Promise<void> {
  const rows = GROUPINGS.map((label) => ({ label }));
  const chosen = await vscode.window.showQuickPick(rows, { title: 'Muninn: Group memories by' });
  if (chosen) await vscode.workspace.getConfiguration('muninn', folder).update('views.groupBy', chosen.label, vscode.ConfigurationTarget.Workspace);
}

/** Installs the program in a terminal, where the person sees what happens; the next restart finds it. */
async function install(): Promise<void> {
  const line = installation();
  if (!line) throw new Failure('missing_program', 'neither uv nor pipx is on the PATH', 'Install with `pip install muninn-memory`.');
  const terminal = vscode.window.createTerminal('Install Muninn');
  terminal.show();
  terminal.sendText(line);
  const answer = await vscode.window.showInformationMessage(`Muninn: when “${line}” is done, restart the server.`, 'Restart Server');
  if (answer) await vscode.commands.executeCommand('muninn.ui.restart');
}

async function showStatus(server: Server, log: vscode.LogOutputChannel): Promise<void> {
  log.show(true);
  await server.refresh();
  const { status, failure } = server.state;
  if (failure) throw failure;
  if (status) log.info(['status', ...describe(status)].join('\n  '));
}

async function initialise(server: Server): Promise<void> {
  const { created } = await server.request('init', {});
  await server.refresh();
  const done = created.length
    ? `${counted(created.length, 'file was', 'files were')} written to .muninn. Commit them, and others share the memory.`
    : 'this repository was initialised already; nothing changed.';
  void vscode.window.showInformationMessage(`Muninn: ${done}`);
}
