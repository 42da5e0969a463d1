// Processes: the language server's, with its last output and its end, and commands that run to their end. Uses neither
// VS Code nor LSP.

import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { Failure } from './failure';

const LAST_WORDS = 3;

/** A process that runs, or ran. */
export interface Program {
  readonly child: ChildProcessWithoutNullStreams;
  /** Resolves when the process is gone and its streams are read: with a sentence that says how it ended. */
  readonly ended: Promise<string>;
}

/**
 * Starts `command` in the folder `cwd`; each line of its standard error goes to `heard`. Resolves once it runs.
 * Throws a Failure of kind `missing_program` when there is no such program, `ended` when it may not be started.
 */
export async function launch(
  command: readonly string[],
  cwd: string,
  heard: (line: string) => void,
): Promise<Program> {
  const [file, ...args] = command;
  if (!file) throw new Failure('missing_program', 'the command of the language server is empty', SETTING_HINT);
  const child = spawn(file, args, { cwd, stdio: 'pipe', windowsHide: true });
  const words: string[] = [];
  createInterface({ input: child.stderr }).on('line', (line) => {
    if (line.trim()) words.push(line.trim());
    words.splice(0, words.length - LAST_WORDS);
    heard(line);
  });
  const ended = new Promise<string>((resolve) => {
    child.once('close', (code, signal) => resolve(ending('the language server', code, signal, words)));
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
  readonly heard: (line: string) => void;
  readonly stopped: (stop: () => void) => void;
}

/** Runs a command until it ends; each line of its output goes to `heard`. Throws a Failure when it does not succeed. */
export async function complete(command: readonly string[], { cwd, heard, stopped }: Run): Promise<void> {
  const [file = '', ...args] = command;
  const child = spawn(file, args, { cwd, stdio: ['ignore', 'pipe', 'pipe'], windowsHide: true });
  let isStopped = false;
  stopped(() => {
    isStopped = true;
    child.kill();
  });
  const words: string[] = [];
  for (const stream of [child.stdout, child.stderr]) {
    createInterface({ input: stream }).on('line', (line) => {
      if (line.trim()) words.push(line.trim());
      words.splice(0, words.length - LAST_WORDS);
      heard(line);
    });
  }
  const [code, signal] = await new Promise<[number | null, NodeJS.Signals | null]>((resolve, reject) => {
    child.once('close', (...how) => resolve(how));
    child.once('error', (error: NodeJS.ErrnoException) => reject(notStarted(file, error)));
  });
  if (isStopped) throw new Failure('cancelled', 'it was stopped');
  if (code !== 0) throw new Failure('ended', ending(`'${command.join(' ')}'`, code, signal, words), 'The output channel says more.');
}

/** Waits up to `patience` milliseconds for a process that should leave by itself, then kills it. */
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

function ending(who: string, code: number | null, signal: string | null, words: readonly string[]): string {
  const how = signal ? `was ended by ${signal}` : `ended with status ${code}`;
  return `${who} ${how}${words.length ? `: ${words.join(' ')}` : ''}`;
}
