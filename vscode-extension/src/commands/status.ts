// Muninn: Status. The state of all servers of the window in the output channel.

import type * as vscode from 'vscode';
import type { Repositories } from '../repositories';
import { describe } from '../state';

/** Shows the log with the state of each server, that of the current repository last. Throws a Failure. */
export async function showStatus(repositories: Repositories, log: vscode.LogOutputChannel): Promise<void> {
  const { current } = repositories;
  log.show(true);
  for (const server of [...repositories.all.filter((each) => each !== current), current]) {
    await server.refresh();
    const { status } = server.state;
    if (status) log.info([server.isAlone ? 'status' : `status of ${server.name}`, ...describe(status)].join('\n  '));
  }
  if (current.state.failure) throw current.state.failure;
}
