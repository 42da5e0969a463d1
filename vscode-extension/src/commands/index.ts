// The commands, by their names: which function each one runs.

import { homedir } from 'node:os';
import { basename } from 'node:path';
import * as vscode from 'vscode';
import { Failure } from '../failure';
import { within, workTree } from '../paths';
import { complete } from '../process';
import { installation } from '../program';
import { GESTURES, gesture, supersede } from '../gestures';
import { bare, DOCUMENT } from '../links';
import type { Places } from '../places';
import type { Repositories } from '../repositories';
import type { Server } from '../server';
import { shown } from '../show';
import { describe } from '../state';
import type { Views } from '../views';
import { GROUPINGS } from '../views/memories';
import type { Node, Target } from '../views/node';
import { context } from './context';
import { newContextFile, previewPack } from './contextFile';
import { initialise } from './initialise';
import { menu } from './menu';
import * as memory from './memory';
import { copyPack, insertPack } from './pack';
import { recall, type Recent } from './recall';
import { remember } from './remember';

/** Registers all commands; their errors are shown with a remedy. */
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
  const ours = (name: string, run: (...args: unknown[]) => Promise<unknown>): void => register(`muninn.ui.${name}`, run);
  const here = (name: string, run: (server: Server, ...args: unknown[]) => Promise<unknown>): void =>
    ours(name, async (...args) => run(repositories.reach(), ...args));
  // A row says whose it is, and so does the address of a page; without either the current repository is meant.
  const on = (name: string, run: (server: Server, node: Node | undefined) => Promise<unknown>): void =>
    ours(name, async (what) => {
      const { rootUri } = (what ?? {}) as { rootUri?: vscode.Uri }; // of a row of the Source Control view
      const uri = what instanceof vscode.Uri ? what : rootUri;
      if (uri) return run(repositories.keyed(repositories.of(vscode.Uri.joinPath(uri, '.muninn'))?.key ?? repositories.of(uri)?.key), undefined);
      const node = what as Node | undefined;
      return run(repositories.keyed(node?.repository), node);
    });
  here('recall', (server, query) => recall(server, places, recent, text(query)));
  here('remember', (server, what, type) => remember(server, text(what), text(type)));
  here('context', (server, query) => context(server, places.documents, text(query)));
  here('newContextFile', (server, template, name) => newContextFile(server, text(template), text(name)));
  here('previewPack', (server) => previewPack(server, places));
  ours('menu', () => menu(repositories));
  ours('status', () => showStatus(repositories, log));
  ours('init', () => initialiseFolder(repositories));
  ours('restart', async () => void (await Promise.all(repositories.all.map((server) => server.restart()))));
  ours('output', async () => log.show(true));
  ours('install', () => install(repositories, log));
  ours('copyPack', copyPack);
  ours('insertPack', insertPack);
  ours('open', async (target, key) => memory.open(repositories.keyed(text(key)), places, target as Target));
  ours('document', (address) => openDocument(repositories, places, text(address) ?? ''));
  ours('closeCards', async () => places.cards.close());
  on('forget', (server, node) => memory.forget(server, node as Node));
  on('supersede', (server, node) => supersede(server, places, memory.memoryOf(node)));
  on('confirm', (server, node) => memory.confirm(server, node as Node));
  on('approve', (server, node) => memory.review(server, node as Node, 'approve'));
  on('reject', (server, node) => memory.review(server, node as Node, 'reject'));
  on('seal', memory.seal);
  here('reconcile', (server) => memory.reconcile(server));
  ours('undo', async (key) => memory.undo(repositories.keyed(text(key))));
  on('resolve', (server, node) => (node ? memory.resolve(server, node) : memory.showConflict(server, places)));
  for (const keep of ['left', 'right', 'both'] as const) on(`keep.${keep}`, (server, node) => memory.resolve(server, node, keep));
  ours('refresh', async () => views.refresh());
  here('filter', async (server) => {
    const prompt = 'Only memories whose text contains this';
    const words = await vscode.window.showInputBox({ title: `${server.label}: Filter`, prompt, value: views.narrowed, ignoreFocusOut: true });
    if (words !== undefined) views.narrow(words.trim());
  });
  ours('clearFilter', async () => views.narrow(''));
  here('groupBy', groupBy);
  for (const command of GESTURES) register(command, async (argument, key) => gesture(repositories.keyed(text(key)), places, command, argument));
  return vscode.Disposable.from(...registered);
}

