import { expect, test, vi } from 'vitest';
import { registerCommands } from '../../src/commands';
import { Failure } from '../../src/failure';

const window = vi.hoisted(() => ({ commands: new Map<string, () => Promise<unknown>>(), errors: [] as string[] }));

vi.mock('vscode', () => ({
  Disposable: { from: () => undefined },
  ThemeIcon: class {},
  commands: { registerCommand: (name: string, run: () => Promise<unknown>) => void window.commands.set(name, run) },
  window: { showErrorMessage: (message: string) => void window.errors.push(message) },
}));

test('a restart without a repository is an error with a remedy', async () => {
  const repositories = {
    all: [],
    get current(): never {
      throw new Failure('no_folder', 'no folder is open', 'Open one.');
    },
  };
  registerCommands(repositories as never, {} as never, {} as never, {} as never, { error: () => undefined } as never);
  await window.commands.get('muninn.ui.restart')!();
  expect(window.errors).toEqual(['Muninn: no folder is open. Open one.']);
});
