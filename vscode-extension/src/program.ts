// The program of the language server: that of the setting, of the workspace, or on the PATH.

import { accessSync, constants } from 'node:fs';
import { homedir } from 'node:os';
import * as path from 'node:path';

/** Folders of a workspace in which Python environments usually lie. */
const ENVIRONMENTS = ['.venv', 'venv', 'env'];

/** Installers of programs, best first, with the arguments that install Muninn. */
const INSTALLERS = [
  ['uv', 'tool', 'install', 'muninn-memory'],
  ['pipx', 'install', 'muninn-memory'],
] as const;

/** The variables of a process that say where programs are. */
type Environment = Readonly<Record<string, string | undefined>>;

/**
 * The command line of the server: the setting `chosen`; without it the program in the environment of the workspace
 * `folder`, because the project chooses its version; else a program of the machine. An untrusted folder is not passed.
 */
export function serverCommand(chosen: readonly string[] | undefined, folder?: string, env: Environment = process.env): readonly string[] {
  if (chosen?.length) return chosen;
  const [bin, suffix] = process.platform === 'win32' ? ['Scripts', '.exe'] : ['bin', ''];
  const own = folder && ENVIRONMENTS.map((each) => path.join(folder, each, bin, `muninn${suffix}`)).find(runs);
  return [own || (found('muninn', env) ?? 'muninn'), 'lsp'];
}

/** The command that installs Muninn with what this machine has; undefined when it has neither uv nor pipx. */
export function installation(env: Environment = process.env): readonly [program: string, ...rest: string[]] | undefined {
  for (const [name, ...rest] of INSTALLERS) {
    const program = found(name, env);
    if (program) return [program, ...rest];
  }
  return undefined;
}

/** A program of the machine by its name. A window that a desktop starts may lack the folders of uv and pipx on its PATH. */
function found(name: string, env: Environment): string | undefined {
  const home = env.HOME ?? env.USERPROFILE ?? homedir();
  const usual = [env.UV_TOOL_BIN_DIR, env.PIPX_BIN_DIR, env.XDG_BIN_HOME, path.join(home, '.local', 'bin'), path.join(home, '.cargo', 'bin')];
  const folders = [...(env.PATH ?? '').split(path.delimiter), ...usual].filter((each): each is string => !!each && path.isAbsolute(each));
  const suffixes = process.platform === 'win32' ? ['.exe', '.cmd'] : [''];
  return folders.flatMap((folder) => suffixes.map((suffix) => path.join(folder, name + suffix))).find(runs);
}

/** Whether a server's version is compatible with the extension's: until 1.0 minor versions must match. */
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
