// Measures the page of `muninn open` in Chromium. PAGE has the configuration as JSON; the result is a line of JSON.
import { createRequire } from 'node:module';

const given = JSON.parse(process.env.PAGE);
const { chromium } = createRequire(given.modules)('playwright-core');
const browser = await chromium.launch({ executablePath: given.chromium, args: ['--no-sandbox', '--disable-gpu', '--no-first-run'] });
const context = await browser.newContext({ viewport: { width: 1280, height: 900 } });
context.setDefaultTimeout(300_000); // a busy machine gives a bad figure, and no failure
context.setDefaultNavigationTimeout(300_000);
const page = await context.newPage();
const slow = await context.newCDPSession(page);

async function slowed(target, work) {
  const session = target === page ? slow : await target.context().newCDPSession(target);
  await session.send('Emulation.setCPUThrottlingRate', { rate: given.slowdown });
  const found = await work();
  await session.send('Emulation.setCPUThrottlingRate', { rate: 1 });
  return found;
}

/** Milliseconds from the input of a text until the place of the results was changed, measured in the page. */
const answered = (target, text, place) => target.evaluate(async ([words, results]) => {
  const field = document.querySelector('input[name=q]');
  const changed = new Promise((done) => new MutationObserver(done).observe(document.querySelector(results), { childList: true }));
  const begun = performance.now();
  field.value = words;
  field.dispatchEvent(new Event('input', { bubbles: true }));
  await changed;
  await new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
  return performance.now() - begun;
}, [text, place]);

/** Milliseconds of a search that is done when its input has been handled. */
const searched = (target, text) => target.evaluate(async (words) => {
  const field = document.querySelector('input[name=q]');
  const begun = performance.now();
  field.value = words;
  field.dispatchEvent(new Event('input', { bubbles: true }));
  await new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
  return performance.now() - begun;
}, text);

const found = { paint: [], list: [], search: [], key: [], live: [] };
await page.goto(given.link);
await page.waitForSelector('[data-shows=memory] article');
const home = page.url();
for (let run = 0; run < given.runs; run++) {
  await slowed(page, async () => {
    await page.goto('about:blank');
    await page.goto(home);
    await page.waitForSelector('[data-shows=memory] article');
    const [paint, list] = await page.evaluate(() => [performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? 0, performance.now()]);
    found.paint.push(paint);
    found.list.push(list);
    found.key.push(await searched(page, 'a')); // without the answer of the daemon
    await page.waitForTimeout(500);
    for (const words of given.questions.slice(run * 3, run * 3 + 3)) found.search.push(await answered(page, words, '.results'));
  });
}

await page.goto(`${home.split('#')[0]}#now`);
await page.waitForSelector('#live.on');
process.stdout.write('{"ready":true}\n');
await page.exposeFunction('shown', (text) => process.stdout.write(`${JSON.stringify({ shown: text, at: Date.now() })}\n`));
await page.evaluate(() => {
  const seen = new Set();
  new MutationObserver(() => {
    for (const item of document.querySelectorAll('.events li')) {
      const mark = /mark-\d+/.exec(item.textContent)?.[0];
      if (mark && !seen.has(mark)) {
        seen.add(mark);
        window.shown(mark);
      }
    }
  }).observe(document.getElementById('main'), { subtree: true, childList: true });
});
process.stdout.write('{"watching":true}\n');
await new Promise((done) => process.stdin.once('data', done));

const tabs = [];
for (let tab = 0; tab < given.tabs; tab++) {
  const one = await context.newPage();
  await one.goto(home);
  await one.waitForSelector('#live.on');
  tabs.push(one);
}
process.stdout.write('{"tabs":true}\n');
await new Promise((done) => process.stdin.once('data', done));
for (const one of tabs) await one.close();

const file = await context.newPage();
await slowed(file, async () => {
  const begun = Date.now();
  await file.goto(`file://${given.exported}`);
  await file.locator('.count', { hasText: 'newest first' }).waitFor();
  found.exportReady = Date.now() - begun;
  found.exportFirst = await searched(file, given.questions[0].split(' ')[0]);
  found.exportSearch = [];
  for (const words of given.questions.slice(1, 12)) found.exportSearch.push(await searched(file, words.split(' ').slice(0, 2).join(' ')));
});
process.stdout.write(`${JSON.stringify(found)}\n`);
await browser.close();
