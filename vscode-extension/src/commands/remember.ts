// Muninn: Remember. A text and its type; the selected lines, or the active file, are what it is about.

import * as vscode from 'vscode';
import { Failure } from '../failure';
import type { KINDS, RememberParams, RememberResult } from '../protocol';
import type { Server } from '../server';
import { initialise } from './initialise';
import { selectedPlaces } from '../activeFile';

/** The types that people choose from, the usual ones first. Programs write the others. */
const MEANINGS: Partial<Record<(typeof KINDS)[number], string>> = {
  decision: 'what was decided, and why',
  insight: 'something learned about the code',
  constraint: 'what must hold',
  pattern: 'how things are done here',
  attempt: 'what was tried and failed',
  bug_fix: 'the cause of a bug and its cure',
  configuration: 'how something is set up',
  preference: 'how a person wants it',
  reference: 'where to find more',
  entity: 'what a service, a module or a person is',
};

/** Asks for text and type unless they are given, and stores the memory. Throws a Failure. */
export async function remember(server: Server, text?: string, type?: string): Promise<RememberResult | undefined> {
  const files = selectedPlaces(server);
  const stated = text ?? (await askText(server, files));
  if (!stated) return undefined;
  const chosen = type ?? (await askType(server));
  if (!chosen) return undefined;
  return store(server, { text: stated, type: chosen, files, actor: 'user' });
}

const INITIALISE = 'Initialise and Remember';

/**
 * Stores a memory and confirms it. In a repository without memory it offers to initialise it; when that is declined, the
 * text opens as a document. Throws a Failure.
 */
export async function store(server: Server, params: RememberParams): Promise<RememberResult | undefined> {
  let result: RememberResult;
  try {
    result = await server.request('remember', params);
  } catch (error) {
    if (!(error instanceof Failure) || error.kind !== 'not_initialised') throw error;
    const detail = 'Initialising writes the folder .muninn. Then your words are stored.';
    const answer = await vscode.window.showInformationMessage(`${server.label}: this repository has no memory yet.`, { modal: true, detail }, INITIALISE);
    if (answer !== INITIALISE) {
      await vscode.window.showTextDocument(await vscode.workspace.openTextDocument({ content: params.text ?? '', language: 'markdown' }));
      return undefined;
    }
    await initialise(server);
    result = await server.request('remember', params);
  }
  void server.refresh();
  showStored(server, result);
  return result;
}

/** Shows in the status bar that a memory is stored. */
function showStored(server: Server, { masked }: RememberResult): void {
  const secret = masked ? ' A secret in it was masked.' : '';
  vscode.window.setStatusBarMessage(`$(check) ${server.label}: remembered.${secret}`, 5000);
}

async function askText(server: Server, files: readonly string[]): Promise<string | undefined> {
  const answer = await vscode.window.showInputBox({
    title: `${server.label}: Remember`,
    prompt: files.length ? `One fact in whole sentences, about ${files.join(', ')}` : 'One fact in whole sentences',
    placeHolder: 'The cache is keyed by commit, because branches share it.',
    ignoreFocusOut: true,
  });
  return answer?.trim();
}

async function askType(server: Server): Promise<string | undefined> {
  const rows = Object.entries(MEANINGS).map(([type, description]) => ({
    label: type.replace('_', ' '),
    description,
    type,
  }));
  const chosen = await vscode.window.showQuickPick(rows, {
    title: `${server.label}: What is it?`,
    placeHolder: 'Type of the memory',
    matchOnDescription: true,
    ignoreFocusOut: true,
  });
  return chosen?.type;
}
