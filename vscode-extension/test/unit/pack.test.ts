import { beforeEach, expect, test, vi } from 'vitest';
import { followEditors, insertPack } from '../../src/commands/pack';

const inserted: string[] = [];
let accepts = true;
const target = {
  document: { uri: { scheme: 'file' }, isClosed: false }, selection: { active: 'cursor' }, viewColumn: 1,
  edit: async (build: (edit: object) => void): Promise<boolean> => {
    if (accepts) build({ insert: (_at: unknown, text: string) => inserted.push(text) });
    return accepts;
  },
};
const pack = { document: { uri: { scheme: 'muninn-page', path: '/context/a' }, getText: () => 'the pack' } };
const editors = vi.hoisted(() => ({ active: undefined as unknown }));

vi.mock('vscode', () => ({
  ViewColumn: { Active: -1 },
  window: {
    get activeTextEditor() {
      return editors.active;
    },
    onDidChangeActiveTextEditor: () => undefined,
    showTextDocument: async () => target,
  },
}));

beforeEach(() => {
  inserted.length = 0;
  editors.active = target;
  followEditors();
  editors.active = pack;
});

test('a pack goes where the cursor was', async () => {
  accepts = true;
  await insertPack();
  expect(inserted).toEqual(['the pack']);
});

test('a document that takes no text is an error with a remedy', async () => {
  accepts = false;
  await expect(insertPack()).rejects.toMatchObject({ kind: 'bad_params', hint: 'Copy the pack.' });
});
