// Drives a real Chromium through the page of `muninn open`. The configuration is JSON in PAGE; each check prints a line of
// JSON: its name, and what is wrong, "" when nothing is.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import http from 'node:http';
import { createRequire } from 'node:module';

const given = JSON.parse(process.env.PAGE);
const require = createRequire(given.modules);
const { chromium } = require('playwright-core');
const axe = readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8');
const ROOMS = ['memory', 'waiting', 'sessions', 'now', 'code', 'cost', 'health'];
const WIDTHS = [360, 1280, 2560];
const PATIENCE = 120_000;

const wrong = [];
const referrers = [];
const browser = await chromium.launch({
  executablePath: given.chromium,
  args: ['--no-sandbox', '--disable-gpu', '--disable-background-networking', '--disable-component-update', '--no-first-run'],
});
const context = await browser.newContext({ viewport: { width: 1280, height: 900 } });
context.setDefaultTimeout(PATIENCE);

async function check(name, work) {
  let problem;
  try {
    problem = (await work()) ?? '';
  } catch (error) {
    problem = String(error.stack ?? error);
  }
  process.stdout.write(`${JSON.stringify({ name, problem })}\n`);
}

/** Note what a hostile text would do: open a dialog, run a script, be refused by the policy. */
function watch(page) {
  page.on('dialog', (dialog) => {
    wrong.push(`dialog: ${dialog.message()}`);
    dialog.dismiss();
  });
  page.on('pageerror', (error) => wrong.push(`error: ${error.message}`));
  page.on('console', (message) => /Content Security Policy|TrustedHTML/.test(message.text()) && wrong.push(message.text()));
  page.on('request', (request) => request.headers().referer && referrers.push(request.headers().referer));
}

async function enter(page, room) {
  await page.evaluate((hash) => (location.hash = hash), room);
  await page.waitForSelector(`[data-shows=${room.split('/')[0]}]`);
  await page.waitForFunction((hash) => decodeURIComponent(location.hash) === `#${hash}`, decodeURIComponent(room));
}

async function violations(page) {
  const found = await page.evaluate(async () => {
    const { violations } = await window.axe.run(document, { resultTypes: ['violations'] });
    return violations.map((each) => `${each.id}: ${each.nodes.map((node) => node.html).slice(0, 3).join(' ')}`);
  });
  return found.join('\n');
}

/** What is wrong with the drawings at a width: each fits into its figure, in one form, with texts that can be read. */
function misdrawn(page, width) {
  return page.evaluate((width) => [...document.querySelectorAll('figure:has(svg[role=group])')].filter((one) => one.checkVisibility()).flatMap((figure) => {
    const shown = [...figure.querySelectorAll('svg')].filter((svg) => svg.checkVisibility());
    if (shown.length !== 1) return [`${width}px: ${shown.length} forms of a drawing`];
    const out = [...shown[0].querySelectorAll('text')].filter((text) => {
      const [inner, outer] = [text.getBoundingClientRect(), figure.getBoundingClientRect()];
      return inner.left < outer.left - 1 || inner.right > outer.right + 1 || inner.height < 9;
    });
    return [figure.scrollWidth > figure.clientWidth ? `${width}px: a drawing scrolls sideways` : '', ...out.map((text) => `${width}px: ${text.textContent}`)].filter(Boolean);
  }), width);
}

const verb = (...words) => execFileSync(given.muninn, [...words, '--repo', given.repo], { encoding: 'utf8' });
const page = await context.newPage();
watch(page);