function text(given: unknown): string | undefined {
  return typeof given === 'string' ? given : undefined;
}

/** Opens what a link names: a document of a server as a page, or a file of a repository at its line. Throws a Failure. */
async function openDocument(repositories: Repositories, { reader }: Places, address: string): Promise<void> {
  const uri = vscode.Uri.parse(address, true);
  if (uri.scheme === DOCUMENT) return reader.open(repositories.keyed(uri.authority || undefined), bare(address));
  const server = uri.scheme === 'file' ? repositories.of(uri) : undefined;
  if (!server || within(server.root, uri.fsPath) === undefined) {
    throw new Failure('bad_params', `'${address}' is neither a document of Muninn nor a file of an open repository`);
  }
  const line = Math.max(0, Number(/^L(\d+)$/.exec(uri.fragment)?.[1] ?? 1) - 1);
  await vscode.window.showTextDocument(uri.with({ fragment: '' }), { selection: new vscode.Range(line, 0, line, 0) });
}

async function groupBy({ folder, label }: Server): Promise<void> {
  const settings = vscode.workspace.getConfiguration('muninn', folder);
  const now = settings.get<string>('views.groupBy');
  const rows = GROUPINGS.map((grouping) => ({ label: grouping, description: grouping === now ? 'now' : '' }));
  const chosen = await vscode.window.showQuickPick(rows, { title: `${label}: Group Memories By`, placeHolder: 'Grouping of the view Memory' });
  if (chosen) await settings.update('views.groupBy', chosen.label, vscode.ConfigurationTarget.Workspace);
}

/** Installs the server with uv or pipx, says how far it is, and starts it. Throws a Failure. */
async function install(repositories: Repositories, log: vscode.LogOutputChannel): Promise<void> {
  const command = installation();
  if (!command) throw new Failure('missing_program', 'this machine has neither uv nor pipx', 'Install uv, or the server with `pip install muninn-memory`.');
  const title = `Muninn: installing the server with ${basename(command[0])}`;
  log.info(command.join(' '));
  await vscode.window.withProgress({ location: vscode.ProgressLocation.Notification, title, cancellable: true }, (progress, token) => {
    const heard = (message: string): void => {
      log.info(message);
      progress.report({ message });
    };
    return complete(command, { cwd: homedir(), heard, stopped: (stop) => token.onCancellationRequested(stop) });
  });
  await Promise.all(repositories.all.map((server) => server.restart()));
}

/** Shows the log with how each server is, that of the current repository last, where the eye falls. */
async function showStatus(repositories: Repositories, log: vscode.LogOutputChannel): Promise<void> {
  const { current } = repositories;
  log.show(true);
  for (const server of [...repositories.all.filter((each) => each !== current), current]) {
    await server.refresh();
    const { status } = server.state;
    if (status) log.info([server.alone ? 'status' : `status of ${server.name}`, ...describe(status)].join('\n  '));
  }
  if (current.state.failure) throw current.state.failure;
}

async function initialiseFolder(repositories: Repositories): Promise<void> {
  const folder = await unremembering(repositories);
  if (!folder) return;
  await initialise(repositories.serve(folder));
}

/** The folder that is to be initialised: where no active file tells it and there are several, the person chooses. */
async function unremembering(repositories: Repositories): Promise<vscode.WorkspaceFolder | undefined> {
  const { bare, atHand } = repositories;
  const uri = vscode.window.activeTextEditor?.document.uri;
  const around = uri && repositories.bareAround(uri);
  if (around) return around;
  if (!bare.length) return repositories.current.folder;
  if (bare.length === 1 && bare[0] && (!atHand || workTree(bare[0].uri.fsPath) === atHand.root)) return bare[0];
  const rows = bare.map((folder) => ({ label: folder.name, description: folder.uri.fsPath, folder }));
  return (await vscode.window.showQuickPick(rows, { title: 'Muninn: Initialise', placeHolder: 'The folder that gets a memory' }))?.folder;
}
