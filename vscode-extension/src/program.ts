// Which program is the language server: the setting's, the workspace's own, or the one on the PATH. Knows the disk only.

import { accessSync, constants } from 'node:fs';
import * as path from 'node:path';

/** Folders of a workspace in which Python environments usually lie. */
const ENVIRONMENTS = ['.venv', 'venv', 'env'];

/** What installs programs of their own, best first, with the command line that installs Muninn. */
export const INSTALLERS = [
  { name: 'uv', line: 'uv tool install muninn-memory' },
  { name: 'pipx', line: 'pipx install muninn-memory' },
] as const;

/**
 * The command line of the server. `chosen` is the setting when somebody has set it, and then it alone counts; without
 * it the environment of the workspace `folder` comes first, as its version is the project's own choice.
 */
export function serverCommand(chosen: readonly string[] | undefined, folder: string): readonly string[] {
  if (chosen?.length) return chosen;
  const [bin, suffix] = process.platform === 'win32' ? ['Scripts', '.exe'] : ['bin', ''];
  const own = ENVIRONMENTS.map((each) => path.join(folder, each, bin, `muninn${suffix}`)).find(runs);
  return [own ?? 'muninn', 'lsp'];
}

/** The command line that installs Muninn with what this machine has; undefined when it has neither uv nor pipx. */
export function installation(search = process.env.PATH ?? ''): string | undefined {
  const suffixes = process.platform === 'win32' ? ['.exe', '.cmd'] : [''];
  const there = (name: string): boolean =>
    search.split(path.delimiter).some((folder) => folder && suffixes.some((suffix) => runs(path.join(folder, name + suffix))));
  return INSTALLERS.find(({ name }) => there(name))?.line;
}

/** Whether a server of one version does what an extension of another asks: until 1.0 a minor version may change that. */
export function fits(server: string, extension: string): boolean {
  const line = (version: string): string => version.split('.').slice(0, version.startsWith('0.') ? 2 : 1).join('.');
  return line(server) === line(extension);
}

function runs(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
