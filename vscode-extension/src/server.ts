// The language server's life: one process, one client, one state. Every start, stop and restart goes through one queue.
// Knows the protocol's names and types; shows nothing but lines in the log.

import * as vscode from 'vscode';
import {
  type ExecuteCommandParams,
  ExecuteCommandRequest,
  WorkDoneProgress,
  type WorkDoneProgressBegin,
  type WorkDoneProgressEnd,
  type WorkDoneProgressReport,
} from 'vscode-languageclient/node';
import { backoff } from './backoff';
import { Client, type Owner } from './client';
import { coalesced } from './coalesce';
import { Failure, failureOf } from './failure';
import { keyOf, owned } from './links';
import { end, launch, type Program } from './process';
import { fits } from './program';
import { COMMANDS, type Verbs } from './protocol';
import { allowed } from './restricted';
import { isBusy, type State } from './state';

const START_LIMIT = 60_000;
const LEAVE_LIMIT = 3_000;
const RESTARTS = 4;
const RESTART_SPAN = 3 * 60_000;
const FIRST_PAUSE = 1_000;
const INDEX_TOKEN = 'muninn.index';
const OWN = 'muninn.watched.';

interface Life {
  readonly client: Client;
  readonly program: Program;
}

/** How the server is started. `version` is the extension's own; `owns` tells which documents this server answers for. */
export interface Conditions {
  readonly command: () => readonly string[];
  readonly cwd: () => string;
  readonly version: string;
  readonly owns: (uri: vscode.Uri) => boolean;
}

/** The server of one work tree; `folder` is the window's first one in it. */
export class Server {
  /** What stands for the repository in addresses. */
  readonly key: string;
  /** What people call the repository; no two of a window have the same. */
  name: string;
  /** Whether it is the only one in the window: then nobody needs to be told which one is meant. */
  alone = true;

  private readonly changed = new vscode.EventEmitter<State>();
  private readonly outdated = new vscode.EventEmitter<void>();
  private pause = backoff(RESTARTS, RESTART_SPAN, FIRST_PAUSE);
  private wake: () => void = () => undefined;
  private life: Life | undefined;
  private wanted = true;
  private awaited: number | undefined;
  private watches = 0;
  private known: State = { phase: 'starting' };
  private cycled: Promise<void> = Promise.resolve();
  private readonly cycle = coalesced(() => this.replace());
  private readonly look = coalesced(() => this.ask());

  /** Fires with every change of the state. */
  readonly onDidChange = this.changed.event;

  /** Fires when the server says that what is shown of files and memory may be old. */
  readonly onDidOutdate = this.outdated.event;

  constructor(
    readonly root: string,
    readonly folder: vscode.WorkspaceFolder,
    private readonly log: vscode.LogOutputChannel,
    private readonly conditions: Conditions,
  ) {
    this.key = keyOf(root);
    this.name = folder.name;
  }

  /** What is known now. */
  get state(): State {
    return this.known;
  }

  /** Starts the server, or ends it and starts it anew. Calls queue up. What fails goes into the state. */
  restart(): Promise<void> {
    this.pause = backoff(RESTARTS, RESTART_SPAN, FIRST_PAUSE); // whoever asks for it by hand has mended something
    this.wake();
    this.cycled = this.cycle();
    return this.cycled;
  }

  /** Ends the server for good. */
  stop(): Promise<void> {
    this.wanted = false;
    return this.restart().finally(() => {
      this.changed.dispose();
      this.outdated.dispose();
    });
  }

  /** How messages and titles begin. */
  get label(): string {
    return this.alone ? 'Muninn' : `Muninn (${this.name})`;
  }

  /** The command line that starts it now. */
  get command(): readonly string[] {
    return this.conditions.command();
  }

  /** The place of a file of the work tree. */
  file(path: string): vscode.Uri {
    return vscode.Uri.joinPath(vscode.Uri.file(this.root), path);
  }

