import { expect, test } from 'vitest';
import type { Citation, Memory, Verified, WorkSession } from '../../src/protocol';
import { fileNodes, memoryNode, memoryNodes, timelineNodes, withConflicts } from '../../src/views/memories';
import { type Node, rowsOf, spoken } from '../../src/views/node';
import { conflictNodes, knowledgeNodes, sessionNodes, staleNodes } from '../../src/views/rest';
import { MEMORY } from './values';

const CITE: Citation = { path: 'src/cache.py', start: 4, end: 6, symbol: 'render_page', state: 'fresh', was: '', note: '' };

function memory(id: string, change: Partial<Memory> = {}): Memory {
  return { ...MEMORY, id, title: `Memory ${id}`, ...change };
}

test('a memory whose code has changed is marked', () => {
  const fresh = memoryNode(MEMORY, [CITE]);
  const stale = memoryNode(MEMORY, [{ ...CITE, state: 'drifted' }]);
  expect(fresh).toMatchObject({ icon: 'law', kind: 'memory', target: { to: 'memory', id: MEMORY.id } });
  expect(stale).toMatchObject({ icon: 'warning', kind: 'memory.stale', description: 'code changed · src/cache.py' });
  expect(stale.tooltip).toContain('src/cache.py:4-6 · code changed');
});

test('only citations whose code still exists can be confirmed', () => {
  const row = (state: Citation['state']): Node => memoryNode(MEMORY, [CITE, { ...CITE, state }]);
  expect(row('moved')).toMatchObject({ icon: 'law', kind: 'memory.stale' });
  expect(row('drifted')).toMatchObject({ icon: 'warning', kind: 'memory.stale', colour: 'list.warningForeground' });
  expect(row('gone')).toMatchObject({ icon: 'error', kind: 'memory.gone', colour: 'list.errorForeground' });
  const [stale] = staleNodes([{ id: 'a', type: 'bug_fix', title: 'A', cites: [{ ...CITE, state: 'gone' }] } as unknown as Verified]);
  expect(stale).toMatchObject({ icon: 'error', kind: 'memory.gone', description: 'code gone' });
});

test('rows at every depth carry their repository', () => {
  const [group] = rowsOf('repo-1', memoryNodes([MEMORY], {}, 'type', 1));
  expect([group?.repository, group?.children?.[0]?.repository]).toEqual(['repo-1', 'repo-1']);
});

test('groups are ordered by size, with the ungrouped last', () => {
  const members = [memory('a', { task: null }), memory('b', { task: 'T-1' }), memory('c', { task: 'T-2' }), memory('d', { task: 'T-2' })];
  const rows = memoryNodes(members, {}, 'task', 4);
  expect(rows.map(({ label, description }) => [label, description])).toEqual([['T-2', '2'], ['T-1', '1'], ['no task', '1']]);
});

test('a memory about two files is listed below both, with different keys', () => {
  const rows = memoryNodes([memory('a', { files: ['x.py', 'y.py'] })], {}, 'file', 1);
  const keys = rows.flatMap(({ children }) => children ?? []).map(({ key }) => key);
  expect(keys).toHaveLength(2);
  expect(new Set(keys).size).toBe(2);
});

test('memories of a file are ordered by line, those of the whole file first', () => {
  const cites = { a: [{ ...CITE, start: 9, end: 9 }], b: [{ ...CITE, path: 'x.py' }], c: [CITE, { ...CITE, start: 2, end: 3 }], d: [{ ...CITE, state: 'gone' as const }] };
  const rows = fileNodes(['a', 'b', 'c', 'd'].map((id) => memory(id)), cites, 'src/cache.py', 4);
  expect(rows.map(({ label, description }) => [label, description])).toEqual([
    ['Memory b', ''],
    ['Memory d', 'code gone'],
    ['Memory c', 'lines 2-3'],
    ['Memory a', 'line 9'],
  ]);
});

test("a timeline shows author and age of each memory in the server's order", () => {
  const memories = [memory('a', { author: 'Ada', actor: 'user', ts: '2026-03-04T10:00:00.000Z' }), memory('b', { author: '', actor: 'assistant', ts: '2026-03-01T10:00:00.000Z' })];
  const rows = timelineNodes(memories, {}, 3, new Date('2026-03-05T10:00:00Z'));
  expect(rows.map(({ label, description }) => [label, description])).toEqual([
    ['Memory a', 'Ada, 1 day ago'],
    ['Memory b', 'assistant, 4 days ago'],
    ['1 older memory not listed', 'filter, or recall'],
  ]);
});

test('a memory in a conflict is marked in every group', () => {
  const [group] = withConflicts(memoryNodes([memory('a'), memory('b')], {}, 'type', 2), new Set(['b']));
  expect(group?.children?.map(({ icon, description }) => [icon, description])).toEqual([
    ['law', 'src/cache.py'],
    ['git-merge', 'in conflict · src/cache.py'],
  ]);
});

