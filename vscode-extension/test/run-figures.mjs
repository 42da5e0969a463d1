// Measures response times in a real VS Code: node test/run-figures.mjs FOLDER FILE [WORDS…]
// FOLDER is a repository with memory, FILE one of its files with a lens. Nothing in FOLDER is changed.
import { execFileSync } from 'node:child_process';
import { statSync } from 'node:fs';
import path from 'node:path';
import { version } from '../scripts/version.mjs';
import { muninn } from './repository.mjs';
import { extensionDir, openVSCode } from './vscode.mjs';

const ROUNDS = 4;
const QUESTIONS = ['request middleware', 'template loader cache', 'query set filter', 'form field validation', 'session engine', 'url resolver'];

const [folder, file, ...given] = process.argv.slice(2);
if (!folder || !file) {
  console.error('usage: node test/run-figures.mjs FOLDER FILE [WORDS…]');
  process.exit(2);
}
const vsix = path.join(extensionDir, `muninn-${version()}.vsix`);
const settings = { 'muninn.server.command': [muninn, 'lsp'] };
const took = async (wait) => {
  const begin = performance.now();
  await wait();
  return performance.now() - begin;
};
const told = (name, values) => {
  const sorted = [...values].sort((a, b) => a - b);
  const at = (part) => Math.round(sorted[Math.min(sorted.length - 1, Math.floor(part * sorted.length))]);
  console.log(`${name}: p50 ${at(0.5)} ms, p95 ${at(0.95)} ms, ${sorted.length} times`);
};

/** Opens a window with the file, waits for its text and its first lens, and does `use` in it. */
async function inWindow(use) {
  const { url, authority, page, close } = await openVSCode({ settings, vsix });
  try {
    page.setDefaultTimeout(120_000);
    const payload = JSON.stringify([['openFile', `vscode-remote://${authority}${path.join(folder, file)}`]]);
    const shown = page.locator('.view-lines .view-line').first();
    const lens = page.locator('.codelens-decoration a').first();
    const begin = performance.now();
    await page.goto(`${url}?${new URLSearchParams({ folder, payload })}`);
    await shown.waitFor();
    const text = performance.now() - begin;
    await page.locator('.statusbar-item[id="muninn.muninn.muninn.status"]').waitFor();
    const begun = performance.now() - begin;
    await lens.waitFor();
    await use(page, { text, begun, lens: performance.now() - begin });
  } finally {
    await close();
  }
}

/** Types one question after the other into one list. */
async function recall(page, words, times) {
  const input = page.locator('.quick-input-widget input[type="text"]');
  await page.locator('.view-lines .view-line').first().click();
  await page.keyboard.press('F1');
  await input.fill('>Muninn: Recall');
  await page.locator('.quick-input-list .monaco-list-row', { hasText: 'Muninn: Recall' }).first().click();
  await page.locator('.quick-input-title', { hasText: 'Muninn: Recall' }).waitFor();
  for (const query of words) {
    await input.fill(query);
    times.push(await took(() => page.locator('.quick-input-title', { hasText: `for “${query}”` }).waitFor()));
  }
}

const stop = () => execFileSync(muninn, ['daemon', 'stop', '--repo', folder], { stdio: 'ignore' });
console.log(`package: ${Math.round(statSync(vsix).size / 1024)} KiB, bundle ${Math.round(statSync(path.join(extensionDir, 'dist/extension.js')).size / 1024)} KiB`);
const texts = [];
const begins = [];
const cold = [];
const warm = [];
const answers = [];
for (let round = 0; round < ROUNDS; round += 1) {
  const without = round % 2 === 0;
  if (without) stop();
  await inWindow(async (page, { text, begun, lens }) => {
    texts.push(text);
    begins.push(begun);
    (without ? cold : warm).push(lens);
    await recall(page, given.length ? given : QUESTIONS, answers);
  });
}
told('from opening the window to the text of the file', texts);
told('from opening the window until VS Code begins the extension', begins);
told('from opening the window to the first lens, no daemon before', cold);
told('from opening the window to the first lens, with a daemon', warm);
told('recall quick pick, from the last key to the hits (120 ms of it are the pause)', answers);
stop();