  /** The place in this window of a document that the server names. */
  document(address: string): vscode.Uri {
    return vscode.Uri.parse(owned(address, this.key), true);
  }

  /** Asks the server for a verb, after a start under way. Throws a Failure. */
  request<V extends keyof Verbs>(verb: V, params: Verbs[V]['params'], token?: vscode.CancellationToken): Promise<Verbs[V]['result']> {
    return this.run(COMMANDS[verb], params, token) as Promise<Verbs[V]['result']>;
  }

  /** Asks for a verb that may take long; `heard` is told how far it is, in words and in percent. Throws a Failure. */
  async watched<V extends keyof Verbs>(
    verb: V,
    params: Verbs[V]['params'],
    heard: (message: string, percentage: number) => void,
    token: vscode.CancellationToken,
  ): Promise<Verbs[V]['result']> {
    allowed(COMMANDS[verb]);
    const client = await this.client();
    const workDoneToken = `${OWN}${(this.watches += 1)}`;
    const listener = client.onProgress(WorkDoneProgress.type, workDoneToken, (value) => {
      if (value.kind === 'report') heard(value.message ?? '', value.percentage ?? 0);
    });
    try {
      const message = { command: COMMANDS[verb], arguments: [params], workDoneToken };
      return (await send(client, message, token)) as Verbs[V]['result'];
    } finally {
      listener.dispose();
    }
  }

  /** Runs one of the server's commands, after a start under way. Throws a Failure. */
  async run(command: string, argument: unknown, token?: vscode.CancellationToken): Promise<unknown> {
    allowed(command);
    return send(await this.client(), { command, arguments: [argument] }, token);
  }

  /** Asks for the server's status anew; many calls at once cost one or two requests. Failures go into the state. */
  refresh(): Promise<void> {
    return this.look();
  }

  private async client(): Promise<Client> {
    await this.cycled;
    if (!this.life) throw this.known.failure ?? new Failure('ended', 'the language server does not run');
    return this.life.client;
  }

  private async replace(): Promise<void> {
    await this.leave();
    if (!this.wanted) return;
    this.set({ phase: 'starting' });
    try {
      this.life = await this.begin();
    } catch (error) {
      this.set({ phase: 'failed', failure: failureOf(error) });
      return;
    }
    this.watch(this.life);
    this.awaited = undefined;
    const { name, version = '' } = this.life.client.initializeResult?.serverInfo ?? {};
    const { version: own } = this.conditions;
    const warning = fits(version, own) ? undefined : otherVersion(`${name ?? 'the server'} ${version}`.trim(), own);
    this.set({ phase: 'running', ...(warning ? { warning } : {}) });
    void this.refresh();
  }

  private async begin(): Promise<Life> {
    const command = [...this.command, '--repo', this.folder.uri.fsPath];
    this.log.info(`starting ${command.join(' ')}`);
    const program = await launch(command, this.conditions.cwd(), (line) => this.log.info(this.lined(line)));
    const client = this.clientOf(program);
    const silence = setTimeout(() => program.child.kill('SIGKILL'), START_LIMIT);
    try {
      await client.start();
    } catch (error) {
      await end(program, LEAVE_LIMIT);
      this.log.error(this.lined(String(error)));
      throw new Failure('ended', await program.ended, 'The output channel says more.');
    } finally {
      clearTimeout(silence);
    }
    return { client, program };
  }

  private clientOf(program: Program): Client {
    const roots = [vscode.Uri.file(this.root), this.folder.uri]; // the folder may be a link to it
    const owner: Owner = {
      key: this.key,
      folder: this.folder,
      roots: roots.filter((each, index) => !index || each.toString() !== roots[0]?.toString()),
      owns: this.conditions.owns,
    };
    const streams = { reader: program.child.stdout, writer: program.child.stdin };
    const client = new Client(owner, streams, this.log, (token, params, next) => {
      if (!String(token).startsWith(OWN)) this.progress(params);
      next(token, params);
    });
    client.onDidOutdate(() => this.outdated.fire());
    return client;
  }

