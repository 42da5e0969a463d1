// Badges in the explorer: how many memories name or cite a file.

import * as vscode from 'vscode';
import { countFiles } from './beside';
import { coalesced } from './coalesce';
import { within } from './paths';
import type { Repositories } from './repositories';
import type { Server } from './server';
import { counted } from './state';

/** The number of memories that are counted, the newest of a repository. */
const LIMIT = 1_000;

/** Counts memories once, and again after memory has changed. */
export class Badges implements vscode.FileDecorationProvider, vscode.Disposable {
  private readonly changed = new vscode.EventEmitter<undefined>();
  private readonly counts = new Map<string, ReadonlyMap<string, number>>();
  private readonly countedRecords = new Map<string, number>(); // the number of records that the counts include
  private readonly registrations: vscode.Disposable[];
  private readonly countOnce = coalesced(() => this.count());

  readonly onDidChangeFileDecorations = this.changed.event;

  constructor(private readonly repositories: Repositories) {
    const refresh = (): void => void this.countOnce().catch(() => undefined); // the server's state has the failure
    this.registrations = [
      this.changed,
      vscode.window.registerFileDecorationProvider(this),
      repositories.onDidChange(refresh),
      repositories.onDidChangeState(refresh),
      vscode.workspace.onDidChangeConfiguration((change) => change.affectsConfiguration('muninn.explorerBadges') && this.changed.fire(undefined)),
    ];
  }

  provideFileDecoration(uri: vscode.Uri): vscode.FileDecoration | undefined {
    const server = uri.scheme === 'file' ? this.repositories.of(uri) : undefined;
    const file = server && within(server.root, uri.fsPath);
    const number = file ? (this.counts.get(server.key)?.get(file) ?? 0) : 0;
    if (!number || !vscode.workspace.getConfiguration('muninn', uri).get<boolean>('explorerBadges.enabled', true)) return undefined;
    return new vscode.FileDecoration(number > 99 ? '99' : String(number), counted(number, 'memory', 'memories'));
  }

  dispose(): void {
    for (const registration of this.registrations) registration.dispose();
  }

  private async count(): Promise<void> {
    let differs = false;
    for (const server of this.repositories.all.filter(isReady)) {
      const records = server.state.status?.log.records ?? 0;
      if (this.countedRecords.get(server.key) === records) continue; // the state changes more often than memory
      const answer = await server.request('memories', { limit: LIMIT }).catch(() => undefined); // the server's state has the failure
      if (!answer) continue; // the next change of state tries again
      this.countedRecords.set(server.key, records);
      const counts = countFiles(answer.memories);
      const before = this.counts.get(server.key);
      this.counts.set(server.key, counts);
      differs ||= before?.size !== counts.size || [...counts].some(([file, number]) => before.get(file) !== number);
    }
    if (differs) this.changed.fire(undefined);
  }
}

function isReady({ state: { phase, status } }: Server): boolean {
  return phase === 'running' && status !== undefined && status.mode !== 'uninitialised';
}
