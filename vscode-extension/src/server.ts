// The language server of a work tree: its process, its client and its state. Starts, stops and restarts run one after the
// other. Shows nothing but lines in the log.

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
import { keyOf, withKey } from './links';
import { end, launch, type Program } from './process';
import { fits } from './program';
import { COMMANDS, type Verbs } from './protocol';
import { requireTrust } from './restricted';
import { isBusy, type State } from './state';

const START_LIMIT = 60_000;
const STOP_LIMIT = 3_000;
const RESTARTS = 4;
const RESTART_SPAN = 3 * 60_000;
const FIRST_PAUSE = 1_000;
const INDEX_TOKEN = 'muninn.index';
const REQUEST_TOKEN = 'muninn.request.';

interface Running {
  readonly client: Client;
  readonly program: Program;
}

/** How the server is started. `version` is the extension's; `owns` is whether a document belongs to this server. */
export interface StartOptions {
  readonly command: () => readonly string[];
  readonly cwd: () => string;
  readonly version: string;
  readonly owns: (uri: vscode.Uri) => boolean;
}

/** The server of one work tree; `folder` is the window's first one in it. */
export class Server {
  /** The key of the repository in addresses. */
  readonly key: string;
  /** The name of the repository, unique in the window. */
  name: string;
  /** Whether it is the only one in the window: then texts do not name it. */
  isAlone = true;

  private readonly changed = new vscode.EventEmitter<State>();
  private readonly outdated = new vscode.EventEmitter<void>();
  private pauseAfter = backoff(RESTARTS, RESTART_SPAN, FIRST_PAUSE);
  private endPause: () => void = () => undefined;
  private running: Running | undefined;
  private isWanted = true;
  private awaitedGeneration: number | undefined;
  private requests = 0;
  private current: State = { phase: 'starting' };
  private replaced: Promise<void> = Promise.resolve();
  private readonly replaceOnce = coalesced(() => this.replace());
  private readonly fetchOnce = coalesced(() => this.fetchStatus());

  /** Fires with every change of the state. */
  readonly onDidChange = this.changed.event;

  /** Fires when what is shown of files and memory may be outdated. */
  readonly onDidOutdate = this.outdated.event;

  constructor(
    readonly root: string,
    readonly folder: vscode.WorkspaceFolder,
    private readonly log: vscode.LogOutputChannel,
    private readonly options: StartOptions,
  ) {
    this.key = keyOf(root);
    this.name = folder.name;
  }

  /** The present state. */
  get state(): State {
    return this.current;
  }

  /** Starts the server, or stops it and starts it again. Calls wait for one another. A failure goes into the state. */
  restart(): Promise<void> {
    this.pauseAfter = backoff(RESTARTS, RESTART_SPAN, FIRST_PAUSE); // earlier crashes do not count after a restart by hand
    this.endPause();
    this.replaced = this.replaceOnce();
    return this.replaced;
  }

  /** Stops the server for good. */
  stop(): Promise<void> {
    this.isWanted = false;
    return this.restart().finally(() => {
      this.changed.dispose();
      this.outdated.dispose();
    });
  }

  /** The beginning of messages and titles. */
  get label(): string {
    return this.isAlone ? 'Muninn' : `Muninn (${this.name})`;
  }

  /** The command line of the server. */
  get command(): readonly string[] {
    return this.options.command();
  }

  /** The address of a file of the work tree. */
  file(path: string): vscode.Uri {
    return vscode.Uri.joinPath(vscode.Uri.file(this.root), path);
  }

  /** The address in this window of a document of the server. */
  document(address: string): vscode.Uri {
    return vscode.Uri.parse(withKey(address, this.key), true);
  }

  /** Requests a verb, after a start that is under way. Throws a Failure. */
  request<V extends keyof Verbs>(verb: V, params: Verbs[V]['params'], token?: vscode.CancellationToken): Promise<Verbs[V]['result']> {
    return this.run(COMMANDS[verb], params, token) as Promise<Verbs[V]['result']>;
  }

  /** Requests a verb that may take long; `report` gets its progress in words and percent. Throws a Failure. */
  async requestWithProgress<V extends keyof Verbs>(
    verb: V,
    params: Verbs[V]['params'],
    report: (message: string, percentage: number) => void,
    token: vscode.CancellationToken,
  ): Promise<Verbs[V]['result']> {
    requireTrust(COMMANDS[verb]);
    const client = await this.client();
    const workDoneToken = `${REQUEST_TOKEN}${(this.requests += 1)}`;
    const listener = client.onProgress(WorkDoneProgress.type, workDoneToken, (value) => {
      if (value.kind === 'report') report(value.message ?? '', value.percentage ?? 0);
    });
    try {
      const message = { command: COMMANDS[verb], arguments: [params], workDoneToken };
      return (await send(client, message, token)) as Verbs[V]['result'];
    } finally {
      listener.dispose();
    }
  }

  /** Runs one of the server's commands, after a start that is under way. Throws a Failure. */
  async run(command: string, argument: unknown, token?: vscode.CancellationToken): Promise<unknown> {
    requireTrust(command);
    return send(await this.client(), { command, arguments: [argument] }, token);
  }

  /** Requests the status; many calls at once cost one or two requests. A failure goes into the state. */
  refresh(): Promise<void> {
    return this.fetchOnce();
  }

