// Errors with what happened and what to do about it, made from those of the server. Shows nothing.

import type { ErrorKind } from './protocol';

/** The server's kinds of error, and those that only a client can have. */
export type FailureKind = ErrorKind | 'restricted' | 'missing_program' | 'ended' | 'no_folder' | 'other_version';

/** An error with what to do about it. */
export class Failure extends Error {
  constructor(
    readonly kind: FailureKind,
    message: string,
    readonly hint = '',
  ) {
    super(message);
  }
}

const CANCELLED = [-32800, -32802]; // LSP 3.17: RequestCancelled, ServerCancelled
const GONE = [-32099, -32098, -32097, -32096]; // of vscode-jsonrpc: the connection can't be used (any more)

/** Makes a Failure of whatever was thrown. An answer of the server keeps its kind and its hint. */
export function failureOf(error: unknown): Failure {
  if (error instanceof Failure) return error;
  if (!(error instanceof Error)) return new Failure('error', String(error));
  const { code, data } = error as { code?: unknown; data?: unknown };
  if (typeof code === 'number' && CANCELLED.includes(code)) return new Failure('cancelled', error.message);
  if (typeof code === 'number' && GONE.includes(code)) return new Failure('ended', 'the language server went away before it answered');
  const { kind, hint } = (typeof data === 'object' && data !== null ? data : {}) as { kind?: unknown; hint?: unknown };
  return new Failure(
    typeof kind === 'string' ? (kind as FailureKind) : 'error',
    error.message,
    typeof hint === 'string' ? hint : '',
  );
}

const PASSING: readonly FailureKind[] = ['ended', 'daemon', 'stopping', 'busy', 'cancelled'];

/** Whether an error says nothing about what was requested: the server or its daemon ended, or the request was cancelled. */
export function isPassing(error: unknown): boolean {
  return PASSING.includes(failureOf(error).kind);
}

/** The line to show: label, message and hint as sentences. */
export function sentence(failure: Failure, label = 'Muninn'): string {
  const message = failure.message.trim();
  const stop = /[.!?]$/.test(message) ? '' : '.';
  return `${label}: ${message}${stop}${failure.hint ? ` ${failure.hint.trim()}` : ''}`;
}
