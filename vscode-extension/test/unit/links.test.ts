import { expect, test } from 'vitest';
import { bare, commandLinks, keyOf, OPEN, owned } from '../../src/links';

test('the address of a document becomes a command with it and whose it is, and all else stays', () => {
  const text = '[record](muninn:/memory/01k.md) · [file](file:///repo/a.py) · muninn:/memory/01k.md';
  const argument = encodeURIComponent('["muninn://repo-1/memory/01k.md"]');
  expect(commandLinks(text, 'repo-1')).toBe(`[record](command:${OPEN}?${argument}) · [file](file:///repo/a.py) · muninn:/memory/01k.md`);
});

test('an address can not break out of its link', () => {
  expect(commandLinks('[x](muninn:/a) [y](command:evil)', 'k')).not.toContain('evil"');
  expect(commandLinks('[x](muninn:/a b)', 'k')).toBe('[x](muninn:/a b)');
});

test('an address that says whose it is says for the server what it said before', () => {
  for (const uri of ['muninn:/memory/01k/Use%20limpets.md', 'muninn:/pack.md?query=a%2Fb&budget=10']) {
    expect(owned(uri, 'repo-1')).toBe(uri.replace('muninn:/', 'muninn://repo-1/'));
    expect(owned(owned(uri, 'repo-1'), 'other-2')).toBe(owned(uri, 'repo-1'));
    expect(bare(owned(uri, 'repo-1'))).toBe(uri);
    expect(bare(uri)).toBe(uri);
  }
  for (const uri of ['file:///repo/muninn:/a.py', 'https://example.org/']) expect([owned(uri, 'k'), bare(uri)]).toEqual([uri, uri]);
});

test('what stands for a repository fits into the place of a host, and two of the same name have their own', () => {
  const keys = ['/one/My Project', '/two/My Project', '/', '/三'].map(keyOf);
  for (const key of keys) expect(key).toMatch(/^[a-z0-9-]+$/);
  expect(keys[0]).toMatch(/^my-project-/);
  expect(new Set(keys).size).toBe(keys.length);
  expect(keyOf('/one/My Project')).toBe(keys[0]);
});
