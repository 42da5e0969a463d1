// Daily use of the extension in a window: initialise, remember, recall, resolve, seal.
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { PAGE } from './desk.mjs';
import { muninn } from './repository.mjs';

const FACT = 'Pages are cached by commit, because branches share the rendering machine.';

/** Stores two contradicting memories from another client and reconciles. */
function contradict(root, one = 'We use Redis for the page cache.', other = 'We do not use Redis for the page cache.') {
  const muninnIn = (...words) => execFileSync(muninn, [...words, '--repo', root], { stdio: 'pipe' });
  muninnIn('remember', one, '--type', 'decision', '--session', 'one');
  muninnIn('remember', other, '--type', 'decision', '--session', 'two');
  muninnIn('seal');
  muninnIn('reconcile');
}

/** Runs Remember before the repository is initialised. */
export async function first(desk) {
  const remember = async (button) => {
    await desk.ask('Muninn: Remember', 'Muninn: Remember', FACT);
    await desk.title('What is it?').waitFor();
    await desk.rows.filter({ hasText: 'decision' }).first().click();
    const dialog = desk.page.locator('.monaco-dialog-box', { hasText: 'no memory yet' });
    await dialog.waitFor();
    await desk.shot(`before-memory-${button.toLowerCase().replaceAll(' ', '-')}`);
    await dialog.locator('.monaco-button', { hasText: button }).click();
  };
  await desk.step('the walkthrough opens with its first step', async () => {
    await desk.choose('Open Walkthrough', ['Muninn'], desk.page.getByText('Give the repository a memory').first());
    await desk.shot('walkthrough');
  });
  await desk.step('text typed before initialisation goes to a document when initialising is declined', async () => {
    // The button shows that the extension is active and its commands are registered.
    await desk.run('Muninn: Focus on Memory View', desk.pane('Memory').locator('.monaco-button', { hasText: 'Initialise' }));
    await remember('Cancel');
    await desk.lines(FACT.slice(0, 20)).first().waitFor();
    await desk.status.filter({ hasText: 'not initialised' }).waitFor();
  });
  await desk.step('text typed before initialisation is stored after initialising', async () => {
    await remember('Initialise and Remember');
    await desk.status.filter({ hasText: '1 memory' }).waitFor();
  });
  await desk.step('the walkthrough marks its first two steps as done', async () => {
    await desk.page.locator('.tab', { hasText: 'Welcome' }).click();
    await desk.page.locator('[class*="getting-started-step-checked"]').nth(1).waitFor({ state: 'attached' });
    await desk.shot('walkthrough-done');
  });
}

/** A window on a repository that had memory before. */
export async function later(desk) {
  await desk.step('the walkthrough marks steps that were done before it opened', async () => {
    await desk.status.filter({ hasText: 'memor' }).waitFor();
    await desk.choose('Open Walkthrough', ['Muninn'], desk.page.getByText('Give the repository a memory').first());
    await desk.page.locator('[class*="getting-started-step-checked"]').nth(1).waitFor({ state: 'attached' });
    await desk.shot('walkthrough-later');
    await desk.run('View: Close All Editors');
  });
}