  /** A line of the log, which all servers of the window share. */
  private lined(line: string): string {
    return this.alone ? line : `${this.name}: ${line}`;
  }

  private progress(params: WorkDoneProgressBegin | WorkDoneProgressReport | WorkDoneProgressEnd): void {
    if (params.kind === 'end') {
      const { indexing: _done, ...rest } = this.known;
      this.set(rest);
      void this.refresh();
    } else {
      this.set({ ...this.known, indexing: params.percentage === undefined ? {} : { percentage: params.percentage } });
    }
  }

  private watch(life: Life): void {
    void life.program.ended.then((how) => {
      if (this.life !== life) return; // we ended it
      this.log.error(this.lined(how));
      const pause = this.pause(Date.now());
      if (pause !== undefined) {
        this.set({ phase: 'starting' });
        // Whoever asks meanwhile waits for the new one; a restart by hand ends the rest, and then it has the turn.
        this.cycled = this.rest(pause).then(() => (this.life === life ? this.cycle() : this.cycled));
      } else {
        this.life = undefined;
        const failure = new Failure('ended', how, `It ended ${RESTARTS + 1} times in three minutes and stays down.`);
        this.set({ phase: 'failed', failure });
      }
    });
  }

  private rest(pause: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, pause);
      this.wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  private async leave(): Promise<void> {
    const life = this.life;
    this.life = undefined;
    if (!life) return;
    try {
      await life.client.dispose(LEAVE_LIMIT);
    } catch (error) {
      this.log.warn(this.lined(`the language server did not end in order: ${String(error)}`));
    }
    await end(life.program, LEAVE_LIMIT);
  }

  private async ask(): Promise<void> {
    try {
      const status = await this.request('status', {});
      const { failure: _past, ...rest } = this.known;
      if (!this.life) return;
      this.set({ ...rest, phase: 'running', status });
      if (isBusy(status) && !this.known.indexing) void this.awaitIndex(status.index.generation);
    } catch (error) {
      const failure = failureOf(error);
      if (!this.life || failure.kind === 'ended') return; // it went away meanwhile, and `watch` tells why
      this.log.error(this.lined(failure.message));
      this.set({ ...this.known, phase: 'failed', failure });
    }
  }

  /** Follows an index that the server builds without telling, as after `init`; once for each generation. */
  private async awaitIndex(generation: number): Promise<void> {
    const client = this.life?.client;
    if (!client || this.awaited === generation) return;
    this.awaited = generation;
    this.set({ ...this.known, indexing: {} });
    const heard = client.onProgress(WorkDoneProgress.type, INDEX_TOKEN, () => undefined); // the middleware takes it
    try {
      const message = { command: COMMANDS.index, arguments: [{ wait: true }], workDoneToken: INDEX_TOKEN };
      await client.sendRequest(ExecuteCommandRequest.type, message);
    } catch (error) {
      this.log.warn(this.lined(`waiting for the index: ${failureOf(error).message}`)); // the next status says what is wrong
    } finally {
      heard.dispose();
      if (this.life?.client === client) this.progress({ kind: 'end' });
    }
  }

  private set(state: State): void {
    this.known = state;
    this.changed.fire(state);
  }
}

async function send(client: Client, message: ExecuteCommandParams, token?: vscode.CancellationToken): Promise<unknown> {
  try {
    return await client.sendRequest(ExecuteCommandRequest.type, message, token);
  } catch (error) {
    throw failureOf(error);
  }
}

function otherVersion(server: string, own: string): Failure {
  const hint = 'Update the older one: `uv tool upgrade muninn-memory` (or pipx, pip) the server, VS Code the extension.';
  return new Failure('other_version', `${server} does not fit this extension, which is ${own}`, hint);
}
