// The licences of the packages whose code ends up in the bundle: they ask to travel with it.
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

/** Makes one text of the licences, by the bundler's list of its input files. Throws when a package has none. */
export function licenses(root, inputs) {
  const folders = new Set(inputs.map((file) => /^(.*node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(file)?.[1]).filter(Boolean));
  return [...folders].sort().map((folder) => license(path.join(root, folder))).join('\n');
}

function license(folder) {
  const { name, version, license: kind } = JSON.parse(readFileSync(path.join(folder, 'package.json'), 'utf8'));
  const file = readdirSync(folder).find((entry) => /^licen[cs]e/i.test(entry));
  if (!file) throw new Error(`${name} is in the bundle and has no licence file`);
  return `== ${name} ${version} (${kind})\n\n${readFileSync(path.join(folder, file), 'utf8').trim()}\n`;
}
