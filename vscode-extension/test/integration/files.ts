// Runs inside the real extension host: VS Code's features in Muninn's files, and the tools of its agent.

import * as assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { activated, repeated, until } from './waiting';

const GUIDE = '# Cache task\n\nBegin with @src/cache.py#render_page, then [[caches]].\n\n## Then\n\nSee @src/cache.py.\n';

/** The parts of newer interfaces that are used here (VS Code 1.95). */
interface Newer {
  readonly lm: {
    readonly tools: readonly { readonly name: string }[];
    invokeTool(name: string, options: object, token: vscode.CancellationToken): Thenable<{ content: { value: string }[] }>;
  };
}

suite('Files of Muninn in VS Code', () => {
  let api: Awaited<ReturnType<typeof activated>>;
  let guide: vscode.Uri;
  let code: vscode.Uri;

  const ask = <T>(provider: string, ...args: unknown[]): Thenable<T> => vscode.commands.executeCommand<T>(`vscode.${provider}`, ...args);
  const write = (uri: vscode.Uri, text: string): Thenable<void> => vscode.workspace.fs.writeFile(uri, Buffer.from(text));
  /** The position of a word in the guide. */
  const at = (word: string): vscode.Position => {
    const lines = GUIDE.split('\n');
    const line = lines.findIndex((each) => each.includes(word));
    return new vscode.Position(line, (lines[line] ?? '').indexOf(word) + 2);
  };

  suiteSetup(async () => {
    api = await activated();
    await api.server.request('init', {});
    const { uri: root } = api.server.folder;
    code = vscode.Uri.joinPath(root, 'src/cache.py');
    guide = vscode.Uri.joinPath(root, '.muninn/context/task.md');
    await write(vscode.Uri.joinPath(root, '.muninn/knowledge/caches.md'), '---\ntype: convention\n---\n\n# Caches\n\nKeyed by commit.\n');
    await write(guide, GUIDE);
    await api.server.request('remember', { text: 'The guide of caches is old.', files: ['src/cache.py'], key: 'guide' });
    await api.server.request('index', { wait: true });
    await vscode.window.showTextDocument(guide);
  });

  test('definition and references work in Muninn files', async () => {
    const [place] = await ask<vscode.Location[]>('executeDefinitionProvider', guide, at('@src/cache.py#'));
    assert.ok(place?.uri.path.endsWith('/src/cache.py') && place.range.start.line === 3);
    const referrers = await ask<vscode.Location[]>('executeReferenceProvider', guide, at('@src/cache.py#'));
    assert.ok(referrers.some(({ uri }) => uri.path.endsWith('/context/task.md')));
    const [hover] = await ask<vscode.Hover[]>('executeHoverProvider', guide, at('[[caches'));
    assert.match((hover?.contents[0] as vscode.MarkdownString).value, /Keyed by commit/);
  });

  test('outline, folding ranges and semantic tokens follow the text', async () => {
    const outline = await ask<vscode.DocumentSymbol[]>('executeDocumentSymbolProvider', guide);
    assert.ok(outline.some(({ name }) => name === 'Cache task'), outline.map(({ name }) => name).join());
    const folds = await ask<vscode.FoldingRange[]>('executeFoldingRangeProvider', guide);
    assert.ok(folds.some(({ start }) => start === 4), folds.map(({ start }) => start).join());
    const coloured = await ask<vscode.SemanticTokens>('provideDocumentSemanticTokens', guide);
    assert.equal(coloured.data[0], 2); // the first one is in the third line
  });

  test('workspace symbols include knowledge and memories', async () => {
    const names = async (words: string): Promise<string[]> =>
      (await ask<vscode.SymbolInformation[]>('executeWorkspaceSymbolProvider', words)).map(({ name }) => name);
    assert.ok((await names('Caches')).some((name) => /caches/i.test(name)), (await names('Caches')).join());
    assert.ok((await names('guide of caches')).some((name) => name.includes('guide of caches')));
  });

  test('a lens above a context file shows the size of its pack and opens the pack', async () => {
    const [lens] = await ask<vscode.CodeLens[]>('executeCodeLensProvider', guide, 10);
    assert.match(lens?.command?.title ?? '', /tokens · 3 references$/);
    await vscode.commands.executeCommand(lens?.command?.command ?? '', ...(lens?.command?.arguments ?? []));
    const shown = vscode.window.activeTextEditor?.document;
    assert.equal(shown?.uri.scheme, 'muninn');
    assert.match(shown.getText(), /def render_page/);
    await vscode.commands.executeCommand('workbench.action.closeActiveEditor');
  });

  test('a new context file is made from a template, and its pack is previewed beside it', async () => {
    await vscode.commands.executeCommand('muninn.ui.newContextFile', 'bugfix', 'pages');
    const { document } = vscode.window.activeTextEditor ?? {};
    assert.ok(document);
    assert.ok(document.uri.path.endsWith('/.muninn/context/pages.md'));
    await api.reader.open(api.server, 'muninn:/context/.muninn/context/task.md');
    await vscode.window.showTextDocument(document); // the page is in the same column now
    await vscode.commands.executeCommand('muninn.ui.previewPack');
    await repeated(() => vscode.window.tabGroups.all.length === 2); // it moved
    assert.ok(api.reader.text.includes(document.lineAt(document.lineCount - 1).text));
    assert.match(api.reader.text, /\d of [\d,]+ tokens/);
    api.reader.close();
    await vscode.workspace.fs.delete(document.uri);
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
  });

  test('references are updated when a file is renamed', async () => {
    const { uri: root } = api.server.folder;
    const [from, to] = ['caches', 'keys'].map((name) => vscode.Uri.joinPath(root, `.muninn/knowledge/${name}.md`));
    assert.ok(from && to);
    const edit = new vscode.WorkspaceEdit();
    edit.renameFile(from, to);
    assert.ok(await vscode.workspace.applyEdit(edit));
    const { document } = await vscode.window.showTextDocument(guide);
    await until(vscode.workspace.onDidChangeTextDocument, () => document.getText().includes('[[keys]]'));
    await document.save();
  });

  test('with that setting notes are inlay hints at line ends, without it lenses', async () => {
    const settings = vscode.workspace.getConfiguration('muninn', api.server.folder);
    const titles = async (): Promise<(string | undefined)[]> =>
      (await ask<vscode.CodeLens[]>('executeCodeLensProvider', code, 10)).map(({ command }) => command?.title);
    const hints = (): Thenable<vscode.InlayHint[]> => ask('executeInlayHintProvider', code, new vscode.Range(0, 0, 6, 0));
    await vscode.window.showTextDocument(code);
    assert.notDeepEqual(await titles(), []);
    assert.deepEqual(await hints(), []);
    await settings.update('lens', 'inlay', vscode.ConfigurationTarget.Workspace);
    await repeated(async () => (await hints()).length > 0 && (await titles()).length === 0);
    await settings.update('lens', undefined, vscode.ConfigurationTarget.Workspace);
    await repeated(async () => (await hints()).length === 0 && (await titles()).length > 0);
  });

  test('a language model of the editor can call the recall tool', async () => {
    const { lm } = vscode as unknown as Newer;
    assert.ok(lm.tools.some(({ name }) => name === 'muninn_recall'));
    const token = new vscode.CancellationTokenSource().token;
    const { content } = await lm.invokeTool('muninn_recall', { input: { query: 'the guide of caches' }, toolInvocationToken: undefined }, token);
    assert.match(content[0]?.value ?? '', /The guide of caches is old/);
  });
});