await check('the link leads to the page, and no address keeps it', async () => {
  await page.goto(given.link);
  await page.waitForSelector('[data-shows=memory]');
  if (/code=/.test(page.url())) return page.url();
  if (await page.evaluate(() => document.cookie)) return 'a script reads the cookie';
});
const home = page.url().replace(/#.*/, '');
await page.evaluate(axe);

for (const room of ROOMS) {
  await check(`room ${room}`, async () => {
    await enter(page, room);
    const alerts = await page.$$eval('[role=alert]', (all) => all.map((one) => one.textContent));
    const wide = [];
    for (const width of WIDTHS) {
      await page.setViewportSize({ width, height: 900 });
      const over = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
      if (over > 0) wide.push(`${width}px: ${over}px too wide`);
      wide.push(...(await misdrawn(page, width)));
    }
    if (room === 'code' && !(await page.locator('svg[role=group]:visible').count())) wide.push('nothing is drawn');
    await page.setViewportSize({ width: 1280, height: 900 });
    return [...alerts, ...wide, await violations(page)].filter(Boolean).join('\n');
  });
}

await check('a room of an unknown name or of no encoding is the room Memory or an error', async () => {
  await enter(page, 'health');
  await page.evaluate(() => (location.hash = '#memory/%'));
  await page.locator('[role=alert]', { hasText: "there is no memory '%'" }).waitFor();
  await page.evaluate(() => (location.hash = '#nothing'));
  await page.locator('[data-shows=memory]').waitFor();
});

await check('the dark colours have enough contrast', async () => {
  await page.emulateMedia({ colorScheme: 'dark', reducedMotion: 'reduce' }); // colours do not fade
  const found = [];
  for (const room of ['waiting', 'memory']) {
    await enter(page, room);
    found.push(await violations(page));
  }
  await page.emulateMedia({ colorScheme: 'light', reducedMotion: null });
  return found.filter(Boolean).join('\n');
});

await check('search shows the reasons of a rank', async () => {
  await enter(page, 'memory');
  await page.fill('input[name=q]', 'lighthouse lamp');
  const article = page.locator('article', { hasText: 'The lamp of the lighthouse' });
  await article.first().waitFor();
  await article.first().locator('summary', { hasText: 'Why it is here' }).click();
  await article.first().locator('meter').first().waitFor();
  return violations(page);
});

await check('a screen reader is told what a search finds, and which memory a button is about', async () => {
  await enter(page, 'memory');
  const status = page.locator('[role=status].count');
  await status.evaluate((one) => (window.first = one));
  await page.fill('input[name=q]', 'lighthouse lamp');
  await status.filter({ hasText: 'best first' }).waitFor();
  await page.fill('input[name=q]', 'zzqqxx');
  await status.filter({ hasText: 'Nothing answers' }).waitFor();
  if (!await page.evaluate(() => window.first.isConnected)) return 'the status was replaced: it is not read out';
  await page.fill('input[name=q]', '');
  await status.filter({ hasText: 'newest first' }).waitFor();
  if (!await page.evaluate(() => window.first.isConnected)) return 'the status was replaced';
  const about = await page.locator('article').first().evaluate((one) => {
    const fold = [...one.querySelectorAll('summary')].at(-1);
    return document.getElementById(fold.getAttribute('aria-describedby')) === one.querySelector('h2');
  });
  if (!about) return 'the details do not say whose they are';
  if (await page.getAttribute('main', 'aria-label') !== 'Memory') return 'the room has no name';
});

await check('the focus stays where a key was pressed', async () => {
  await enter(page, `memory/${given.edited}`);
  const article = page.locator(`#m-${given.edited}`);
  const focused = () => page.evaluate(() => document.activeElement.textContent);
  const edit = article.locator('button', { hasText: 'Edit' });
  await edit.press('Enter');
  await article.locator('input[name=title]').press('Escape');
  if (await focused() !== 'Edit') return `after Escape it is on ${await focused()}`;
  await edit.press('Enter');
  await article.locator('button', { hasText: 'Cancel' }).press('Enter');
  if (await focused() !== 'Edit') return `after Cancel it is on ${await focused()}`;
  await context.route('**/rpc*', (route) => route.abort());
  await article.locator('button', { hasText: /^Pin$/ }).press('Enter');
  await article.locator('[role=alert]').waitFor();
  await context.unroute('**/rpc*');
  await page.waitForFunction(() => document.activeElement.textContent === 'Pin');
});

await check('a memory is edited, forgotten and restored', async () => {
  await enter(page, `memory/${given.edited}`);
  const article = page.locator(`#m-${given.edited}`);
  await article.locator('h3:has-text("Answers") + ul > li', { hasText: 'How fast is the beam?' }).waitFor();
  await article.locator('button', { hasText: 'Edit' }).click();
  await article.locator('textarea[name=text]').fill('The lamp turns once in twelve seconds.');
  await article.locator('textarea[name=questions]').fill('How long is a dark phase?\n\nIs the beam too slow?');
  const bad = await violations(page);
  if (bad) return bad;
  let sent = 0;
  const counting = (request) => (sent += request.postData()?.includes('"muninn/update"') ? 1 : 0);
  page.on('request', counting);
  await article.locator('form.edit').evaluate((form) => [form.requestSubmit(), form.requestSubmit()]); // Enter twice
  await page.locator('h2', { hasText: 'once in twelve seconds' }).waitFor();
  page.off('request', counting);
  if (sent !== 1) return `the edit was sent ${sent} times`;
  await article.locator('summary').last().click();
  await article.locator('h3:has-text("Answers") + ul > li').nth(1).waitFor();
  const asked = await article.locator('h3:has-text("Answers") + ul > li').allTextContents();
  if (asked.join('|') !== 'How long is a dark phase?|Is the beam too slow?') return `the questions are ${asked}`;
  await article.locator('button', { hasText: 'Forget' }).click();
  await article.locator('form button', { hasText: 'Forget' }).click();
  await article.locator('.state', { hasText: 'archived' }).waitFor();
  await article.locator('summary').last().click();
  await article.locator('button', { hasText: 'Restore' }).click();
  await article.locator('.state', { hasText: 'archived' }).waitFor({ state: 'detached' });
});

await check('a redaction needs the typed confirmation', async () => {
  await enter(page, `memory/${given.redacted}`);
  const article = page.locator(`#m-${given.redacted}`);
  await article.locator('button', { hasText: 'Redact' }).click();
  await article.locator('input[name=confirm]').fill('wrong');
  await article.locator('button', { hasText: 'Redact for good' }).click();
  await article.locator('[role=alert]', { hasText: 'nothing was redacted' }).waitFor();
  await article.locator('input[name=confirm]').fill(given.redacted.slice(-6));
  await article.locator('button', { hasText: 'Redact for good' }).click();
  await article.locator('.state', { hasText: 'redacted' }).waitFor();
});

await check('keys decide what waits', async () => {
  await enter(page, 'waiting');
  const before = await page.locator('.item').count();
  await page.keyboard.press('j');
  const label = await page.evaluate(() => document.activeElement.getAttribute('aria-label'));
  if (label !== 'A contradiction') return `the focus is on ${label}`;
  await page.keyboard.press('l');
  await page.waitForFunction((number) => document.querySelectorAll('.item').length === number - 1, before);
  if (JSON.parse(verb('conflicts', '--json')).conflicts.length) return 'the conflict is still open';
  if (await page.locator('section[aria-label=Contradictions]').count()) return 'the section without items stays';
  const left = await page.locator('.item').count();
  const lead = await page.locator('.lead').textContent();
  if (!lead.startsWith(left ? `${left} decision` : 'Nothing waits')) return `${left} wait, and it says: ${lead}`;
  if (!await page.evaluate(() => document.activeElement.matches('.item, .lead'))) return 'the focus is lost';
});

await check('a session shows its events in order', async () => {
  await enter(page, 'sessions/s-page');
  const kinds = await page.$$eval('.events > li', (all) => all.map((one) => one.dataset.type));
  if (kinds.join() !== 'given,prompt,tool_call,answer') return `it shows: ${kinds.join()}`;
});

await check('a session shows what came of what was given', async () => {
  await enter(page, 'sessions/s-page');
  const given = page.locator('[data-type=given]').first();
  await given.locator('summary').click();
  await given.locator('.state', { hasText: 'unused' }).first().waitFor();
  await given.locator('a', { hasText: 'The lamp of the lighthouse' }).waitFor();
  const problems = await violations(page);
  if (problems) return problems;
  await given.locator('a', { hasText: 'The lamp of the lighthouse' }).click();
  await page.locator('article dd', { hasText: /^[1-9] times?, used [0-9], refuted 0$/ }).waitFor();
});

await check('a session of hooks shows turns, commits and what was kept', async () => {
  await enter(page, 'sessions/s-hooks');
  const turn = page.locator('section[aria-label="Turn 1"]');
  const kinds = await turn.locator('.events > li').evaluateAll((all) => all.map((one) => one.dataset.type));
  if (kinds.join() !== 'prompt,tool_call,tool_call,tool_call,answer') return `the turn shows ${kinds.join()}`;
  await turn.locator('li', { hasText: 'make lamp' }).first().locator('.bad', { hasText: 'failed' }).waitFor();
  await page.locator('[data-type=given]', { hasText: 'by brief' }).waitFor();
  await page.locator('section[aria-label=Commits] li', { hasText: 'Burn gas in the lamp' }).locator('a', { hasText: 'src/users.py' }).waitFor();
  await page.locator('section[aria-label="What was kept"] article', { hasText: 'Burn gas in the lamp' }).waitFor();
  return violations(page);
});

const MARKUP = `${['script', 'img', 'iframe', 'b', 'style', 'math', 'object', 'base', 'meta', 'animate'].map((name) => `main ${name}`).join(', ')},
  main a[href^="javascript:"], main form[action], main [srcdoc], main [onerror], main [onload], main [ontoggle], main [onfocus]`;

await check('hostile texts are texts', async () => {
  for (const room of ['memory', 'waiting', 'now', 'sessions/s-odd', 'code', `code/${encodeURIComponent(given.file)}`, `memory/${given.hostile}`]) {
    await enter(page, room);
    for (const closed of (await page.$$('main details:not([open]) > summary')).slice(0, 30)) await closed.evaluate((one) => one.click());
    await page.waitForFunction(() => !document.querySelector('main details[open] > :empty'));
    const found = await page.$$eval(MARKUP, (all) => all.map((one) => one.outerHTML));
    const alerts = await page.$$eval('main [role=alert]', (all) => all.map((one) => one.textContent));
    if (found.length || alerts.length) return `${room}: ${found} ${alerts}`;
  }
  await page.locator('text=window.hacked').first().waitFor();
  if (await page.evaluate(() => 'hacked' in window)) return 'a script ran';
  if (wrong.length) return wrong.join('\n');
});

await check('events of one moment are in the order of the journal', async () => {
  for (const text of ['first of a moment', 'second of a moment', 'third of a moment']) {
    verb('event', 'append', 'note', '--payload', `text=${text}`, '--occurred-at', '2026-01-01T00:00:00Z');
  }
  const order = () => page.$$eval('.events > li', (all) => all.map((one) => one.textContent.match(/(first|second|third) of a moment/)?.[1]).filter(Boolean).join());
  await enter(page, 'memory');
  await enter(page, 'now');
  await page.locator('.events', { hasText: 'third of a moment' }).waitFor();
  if (await order() !== 'third,second,first') return `from the journal: ${await order()}`;
});

await check('a page of another origin calls nothing and shows nothing', async () => {
  const other = http.createServer((_, response) => response.setHeader('content-type', 'text/html').end('<p>elsewhere</p>'));
  await new Promise((done) => other.listen(0, '127.0.0.1', done));
  const stranger = await context.newPage();
  await stranger.goto(`http://127.0.0.1:${other.address().port}/`);
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'muninn/forget', params: { id: given.hostile } });
  const outcome = await stranger.evaluate(async ([target, data]) => {
    const found = [];
    for (const type of ['application/json', 'text/plain']) {
      try {
        const options = { method: 'POST', credentials: 'include', headers: { 'Content-Type': type }, body: data };
        found.push((await fetch(`${target}rpc`, options)).status);
      } catch {
        found.push('refused');
      }
    }
    const frame = document.createElement('iframe');
    frame.src = target;
    const loaded = new Promise((done) => (frame.onload = done));
    document.body.append(frame);
    await loaded;
    return [...found, frame.contentDocument === null ? 'closed' : 'open'];
  }, [home, body]);
  await stranger.close();
  other.close();
  if (outcome.join() !== 'refused,refused,closed') return outcome.join();
  if (JSON.parse(verb('show', given.hostile, '--json')).memory.archived) return 'the call was carried out';
});

