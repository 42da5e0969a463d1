// A window of VS Code with the packaged .vsix, and the actions of a person in it. Screenshots go to test-results/.
import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { version } from '../scripts/version.mjs';
import { muninn } from './repository.mjs';
import { extensionDir, openVSCode } from './vscode.mjs';

// Milliseconds. They end a test that hangs; the machine may be ten times slower than usual.
const LIMIT = Number(process.env.E2E_LIMIT ?? 240_000);
const PATIENCE = LIMIT / 24;
const TRIES = 6;

/** The link of a hover that opens a memory's page. */
export const PAGE = 'a:has-text("History")';

mkdirSync(path.join(extensionDir, 'test-results'), { recursive: true });
const shots = path.join(extensionDir, 'test-results');
const vsix = path.join(extensionDir, `muninn-${version()}.vsix`);
export const counts = { passed: 0, failed: 0 };

/** One window on a repository, with the actions of a person. */
export class Desk {
  constructor(page) {
    this.page = page;
    this.status = page.locator('.statusbar-item[id="muninn.muninn.muninn.status"]');
    this.rows = page.locator('.quick-input-list .monaco-list-row');
    this.input = page.locator('.quick-input-widget input[type="text"]');
    this.dialog = page.locator('.monaco-dialog-box');
    this.wait(counts.failed ? LIMIT / 8 : LIMIT);
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
      this.wait(LIMIT / 8); // what follows may wait for what this step did not do
    }
  }

  shot(name) {
    return this.page.screenshot({ path: path.join(shots, `${name}.png`) });
  }

  /**
   * Does a gesture, and again until `reached` is there: an event that comes late may take the focus, close a list, or
   * replace the element that the gesture was made on. `reached` is an element, or a function that waits for a state.
   * Each part of the first try has PATIENCE, of the next twice as much, and so on, because the machine may just be slow.
   */
  async again(gesture, reached) {
    const outer = this.timeout;
    const wait = async () => (typeof reached === 'function' ? reached() : reached?.waitFor());
    try {
      for (let tries = 1; ; tries += 1) {
        this.wait(PATIENCE * tries);
        try {
          await gesture();
          return await wait();
        } catch (error) {
          if (reached && (await this.soon(wait))) return; // a gesture was slow, and the next one found nothing to do
          if (tries === TRIES) throw error;
        }
      }
    } finally {
      this.wait(outer);
    }
  }

  /** Whether what `wait` waits for is there soon. */
  async soon(wait) {
    this.wait(PATIENCE);
    return wait().then(
      () => true,
      () => false,
    );
  }

  /** Returns a function that waits until an element is gone. */
  gone(locator) {
    return () => locator.waitFor({ state: 'detached' });
  }

  /** Sets how long each gesture waits, in milliseconds. */
  wait(timeout) {
    this.timeout = timeout;
    this.page.setDefaultTimeout(timeout);
  }

  /** Opens a list with a key, types into it and clicks the first of `rows`; with `reached`, until that is there. */
  pick(key, text, rows, reached) {
    return this.again(async () => {
      // In an open list the key moves the choice; a command whose extension takes half a minute to start ends in a dialog.
      if (await this.input.isVisible()) await this.input.press('Escape');
      if (await this.dialog.isVisible()) await this.dialog.press('Escape');
      await this.page.keyboard.press(key);
      await this.input.fill(text);
      await rows.first().click();
    }, reached);
  }

  /** Runs a command of the palette; with `reached`, until that is there. */
  run(title, reached) {
    return this.pick('F1', `>${title}`, this.rows.filter({ hasText: title }), reached);
  }

  /** The title of the box or list that is open. */
  title(text) {
    return this.page.locator('.quick-input-title', { hasText: text });
  }

  /** Runs a command that asks for words, and answers it; the title of its box is the given one. */
  async ask(command, title, text) {
    await this.run(command, this.title(title));
    await this.answer(title, text);
  }

  /** Types the answer into the box with this title. */
  async answer(title, text) {
    await this.title(title).waitFor();
    await this.input.fill(text);
    await this.input.press('Enter'); // another part of the window may have the focus by now
  }

  /** Runs a command that opens a list, and clicks the first row with each text in turn, until `reached` is there. */
  choose(command, texts, reached) {
    return this.again(async () => {
      await this.run(command);
      for (const text of texts) await this.rows.filter({ hasText: text }).first().click();
    }, reached);
  }

  /** Gives the rows of a view the keys. */
  focus(view) {
    const within = (name) => document.activeElement?.closest('.pane')?.querySelector('.pane-header h3')?.textContent.includes(name);
    return this.run(`Muninn: Focus on ${view} View`, () => this.page.waitForFunction(within, view));
  }

  /** Clicks an item of the menu that the status bar item opens; with `reached`, until that is there. */
  menu(text, reached) {
    return this.again(async () => {
      await this.status.click();
      await this.rows.filter({ hasText: text }).first().click();
    }, reached);
  }

  /** Clicks a button of a notification, which may have left for the list of notifications, until `reached` is there. */
  button(text, label, reached) {
    const button = this.page.locator('.monaco-button', { hasText: label });
    const item = this.message(text).filter({ has: button }).first();
    return this.again(async () => {
      await item.waitFor().catch(() => this.run('Notifications: Show Notifications'));
      await item.locator(button).click();
    }, reached);
  }

  /** Opens a file; `path` is typed when its name alone does not say which. */
  file(name, path = name, rows = this.rows.filter({ hasText: name })) {
    return this.pick('Control+p', path, rows, this.tab(name));
  }

  /** Opens the list of Recall and types a question, until `reached` is there: the list closes when it loses the focus. */
  recall(question, reached, title = 'Muninn: Recall') {
    return this.again(async () => {
      await this.run('Muninn: Recall', this.title(title));
      await this.input.fill(question);
    }, reached);
  }

  /** Opens the container of the views. */
  view() {
    return this.run('Muninn: Focus on Memory View');
  }

  pane(name) {
    return this.page.locator('.pane').filter({ has: this.page.locator('.pane-header h3', { hasText: name }) });
  }

  lens(text) {
    return this.page.locator('.codelens-decoration', { hasText: text }).first();
  }

  /** Scrolls the editor up. VS Code may restore a file's position so that a lens above line 1 is hidden. */
  async scrollUp() {
    await this.page.locator('.editor-instance .view-lines').first().hover();
    await this.page.mouse.wheel(0, -1000);
  }

  /** Waits for a lens of the open file. */
  seeLens(text) {
    return this.again(() => this.scrollUp(), this.lens(text));
  }

  async clickLens(text) {
    await this.seeLens(text);
    await this.lens(text).locator('a').first().click();
  }

  /** Rests the mouse on an item until a hover with `text` is there, and does `use` with the hover. */
  hovered(item, text, position, use = async () => undefined) {
    const hover = this.page.locator('.monaco-hover', { hasText: text }).first();
    return this.again(async () => {
      await this.page.mouse.move(640, 200); // off the item, or there is nothing to enter
      await item.hover({ position });
      await hover.waitFor();
      await use(hover);
    });
  }

  /** Clicks the first link in the hover of an item that `selector` means. */
  clickInHover(item, text, position, selector) {
    return this.hovered(item, text, position, (hover) => hover.locator(selector).first().click());
  }

  /** Presses a button of a row, which is there while the mouse is; with `reached`, until that is there. */
  press(row, label, reached) {
    return this.again(async () => {
      await this.page.mouse.move(640, 200);
      await row.hover();
      await row.locator(`[aria-label^="${label}"]`).click();
    }, reached);
  }

  /** Waits until a condition outside of the window holds. */
  async eventually(ok) {
    const end = performance.now() + this.timeout;
    while (!ok()) {
      if (performance.now() > end) throw new Error(`not so after ${this.timeout} ms: ${ok}`);
      await this.page.waitForTimeout(50);
    }
  }

  /** Waits for the text of a decoration, which is only in the styles of the page. */
  decorated(within, text) {
    const shown = ([where, words]) => [...document.querySelectorAll(where)].some((each) => getComputedStyle(each, '::after').content.includes(words));
    return this.page.waitForFunction(shown, [within, text]);
  }

  tab(name) {
    return this.page.locator('.tab.active', { hasText: name });
  }

  /** A text of the rendered page that is shown. */
  read(text) {
    return this.page.frameLocator('iframe.webview.ready').frameLocator('iframe#active-frame').getByText(text);
  }

  /** The cards below a line of code. */
  cards(text) {
    return this.page.locator('.review-widget', { hasText: text });
  }

  lines(text) {
    return this.page.locator('.view-lines', { hasText: text });
  }

  /** The text of the editor that shows a file, when it contains this. */
  linesOf(file, text) {
    return this.page.locator(`.monaco-editor[data-uri$="${file}"] .view-lines`, { hasText: text }).first();
  }

  message(text) {
    return this.page.locator('.notification-list-item', { hasText: text });
  }
}

/**
 * Opens a window on `place`, { folder } or { workspace } or nothing, and does `use` in it; `how` goes to openVSCode.
 */
export async function withDesk(place, how, use) {
  const { url, page, close } = await openVSCode({ vsix, ...how });
  try {
    page.setDefaultTimeout(LIMIT);
    await page.goto(`${url}?${new URLSearchParams(Object.keys(place).length ? place : { ew: 'true' })}`);
    await use(new Desk(page));
  } finally {
    await close();
  }
}

/** The settings of a window whose server is the muninn under test. */
export const served = (more = {}) => ({ settings: { 'muninn.server.command': [muninn, 'lsp'], ...more } });
