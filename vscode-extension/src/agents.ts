// Muninn for VS Code's own agent: its tools over MCP, and a recall tool where the editor lets extensions bring one.
// Older versions of VS Code have neither: each is registered only where it exists.

import * as vscode from 'vscode';
import { placeOf } from './citations';
import type { Hit } from './protocol';
import type { Repositories } from './repositories';
import type { Server } from './server';
import { counted } from './state';

/** The newer interfaces that are used here (VS Code 1.95 and 1.101). */
interface Newer {
  readonly lm?: {
    registerTool?(name: string, tool: RecallTool): vscode.Disposable;
    registerMcpServerDefinitionProvider?(id: string, provider: object): vscode.Disposable;
  };
  readonly McpStdioServerDefinition?: new (label: string, command: string, args: string[]) => { cwd?: vscode.Uri };
  readonly LanguageModelToolResult?: new (parts: object[]) => object;
  readonly LanguageModelTextPart?: new (text: string) => object;
}

interface Call {
  readonly input: { readonly query: string; readonly limit?: number; readonly repository?: string };
}

const MOST_LINES = 12;

/** Registers what this version of VS Code supports. */
export function registerAgentTools(repositories: Repositories): vscode.Disposable {
  const newer = vscode as unknown as Newer;
  const registered: vscode.Disposable[] = [];
  const { lm, McpStdioServerDefinition: Definition } = newer;
  if (lm?.registerMcpServerDefinitionProvider && Definition) {
    registered.push(
      lm.registerMcpServerDefinitionProvider('muninn', {
        onDidChangeMcpServerDefinitions: repositories.onDidChange,
        provideMcpServerDefinitions: () =>
          (vscode.workspace.isTrusted ? repositories.all : []).map(({ label, command, folder: { uri } }) => {
            const definition = new Definition(label, ...mcp(command, uri.fsPath));
            definition.cwd = uri;
            return definition;
          }),
      }),
    );
  }
  if (lm?.registerTool && newer.LanguageModelToolResult) registered.push(lm.registerTool('muninn_recall', new RecallTool(repositories, newer)));
  return vscode.Disposable.from(...registered);
}

/** The program and arguments that serve MCP, beside the given ones that serve LSP. */
function mcp(command: readonly string[], folder: string): [string, string[]] {
  const [program = 'muninn', ...rest] = command;
  return [program, [...rest.map((word) => (word === 'lsp' ? 'mcp' : word)), '--repo', folder]];
}

/** Recall as a tool of the editor's language models. */
class RecallTool {
  constructor(
    private readonly repositories: Repositories,
    private readonly newer: Newer,
  ) {}

  prepareInvocation({ input }: Call): object {
    return { invocationMessage: `Recalling “${input.query}”${input.repository ? ` in ${input.repository}` : ''}` };
  }

  async invoke({ input }: Call, token: vscode.CancellationToken): Promise<object> {
    const { all, current } = this.repositories;
    const server = input.repository ? named(all, input.repository) : current;
    const { hits: ranked, remembered } = await server.request('recall', { query: input.query, limit: input.limit ?? 8 }, token);
    const hits = [...remembered, ...ranked.filter((hit) => !remembered.some(({ id }) => id === hit.id))];
    const found = hits.length ? hits.map(describeHit).join('\n\n') : 'Nothing in this repository matches.';
    const text = all.length > 1 ? `${repositoryLine(all, server)}\n\n${found}` : found;
    const { LanguageModelToolResult: Result, LanguageModelTextPart: Part } = this.newer;
    if (!Result || !Part) throw new Error('this VS Code takes no tools');
    return new Result([new Part(text)]);
  }
}

function named(all: readonly Server[], name: string): Server {
  const server = all.find((each) => each.name === name);
  if (server) return server;
  throw new Error(`No repository of this window is called '${name}'. There are: ${names(all)}.`); // the language model reads it
}

function repositoryLine(all: readonly Server[], server: Server): string {
  return `In the repository ${server.name}. Others in this window: ${names(all.filter((each) => each !== server))}.`;
}

function names(servers: readonly Server[]): string {
  return servers.map(({ name }) => name).join(', ');
}

function describeHit(hit: Hit): string {
  const place = hit.path ? placeOf(hit.path, hit.start_line, hit.end_line) : hit.id;
  const lines = hit.text.trim().split('\n');
  const rest = lines.length > MOST_LINES ? `\n… ${counted(lines.length - MOST_LINES, 'more line', 'more lines')}` : '';
  return `[${hit.kind}${hit.type ? ` ${hit.type}` : ''}] ${hit.repository ? `${hit.repository}:` : ''}${place}\n${lines.slice(0, MOST_LINES).join('\n')}${rest}`;
}
