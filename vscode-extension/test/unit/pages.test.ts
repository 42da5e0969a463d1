import { expect, test } from 'vitest';
import { address, memoryPage, pageOf, type Page } from '../../src/pages';
import { MEMORY } from './values';

test('a page comes back out of its address', () => {
  const pages: Page[] = [
    { page: 'memory', id: 'a?b&c#d%e', why: [{ signal: 's', value: 1, weight: 1, contribution: 1, note: 'ü' }] },
    { page: 'context', params: { query: 'what & why?', budget: 100, files: ['a b.py'] } },
  ];
  for (const page of pages) expect(pageOf(address(page, 'title').query)).toEqual(page);
});

test('the tab has a name that is a file name', () => {
  const page = { page: 'context', params: { query: 'x' } } as const;
  expect(address(page, 'Why is ../a/b "so"?\nsecond').path).toBe('/context/Why is .. a b so.md');
  expect(address(page, '???').path).toBe('/context/context.md');
});

test('an address that is none of ours is refused', () => {
  for (const query of ['', '{}', 'null', '{"page":"other"}', '{']) expect(() => pageOf(query)).toThrow('not the address');
});

test('a memory is shown with its text, what is known of it and why it was found', () => {
  const why = [{ signal: 'words', value: 2.5, weight: 0.4, contribution: 1, note: 'commit,\ncache' }];
  expect(memoryPage(MEMORY, why)).toBe(`# Cache by commit

**decision** · 2026-01-02T03:04:05Z · trust: user · importance 7 of 10 · confidence 80% · commit \`0123456789ab\` · tags: cache

\`01J0000000\`

The cache is keyed by commit.

Branches share it.

## Files

- \`src/cache.py\`

## Links

- supersedes \`01H0000000\`

## Details

\`\`\`json
{
  "rationale": "one machine"
}
\`\`\`

## Why it was found

- words: +1.000 (value 2.500, weight 0.400), commit, cache
`);
});

test('a memory that is its own headline is not said twice, and what no longer holds is marked', () => {
  const text = memoryPage({ ...MEMORY, title: '', text: 'Only this.', archived: true, superseded_by: 'z9' }, []);
  expect(text.match(/Only this\./g)).toHaveLength(1);
  expect(text).toMatch(/archived · superseded by `z9`/);
  expect(text).not.toMatch(/Why it was found/);
});

test('a memory that waits for an approval, or did not get it, says so', () => {
  expect(memoryPage({ ...MEMORY, review: 'pending' }, [])).toMatch(/waits for approval/);
  expect(memoryPage({ ...MEMORY, review: 'rejected' }, [])).toMatch(/rejected/);
  expect(memoryPage({ ...MEMORY, review: 'approved' }, [])).not.toMatch(/approval|rejected/);
});
