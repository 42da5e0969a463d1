// Shows errors and notices as messages with a button for the remedy. All errors are shown here.

import * as vscode from 'vscode';
import { type Failure, failureOf, sentence } from './failure';
import { installation } from './program';

interface Remedy {
  readonly title: string;
  readonly command: string;
  readonly arguments: readonly unknown[];
}

/** Shows an error with its hint, its repository and a button. Cancellations are not errors. */
export async function showFailure(error: unknown, log: vscode.LogOutputChannel, label?: string): Promise<void> {
  const failure = failureOf(error);
  if (failure.kind === 'cancelled') return;
  const said = sentence(failure, label);
  log.error(said);
  const remedy = remedyOf(failure);
  const chosen = await vscode.window.showErrorMessage(said, remedy.title);
  if (chosen) await vscode.commands.executeCommand(remedy.command, ...remedy.arguments);
}

/** Wraps a command, so that whatever it throws is shown; the command then answers undefined. */
export function shown<R>(
  run: (...args: unknown[]) => Promise<R>,
  log: vscode.LogOutputChannel,
): (...args: unknown[]) => Promise<R | undefined> {
  return async (...args) => {
    try {
      return await run(...args);
    } catch (error) {
      void showFailure(error, log); // its button may stay unpressed for long: the command has ended
      return undefined;
    }
  };
}

function remedyOf(failure: Failure): Remedy {
  switch (failure.kind) {
    case 'missing_program':
      return installation()
        ? { title: 'Install', command: 'muninn.ui.install', arguments: [] }
        : { title: 'Open Settings', command: settingsCommand(), arguments: [{ query: 'muninn.server.command' }] };
    case 'restricted':
      return { title: 'Manage Trust', command: 'workbench.trust.manage', arguments: [] };
    case 'not_initialised':
      return { title: 'Initialise', command: 'muninn.ui.init', arguments: [] };
    case 'no_folder':
      return { title: 'Open Folder', command: 'workbench.action.files.openFolder', arguments: [] };
    default:
      return { title: 'Show Output', command: 'muninn.ui.output', arguments: [] };
  }
}

/** The setting belongs to the machine where the server runs: on a remote one VS Code shows it among the remote's. */
function settingsCommand(): string {
  return `workbench.action.${vscode.env.remoteName ? 'openRemoteSettings' : 'openSettings'}`;
}