test('memories beyond the limit are counted', () => {
  expect(memoryNodes([memory('a')], {}, 'none', 3).at(-1)?.label).toBe('2 older memories not listed');
  expect(memoryNodes([memory('a')], {}, 'none', 1)).toHaveLength(1);
});

test('an open session shows its unsealed memories, a sealed one its branch', () => {
  const one: WorkSession = {
    session: 's-1',
    title: 'The form',
    state: 'open',
    begin: '2026-02-01T08:00:00Z',
    end: '2026-02-01T09:30:00Z',
    records: 3,
    waiting: 2,
    memories: 1,
    branch: 'main',
    task: '',
    agent: 'claude-code 2',
    author: 'Ada',
    actor: 'assistant',
  };
  const [open, sealed] = sessionNodes([one, { ...one, session: 's-2', state: 'sealed', waiting: 0, memories: 0, branch: '' }]);
  expect(open).toMatchObject({ key: 's-1', label: 'The form', kind: 'session.open', closed: true });
  expect(open?.description).toBe('2 not sealed · main');
  expect(open?.tooltip).toContain('2026-02-01 08:00 to 2026-02-01 09:30');
  expect(open?.tooltip).toContain('main · claude-code 2 for Ada');
  expect(sealed).toMatchObject({ kind: 'session', closed: false, description: 'sealed, 0 memories · 2026-02-01' });
  expect([open, sealed].map((row) => row && spoken(row))).toEqual([
    'Session: The form; 2 records not sealed, branch main.',
    'Session: The form; sealed, 0 memories, 2026-02-01.',
  ]);
});

test('a conflict shows both sides', () => {
  const conflict = { id: 'c1', left: memory('a'), right: memory('b'), reason: 'they differ', ts: '', code: [], keep: '' };
  const [row] = conflictNodes([conflict]);
  expect(row).toMatchObject({ label: 'Memory a', description: 'or: Memory b', kind: 'conflict', target: { to: 'conflict', id: 'c1' } });
  expect(row?.children?.map(({ label }) => label)).toEqual(['Memory a', 'Memory b']);
});

test('only stale memories are listed, and deleted code cannot be opened', () => {
  const one = (id: string, state: Citation['state']): Verified => ({ id, type: 'insight', title: id, cites: [{ ...CITE, state }], fixed: false });
  const rows = staleNodes([one('gone', 'gone'), one('fresh', 'fresh'), one('moved', 'moved')]);
  expect(rows.map(({ label }) => label)).toEqual(['gone', 'moved']);
  expect(rows[0]?.children?.[0]?.target).toBeUndefined();
  expect(rows[1]?.children?.[0]?.target).toEqual({ to: 'file', path: 'src/cache.py', line: 4 });
});

test('knowledge is grouped by folder', () => {
  const rows = knowledgeNodes(['.muninn/knowledge/b.md', '.muninn/knowledge/a.md', '.muninn/packs/team/x.md']);
  expect(rows.map(({ label }) => label)).toEqual(['knowledge', 'packs/team']);
  expect(rows[0]?.children?.map(({ label }) => label)).toEqual(['a', 'b']);
});

test('the accessible label is a sentence with the type and the state that icons show', () => {
  const changed: Citation = { ...CITE, state: 'drifted' };
  const now = new Date('2026-01-05T03:04:05Z');
  const [group] = withConflicts(memoryNodes([MEMORY], { [MEMORY.id]: [changed] }, 'type', 1), new Set([MEMORY.id]));
  const [line] = fileNodes([MEMORY], { [MEMORY.id]: [changed] }, 'src/cache.py', 1);
  const [entry] = withConflicts(timelineNodes([MEMORY], { [MEMORY.id]: [changed] }, 1, now), new Set([MEMORY.id]));
  const [stale] = staleNodes([{ id: 'a', type: 'bug_fix', title: 'A', cites: [{ ...CITE, state: 'moved', was: 'old.py:1-3' }], fixed: false }]);
  const [folder] = knowledgeNodes(['.muninn/knowledge/a.md']);
  const [conflict] = conflictNodes([{ id: 'c1', left: memory('a'), right: memory('b'), reason: '', ts: '', code: [], keep: '' }]);
  const rows = [group, group?.children?.[0], line, entry, stale, stale?.children?.[0], folder, folder?.children?.[0], conflict];
  expect(rows.map((row) => row && spoken(row))).toEqual([
    'Group: decision; 1 memory.',
    'Decision: Cache by commit; in conflict, code changed, src/cache.py.',
    'Decision: Cache by commit; lines 4-6, code changed.',
    'Decision: Cache by commit; in conflict, Ada, 3 days ago, code changed.',
    'Bug fix: A; code moved.',
    'Place: src/cache.py:4-6; code moved, render_page, was old.py:1-3.',
    'Folder: knowledge; 1 page.',
    'Page: a.',
    'Conflict: Memory a; or: Memory b.',
  ]);
});
