import { expect, test } from 'vitest';
import { Failure } from '../../src/failure';
import { appearance, counted, describe as described, type State } from '../../src/state';
import { STATUS } from './values';

const running = { phase: 'running', status: STATUS } as const;

test('before the first status the item shows that the server is starting', () => {
  expect(appearance({ phase: 'starting' }).text).toMatch(/starting$/);
  expect(appearance({ phase: 'running' }).text).toMatch(/starting$/);
});

test('an idle item shows the number of memories', () => {
  expect(appearance(running)).toMatchObject({ text: '$(library) Muninn: 12 memories', severity: 'normal' });
  const one = { ...STATUS, log: { ...STATUS.log, memories: 1 } };
  expect(appearance({ phase: 'running', status: one }).text).toMatch(/1 memory$/);
});

test('with an active file the item counts its memories, and always shows conflicts', () => {
  expect(appearance(running, 3).text).toBe('$(library) Muninn: 3 here, 12 in all');
  const torn = { ...STATUS, log: { ...STATUS.log, conflicts: 1 } };
  expect(appearance({ phase: 'running', status: torn }, 0).text).toMatch(/0 here, 12 in all · \$\(git-merge\) 1 conflict$/);
});

test('with several repositories the item names the current one in every state', () => {
  const states: State[] = [running, { phase: 'starting' }, { phase: 'failed' }, { ...running, indexing: {} }];
  for (const state of [...states, { phase: 'running', status: { ...STATUS, mode: 'uninitialised' } } as const]) {
    expect(appearance(state, undefined, 'Muninn (api)').text).toContain(' Muninn (api): ');
  }
});

test('the item shows that memory is read-only', () => {
  expect(appearance({ phase: 'running', status: { ...STATUS, mode: 'read-only' } }).text).toMatch(/12 memories · read-only$/);
  const restricted = appearance({ ...running, restricted: true });
  expect(restricted.text).toMatch(/12 memories · read-only$/);
  expect(restricted.tooltip[0]).toContain('Restricted Mode');
});

test('the item says that .muninn was deleted, and offers the menu', () => {
  const gone = { kind: 'gone', message: 'the folder .muninn was deleted', path: '', line: 0, hint: 'Restore it.' };
  const status = { ...STATUS, problems: [gone], index: { ...STATUS.index, state: 'failed' } } as typeof STATUS;
  expect(appearance({ phase: 'running', status }, 3)).toMatchObject({ text: '$(warning) Muninn: .muninn was deleted', severity: 'warning', command: 'muninn.ui.menu' });
});

test('the item shows the progress of the index', () => {
  expect(appearance({ ...running, indexing: { percentage: 41.6 } }).text).toMatch(/indexing 42%$/);
  expect(appearance({ ...running, indexing: {} }).text).toMatch(/indexing$/);
  const building = { ...STATUS, index: { ...STATUS.index, state: 'building' } };
  expect(appearance({ phase: 'running', status: building }).text).toMatch(/indexing$/);
  const opening = { ...STATUS, index: { ...STATUS.index, state: 'opening' } };
  expect(appearance({ phase: 'running', status: opening }).text).toMatch(/indexing$/);
});

test('the item offers to initialise a repository without memory', () => {
  const bare = appearance({ phase: 'running', status: { ...STATUS, mode: 'uninitialised' } });
  expect(bare.text).toMatch(/not initialised$/);
  expect(bare.command).toBe('muninn.ui.init');
});

test('a failure shows its message and its hint', () => {
  const shown = appearance({ phase: 'failed', failure: new Failure('storage', 'the disk is full', 'Free some space.') });
  expect(shown).toMatchObject({ severity: 'error', tooltip: ['the disk is full', 'Free some space.'] });
  expect(shown.text).toMatch(/problem$/);
});

test('an index that failed is a problem', () => {
  const status = { ...STATUS, index: { ...STATUS.index, state: 'failed' } };
  expect(appearance({ phase: 'running', status }).severity).toBe('error');
});

test('problems for a person are warnings, with position and hint', () => {
  const problem = { kind: 'malformed', message: 'no JSON', path: '.muninn/memory/main.jsonl', line: 7, hint: 'Mend it.' };
  const shown = appearance({ phase: 'running', status: { ...STATUS, problems: [problem] } });
  expect(shown.severity).toBe('warning');
  expect(shown.tooltip.at(-1)).toBe('Problem: .muninn/memory/main.jsonl:7: no JSON. Mend it.');
});

test('the description lists pending work', () => {
  const status = {
    ...STATUS,
    mode: 'read-only',
    index: { ...STATUS.index, lag: 2 },
    log: { ...STATUS.log, unsealed: 3, conflicts: 1, malformed: 2 },
  };
  expect(described(status)).toEqual([
    'Repository: /repo (read-only)',
    'Memory: 12 memories, 3 not sealed, 1 conflict, 2 malformed lines',
    'Index: ready, 1,234 files, 5,678 chunks, 2 changed files not yet searchable in full',
    'Server: muninn 0.1.0, process 4711, 100 MiB',
  ]);
});

test('the description says that files are found by words until their vectors are ready', () => {
  const status = { ...STATUS, index: { ...STATUS.index, state: 'building', lag: 3971, surveyed: 3900 } };
  expect(described(status)[2]).toBe(
    'Index: building, 1,234 files, 5,678 chunks, 3,971 changed files not yet searchable in full, 3,900 of them are found by words',
  );
});

test('numbers have groups of digits and the right noun', () => {
  expect(counted(1, 'hit', 'hits')).toBe('1 hit');
  expect(counted(12345, 'hit', 'hits')).toBe('12,345 hits');
});

test('a click on an item without problems opens the menu', () => {
  expect(appearance({ phase: 'running', status: STATUS }).command).toBe('muninn.ui.menu');
});
