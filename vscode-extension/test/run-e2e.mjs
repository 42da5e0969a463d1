// Installs the packaged .vsix and uses it as a person would, through the window. Screenshots go to test-results/.
import assert from 'node:assert/strict';
import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { version } from '../scripts/version.mjs';
import { muninn, repository } from './repository.mjs';
import { extensionDir, openVSCode } from './vscode.mjs';

const FACT = 'Pages are cached by commit, because branches share the rendering machine.';
const LIMIT = 60_000;

const shots = path.join(extensionDir, 'test-results');
const vsix = path.join(extensionDir, `muninn-${version()}.vsix`);
const counts = { passed: 0, failed: 0 };

/** One window on a repository, with what a person does there. */
class Desk {
  constructor(page) {
    this.page = page;
    this.status = page.locator('.statusbar-item[id="muninn.muninn.muninn.status"]');
    this.rows = page.locator('.quick-input-list .monaco-list-row');
    this.input = page.locator('.quick-input-widget input[type="text"]');
  }

  async step(name, body) {
    try {
      await body();
      counts.passed += 1;
      console.log(`ok   ${name}`);
    } catch (error) {
      counts.failed += 1;
      console.log(`FAIL ${name}\n${error.stack}`);
      await this.shot(`failed-${counts.failed}`);
    }
  }

  shot(name) {
    return this.page.screenshot({ path: path.join(shots, `${name}.png`) });
  }

  async run(title) {
    await this.page.keyboard.press('F1');
    await this.input.fill(`>${title}`);
    await this.rows.filter({ hasText: title }).first().click();
  }

  async answer(title, text) {
    await this.page.locator('.quick-input-title', { hasText: title }).waitFor();
    await this.input.fill(text);
    await this.page.keyboard.press('Enter');
  }

  tab(name) {
    return this.page.locator('.tab.active', { hasText: name });
  }

  lines(text) {
    return this.page.locator('.view-lines', { hasText: text });
  }

  message(text) {
    return this.page.locator('.notification-list-item', { hasText: text });
  }
}

async function withDesk(root, settings, use) {
  const { url, page, close } = await openVSCode({ settings, vsix });
  try {
    page.setDefaultTimeout(LIMIT);
    await page.goto(`${url}?${new URLSearchParams({ folder: root })}`);
    await use(new Desk(page));
  } finally {
    await close();
  }
}

async function daily(desk) {
  await desk.step('a repository without memory says so, and a click initialises it', async () => {
    await desk.status.filter({ hasText: 'not initialised' }).waitFor();
    await desk.shot('uninitialised');
    await desk.status.click();
    await desk.message('written to .muninn').first().waitFor();
    await desk.status.filter({ hasText: '0 memories' }).waitFor();
  });
  await desk.step('a fact is remembered with its type and counted', async () => {
    await desk.run('Muninn: Remember');
    await desk.answer('Muninn: Remember', FACT);
    await desk.page.locator('.quick-input-title', { hasText: 'What is it?' }).waitFor();
    await desk.shot('type');
    await desk.rows.filter({ hasText: 'decision' }).first().click();
    await desk.status.filter({ hasText: '1 memory' }).waitFor();
  });
  await desk.step('recall lists hits of all kinds, and code opens at its line', async () => {
    await desk.run('Muninn: Recall');
    await desk.answer('Muninn: Recall', 'render_page of the cache');
    const code = desk.rows.filter({ hasText: 'src/cache.py' });
    await code.first().waitFor();
    await desk.rows.filter({ hasText: 'Pages are cached by commit' }).first().waitFor();
    assert.match(await desk.rows.filter({ hasText: 'Makefile' }).first().innerText(), /# \$\(gear\) is the text/);
    await desk.shot('recall');
    await code.last().click();
    await desk.tab('cache.py').waitFor();
    await desk.shot('code');
  });
  await desk.step('a memory opens as a page with its reasons', async () => {
    await desk.run('Muninn: Recall');
    await desk.answer('Muninn: Recall', 'why are pages cached by commit');
    await desk.rows.filter({ hasText: 'Pages are cached by commit' }).first().click();
    await desk.tab('Pages are cached').waitFor();
    await desk.lines('Why it was found').waitFor();
    await desk.shot('memory');
  });
  await desk.step('context opens a pack that contains the memory', async () => {
    await desk.run('Muninn: Context');
    await desk.answer('Muninn: Context', 'cache pages by commit');
    await desk.tab('cache pages by commit').waitFor();
    await desk.lines('branches share the rendering machine').waitFor();
    await desk.shot('context');
  });
  await desk.step('status shows the lines in the output channel', async () => {
    await desk.status.click();
    await desk.page.locator('.output-view .view-lines, .panel .view-lines', { hasText: 'Memory: 1 memory' }).waitFor();
    await desk.page.mouse.move(640, 200); // off the item, or there is nothing to enter
    await desk.status.hover();
    await desk.page.locator('.monaco-hover', { hasText: 'Index:' }).waitFor();
    await desk.shot('status');
  });
}

async function broken(desk) {
  await desk.step('a missing program is named, and its button leads to the setting', async () => {
    const message = desk.message("the program 'no-such-program-here' was not found");
    await message.first().waitFor();
    await desk.status.filter({ hasText: 'problem' }).waitFor();
    await desk.shot('missing');
    await message.first().locator('.monaco-button', { hasText: 'Open Settings' }).click();
    await desk.page.locator('.settings-editor', { hasText: 'Server: Command' }).waitFor();
  });
}

mkdirSync(shots, { recursive: true });
const { root, remove } = repository();
try {
  await withDesk(root, { 'muninn.server.command': [muninn, 'lsp'] }, daily);
  await withDesk(root, { 'muninn.server.command': ['no-such-program-here', 'lsp'] }, broken);
} finally {
  remove();
}
console.log(`e2e: ${counts.passed} passed, ${counts.failed} failed`);
if (counts.failed) process.exitCode = 1;
