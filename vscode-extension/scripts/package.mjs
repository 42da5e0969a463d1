// Makes muninn-<version>.vsix, after checking that the version is the distribution's. Says the name and the size.
// The address of the repository is MUNINN_REPOSITORY or tool.muninn.repository of pyproject.toml. With one, the manifest
// has repository, bugs and homepage, and the pictures of the README are there. VS Code shows none from elsewhere than
// https, neither from beside the README nor in it, so that without an address they are left out.
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createVSIX } from '@vscode/vsce';
import { bundle } from './build.mjs';
import { version } from './version.mjs';

const PARTS = ['package.json', 'LICENSE', 'CHANGELOG.md', '.vscodeignore', 'dist', 'images', 'walkthrough'];
const PICTURE = /!\[([^\]]*)\]\((?!https:)([^)]+\.png)\)/g;

const root = path.resolve(import.meta.dirname, '..');
const file = path.join(root, `muninn-${version()}.vsix`);
const setting = /^\[tool\.muninn\]\nrepository = "(.*)"$/m.exec(readFileSync(path.join(root, '..', 'pyproject.toml'), 'utf8'));
const address = (process.env.MUNINN_REPOSITORY || setting[1]).replace(/\/$/, '');

/** The README with its pictures at `base`, or without them. */
function readme() {
  const at = (picture) => `${address}/raw/HEAD/${path.posix.join('vscode-extension', picture)}`;
  const shown = (_, words, picture) => (address ? `![${words}](${at(picture)})` : '');
  return readFileSync(path.join(root, 'README.md'), 'utf8').replace(PICTURE, shown).replace(/\n{3,}/g, '\n\n');
}

/** Puts the pictures of a staged page of the walkthrough beside it, and names them there. */
function bringPictures(page) {
  const bring = (_, words, picture) => {
    const name = path.basename(picture);
    cpSync(path.join(root, 'walkthrough', picture), path.join(path.dirname(page), name));
    return `![${words}](${name})`;
  };
  writeFileSync(page, readFileSync(page, 'utf8').replace(PICTURE, bring));
}

/** The manifest, with the address of the repository where there is one. */
function manifest() {
  const found = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8'));
  const links = {
    repository: { type: 'git', url: `${address}.git`, directory: 'vscode-extension' },
    bugs: { url: `${address}/issues` },
    homepage: `${address}/tree/HEAD/vscode-extension`,
  };
  return JSON.stringify({ ...found, ...(address ? links : {}) }, null, 2);
}

await bundle({ minify: true, tests: false });
const staged = mkdtempSync(path.join(tmpdir(), 'muninn-vsix-'));
try {
  for (const part of PARTS) cpSync(path.join(root, part), path.join(staged, part), { recursive: true });
  for (const step of readdirSync(path.join(staged, 'walkthrough'))) bringPictures(path.join(staged, 'walkthrough', step));
  writeFileSync(path.join(staged, 'README.md'), readme());
  writeFileSync(path.join(staged, 'package.json'), manifest());
  // No dependency travels: all is in the bundle.
  await createVSIX({ cwd: staged, packagePath: file, dependencies: false, allowMissingRepository: true });
} finally {
  rmSync(staged, { recursive: true, force: true });
}
console.log(`${path.basename(file)} ${Math.ceil(statSync(file).size / 1024)} KiB`);
