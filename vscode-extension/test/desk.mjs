// A window of VS Code with the packaged .vsix, and what a person does there. Screenshots go to test-results/.
import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { version } from '../scripts/version.mjs';
import { muninn } from './repository.mjs';
import { extensionDir, openVSCode } from './vscode.mjs';

const LIMIT = Number(process.env.E2E_LIMIT ?? 60_000); // milliseconds

mkdirSync(path.join(extensionDir, 'test-results'), { recursive: true });
const shots = path.join(extensionDir, 'test-results');
const vsix = path.join(extensionDir, `muninn-${version()}.vsix`);
export const counts = { passed: 0, failed: 0 };

/** One window on a repository, with what a person does there. */
export class Desk {
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

  /** Presses a button of a row, which is there while the mouse is: a row that is written anew meanwhile wants it once more. */
  async press(row, label) {
    for (let tries = 0; ; tries += 1) {
      await this.page.mouse.move(640, 200);
      await row.hover();
      try {
        return await row.locator(`[aria-label^="${label}"]`).click({ timeout: 5_000 });
      } catch (error) {
        if (tries === 5) throw error;
      }
    }
  }

  /** Waits until something outside of the window is so. */
  async eventually(ok) {
    const end = performance.now() + LIMIT;
    while (!ok()) {
      if (performance.now() > end) throw new Error(`not so after ${LIMIT} ms: ${ok}`);
      await this.page.waitForTimeout(50);
    }
  }

  /** Waits for a text that a decoration shows: it is in the styles of the page alone. */
  decorated(within, text) {
    const shown = ([where, words]) => [...document.querySelectorAll(where)].some((each) => getComputedStyle(each, '::after').content.includes(words));
    return this.page.waitForFunction(shown, [within, text]);
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
