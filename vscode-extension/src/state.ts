// The text of the status bar for a state of the server. Pure.

import type { Failure } from './failure';
import type { StatusResult } from './protocol';

/** The state of a server. `status` is its last answer; `indexing` is set while it indexes, with 0 to 100 percent. */
export interface State {
  readonly phase: 'starting' | 'running' | 'failed';
  readonly status?: StatusResult;
  readonly indexing?: { readonly percentage?: number };
  readonly failure?: Failure;
  /** Whether the window's folders are untrusted: then nothing is written. */
  readonly restricted?: boolean;
  /** A problem that does not stop the server. */
  readonly warning?: Failure;
}

const RESTRICTED = 'Restricted Mode: memory is shown, and nothing is written. Trust the folder to change it.';

/** How the status bar item looks; `command` runs on a click. */
export interface Appearance {
  readonly text: string;
  readonly tooltip: readonly string[];
  readonly severity: 'normal' | 'warning' | 'error';
  readonly command: 'muninn.ui.status' | 'muninn.ui.init' | 'muninn.ui.menu' | 'muninn.ui.restart';
}

/**
 * Makes the status bar item of a state under a label, with `here` memories for the active file. The tooltip's lines are
 * plain text.
 */
export function appearance(state: State, here?: number, label = 'Muninn'): Appearance {
  const { phase, status, failure } = state;
  if (phase === 'failed') return failed(failure ? [failure.message, failure.hint] : [], label);
  if (phase === 'starting' || !status) {
    return { text: `$(sync~spin) ${label}: starting`, tooltip: ['Starting.'], severity: 'normal', command: 'muninn.ui.status' };
  }
  const tooltip = [...(state.restricted ? [RESTRICTED] : []), ...describe(status)];
  if (status.mode === 'uninitialised') {
    return {
      text: `$(circle-slash) ${label}: not initialised`,
      tooltip: ['This repository has no memory yet. Click to initialise it: this writes the folder .muninn.', ...tooltip],
      severity: 'normal',
      command: 'muninn.ui.init',
    };
  }
  if (isDeleted(status)) return { text: `$(warning) ${label}: .muninn was deleted`, tooltip, severity: 'warning', command: 'muninn.ui.menu' };
  if (state.indexing || isBusy(status)) {
    const { percentage } = state.indexing ?? {};
    const text = `$(sync~spin) ${label}: indexing${percentage === undefined ? '' : ` ${Math.round(percentage)}%`}`;
    return { text, tooltip, severity: 'normal', command: 'muninn.ui.status' };
  }
  if (status.index.state === 'failed') return failed(tooltip, label);
  const troubled = status.problems.length > 0 || state.warning !== undefined;
  const { memories, conflicts } = status.log;
  const count = here === undefined ? counted(memories, 'memory', 'memories') : `${here} here, ${memories} in all`;
  const waiting = conflicts ? ` · $(git-merge) ${counted(conflicts, 'conflict', 'conflicts')}` : '';
  return {
    text: `${troubled ? '$(warning)' : '$(library)'} ${label}: ${count}${waiting}${status.mode === 'read-only' || state.restricted ? ' · read-only' : ''}`,
    tooltip: state.warning ? [state.warning.message, state.warning.hint, ...tooltip] : tooltip,
    severity: troubled ? 'warning' : 'normal',
    command: 'muninn.ui.menu',
  };
}

/** Whether the repository had a memory whose folder was deleted. */
export function isDeleted(status: StatusResult): boolean {
  return status.problems.some(({ kind }) => kind === 'gone');
}

/** Whether the index is being opened or built. */
export function isBusy(status: StatusResult): boolean {
  return !['ready', 'failed', 'absent'].includes(status.index.state);
}

/** The state of daemon, memory and index in lines of plain text, problems last. */
export function describe(status: StatusResult): string[] {
  const { index, log } = status;
  const parts = [counted(log.memories, 'memory', 'memories')];
  if (log.unsealed) parts.push(`${log.unsealed} not sealed`);
  if (log.conflicts) parts.push(counted(log.conflicts, 'conflict', 'conflicts'));
  if (log.malformed) parts.push(counted(log.malformed, 'malformed line', 'malformed lines'));
  const found = index.surveyed ? `, ${counted(index.surveyed, 'of them is', 'of them are')} found by words` : '';
  const waiting = index.lag ? `, ${counted(index.lag, 'changed file', 'changed files')} not yet searchable in full` : '';
  const files = `${counted(index.files, 'file', 'files')}, ${counted(index.chunks, 'chunk', 'chunks')}`;
  return [
    `Repository: ${status.root}${status.mode === 'read-only' ? ' (read-only)' : ''}`,
    `Memory: ${parts.join(', ')}`,
    `Index: ${index.state}, ${files}${waiting}${found}`,
    `Server: muninn ${status.version}, process ${status.pid}, ${Math.round(status.rss_bytes / 2 ** 20)} MiB`,
    ...status.problems.map(({ path, line, message, hint }) => {
      const place = path ? ` ${path}${line ? `:${line}` : ''}:` : '';
      const stop = hint && !/[.!?]$/.test(message) ? '.' : '';
      return `Problem:${place} ${message}${stop}${hint ? ` ${hint}` : ''}`;
    }),
  ];
}

/** A number with its noun, the digits in groups. */
export function counted(count: number, one: string, many: string): string {
  return `${count.toLocaleString('en-US')} ${count === 1 ? one : many}`;
}

function failed(tooltip: readonly string[], label: string): Appearance {
  return {
    text: `$(error) ${label}: problem`,
    tooltip: tooltip.filter((line) => line),
    severity: 'error',
    command: 'muninn.ui.status',
  };
}
