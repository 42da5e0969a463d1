// The server's commands in lenses, actions and links. Some run in the window: the memories of a lens are cards below the
// line, a document is a rendered page, and text is typed into an input box.

import * as vscode from 'vscode';
import { placeOf } from './citations';
import { COMMANDS, type RememberParams } from './protocol';
import type { Server } from './server';
import { forget } from './commands/memory';
import { store } from './commands/remember';
import type { Places } from './places';
import { successorOf } from './successor';

/** The argument of a lens and of the action "why is this shown". Lines are 1-based; 0 is the whole file. */
interface Shown {
  readonly uri?: string;
  readonly path?: string;
  readonly line?: number;
  readonly documents?: readonly string[];
  readonly files?: readonly string[];
}

/** The argument of an action that asks for text. */
interface Written {
  readonly type?: string;
  readonly path?: string;
  readonly start?: number;
  readonly end?: number;
  readonly supersedes?: string;
}

const ASKS: Readonly<Record<string, readonly [title: string, prompt: string, example: string]>> = {
  decision: ['Record a decision', 'What was decided, and why', 'Names are looked up by id, because names change.'],
  attempt: ['Mark an attempt as failed', 'What was tried, and why it failed', 'A cache of names: it was stale after each rename.'],
};
const ASK = ['Remember this', 'One fact in whole sentences', 'The cache is keyed by commit, because branches share it.'] as const;

/** The argument of the action on a memory: its choices, each a command of the server. */
interface Reviewed {
  readonly title?: string;
  readonly choices?: readonly { readonly title: string; readonly command: string; readonly argument: unknown }[];
}

/** The documents that open as a page; a pack opens as text, to copy it. */
const READ = /^muninn:\/(memory|notes|commit|knowledge)\//;

const SHOW = 'muninn.show';
const WRITE = 'muninn.write';
const REVIEW = 'muninn.review';

/** The server's own commands in lenses and actions: its verbs, and commands that the window handles. */
export const SERVER_COMMANDS: readonly string[] = [...Object.values(COMMANDS), SHOW, WRITE, REVIEW];

/** Runs a command for a server: in the window, or by the server. Throws a Failure. */
export async function runServerCommand(server: Server, places: Places, command: string, argument: unknown): Promise<unknown> {
  const byServer = (): Promise<unknown> => server.run(command, argument);
  if (typeof argument !== 'object' || argument === null) return byServer();
  switch (command) {
    case REVIEW:
      return review(server, places, argument);
    case WRITE:
      return write(server, argument, byServer);
    case SHOW:
      return show(server, places, argument, byServer);
    case COMMANDS.forget: {
      const { id, reason } = argument as { id?: string; reason?: string };
      return id && reason === undefined ? forget(server, id) : byServer();
    }
    default:
      return byServer().finally(() => void server.refresh());
  }
}

/** Asks for what holds in place of a memory, and stores it. Throws a Failure. */
export async function supersede(server: Server, places: Places, id: string): Promise<unknown> {
  const [before] = (await server.request('memories', { id })).memories;
  return runServerCommand(server, places, WRITE, { type: before?.type, supersedes: id });
}

async function review(server: Server, places: Places, { title = '', choices = [] }: Reviewed): Promise<unknown> {
  const rows = choices.map((choice) => ({ label: choice.title, choice }));
  const chosen = await vscode.window.showQuickPick(rows, { title: `${server.label}: ${title}`, placeHolder: 'What holds now?' });
  return chosen && runServerCommand(server, places, chosen.choice.command, chosen.choice.argument);
}

async function show(server: Server, { cards, reader }: Places, shown: Shown, byServer: () => Promise<unknown>): Promise<unknown> {
  const { uri, path, line = 1, documents = [], files = [] } = shown;
  const isLens = path && (documents.length || files.length);
  if (!isLens) return uri && READ.test(uri) ? reader.open(server, uri) : byServer();
  if (vscode.workspace.getConfiguration('comments').get('visible', true)) return cards.show(server, { path, line, documents, files });
  const begin = new vscode.Position(0, 0);
  const all = [...documents.map((each) => server.document(each)), ...files.map((each) => server.file(each))];
  const locations = all.map((each) => new vscode.Location(each, begin));
  return vscode.commands.executeCommand('editor.action.peekLocations', server.file(path), new vscode.Position(Math.max(line, 1) - 1, 0), locations, 'peek');
}

async function write(server: Server, argument: Written, byServer: () => Promise<unknown>): Promise<unknown> {
  const { type = 'insight', path = '', start = 0, end = 0, supersedes = '' } = argument;
  const place = path && start ? `${path}:${start}-${Math.max(start, end)}` : path;
  const found = supersedes ? await server.request('memories', { id: supersedes }) : undefined;
  const before = found?.memories[0];
  const [title, prompt, example] = supersedes ? ['Supersede', 'What holds now, in whole sentences', ''] : (ASKS[type] ?? ASK);
  const about = placeOf(path, start, end);
  const text = await askText(`${server.label}: ${title}`, about ? `${prompt} (about ${about})` : prompt, example, before?.text);
  if (text === undefined) return undefined;
  if (text === IN_DOCUMENT) return byServer();
  const params: RememberParams = {
    files: place ? [place] : [],
    ...(before && successorOf(before, found?.citations[before.id] ?? [], place)),
    text,
    type,
    actor: 'user',
  };
  return store(server, params);
}

const IN_DOCUMENT = Symbol('in a document');

/** Asks for a text; undefined when the box is closed, IN_DOCUMENT when its button for a draft is pressed. */
function askText(title: string, prompt: string, placeholder: string, value = ''): Promise<string | typeof IN_DOCUMENT | undefined> {
  const input = vscode.window.createInputBox();
  const button = { iconPath: new vscode.ThemeIcon('edit'), tooltip: 'Write it in a document' };
  Object.assign(input, { title, prompt, placeholder, ignoreFocusOut: true, buttons: [button] });
  input.value = value.replace(/\s+/g, ' ').trim();
  return new Promise<string | typeof IN_DOCUMENT | undefined>((resolve) => {
    input.onDidAccept(() => input.value.trim() && resolve(input.value.trim()));
    input.onDidTriggerButton(() => resolve(IN_DOCUMENT));
    input.onDidHide(() => resolve(undefined));
    input.show();
  }).finally(() => input.dispose());
}
