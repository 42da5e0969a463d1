// Addresses of the server's documents. Each server has the scheme to itself and knows nothing of others: in a window, an
// address also says whose it is, in the place of a host. Pure.

import { createHash } from 'node:crypto';
import { basename } from 'node:path';

/** The scheme of the server's documents. */
export const DOCUMENT = 'muninn';

/** The command that opens a document of the server, or a file of the repository. */
export const OPEN = 'muninn.ui.document';

/** The commands that a hover, a card or a page may run: the words of all of them come from the repository. */
export const LINKED = [OPEN, 'muninn.confirm', 'muninn.write', 'muninn.forget'] as const;

// A bracket behind an odd number of backslashes is text of the repository, which the server has escaped.
const LINK = /\](?<=(?<!\\)(?:\\\\)*\])\(((?:muninn:|file:\/\/)\/[^\s()]+)\)/g;
const ACTION = /\[(?<=(?<!\\)(?:\\\\)*\[)(?:\\.|[^[\]\\])*\]\(command:muninn\.\w+\?[^\s()]+\)(?: · )?/g;
const COMMAND = /\](?<=(?<!\\)(?:\\\\)*\])\(command:(muninn\.\w+)\?([^\s()]+)\)/g;

/** The key of a repository in addresses: readable, stable and unique. */
export function keyOf(root: string): string {
  const name = basename(root).toLowerCase().replace(/[^a-z0-9]+/g, '-').replace(/^-|-$/g, '');
  const mark = createHash('sha256').update(root).digest('hex').slice(0, 8);
  return name ? `${name}-${mark}` : mark;
}

/** An address of the server with the repository that it belongs to; any other stays as it is. */
export function owned(uri: string, key: string): string {
  return uri.replace(/^muninn:\/(?!\/)/, `muninn://${key}/`);
}

/** An address as the server knows it. */
export function bare(uri: string): string {
  return uri.replace(/^muninn:\/\/[^/]*/, 'muninn:');
}

/** The server's markdown without its commands, all of which write. */
export function withoutCommands(markdown: string): string {
  return markdown.replace(ACTION, '');
}

/** The server's markdown with commands instead of addresses; the server's commands get their repository. */
export function commandLinks(markdown: string, key: string): string {
  return markdown
    .replace(COMMAND, (_, command: string, args: string) => {
      const given = JSON.parse(decodeURIComponent(args)) as unknown[];
      return linkTo(command, [...given, key]);
    })
    .replace(LINK, (_, uri: string) => linkTo(OPEN, [owned(uri, key)]));
}

function linkTo(command: string, args: readonly unknown[]): string {
  const encoded = encodeURIComponent(JSON.stringify(args)).replace(/[()]/g, (mark) => (mark === '(' ? '%28' : '%29'));
  return `](command:${command}?${encoded})`;
}
