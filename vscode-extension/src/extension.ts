// The extension: starts the server, and gives its commands, its status bar item and its output channel to VS Code.

import * as vscode from 'vscode';
import { context } from './commands/context';
import { recall } from './commands/recall';
import { remember } from './commands/remember';
import { Documents } from './documents';
import { Failure } from './failure';
import { Server } from './server';
import { showFailure, shown } from './show';
import { counted, describe } from './state';
import { paint, statusBarItem } from './statusbar';

/** What `activate` returns, for the tests inside the extension host. */
export interface Api {
  readonly server: Server;
  readonly item: vscode.StatusBarItem;
}

/** Milliseconds after which a changed file of records is certainly in the server's log. */
const SETTLED = 1_500;

let running: Server | undefined;

/** Called by VS Code once, after its start. */
export async function activate(extension: vscode.ExtensionContext): Promise<Api | undefined> {
  const log = vscode.window.createOutputChannel('Muninn', { log: true });
  extension.subscriptions.push(log);
  // The first folder: VS Code has one namespace of commands, so that two servers can't be had at once.
  const folder = vscode.workspace.workspaceFolders?.find(({ uri }) => uri.scheme === 'file');
  if (!folder) {
    offerFolder(extension, log);
    return undefined;
  }
  const server = new Server(folder, log, () => settings(folder).get<string[]>('server.command', []));
  const documents = new Documents(server);
  const item = statusBarItem();
  running = server;
  extension.subscriptions.push(documents, item);
  follow(extension, server, item, log);
  registerCommands(extension, server, documents, log);
  await server.restart();
  return { server, item };
}

/** Called by VS Code before it ends; it waits for the promise for some seconds. */
export function deactivate(): Promise<void> | undefined {
  return running?.stop();
}

function settings(folder: vscode.WorkspaceFolder): vscode.WorkspaceConfiguration {
  return vscode.workspace.getConfiguration('muninn', folder);
}

/** Keeps the status bar true, and looks again when something may have changed. */
function follow(
  extension: vscode.ExtensionContext,
  server: Server,
  item: vscode.StatusBarItem,
  log: vscode.LogOutputChannel,
): void {
  paint(item, server.state);
  let told: string | undefined;
  const look = (): void => void (server.state.phase === 'starting' || server.refresh());
  let later: NodeJS.Timeout | undefined;
  const lookTwice = (): void => {
    look();
    clearTimeout(later);
    later = setTimeout(look, SETTLED); // the server takes in a file that git brought a moment after we hear of it
  };
  // Another client may have remembered something: every memory ends up in a file of this shape.
  const records = vscode.workspace.createFileSystemWatcher(new vscode.RelativePattern(server.folder, '.muninn/**/*.jsonl'));
  extension.subscriptions.push(
    server.onDidChange((state) => {
      paint(item, state);
      // Once: it may fail in the same way at every look.
      if (state.failure && state.failure.message !== told) void showFailure(state.failure, log);
      told = state.failure?.message;
    }),
    records,
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

function registerCommands(
  extension: vscode.ExtensionContext,
  server: Server,
  documents: Documents,
  log: vscode.LogOutputChannel,
): void {
  const register = (name: string, run: (...args: unknown[]) => Promise<unknown>): void => {
    extension.subscriptions.push(vscode.commands.registerCommand(`muninn.ui.${name}`, shown(run, log)));
  };
  const text = (given: unknown): string | undefined => (typeof given === 'string' ? given : undefined);
  register('recall', (query: unknown) => recall(server, documents, text(query)));
  register('remember', (what: unknown, type: unknown) => remember(server, text(what), text(type)));
  register('context', (query: unknown) => context(server, documents, text(query)));
  register('status', () => showStatus(server, log));
  register('init', () => initialise(server));
  register('restart', () => server.restart());
  register('output', async () => log.show(true));
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

function offerFolder(extension: vscode.ExtensionContext, log: vscode.LogOutputChannel): void {
  const failure = new Failure('no_folder', 'no folder is open', 'Muninn keeps the memory of a folder on disk: open one.');
  const refuse = shown(() => Promise.reject(failure), log);
  for (const name of ['recall', 'remember', 'context', 'status', 'init', 'restart', 'output']) {
    extension.subscriptions.push(vscode.commands.registerCommand(`muninn.ui.${name}`, refuse));
  }
}
