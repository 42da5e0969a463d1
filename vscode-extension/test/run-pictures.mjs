// Makes the pictures of the documentation: npm run pictures [NAME…]. Each is a part of a real window on a real repository,
// written to docs/images/vscode-NAME.png; `browser` is the page of `muninn open`, docs/images/page.png. It says the size of each and fails when one is too large for a page.
import { spawn } from 'node:child_process';
import { mkdirSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { served, withDesk } from './desk.mjs';
import { muninn } from './repository.mjs';
import { inWindow, openFile } from './several.mjs';
import { shop } from './shop.mjs';
import { extensionDir, openBrowser } from './vscode.mjs';

const IMAGES = path.join(extensionDir, '..', 'docs', 'images');
const MOST = 150_000; // bytes
const SIZE = { width: 880, height: 540 };
const NARROW = { width: 640, height: 560 };
const WIDE = { width: 1200, height: 640 };
const STATUS = 26; // height of the status bar
const QUIET = {
  'breadcrumbs.enabled': false,
  'diffEditor.renderSideBySideInlineBreakpoint': 300,
  'editor.fontSize': 14,
  'editor.lineNumbersMinChars': 3,
  'editor.minimap.enabled': false,
  'editor.occurrencesHighlight': 'off',
  'editor.overviewRulerBorder': false,
  'window.commandCenter': false,
  'workbench.reduceMotion': 'on',
  'workbench.layoutControl.enabled': false,
  'workbench.navigationControl.enabled': false,
  'workbench.tips.enabled': false,
};
const LIGHT = { ...QUIET, 'workbench.colorTheme': 'Light Modern' };
const DARK = { ...QUIET, 'workbench.colorTheme': 'Dark Modern' };
const CONTRAST = { ...QUIET, 'workbench.colorTheme': 'Default High Contrast' };

const CONFLICT = [
  ['remember', 'Carts are kept in Redis.', '--type', 'decision', '--session', 'one', '--file', 'src/cart.py'],
  ['remember', 'Carts are not kept in Redis.', '--type', 'decision', '--session', 'two', '--file', 'src/cart.py'],
  ['seal'],
  ['reconcile'],
];
const UNSEALED = [['remember', 'Orders are written before the mail is sent.', '--type', 'decision', '--session', 'shell']];

const wanted = process.argv.slice(2);

/** Writes the picture NAME of a part of the window: of all of it above the status bar, or of `clip` in pixels of the page. */
async function picture(desk, name, clip = {}) {
  const all = { x: 0, y: 0, width: SIZE.width, height: SIZE.height - STATUS };
  const file = path.join(IMAGES, `vscode-${name}.png`);
  await desk.page.screenshot({ path: file, animations: 'disabled', caret: 'hide', clip: { ...all, ...clip } });
  checkSize(file);
}

function checkSize(file) {
  const { size } = statSync(file);
  console.log(`${path.basename(file)} ${Math.ceil(size / 1000)} kB`);
  if (size > MOST) throw new Error(`${file} has more than ${MOST} bytes`);
}

async function bySide(desk, shown) {
  const hidden = !(await desk.page.locator('.sidebar').first().isVisible());
  if (shown === hidden) await desk.page.keyboard.press('Control+b');
}

/** The line of the editor with a text. */
const line = (desk, text) => desk.page.locator('.view-line', { hasText: text }).first();

const PICTURES = {
  async lens(desk) {
    await desk.file('sessions.py');
    await bySide(desk, false);
    await line(desk, 'LIFETIME').click();
    await desk.decorated('.view-lines span', 'attempt: 90 days');
    const lens = desk.page.locator('.codelens-decoration a', { hasText: '1 decision' }).last();
    await desk.again(() => lens.click(), desk.cards('The whole cart').locator('a', { hasText: 'History' }));
    await desk.page.mouse.move(700, 500);
    await picture(desk, 'lens');
    await desk.cards('The whole cart').locator('[aria-label^="Close"]').first().click();
  },
  async hover(desk) {
    await desk.file('cart.py');
    await bySide(desk, false);
    await desk.lens('1 pattern').waitFor(); // lenses move the lines
    const hover = desk.page.locator('.monaco-hover', { hasText: 'Prices are counted' }).first();
    await desk.hovered(line(desk, 'return sum'), 'Prices are counted', { x: 160, y: 8 }, () => hover.locator('a', { hasText: 'Confirm' }).waitFor());
    await picture(desk, 'hover', { height: 440 });
    await desk.page.keyboard.press('Escape');
  },
  async page(desk) {
    await bySide(desk, false);
    await desk.recall('prices in cents', desk.page.locator('.quick-input-list .monaco-list-row.focused', { hasText: 'Prices are counted' }));
    await desk.page.keyboard.press('Enter');
    await desk.input.waitFor({ state: 'hidden' });
    await desk.read('Why it was found').click();
    await desk.read('words:').waitFor();
    await picture(desk, 'page');
    await desk.run('View: Close Editor');
  },
  async recall(desk) {
    await bySide(desk, false);
    await desk.recall('where does a session live', desk.rows.filter({ hasText: 'Sessions are never' }).first());
    await desk.read('Two servers answer').first().waitFor();
    await picture(desk, 'recall');
    await desk.page.keyboard.press('Escape');
  },
  async views(desk) {
    await desk.file('sessions.py');
    await bySide(desk, true);
    await desk.view();
    await desk.pane('Memory').locator('.monaco-list-row', { hasText: 'decision' }).first().click();
    await desk.page.keyboard.press('ArrowRight');
    await desk.pane('This File').locator('.monaco-list-row', { hasText: 'Sessions are never' }).waitFor();
    const { x, width } = await desk.page.locator('.sidebar').first().boundingBox();
    await desk.page.mouse.move(x + width, 300);
    await desk.page.mouse.down();
    await desk.page.mouse.move(x + width + 90, 300, { steps: 5 });
    await desk.page.mouse.up();
    await line(desk, 'def load').click();
    await desk.lens('1 decision').waitFor();
    await desk.page.mouse.move(700, 500);
    await picture(desk, 'views');
  },
  async conflict(desk) {
    await bySide(desk, true);
    await desk.view();
    const row = desk.pane('Conflicts').locator('.monaco-list-row', { hasText: 'Redis' }).first();
    await row.click();
    await desk.lines('Carts are not kept').first().waitFor();
    await bySide(desk, false);
    await picture(desk, 'conflict', { height: 300 });
    await desk.run('View: Close Editor');
  },
  async quickfix(desk) {
    await desk.file('cart.py');
    await bySide(desk, false);
    await line(desk, 'return sum').click();
    const entry = desk.page.locator('.action-widget', { hasText: 'Review memory' });
    await desk.again(() => desk.page.keyboard.press('Control+.'), entry);
    await picture(desk, 'quickfix', { height: 340 });
    await desk.page.keyboard.press('Escape');
  },
  async menu(desk) {
    await bySide(desk, false);
    await desk.file('cart.py');
    await desk.again(() => desk.status.click(), desk.rows.filter({ hasText: 'Seal Sessions' }).first());
    await picture(desk, 'menu', { height: SIZE.height });
    await desk.page.keyboard.press('Escape');
  },
  async sourcecontrol(desk) {
    await bySide(desk, true);
    await desk.page.locator('.activitybar [aria-label^="Source Control"]').last().click(); // the badge, which may lie over the button
    const header = desk.page.locator('.sidebar .pane-header', { hasText: 'Changes' });
    const seal = header.locator('[aria-label^="Seal Sessions"]');
    await desk.again(() => header.hover(), seal);
    await desk.hovered(seal, 'Seal Sessions');
    await picture(desk, 'sourcecontrol', { width: 460, height: 260 });
  },
  async context(desk, root) {
    await bySide(desk, false);
    const file = path.join(root, '.muninn', 'context', 'checkout.md');
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, '---\ntitle: Work on the checkout\nbudget: 2000\n---\n\nRead first how a cart adds up:\n\n@src/cart.py#total\n\nWhat is known of prices:\n\n?prices type:bug_fix\n');
    await desk.file('checkout.md');
    await desk.lens('tokens').waitFor();
    await desk.run('Muninn: Preview Pack');
    await desk.read('Prices are counted').first().waitFor();
    await picture(desk, 'context');
    await desk.run('View: Close All Editors');
  },
  async walkthrough(desk) {
    await bySide(desk, false);
    await desk.run('Open Walkthrough');
    await desk.rows.filter({ hasText: 'Muninn' }).first().click();
    await desk.page.getByText('See it beside the code').first().click();
    await desk.page.frameLocator('iframe.webview.ready').frameLocator('iframe#active-frame').locator('img').first().waitFor();
    await picture(desk, 'walkthrough', { ...WIDE, height: WIDE.height - STATUS });
  },
  async narrow(desk) {
    await desk.file('sessions.py');
    await bySide(desk, false);
    const lens = desk.page.locator('.codelens-decoration a', { hasText: '1 decision' }).last();
    await desk.again(() => lens.click(), desk.cards('The whole cart').locator('a', { hasText: 'History' }));
    await desk.page.mouse.move(500, 520);
    await picture(desk, 'narrow', { ...NARROW, height: NARROW.height - STATUS });
  },
  async restricted(desk) {
    await desk.page.locator('.statusbar-item', { hasText: 'Restricted Mode' }).waitFor();
    await desk.file('sessions.py');
    await bySide(desk, false);
    const lens = desk.page.locator('.codelens-decoration a', { hasText: '1 decision' }).last();
    await desk.again(() => lens.click(), desk.cards('The whole cart').locator('a', { hasText: 'History' }));
    await desk.page.mouse.move(700, 500);
    await picture(desk, 'restricted', { height: SIZE.height });
  },
  async contrast(desk) {
    await desk.file('sessions.py');
    await bySide(desk, false);
    const lens = desk.page.locator('.codelens-decoration a', { hasText: '1 decision' }).last();
    await desk.again(() => lens.click(), desk.cards('The whole cart').locator('a', { hasText: 'History' }));
    await picture(desk, 'contrast');
  },
};

