import { beforeEach, expect, test, vi } from 'vitest';
import type { Repositories } from '../../src/repositories';
import { Reader } from '../../src/reader';
import type { Server } from '../../src/server';

const rendered: { readonly text: string; readonly done: (html: string) => void }[] = [];
const panel = {
  webview: { html: '' }, visible: true, active: true, title: '',
  reveal: () => undefined, onDidDispose: () => undefined, onDidChangeViewState: () => undefined, dispose: () => undefined,
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
  request(_verb: string, { uri }: { uri: string }): Promise<{ title: string; text: string }> {
    return new Promise((resolve) => this.waiting.set(uri, () => resolve({ title: uri, text: `text of ${uri}` })));
  }
}

let server: Answers;
let reader: Reader;
let changed: (server: Answers) => void;

beforeEach(() => {
  rendered.length = 0;
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
