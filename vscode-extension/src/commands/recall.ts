// Muninn: Recall. A question, a list of hits, and the one that is chosen opened at its place.

import { isAbsolute } from 'node:path';
import * as vscode from 'vscode';
import type { Documents } from '../documents';
import { type Row, row } from '../hits';
import type { Hit, RecallResult } from '../protocol';
import type { Server } from '../server';
import { counted } from '../state';
import { selection } from './place';

/** Asks for a question unless one is given, and opens the hit that the person picks. Throws a Failure. */
export async function recall(server: Server, documents: Documents, given?: string): Promise<void> {
  const query = given ?? (await question());
  if (!query) return;
  const hit = await pick(server, query);
  if (hit) await open(server, documents, hit);
}

/** Opens a hit: a memory as a page, everything else in its file at its line. Throws a Failure. */
export async function open(server: Server, documents: Documents, hit: Hit): Promise<void> {
  if (hit.kind === 'memory') {
    await documents.open({ page: 'memory', id: hit.id, why: hit.why }, hit.title || hit.text);
    return;
  }
  const { root } = await server.status();
  const line = Math.max(0, hit.start_line - 1);
  // What another tool keeps outside of the repository has a whole path.
  const file = isAbsolute(hit.path) ? vscode.Uri.file(hit.path) : vscode.Uri.joinPath(vscode.Uri.file(root), hit.path);
  await vscode.window.showTextDocument(file, { selection: new vscode.Range(line, 0, line, 0) });
}

async function question(): Promise<string | undefined> {
  const answer = await vscode.window.showInputBox({
    title: 'Muninn: Recall',
    prompt: 'Words, identifiers or a sentence',
    placeHolder: 'why is the cache keyed by commit?',
    value: selection() ?? '',
  });
  return answer?.trim();
}

/** Shows the list at once and fills it when the answer comes; closing it cancels the request. */
async function pick(server: Server, query: string): Promise<Hit | undefined> {
  const list = vscode.window.createQuickPick<Row>();
  const cancel = new vscode.CancellationTokenSource();
  list.title = `Muninn: recalling “${query}”`;
  list.placeholder = 'Type to narrow the hits';
  list.busy = true;
  list.matchOnDescription = true;
  list.matchOnDetail = true;
  const chosen = new Promise<Hit | undefined>((resolve) => {
    list.onDidAccept(() => {
      const first = list.selectedItems[0];
      if (!first) return; // the answer is not there yet
      resolve(first.hit);
      list.hide();
    });
    list.onDidHide(() => {
      cancel.cancel();
      resolve(undefined);
    });
  });
  list.show();
  try {
    const limit = vscode.workspace.getConfiguration('muninn', server.folder).get<number>('recall.limit', 20);
    const result = await server.request('recall', { query, limit }, cancel.token);
    list.title = heading(query, result);
    list.placeholder = result.hits.length ? list.placeholder : 'Nothing was found: try other words';
    list.items = result.hits.map(row);
    list.busy = false;
    return await chosen;
  } finally {
    list.dispose();
    cancel.dispose();
  }
}

function heading(query: string, result: RecallResult): string {
  const { lag } = result.saw.index;
  const late = lag ? ` · ${counted(lag, 'changed file', 'changed files')} not yet searchable` : '';
  return `Muninn: ${counted(result.hits.length, 'hit', 'hits')} for “${query}”${late}`;
}
