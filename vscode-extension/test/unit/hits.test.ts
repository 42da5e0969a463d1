import { expect, test } from 'vitest';
import { firstLine, row, rows } from '../../src/hits';
import { HIT } from './values';

test('code shows its path, its symbol and its first line', () => {
  expect(row(HIT)).toEqual({
    icon: 'code',
    label: 'src/cache.py:4',
    description: 'render_page',
    detail: 'def render_page(name):',
    hit: HIT,
  });
});

test('memory of another tool names that tool', () => {
  const record = { ...HIT, kind: 'knowledge', symbol: '', title: 'Use limpets', origin: 'ADR' } as const;
  expect(row(record).description).toBe('Use limpets · ADR');
});

test('a memory shows its headline, and below it type, author, age, file and text', () => {
  const memory = { ...HIT, kind: 'memory', title: 'Cache by commit', type: 'bug_fix', author: 'Ada', ts: '2026-03-01T12:00:00Z', text: 'Branches share.' } as const;
  expect(row(memory, new Date('2026-03-04T12:00:00Z'))).toMatchObject({
    icon: 'bug',
    label: 'Cache by commit',
    description: '',
    detail: 'bug fix · Ada, 3 days ago · src/cache.py · Branches share.',
  });
});

test('a memory that is in a conflict, or whose code has changed, says so', () => {
  const cite = { path: 'src/cache.py', start: 4, end: 6, symbol: '', state: 'drifted', was: '', note: '' } as const;
  const memory = { ...HIT, kind: 'memory', type: 'decision', title: '', text: 'Use limpets.', status: 'contradicts 0a1b2c3d, undecided', cites: [cite] } as const;
  expect(row(memory).detail).toBe('decision · in conflict · code changed · src/cache.py');
});

test('a hit of another repository names the repository', () => {
  expect(row({ ...HIT, repository: 'org:billing' }).description).toBe('render_page · org:billing');
  const memory = { ...HIT, kind: 'memory', type: 'insight', path: '', title: 'Wait', text: 'A day.', repository: 'org:billing' } as const;
  expect(row(memory).detail).toBe('insight · org:billing · A day.');
});

test('a memory whose headline is its text shows it once', () => {
  const memory = { ...HIT, kind: 'memory', type: 'insight', path: '', text: 'Only this.' } as const;
  for (const title of ['', 'Only this', 'Only th…']) {
    const { label, detail } = row({ ...memory, title });
    expect(label).toMatch(/^Only th/);
    expect(detail).toBe('insight');
  }
});

test('a memory whose title is cut from its text shows the text', () => {
  const memory = { ...HIT, kind: 'memory', type: 'insight', path: '', title: 'Only this…', text: 'Only this and that.' } as const;
  expect(row(memory)).toMatchObject({ icon: 'lightbulb', label: 'Only this and that.', detail: 'insight' });
  const snippet = [{ line: 2, text: 'More of it.', marks: [{ start: 0, end: 4 }] }];
  expect(row({ ...memory, snippet })).toMatchObject({ icon: 'lightbulb', label: 'Only this…', detail: 'insight · More of it.' });
});

test('a citation of a whole file has no line', () => {
  expect(row({ ...HIT, kind: 'knowledge', start_line: 0, symbol: '', title: 'Cache' })).toMatchObject({
    icon: 'book',
    label: 'src/cache.py',
    description: 'Cache',
  });
});

test('knowledge of a pack names the pack', () => {
  const pack = { ...HIT, kind: 'knowledge', symbol: '', title: 'Errors', origin: 'pack house-style 1.0.0' } as const;
  expect(row(pack).description).toBe('Errors · pack house-style 1.0.0');
});

test('the line that holds the words of the question is shown', () => {
  const snippet = [
    { line: 4, text: 'def render_page(name):', marks: [] },
    { line: 5, text: '    return cache[name]', marks: [{ start: 11, end: 16 }] },
  ];
  expect(row({ ...HIT, snippet }).detail).toBe('return cache[name]');
});

test('text that looks like an icon is shown as text', () => {
  expect(row({ ...HIT, text: 'echo $(gear) $(sync~spin) $( x )' }).detail).toBe('echo \\$(gear) \\$(sync~spin) $( x )');
});

test('the first line is the first with text, and is cut to a limit', () => {
  expect(firstLine('\r\n\t \r\n  word\r\nmore')).toBe('word');
  expect(firstLine('x'.repeat(500))).toHaveLength(160);
  expect(firstLine('')).toBe('');
});

test('answering memories have a section of their own and are not repeated below it', () => {
  const memory = { ...HIT, id: '01m', kind: 'memory', type: 'decision', title: 'Cache by commit' } as const;
  const labels = (remembered: readonly (typeof memory)[], hits: readonly (typeof HIT)[]) =>
    rows({ remembered: [...remembered], hits: [...hits] }).map(({ label }) => label);
  const [cited, code] = ['Cache by commit', 'src/cache.py:4'];
  expect(labels([memory], [HIT, memory])).toEqual(['Remembered', cited, 'Other hits', code]);
  expect(labels([memory], [memory])).toEqual(['Remembered', cited]);
  expect(labels([], [HIT, memory])).toEqual([code, cited]);
  expect(labels([], [])).toEqual([]);
});