export async function daily(desk, root) {
  await desk.step('the view of a repository without memory offers to initialise it', async () => {
    await desk.view();
    const button = desk.pane('Memory').locator('.monaco-button', { hasText: 'Initialise' });
    await button.waitFor();
    await desk.shot('uninitialised');
    const { stdout } = spawnSync(muninn, ['daemon', 'status', '--json', '--repo', root], { encoding: 'utf8' });
    assert.equal(JSON.parse(stdout).running, false);
    await button.click();
    await desk.message('written to .muninn').first().waitFor();
    await desk.status.filter({ hasText: '0 memories' }).waitFor();
  });
  await desk.step('Remember stores a memory with a type and the active file, and the status bar counts it', async () => {
    await desk.file('cache.py');
    await desk.ask('Muninn: Remember', 'Muninn: Remember', FACT);
    await desk.title('What is it?').waitFor();
    await desk.shot('type');
    await desk.rows.filter({ hasText: 'decision' }).first().click();
    await desk.status.filter({ hasText: '1 here, 1 in all' }).waitFor();
    // Wait before the focus moves: VS Code drops a request for lenses when the editor loses the focus within a quarter of
    // a second, and repeats it only when the editor gets the focus again.
    await desk.seeLens('decision');
  });
  await desk.step('Recall lists hits of all kinds and opens code at its line', async () => {
    const code = desk.rows.filter({ hasText: /src\/cache\.py:\d/ });
    await desk.again(async () => {
      await desk.recall('render_page of the cache', code.first());
      await desk.rows.filter({ hasText: 'Pages are cached by commit' }).first().waitFor();
      assert.match(await desk.rows.filter({ hasText: 'Makefile' }).first().innerText(), /# \$\(gear\) is the text/);
      await desk.shot('recall');
      await code.first().click();
      await desk.input.waitFor({ state: 'hidden' }); // what is shown behind the list has the same tab
    }, desk.tab('cache.py'));
    await desk.shot('code');
  });
  await desk.step('a memory opens as a page with the reasons of its rank', async () => {
    const first = desk.page.locator('.quick-input-list .monaco-list-row.focused', { hasText: 'Pages are cached by commit' });
    await desk.again(async () => {
      await desk.recall('why are pages cached by commit', first);
      await desk.read('Why it was found').waitFor(); // before it is chosen
      const list = await desk.page.locator('.quick-input-widget').boundingBox();
      const text = await desk.read('branches share the rendering machine').first().boundingBox();
      assert.ok(text.y > list.y + list.height, 'the list covers the preview');
      await desk.shot('preview');
      await desk.input.press('Enter');
      await desk.input.waitFor({ state: 'hidden' });
    }, desk.tab('Pages are cached'));
    await desk.read('branches share the rendering machine').first().waitFor();
    await desk.shot('memory');
  });
  await desk.step('Context opens a pack that contains the memory', async () => {
    await desk.ask('Muninn: Context', 'Muninn: Context', 'cache pages by commit');
    await desk.tab('cache pages by commit').waitFor();
    await desk.lines('branches share the rendering machine').waitFor();
    await desk.shot('context');
  });
  await desk.step('a pack is copied to the clipboard and inserted into the document that was active before', async () => {
    await desk.run('Muninn: Copy Pack', desk.page.locator('.statusbar-item', { hasText: 'in the clipboard' }));
    await desk.page.locator('.editor-actions [aria-label^="Insert Pack"]').first().click();
    await desk.tab('cache.py').waitFor();
    const inserted = desk.linesOf('cache.py', '# Context: cache pages by commit');
    await inserted.waitFor();
    await desk.again(() => desk.page.keyboard.press('Control+z'), desk.gone(inserted));
  });
  await desk.step('the views show all memories, those of the active file, and the open session', async () => {
    await desk.file('cache.py');
    await desk.view();
    const decisions = desk.pane('Memory').locator('.monaco-list-row', { hasText: 'decision' });
    await desk.again(() => decisions.click(), desk.pane('Memory').locator('.monaco-list-row', { hasText: 'Pages are cached' }));
    await desk.pane('This File').locator('.monaco-list-row', { hasText: 'Pages are cached' }).waitFor();
    await desk.pane('Sessions').locator('.pane-header').click();
    await desk.pane('Sessions').locator('.monaco-list-row', { hasText: 'not sealed' }).waitFor();
    await desk.status.filter({ hasText: '1 here, 1 in all' }).waitFor();
    await desk.again(async () => {
      await desk.file('cache.py'); // VS Code may have dropped the request for lenses, as the views got the focus
      await desk.scrollUp();
    }, desk.lens('decision'));
    await desk.shot('views');
  });
  await desk.step('the keyboard reaches the actions of a row', async () => {
    await desk.again(async () => {
      await desk.page.keyboard.press('Escape'); // the menu of another element
      await desk.focus('This File');
      await desk.page.keyboard.press('ArrowDown');
      await desk.page.keyboard.press('Shift+F10');
      await desk.page.locator('.monaco-menu .action-item', { hasText: 'Forget…' }).waitFor();
      await desk.shot('menu');
      await desk.page.keyboard.press('Home');
      await desk.page.keyboard.press('Enter'); // Supersede…
    }, desk.title('Muninn: Supersede'));
    assert.equal(await desk.input.inputValue(), FACT);
    await desk.answer('Muninn: Supersede', `${FACT} Nobody else does.`);
    const about = () => execFileSync(muninn, ['memories', '--file', 'src/cache.py', '--json', '--repo', root], { encoding: 'utf8' });
    await desk.eventually(() => JSON.parse(about()).memories.some(({ text }) => text.endsWith('Nobody else does.')));
    await desk.status.filter({ hasText: '1 here, 1 in all' }).waitFor();
  });
  await desk.step('a memory that was forgotten by mistake is restored from the message', async () => {
    await desk.file('cache.py');
    const forget = desk.cards('Nobody else does').locator('a', { hasText: 'Forget' });
    await desk.again(() => desk.clickLens('1 decision'), forget);
    await desk.again(() => forget.click(), desk.title('Muninn: Forget'));
    await desk.answer('Muninn: Forget', 'A mistake.');
    await desk.status.filter({ hasText: '0 in all' }).waitFor();
    await desk.button('forgotten: ', 'Restore', desk.status.filter({ hasText: '1 here, 1 in all' }));
    await desk.seeLens('1 decision');
  });
  await desk.step('lenses update when the shell remembers or forgets a memory', async () => {
    const about = ['--file', 'src/cache.py', '--type', 'attempt', '--session', 'shell', '--json', '--repo', root];
    const said = execFileSync(muninn, ['remember', 'A cache by name alone served pages of other branches.', ...about]);
    await desk.seeLens('1 decision, 1 attempt');
    await desk.status.filter({ hasText: '2 here, 2 in all' }).waitFor();
    execFileSync(muninn, ['forget', JSON.parse(said).memory.id, '--session', 'shell', '--repo', root]);
    await desk.lens('1 decision, 1 attempt').waitFor({ state: 'detached' });
    await desk.seeLens('1 decision');
  });
  await desk.step('the current line is annotated, the explorer shows counts, and the status bar item opens a menu', async () => {
    const about = ['--file', 'src/cache.py:4-6', '--type', 'decision', '--session', 'shell', '--json', '--repo', root];
    const made = execFileSync(muninn, ['remember', 'Pages have a name and a commit.', ...about]);
    await desk.status.filter({ hasText: '2 here, 2 in all' }).waitFor();
    await desk.file('cache.py');
    const said = 'decision: Pages have a name and a commit · Test, ';
    await desk.again(async () => {
      await desk.page.keyboard.press('Control+g');
      await desk.input.fill(':5');
      await desk.input.press('Enter');
    }, () => desk.decorated('.view-lines span', said));
    await desk.run('View: Show Explorer');
    await desk.decorated('.explorer-folders-view .monaco-icon-label, .explorer-folders-view .monaco-icon-label *', '2');
    await desk.shot('line');
    await desk.again(() => desk.status.click(), desk.rows.filter({ hasText: 'Recall…' }));
    await desk.shot('status-menu');
    await desk.page.keyboard.press('Escape');
    execFileSync(muninn, ['forget', JSON.parse(made).memory.id, '--session', 'shell', '--repo', root]);
    await desk.status.filter({ hasText: '1 here, 1 in all' }).waitFor();
    await desk.view();
  });
  await desk.step('a conflict is listed, compared side by side and resolved', async () => {
    contradict(root);
    const row = desk.pane('Conflicts').locator('.monaco-list-row', { hasText: 'Redis' });
    await row.first().waitFor();
    await desk.menu('Decide Conflicts', desk.lines('We do not use Redis').first());
    await desk.shot('conflict');
    const keep = desk.page.locator('.editor-actions [aria-label^="Keep Left"]').first();
    await desk.again(() => keep.click(), desk.pane('Conflicts').getByText('No conflict waits for a decision.'));
    await desk.tab('Conflict:').waitFor({ state: 'detached' });
  });
  await desk.step('a conflict is resolved in its row, or with the keyboard', async () => {
    contradict(root, 'Sessions live in Redis.', 'Sessions do not live in Redis.');
    const row = desk.pane('Conflicts').locator('.monaco-list-row', { hasText: 'Sessions' });
    await row.first().waitFor();
    await desk.again(async () => {
      await desk.focus('Conflicts');
      await desk.page.keyboard.press('ArrowDown');
      await desk.page.keyboard.press('Enter');
    }, desk.lines('Sessions do not live in Redis').first());
    await desk.run('Muninn: Keep Right', desk.pane('Conflicts').getByText('No conflict waits for a decision.'));
  });
  await desk.step('memories can be filtered by words and grouped by file', async () => {
    const rows = desk.pane('Memory').locator('.monaco-list-row');
    await desk.ask('Muninn: Filter Memories', 'Muninn: Filter', 'branches share');
    await rows.filter({ hasText: 'Redis' }).first().waitFor({ state: 'detached' });
    await desk.pane('Memory').getByText('“branches share”').waitFor();
    await desk.ask('Muninn: Filter Memories', 'Muninn: Filter', 'no such words');
    await desk.pane('Memory').getByText('No memory contains “no such words”.').waitFor();
    await desk.run('Muninn: Clear Filter', desk.gone(desk.pane('Memory').getByText('“no such words”')));
    await desk.choose('Muninn: Group Memories By', ['file'], rows.filter({ hasText: 'no file' }).first());
    await desk.shot('grouped');
    await desk.choose('Muninn: Group Memories By', ['type'], rows.filter({ hasText: 'decision' }).first());
  });
  await desk.step('a lens shows its memories as cards below the line', async () => {
    const cards = desk.cards('branches share the rendering machine');
    const opened = async () => {
      await desk.file('cache.py');
      await desk.clickLens('decision');
    };
    await desk.again(opened, cards.locator('a', { hasText: 'History' }));
    await desk.shot('lens');
    if (await desk.page.locator('.panel .comments-panel').count()) throw new Error('the list of comments has opened');
    await desk.page.locator('.view-line', { hasText: 'def render_page' }).first().click();
    await desk.again(() => desk.page.keyboard.press('Escape'), desk.gone(cards));
  });
  await desk.step('the hover shows the memory, and its link opens the page', async () => {
    await desk.file('cache.py');
    const line = desk.page.locator('.view-line', { hasText: 'A cache of rendered pages' }).first();
    await desk.hovered(line, 'Pages are cached by commit', { x: 60, y: 8 });
    await desk.shot('hover');
    await desk.clickInHover(line, 'Pages are cached by commit', { x: 60, y: 8 }, PAGE);
    await desk.read('branches share the rendering machine').first().waitFor();
    await desk.shot('page');
  });
  await desk.step('a code action asks for a decision about the selected lines and stores it', async () => {
    await desk.file('cache.py');
    const bulb = desk.page.locator('[class*="codicon-light-bulb"], [class*="gutter-lightbulb"]').first();
    await desk.again(async () => {
      await desk.page.locator('.view-line', { hasText: 'def render_page' }).first().click();
      await desk.page.keyboard.press('Home');
      await desk.page.keyboard.press('Shift+ArrowDown');
      await bulb.click();
      await desk.page.locator('.action-widget', { hasText: 'Record a decision about this' }).waitFor();
      await desk.shot('actions');
      await desk.page.locator('.action-widget .monaco-list-row', { hasText: 'Record a decision about this' }).click();
    }, desk.title('Record a decision'));
    await desk.page.locator('.quick-input-message', { hasText: 'src/cache.py:4' }).waitFor();
    await desk.shot('decision');
    await desk.answer('Record a decision', 'Pages are rendered by name, never by number.');
    await desk.pane('This File').locator('.monaco-list-row', { hasText: 'Pages are rendered by name' }).waitFor();
  });
  await desk.step('Status writes to the output channel', async () => {
    await desk.menu('Show Status', desk.page.locator('.output-view .view-lines, .panel .view-lines', { hasText: 'Memory: ' }));
    await desk.hovered(desk.status, 'Index:');
    await desk.shot('status');
  });
  await desk.step('stale memories and knowledge files are listed', async () => {
    const cited = ['--cite', 'src/cache.py:4-6', '--session', 'shell', '--repo', root];
    execFileSync(muninn, ['remember', 'The commit stands before the name.', ...cited], { stdio: 'pipe' });
    const file = path.join(root, 'src', 'cache.py');
    await desk.pane('Sessions').locator('.pane-header').click();
    await desk.pane('Stale').locator('.pane-header').click();
    await desk.pane('This File').locator('.monaco-list-row', { hasText: 'The commit stands' }).waitFor();
    await desk.page.waitForTimeout(3_000); // what follows from the memory is over: the change alone must be noticed
    writeFileSync(file, readFileSync(file, 'utf8').replace('{commit}:{name}', '{name}@{commit}'));
    await desk.pane('Stale').locator('.monaco-list-row', { hasText: 'The commit stands' }).getByText('code changed').first().waitFor();
    mkdirSync(path.join(root, '.muninn', 'knowledge', 'guides'), { recursive: true });
    writeFileSync(path.join(root, '.muninn', 'knowledge', 'guides', 'caches.md'), '# Caches\n\nAll of them are keyed by commit.\n');
    await desk.shot('stale-view');
    // When the row is replaced at that moment, the button must be pressed again.
    const stale = desk.pane('Stale').locator('.monaco-list-row', { hasText: 'The commit stands' });
    await desk.press(stale, 'Confirm', desk.pane('Stale').getByText('No memory cites code that has changed.'));
    await desk.pane('Stale').locator('.pane-header').click();
    await desk.pane('Knowledge').locator('.pane-header').click();
    const [folder, page] = ['guides', 'caches'].map((text) => desk.pane('Knowledge').locator('.monaco-list-row', { hasText: text }));
    await desk.again(() => folder.click(), page);
    await desk.again(() => page.click(), desk.tab('caches.md'));
    await desk.shot('stale');
  });
  await desk.step('Reconcile shows a preview, applies it, and can be undone', async () => {
    await desk.run('Muninn: Reconcile');
    const dialog = desk.page.locator('.monaco-dialog-box', { hasText: 'would write main.jsonl' });
    await dialog.waitFor();
    await desk.shot('reconcile');
    await dialog.locator('.monaco-button', { hasText: 'Reconcile' }).click();
    await desk.message('reconciling').first().waitFor({ state: 'detached' }); // or the next one moves under the mouse
    await desk.button('Muninn:', 'Undo', desk.message('taken back').first());
  });
}

/** Seals memories in the Source Control view. */
export async function sealing(desk, root) {
  await desk.step('the Source Control view shows unsealed memories and seals them', async () => {
    await desk.status.filter({ hasText: /memor/ }).waitFor();
    execFileSync(muninn, ['remember', 'Git gets what is sealed.', '--session', 'shell', '--repo', root], { stdio: 'pipe' });
    await desk.page.locator('.activitybar [aria-label^="Source Control"]').first().click();
    const header = desk.page.locator('.sidebar .pane-header', { hasText: 'Changes' });
    const seal = header.locator('[aria-label^="Seal Sessions"]');
    await desk.again(() => header.hover(), seal); // the header shows its buttons below the mouse
    await desk.shot('source-control');
    const unsealed = () => JSON.parse(execFileSync(muninn, ['status', '--json', '--repo', root])).log.unsealed;
    await desk.again(async () => {
      await header.hover();
      await seal.click();
    }, () => desk.eventually(() => unsealed() === 0));
    await desk.again(() => header.hover(), desk.gone(seal));
  });
}

/** Checks the tools that VS Code's own agent gets, on a repository with memory. */
export async function agents(desk) {
  await desk.step('agent mode finds the MCP tools without configuration', async () => {
    await desk.status.filter({ hasText: /memor/ }).waitFor();
    const found = desk.page.locator('.panel .view-lines', { hasText: /Discovered.\d+.tools/ });
    await desk.choose('MCP: List Servers', ['Muninn', 'Start Server'], found);
    await desk.shot('mcp');
  });
}
