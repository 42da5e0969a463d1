// Muninn: Install the Server, with uv or pipx.

import { homedir } from 'node:os';
import { basename } from 'node:path';
import * as vscode from 'vscode';
import { Failure } from '../failure';
import { complete } from '../process';
import { installation } from '../program';
import type { Repositories } from '../repositories';

/** Installs the server, shows the progress, and starts the server. Throws a Failure. */
export async function install(repositories: Repositories, log: vscode.LogOutputChannel): Promise<void> {
  const command = installation();
  if (!command) throw new Failure('missing_program', 'this machine has neither uv nor pipx', 'Install uv, or the server with `pip install muninn-memory`.');
  const title = `Muninn: installing the server with ${basename(command[0])}`;
  log.info(command.join(' '));
  await vscode.window.withProgress({ location: vscode.ProgressLocation.Notification, title, cancellable: true }, (progress, token) => {
    const onLine = (message: string): void => {
      log.info(message);
      progress.report({ message });
    };
    return complete(command, { cwd: homedir(), onLine, stopped: (stop) => token.onCancellationRequested(stop) });
  });
  await Promise.all(repositories.all.map((server) => server.restart()));
}
