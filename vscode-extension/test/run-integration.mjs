// Runs the suites of dist/test (mocha) inside a real extension host with a real muninn: those of one repository, then
// those of a window with several. VERBOSE=1 shows the workbench's own log, too; a name (`one`, `several`) runs the half.
import { format } from 'node:util';
import { muninn, repository, workspace } from './repository.mjs';
import { extensionDir, openVSCode } from './vscode.mjs';

const LIMIT = 1_500_000;
const OURS = '[test] ';

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

/** Runs `entry` of dist/test in a window on `place`, { folder } or { workspace }. Resolves to the exit status. */
async function run(entry, place) {
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
      ['extensionTestsPath', remote(`${extensionDir}/dist/test/${entry}`)],
    ];
    await page.goto(`${url}?${new URLSearchParams({ ...place, payload: JSON.stringify(payload) })}`, { timeout: LIMIT });
    return await ended;
  } finally {
    await close();
  }
}

const WINDOWS = {
  one: () => {
    const { root, remove } = repository();
    return { place: { folder: root }, remove };
  },
  several: () => {
    const { file, remove } = workspace();
    return { place: { workspace: file }, remove };
  },
};

for (const [entry, open] of Object.entries(WINDOWS)) {
  if (process.argv[2] && process.argv[2] !== entry) continue;
  tested = false;
  const { place, remove } = open();
  try {
    process.exitCode ||= await run(entry, place);
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
}
