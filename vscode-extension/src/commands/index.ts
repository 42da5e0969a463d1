// The names of all commands, and the functions that they run.

import * as vscode from 'vscode';
import { Failure } from '../failure';
import { DOCUMENT, withoutKey } from '../links';
import { within } from '../paths';
import type { Places } from '../places';
import type { Repositories } from '../repositories';
import type { Server } from '../server';
import { runServerCommand, SERVER_COMMANDS, supersede } from '../serverCommands';
import { shown } from '../show';
import type { Views } from '../views';
import type { Node, Target } from '../views/node';
import { context } from './context';
import { newContextFile, previewPack } from './contextFile';
import { filter, groupBy } from './filter';
import { initialiseFolder } from './initialise';
import { install } from './install';
import { menu } from './menu';
import * as memory from './memory';
import { copyPack, insertPack } from './pack';
import { recall, type Recent } from './recall';
import { remember } from './remember';
import { showStatus } from './status';

/** Registers all commands. Their errors are shown with a remedy. */
export function registerCommands(
  repositories: Repositories,
  places: Places,
  recent: Recent,
  views: Views,
  log: vscode.LogOutputChannel,
): vscode.Disposable {
  const registered: vscode.Disposable[] = [];
  const register = (name: string, run: (...args: unknown[]) => Promise<unknown>): void => {
    registered.push(vscode.commands.registerCommand(name, shown(run, log)));
  };
  const ui = (name: string, run: (...args: unknown[]) => Promise<unknown>): void => register(`muninn.ui.${name}`, run);
  const inCurrent = (name: string, run: (server: Server, ...args: unknown[]) => Promise<unknown>): void =>
    ui(name, async (...args) => run(repositories.currentOrNew(), ...args));
  // The repository is that of the row or of the page, else the current one.
  const onRow = (name: string, run: (server: Server, node: Node | undefined) => Promise<unknown>): void =>
    ui(name, async (what) => {
      const { rootUri } = (what ?? {}) as { rootUri?: vscode.Uri }; // what the Source Control view passes
      const uri = what instanceof vscode.Uri ? what : rootUri;
      if (uri) return run(repositories.byKey(repositories.of(vscode.Uri.joinPath(uri, '.muninn'))?.key ?? repositories.of(uri)?.key), undefined);
      const node = what as Node | undefined;
      return run(repositories.byKey(node?.repository), node);
    });
  inCurrent('recall', (server, query) => recall(server, places, recent, text(query)));
  inCurrent('remember', (server, what, type) => remember(server, text(what), text(type)));
  inCurrent('context', (server, query) => context(server, places.documents, text(query)));
  inCurrent('newContextFile', (server, template, name) => newContextFile(server, text(template), text(name)));
  inCurrent('previewPack', (server) => previewPack(server, places));
  ui('menu', () => menu(repositories));
  ui('status', () => showStatus(repositories, log));
  ui('init', () => initialiseFolder(repositories));
  // Without any, `current` throws what to do.
  ui('restart', async () => void (await Promise.all([...new Set([repositories.current, ...repositories.all])].map((server) => server.restart()))));
  ui('output', async () => log.show(true));
  ui('install', () => install(repositories, log));
  ui('copyPack', copyPack);
  ui('insertPack', insertPack);
  ui('open', async (target, key) => memory.open(repositories.byKey(text(key)), places, target as Target));
  ui('document', (address) => openDocument(repositories, places, text(address) ?? ''));
  ui('closeCards', async () => places.cards.close());
  onRow('forget', (server, node) => memory.forget(server, node as Node));
  onRow('supersede', (server, node) => supersede(server, places, memory.memoryOf(node)));
  onRow('confirm', (server, node) => memory.confirm(server, node as Node));
  onRow('approve', (server, node) => memory.review(server, node as Node, 'approve'));
  onRow('reject', (server, node) => memory.review(server, node as Node, 'reject'));
  onRow('seal', memory.seal);
  inCurrent('reconcile', (server) => memory.reconcile(server));
  ui('undo', async (key) => memory.undo(repositories.byKey(text(key))));
  onRow('resolve', (server, node) => (node ? memory.resolve(server, node) : memory.showConflict(server, places)));
  for (const keep of ['left', 'right', 'both'] as const) onRow(`keep.${keep}`, (server, node) => memory.resolve(server, node, keep));
  ui('refresh', async () => views.refresh());
  inCurrent('filter', (server) => filter(server, views));
  ui('clearFilter', async () => views.setFilter(''));
  inCurrent('groupBy', groupBy);
  for (const command of SERVER_COMMANDS) register(command, async (argument, key) => runServerCommand(repositories.byKey(text(key)), places, command, argument));
  return vscode.Disposable.from(...registered);
}

function text(given: unknown): string | undefined {
  return typeof given === 'string' ? given : undefined;
}

/** Opens the target of a link: a document of a server as a page, or a file at its line. Throws a Failure. */
async function openDocument(repositories: Repositories, { reader }: Places, address: string): Promise<void> {
  const uri = vscode.Uri.parse(address, true);
  if (uri.scheme === DOCUMENT) return reader.open(repositories.byKey(uri.authority || undefined), withoutKey(address));
  const server = uri.scheme === 'file' ? repositories.of(uri) : undefined;
  if (!server || within(server.root, uri.fsPath) === undefined) {
    throw new Failure('bad_params', `'${address}' is neither a document of Muninn nor a file of an open repository`);
  }
  const line = Math.max(0, Number(/^L(\d+)$/.exec(uri.fragment)?.[1] ?? 1) - 1);
  await vscode.window.showTextDocument(uri.with({ fragment: '' }), { selection: new vscode.Range(line, 0, line, 0) });
}
