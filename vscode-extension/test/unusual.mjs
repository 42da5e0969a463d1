// Windows under unusual conditions: no server, no trust, no disk, no git, no write permission, no folder.
import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { served, withDesk } from './desk.mjs';
import { muninn } from './repository.mjs';

/** Opens one window after the other; `root` is a repository with memory. */
export async function unusual(root) {
  const scratch = realpathSync(mkdtempSync(path.join(tmpdir(), 'muninn-unusual-')));
  try {
    await withDesk({ folder: root }, { settings: { 'muninn.server.command': ['no-such-program-here', 'lsp'] }, env: { PATH: '/usr/bin:/bin' } }, broken);
    await withDesk({ folder: root }, uninstalled(scratch), (desk) => installing(desk, path.join(scratch, 'bin', 'muninn')));
    await withDesk({ folder: root }, { ...served(), trust: true }, (desk) => untrusted(desk, root));
    await withDesk({ workspace: virtual(scratch) }, served(), diskless);
    await owned(root, () => withDesk({ folder: root }, served(), readOnly));
    await plain(scratch, (folder) => withDesk({ workspace: several(scratch, folder) }, served(INLAY_AND_DARK), gitless));
    await withDesk({}, { settings: {} }, empty);
  } finally {
    rmSync(scratch, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
  }
}

async function broken(desk) {
  await desk.step('a missing program is named, and a button opens its setting', async () => {
    const message = desk.message("the program 'no-such-program-here' was not found");
    await message.first().waitFor();
    await desk.status.filter({ hasText: 'problem' }).waitFor();
    await desk.shot('missing');
    await message.first().locator('.monaco-button', { hasText: 'Open Settings' }).click();
    await desk.page.locator('.settings-editor', { hasText: 'Server: Command' }).waitFor();
  });
}

/** A machine without Muninn, with a uv that installs it. */
function uninstalled(scratch) {
  const bin = path.join(scratch, 'bin');
  mkdirSync(bin);
  const uv = path.join(bin, 'uv');
  writeFileSync(uv, `#!/bin/sh\n[ "$*" = "tool install muninn-memory" ] && ln -s '${muninn}' '${path.join(bin, 'muninn')}'\n`);
  chmodSync(uv, 0o755);
  return { settings: {}, env: { PATH: `${bin}:/usr/bin:/bin`, HOME: scratch } };
}

async function installing(desk, program) {
  await desk.step('one click installs and starts a missing server, and the open file gets its lens', async () => {
    const missing = desk.message("the program 'muninn' was not found").first();
    await missing.locator('.monaco-button', { hasText: 'Install' }).waitFor();
    await desk.file('cache.py');
    await desk.shot('install');
    await missing.locator('.monaco-button', { hasText: 'Install' }).click();
    await desk.eventually(() => existsSync(program));
    await desk.lens('decision').waitFor();
    if (await desk.page.locator('.terminal-wrapper').count()) throw new Error('a terminal was opened');
  });
}

/** A program inside the repository, which its settings name. It writes a file when it runs. */
function trap(root) {
  const [mark, program, settings] = [path.join(root, 'mark'), path.join(root, '.venv', 'bin', 'muninn'), path.join(root, '.vscode', 'settings.json')];
  for (const file of [program, settings]) mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(program, `#!/bin/sh\ntouch '${mark}'\nexec '${muninn}' "$@"\n`);
  chmodSync(program, 0o755);
  writeFileSync(settings, JSON.stringify({ 'muninn.server.command': [program, 'lsp'] }));
  return { ran: () => existsSync(mark), remove: () => ['mark', '.venv', '.vscode'].forEach((each) => rmSync(path.join(root, each), { recursive: true, force: true })) };
}

async function untrusted(desk, root) {
  const { ran, remove } = trap(root);
  await desk.step('Restricted Mode uses the program of the machine and offers no action that writes', async () => {
    await desk.page.locator('.statusbar-item', { hasText: 'Restricted Mode' }).waitFor();
    await desk.status.filter({ hasText: 'read-only' }).waitFor();
    await desk.file('cache.py');
    await desk.again(() => desk.clickLens('decision'), desk.page.locator('.review-widget').first());
    const card = desk.page.locator('.review-widget').first();
    await card.locator('a', { hasText: 'History' }).first().waitFor();
    if (await card.locator('a', { hasText: 'Forget' }).count()) throw new Error('the card offers to forget');
    await desk.shot('untrusted');
    await card.locator('[aria-label^="Close"]').first().click();
    await desk.again(async () => {
      await desk.page.keyboard.press('F1');
      await desk.input.fill('>Muninn: ');
    }, desk.rows.filter({ hasText: 'Muninn: Recall' }));
    if (await desk.rows.filter({ hasText: 'Muninn: Remember' }).count()) throw new Error('Remember is offered');
    await desk.page.keyboard.press('Escape');
    if (ran()) throw new Error('a program of the repository ran');
  });
  await desk.step('after the folder is trusted, its own program runs and memory can be changed', async () => {
    const trust = desk.page.locator('.workspace-trust-editor .monaco-button', { hasText: 'Trust' }).first();
    await desk.menu('Manage Workspace Trust', trust);
    await desk.again(() => trust.click(), () => desk.eventually(ran));
    await desk.status.filter({ hasText: /memor/ }).filter({ hasNotText: 'read-only' }).waitFor();
    await desk.run('Muninn: Remember', desk.title('Muninn: Remember'));
    await desk.page.keyboard.press('Escape');
  });
  remove();
}

/** A workspace whose only folder is on no disk. */
function virtual(scratch) {
  const file = path.join(scratch, 'virtual.code-workspace');
  writeFileSync(file, JSON.stringify({ folders: [{ uri: 'memfs:/project', name: 'project' }] }));
  return file;
}

async function diskless(desk) {
  await desk.step('a virtual workspace starts no server, and the list of extensions gives the reason', async () => {
    await desk.page.locator('.activitybar [aria-label^="Extensions"]').first().click();
    await desk.hovered(desk.page.locator('.extension-list-item', { hasText: 'Muninn' }).first(), 'needs files on disk');
    await desk.shot('virtual');
    if (await desk.status.count()) throw new Error('the extension runs where there is no disk');
  });
}

/** Does `use` while a lock says that another machine has the memory open. */
async function owned(root, use) {
  const runtime = mkdtempSync('/tmp/mn-');
  const env = { ...process.env, MUNINN_RUNTIME_DIR: runtime };
  execFileSync(muninn, ['daemon', 'stop', '--repo', root], { stdio: 'pipe' });
  execFileSync(muninn, ['status', '--repo', root], { stdio: 'pipe', env });
  try {
    await use();
  } finally {
    execFileSync(muninn, ['daemon', 'stop', '--repo', root], { stdio: 'pipe', env });
    rmSync(runtime, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
  }
}

async function readOnly(desk) {
  await desk.step('read-only memory is shown, and commands that write give the reason for their refusal', async () => {
    await desk.status.filter({ hasText: /memor/ }).waitFor();
    await desk.file('cache.py');
    await desk.lens('decision').waitFor();
    await desk.hovered(desk.status, '(read-only)');
    await desk.ask('Muninn: Remember', 'Muninn: Remember', 'This can not be kept.');
    await desk.title('What is it?').waitFor();
    await desk.rows.filter({ hasText: 'insight' }).first().click();
    await desk.message('has this repository open for writing').first().waitFor();
    await desk.shot('read-only');
  });
}

const INLAY_AND_DARK = { 'muninn.lens': 'inlay', 'workbench.colorTheme': 'Dark Modern' };

/** Does `use` in a folder without git that has memory. */
async function plain(scratch, use) {
  const folder = path.join(scratch, 'plain');
  mkdirSync(folder);
  writeFileSync(path.join(folder, 'notes.py'), 'def count(things):\n    return len(things)\n');
  const ask = (...words) => execFileSync(muninn, [...words, '--repo', folder], { stdio: 'pipe' });
  ask('init');
  ask('remember', 'Counting is never cached.', '--type', 'constraint', '--cite', 'notes.py:1-2');
  try {
    await use(folder);
  } finally {
    ask('daemon', 'stop');
  }
}

/** A workspace of a folder without memory and, after it, the given one. */
function several(scratch, folder) {
  const [other, file] = [path.join(scratch, 'other'), path.join(scratch, 'several.code-workspace')];
  mkdirSync(other);
  writeFileSync(file, JSON.stringify({ folders: [{ path: other }, { path: folder }] }));
  return file;
}

async function gitless(desk) {
  await desk.step('only the folders that have memory get a server', async () => {
    await desk.status.filter({ hasText: '1 memory' }).waitFor();
  });
  await desk.step('a folder without git shows its memory, at line ends with that setting', async () => {
    await desk.status.filter({ hasText: /memor/ }).waitFor();
    await desk.file('notes.py');
    await desk.page.locator('.view-line', { hasText: /def.count.*:1.constraint$/ }).waitFor();
    if (await desk.page.locator('.codelens-decoration a').count()) throw new Error('there are lenses beside the hints');
    await desk.view();
    await desk.pane('This File').locator('.monaco-list-row', { hasText: 'Counting' }).waitFor();
    await desk.shot('dark');
  });
}

async function empty(desk) {
  await desk.step('a window without a folder offers to open one', async () => {
    await desk.page.locator('.activitybar [aria-label^="Muninn"]').first().waitFor();
    await desk.page.locator('.monaco-workbench').click({ position: { x: 640, y: 400 } }); // for the keys to go there
    const message = desk.message('no folder is open');
    await desk.run('Muninn: Status', message.first().locator('.monaco-button', { hasText: 'Open Folder' }));
    await desk.shot('empty');
  });
}
