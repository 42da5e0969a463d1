// The language server's process: start it, keep its last words, end it. Knows neither VS Code nor LSP.

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
    child.once('close', (code, signal) => resolve(ending(code, signal, words)));
  });
  await new Promise<void>((resolve, reject) => {
    child.once('spawn', resolve);
    child.once('error', (error: NodeJS.ErrnoException) => reject(notStarted(file, error)));
  });
  // A write after the end shows in `ended`; unheard it would take the whole extension host down.
  child.on('error', () => undefined);
  child.stdin.on('error', () => undefined);
  return { child, ended };
}

/** Waits up to `patience` milliseconds for a process that should leave by itself, then kills it. */
export async function end(program: Program, patience: number): Promise<void> {
  program.child.stdin.end();
  const timer = setTimeout(() => program.child.kill('SIGKILL'), patience);
  await program.ended;
  clearTimeout(timer);
}

const SETTING_HINT = "Install it with 'pip install muninn-memory', or give its whole path in the setting muninn.server.command.";

function notStarted(file: string, error: NodeJS.ErrnoException): Failure {
  if (error.code === 'ENOENT') return new Failure('missing_program', `the program '${file}' was not found`, SETTING_HINT);
  if (error.code === 'EACCES') {
    return new Failure('missing_program', `'${file}' is no program that may be run`, SETTING_HINT);
  }
  return new Failure('ended', `'${file}' can't be started: ${error.message}`);
}

function ending(code: number | null, signal: string | null, words: readonly string[]): string {
  const how = signal ? `was ended by ${signal}` : `ended with status ${code}`;
  return `the language server ${how}${words.length ? `: ${words.join(' ')}` : ''}`;
}
