// The extension: starts the server, and gives its commands, its status bar item and its output channel to VS Code.

import { existsSync } from 'node:fs';
import * as vscode from 'vscode';
import { offerToAgents } from './agents';
import { registerCommands } from './commands';
import { followEditors } from './commands/pack';
import { filesAtHand } from './commands/place';
import { coalesced } from './coalesce';
import { Documents } from './documents';
import { Failure } from './failure';
import { inWindow } from './gestures';
import { serverCommand } from './program';
import { Server } from './server';
import { showFailure, shown } from './show';
import { StatusBar } from './statusbar';
import { Views } from './views';

/** What `activate` returns, for the tests inside the extension host. */
export interface Api {
  readonly server: Server;
  readonly item: vscode.StatusBarItem;
  readonly views: Views;
}

/** Milliseconds after which a changed file of records is certainly in the server's log. */
const SETTLED = 1_500;

let running: Server | undefined;

/** Called by VS Code once, after its start. */
export async function activate(extension: vscode.ExtensionContext): Promise<Api | undefined> {
  const log = vscode.window.createOutputChannel('Muninn', { log: true });
  extension.subscriptions.push(log);
  const folder = served();
  if (!folder) {
    offerFolder(extension, log);
    return undefined;
  }
  const command = (): readonly string[] => serverCommand(settings(folder).get<string[]>('server.command'), folder.uri.fsPath);
  const { version } = extension.extension.packageJSON as { version: string };
  const failed = (error: unknown): void => void showFailure(error, log);
  const server = new Server(folder, log, { command, version, instead: inWindow, failed });
  const documents = new Documents(server);
  const bar = new StatusBar();
  const count = coalesced(() => countAtHand(server, bar));
  const views = new Views(server, () => void count().catch(() => undefined)); // the server's state says what is wrong
  running = server;
  extension.subscriptions.push(documents, bar, views, followEditors(), offerToAgents(server, command));
  follow(extension, server, bar, log);
  extension.subscriptions.push(registerCommands(server, documents, views, log));
  await server.restart();
  return { server, item: bar.item, views };
}

/** Called by VS Code before it ends; it waits for the promise for some seconds. */
export function deactivate(): Promise<void> | undefined {
  return running?.stop();
}

/**
 * The folder that is served: the first one on this disk that has memory, or else the first one. VS Code has one
 * namespace of commands, so that two servers can't be had at once.
 */
function served(): vscode.WorkspaceFolder | undefined {
  const folders = vscode.workspace.workspaceFolders?.filter(({ uri }) => uri.scheme === 'file') ?? [];
  return folders.find(({ uri }) => existsSync(vscode.Uri.joinPath(uri, '.muninn', 'config.yaml').fsPath)) ?? folders[0];
}

function settings(folder: vscode.WorkspaceFolder): vscode.WorkspaceConfiguration {
  return vscode.workspace.getConfiguration('muninn', folder);
}

/** Keeps the status bar true, and looks again when something may have changed. */
function follow(
  extension: vscode.ExtensionContext,
  server: Server,
  bar: StatusBar,
  log: vscode.LogOutputChannel,
): void {
  let told: string | undefined;
  let warned = false;
  const look = (): void => void (server.state.phase === 'starting' || server.refresh());
  let later: NodeJS.Timeout | undefined;
  const lookTwice = (): void => {
    look();
    clearTimeout(later);
    later = setTimeout(look, SETTLED); // the server takes in a file that git brought a moment after we hear of it
  };
  // Another client may have remembered something: every memory ends up in a file of this shape. Of a folder that goes
  // with all that is in it, VS Code tells the folder alone.
  const records = vscode.workspace.createFileSystemWatcher(new vscode.RelativePattern(server.folder, '{.muninn,.muninn/**/*.jsonl}'));
  extension.subscriptions.push(
    server.onDidChange((state) => {
      bar.show(state);
      // Once: it may fail in the same way at every look.
      if (state.failure && state.failure.message !== told) void showFailure(state.failure, log);
      told = state.failure?.message;
      if (state.warning && !warned) void showFailure(state.warning, log);
      warned ||= state.warning !== undefined;
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

/** Counts what is remembered about the file at hand, for the status bar. */
async function countAtHand(server: Server, bar: StatusBar): Promise<void> {
  if (server.state.phase !== 'running' || server.state.status?.mode === 'uninitialised') return;
  const [file] = await filesAtHand(server);
  bar.here(file ? (await server.request('memories', { file, limit: 1 })).total : undefined);
}

function offerFolder(extension: vscode.ExtensionContext, log: vscode.LogOutputChannel): void {
  const failure = new Failure('no_folder', 'no folder is open', 'Muninn keeps the memory of a folder on disk: open one.');
  const refuse = shown(() => Promise.reject(failure), log);
  const { commands } = extension.extension.packageJSON.contributes as { commands: readonly { command: string }[] };
  for (const { command } of commands) extension.subscriptions.push(vscode.commands.registerCommand(command, refuse));
}
