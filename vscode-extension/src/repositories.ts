// The repositories of the window: one server for each work tree, and which of them is current.

import { isAbsolute } from 'node:path';
import * as vscode from 'vscode';
import { followActiveUri, activeUri } from './activeFile';
import { Failure } from './failure';
import { DOCUMENT } from './links';
import { SCHEME } from './pages';
import { namesOf, remembers, toServe, within, workTree } from './paths';
import type { Server } from './server';

const CONFIG = '**/.muninn/config.yaml';

/** Creates the server of a work tree, and what follows it until the server stops. */
export type CreateServer = (root: string, folder: vscode.WorkspaceFolder) => { readonly server: Server; readonly follower: vscode.Disposable };

/** All servers of the window, one for each work tree with memory. */
export class Repositories implements vscode.Disposable {
  private readonly served = new Map<string, ReturnType<CreateServer>>();
  private readonly changed = new vscode.EventEmitter<void>();
  private readonly stateChanged = new vscode.EventEmitter<Server>();
  private readonly registrations: readonly vscode.Disposable[];
  private readonly owners = new Map<string, Server | undefined>(); // by path: each typed key asks, and links are slow to resolve
  private latest: Server | undefined;

  /** Fires when the set of repositories or the current one changes. */
  readonly onDidChange = this.changed.event;

  /** Fires with a server whose state has changed. */
  readonly onDidChangeState = this.stateChanged.event;

  constructor(private readonly create: CreateServer) {
    const memory = vscode.workspace.createFileSystemWatcher(CONFIG, false, true, true);
    this.registrations = [
      memory,
      memory.onDidCreate(() => void this.update()),
      vscode.workspace.onDidGrantWorkspaceTrust(() => this.restartAll()),
      vscode.workspace.onDidChangeWorkspaceFolders(() => void this.update()),
      followActiveUri(() => this.select(this.atActiveUri())),
    ];
  }

  /** All of them, in the order of the window's folders. */
  get all(): readonly Server[] {
    return [...this.served.values()].map(({ server }) => server);
  }

  /** The current one: of the active editor, else of the last editor that had one, else the first. Throws a Failure. */
  get current(): Server {
    const server = this.currentIfAny;
    if (server) return server;
    if (this.withoutMemory.length) throw new Failure('not_initialised', 'this repository has no memory yet', 'Initialise it.');
    throw new Failure('no_folder', 'no folder is open', 'Muninn keeps the memory of a folder on disk: open one.');
  }

  /** The current one; without any a new one for the folder of the active editor, or for the first. Throws a Failure. */
  currentOrNew(): Server {
    const uri = activeUri();
    const folder = this.currentIfAny ? undefined : ((uri && this.folderWithoutMemory(uri)) ?? this.withoutMemory[0]);
    return folder ? this.serve(folder) : this.current;
  }

  /** The folder without memory that a file lies in. */
  folderWithoutMemory(uri: vscode.Uri): vscode.WorkspaceFolder | undefined {
    const around = vscode.workspace.getWorkspaceFolder(uri);
    return around && this.withoutMemory.find((each) => workTree(each.uri.fsPath) === workTree(around.uri.fsPath));
  }

  /** The current one; undefined when the window has none. */
  get currentIfAny(): Server | undefined {
    return this.latest ?? this.all[0];
  }

  /** The one that a file or document belongs to; of nested repositories the innermost. */
  of(uri: vscode.Uri): Server | undefined {
    if (uri.scheme === DOCUMENT || uri.scheme === SCHEME) return uri.authority ? this.all.find(({ key }) => key === uri.authority) : this.currentIfAny;
    const { fsPath } = uri;
    if (!this.owners.has(fsPath)) this.owners.set(fsPath, isAbsolute(fsPath) ? this.around(fsPath) : undefined);
    return this.owners.get(fsPath);
  }

  /** The one with this key; without a key the current one. Throws a Failure when its folder was closed. */
  byKey(key: string | undefined): Server {
    const server = key === undefined ? this.current : this.all.find((each) => each.key === key);
    if (!server) throw new Failure('no_folder', 'the repository of this is not open in this window any more', 'Add its folder again.');
    return server;
  }

  /** The first folder of each work tree without memory. */
  get withoutMemory(): readonly vscode.WorkspaceFolder[] {
    return [...toServe(onDisk(), () => true)].filter(([root]) => !remembers(root)).map(([, folder]) => folder);
  }

  /** Starts the server of a folder's work tree, unless it runs, to initialise the folder. */
  serve(folder: vscode.WorkspaceFolder): Server {
    const root = workTree(folder.uri.fsPath);
    void this.update(root);
    return this.byKey(this.served.get(root)?.server.key);
  }

  /** Starts and stops servers to match the window's folders; `also` is a further work tree. */
  async update(also?: string): Promise<void> {
    const wanted = toServe(onDisk(), (root) => root === also || this.served.has(root));
    const stopped = [...this.served].filter(([root, { server }]) => wanted.get(root)?.uri.toString() !== server.folder.uri.toString());
    for (const [root, { follower }] of stopped) {
      this.served.delete(root);
      follower.dispose();
    }
    const before = new Map(this.served);
    this.served.clear();
    const started = [...wanted].filter(([root, folder]) => {
      const known = before.get(root);
      this.served.set(root, known ?? this.add(root, folder));
      return !known;
    });
    if (started.length || stopped.length || !this.served.size) this.refresh(); // without any, the views may need their welcome
    await Promise.all([
      ...stopped.map(([, { server }]) => server.stop()),
      ...started.map(([root]) => this.served.get(root)?.server.restart()),
    ]);
  }

  /** Makes the one with this key the current one. */
  selectKey(key: string): void {
    this.select(this.all.find((each) => each.key === key));
  }

  /** Stops all servers for good. */
  async stop(): Promise<void> {
    await Promise.all(this.all.map((server) => server.stop()));
  }

  dispose(): void {
    for (const { follower } of this.served.values()) follower.dispose();
    for (const registration of this.registrations) registration.dispose();
    this.changed.dispose();
    this.stateChanged.dispose();
  }

  /** Restarts all servers, because the folders are trusted now. */
  private restartAll(): void {
    for (const server of this.all) void server.restart();
    this.changed.fire();
  }

  private around(file: string): Server | undefined {
    const found = this.all.filter(({ root }) => within(root, file) !== undefined);
    return found.sort((one, other) => other.root.length - one.root.length)[0];
  }

  private add(root: string, folder: vscode.WorkspaceFolder): ReturnType<CreateServer> {
    const added = this.create(root, folder);
    added.server.onDidChange(() => this.stateChanged.fire(added.server));
    return added;
  }

  /** Names all repositories and determines the current one. */
  private refresh(): void {
    this.owners.clear();
    const names = namesOf(this.all.map(({ folder }) => ({ name: folder.name, path: folder.uri.fsPath })));
    this.all.forEach((server, index) => {
      server.name = names[index] ?? server.folder.name;
      server.isAlone = names.length === 1;
    });
    if (this.latest && !this.all.includes(this.latest)) this.latest = undefined;
    this.latest = this.atActiveUri() ?? this.latest;
    this.changed.fire();
  }

  private atActiveUri(): Server | undefined {
    const uri = activeUri();
    return uri && this.of(uri);
  }

  private select(found: Server | undefined): void {
    if (!found || found === this.latest) return;
    const before = this.currentIfAny;
    this.latest = found;
    if (found !== before) this.changed.fire();
  }
}

function onDisk(): readonly vscode.WorkspaceFolder[] {
  return vscode.workspace.workspaceFolders?.filter(({ uri }) => uri.scheme === 'file') ?? [];
}
