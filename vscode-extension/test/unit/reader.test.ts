import { beforeEach, expect, test, vi } from 'vitest';
import type { Repositories } from '../../src/repositories';
import { Failure } from '../../src/failure';
import { Reader } from '../../src/reader';
import type { Server } from '../../src/server';

const rendered: { readonly text: string; readonly done: (html: string) => void }[] = [];
let viewed: () => void;
const panel = {
  webview: { html: '' }, visible: true, active: true, title: '',
  reveal: () => undefined, onDidDispose: () => undefined, onDidChangeViewState: (listener: () => void) => void (viewed = listener), dispose: vi.fn(),
};

vi.mock('vscode', () => ({
  ViewColumn: { Active: -1, Beside: -2 },
  workspace: { isTrusted: true },
  window: { createWebviewPanel: () => panel, tabGroups: { activeTabGroup: {} } },
  commands: { executeCommand: (_name: string, text: string) => new Promise((done) => void rendered.push({ text, done })) },
}));

/** A server whose answers a test gives, by address. */
class Answers {
  readonly key = 'k';
  readonly state = { phase: 'running' };
  readonly waiting = new Map<string, () => void>();
  readonly failing = new Map<string, (error: Error) => void>();
  request(_verb: string, { uri }: { uri: string }): Promise<{ title: string; text: string }> {
    return new Promise((resolve, reject) => {
      this.waiting.set(uri, () => resolve({ title: uri, text: `text of ${uri}` }));
      this.failing.set(uri, reject);
    });
  }
}

let server: Answers;
let reader: Reader;
let changed: (server: Answers) => void;

beforeEach(() => {
  rendered.length = 0;
  panel.dispose.mockClear();
  server = new Answers();
  const repositories = { onDidChangeState: (listener: typeof changed) => void (changed = listener), selectKey: () => undefined };
  reader = new Reader(repositories as unknown as Repositories, undefined as never);
});

const open = (address: string): Promise<void> => reader.open(server as unknown as Server, address);
const answer = (address: string): Promise<void> => vi.waitFor(() => server.waiting.get(address)!());
const render = (address: string): Promise<void> =>
  vi.waitFor(() => rendered.find(({ text }) => text.includes(address))!.done(`<p>${address}</p>`));
const settled = (): Promise<void> => new Promise((done) => void setImmediate(done));

test('of two pages the one that was asked for last is shown, in whatever order the answers come', async () => {
  const both = [open('one'), open('two')];
  await answer('two');
  await render('two');
  await answer('one');
  await settled();
  rendered.find(({ text }) => text.includes('one'))?.done('<p>one</p>');
  await Promise.all(both);
  expect(panel.webview.html).toContain('<p>two</p>');
});

test('a refresh of the page before does not replace a page that was opened meanwhile', async () => {
  const first = open('one');
  await answer('one');
  await render('one');
  await first;
  rendered.length = 0;
  changed(server);
  await answer('one'); // its text is rendered slowly
  await vi.waitFor(() => expect(rendered).toHaveLength(1));
  const second = open('two');
  await answer('two');
  await render('two');
  await second;
  await render('one');
  await settled();
  expect(panel.webview.html).toContain('<p>two</p>');
});

async function opened(address: string): Promise<void> {
  const page = open(address);
  await answer(address);
  await render(address);
  await page;
}

test.each(['ended', 'stopping'] as const)('a page stays when the server ends during a refresh (%s)', async (kind) => {
  await opened('one');
  changed(server);
  server.failing.get('one')!(new Failure(kind, 'no answer'));
  await settled();
  expect(panel.dispose).not.toHaveBeenCalled();
});

test('a page closes when its document is gone', async () => {
  await opened('one');
  changed(server);
  server.failing.get('one')!(new Failure('not_found', 'no such memory'));
  await settled();
  expect(panel.dispose).toHaveBeenCalledOnce();
});

test('a failed refresh of the page before does not close the page that was opened meanwhile', async () => {
  await opened('one');
  changed(server);
  const fail = server.failing.get('one')!;
  rendered.length = 0;
  await opened('two');
  fail(new Failure('not_found', 'no such memory'));
  await settled();
  expect(panel.dispose).not.toHaveBeenCalled();
});

test('a page whose memory changed while the tab was hidden is requested again when it becomes visible', async () => {
  await opened('one');
  server.waiting.clear();
  panel.visible = false;
  changed(server);
  expect(server.waiting.size).toBe(0);
  panel.visible = true;
  viewed();
  expect([...server.waiting.keys()]).toEqual(['one']);
});