await check('events go on after the daemon is killed', async () => {
  await enter(page, 'now');
  await page.waitForSelector('#live.on');
  verb('event', 'append', 'note', '--payload', 'text=before the end');
  await page.locator('.events', { hasText: 'before the end' }).waitFor();
  const broken = page.waitForSelector('#live.off'); // looked for from now on: it does not last
  process.kill(given.pid, 'SIGKILL');
  await broken;
  await page.waitForSelector('#live.on');
  verb('event', 'append', 'note', '--payload', 'text=after the end');
  await page.locator('.events', { hasText: 'after the end' }).waitFor({ timeout: 4 * PATIENCE });
  const shown = await page.$$eval('.events > li', (all) => all.filter((one) => /before the end/.test(one.textContent)).length);
  if (shown !== 1) return `${shown} times`;
  await enter(page, 'memory');
  if (await page.$('[role=alert]')) return 'the page lost its rights';
});

await check('an hour of the page runs nothing', async () => {
  const idle = await context.newPage();
  await idle.clock.install();
  await idle.goto(`${home}#memory`);
  await idle.waitForSelector('[data-shows=memory]');
  await idle.waitForSelector('#live.on');
  await idle.clock.runFor(2000); // what belongs to the start
  const requests = [];
  idle.on('request', (request) => requests.push(request.url()));
  await idle.evaluate(() => {
    window.changes = 0;
    new MutationObserver(() => (window.changes += 1)).observe(document, { subtree: true, childList: true, attributes: true, characterData: true });
  });
  for (let part = 0; part < 6; part++) await idle.clock.fastForward('10:00'); // a timer that is due runs once in each
  const changes = await idle.evaluate(() => window.changes);
  await idle.close();
  if (requests.length || changes) return `${requests.join(' ')}, ${changes} changes`;
});

