// Muninn for VS Code's own agent: its tools over MCP, and a recall tool where the editor lets extensions bring one.
// Both are newer than the oldest VS Code that this extension runs in: each is offered only where it is there.

import * as vscode from 'vscode';
import type { Hit } from './protocol';
import type { Server } from './server';

/** The parts of newer interfaces that are used here (VS Code 1.95 and 1.101). */
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
  readonly input: { readonly query: string; readonly limit?: number };
}

const MOST_LINES = 12;

/** Offers what this VS Code can take; `command` is the command line of the language server. */
export function offerToAgents(server: Server, command: () => readonly string[]): vscode.Disposable {
  const newer = vscode as unknown as Newer;
  const offered: vscode.Disposable[] = [];
  const { lm, McpStdioServerDefinition: Definition } = newer;
  if (lm?.registerMcpServerDefinitionProvider && Definition) {
    offered.push(
      lm.registerMcpServerDefinitionProvider('muninn', {
        provideMcpServerDefinitions: () => {
          const definition = new Definition('Muninn', ...mcp(command(), server.folder.uri.fsPath));
          definition.cwd = server.folder.uri;
          return [definition];
        },
      }),
    );
  }
  if (lm?.registerTool && newer.LanguageModelToolResult) offered.push(lm.registerTool('muninn_recall', new RecallTool(server, newer)));
  return vscode.Disposable.from(...offered);
}

/** The program and arguments that serve MCP, beside the given ones that serve LSP. */
function mcp(command: readonly string[], folder: string): [string, string[]] {
  const [program = 'muninn', ...rest] = command;
  return [program, [...rest.map((word) => (word === 'lsp' ? 'mcp' : word)), '--repo', folder]];
}

/** Recall as a tool of the editor's language models. */
class RecallTool {
  constructor(
    private readonly server: Server,
    private readonly newer: Newer,
  ) {}

  prepareInvocation({ input }: Call): object {
    return { invocationMessage: `Recalling “${input.query}”` };
  }

  async invoke({ input }: Call, token: vscode.CancellationToken): Promise<object> {
    const { hits } = await this.server.request('recall', { query: input.query, limit: input.limit ?? 8 }, token);
    const text = hits.length ? hits.map(told).join('\n\n') : 'Nothing in this repository matches.';
    const { LanguageModelToolResult: Result, LanguageModelTextPart: Part } = this.newer;
    if (!Result || !Part) throw new Error('this VS Code takes no tools');
    return new Result([new Part(text)]);
  }
}

function told(hit: Hit): string {
  const place = hit.path ? `${hit.path}${hit.start_line ? `:${hit.start_line}-${hit.end_line}` : ''}` : hit.id;
  const lines = hit.text.trim().split('\n');
  const rest = lines.length > MOST_LINES ? `\n… ${lines.length - MOST_LINES} more lines` : '';
  return `[${hit.kind}${hit.type ? ` ${hit.type}` : ''}] ${place}\n${lines.slice(0, MOST_LINES).join('\n')}${rest}`;
}
