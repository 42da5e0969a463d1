// Installs the packaged .vsix and uses it as a person would, through the window. Screenshots go to test-results/.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
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

  async file(name) {
    await this.page.keyboard.press('Control+p');
    await this.input.fill(name);
    await this.rows.filter({ hasText: name }).first().click();
    await this.tab(name).waitFor();
  }

  async ask(text) {
    await this.page.locator('.quick-input-title', { hasText: 'Muninn: Recall' }).waitFor();
    await this.input.fill(text);
  }

  pane(name) {
    return this.page.locator('.pane').filter({ has: this.page.locator('.pane-header h3', { hasText: name }) });
  }

  lens(text) {
    return this.page.locator('.codelens-decoration', { hasText: text }).first();
  }

  /** Rests the mouse on an item until its hover is there: an item that is written anew meanwhile wants it once more. */
  async hovered(item, text) {
    const hover = this.page.locator('.monaco-hover', { hasText: text });
    for (let tries = 0; ; tries += 1) {
      await this.page.mouse.move(640, 200); // off the item, or there is nothing to enter
      await item.hover();
      try {
        return await hover.waitFor({ timeout: 5_000 });
      } catch (error) {
        if (tries === 5) throw error;
      }
    }
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
    await page.goto(root ? `${url}?${new URLSearchParams({ folder: root })}` : `${url}?ew=true`);
    await use(new Desk(page), root);
  } finally {
    await close();
  }
}

/** Another client remembers two things that can't both hold, and reconciles. */
function contradict(root) {
  const muninnIn = (...words) => execFileSync(muninn, [...words, '--repo', root], { stdio: 'pipe' });
  muninnIn('remember', 'We use Redis for the page cache.', '--type', 'decision', '--session', 'one');
  muninnIn('remember', 'We do not use Redis for the page cache.', '--type', 'decision', '--session', 'two');
  muninnIn('seal');
  muninnIn('reconcile');
}

