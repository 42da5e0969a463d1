// A small real git repository for a run, and the muninn that serves it.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

const checkout = path.resolve(import.meta.dirname, '..', '..');
const bundled = path.join(checkout, '.venv', 'bin', 'muninn');

/** The program under test: MUNINN names it, else the one in the checkout's .venv, else the one on the PATH. */
export const muninn = process.env.MUNINN ?? (existsSync(bundled) ? bundled : 'muninn');

let runtime;
process.once('exit', () => runtime && rmSync(runtime, { recursive: true, force: true }));

const FILES = {
  'src/cache.py': [
    '"""A cache of rendered pages."""',
    '',
    '',
    'def render_page(name: str, commit: str) -> str:',
    '    """Render a page, or take it from the cache."""',
    '    return f"{commit}:{name}"',
    '',
  ],
  'Makefile': ['# $(gear) is the text of render_page here, and no icon', 'build:', '\techo $(gear)', ''],
  'docs/cache.md': ['# The cache', '', 'Pages are rendered once for each commit.', ''],
};

/**
 * Makes a repository of `files`, in a new folder or the given one. Returns { root, remove }: remove() stops its daemon and
 * deletes it.
 */
export function repository(folder = mkdtempSync(path.join(tmpdir(), 'muninn-repo-')), files = FILES) {
  mkdirSync(folder, { recursive: true });
  const root = realpathSync(folder);
  // The daemons of this run keep to a runtime directory of their own; a short path, for sockets have no room for long ones.
  runtime ??= mkdtempSync('/tmp/mn-');
  process.env.MUNINN_RUNTIME_DIR = runtime;
  for (const [file, lines] of Object.entries(files)) {
    mkdirSync(path.dirname(path.join(root, file)), { recursive: true });
    writeFileSync(path.join(root, file), lines.join('\n'));
  }
  const git = (...args) => execFileSync('git', ['-C', root, ...args], { stdio: 'pipe' });
  git('init', '-q', '-b', 'main');
  git('config', 'user.name', 'Test');
  git('add', '.');
  git('-c', 'user.name=test', '-c', 'user.email=test@example.invalid', 'commit', '-q', '-m', 'a cache');
  return { root, remove: () => remove(root) };
}

/** Makes a workspace of the repositories `one` and `two`; a third one, `later`, lies in `one`. Returns { file, folder, remove }. */
export function workspace() {
  const folder = realpathSync(mkdtempSync(path.join(tmpdir(), 'muninn-several-')));
  const repositories = ['one', 'two', 'one/later'].map((name) => repository(path.join(folder, name)));
  const file = path.join(folder, 'several.code-workspace');
  writeFileSync(file, JSON.stringify({ folders: [{ path: 'one' }, { path: 'two' }], settings: {} }));
  const clear = () => {
    for (const each of repositories.reverse()) each.remove();
    rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
  };
  return { file, folder, remove: clear };
}

function remove(root) {
  const ask = (...args) => execFileSync(muninn, [...args, '--repo', root], { stdio: 'pipe', timeout: 60_000 });
  try {
    ask('status'); // a daemon that was just being started when the window closed is up after this
    ask('daemon', 'stop');
  } catch (error) {
    console.error(`the daemon of ${root} was not stopped: ${error.stderr || error.message}`);
    process.exitCode = 1;
  }
  rmSync(root, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
}
