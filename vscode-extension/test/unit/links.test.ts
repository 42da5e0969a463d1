import { expect, test } from 'vitest';
import { commandLinks, OPEN } from '../../src/links';

test('the address of a document becomes a command with it, and all else stays', () => {
  const text = '[record](muninn:/memory/01k.md) · [file](file:///repo/a.py) · muninn:/memory/01k.md';
  const argument = encodeURIComponent('["muninn:/memory/01k.md"]');
  expect(commandLinks(text)).toBe(`[record](command:${OPEN}?${argument}) · [file](file:///repo/a.py) · muninn:/memory/01k.md`);
});

test('an address can not break out of its link', () => {
  expect(commandLinks('[x](muninn:/a) [y](command:evil)')).not.toContain('evil"');
  expect(commandLinks('[x](muninn:/a b)')).toBe('[x](muninn:/a b)');
});
