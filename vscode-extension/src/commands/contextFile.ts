// Muninn: New Context File and Preview Pack. A file that names what belongs to a kind of task, and what it renders as.

import * as vscode from 'vscode';
import { Failure } from '../failure';
import type { Places } from '../places';
import type { Server } from '../server';
import { activeFiles } from '../activeFile';

const FOLDER = '.muninn/context/';

/** Asks for a template and a name unless they are given, creates the file and opens it. Throws a Failure. */
export async function newContextFile(server: Server, template?: string, given?: string): Promise<vscode.TextEditor | undefined> {
  const chosen = template ?? (await templateOf(server));
  if (!chosen) return undefined;
  const name = given ?? (await nameOf(server, chosen));
  if (!name) return undefined;
  // The server knows the templates and refuses the name of a file that exists.
  const { path } = await server.request('template.new', { name, template: chosen as 'feature' });
  return vscode.window.showTextDocument(server.file(path));
}

/** Shows the pack of the active context file beside it, rendered. Throws a Failure. */
export async function previewPack(server: Server, { reader }: Places): Promise<void> {
  const [file] = activeFiles(server);
  if (!file?.startsWith(FOLDER) || !file.endsWith('.md')) {
    throw new Failure('bad_params', 'no context file is open', `Open a file of ${FOLDER}, or create one with “Muninn: New Context File”.`);
  }
  await reader.open(server, `muninn:/context/${file.split('/').map(encodeURIComponent).join('/')}`, { beside: true });
}

async function templateOf(server: Server): Promise<string | undefined> {
  const { templates } = await server.request('template.list', {});
  const rows = templates.map(({ name, summary }) => ({ label: name, description: summary }));
  return (await vscode.window.showQuickPick(rows, { title: `${server.label}: New Context File`, placeHolder: 'Template' }))?.label;
}

async function nameOf(server: Server, template: string): Promise<string | undefined> {
  const answer = await vscode.window.showInputBox({
    title: `${server.label}: New Context File`,
    prompt: `Name of the new file in ${FOLDER}`,
    value: template,
    ignoreFocusOut: true,
    validateInput: (value) => (value.trim() ? undefined : 'A name is needed.'),
  });
  return answer?.trim();
}
