// The extension: the repositories of the window, and what it gives to VS Code for them.

import { homedir } from 'node:os';
import * as vscode from 'vscode';
import { registerAgentTools } from './agents';
import { Badges } from './badges';
import { registerCommands } from './commands';
import { followEditors } from './commands/pack';
import { activeFiles } from './activeFile';
import { coalesced } from './coalesce';
import { Cards } from './cards';
import { Recent } from './commands/recall';
import { CurrentLine } from './currentLine';
import { Documents } from './documents';
import { Elsewhere } from './elsewhere';
import { follow } from './follow';
import { serverCommand } from './program';
import { Reader } from './reader';
import { Repositories } from './repositories';
import { Server } from './server';
import { StatusBar } from './statusbar';
import { Views } from './views';
import { followWalkthrough } from './walkthrough';

/** What `activate` returns, for the tests inside the extension host. */
export interface Api {
  readonly repositories: Repositories;
  readonly item: vscode.StatusBarItem;
  readonly views: Views;
  readonly reader: Reader;
  readonly cards: Cards;
}

let running: Repositories | undefined;

/** VS Code calls it once, when the extension is first needed. */
export async function activate(extension: vscode.ExtensionContext): Promise<Api> {
  const log = vscode.window.createOutputChannel('Muninn', { log: true });
  const { version } = extension.extension.packageJSON as { version: string };
  const reported = new Set<string>();
  const repositories = new Repositories((root, folder) => {
    const chosen = (): string[] | undefined => vscode.workspace.getConfiguration('muninn', folder).get<string[]>('server.command');
    // No program of an untrusted folder runs. VS Code ignores the folder's setting of the command.
    const trusted = (): string | undefined => (vscode.workspace.isTrusted ? folder.uri.fsPath : undefined);
    const command = (): readonly string[] => serverCommand(chosen(), trusted());
    const cwd = (): string => trusted() ?? homedir();
    const server: Server = new Server(root, folder, log, { command, cwd, version, owns: (uri) => repositories.of(uri) === server });
    return { server, follower: follow(server, reported, log) };
  });
  const documents = new Documents(repositories);
  const icon = vscode.Uri.joinPath(extension.extensionUri, 'images', 'icon.png');
  const reader = new Reader(repositories, icon);
  const cards = new Cards(repositories, icon);
  const bar = new StatusBar(repositories);
  const count = coalesced(() => countActiveFile(repositories, bar));
  const views = new Views(repositories, () => void count().catch(() => undefined)); // the server's state has the failure
  running = repositories;
  const elsewhere = new Elsewhere();
  extension.subscriptions.push(log, repositories, documents, reader, cards, elsewhere, bar, views, followEditors(), followWalkthrough(), registerAgentTools(repositories));
  extension.subscriptions.push(new CurrentLine(repositories), new Badges(repositories));
  extension.subscriptions.push(registerCommands(repositories, { documents, reader, cards, elsewhere }, new Recent(extension.workspaceState), views, log));
  await repositories.update();
  return { repositories, item: bar.item, views, reader, cards };
}

/** VS Code calls it before it ends, and waits some seconds for the promise. */
export function deactivate(): Promise<void> | undefined {
  return running?.stop();
}

/** Counts what is remembered about the active file, for the status bar. */
async function countActiveFile(repositories: Repositories, bar: StatusBar): Promise<void> {
  const server = repositories.currentIfAny;
  if (server?.state.phase !== 'running' || server.state.status?.mode === 'uninitialised') return;
  const [file] = activeFiles(server);
  const total = file ? (await server.request('memories', { file, limit: 1 })).total : undefined;
  if (server === repositories.currentIfAny) bar.setCount(total);
}
