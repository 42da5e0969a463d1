// What all suites wait for: the extension, and events.

import * as assert from 'node:assert/strict';
import * as vscode from 'vscode';
import type { Api } from '../../src/extension';

/** Waits for an event that makes `ok` true; the suite's time limit ends what never comes. */
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

/** The extension under test, running. */
export async function activated(): Promise<Api> {
  const found = await vscode.extensions.getExtension<Api>('muninn.muninn')?.activate();
  assert.ok(found);
  return found;
}
