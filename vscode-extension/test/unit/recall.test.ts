import { beforeEach, expect, test, vi } from 'vitest';
import { Failure } from '../../src/failure';
import { recall, Recent } from '../../src/commands/recall';

type Listener = (event: never) => void;

/** The list of VS Code, with events that a test fires. */
class List {
  value = '';
  busy = false;
  items: readonly { readonly hit?: unknown; readonly buttons?: readonly unknown[] }[] = [];
  activeItems: readonly unknown[] = [];
  readonly selectedItems: readonly unknown[] = [];
  readonly listeners = new Map<string, Listener>();
  readonly onDidChangeValue = this.event('value');
  readonly onDidChangeActive = this.event('active');
  readonly onDidTriggerItemButton = this.event('button');
  readonly onDidAccept = this.event('accept');
  readonly onDidHide = this.event('hide');
  readonly show = (): void => undefined;
  readonly dispose = (): void => undefined;
  readonly hide = (): void => this.fire('hide', undefined);
  fire(name: string, event: unknown): void {
    this.listeners.get(name)?.(event as never);
  }
  private event(name: string): (listener: Listener) => void {
    return (listener) => void this.listeners.set(name, listener);
  }
}

const shared = vi.hoisted(() => ({ list: undefined as unknown, load: () => {}, fail: (_error: Error) => {}, opened: 0 }));

/** Loads a document when the test calls `load` or `fail`. */
function loaded(): Promise<object> {
  return new Promise((resolve, reject) => Object.assign(shared, { load: () => resolve({}), fail: reject }));
}

vi.mock('vscode', () => ({
  ThemeIcon: class {},
  CancellationTokenSource: class {
    readonly token = {};
    readonly cancel = (): void => undefined;
    readonly dispose = (): void => undefined;
  },
  QuickPickItemKind: { Separator: -1 },
  ViewColumn: { Active: -1, Beside: -2 },
  Uri: { file: (path: string) => path },
  workspace: {
    getConfiguration: () => ({ get: (_name: string, value: unknown) => value }),
    openTextDocument: () => loaded(),
  },
  window: {
    activeTextEditor: undefined,
    createQuickPick: () => shared.list,
    showTextDocument: async (what: unknown) => {
      if (typeof what === 'string') await loaded();
      shared.opened += 1;
      return {};
    },
  },
}));

const HIT = { id: 'a', kind: 'code', path: 'a.py', start_line: 1, end_line: 1, text: 'a', title: '', symbol: '', repository: '', origin: '', snippet: [], why: [], cites: [] };

let list: List;
let answer: (error?: Error) => void;

/** Opens the list with a question; the test gives the answer. */
function opened(): Promise<void> {
  list = new List();
  shared.list = list;
  const result = { hits: [HIT], remembered: [], notes: [], saw: { index: { lag: 0 } } };
  const request = (): Promise<unknown> =>
    new Promise((resolve, reject) => (answer = (error) => (error ? reject(error) : resolve(result))));
  const server = { label: 'Muninn', folder: {}, request, file: (path: string) => path };
  const recent = new Recent({ get: (_name: string, value: unknown) => value, update: async () => undefined } as never);
  return recall(server as never, { reader: { page: undefined, close: () => undefined } } as never, recent, 'a');
}

beforeEach(() => void (answer = undefined as never));

test('what a button of a row starts fails with its error', async () => {
  const failed = expect(opened()).rejects.toThrow('the file is gone');
  await vi.waitFor(() => answer());
  await vi.waitFor(() => expect(list.items).toHaveLength(1));
  const [item] = list.items;
  list.fire('button', { item, button: item?.buttons?.[0] });
  shared.fail(new Error('the file is gone'));
  await failed;
});

test('the list is not busy after the question was deleted', async () => {
  const closed = opened();
  await vi.waitFor(() => expect(list.busy).toBe(true));
  list.value = '';
  list.fire('value', '');
  await vi.waitFor(() => expect(list.busy).toBe(false));
  answer(new Failure('cancelled', 'cancelled'));
  list.hide();
  await closed;
});

test('a file that loads slowly is not shown after the list was closed', async () => {
  const closed = opened();
  await vi.waitFor(() => answer());
  await vi.waitFor(() => expect(list.items).toHaveLength(1));
  list.activeItems = list.items;
  list.fire('active', list.items);
  list.hide();
  await closed;
  shared.load();
  await new Promise((done) => void setImmediate(done));
  expect(shared.opened).toBe(0);
});