await check('another repository is listed, shown and followed', async () => {
  await enter(page, 'memory');
  await page.locator('.repositories summary').click();
  const link = page.locator('.repositories a', { hasText: given.other });
  await link.waitFor();
  const bad = await violations(page);
  if (bad) return bad;
  await page.keyboard.press('Escape');
  if (await link.isVisible()) return 'Escape leaves the list open';
  await page.locator('.repositories summary').press('Enter');
  await link.click();
  await page.locator('article', { hasText: 'The other harbour' }).waitFor();
  await enter(page, 'now');
  await page.waitForSelector('#live.on');
  verb('event', 'append', 'note', '--payload', 'text=in the first repository');
  await page.locator('.events li', { hasText: 'in the first repository' }).locator('.where').waitFor({ timeout: 4 * PATIENCE });
  await page.evaluate(axe);
  const problems = await violations(page);
  await page.goto(home);
  await page.waitForSelector('[data-shows=memory]');
  await page.evaluate(axe);
  return problems;
});

await check('no request names where it came from', () => referrers.join('\n'));

await check('memory is listed without scripts', async () => {
  const cookies = await context.cookies(home);
  const plain = await browser.newContext({ javaScriptEnabled: false });
  await plain.addCookies(cookies);
  const bare = await plain.newPage();
  await bare.goto(`${home}?q=lighthouse`);
  const found = await bare.locator('article').count();
  await plain.close();
  if (!found) return 'nothing is listed';
});

