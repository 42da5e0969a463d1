// Makes muninn-<version>.vsix, after checking that the version is the distribution's. Says the name and the size.
import { statSync } from 'node:fs';
import path from 'node:path';
import { createVSIX } from '@vscode/vsce';
import { bundle } from './build.mjs';
import { version } from './version.mjs';

const root = path.resolve(import.meta.dirname, '..');
const file = path.join(root, `muninn-${version()}.vsix`);
await bundle({ minify: true, tests: false });
// No dependency travels: all is in the bundle.
await createVSIX({ cwd: root, packagePath: file, dependencies: false, allowMissingRepository: true });
console.log(`${path.basename(file)} ${Math.ceil(statSync(file).size / 1024)} KiB`);
