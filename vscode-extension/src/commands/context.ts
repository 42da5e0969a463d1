// Muninn: Context. A task, and the pack of what matters for it as a document.

import * as vscode from 'vscode';
import type { Documents } from '../documents';
import type { Server } from '../server';
import { filesAtHand, selection } from './place';

/** Asks for a task unless one is given, and opens its pack. Throws a Failure. */
export async function context(
  server: Server,
  documents: Documents,
  given?: string,
): Promise<vscode.TextDocument | undefined> {
  const query = given ?? (await task());
  if (!query) return undefined;
  const files = await filesAtHand(server);
  const budget = vscode.workspace.getConfiguration('muninn', server.folder).get<number>('context.budget', 4000);
  const progress = { location: vscode.ProgressLocation.Window, title: 'Muninn: gathering context' };
  return vscode.window.withProgress(progress, () =>
    documents.open({ page: 'context', params: { query, files, budget } }, query),
  );
}

async function task(): Promise<string | undefined> {
  const answer = await vscode.window.showInputBox({
    title: 'Muninn: Context',
    prompt: 'The task or question at hand',
    placeHolder: 'add a timeout to the connection pool',
    value: selection() ?? '',
  });
  return answer?.trim();
}
