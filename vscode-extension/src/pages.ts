// Read-only pages: which there are, how they are addressed, and a memory's text as markdown. Pure.

import { firstLine } from './hits';
import type { ContextParams, Memory, Reason } from './protocol';

/** The scheme of the pages' addresses. Those of `muninn` are the server's own documents. */
export const SCHEME = 'muninn-page';

/** What a page shows. It travels in the address, so that a page can be made anew after a reload of the window. */
export type Page =
  | { readonly page: 'memory'; readonly id: string; readonly why: readonly Reason[] }
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
    .trim()
    .slice(0, 60);
  return { path: `/${page.page}/${name || page.page}.md`, query: JSON.stringify(page) };
}

/** Reads a page out of an address' query. Throws an Error when it is none of ours. */
export function pageOf(query: string): Page {
  let page: unknown;
  try {
    page = JSON.parse(query);
  } catch {
    throw new Error('this is not the address of a Muninn page');
  }
  const kind = (page as { page?: unknown } | null)?.page;
  if (kind !== 'memory' && kind !== 'context') throw new Error('this is not the address of a Muninn page');
  return page as Page;
}

/** A memory as markdown: headline, text, what is known of it, and why it was found. */
export function memoryPage(memory: Memory, why: readonly Reason[]): string {
  const title = memory.title || firstLine(memory.text);
  const parts = [`# ${title}`, facts(memory)];
  if (memory.text.trim() !== title) parts.push(memory.text.trim());
  if (memory.files.length) parts.push(section('Files', memory.files.map((file) => `- \`${file}\``)));
  if (memory.links.length) parts.push(section('Links', memory.links.map((link) => `- ${link.relation} \`${link.target}\``)));
  const details = Object.entries(memory.details);
  if (details.length) parts.push(section('Details', ['```json', JSON.stringify(memory.details, null, 2), '```']));
  if (why.length) parts.push(section('Why it was found', reasons(why)));
  return `${parts.join('\n\n')}\n`;
}

function facts(memory: Memory): string {
  const known = [
    `**${memory.type}**`,
    memory.ts,
    `trust: ${memory.trust}`,
    `importance ${memory.importance} of 10`,
    `confidence ${Math.round(memory.confidence * 100)}%`,
  ];
  if (memory.commit) known.push(`commit \`${memory.commit.slice(0, 12)}\``);
  if (memory.tags.length) known.push(`tags: ${memory.tags.join(', ')}`);
  if (memory.review === 'pending') known.push('waits for approval');
  if (memory.review === 'rejected') known.push('rejected');
  if (memory.pinned) known.push('pinned');
  if (memory.archived) known.push('archived');
  if (memory.superseded_by) known.push(`superseded by \`${memory.superseded_by}\``);
  return `${known.join(' · ')}\n\n\`${memory.id}\``;
}

function section(title: string, lines: readonly string[]): string {
  return `## ${title}\n\n${lines.join('\n')}`;
}

// A list reads well as text and rendered; a table does not.
function reasons(why: readonly Reason[]): string[] {
  return why.map(({ signal, value, weight, contribution, note }) => {
    const sum = `+${contribution.toFixed(3)} (value ${value.toFixed(3)}, weight ${weight.toFixed(3)})`;
    return `- ${signal}: ${sum}${note ? `, ${note.replace(/\s+/g, ' ')}` : ''}`;
  });
}
