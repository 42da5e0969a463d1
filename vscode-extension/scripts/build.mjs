// Bundles the extension into dist/ and, beside it, the tests that run inside the extension host.
import { copyFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { build } from 'esbuild';
import { licenses } from './licenses.mjs';

const root = path.resolve(import.meta.dirname, '..');
const shared = {
  absWorkingDir: root,
  bundle: true,
  platform: 'node',
  format: 'cjs',
  target: 'node20', // the oldest Node inside a VS Code of engines.vscode
  logLevel: 'warning',
};

export async function bundle({ minify = false, tests = true } = {}) {
  rmSync(path.join(root, 'dist'), { recursive: true, force: true });
  const { metafile } = await build({
    ...shared,
    metafile: true,
    minify,
    sourcemap: !minify,
    entryPoints: ['src/extension.ts'],
    outfile: 'dist/extension.js',
    external: ['vscode'],
  });
  writeFileSync(path.join(root, 'dist', 'licenses.txt'), licenses(root, Object.keys(metafile.inputs)));
  const schema = path.join(root, '..', 'core', 'muninn_core', 'config', 'config.schema.json');
  copyFileSync(schema, path.join(root, 'dist', 'config.schema.json')); // `yamlValidation` in package.json names it
  if (!tests) return;
  await build({
    ...shared,
    sourcemap: true,
    entryPoints: ['one', 'daily', 'files', 'trouble', 'several', 'repositories'].map((name) => `test/integration/${name}.ts`),
    outdir: 'dist/test',
    external: ['vscode', 'mocha'],
  });
}

if (import.meta.filename === process.argv[1]) await bundle();
