import { expect, test, vi } from 'vitest';
import { selectedPlaces } from '../../src/activeFile';
import type { Server } from '../../src/server';

const shown = vi.hoisted(() => ({ editor: undefined as unknown }));

vi.mock('vscode', () => ({
  window: {
    get activeTextEditor() {
      return shown.editor;
    },
  },
}));

const server = { root: '/repo' } as Server;

function select(scheme: string): void {
  const selection = { isEmpty: false, start: { line: 2, character: 0 }, end: { line: 4, character: 3 } };
  shown.editor = { document: { uri: { scheme, fsPath: '/repo/a.py' } }, selection };
}

test('a memory is about the selected lines', () => {
  select('file');
  expect(selectedPlaces(server)).toEqual(['a.py:3-5']);
});

test.each(['git', 'vscode-notebook-cell'])('lines of a document of the scheme %s are not those of the file', (scheme) => {
  select(scheme);
  expect(selectedPlaces(server)).toEqual(['a.py']);
});
