// A window of VS Code with the packaged .vsix, and the actions of a person in it. Screenshots go to test-results/.
import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { version } from '../scripts/version.mjs';
import { muninn } from './repository.mjs';
import { extensionDir, openVSCode } from './vscode.mjs';

const LIMIT = Number(process.env.E2E_LIMIT ?? 60_000); // milliseconds
const PATIENCE = LIMIT / 6;
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
    this.timeout = LIMIT;
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

  /**
   * Does a gesture, and again until `reached` is there: an event that comes late may take the focus, close a list, or
   * replace the element that the gesture was made on. Each part of it has PATIENCE.
   */
  async again(gesture, reached) {
    const outer = this.timeout;
    this.wait(PATIENCE);
    try {
      for (let tries = 1; ; tries += 1) {
        try {
          await gesture();
          return await reached?.waitFor();
        } catch (error) {
          if (tries === TRIES) throw error;
        }
      }
    } finally {
      this.wait(outer);
    }
  }

  /** Sets how long each gesture waits, in milliseconds. */
  wait(timeout) {
    this.timeout = timeout;
    this.page.setDefaultTimeout(timeout);
  }

  /** Opens a list with a key, types into it and clicks the first of `rows`; with `reached`, until that is there. */
  pick(key, text, rows, reached) {
    return this.again(async () => {
      if (await this.input.isVisible()) await this.page.keyboard.press('Escape'); // in an open list the key moves the choice
      await this.page.keyboard.press(key);
      await this.input.fill(text);
      await rows.first().click();
    }, reached);
  }

  run(title) {
    return this.pick('F1', `>${title}`, this.rows.filter({ hasText: title }));
  }

  async answer(title, text) {
    await this.page.locator('.quick-input-title', { hasText: title }).waitFor();
    await this.input.fill(text);
    await this.input.press('Enter'); // another part of the window may have the focus by now
  }

  /** Opens a file; `path` is typed when its name alone does not say which. */
  file(name, path = name, rows = this.rows.filter({ hasText: name })) {
    return this.pick('Control+p', path, rows, this.tab(name));
  }

  /** Opens the list of Recall and types a question, until `reached` is there: the list closes when it loses the focus. */
  recall(question, reached, title = 'Muninn: Recall') {
    return this.again(async () => {
      await this.run('Muninn: Recall');
      await this.page.locator('.quick-input-title', { hasText: title }).waitFor();
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
    const end = performance.now() + LIMIT;
    while (!ok()) {
      if (performance.now() > end) throw new Error(`not so after ${LIMIT} ms: ${ok}`);
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
