// What all suites wait for: the extension, and events.

import * as assert from 'node:assert/strict';
import * as vscode from 'vscode';
import type { Api } from '../../src/extension';
import type { Server } from '../../src/server';

/** Waits for an event that makes `ok` true, until the suite's time limit. */
export function until(event: vscode.Event<unknown>, ok: () => boolean): Promise<void> {
  if (ok()) return Promise.resolve();
  return new Promise((resolve) => {
    const listener = event(() => {
      if (!ok()) return;
      listener.dispose();
      resolve();
    });
  });
}

/** Polls until the condition holds, for changes without an event, until the suite's time limit. */
export async function repeated(ok: () => Promise<boolean> | boolean): Promise<void> {
  while (!(await ok())) await new Promise((resolve) => setTimeout(resolve, 10));
}

/** The extension under test, running; `server` is that of a window with one repository. */
export async function activated(): Promise<Api & { readonly server: Server }> {
  const found = await vscode.extensions.getExtension<Api>('muninn.muninn')?.activate();
  assert.ok(found);
  return {
    ...found,
    get server() {
      return found.repositories.current;
    },
  };
}
