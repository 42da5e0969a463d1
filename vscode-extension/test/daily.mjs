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
    await desk.run('Muninn: Remember');
    await desk.answer('Muninn: Remember', FACT);
    await desk.page.locator('.quick-input-title', { hasText: 'What is it?' }).waitFor();
    await desk.rows.filter({ hasText: 'decision' }).first().click();
    const dialog = desk.page.locator('.monaco-dialog-box', { hasText: 'no memory yet' });
    await dialog.waitFor();
    await desk.shot(`before-memory-${button.toLowerCase().replaceAll(' ', '-')}`);
    await dialog.locator('.monaco-button', { hasText: button }).click();
  };
  await desk.step('the walkthrough opens with its first step', async () => {
    await desk.run('Open Walkthrough');
    await desk.rows.filter({ hasText: 'Muninn' }).first().click();
    await desk.page.getByText('Give the repository a memory').first().waitFor();
    await desk.shot('walkthrough');
  });
  await desk.step('text typed before initialisation goes to a document when initialising is declined', async () => {
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
    await desk.run('Open Walkthrough');
    await desk.rows.filter({ hasText: 'Muninn' }).first().click();
    await desk.page.getByText('Give the repository a memory').first().waitFor();
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
    await desk.run('Muninn: Remember');
    await desk.answer('Muninn: Remember', FACT);
    await desk.page.locator('.quick-input-title', { hasText: 'What is it?' }).waitFor();
    await desk.shot('type');
    await desk.rows.filter({ hasText: 'decision' }).first().click();
    await desk.status.filter({ hasText: '1 here, 1 in all' }).waitFor();
    // Wait before the focus moves: VS Code drops a request for lenses when the editor loses the focus within a quarter of
    // a second, and repeats it only when the editor gets the focus again.
    await desk.lens('decision').waitFor();
  });
  await desk.step('Recall lists hits of all kinds and opens code at its line', async () => {
    const code = desk.rows.filter({ hasText: /src\/cache\.py:\d/ });
    await desk.recall('render_page of the cache', code.first());
    await desk.rows.filter({ hasText: 'Pages are cached by commit' }).first().waitFor();
    assert.match(await desk.rows.filter({ hasText: 'Makefile' }).first().innerText(), /# \$\(gear\) is the text/);
    await desk.shot('recall');
    await code.first().click();
    await desk.input.waitFor({ state: 'hidden' }); // what is shown behind the list has the same tab
    await desk.tab('cache.py').waitFor();
    await desk.shot('code');
  });
  await desk.step('a memory opens as a page with the reasons of its rank', async () => {
    const first = desk.page.locator('.quick-input-list .monaco-list-row.focused', { hasText: 'Pages are cached by commit' });
    await desk.recall('why are pages cached by commit', first);
    await desk.read('Why it was found').waitFor(); // behind the list, before it is chosen
    await desk.shot('preview');
    await desk.page.keyboard.press('Enter');
    await desk.input.waitFor({ state: 'hidden' });
    await desk.tab('Pages are cached').waitFor();
    await desk.read('branches share the rendering machine').first().waitFor();
    await desk.shot('memory');
  });
  await desk.step('Context opens a pack that contains the memory', async () => {
    await desk.run('Muninn: Context');
    await desk.answer('Muninn: Context', 'cache pages by commit');
    await desk.tab('cache pages by commit').waitFor();
    await desk.lines('branches share the rendering machine').waitFor();
    await desk.shot('context');
  });
  await desk.step('a pack is copied to the clipboard and inserted into the document that was active before', async () => {
    await desk.run('Muninn: Copy Pack');
    await desk.page.locator('.statusbar-item', { hasText: 'in the clipboard' }).waitFor();
    await desk.page.locator('.editor-actions [aria-label^="Insert Pack"]').first().click();
    await desk.tab('cache.py').waitFor();
    await desk.lines('# Context: cache pages by commit').waitFor();
    await desk.page.keyboard.press('Control+z');
    await desk.lines('# Context: cache pages by commit').waitFor({ state: 'detached' });
  });
  await desk.step('the views show all memories, those of the active file, and the open session', async () => {
    await desk.file('cache.py');
    await desk.view();
    await desk.pane('Memory').locator('.monaco-list-row', { hasText: 'decision' }).click();
    await desk.pane('Memory').locator('.monaco-list-row', { hasText: 'Pages are cached' }).waitFor();
    await desk.pane('This File').locator('.monaco-list-row', { hasText: 'Pages are cached' }).waitFor();
    await desk.pane('Sessions').locator('.pane-header').click();
    await desk.pane('Sessions').locator('.monaco-list-row', { hasText: 'not sealed' }).waitFor();
    await desk.status.filter({ hasText: '1 here, 1 in all' }).waitFor();
    await desk.lens('decision').waitFor();
    await desk.shot('views');
  });
  await desk.step('the keyboard reaches the actions of a row', async () => {
    await desk.run('Muninn: Focus on This File View');
    await desk.page.keyboard.press('ArrowDown');
    await desk.page.keyboard.press('Shift+F10');
    await desk.page.locator('.monaco-menu .action-item', { hasText: 'Forget…' }).waitFor();
    await desk.shot('menu');
    await desk.page.keyboard.press('Escape');
  });
  await desk.step('lenses update when the shell remembers or forgets a memory', async () => {
    const about = ['--file', 'src/cache.py', '--type', 'attempt', '--session', 'shell', '--json', '--repo', root];
    const said = execFileSync(muninn, ['remember', 'A cache by name alone served pages of other branches.', ...about]);
    await desk.lens('1 decision, 1 attempt').waitFor();
    await desk.status.filter({ hasText: '2 here, 2 in all' }).waitFor();
    execFileSync(muninn, ['forget', JSON.parse(said).memory.id, '--session', 'shell', '--repo', root]);
    await desk.lens('1 decision, 1 attempt').waitFor({ state: 'detached' });
    await desk.lens('1 decision').waitFor();
  });
  await desk.step('the current line is annotated, the explorer shows counts, and the status bar item opens a menu', async () => {
    const about = ['--file', 'src/cache.py:4-6', '--type', 'decision', '--session', 'shell', '--json', '--repo', root];
    const said = execFileSync(muninn, ['remember', 'Pages have a name and a commit.', ...about]);
    await desk.status.filter({ hasText: '2 here, 2 in all' }).waitFor();
    await desk.file('cache.py');
    await desk.page.keyboard.press('Control+g');
    await desk.input.fill(':5');
    await desk.page.keyboard.press('Enter');
    await desk.decorated('.view-lines span', 'decision: Pages have a name and a commit · Test, just now');
    await desk.run('View: Show Explorer');
    await desk.decorated('.explorer-folders-view .monaco-icon-label, .explorer-folders-view .monaco-icon-label *', '2');
    await desk.shot('line');
    await desk.status.click();
    await desk.rows.filter({ hasText: 'Recall…' }).waitFor();
    await desk.shot('status-menu');
    await desk.page.keyboard.press('Escape');
    execFileSync(muninn, ['forget', JSON.parse(said).memory.id, '--session', 'shell', '--repo', root]);
    await desk.status.filter({ hasText: '1 here, 1 in all' }).waitFor();
    await desk.view();
  });
  await desk.step('a conflict is listed, compared side by side and resolved', async () => {
    contradict(root);
    const row = desk.pane('Conflicts').locator('.monaco-list-row', { hasText: 'Redis' });
    await row.first().waitFor();
    await desk.again(() => desk.status.click(), desk.rows.filter({ hasText: 'Decide Conflicts' }));
    await desk.rows.filter({ hasText: 'Decide Conflicts' }).click();
    await desk.lines('We do not use Redis').first().waitFor();
    await desk.shot('conflict');
    await desk.page.locator('.editor-actions [aria-label^="Keep Left"]').first().click();
    await desk.pane('Conflicts').getByText('No contradictions wait for you.').waitFor();
    await desk.tab('Conflict:').waitFor({ state: 'detached' });
  });
  await desk.step('a conflict is resolved in its row, or with the keyboard', async () => {
    contradict(root, 'Sessions live in Redis.', 'Sessions do not live in Redis.');
    const row = desk.pane('Conflicts').locator('.monaco-list-row', { hasText: 'Sessions' });
    await row.first().waitFor();
    await desk.run('Muninn: Focus on Conflicts View');
    await desk.page.keyboard.press('ArrowDown');
    await desk.page.keyboard.press('Enter');
    await desk.lines('Sessions do not live in Redis').first().waitFor();
    await desk.run('Muninn: Keep Right');
    await desk.pane('Conflicts').getByText('No contradictions wait for you.').waitFor();
  });
  await desk.step('memories can be filtered by words and grouped by file', async () => {
    const rows = desk.pane('Memory').locator('.monaco-list-row');
    await desk.run('Muninn: Filter Memories');
    await desk.answer('Muninn: Filter', 'branches share');
    await rows.filter({ hasText: 'Redis' }).first().waitFor({ state: 'detached' });
    await desk.pane('Memory').getByText('“branches share”').waitFor();
    await desk.run('Muninn: Clear Filter');
    await desk.run('Muninn: Group Memories By');
    await desk.rows.filter({ hasText: 'file' }).first().click();
    await rows.filter({ hasText: 'no file' }).first().waitFor();
    await desk.shot('grouped');
    await desk.run('Muninn: Group Memories By');
    await desk.rows.filter({ hasText: 'type' }).first().click();
    await rows.filter({ hasText: 'decision' }).first().waitFor();
  });
  await desk.step('a lens shows its memories as cards below the line', async () => {
    await desk.file('cache.py');
    const cards = desk.cards('branches share the rendering machine');
    const lens = desk.page.locator('.codelens-decoration a', { hasText: 'decision' }).first();
    await desk.again(() => lens.click(), cards.locator('a', { hasText: 'History' }));
    await desk.shot('lens');
    if (await desk.page.locator('.panel .comments-panel').count()) throw new Error('the list of comments has opened');
    await cards.locator('[aria-label="Close"]').first().click();
    await cards.waitFor({ state: 'detached' });
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
    await desk.page.locator('.view-line', { hasText: 'def render_page' }).first().click();
    await desk.page.keyboard.press('Home');
    await desk.page.keyboard.press('Shift+ArrowDown');
    const bulb = desk.page.locator('[class*="codicon-light-bulb"], [class*="gutter-lightbulb"]').first();
    await desk.again(() => bulb.click(), desk.page.locator('.action-widget', { hasText: 'Record a decision about this' }));
    await desk.shot('actions');
    await desk.page.locator('.action-widget .monaco-list-row', { hasText: 'Record a decision about this' }).click();
    await desk.page.locator('.quick-input-title', { hasText: 'Record a decision' }).waitFor();
    await desk.page.locator('.quick-input-message', { hasText: 'src/cache.py:4' }).waitFor();
    await desk.shot('decision');
    await desk.input.fill('Pages are rendered by name, never by number.');
    await desk.page.keyboard.press('Enter');
    await desk.pane('This File').locator('.monaco-list-row', { hasText: 'Pages are rendered by name' }).waitFor();
  });
  await desk.step('Status writes to the output channel', async () => {
    await desk.status.click();
    await desk.rows.filter({ hasText: 'Show Status' }).first().click();
    await desk.page.locator('.output-view .view-lines, .panel .view-lines', { hasText: 'Memory: ' }).waitFor();
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
    await desk.pane('Stale').locator('.monaco-list-row', { hasText: 'The commit stands' }).getByText('drifted').first().waitFor();
    mkdirSync(path.join(root, '.muninn', 'knowledge', 'guides'), { recursive: true });
    writeFileSync(path.join(root, '.muninn', 'knowledge', 'guides', 'caches.md'), '# Caches\n\nAll of them are keyed by commit.\n');
    await desk.shot('stale-view');
    // When the row is replaced at that moment, the button must be pressed again.
    const stale = desk.pane('Stale').locator('.monaco-list-row', { hasText: 'The commit stands' });
    await desk.press(stale, 'Confirm', desk.pane('Stale').getByText('All code that memories cite still says so.'));
    await desk.pane('Stale').locator('.pane-header').click();
    await desk.pane('Knowledge').locator('.pane-header').click();
    await desk.pane('Knowledge').locator('.monaco-list-row', { hasText: 'guides' }).click();
    await desk.pane('Knowledge').locator('.monaco-list-row', { hasText: 'caches' }).click();
    await desk.tab('caches.md').waitFor();
    await desk.shot('stale');
  });
  await desk.step('Reconcile shows a preview, applies it, and can be undone', async () => {
    await desk.run('Muninn: Reconcile');
    const dialog = desk.page.locator('.monaco-dialog-box', { hasText: 'would write main.jsonl' });
    await dialog.waitFor();
    await desk.shot('reconcile');
    await dialog.locator('.monaco-button', { hasText: 'Reconcile' }).click();
    await desk.message('reconciling').first().waitFor({ state: 'detached' }); // or the next one moves under the mouse
    const message = desk.message('Muninn:').filter({ has: desk.page.locator('.monaco-button', { hasText: 'Undo' }) });
    await message.first().locator('.monaco-button', { hasText: 'Undo' }).click();
    await desk.message('taken back').first().waitFor();
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
    await seal.click();
    await seal.waitFor({ state: 'detached' });
  });
}

/** Checks the tools that VS Code's own agent gets, on a repository with memory. */
export async function agents(desk) {
  await desk.step('agent mode finds the MCP tools without configuration', async () => {
    await desk.status.filter({ hasText: /memor/ }).waitFor();
    await desk.run('MCP: List Servers');
    await desk.rows.filter({ hasText: 'Muninn' }).first().click();
    await desk.rows.filter({ hasText: 'Start Server' }).first().click();
    await desk.page.locator('.panel .view-lines', { hasText: /Discovered.\d+.tools/ }).waitFor();
    await desk.shot('mcp');
  });
}
