// Runs inside the real extension host, in a window with several repositories, each with its own server.

import * as assert from 'node:assert/strict';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import * as path from 'node:path';
import * as vscode from 'vscode';
import type { Api } from '../../src/extension';
import type { RememberResult } from '../../src/protocol';
import type { Server } from '../../src/server';
import { activated, repeated, until } from './waiting';

const FACTS = { one: 'Pages of one are cached by commit.', two: 'Pages of two are never cached.' } as const;

interface Newer {
  readonly lm: { invokeTool(name: string, options: object, token: vscode.CancellationToken): Thenable<{ content: { value: string }[] }> };
}

suite('Muninn in a window with several repositories', () => {
  let api: Api;
  let root: vscode.Uri;

  const ask = <T>(provider: string, ...args: unknown[]): Thenable<T> => vscode.commands.executeCommand<T>(`vscode.${provider}`, ...args);
  const tree = (name: string): vscode.Uri => vscode.Uri.joinPath(root, name === 'later' ? 'one/later' : name);
  const code = (name: string): vscode.Uri => vscode.Uri.joinPath(tree(name), 'src/cache.py');
  const show = (name: string): Thenable<vscode.TextEditor> => vscode.window.showTextDocument(code(name));
  const names = (): string[] => api.repositories.all.map((server) => server.name);
  const server = (name: string): Server => {
    const found = api.repositories.all.find((each) => each.name === name);
    assert.ok(found, `${name} is not served, but ${names().join()}`);
    return found;
  };
  const lenses = async (name: string): Promise<vscode.Command[]> =>
    (await ask<vscode.CodeLens[]>('executeCodeLensProvider', code(name), 10)).flatMap(({ command }) => (command ? [command] : []));

  suiteSetup(async () => {
    const [folder] = vscode.workspace.workspaceFolders ?? [];
    assert.ok(folder);
    root = vscode.Uri.joinPath(folder.uri, '..');
    api = await activated();
  });

  test('without memory no server starts, and initialising uses the folder of the active file', async () => {
    assert.deepEqual(names(), []);
    await show('two');
    await vscode.commands.executeCommand('muninn.ui.init');
    assert.deepEqual(names(), ['two']);
    await repeated(() => /Muninn: 0/.test(api.item.text));
    await show('one');
    await vscode.commands.executeCommand('muninn.ui.init');
    assert.deepEqual(names(), ['one', 'two']);
    await repeated(() => /Muninn \(one\): 0/.test(api.item.text));
  });

  test('each server has the work tree that the extension expects', async () => {
    for (const each of api.repositories.all) assert.equal((await each.request('status', {})).root, each.root);
  });

  test('Remember writes to the repository of the active editor, and status bar and views show that repository', async () => {
    for (const name of ['one', 'two'] as const) {
      await show(name);
      const result = await vscode.commands.executeCommand<RememberResult>('muninn.ui.remember', FACTS[name], 'decision');
      assert.deepEqual(result.memory?.files, ['src/cache.py']);
      await repeated(() => api.item.text.endsWith(`Muninn (${name}): 1 here, 1 in all`));
      const [group] = await api.views.rows('memory');
      assert.deepEqual(group?.children?.map(({ tooltip, repository }) => [tooltip?.includes(FACTS[name]), repository]), [
        [true, server(name).key],
      ]);
      assert.equal((await api.views.rows('file')).length, 1);
    }
    for (const each of api.repositories.all) assert.equal((await each.request('status', {})).log.memories, 1);
    assert.match(api.item.accessibilityInformation?.label ?? '', /^Muninn \(two\): 1 here, 1 in all\..*\. Muninn \(one\): 1 memory$/);
  });

  test('without an editor the last repository stays current', async () => {
    await show('two');
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
    assert.equal(api.repositories.current.name, 'two');
    const { document } = await vscode.window.showTextDocument(await vscode.workspace.openTextDocument({ content: 'a note' }));
    assert.equal(api.repositories.current.name, 'two');
    assert.ok(!document.isClosed);
    await vscode.commands.executeCommand('workbench.action.revertAndCloseActiveEditor');
  });

  test('lenses and rows open memories of their own repository, whichever is current', async () => {
    await Promise.all(api.repositories.all.map((each) => each.request('index', { wait: true })));
    for (const [name, other] of [['one', 'two'], ['two', 'one']] as const) {
      await show(name);
      const shown = await lenses(name);
      assert.deepEqual(shown.map(({ title }) => title), ['1 decision']);
      const [row] = (await api.views.rows('memory'))[0]?.children ?? [];
      await show(other);
      await vscode.commands.executeCommand(shown[0]?.command ?? '', ...(shown[0]?.arguments ?? []));
      assert.ok(api.cards.text.includes(FACTS[name].slice(0, -1)));
      assert.equal(vscode.window.activeTextEditor?.document.uri.toString(), code(name).toString()); // where the code is
      await vscode.commands.executeCommand('muninn.ui.closeCards');
      await show(other);
      await vscode.commands.executeCommand('muninn.ui.open', row?.target, row?.repository);
      assert.ok(api.reader.text.includes(FACTS[name].slice(0, -1)));
      assert.equal(api.repositories.current.name, name); // a page is at hand as a file is
      await vscode.commands.executeCommand('workbench.action.closeAllEditors');
    }
  });

  test('hover links, code actions and hints carry their repository', async () => {
    for (const name of ['one', 'two'] as const) {
      const { key } = server(name);
      await show(name);
      const hovers = await ask<vscode.Hover[]>('executeHoverProvider', code(name), new vscode.Position(0, 0));
      const text = hovers.flatMap(({ contents }) => contents).map((part) => (part as vscode.MarkdownString).value).join();
      const address = decodeURIComponent(/\[History\]\(command:muninn\.ui\.document\?([^)\s]+)[)\s]/.exec(text)?.[1] ?? '');
      assert.ok(address.startsWith(`["muninn://${key}/memory/`), text);
      await vscode.commands.executeCommand('muninn.ui.document', ...(JSON.parse(address) as string[]));
      assert.ok(api.reader.text.includes(FACTS[name].slice(0, -1)));
      await show(name);
      const lines = new vscode.Range(3, 0, 5, 0);
      const actions = await ask<vscode.CodeAction[]>('executeCodeActionProvider', code(name), lines);
      const own = actions.filter(({ title }) => title === 'Remember this');
      assert.deepEqual(own.map(({ command }) => command?.arguments?.[1]), [key]);
      await vscode.commands.executeCommand('workbench.action.closeAllEditors');
    }
  });

  test("a language model's tool asks the current repository, or the one it names", async () => {
    const { lm } = vscode as unknown as Newer;
    const recalled = async (input: object): Promise<string> => {
      const { token } = new vscode.CancellationTokenSource();
      const { content } = await lm.invokeTool('muninn_recall', { input: { query: 'pages cached', ...input }, toolInvocationToken: undefined }, token);
      return content[0]?.value ?? '';
    };
    await show('two');
    assert.ok((await recalled({})).includes(FACTS.two));
    const named = await recalled({ repository: 'one' });
    assert.ok(named.includes(FACTS.one) && !named.includes(FACTS.two), named);
    await assert.rejects(recalled({ repository: 'three' }), /one, two/);
  });

  test('completion in Muninn files comes once, from their own repository', async () => {
    const own = vscode.Uri.joinPath(root, 'two/.muninn/knowledge/names.md');
    await vscode.workspace.fs.writeFile(own, Buffer.from('---\nconfidence: \n---\n'));
    await vscode.window.showTextDocument(own);
    const list = await ask<vscode.CompletionList>('executeCompletionItemProvider', own, new vscode.Position(1, 12));
    assert.equal(list.items.filter(({ label }) => label === 'high').length, 1);
  });

  test('a folder keeps its own settings, also after a restart of its server', async () => {
    const settings = vscode.workspace.getConfiguration('muninn', server('two').folder);
    await settings.update('lens', 'off', vscode.ConfigurationTarget.WorkspaceFolder);
    const titles = async (name: string): Promise<string> => (await lenses(name)).map(({ title }) => title).join();
    for (const name of ['two', 'one']) await show(name);
    await repeated(async () => (await titles('two')) === '');
    await server('two').restart();
    await server('two').request('status', {});
    await repeated(async () => (await titles('one')) === '1 decision');
    assert.equal(await titles('two'), '');
    await settings.update('lens', undefined, vscode.ConfigurationTarget.WorkspaceFolder);
    await repeated(async () => (await titles('two')) === '1 decision');
  });

  test('a server that crashes does not affect the other one', async () => {
    const [one, two] = [server('one'), server('two')];
    const note = path.join(mkdtempSync(path.join(tmpdir(), 'muninn-starts-')), 'starts');
    const script = path.join(vscode.extensions.getExtension('muninn.muninn')?.extensionPath ?? '', 'test/servers/faulty.mjs');
    const settings = vscode.workspace.getConfiguration('muninn', two.folder);
    const phases = new Set<string>();
    const listener = one.onDidChange(({ phase }) => phases.add(phase));
    const crashing = [process.execPath, script, 'crashing', note, ...(settings.get<string[]>('server.command') ?? [])];
    await show('one');
    await settings.update('server.command', crashing, vscode.ConfigurationTarget.WorkspaceFolder);
    await until(two.onDidChange, () => two.state.failure !== undefined);
    assert.equal(two.state.failure?.kind, 'ended');
    listener.dispose();
    assert.ok([...phases].every((phase) => phase === 'running'), [...phases].join());
    assert.match(api.item.text, /Muninn \(one\): 1 here/);
    assert.equal((await one.request('memories', {})).total, 1);
    assert.deepEqual((await lenses('one')).map(({ title }) => title), ['1 decision']);
    await show('two');
    assert.match(api.item.text, /Muninn \(two\): problem/);
    await settings.update('server.command', undefined, vscode.ConfigurationTarget.WorkspaceFolder);
    await until(two.onDidChange, () => two.state.status !== undefined);
  });

  test('an added folder gets one server as soon as it has memory', async () => {
    const count = vscode.workspace.workspaceFolders?.length ?? 0;
    const before = api.repositories.all;
    const inside = vscode.Uri.joinPath(root, 'one/src');
    const later = tree('later');
    assert.ok(vscode.workspace.updateWorkspaceFolders(count, 0, { uri: inside }, { uri: later }));
    await until(vscode.workspace.onDidChangeWorkspaceFolders, () => vscode.workspace.workspaceFolders?.length === count + 2);
    assert.deepEqual(api.repositories.all, before);
    // Another client, a shell or an agent, initialises it.
    const config = vscode.Uri.joinPath(later, '.muninn/config.yaml');
    await vscode.workspace.fs.writeFile(config, await vscode.workspace.fs.readFile(vscode.Uri.joinPath(root, 'one/.muninn/config.yaml')));
    await until(api.repositories.onDidChange, () => names().length === 3);
    assert.deepEqual(names(), ['one', 'two', 'later']);
    assert.equal((await server('later').request('memories', {})).total, 0);
    await show('later');
    assert.equal(api.repositories.current.name, 'later');
  });

  test('a nested repository owns its files', async () => {
    const { document } = await show('later');
    const actions = await ask<vscode.CodeAction[]>('executeCodeActionProvider', document.uri, new vscode.Range(3, 0, 5, 0));
    const own = actions.filter(({ title }) => title === 'Remember this');
    assert.deepEqual(own.map(({ command }) => command?.arguments), [
      [{ type: 'insight', path: 'src/cache.py', start: 4, end: 5 }, server('later').key],
    ]);
  });

  test('the server of a removed folder stops, and pages of that folder say so', async () => {
    const later = server('later');
    const index = vscode.workspace.workspaceFolders?.findIndex(({ name }) => name === 'later') ?? -1;
    assert.ok(vscode.workspace.updateWorkspaceFolders(index, 1));
    await until(api.repositories.onDidChange, () => names().length === 2);
    assert.deepEqual(names(), ['one', 'two']);
    assert.equal(api.repositories.of(code('later')), server('one')); // which lies around it
    await assert.rejects(later.request('status', {}), { kind: 'ended' });
    assert.throws(() => api.repositories.byKey(later.key), { kind: 'no_folder' });
    await show('two');
    assert.deepEqual((await lenses('two')).map(({ title }) => title), ['1 decision']);
  });

  test('with one repository left its name is no longer shown', async () => {
    const index = vscode.workspace.workspaceFolders?.findIndex(({ name }) => name === 'two') ?? -1;
    assert.ok(vscode.workspace.updateWorkspaceFolders(index, 1));
    await until(api.repositories.onDidChange, () => names().length === 1);
    await show('one');
    await repeated(() => /Muninn: 1 here, 1 in all$/.test(api.item.text));
  });
});
