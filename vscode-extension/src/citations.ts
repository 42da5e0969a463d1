// Places of code in words, and the state of cited code. Pure.

import type { Citation } from './protocol';

const STATES: Readonly<Record<Citation['state'], string>> = {
  fresh: '',
  moved: 'code moved',
  drifted: 'code changed',
  gone: 'code gone',
  unchecked: 'not checked',
};

/** `src/a.py:4-6`; one line is `src/a.py:4`, a whole file `src/a.py`. */
export function placeOf(path: string, start = 0, end = start): string {
  if (!start) return path;
  return end > start ? `${path}:${start}-${end}` : `${path}:${start}`;
}

/** The state of cited code in words; empty for code that has not changed. */
export function stateOf({ state }: Pick<Citation, 'state'>): string {
  return STATES[state];
}

/** The states of several citations, each once. */
export function statesOf(cites: readonly Pick<Citation, 'state'>[]): string[] {
  return [...new Set(cites.map(stateOf))].filter((state) => state);
}

/** The states that make a memory doubtful: its code has changed or is gone. */
export function doubtsOf(cites: readonly Pick<Citation, 'state'>[]): string[] {
  return statesOf(cites.filter(({ state }) => state === 'drifted' || state === 'gone'));
}