await check('the exported page searches without a network', async () => {
  const offline = await browser.newContext({ offline: true });
  const file = await offline.newPage();
  watch(file);
  await file.goto(`file://${given.exported}`);
  await file.locator('.count', { hasText: 'newest first' }).waitFor();
  const all = await file.locator('article').count();
  await file.fill('input[name=q]', 'lighth');
  const took = await file.evaluate(() => {
    const begun = performance.now();
    document.querySelector('form').dispatchEvent(new Event('input'));
    return performance.now() - begun;
  });
  const shown = await file.locator('article:visible').count();
  if (!shown || shown >= all) return `${shown} of ${all}`;
  await file.fill('input[name=q]', '');
  await file.locator('#graph summary').click();
  const node = file.locator('#graph a:visible', { hasText: 'The lamp of the lighthouse' });
  await node.click();
  const shownAt = await file.evaluate(() => document.querySelector(location.hash).textContent);
  if (!shownAt.includes('The lamp of the lighthouse')) return `the graph leads to ${shownAt}`;
  await file.evaluate(axe);
  const found = await violations(file);
  await file.setViewportSize({ width: 360, height: 900 });
  const over = await file.evaluate(() => document.documentElement.scrollWidth - innerWidth);
  const drawings = [...(await misdrawn(file, 360)), (await file.locator('#graph svg.narrow:visible').count()) ? '' : 'nothing is drawn'];
  await offline.close();
  if (over > 0) return `${over}px too wide`;
  if (drawings.some(Boolean)) return drawings.join('\n');
  return [found, took > 1000 ? `${took} ms` : '', ...wrong].filter(Boolean).join('\n');
});

await browser.close();
