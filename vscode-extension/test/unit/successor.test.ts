import { expect, test } from 'vitest';
import type { Citation } from '../../src/protocol';
import { successorOf } from '../../src/successor';
import { MEMORY } from './values';

const cited = (path: string, start: number, end: number, state: Citation['state'] = 'fresh'): Citation => ({
  path, start, end, state, symbol: '', was: '', note: '',
});
const before = { ...MEMORY, files: ['src/cache.py', 'src/pool.py', 'README.md'], importance: 9, pinned: true, private: true };

test('a successor keeps the cited lines where they are now, and what was stated beside the text', () => {
  const found = successorOf(before, [cited('src/cache.py', 4, 6, 'moved'), cited('src/pool.py', 1, 2, 'gone')], '');
  expect(found.files).toEqual(['src/cache.py:4-6', 'src/pool.py', 'README.md']);
  expect([found.tags, found.importance, found.pin, found.private]).toEqual([before.tags, 9, true, true]);
  expect(found.links).toEqual([{ relation: 'supersedes', target: before.id }]);
});

test('the place that it was written at comes first, once', () => {
  const citations = [cited('src/cache.py', 4, 6), cited('src/pool.py', 1, 2)];
  expect(successorOf(before, citations, 'src/cache.py:4-6').files).toEqual(['src/cache.py:4-6', 'src/pool.py:1-2', 'README.md']);
  expect(successorOf(before, [], 'src/cache.py:9-9').files).toEqual(['src/cache.py:9-9', 'src/pool.py', 'README.md']);
});
