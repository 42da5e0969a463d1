// A window with several repositories: each has a server, and the window shows the one of the active editor.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import path from 'node:path';
import { PAGE, served, withDesk } from './desk.mjs';
import { muninn, workspace } from './repository.mjs';

const FACTS = { one: 'Pages of one are cached by commit', two: 'Pages of two are never cached' };

/** Does all of it in a window of two repositories that have memory. */
export function several() {
  return inWindow(served({ 'chat.disableAIFeatures': false }), follows);
}

/** Opens a window with `options` on two repositories that have memory, and calls `body` with it and their folder. */
export async function inWindow(options, body) {
  const { file, folder, remove } = workspace();
  try {
    for (const [name, fact] of Object.entries(FACTS)) {
      const ask = (...words) => execFileSync(muninn, [...words, '--repo', path.join(folder, name)], { stdio: 'pipe' });
      ask('init');
      ask('remember', fact, '--type', 'decision', '--file', 'src/cache.py', '--session', 'shell');
    }
    await withDesk({ workspace: file }, options, (desk) => body(desk, folder));
  } finally {
    remove();
  }
}

/** Opens the file of one repository and waits until the status bar counts its memory. */
export async function openFile(desk, folder, name) {
  await desk.file('cache.py', path.join(folder, name, 'src/cache.py'), desk.rows.filter({ hasText: `${name} • src` }));
  await desk.status.filter({ hasText: `Muninn (${name}): 1 here, 1 in all` }).waitFor();
}

/** The locations of code and documents that the command line finds, in its order. */
function ranked(root, query) {
  const { hits } = JSON.parse(execFileSync(muninn, ['recall', query, '--json', '--repo', root]));
  return hits.filter(({ kind }) => kind !== 'memory').map(({ path: file, start_line }) => `${file}:${start_line}`);
}

async function follows(desk, folder) {
  const file = (name) => openFile(desk, folder, name);
  await desk.step('status bar, views and lists follow the repository of the editor, and name it', async () => {
    await desk.status.filter({ hasText: 'Muninn (one): 1 memory' }).waitFor();
    await desk.view();
    for (const name of ['two', 'one']) {
      await file(name);
      await desk.pane('Memory').locator('.description', { hasText: name }).waitFor();
      await desk.pane('This File').locator('.description', { hasText: `${name} · cache.py` }).waitFor();
      await desk.pane('This File').locator('.monaco-list-row', { hasText: FACTS[name] }).waitFor();
      await desk.lens('1 decision').waitFor();
    }
    await desk.recall('pages cached', desk.rows.filter({ hasText: FACTS.one }).first(), 'Muninn (one): Recall');
    const rows = await desk.rows.allInnerTexts();
    assert.ok(!rows.some((row) => row.includes(FACTS.two)), rows.join());
    const others = rows.findIndex((row) => row.includes('Other hits')); // memories that answer come before them
    const given = rows.slice(Math.max(0, others)).map((row) => /[\w./]+:\d+/.exec(row)?.[0]);
    assert.deepEqual(given, ranked(path.join(folder, 'one'), 'pages cached')); // VS Code would rank by its own lights
    await desk.shot('several-recall');
    await desk.input.press('Escape');
    await desk.input.waitFor({ state: 'hidden' });
  });
  await desk.step('pages of each repository can be opened', async () => {
    for (const name of ['one', 'two']) {
      await file(name);
      const line = desk.page.locator('.view-line', { hasText: 'A cache of rendered pages' }).first();
      await desk.clickInHover(line, FACTS[name], { x: 60, y: 8 }, PAGE);
      await desk.read(FACTS[name]).first().waitFor();
      await desk.status.filter({ hasText: `Muninn (${name}): 1 memory` }).waitFor();
    }
    await desk.shot('several-documents');
  });
  await desk.step('agent mode finds the MCP tools of each repository', async () => {
    const rows = ['one', 'two'].map((name) => desk.rows.filter({ hasText: `Muninn (${name})` }).first());
    await desk.run('MCP: List Servers', () => Promise.all(rows.map((row) => row.waitFor())));
    await desk.shot('several-mcp');
    await desk.page.keyboard.press('Escape');
  });
}
