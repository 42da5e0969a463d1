// Muninn: Initialise. Creates the folder .muninn of a repository.

import * as vscode from 'vscode';
import { workTree } from '../paths';
import type { Repositories } from '../repositories';
import type { Server } from '../server';
import { counted } from '../state';

/** Writes the folder .muninn, and shows what was written and how many commits could be remembered. Throws a Failure. */
export async function initialise(server: Server): Promise<void> {
  const { created, looked, memorable } = await server.request('init', {});
  await server.refresh();
  const done = created.length
    ? `${counted(created.length, 'file', 'files')} written to .muninn; commit them like code.`
    : 'this repository was initialised already; nothing changed.';
  const history = memorable ? ` \`muninn backfill git\` lists what it would remember: ${memorable} of the newest ${counted(looked, 'commit', 'commits')}.` : '';
  void vscode.window.showInformationMessage(`${server.label}: ${done}${history}`);
}

/** Initialises the folder of the active file, or the one that the person chooses. Throws a Failure. */
export async function initialiseFolder(repositories: Repositories): Promise<void> {
  const folder = await folderToInitialise(repositories);
  if (!folder) return;
  await initialise(repositories.serve(folder));
}

/** The folder to initialise. Of several without memory, it is that of the active file, or the person chooses. */
async function folderToInitialise(repositories: Repositories): Promise<vscode.WorkspaceFolder | undefined> {
  const { withoutMemory, currentIfAny } = repositories;
  const uri = vscode.window.activeTextEditor?.document.uri;
  const around = uri && repositories.folderWithoutMemory(uri);
  if (around) return around;
  if (!withoutMemory.length) return repositories.current.folder;
  if (withoutMemory.length === 1 && withoutMemory[0] && (!currentIfAny || workTree(withoutMemory[0].uri.fsPath) === currentIfAny.root)) return withoutMemory[0];
  const rows = withoutMemory.map((folder) => ({ label: folder.name, description: folder.uri.fsPath, folder }));
  return (await vscode.window.showQuickPick(rows, { title: 'Muninn: Initialise', placeHolder: 'The folder that gets a memory' }))?.folder;
}