async function daily(desk, root) {
  await desk.step('a repository without memory says so, and a click initialises it', async () => {
    await desk.status.filter({ hasText: 'not initialised' }).waitFor();
    await desk.shot('uninitialised');
    await desk.status.click();
    await desk.message('written to .muninn').first().waitFor();
    await desk.status.filter({ hasText: '0 memories' }).waitFor();
  });
  await desk.step('a fact is remembered with its type, for the file at hand, and counted', async () => {
    await desk.file('cache.py');
    await desk.run('Muninn: Remember');
    await desk.answer('Muninn: Remember', FACT);
    await desk.page.locator('.quick-input-title', { hasText: 'What is it?' }).waitFor();
    await desk.shot('type');
    await desk.rows.filter({ hasText: 'decision' }).first().click();
    await desk.status.filter({ hasText: '1 here, 1 in all' }).waitFor();
    // Before anything else takes the keys: VS Code drops a wish for lenses when the text loses the focus within a quarter
    // of a second, and has it again with the focus alone.
    await desk.lens('decision').waitFor();
  });
  await desk.step('recall lists hits of all kinds, and code opens at its line', async () => {
    await desk.run('Muninn: Recall');
    await desk.ask('render_page of the cache');
    const code = desk.rows.filter({ hasText: /src\/cache\.py:\d/ });
    await code.first().waitFor();
    await desk.rows.filter({ hasText: 'Pages are cached by commit' }).first().waitFor();
    assert.match(await desk.rows.filter({ hasText: 'Makefile' }).first().innerText(), /# \$\(gear\) is the text/);
    await desk.shot('recall');
    await code.first().click();
    await desk.input.waitFor({ state: 'hidden' }); // what is shown behind the list has the same tab
    await desk.tab('cache.py').waitFor();
    await desk.shot('code');
  });
  await desk.step('a memory opens as a page with its reasons', async () => {
    await desk.run('Muninn: Recall');
    await desk.ask('why are pages cached by commit');
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
  await desk.step('the views show the memory, what the file at hand has, and the open session', async () => {
    await desk.file('cache.py');
    await desk.page.locator('.activitybar [aria-label^="Muninn"]').first().click();
    await desk.pane('Memory').locator('.monaco-list-row', { hasText: 'decision' }).click();
    await desk.pane('Memory').locator('.monaco-list-row', { hasText: 'Pages are cached' }).waitFor();
    await desk.pane('This File').locator('.monaco-list-row', { hasText: 'Pages are cached' }).waitFor();
    await desk.pane('Sessions').locator('.pane-header').click();
    await desk.pane('Sessions').locator('.monaco-list-row', { hasText: 'not sealed' }).waitFor();
    await desk.status.filter({ hasText: '1 here, 1 in all' }).waitFor();
    await desk.lens('decision').waitFor();
    await desk.shot('views');
  });
  await desk.step('what a shell remembers and forgets shows above the code without a key being typed', async () => {
    const about = ['--file', 'src/cache.py', '--type', 'attempt', '--session', 'shell', '--json', '--repo', root];
    const said = execFileSync(muninn, ['remember', 'A cache by name alone served pages of other branches.', ...about]);
    await desk.lens('1 decision, 1 attempt').waitFor();
    await desk.status.filter({ hasText: '2 here, 2 in all' }).waitFor();
    execFileSync(muninn, ['forget', JSON.parse(said).memory.id, '--session', 'shell', '--repo', root]);
    await desk.lens('1 decision, 1 attempt').waitFor({ state: 'detached' });
    await desk.lens('1 decision').waitFor();
  });
  await desk.step('a contradiction waits in its view, is seen side by side, and is decided', async () => {
    contradict(root);
    const row = desk.pane('Conflicts').locator('.monaco-list-row', { hasText: 'Redis' });
    await row.first().waitFor();
    await row.first().click();
    await desk.page.locator('.diff-editor, .monaco-diff-editor').first().waitFor();
    await desk.shot('conflict');
    await row.first().hover();
    await row.first().locator('[aria-label^="Resolve"]').click();
    await desk.rows.filter({ hasText: 'Keep left' }).click();
    await desk.pane('Conflicts').getByText('No contradictions wait for you.').waitFor();
  });
  await desk.step('a lens shows its memories in a peek, where the code is', async () => {
    await desk.file('cache.py');
    await desk.page.locator('.codelens-decoration a', { hasText: 'decision' }).first().click();
    const peek = desk.page.locator('.peekview-widget');
    await peek.locator('.view-lines', { hasText: 'Pages are cached by commit' }).waitFor();
    await desk.shot('lens');
    await desk.page.keyboard.press('Escape');
    await peek.waitFor({ state: 'detached' });
  });
  await desk.step('a hover names the memory, and its link opens the record', async () => {
    await desk.file('cache.py');
    await desk.page.locator('.view-line', { hasText: 'A cache of rendered pages' }).first().hover({ position: { x: 60, y: 8 } });
    const link = desk.page.locator('.monaco-hover a[data-href^="command:muninn.ui.document"]').first();
    await link.waitFor();
    await desk.shot('hover');
    await link.click();
    await desk.page.locator('.tab.active', { hasText: '.md' }).waitFor();
    await desk.lines('branches share the rendering machine').waitFor();
  });
  await desk.step('an action asks for the words of a decision about the selected lines', async () => {
    await desk.file('cache.py');
    await desk.page.locator('.view-line', { hasText: 'def render_page' }).first().click();
    await desk.page.keyboard.press('Home');
    await desk.page.keyboard.press('Shift+ArrowDown');
    await desk.page.locator('[class*="codicon-light-bulb"], [class*="gutter-lightbulb"]').first().click();
    await desk.page.locator('.action-widget', { hasText: 'Record a decision about this' }).waitFor();
    await desk.shot('actions');
    await desk.page.locator('.action-widget .monaco-list-row', { hasText: 'Record a decision about this' }).click();
    await desk.page.locator('.quick-input-title', { hasText: 'Record a decision' }).waitFor();
    await desk.page.locator('.quick-input-message', { hasText: 'src/cache.py:4' }).waitFor();
    await desk.shot('decision');
    await desk.input.fill('Pages are rendered by name, never by number.');
    await desk.page.keyboard.press('Enter');
    await desk.pane('This File').locator('.monaco-list-row', { hasText: 'Pages are rendered by name' }).waitFor();
  });
  await desk.step('status shows the lines in the output channel', async () => {
    await desk.status.click();
    await desk.page.locator('.output-view .view-lines, .panel .view-lines', { hasText: 'Memory: ' }).waitFor();
    await desk.hovered(desk.status, 'Index:');
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

async function empty(desk) {
  await desk.step('a window without a folder says what it needs, and offers to open one', async () => {
    await desk.page.locator('.activitybar [aria-label^="Muninn"]').first().waitFor();
    await desk.page.locator('.monaco-workbench').click({ position: { x: 640, y: 400 } }); // for the keys to go there
    await desk.run('Muninn: Status');
    const message = desk.message('no folder is open');
    await message.first().locator('.monaco-button', { hasText: 'Open Folder' }).waitFor();
    await desk.shot('empty');
  });
}

mkdirSync(shots, { recursive: true });
const { root, remove } = repository();
try {
  await withDesk(root, { 'muninn.server.command': [muninn, 'lsp'] }, daily);
  await withDesk(root, { 'muninn.server.command': ['no-such-program-here', 'lsp'] }, broken);
  await withDesk('', {}, empty);
} finally {
  remove();
}
console.log(`e2e: ${counts.passed} passed, ${counts.failed} failed`);
if (counts.failed) process.exitCode = 1;
