// Read-only pages: their kinds and addresses, and the reasons of a hit below its document. Pure.

import { firstLine } from './hits';
import type { ContextParams, Reason } from './protocol';

/** The scheme of the pages' addresses. Those of `muninn` are the server's own documents. */
export const SCHEME = 'muninn-page';

const NAME = 60;

/** The content of a page. It is part of the address, so that the page can be fetched after a reload of the window. */
export type Page =
  | { readonly page: 'side'; readonly id: string; readonly conflict: string; readonly side: 'left' | 'right' }
  | { readonly page: 'context'; readonly params: ContextParams };

/** The parts of an address; `path` ends with the name that the tab shows. */
export interface Address {
  readonly path: string;
  readonly query: string;
}

/** Makes the address of a page under a title. */
export function address(page: Page, title: string): Address {
  const name = firstLine(title)
    .replace(/[^\p{L}\p{N} ._-]+/gu, ' ')
    .replace(/\s+/g, ' ')
    .trim();
  return { path: `/${page.page}/${shortened(name) || page.page}.md`, query: JSON.stringify(page) };
}

/** The first words of a name, up to a length. */
export function shortened(name: string, length = NAME): string {
  if (name.length <= length) return name;
  const end = name.lastIndexOf(' ', length);
  return `${name.slice(0, end > length / 2 ? end : length)}…`;
}

/** Reads a page from the query of an address. Throws an Error for any other query. */
export function pageOf(query: string): Page {
  let page: unknown;
  try {
    page = JSON.parse(query);
  } catch {
    throw new Error('this is not the address of a Muninn page');
  }
  const kind = (page as { page?: unknown } | null)?.page;
  if (kind !== 'side' && kind !== 'context') throw new Error('this is not the address of a Muninn page');
  return page as Page;
}

/** The server's document of a memory. */
export function memoryDocument(id: string): string {
  return `muninn:/memory/${encodeURIComponent(id)}.md`;
}

/** A memory's page with, at its end, why a question found it. */
export function withReasons(text: string, why: readonly Reason[]): string {
  if (!why.length) return text;
  return `${text.trimEnd()}\n\n<details><summary>Why it was found</summary>\n\n${reasons(why).join('\n')}\n\n</details>\n`;
}

function reasons(why: readonly Reason[]): string[] {
  return why.map(({ signal, value, weight, contribution, note }) => {
    const sum = `${contribution < 0 ? '' : '+'}${contribution.toFixed(3)} (value ${value.toFixed(3)}, weight ${weight.toFixed(3)})`;
    return `- ${signal}: ${sum}${note ? `, ${literal(note)}` : ''}`;
  });
}

/** A text in markdown as it stands, on one line: a note has paths and subjects of commits. */
function literal(text: string): string {
  return text.replace(/\s+/g, ' ').replace(/[\\`*_[\]<]/g, '\\$&');
}
