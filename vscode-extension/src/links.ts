// Addresses of the server's documents. In a window with several servers, an address has the key of its repository as
// its host; the server's own addresses have none. Pure.

import { createHash } from 'node:crypto';
import { basename } from 'node:path';

/** The scheme of the server's documents. */
export const DOCUMENT = 'muninn';

/** The command that opens a document of the server, or a file of the repository. */
export const OPEN = 'muninn.ui.document';

/** The only commands that links of a hover, a card or a page may run, because their text comes from the repository. */
export const LINKED = [OPEN, 'muninn.confirm', 'muninn.write', 'muninn.forget'] as const;

/** What a link does. A page has the address in the place of a missing title, and a screen reader reads it out. */
const TITLES: Readonly<Record<string, string>> = {
  [OPEN]: 'Opens it',
  'muninn.confirm': 'Says that this memory still holds',
  'muninn.write': 'Asks for a memory that replaces this one',
  'muninn.forget': 'Asks whether to forget this memory',
};

// The server escapes brackets in text of the repository: one behind an odd number of backslashes begins no link.
const LINK = /\](?<=(?<!\\)(?:\\\\)*\])\(((?:muninn:|file:\/\/)\/[^\s()]+)\)/g;
const ACTION = /\[(?<=(?<!\\)(?:\\\\)*\[)(?:\\.|[^[\]\\])*\]\(command:muninn\.\w+\?[^\s()]+\)(?: · )?/g;
const COMMAND = /\](?<=(?<!\\)(?:\\\\)*\])\(command:(muninn\.\w+)\?([^\s()]+)\)/g;

/** The key of a repository in addresses: readable, stable and unique. */
export function keyOf(root: string): string {
  const name = basename(root).toLowerCase().replace(/[^a-z0-9]+/g, '-').replace(/^-|-$/g, '');
  const mark = createHash('sha256').update(root).digest('hex').slice(0, 8);
  return name ? `${name}-${mark}` : mark;
}

/** An address of the server with the key of its repository; any other unchanged. */
export function withKey(uri: string, key: string): string {
  return uri.replace(/^muninn:\/(?!\/)/, `muninn://${key}/`);
}

/** An address as the server expects it, without a key. */
export function withoutKey(uri: string): string {
  return uri.replace(/^muninn:\/\/[^/]*/, 'muninn:');
}

/** The server's markdown without its commands, all of which write. */
export function withoutCommands(markdown: string): string {
  return markdown.replace(ACTION, '');
}

/** The server's markdown with commands instead of addresses. The server's commands get the repository's key. */
export function commandLinks(markdown: string, key: string): string {
  return markdown
    .replace(COMMAND, (_, command: string, args: string) => {
      const given = JSON.parse(decodeURIComponent(args)) as unknown[];
      return linkTo(command, [...given, key]);
    })
    .replace(LINK, (_, uri: string) => linkTo(OPEN, [withKey(uri, key)]));
}

function linkTo(command: string, args: readonly unknown[]): string {
  const encoded = encodeURIComponent(JSON.stringify(args)).replace(/[()]/g, (mark) => (mark === '(' ? '%28' : '%29'));
  return `](command:${command}?${encoded}${TITLES[command] ? ` "${TITLES[command]}"` : ''})`;
}
