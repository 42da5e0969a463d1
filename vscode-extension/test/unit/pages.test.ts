import { expect, test } from 'vitest';
import { address, memoryDocument, pageOf, type Page, withReasons } from '../../src/pages';

test('an address round-trips to its page', () => {
  const pages: Page[] = [
    { page: 'side', id: 'a?b&c#d%e', conflict: 'ü', side: 'left' },
    { page: 'context', params: { query: 'what & why?', budget: 100, files: ['a b.py'] } },
  ];
  for (const page of pages) expect(pageOf(address(page, 'title').query)).toEqual(page);
});

test("the tab's name is a valid file name", () => {
  const page = { page: 'context', params: { query: 'x' } } as const;
  expect(address(page, 'Why is ../a/b "so"?\nsecond').path).toBe('/context/Why is .. a b so.md');
  expect(address(page, '???').path).toBe('/context/context.md');
  const long = 'Pages are cached by commit, because branches share the rendering machine';
  expect(address(page, long).path).toBe('/context/Pages are cached by commit because branches share the….md');
  expect(address(page, 'x'.repeat(100)).path).toBe(`/context/${'x'.repeat(60)}….md`);
});

test('an address of another scheme or form is refused', () => {
  for (const query of ['', '{}', 'null', '{"page":"other"}', '{']) expect(() => pageOf(query)).toThrow('not the address');
});

test('the page of a memory ends with the reasons of its rank', () => {
  const why = [{ signal: 'words', value: 2.5, weight: 0.4, contribution: 1, note: 'commit,\ncache' }];
  expect(memoryDocument('01J0000000')).toBe('muninn:/memory/01J0000000.md');
  expect(withReasons('# Cache by commit\n', why)).toBe(`# Cache by commit

<details><summary>Why it was found</summary>

- words: +1.000 (value 2.500, weight 0.400), commit, cache

</details>
`);
  const against = [{ signal: 'stale', value: 1, weight: -0.3, contribution: -0.3, note: '' }];
  expect(withReasons('# Cache by commit\n', against)).toContain('- stale: -0.300 (value 1.000, weight -0.300)');
  expect(withReasons('# Cache by commit\n', [])).toBe('# Cache by commit\n');
  const commit = [{ signal: 'history', value: 1, weight: 1, contribution: 1, note: 'Add [x](command:muninn.forget?1) <b>' }];
  expect(withReasons('# Cache by commit\n', commit)).toContain(', Add \\[x\\](command:muninn.forget?1) \\<b>\n');
});
