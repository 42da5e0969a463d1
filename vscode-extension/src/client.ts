// The LSP client of one server in a window that may have several. It registers no commands, because the extension does
// that once, and adds the key of its repository to commands, addresses and links.

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
import { LINKED, withKey, withoutKey } from './links';
import { linked } from './restricted';

const NEVER = new vscode.CancellationTokenSource().token;

/** The repository of a client. `roots` are the folders of its documents; `owns` is whether a document belongs to it. */
export interface Owner {
  readonly key: string;
  readonly folder: vscode.WorkspaceFolder;
  readonly roots: readonly vscode.Uri[];
  readonly owns: (uri: vscode.Uri) => boolean;
}

/** The client. The extension shows errors with a remedy, so that the library's go to the log alone. */
export class Client extends LanguageClient {
  private readonly outdated = new vscode.EventEmitter<void>();

  /** Fires when the server requests a refresh: what is shown may be outdated. */
  readonly onDidOutdate = this.outdated.event;

  constructor(owner: Owner, streams: StreamInfo, log: vscode.LogOutputChannel, progress: Middleware['handleWorkDoneProgress'] & object) {
    super('muninn', 'Muninn', () => Promise.resolve(streams), options(owner, log, progress));
  }

  override onRequest(type: MessageSignature | string, handler: (...args: never[]) => unknown): vscode.Disposable {
    const andFire = (...args: never[]): unknown => {
      this.outdated.fire();
      return handler(...args);
    };
    const isRefresh = (typeof type === 'string' ? type : type.method) === CodeLensRefreshRequest.method;
    return super.onRequest(type as string, isRefresh ? andFire : handler);
  }

  override error(message: string, data?: unknown): void {
    super.error(message, data, false);
  }

  override registerFeature(feature: Parameters<LanguageClient['registerFeature']>[0]): void {
    const { registrationType } = feature as { registrationType?: { method: string } };
    // VS Code has one namespace of commands: two clients can't register the same ones.
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
      closed: () => ({ action: CloseAction.DoNotRestart, handled: true }), // Server restarts it
    },
    uriConverters: {
      code2Protocol: (uri) => withoutKey(uri.toString()),
      protocol2Code: (uri) => vscode.Uri.parse(withKey(uri, owner.key)),
    },
    middleware: { ...keying(owner), ...routing(owner), handleWorkDoneProgress: progress },
  };
}

/** Adds the repository's key as the last argument of commands. */
function keying({ key }: Owner): Middleware {
  const addKey = (command: vscode.Command | undefined): void => {
    if (command?.command.startsWith('muninn.')) command.arguments = [...(command.arguments ?? []), key];
  };
  return {
    provideCodeLenses: async (document, token, next) => {
      const lenses = await next(document, token);
      for (const { command } of lenses ?? []) addKey(command);
      return lenses;
    },
    provideCodeActions: async (document, range, context, token, next) => {
      const actions = await next(document, range, context, token);
      const commandOf = (each: vscode.Command | vscode.CodeAction): vscode.Command | undefined => (each instanceof vscode.CodeAction ? each.command : each);
      for (const each of actions ?? []) addKey(commandOf(each));
      return vscode.workspace.isTrusted ? actions : actions?.filter((each) => !commandOf(each)?.command.startsWith('muninn.')); // they write
    },
    provideInlayHints: async (document, range, token, next) => {
      const hints = await next(document, range, token);
      for (const { command } of hints?.flatMap(({ label }) => (typeof label === 'string' ? [] : label)) ?? []) addKey(command);
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

/** Keeps documents of other repositories from a server: one may lie inside another, and all share a scheme. */
function routing(owner: Owner): Middleware {
  const foreign = (params: unknown): boolean => {
    const uri = (params as { textDocument?: { uri?: string } } | undefined)?.textDocument?.uri;
    return uri !== undefined && !owner.owns(vscode.Uri.parse(uri));
  };
  return {
    sendRequest: (type, params, token, next) => (foreign(params) ? Promise.resolve(null as never) : next(type, params, token)),
    sendNotification: (type, next, params) => (foreign(params) ? Promise.resolve() : next(type, params)),
    provideTextDocumentContent: (uri, token, next) => (owner.owns(uri) ? next(uri, token) : undefined),
    // The pattern of the features for Muninn's own files is `**/.muninn/**`, which includes other repositories.
    handleRegisterCapability: async ({ registrations }, next) => {
      const limited = registrations.map((each) => {
        const { documentSelector } = (each.registerOptions ?? {}) as { documentSelector?: { pattern: string }[] | null };
        if (!documentSelector) return each;
        const selector = documentSelector.flatMap(({ pattern }) => below(owner, pattern));
        return { ...each, registerOptions: { ...(each.registerOptions as object), documentSelector: selector } };
      });
      await next({ registrations: limited }, NEVER);
    },
  };
}

function below({ roots }: Owner, pattern: string): { scheme: string; pattern: { baseUri: string; pattern: string } }[] {
  return roots.map((root) => ({ scheme: 'file', pattern: { baseUri: root.toString(), pattern } }));
}
