// The protocol's client of one server, fitted to a window that may have several: it leaves the server's commands to the
// extension, which registers them once, and says in commands, addresses and links which repository they belong to.

import * as vscode from 'vscode';
import {
  CloseAction,
  CodeLensRefreshRequest,
  ErrorAction,
  ExecuteCommandRequest,
  LanguageClient,
  type LanguageClientOptions,
  type MessageSignature,
  type Middleware,
  type StreamInfo,
} from 'vscode-languageclient/node';
import { bare, LINKED, owned } from './links';
import { linked } from './restricted';

const NEVER = new vscode.CancellationTokenSource().token;

/** Whose client it is. `roots` are the folders that its documents lie in; `owns` tells a document's own server. */
export interface Owner {
  readonly key: string;
  readonly folder: vscode.WorkspaceFolder;
  readonly roots: readonly vscode.Uri[];
  readonly owns: (uri: vscode.Uri) => boolean;
}

/** The client. Messages to people are the extension's, with their cures: of the library's own only the log lines stay. */
export class Client extends LanguageClient {
  private readonly outdated = new vscode.EventEmitter<void>();

  /** Fires when the server says that what is shown may be old. */
  readonly onDidOutdate = this.outdated.event;

  constructor(owner: Owner, streams: StreamInfo, log: vscode.LogOutputChannel, progress: Middleware['handleWorkDoneProgress'] & object) {
    super('muninn', 'Muninn', () => Promise.resolve(streams), options(owner, log, progress));
  }

  override onRequest(type: MessageSignature | string, handler: (...args: never[]) => unknown): vscode.Disposable {
    const heard = (...args: never[]): unknown => {
      this.outdated.fire();
      return handler(...args);
    };
    const isRefresh = (typeof type === 'string' ? type : type.method) === CodeLensRefreshRequest.method;
    return super.onRequest(type as string, isRefresh ? heard : handler);
  }

  override error(message: string, data?: unknown): void {
    super.error(message, data, false);
  }

  override registerFeature(feature: Parameters<LanguageClient['registerFeature']>[0]): void {
    const { registrationType } = feature as { registrationType?: { method: string } };
    // VS Code has one namespace of commands: two clients that register the same ones can't be had.
    if (registrationType?.method !== ExecuteCommandRequest.method) super.registerFeature(feature);
  }
}

function options(owner: Owner, log: vscode.LogOutputChannel, progress: Middleware['handleWorkDoneProgress'] & object): LanguageClientOptions {
  return {
    documentSelector: below(owner, '**/*'),
    workspaceFolder: owner.folder,
    outputChannel: log,
    initializationOptions: { reviewMenu: true, richHover: true },
    initializationFailedHandler: () => false,
    errorHandler: {
      error: () => ({ action: ErrorAction.Continue, handled: true }),
      closed: () => ({ action: CloseAction.DoNotRestart, handled: true }), // the server's life decides
    },
    uriConverters: {
      code2Protocol: (uri) => bare(uri.toString()),
      protocol2Code: (uri) => vscode.Uri.parse(owned(uri, owner.key)),
    },
    middleware: { ...signing(owner), ...routing(owner), handleWorkDoneProgress: progress },
  };
}

/** What lets people act, with the repository that it belongs to as the last argument. */
function signing({ key }: Owner): Middleware {
  const sign = (command: vscode.Command | undefined): void => {
    if (command?.command.startsWith('muninn.')) command.arguments = [...(command.arguments ?? []), key];
  };
  return {
    provideCodeLenses: async (document, token, next) => {
      const lenses = await next(document, token);
      for (const { command } of lenses ?? []) sign(command);
      return lenses;
    },
    provideCodeActions: async (document, range, context, token, next) => {
      const actions = await next(document, range, context, token);
      const commandOf = (each: vscode.Command | vscode.CodeAction): vscode.Command | undefined => (each instanceof vscode.CodeAction ? each.command : each);
      for (const each of actions ?? []) sign(commandOf(each));
      return vscode.workspace.isTrusted ? actions : actions?.filter((each) => !commandOf(each)?.command.startsWith('muninn.')); // they write
    },
    provideInlayHints: async (document, range, token, next) => {
      const hints = await next(document, range, token);
      for (const { command } of hints?.flatMap(({ label }) => (typeof label === 'string' ? [] : label)) ?? []) sign(command);
      return hints;
    },
    // VS Code follows the links of a hover that is trusted. The server escapes what comes from the repository.
    provideHover: async (document, position, token, next) => {
      const hover = await next(document, position, token);
      for (const part of hover?.contents ?? []) {
        if (!(part instanceof vscode.MarkdownString)) continue;
        part.value = linked(part.value, key);
        part.isTrusted = { enabledCommands: LINKED };
        part.supportHtml = true;
      }
      return hover;
    },
  };
}

/** Keeps from a server what is another's: a repository may lie inside another one, and all share a scheme. */
function routing(owner: Owner): Middleware {
  const foreign = (params: unknown): boolean => {
    const uri = (params as { textDocument?: { uri?: string } } | undefined)?.textDocument?.uri;
    return uri !== undefined && !owner.owns(vscode.Uri.parse(uri));
  };
  return {
    sendRequest: (type, params, token, next) => (foreign(params) ? Promise.resolve(null as never) : next(type, params, token)),
    sendNotification: (type, next, params) => (foreign(params) ? Promise.resolve() : next(type, params)),
    provideTextDocumentContent: (uri, token, next) => (owner.owns(uri) ? next(uri, token) : undefined),
    // What is registered later, for our own files, says `**/.muninn/**`: that is those of all repositories.
    handleRegisterCapability: async ({ registrations }, next) => {
      const ours = registrations.map((each) => {
        const { documentSelector } = (each.registerOptions ?? {}) as { documentSelector?: { pattern: string }[] | null };
        if (!documentSelector) return each;
        const selector = documentSelector.flatMap(({ pattern }) => below(owner, pattern));
        return { ...each, registerOptions: { ...(each.registerOptions as object), documentSelector: selector } };
      });
      await next({ registrations: ours }, NEVER);
    },
  };
}

function below({ roots }: Owner, pattern: string): { scheme: string; pattern: { baseUri: string; pattern: string } }[] {
  return roots.map((root) => ({ scheme: 'file', pattern: { baseUri: root.toString(), pattern } }));
}