  private async client(): Promise<Client> {
    await this.replaced;
    if (!this.running) throw this.current.failure ?? new Failure('ended', 'the language server does not run');
    return this.running.client;
  }

  private async replace(): Promise<void> {
    await this.end();
    if (!this.isWanted) return;
    this.set({ phase: 'starting' });
    try {
      this.running = await this.start();
    } catch (error) {
      this.set({ phase: 'failed', failure: failureOf(error) });
      return;
    }
    this.restartAfterEnd(this.running);
    this.awaitedGeneration = undefined;
    const { name, version = '' } = this.running.client.initializeResult?.serverInfo ?? {};
    const { version: own } = this.options;
    const warning = fits(version, own) ? undefined : otherVersion(`${name ?? 'the server'} ${version}`.trim(), own);
    this.set({ phase: 'running', ...(warning ? { warning } : {}) });
    void this.refresh();
  }

  private async start(): Promise<Running> {
    const command = [...this.command, '--repo', this.folder.uri.fsPath];
    this.log.info(`starting ${command.join(' ')}`);
    const program = await launch(command, this.options.cwd(), (line) => this.log.info(this.named(line)));
    const client = this.clientOf(program);
    const timer = setTimeout(() => program.child.kill('SIGKILL'), START_LIMIT);
    try {
      await client.start();
    } catch (error) {
      await end(program, STOP_LIMIT);
      this.log.error(this.named(String(error)));
      throw new Failure('ended', await program.ended, 'The output channel says more.');
    } finally {
      clearTimeout(timer);
    }
    return { client, program };
  }

  private clientOf(program: Program): Client {
    const roots = [vscode.Uri.file(this.root), this.folder.uri]; // the folder may be a link to it
    const owner: Owner = {
      key: this.key,
      folder: this.folder,
      roots: roots.filter((each, index) => !index || each.toString() !== roots[0]?.toString()),
      owns: this.options.owns,
    };
    const streams = { reader: program.child.stdout, writer: program.child.stdin };
    const client = new Client(owner, streams, this.log, (token, params, next) => {
      if (!String(token).startsWith(REQUEST_TOKEN)) this.progress(params);
      next(token, params);
    });
    client.onDidOutdate(() => this.outdated.fire());
    return client;
  }

  /** A line of the log, with the repository's name where several servers share the log. */
  private named(line: string): string {
    return this.isAlone ? line : `${this.name}: ${line}`;
  }

  private progress(params: WorkDoneProgressBegin | WorkDoneProgressReport | WorkDoneProgressEnd): void {
    if (params.kind === 'end') {
      const { indexing: _done, ...rest } = this.current;
      this.set(rest);
      void this.refresh();
    } else {
      this.set({ ...this.current, indexing: params.percentage === undefined ? {} : { percentage: params.percentage } });
    }
  }

  /** Starts the server again when it ends without being stopped. */
  private restartAfterEnd(running: Running): void {
    void running.program.ended.then((how) => {
      if (this.running !== running) return; // it was stopped
      this.log.error(this.named(how));
      const pause = this.pauseAfter(Date.now());
      if (pause !== undefined) {
        this.set({ phase: 'starting' });
        // Requests meanwhile wait for the next process. A restart by hand ends the pause and replaces the process itself.
        this.replaced = this.wait(pause).then(() => (this.running === running ? this.replaceOnce() : this.replaced));
      } else {
        this.running = undefined;
        const failure = new Failure('ended', how, `It ended ${RESTARTS + 1} times in three minutes and is not started again.`);
        this.set({ phase: 'failed', failure });
      }
    });
  }

  private wait(pause: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, pause);
      this.endPause = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  private async end(): Promise<void> {
    const { running } = this;
    this.running = undefined;
    if (!running) return;
    try {
      await running.client.dispose(STOP_LIMIT);
    } catch (error) {
      this.log.warn(this.named(`the language server did not end in order: ${String(error)}`));
    }
    await end(running.program, STOP_LIMIT);
  }

  private async fetchStatus(): Promise<void> {
    try {
      const status = await this.request('status', {});
      const { failure: _past, ...rest } = this.current;
      if (!this.running) return;
      this.set({ ...rest, phase: 'running', status });
      if (isBusy(status) && !this.current.indexing) void this.awaitIndex(status.index.generation);
    } catch (error) {
      const failure = failureOf(error);
      if (!this.running || failure.kind === 'ended') return; // `restartAfterEnd` reports the end of the process
      this.log.error(this.named(failure.message));
      this.set({ ...this.current, phase: 'failed', failure });
    }
  }

  /** Waits for an index that the server builds without reporting progress, as after `init`; once for each generation. */
  private async awaitIndex(generation: number): Promise<void> {
    const client = this.running?.client;
    if (!client || this.awaitedGeneration === generation) return;
    this.awaitedGeneration = generation;
    this.set({ ...this.current, indexing: {} });
    const listener = client.onProgress(WorkDoneProgress.type, INDEX_TOKEN, () => undefined); // the middleware handles it
    try {
      const message = { command: COMMANDS.index, arguments: [{ wait: true }], workDoneToken: INDEX_TOKEN };
      await client.sendRequest(ExecuteCommandRequest.type, message);
    } catch (error) {
      this.log.warn(this.named(`waiting for the index: ${failureOf(error).message}`)); // the next status has the failure
    } finally {
      listener.dispose();
      if (this.running?.client === client) this.progress({ kind: 'end' });
    }
  }

  private set(state: State): void {
    this.current = state;
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
