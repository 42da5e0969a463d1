// Runs dist/test/index.js (mocha) inside a real extension host, on a real repository with a real muninn.
// VERBOSE=1 shows the workbench's own log, too.
import { format } from 'node:util';
import { repository, muninn } from './repository.mjs';
import { extensionDir, openVSCode } from './vscode.mjs';

const LIMIT = 180_000;
const OURS = '[test] ';

const { root, remove } = repository();
const complaints = [];
let tested = false;

function hear(type, args) {
  const text = format(...args);
  if (text.startsWith(OURS)) {
    tested = true;
    console.log(text.slice(OURS.length));
  } else if (process.env.VERBOSE) {
    console.log(`${type}: ${text}`);
  } else if (type === 'error') {
    complaints.push(text);
  }
}

async function run() {
  const settings = { 'muninn.server.command': [muninn, 'lsp'] };
  const { url, authority, page, close } = await openVSCode({ settings, driver: true });
  try {
    // The workbench reports to two functions of the page.
    await page.exposeFunction('codeAutomationLog', hear);
    const ended = new Promise((resolve, reject) => {
      setTimeout(() => reject(new Error(`no result in ${LIMIT} ms`)), LIMIT).unref();
      page.exposeFunction('codeAutomationExit', resolve);
    });
    const remote = (file) => `vscode-remote://${authority}${file}`;
    const payload = [
      ['extensionDevelopmentPath', remote(extensionDir)],
      ['extensionTestsPath', remote(`${extensionDir}/dist/test/index`)],
    ];
    await page.goto(`${url}?${new URLSearchParams({ folder: root, payload: JSON.stringify(payload) })}`);
    return await ended;
  } finally {
    await close();
  }
}

try {
  process.exitCode = await run();
} catch (error) {
  console.error(error);
  process.exitCode = 1;
} finally {
  remove();
}
if (!tested) {
  console.error(['No test ran. The workbench said:', ...complaints].join('\n'));
  process.exitCode = 1;
}
