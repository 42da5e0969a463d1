// Runs inside the real extension host: servers of another version, servers that crash, and deleted memory.

import * as assert from 'node:assert/strict';
import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import * as path from 'node:path';
import * as vscode from 'vscode';
import { activated, until } from './waiting';

suite('Muninn in trouble', () => {
  let api: Awaited<ReturnType<typeof activated>>;
  let real: readonly string[];

  const use = (command: readonly string[] | undefined): Thenable<void> =>
    vscode.workspace
      .getConfiguration('muninn', api.server.folder)
      .update('server.command', command, vscode.ConfigurationTarget.Workspace);

  /** The command line of a server with a fault, and the file in which each of its starts is a line. */
  const faulty = (fault: string): { command: readonly string[]; starts: () => number[] } => {
    const note = path.join(mkdtempSync(path.join(tmpdir(), 'muninn-starts-')), 'starts');
    const script = path.join(vscode.extensions.getExtension('muninn.muninn')?.extensionPath ?? '', 'test/servers/faulty.mjs');
    const starts = (): number[] => readFileSync(note, 'utf8').trim().split('\n').map(Number);
    return { command: [process.execPath, script, fault, note, ...real], starts };
  };

  suiteSetup(async () => {
    api = await activated();
    real = vscode.workspace.getConfiguration('muninn', api.server.folder).get<string[]>('server.command') ?? [];
    await api.server.request('init', {});
  });

  teardown(async () => {
    await use(undefined);
    await until(api.server.onDidChange, () => api.server.state.status !== undefined && !api.server.state.warning);
  });

  test('a server of another version works, and a message asks for an update', async () => {
    await use(faulty('older').command);
    await until(api.server.onDidChange, () => api.server.state.status !== undefined && api.server.state.warning !== undefined);
    assert.equal(api.server.state.warning?.kind, 'other_version');
    assert.match(api.server.state.warning.message, /0\.0\.9/);
    await until(api.server.onDidChange, () => /\$\(warning\)/.test(api.item.text));
    assert.equal((await api.server.request('status', {})).mode, 'read-write');
  });

  test('a server that keeps ending is restarted with growing delays and then stays stopped', async () => {
    const { command, starts } = faulty('crashing');
    await use(command);
    await until(api.server.onDidChange, () => api.server.state.failure !== undefined);
    const { failure } = api.server.state;
    assert.equal(failure?.kind, 'ended');
    assert.match(failure.message, /status 3: an error that comes each time/);
    assert.match(failure.hint, /is not started again/);
    assert.match(api.item.text, /problem/);
    const times = starts();
    assert.equal(times.length, 5);
    const rests = times.slice(1).map((time, index) => time - (times[index] ?? time));
    assert.ok((rests[3] ?? 0) >= 4_000, rests.join());
    await assert.rejects(api.server.request('status', {}), { kind: 'ended' });
  });

  test('a program that is not a language server is named with the end of its output', async () => {
    await use([process.execPath, '-e', 'console.error("no such command"); process.exit(2)', '--']);
    await until(api.server.onDidChange, () => api.server.state.failure !== undefined);
    assert.equal(api.server.state.failure?.kind, 'ended');
    assert.match(api.server.state.failure.message, /status 2: no such command/);
  });

  test('when .muninn is deleted the status bar shows it, and initialising restores it', async () => {
    const folder = vscode.Uri.joinPath(api.server.folder.uri, '.muninn');
    await vscode.workspace.fs.delete(folder, { recursive: true, useTrash: false });
    const gone = (): boolean => api.server.state.status?.problems.some(({ message }) => /\.muninn was deleted/.test(message)) ?? false;
    await until(api.server.onDidChange, gone);
    assert.match(api.item.text, /\.muninn was deleted$/);
    assert.match((api.item.tooltip as vscode.MarkdownString).value, /muninn&nbsp;init/);
    await vscode.commands.executeCommand('muninn.ui.init');
    await until(api.server.onDidChange, () => /\$\(library\)/.test(api.item.text));
  });

  test('the manifest declares a workspace extension, no virtual workspaces, and limited untrusted workspaces', () => {
    const { extensionKind, capabilities } = vscode.extensions.getExtension('muninn.muninn')?.packageJSON as {
      extensionKind: string[];
      capabilities: { untrustedWorkspaces: { supported: string; restrictedConfigurations: string[] }; virtualWorkspaces: { supported: boolean } };
    };
    assert.deepEqual(extensionKind, ['workspace']);
    assert.equal(capabilities.untrustedWorkspaces.supported, 'limited');
    assert.deepEqual(capabilities.untrustedWorkspaces.restrictedConfigurations, ['muninn.server.command']);
    assert.equal(capabilities.virtualWorkspaces.supported, false);
  });
});
