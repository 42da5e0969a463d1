import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { within } from '../../src/paths';

const folder = realpathSync(mkdtempSync(path.join(tmpdir(), 'muninn-paths-')));
const root = path.join(folder, 'repo');
mkdirSync(path.join(root, 'src'), { recursive: true });
writeFileSync(path.join(root, 'src', 'a.py'), '');
symlinkSync(root, path.join(folder, 'link'));
afterAll(() => rmSync(folder, { recursive: true }));

test('a file inside is relative to the root', () => {
  expect(within(root, path.join(root, 'src', 'a.py'))).toBe('src/a.py');
});

test('a file that is not saved yet counts, too', () => {
  expect(within(root, path.join(root, 'new.py'))).toBe('new.py');
});

test('a file that is reached through a link is the same file', () => {
  expect(within(root, path.join(folder, 'link', 'src', 'a.py'))).toBe('src/a.py');
});

test('a file outside, and the root itself, have no path inside', () => {
  expect(within(root, path.join(folder, 'other.py'))).toBeUndefined();
  expect(within(root, root)).toBeUndefined();
  expect(within(root, path.join(folder, 'repo2', 'a.py'))).toBeUndefined();
});

test('a name that begins with two dots is a name', () => {
  expect(within(root, path.join(root, '..a.py'))).toBe('..a.py');
});
