// Runs inside the real extension host: the extension, the language server and the daemon on a new repository.

import * as assert from 'node:assert/strict';
import * as vscode from 'vscode';
import type { RememberResult } from '../../src/protocol';
import { activated, repeated, until } from './waiting';

const FACT = 'Pages are cached by commit, because branches share the rendering machine.';

suite('Muninn in VS Code', () => {
  let api: Awaited<ReturnType<typeof activated>>;
  let file: vscode.Uri;

  suiteSetup(async () => {
    const folder = vscode.workspace.workspaceFolders?.[0];
    assert.ok(folder);
    file = vscode.Uri.joinPath(folder.uri, 'src/cache.py');
    await vscode.window.showTextDocument(file);
    api = await activated();
  });

  test('a repository without memory has no server', () => {
    assert.deepEqual(api.repositories.all, []);
    assert.throws(() => api.server, { kind: 'not_initialised' });
  });

  test('initialising writes the folder and the status bar counts memories', async () => {
    await vscode.commands.executeCommand('muninn.ui.init');
    await until(api.server.onDidChange, () => /0 (memories|here)/.test(api.item.text));
    const config = vscode.Uri.joinPath(api.server.folder.uri, '.muninn/config.yaml');
    assert.equal((await vscode.workspace.fs.stat(config)).type, vscode.FileType.File);
  });

  test('Remember uses the open file, and the status bar counts the memory', async () => {
    const result = await vscode.commands.executeCommand<RememberResult>('muninn.ui.remember', FACT, 'decision');
    assert.equal(result.ids.length, 1);
    assert.deepEqual(result.memory?.files, ['src/cache.py']);
    assert.equal(result.memory?.type, 'decision');
    await until(api.server.onDidChange, () => /1 here, 1 in all$/.test(api.item.text));
  });

  test('recall finds the memory and the code', async () => {
    await api.server.request('index', { wait: true });
    const { hits } = await api.server.request('recall', { query: 'why are pages cached by commit' });
    assert.ok(hits.some((hit) => hit.kind === 'memory' && hit.text.includes(FACT)));
    const code = await api.server.request('recall', { query: 'render_page', kind: 'code' });
    assert.equal(code.hits[0]?.path, 'src/cache.py');
    assert.ok(code.hits[0].why.length > 0);
  });

  test('the recall command opens the accepted hit', async () => {
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
    const opened = new Promise<void>((resolve) => {
      const listener = vscode.window.tabGroups.onDidChangeTabs(() => {
        if (!/^Pages are cached/.test(vscode.window.tabGroups.activeTabGroup.activeTab?.label ?? '')) return;
        listener.dispose();
        resolve();
      });
    });
    const done = vscode.commands.executeCommand('muninn.ui.recall', 'why are pages cached by commit');
    const accept = setInterval(() => void vscode.commands.executeCommand('workbench.action.acceptSelectedQuickOpenItem'), 100);
    await Promise.all([opened, done]).finally(() => clearInterval(accept));
    assert.ok(api.reader.text.startsWith('# Pages are cached by commit'));
    assert.match(api.reader.text, /Why it was found/);
    assert.match(api.reader.text, /\(command:muninn\.forget\?/);
  });

  test('the views list the memory by kind, by file and by session', async () => {
    const [group] = await api.views.rows('memory');
    assert.equal(group?.label, 'decision');
    assert.ok(group.children?.[0]?.tooltip?.includes(FACT));
    await vscode.window.showTextDocument(file);
    assert.equal((await api.views.rows('file')).length, 1);
    assert.match((await api.views.rows('timeline'))[0]?.description ?? '', /(just now|min ago)$/);
    const [session] = await api.views.rows('sessions');
    assert.equal(session?.kind, 'session.open');
    assert.ok((await api.views.rows('sessions', session))[0]?.tooltip?.includes(FACT));
    assert.deepEqual(await api.views.rows('conflicts'), []);
    assert.deepEqual(await api.views.rows('stale'), []);
  });

  test('a notebook is the file of the views and of what is remembered', async () => {
    const book = vscode.Uri.joinPath(api.server.folder.uri, 'docs/example.ipynb');
    const cell = { cell_type: 'code', metadata: {}, execution_count: null, outputs: [], source: ['render_page("a", "b")'] };
    await vscode.workspace.fs.writeFile(book, Buffer.from(JSON.stringify({ cells: [cell], metadata: {}, nbformat: 4, nbformat_minor: 5 })));
    await vscode.commands.executeCommand('vscode.openWith', book, 'jupyter-notebook');
    await repeated(() => api.views.about('timeline') === 'example.ipynb' && api.views.about('file') === 'example.ipynb');
    const { memory } = (await vscode.commands.executeCommand<RememberResult>('muninn.ui.remember', 'The example is for readers.', 'decision')) ?? {};
    assert.deepEqual(memory?.files, ['docs/example.ipynb']);
    assert.deepEqual((await api.views.rows('timeline')).map(({ label }) => label), ['The example is for readers']);
    await api.server.request('forget', { id: memory.id });
    await vscode.commands.executeCommand('workbench.action.closeActiveEditor');
    await vscode.workspace.fs.delete(book);
  });

  test('selected lines are cited, and a change of them is underlined', async () => {
    const editor = await vscode.window.showTextDocument(file);
    editor.selection = new vscode.Selection(3, 0, 6, 0);
    const text = 'Rendering takes the commit first.';
    const { memory } = (await vscode.commands.executeCommand<RememberResult>('muninn.ui.remember', text, 'insight')) ?? {};
    assert.ok(memory);
    assert.deepEqual([memory.cites[0]?.path, memory.cites[0]?.start, memory.cites[0]?.end], ['src/cache.py', 4, 6]);
    await editor.edit((edit) => edit.replace(new vscode.Range(5, 0, 6, 0), '    return name + commit\n'));
    await editor.document.save();
    const stale = await api.views.rows('stale');
    assert.equal(stale[0]?.description, 'code changed');
    const ours = (): vscode.Diagnostic[] => vscode.languages.getDiagnostics(file).filter(({ source }) => source === 'muninn');
    await until(vscode.languages.onDidChangeDiagnostics, () => ours().length === 1);
    assert.deepEqual([ours()[0]?.range.start.line, ours()[0]?.severity], [3, vscode.DiagnosticSeverity.Information]);
    await api.server.request('forget', { id: memory.id });
  });

  test('a pack is inserted into the document that was active before', async () => {
    const draft = await vscode.workspace.openTextDocument({ content: '', language: 'markdown' });
    await vscode.window.showTextDocument(draft);
    await vscode.commands.executeCommand('muninn.ui.context', 'cache pages by commit');
    await vscode.commands.executeCommand('muninn.ui.insertPack');
    assert.ok(draft.getText().includes(FACT));
    await vscode.commands.executeCommand('workbench.action.revertAndCloseActiveEditor');
  });

  test('sealing a session writes a file for git', async () => {
    await vscode.commands.executeCommand('muninn.ui.seal');
    const sealed = await vscode.workspace.findFiles(new vscode.RelativePattern(api.server.folder, '.muninn/memory/sessions/*.jsonl'), null);
    assert.equal(sealed.length, 1);
    assert.equal((await api.views.rows('sessions'))[0]?.kind, 'session');
  });

  test('the context command opens a pack that contains the memory', async () => {
    const document = await vscode.commands.executeCommand<vscode.TextDocument>('muninn.ui.context', 'cache pages by commit');
    assert.equal(document.uri.scheme, 'muninn-page');
    assert.ok(document.getText().includes(FACT));
  });

  test('the hover shows the memories of the file', async () => {
    const at = new vscode.Position(0, 0);
    const hovers = await vscode.commands.executeCommand<vscode.Hover[]>('vscode.executeHoverProvider', file, at);
    const texts = hovers.flatMap(({ contents }) => contents).map((part) => (part as vscode.MarkdownString).value);
    assert.ok(texts.some((text) => text.includes(FACT.slice(0, -1))), texts.join()); // as a headline, without its stop
  });

  test("the file's lens counts its memories and shows them as cards", async () => {
    await vscode.window.showTextDocument(file);
    const lenses = await vscode.commands.executeCommand<vscode.CodeLens[]>('vscode.executeCodeLensProvider', file, 10);
    const lens = lenses.find(({ command }) => command?.title === '1 decision');
    assert.ok(lens?.command, lenses.map(({ command }) => command?.title).join());
    await vscode.commands.executeCommand(lens.command.command, ...(lens.command.arguments ?? []));
    assert.ok(api.cards.text.startsWith(`**${FACT.slice(0, -1)}**`), api.cards.text);
    assert.match(api.cards.text, /\[src\/cache\.py\]\(command:muninn\.ui\.document\?/);
    await vscode.commands.executeCommand('muninn.ui.closeCards');
    assert.equal(api.cards.text, '');
  });

  test('the reasons of a hit open as a rendered page', async () => {
    const [memory] = (await api.server.request('memories', {})).memories;
    await vscode.commands.executeCommand('muninn.show', { uri: `muninn:/memory/${memory?.id}.md`, path: 'src/cache.py', line: 1 });
    assert.ok(api.reader.text.startsWith(`# ${FACT.slice(0, -1)}`));
    api.reader.close();
  });

  test('a failing command of a lens or code action shows a message and throws nothing', async () => {
    assert.equal(await vscode.commands.executeCommand('muninn.confirm', { id: 'nothing-has-this-id' }), undefined);
  });

  test('broken frontmatter of a knowledge file is underlined', async () => {
    const broken = vscode.Uri.joinPath(api.server.folder.uri, '.muninn/knowledge/broken.md');
    await vscode.workspace.fs.writeFile(broken, Buffer.from('---\ntype: [decision\n---\n\n# Broken\n'));
    await vscode.window.showTextDocument(broken);
    await until(vscode.languages.onDidChangeDiagnostics, () => vscode.languages.getDiagnostics(broken).length > 0);
    assert.equal(vscode.languages.getDiagnostics(broken)[0]?.source, 'muninn');
  });

  test('keys and values are completed in Muninn files only', async () => {
    const own = vscode.Uri.joinPath(api.server.folder.uri, '.muninn/knowledge/names.md');
    await vscode.workspace.fs.writeFile(own, Buffer.from('---\nconfidence: \n---\n'));
    await vscode.window.showTextDocument(own);
    const completed = async (uri: vscode.Uri, line: number, character: number): Promise<string[]> => {
      const at = new vscode.Position(line, character);
      const list = await vscode.commands.executeCommand<vscode.CompletionList>('vscode.executeCompletionItemProvider', uri, at);
      return list.items.map(({ label }) => (typeof label === 'string' ? label : label.label));
    };
    assert.ok((await completed(own, 1, 12)).includes('high'));
    assert.ok(!(await completed(file, 1, 0)).includes('high'));
  });

  test('the progress of reconcile is not shown as progress of the index', async () => {
    const heard: string[] = [];
    const { token } = new vscode.CancellationTokenSource();
    const states: boolean[] = [];
    const listener = api.server.onDidChange(({ indexing }) => states.push(indexing !== undefined));
    await api.server.requestWithProgress('reconcile', { dry_run: true }, (message) => heard.push(message), token);
    listener.dispose();
    assert.notDeepEqual(heard, []);
    assert.ok(!states.includes(true));
  });

  test('memories of another client are counted', async () => {
    const elsewhere = vscode.Uri.joinPath(api.server.folder.uri, '.muninn/memory/sessions/other-1.jsonl');
    const line = { v: 1, id: 'fromelsewhere1', ts: '2026-01-02T03:04:05Z', type: 'insight', session: 'other', text: 'Elsewhere.' };
    await vscode.workspace.fs.writeFile(elsewhere, Buffer.from(`${JSON.stringify(line)}\n`));
    await until(api.server.onDidChange, () => api.server.state.status?.log.memories === 2);
  });

  test('a change on disk of a closed file without memories is noticed', async () => {
    const { generation } = (await api.server.request('status', {})).index;
    const outdated = new Promise((resolve) => api.server.onDidOutdate(resolve)); // it may come before the writing is done
    await vscode.workspace.fs.writeFile(vscode.Uri.joinPath(api.server.folder.uri, 'src/other.py'), Buffer.from('def other():\n    pass\n'));
    await outdated;
    await until(api.server.onDidChange, () => (api.server.state.status?.index.generation ?? 0) > generation);
  });

  test('a server error keeps its kind', async () => {
    await assert.rejects(api.server.request('forget', { id: 'nothing-has-this-id' }), { kind: 'not_found' });
  });

  test('simultaneous restarts end in one running server', async () => {
    await Promise.all([api.server.restart(), api.server.restart(), api.server.restart()]);
    assert.equal(api.server.state.phase, 'running');
    const { log } = await api.server.request('status', {});
    assert.equal(log.memories, 2);
  });

  test('after the daemon is killed a new one answers, and no memory is lost', async () => {
    const { pid } = await api.server.request('status', {});
    process.kill(pid, 'SIGKILL');
    await until(api.server.onDidChange, () => (api.server.state.status?.pid ?? pid) !== pid);
    assert.match(api.item.text, /2 memories$|2 in all$|indexing/);
    const { log } = await api.server.request('status', {});
    assert.equal(log.memories, 2);
  });

  test('a missing program is a problem with a hint, and correcting the setting starts the server', async () => {
    const settings = vscode.workspace.getConfiguration('muninn', api.server.folder);
    const wrong = ['no-such-program-here', 'lsp'];
    await settings.update('server.command', wrong, vscode.ConfigurationTarget.Workspace);
    await until(api.server.onDidChange, () => api.server.state.failure !== undefined);
    assert.equal(api.server.state.failure?.kind, 'missing_program');
    assert.match(api.item.text, /problem/);
    await settings.update('server.command', undefined, vscode.ConfigurationTarget.Workspace);
    await until(api.server.onDidChange, () => api.server.state.status?.log.memories === 2);
  });
});
