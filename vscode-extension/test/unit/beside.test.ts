import { expect, test } from 'vitest';
import { annotation, countFiles, innermost, KnownNotes } from '../../src/beside';
import { age, byline } from '../../src/byline';
import type { Note } from '../../src/protocol';

const NOW = new Date('2026-03-04T12:00:00Z');

function note(fields: Partial<Note>): Note {
  return { id: 'm1', path: '', type: 'decision', title: 'Cookies are signed', start: 1, end: 9, symbol: '', state: 'fresh', trust: 'user', author: 'Ada', ts: '2026-03-01T12:00:00Z', ...fields };
}

test('a byline has a name and an age', () => {
  expect(byline({ author: 'Ada', actor: 'user', ts: '2026-03-01T12:00:00Z' }, NOW)).toBe('Ada, 3 days ago');
  expect(byline({ author: 'Ada', actor: 'assistant', agent: 'claude-code', ts: '2026-03-04T11:55:00Z' }, NOW)).toBe('claude-code for Ada, 5 min ago');
  expect(byline({ actor: 'user', ts: '2026-03-04T11:59:30Z' }, NOW)).toBe('user, just now');
  expect(['2026-03-03T12:00:00Z', '2026-03-04T10:00:00Z', '2020-03-04T10:00:00Z', 'once'].map((ts) => age(ts, NOW))).toEqual(['1 day ago', '2 h ago', '2020-03-04', 'once']);
});

test('a line gets the innermost note, and of equal ones the newest', () => {
  const notes = [note({ id: 'file', start: 0, end: 0 }), note({ id: 'wide' }), note({ id: 'old', start: 3, end: 4 }), note({ id: 'new', start: 3, end: 4, ts: '2026-03-02T12:00:00Z' }), note({ id: 'gone', start: 3, end: 3, state: 'gone' })];
  expect([2, 3, 5, 10].map((line) => innermost(notes, line)?.id)).toEqual(['wide', 'new', 'wide', undefined]);
});

test('an annotation is short and marks doubt', () => {
  expect(annotation(note({}), NOW)).toBe('decision: Cookies are signed · Ada, 3 days ago');
  expect(annotation(note({ type: 'bug_fix', state: 'drifted' }), NOW)).toBe('bug fix: Cookies are signed (code changed since) · Ada, 3 days ago');
  expect(annotation(note({ title: 'x'.repeat(200) }), NOW)).toHaveLength('decision: '.length + 80 + ' · Ada, 3 days ago'.length);
});

test('a memory counts once for each file', () => {
  const cite = (path: string): never => ({ path }) as never;
  const counts = countFiles([{ files: ['a.py', 'b.py'], cites: [cite('a.py')] }, { files: [], cites: [cite('a.py')] }]);
  expect([...counts]).toEqual([['a.py', 2], ['b.py', 1]]);
});

test('notes are kept for a version, but not those of an incomplete answer', async () => {
  const known = new KnownNotes();
  const answers = [{ notes: [], pending: 2 }, { notes: [note({ id: 'checked' })], pending: 0 }, { notes: [note({ id: 'later' })], pending: 0 }];
  const request = (): Promise<{ notes: Note[]; pending: number }> => Promise.resolve(answers.shift()!);
  expect((await known.of('a 1', request)).map(({ id }) => id)).toEqual(['checked']);
  expect((await known.of('a 1', request)).map(({ id }) => id)).toEqual(['checked']);
  expect((await known.of('a 2', request)).map(({ id }) => id)).toEqual(['later']);
  const incomplete = { notes: [], pending: 1 };
  expect(await known.of('b 1', () => Promise.resolve(incomplete))).toEqual([]);
  expect((await known.of('b 1', () => Promise.resolve({ notes: [note({})], pending: 0 }))).length).toBe(1);
});

test('notes that a change overtook are not kept', async () => {
  const known = new KnownNotes();
  let send: (answer: { notes: Note[]; pending: number }) => void = () => undefined;
  const overtaken = known.of('a 1', () => new Promise((resolve) => (send = resolve)));
  known.forget();
  send({ notes: [], pending: 0 });
  await overtaken;
  expect((await known.of('a 1', () => Promise.resolve({ notes: [note({ id: 'new' })], pending: 0 }))).map(({ id }) => id)).toEqual(['new']);
});
