import { expect, test, vi } from 'vitest';
import { CurrentLine } from '../../src/currentLine';

const window = vi.hoisted(() => ({
  activeTextEditor: undefined as unknown,
  visibleTextEditors: [] as unknown[],
  activated: (): void => undefined,
}));

vi.mock('vscode', () => ({
  ThemeColor: class {},
  Range: class {},
  DecorationRangeBehavior: {},
  window: Object.assign(window, {
    createTextEditorDecorationType: () => ({ dispose: () => undefined }),
    onDidChangeTextEditorSelection: () => ({ dispose: () => undefined }),
    onDidChangeActiveTextEditor: (listener: () => void) => {
      window.activated = listener;
      return { dispose: () => undefined };
    },
  }),
  workspace: {
    onDidChangeConfiguration: () => ({ dispose: () => undefined }),
    getConfiguration: () => ({ get: () => true }),
  },
}));

/** An editor of a file; `shown` has what is behind its lines. */
class Editor {
  shown: readonly { readonly renderOptions: { readonly after: { readonly contentText: string } } }[] = [];
  readonly selection = { active: { line: 0 } };
  readonly document;
  constructor(name: string) {
    const uri = { scheme: 'file', fsPath: `/repo/${name}`, toString: () => name };
    this.document = { uri, version: 1, lineCount: 1, lineAt: () => ({ range: { end: {} } }) };
  }
  setDecorations(_style: unknown, options: Editor['shown']): void {
    this.shown = options;
  }
}

const NOTE = { id: 'a', start: 1, end: 1, state: 'fresh', type: 'decision', title: 'signed cookies', author: 'Ada', ts: '2026-01-01T00:00:00Z' };

test('the editor before loses its annotation when another one becomes active', async () => {
  const [one, other] = [new Editor('a.py'), new Editor('b.py')];
  window.visibleTextEditors = [one, other];
  const server = { root: '/repo', state: { phase: 'running' }, request: async () => ({ notes: [NOTE], pending: false }) };
  const shown = new CurrentLine({ of: () => server, onDidChangeState: () => ({ dispose: () => undefined }) } as never);
  for (const editor of [one, other]) {
    window.activeTextEditor = editor;
    window.activated();
    await vi.waitFor(() => expect(editor.shown).toHaveLength(1));
  }
  expect(one.shown).toEqual([]);
  shown.dispose();
});
