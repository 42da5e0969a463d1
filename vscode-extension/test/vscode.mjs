// Starts a throw-away VS Code (its server part) and a headless Chromium that shows its window.
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readlinkSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { chromium } from 'playwright-core';

export const extensionDir = path.resolve(import.meta.dirname, '..');

const install = path.resolve(process.env.VSCODE_DIR ?? path.join(extensionDir, '..', '.tools', 'vscode'));
const START_LIMIT = 300_000;
const SIZE = { width: 1280, height: 800 };

const QUIET = {
  'chat.disableAIFeatures': true,
  'extensions.autoCheckUpdates': false,
  'git.enabled': false, // it would ask about the repository
  'telemetry.telemetryLevel': 'off',
  'workbench.secondarySideBar.defaultVisibility': 'hidden',
  'workbench.startupEditor': 'none',
};

const BROWSER = [
  '--no-sandbox', // the tests may run as root
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-sync',
  '--disable-background-networking',
  '--disable-component-update',
  '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1', // nothing leaves this machine
];

/** Opens a browser that reaches this machine alone. */
export function openBrowser() {
  return chromium.launch({ executablePath: readlinkSync(path.join(install, 'chromium')), args: BROWSER });
}

/**
 * Opens VS Code with the user settings `settings`. `vsix` is installed first. `driver` makes it obey
 * extensionDevelopmentPath and extensionTestsPath in the page's address, and hide its notifications. `trust` makes it ask
 * whether a folder is trusted; `env` has variables that its processes see besides ours. `size` is that of the window in
 * pixels of the page, `scale` how many pixels of a screenshot one of them has.
 * Resolves to { url, authority, page, close }; close() ends every process and deletes every file of the run.
 */
export async function openVSCode({ settings, vsix, driver = false, trust = false, env = {}, size = SIZE, scale = 1 }) {
  const program = path.join(install, 'vscode', 'out', 'server-main.js');
  if (!existsSync(program)) throw new Error(`no VS Code in ${install}: run scripts/install-vscode.sh`);
  const tmp = mkdtempSync(path.join(tmpdir(), 'muninn-vscode-'));
  const server = spawn(path.join(install, 'node', 'bin', 'node'), [program, ...options(tmp, { settings, vsix, driver, trust })], {
    env: withoutVSCode({ ...process.env, ...env }),
    detached: true, // a process group of its own: extension host and language server end with it
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let browser;
  const stop = () => {
    try {
      process.kill(-server.pid, 'SIGTERM');
    } catch {
      // It is gone already.
    }
    rmSync(tmp, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 });
  };
  process.once('exit', stop);
  const close = async () => {
    await browser?.close();
    process.off('exit', stop);
    stop();
  };
  try {
    const port = await portOf(server);
    browser = await openBrowser();
    const page = await browser.newPage({ viewport: size, deviceScaleFactor: scale });
    return { url: `http://127.0.0.1:${port}/`, authority: `127.0.0.1:${port}`, page, close };
  } catch (error) {
    await close();
    throw error;
  }
}

function options(tmp, { settings, vsix, driver, trust }) {
  const user = path.join(tmp, 'user', 'User');
  mkdirSync(user, { recursive: true });
  writeFileSync(path.join(user, 'settings.json'), JSON.stringify({ ...QUIET, ...settings }));
  return [
    ...['--host', '127.0.0.1', '--port', '0', '--without-connection-token', '--accept-server-license-terms'],
    ...['--disable-telemetry', '--disable-getting-started-override', ...(trust ? [] : ['--disable-workspace-trust'])],
    ...['--user-data-dir', path.join(tmp, 'user'), '--server-data-dir', path.join(tmp, 'server')],
    ...['--extensions-dir', path.join(tmp, 'extensions'), '--force-disable-user-env'], // no login shell's variables
    ...(driver ? ['--enable-smoke-test-driver'] : []),
    ...(vsix ? ['--install-extension', vsix, '--start-server'] : []),
  ];
}

/** Removes the variables of a surrounding VS Code terminal, which would misconfigure the new VS Code. */
function withoutVSCode(env) {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !name.startsWith('VSCODE_')));
}

function portOf(server) {
  return new Promise((resolve, reject) => {
    let said = '';
    const fail = (why) => reject(new Error(`the VS Code server ${why}:\n${said}`));
    const timer = setTimeout(() => fail(`did not start in ${START_LIMIT} ms`), START_LIMIT);
    const read = (data) => {
      said += data;
      const port = /agent listening on (\d+)/.exec(said)?.[1];
      if (!port) return;
      clearTimeout(timer);
      resolve(Number(port));
    };
    server.stdout.on('data', read);
    server.stderr.on('data', read);
    server.on('error', reject);
    server.on('exit', (code) => fail(`ended with status ${code}`));
  });
}
