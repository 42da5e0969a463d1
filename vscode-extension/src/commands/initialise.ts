// Gives a repository a memory, and says what to do next.

import * as vscode from 'vscode';
import type { Server } from '../server';
import { counted } from '../state';

/** Writes the folder .muninn of a repository and says what it wrote, and how many commits could be remembered. Throws a Failure. */
export async function initialise(server: Server): Promise<void> {
  const { created, looked, memorable } = await server.request('init', {});
  await server.refresh();
  const done = created.length
    ? `${counted(created.length, 'file', 'files')} written to .muninn; commit them like code.`
    : 'this repository was initialised already; nothing changed.';
  const history = memorable ? ` \`muninn backfill git\` lists what it would remember: ${memorable} of the newest ${counted(looked, 'commit', 'commits')}.` : '';
  void vscode.window.showInformationMessage(`${server.label}: ${done}${history}`);
}
