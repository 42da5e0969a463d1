// Processes: the language server's, with its last output and its end, and commands that run to their end. Uses neither
// VS Code nor LSP.

import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { Failure } from './failure';

const LAST_LINES = 3;

/** A process that runs, or ran. */
export interface Program {
  readonly child: ChildProcessWithoutNullStreams;
  /** Resolves when the process has ended and its streams are read, to a sentence on how it ended. */
  readonly ended: Promise<string>;
}

/**
 * Starts `command` in the folder `cwd`; `onLine` gets each line of its standard error. Resolves once it runs.
 * Throws a Failure of kind `missing_program` when there is no such program, `ended` when it may not be started.
 */
export async function launch(
  command: readonly string[],
  cwd: string,
  onLine: (line: string) => void,
): Promise<Program> {
  const [file, ...args] = command;
  if (!file) throw new Failure('missing_program', 'the command of the language server is empty', SETTING_HINT);
  const child = spawn(file, args, { cwd, stdio: 'pipe', windowsHide: true });
  const lines: string[] = [];
  createInterface({ input: child.stderr }).on('line', (line) => {
    if (line.trim()) lines.push(line.trim());
    lines.splice(0, lines.length - LAST_LINES);
    onLine(line);
  });
  const ended = new Promise<string>((resolve) => {
    child.once('close', (code, signal) => resolve(ending('the language server', code, signal, lines)));
  });
  await new Promise<void>((resolve, reject) => {
    child.once('spawn', resolve);
    child.once('error', (error: NodeJS.ErrnoException) => reject(notStarted(file, error)));
  });
  // A write after the end is reported by `ended`; without a listener the error would end the extension host.
  child.on('error', () => undefined);
  child.stdin.on('error', () => undefined);
  return { child, ended };
}

/** Options of a command. `stopped` ends it. */
export interface Run {
  readonly cwd: string;
  readonly onLine: (line: string) => void;
  readonly stopped: (stop: () => void) => void;
}

/** Runs a command until it ends; `onLine` gets each line of its output. Throws a Failure when it does not succeed. */
export async function complete(command: readonly string[], { cwd, onLine, stopped }: Run): Promise<void> {
  const [file = '', ...args] = command;
  const child = spawn(file, args, { cwd, stdio: ['ignore', 'pipe', 'pipe'], windowsHide: true });
  let isStopped = false;
  stopped(() => {
    isStopped = true;
    child.kill();
  });
  const lines: string[] = [];
  for (const stream of [child.stdout, child.stderr]) {
    createInterface({ input: stream }).on('line', (line) => {
      if (line.trim()) lines.push(line.trim());
      lines.splice(0, lines.length - LAST_LINES);
      onLine(line);
    });
  }
  const [code, signal] = await new Promise<[number | null, NodeJS.Signals | null]>((resolve, reject) => {
    child.once('close', (...how) => resolve(how));
    child.once('error', (error: NodeJS.ErrnoException) => reject(notStarted(file, error)));
  });
  if (isStopped) throw new Failure('cancelled', 'it was stopped');
  if (code !== 0) throw new Failure('ended', ending(`'${command.join(' ')}'`, code, signal, lines), 'The output channel says more.');
}

/** Closes the input of a process, waits up to `patience` milliseconds for its end, then kills it. */
export async function end(program: Program, patience: number): Promise<void> {
  program.child.stdin.end();
  const timer = setTimeout(() => program.child.kill('SIGKILL'), patience);
  await program.ended;
  clearTimeout(timer);
}

const SETTING_HINT = "Install it with `uv tool install muninn-memory`, or give its whole path in the setting muninn.server.command.";

function notStarted(file: string, error: NodeJS.ErrnoException): Failure {
  if (error.code === 'ENOENT') return new Failure('missing_program', `the program '${file}' was not found`, SETTING_HINT);
  if (error.code === 'EACCES') {
    return new Failure('missing_program', `'${file}' is no program that may be run`, SETTING_HINT);
  }
  return new Failure('ended', `'${file}' can't be started: ${error.message}`);
}

function ending(who: string, code: number | null, signal: string | null, lines: readonly string[]): string {
  const how = signal ? `was ended by ${signal}` : `ended with status ${code}`;
  return `${who} ${how}${lines.length ? `: ${lines.join(' ')}` : ''}`;
}
