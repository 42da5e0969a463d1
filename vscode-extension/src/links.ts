// Links in hovers. VS Code makes no link of an address whose scheme it does not know; a command is one that it follows.

/** The command that opens a document of the server, the only one that a hover may run. */
export const OPEN = 'muninn.ui.document';

const LINK = /\]\((muninn:\/[^\s()]+)\)/g;

/** The markdown of a hover with commands in the place of the addresses of the server's documents. Pure. */
export function commandLinks(markdown: string): string {
  return markdown.replace(LINK, (_, uri: string) => `](command:${OPEN}?${encodeURIComponent(JSON.stringify([uri]))})`);
}
