// The language server's life: one process, one client, one state. Every start, stop and restart goes through one queue.
// Knows the protocol's names and types; shows nothing but lines in the log.

import * as vscode from 'vscode';
import {
  CloseAction,
  ErrorAction,
  ExecuteCommandRequest,
  LanguageClient,
  WorkDoneProgress,
  type WorkDoneProgressBegin,
  type WorkDoneProgressEnd,
  type WorkDoneProgressReport,
} from 'vscode-languageclient/node';
import { backoff } from './backoff';
import { coalesced } from './coalesce';
import { Failure, failureOf } from './failure';
import { commandLinks, OPEN } from './links';
import { end, launch, type Program } from './process';
import { fits } from './program';
import { COMMANDS, type StatusResult, type Verbs } from './protocol';
import { isBusy, type State } from './state';

const START_LIMIT = 60_000;
const LEAVE_LIMIT = 3_000;
const RESTARTS = 4;
const RESTART_SPAN = 3 * 60_000;
const FIRST_PAUSE = 1_000;
const INDEX_TOKEN = 'muninn.index';

interface Life {
  readonly client: LanguageClient;
  readonly program: Program;
}

/** Our messages carry the hint; the library's own notifications would double them. Its log lines stay. */
class QuietClient extends LanguageClient {
  override error(message: string, data?: unknown): void {
    super.error(message, data, false);
  }
}

/**
 * What the window does in place of one of the server's commands; undefined leaves it to the server, which `byServer`
 * asks. The client of the server registers these commands, and lenses and code actions carry them.
 */
export type Instead = (server: Server, command: string, argument: unknown, byServer: () => Promise<unknown>) => Promise<unknown> | undefined;

/** How the server is started and what is done for it. `version` is the extension's own. */
export interface Conditions {
  readonly command: () => readonly string[];
  readonly version: string;
  readonly instead: Instead;
  readonly failed: (error: unknown) => void;
}

/** The server of one workspace folder. */
export class Server {
  private readonly changed = new vscode.EventEmitter<State>();
  private pause = backoff(RESTARTS, RESTART_SPAN, FIRST_PAUSE);
  private wake: () => void = () => undefined;
  private life: Life | undefined;
  private wanted = true;
  private awaited: number | undefined;
  private known: State = { phase: 'starting' };
  private cycled: Promise<void> = Promise.resolve();
  private readonly cycle = coalesced(() => this.replace());
  private readonly look = coalesced(() => this.ask());

  /** Fires with every change of the state. */
  readonly onDidChange = this.changed.event;

  constructor(
    readonly folder: vscode.WorkspaceFolder,
    private readonly log: vscode.LogOutputChannel,
    private readonly conditions: Conditions,
  ) {}

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
    return this.restart().finally(() => this.changed.dispose());
  }

  /** Asks the server for a verb, after a start under way. Throws a Failure. */
  async request<V extends keyof Verbs>(
    verb: V,
    params: Verbs[V]['params'],
    token?: vscode.CancellationToken,
  ): Promise<Verbs[V]['result']> {
    await this.cycled;
    if (!this.life) throw this.known.failure ?? new Failure('ended', 'the language server does not run');
    try {
      const message = { command: COMMANDS[verb], arguments: [params] };
      return (await this.life.client.sendRequest(ExecuteCommandRequest.type, message, token)) as Verbs[V]['result'];
    } catch (error) {
      throw failureOf(error);
    }
  }

  /** Asks for the server's status anew; many calls at once cost one or two requests. Failures go into the state. */
  refresh(): Promise<void> {
    return this.look();
  }

  /** The server's last status; asks for it when there is none yet. Throws a Failure. */
  async status(): Promise<StatusResult> {
    return this.known.status ?? this.request('status', {});
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
    const command = [...this.conditions.command(), '--repo', this.folder.uri.fsPath];
    this.log.info(`starting ${command.join(' ')}`);
    const program = await launch(command, this.folder.uri.fsPath, (line) => this.log.info(line));
    const client = this.client(program);
    const silence = setTimeout(() => program.child.kill('SIGKILL'), START_LIMIT);
    try {
      await client.start();
    } catch (error) {
      await end(program, LEAVE_LIMIT);
      this.log.error(String(error));
      throw new Failure('ended', await program.ended, 'The output channel says more.');
    } finally {
      clearTimeout(silence);
    }
    return { client, program };
  }

  private client(program: Program): LanguageClient {
    const streams = { reader: program.child.stdout, writer: program.child.stdin };
    return new QuietClient('muninn', 'Muninn', () => Promise.resolve(streams), {
      documentSelector: [{ scheme: 'file', pattern: { baseUri: this.folder.uri.toString(), pattern: '**/*' } }],
      workspaceFolder: this.folder,
      outputChannel: this.log,
      initializationFailedHandler: () => false,
      errorHandler: {
        error: () => ({ action: ErrorAction.Continue, handled: true }),
        closed: () => ({ action: CloseAction.DoNotRestart, handled: true }), // `watch` decides
      },
      middleware: {
        executeCommand: (command, args, next) => this.run(command, args, async () => next(command, args) as unknown),
        provideHover: async (document, position, token, next) => followable(await next(document, position, token)),
        handleWorkDoneProgress: (token, params, next) => {
          this.progress(params);
          next(token, params);
        },
      },
    });
  }

  /** Runs a command that a lens or an action carries; what fails is shown with its cure, as for our own commands. */
  private async run(command: string, args: readonly unknown[], byServer: () => Promise<unknown>): Promise<unknown> {
    try {
      return await (this.conditions.instead(this, command, args[0], byServer) ?? byServer());
    } catch (error) {
      this.conditions.failed(error);
      return undefined;
    }
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
      this.log.error(how);
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
      this.log.warn(`the language server did not end in order: ${String(error)}`);
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
      this.log.error(failure.message);
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
      this.log.warn(`waiting for the index: ${failureOf(error).message}`); // the next status says what is wrong
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

/** A hover whose links VS Code follows. Of commands it may run this one alone: its words come from the repository. */
function followable(hover: vscode.Hover | null | undefined): vscode.Hover | null | undefined {
  for (const part of hover?.contents ?? []) {
    if (!(part instanceof vscode.MarkdownString)) continue;
    part.value = commandLinks(part.value);
    part.isTrusted = { enabledCommands: [OPEN] };
  }
  return hover;
}

function otherVersion(server: string, own: string): Failure {
  const hint = 'Update the older one: `uv tool upgrade muninn-memory` (or pipx, pip) the server, VS Code the extension.';
  return new Failure('other_version', `${server} does not fit this extension, which is ${own}`, hint);
}