const WINDOWS = [
  { settings: LIGHT, names: ['lens', 'page', 'recall', 'conflict', 'menu'] },
  { settings: { ...LIGHT, 'git.enabled': true }, names: ['sourcecontrol'] },
  { settings: DARK, names: ['hover', 'views', 'quickfix', 'context'] },
  { settings: DARK, names: ['walkthrough'], size: WIDE, scale: 1 },
  { settings: CONTRAST, names: ['contrast'] },
  { settings: LIGHT, names: ['narrow'], size: NARROW },
  { settings: LIGHT, names: ['restricted'], trust: true },
];

/** The page that `muninn open` shows, of the repository `root`. */
async function inBrowser(root) {
  const server = spawn(muninn, ['open', '--print', '--repo', root], { stdio: ['ignore', 'pipe', 'inherit'] });
  const browser = await openBrowser();
  try {
    let link = '';
    for await (const row of createInterface({ input: server.stdout })) if ((link = /http:\S+/.exec(row)?.[0] ?? '')) break;
    const page = await browser.newPage({ viewport: { width: 1280, height: 900 } });
    await page.goto(link);
    await page.getByText('Last twelve weeks').waitFor(); // the script has replaced the page of the server
    await page.getByText('Prices are counted').first().waitFor();
    const file = path.join(IMAGES, 'page.png');
    await page.screenshot({ path: file, animations: 'disabled', caret: 'hide' });
    checkSize(file);
  } finally {
    await browser.close();
    server.kill('SIGINT');
  }
}

async function several(desk, folder) {
  await desk.view();
  for (const name of ['two', 'one']) await openFile(desk, folder, name);
  await desk.pane('This File').locator('.monaco-list-row', { hasText: 'Pages of one' }).waitFor();
  await desk.lens('1 decision').waitFor();
  await picture(desk, 'several', { height: SIZE.height });
}

const { root, remove } = shop([...CONFLICT, ...UNSEALED]);
try {
  for (const { settings, names, size = SIZE, scale = 1.25, trust = false } of WINDOWS) {
    const due = names.filter((name) => !wanted.length || wanted.includes(name));
    if (!due.length) continue;
    await withDesk({ folder: root }, { ...served(settings), size, scale, trust }, async (desk) => {
      await desk.status.filter({ hasText: /memor/ }).waitFor();
      for (const name of due) await PICTURES[name](desk, root);
    });
  }
  if (!wanted.length || wanted.includes('browser')) await inBrowser(root);
  if (!wanted.length || wanted.includes('several')) {
    await inWindow({ ...served(LIGHT), size: SIZE, scale: 1.25 }, several);
  }
} finally {
  remove();
}
