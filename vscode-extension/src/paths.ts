// Paths of files within the repository. Knows the disk only to see through symbolic links.

import { realpathSync } from 'node:fs';
import * as path from 'node:path';

/** The path of `file` relative to `root`, with forward slashes; undefined when it lies outside. */
export function within(root: string, file: string): string | undefined {
  const relative = path.relative(real(root), real(file));
  const outside = !relative || relative === '..' || relative.startsWith(`..${path.sep}`) || path.isAbsolute(relative);
  return outside ? undefined : relative.split(path.sep).join('/');
}

function real(file: string): string {
  try {
    return realpathSync.native(file);
  } catch {
    return path.resolve(file); // not saved yet, or gone
  }
}
