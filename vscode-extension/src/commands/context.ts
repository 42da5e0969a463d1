// Muninn: Context. A task, and the pack of what matters for it as a document.

import * as vscode from 'vscode';
import type { Documents } from '../documents';
import type { Server } from '../server';
import { activeFiles, selection } from '../activeFile';

/** Asks for a task unless one is given, and opens its pack. Throws a Failure. */
export async function context(
  server: Server,
  documents: Documents,
  given?: string,
): Promise<vscode.TextDocument | undefined> {
  const query = given ?? (await task(server));
  if (!query) return undefined;
  const files = activeFiles(server);
  const budget = vscode.workspace.getConfiguration('muninn', server.folder).get<number>('context.budget', 4000);
  const progress = { location: vscode.ProgressLocation.Window, title: `${server.label}: gathering context` };
  return vscode.window.withProgress(progress, () =>
    documents.open(server, { page: 'context', params: { query, files, budget } }, query),
  );
}

async function task(server: Server): Promise<string | undefined> {
  const answer = await vscode.window.showInputBox({
    title: `${server.label}: Context`,
    prompt: 'The task or question at hand',
    placeHolder: 'add a timeout to the connection pool',
    value: selection() ?? '',
    ignoreFocusOut: true,
  });
  return answer?.trim();
}
