// Addresses of the server's documents. Each server has the scheme to itself and knows nothing of others: in a window, an
// address also says whose it is, in the place of a host. Pure.

import { createHash } from 'node:crypto';
import { basename } from 'node:path';

/** The scheme of the server's documents. */
export const DOCUMENT = 'muninn';

/** The command that opens a document of the server, the only one that a hover may run. */
export const OPEN = 'muninn.ui.document';

const LINK = /\]\((muninn:\/[^\s()]+)\)/g;

/** What stands for a repository in addresses: readable, the same every time, and no other's. */
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

/** The markdown of a hover with commands in the place of the addresses of a repository's documents. */
export function commandLinks(markdown: string, key: string): string {
  return markdown.replace(LINK, (_, uri: string) => `](command:${OPEN}?${encodeURIComponent(JSON.stringify([owned(uri, key)]))})`);
}
