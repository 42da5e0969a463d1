// Checks that the extension has the version of the distribution: they are released together.
import { readFileSync } from 'node:fs';
import path from 'node:path';

const root = path.resolve(import.meta.dirname, '..');
const read = (...parts) => readFileSync(path.join(root, ...parts), 'utf8');

export function version() {
  const ours = JSON.parse(read('package.json')).version;
  const locked = JSON.parse(read('package-lock.json')).version;
  const theirs = /^__version__ = "(.+)"$/m.exec(read('..', 'core', 'muninn_core', '__init__.py'))?.[1];
  if (ours !== theirs || ours !== locked) {
    throw new Error(`versions differ: package.json ${ours}, package-lock.json ${locked}, muninn_core ${theirs}`);
  }
  return ours;
}

if (import.meta.filename === process.argv[1]) console.log(`version ${version()}`);
