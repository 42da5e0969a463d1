// Makes muninn-<version>.vsix, after checking that the version is the distribution's. Says the name and the size.
// `package.mjs URL` is for publishing: the pictures of the README are then at URL. VS Code shows none from elsewhere than
// https, neither from beside the README nor in it, so that without URL they are left out.
import { cpSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createVSIX } from '@vscode/vsce';
import { bundle } from './build.mjs';
import { version } from './version.mjs';

const PARTS = ['package.json', 'LICENSE', 'CHANGELOG.md', '.vscodeignore', 'dist', 'images', 'walkthrough'];
const PICTURE = /!\[([^\]]*)\]\((?!https:)([^)]+\.png)\)/g;

const root = path.resolve(import.meta.dirname, '..');
const file = path.join(root, `muninn-${version()}.vsix`);
const base = process.argv[2];

/** The README with its pictures at `base`, or without them. */
function readme() {
  const at = (picture) => new URL(path.basename(picture), base.endsWith('/') ? base : `${base}/`).href;
  const shown = (_, words, picture) => (base ? `![${words}](${at(picture)})` : '');
  return readFileSync(path.join(root, 'README.md'), 'utf8').replace(PICTURE, shown).replace(/\n{3,}/g, '\n\n');
}

await bundle({ minify: true, tests: false });
const staged = mkdtempSync(path.join(tmpdir(), 'muninn-vsix-'));
try {
  for (const part of PARTS) cpSync(path.join(root, part), path.join(staged, part), { recursive: true });
  writeFileSync(path.join(staged, 'README.md'), readme());
  // No dependency travels: all is in the bundle.
  await createVSIX({ cwd: staged, packagePath: file, dependencies: false, allowMissingRepository: true });
} finally {
  rmSync(staged, { recursive: true, force: true });
}
console.log(`${path.basename(file)} ${Math.ceil(statSync(file).size / 1024)} KiB`);
