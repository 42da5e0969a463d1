// Restricted Mode: in an untrusted folder, a program of the machine reads memory, and nothing is written.

import * as vscode from 'vscode';
import { Failure } from './failure';
import { commandLinks, withoutCommands } from './links';
import { READERS } from './protocol';

const SHOWING = ['muninn.show', 'muninn.review']; // of the server's other commands these write nothing themselves

/** Throws a Failure for a command of the server that writes, if the folders are not trusted. */
export function requireTrust(command: string): void {
  if (vscode.workspace.isTrusted || READERS.includes(command) || SHOWING.includes(command)) return;
  const hint = 'Trust the folder to change its memory.';
  throw new Failure('restricted', 'in Restricted Mode memory is shown, and nothing is written', hint);
}

/** The server's markdown with the links that are allowed; `key` is that of the repository. */
export function linked(markdown: string, key: string): string {
  return commandLinks(vscode.workspace.isTrusted ? markdown : withoutCommands(markdown), key);
}
