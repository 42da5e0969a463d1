// Paths of files, and their work trees. Uses the disk, not VS Code.

import { existsSync, realpathSync, statSync } from 'node:fs';
import * as path from 'node:path';

/** The path of `file` relative to `root`, with forward slashes; undefined when it lies outside. */
export function within(root: string, file: string): string | undefined {
  const relative = path.relative(real(root), real(file));
  const outside = !relative || relative === '..' || relative.startsWith(`..${path.sep}`) || path.isAbsolute(relative);
  return outside ? undefined : relative.split(path.sep).join('/');
}

/** The work tree that a folder belongs to, as the server finds it: git's, else the nearest one above with memory. */
export function workTree(folder: string): string {
  const here = real(folder);
  const above = [here];
  for (let up = path.dirname(here); up !== above.at(-1); up = path.dirname(up)) above.push(up);
  return above.find(isGits) ?? above.find((each) => existsSync(path.join(each, '.muninn'))) ?? here;
}

/** Whether there is memory in a work tree. */
export function remembers(root: string): boolean {
  return existsSync(path.join(root, '.muninn', 'config.yaml'));
}

/**
 * The work trees that are to have a server, each with the first of the window's folders in it: those with memory, and
 * those that have one already.
 */
export function toServe<F extends { readonly uri: { readonly fsPath: string } }>(
  folders: readonly F[],
  isServed: (root: string) => boolean,
): Map<string, F> {
  const trees = new Map<string, F>();
  for (const folder of folders) {
    const root = workTree(folder.uri.fsPath);
    if (!trees.has(root)) trees.set(root, folder);
  }
  return new Map([...trees].filter(([root]) => remembers(root) || isServed(root)));
}

/** Distinct names of folders: equal ones are prefixed with their parent folder. */
export function namesOf(folders: readonly { readonly name: string; readonly path: string }[]): string[] {
  return folders.map(({ name, path: place }) => {
    const shared = folders.filter((each) => each.name === name).length > 1;
    return shared ? `${path.basename(path.dirname(place))}/${name}` : name;
  });
}

function isGits(folder: string): boolean {
  const git = path.join(folder, '.git');
  return existsSync(path.join(git, 'HEAD')) || (statSync(git, { throwIfNoEntry: false })?.isFile() ?? false);
}

function real(file: string): string {
  try {
    return realpathSync.native(file);
  } catch {
    const folder = path.dirname(path.resolve(file)); // not saved yet, or gone: its folder may be a link
    return folder === file ? folder : path.join(real(folder), path.basename(file));
  }
}
