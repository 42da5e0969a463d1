import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { namesOf, toServe, within, workTree } from '../../src/paths';

const folder = realpathSync(mkdtempSync(path.join(tmpdir(), 'muninn-paths-')));
const root = path.join(folder, 'repo');
mkdirSync(path.join(root, 'src'), { recursive: true });
writeFileSync(path.join(root, 'src', 'a.py'), '');
symlinkSync(root, path.join(folder, 'link'));
afterAll(() => rmSync(folder, { recursive: true }));

test('a file inside is relative to the root', () => {
  expect(within(root, path.join(root, 'src', 'a.py'))).toBe('src/a.py');
});

test('a file that is not saved yet has a path', () => {
  expect(within(root, path.join(root, 'new.py'))).toBe('new.py');
  expect(within(root, path.join(folder, 'link', 'to', 'new.py'))).toBe('to/new.py');
});

test('a file reached through a symbolic link is the same file', () => {
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

/** Makes files below the folder of this test, and returns the path of the first name. */
function made(...files: string[]): string {
  for (const file of files) {
    mkdirSync(path.dirname(path.join(folder, file)), { recursive: true });
    writeFileSync(path.join(folder, file), '');
  }
  return path.join(folder, files[0]?.split('/')[0] ?? '');
}

test("a folder's work tree is git's, else the nearest with memory, else the folder", () => {
  const outer = made('outer/.git/HEAD', 'outer/src/deep/a.py', 'outer/linked/.git', 'outer/empty/.git/x');
  expect(workTree(path.join(outer, 'src', 'deep'))).toBe(outer);
  expect(workTree(path.join(outer, 'linked'))).toBe(path.join(outer, 'linked'));
  expect(workTree(path.join(outer, 'empty'))).toBe(outer);
  const plain = made('plain/.muninn/config.yaml', 'plain/docs/a.md');
  expect(workTree(path.join(plain, 'docs'))).toBe(plain);
  expect(workTree(made('alone/a.md'))).toBe(path.join(folder, 'alone'));
});

test('each work tree with memory gets one server, at its first folder, and running ones stay', () => {
  const one = made('one/.git/HEAD', 'one/.muninn/config.yaml', 'one/src/a.py');
  const two = made('two/.git/HEAD', 'two/.muninn/config.yaml');
  const none = made('none/.git/HEAD');
  const folders = [none, path.join(one, 'src'), one, two].map((fsPath) => ({ uri: { fsPath } }));
  const roots = (served: (root: string) => boolean): unknown => [...toServe(folders, served)].map(([root, { uri }]) => [root, uri.fsPath]);
  expect(roots(() => false)).toEqual([[one, path.join(one, 'src')], [two, two]]);
  expect(roots((root) => root === none)).toEqual([[none, none], [one, path.join(one, 'src')], [two, two]]);
});

test('without memory no folder gets a server', () => {
  const folders = ['bare/a', 'empty/b'].map((file) => ({ uri: { fsPath: made(file) } }));
  expect(toServe(folders, () => false).size).toBe(0);
  expect(toServe([], () => false).size).toBe(0);
});

test('folders of equal names are shown with their parent', () => {
  const folders = ['/a/api', '/b/api', '/b/web'].map((each) => ({ name: path.basename(each), path: each }));
  expect(namesOf(folders)).toEqual(['a/api', 'b/api', 'web']);
});
