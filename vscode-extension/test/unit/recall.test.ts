import { beforeEach, expect, test, vi } from 'vitest';
import { Failure } from '../../src/failure';
import { recall, Recent } from '../../src/commands/recall';

type Listener = (event: never) => void;

/** The list of VS Code, with events that a test fires. */
class List {
  value = '';
  busy = false;
  items: readonly { readonly hit?: unknown; readonly buttons?: readonly unknown[] }[] = [];
  readonly activeItems: readonly unknown[] = [];
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

const shared = vi.hoisted(() => ({ list: undefined as unknown }));

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
  workspace: { getConfiguration: () => ({ get: (_name: string, value: unknown) => value }) },
  window: {
    activeTextEditor: undefined,
    createQuickPick: () => shared.list,
    showTextDocument: () => Promise.reject(new Error('the file is gone')),
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
