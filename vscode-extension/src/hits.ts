// Hits as the rows of a pick list. Pure.

import { byline } from './byline';
import { doubtsOf } from './citations';
import { iconOf } from './kinds';
import type { Hit, RecallResult } from './protocol';

const ICONS = { code: 'code', knowledge: 'book' } as const;
const WIDTH = 160;

/**
 * One row: VS Code shows `icon` and `label` first, `description` dimmed beside it, `detail` on a line of its own. An icon
 * within a label would be read by its name to people who use a screen reader.
 */
export interface Row {
  readonly icon: string;
  readonly label: string;
  readonly description: string;
  readonly detail: string;
  readonly hit: Hit;
}

/** A line above the rows of a section. `kind` is `vscode.QuickPickItemKind.Separator`. */
export interface Heading {
  readonly label: string;
  readonly kind: -1;
  readonly hit?: undefined;
}

/** Returns the rows of an answer: the memories that answer the question in a section of their own, then the other hits. */
export function rows({ remembered, hits }: Pick<RecallResult, 'remembered' | 'hits'>, now = new Date()): (Row | Heading)[] {
  const others = hits.filter((hit) => !remembered.some(({ id }) => id === hit.id));
  if (!remembered.length) return others.map((hit) => row(hit, now));
  const section = (label: string, found: readonly Hit[]): (Row | Heading)[] => (found.length ? [{ label, kind: -1 }, ...found.map((hit) => row(hit, now))] : []);
  return [...section('Remembered', remembered), ...section('Other hits', others)];
}

/** Makes the row of a hit: icon, place and first line; a memory has the icon of its type, and its headline for a place. */
export function row(hit: Hit, now = new Date()): Row {
  const first = bestLine(hit);
  if (hit.kind === 'memory') {
    // A title may be the beginning of the text, cut with '…'; an empty one is.
    const headline = first.startsWith(hit.title.replace(/…$/, '')) ? first : hit.title;
    // A headline takes the whole width, for which VS Code would cut a description. So all else is the detail.
    const more = headline === first ? '' : first;
    const doubts = [...(hit.status ? ['in conflict'] : []), ...doubtsOf(hit.cites)]; // a memory's status names its conflict
    const by = hit.author && byline({ author: hit.author, ts: hit.ts }, now);
    return named(hit, headline, '', joined(hit.type.replace('_', ' '), ...doubts, by, hit.repository, hit.path, hit.origin, more));
  }
  const place = `${hit.path}${hit.start_line ? `:${hit.start_line}` : ''}`;
  return named(hit, place, joined(hit.symbol || hit.title, hit.repository, hit.origin), first);
}

function named(hit: Hit, name: string, description: string, detail: string): Row {
  const icon = hit.kind === 'memory' ? iconOf(hit.type) : ICONS[hit.kind];
  return { icon, label: literal(name), description: literal(description), detail: literal(detail), hit };
}

function joined(...parts: readonly string[]): string {
  return parts.filter((part) => part).join(' · ');
}

/** The line with most words of the question, else the first line with text. */
export function bestLine(hit: Hit): string {
  const counts = hit.snippet.map((line) => line.marks.length);
  const best = hit.snippet[counts.indexOf(Math.max(0, ...counts))];
  return best?.marks.length ? firstLine(best.text) : firstLine(hit.text);
}

/** The first line with text, without its indentation, cut to a row's width. */
export function firstLine(text: string): string {
  const line = text.split(/\r?\n/).find((each) => each.trim()) ?? '';
  const trimmed = line.trim();
  return trimmed.length > WIDTH ? `${trimmed.slice(0, WIDTH - 1)}…` : trimmed;
}

/** Escapes `$(name)`, common in makefiles and shell, which VS Code would show as an icon. */
export function literal(text: string): string {
  return text.replace(/\$\([\w-]+(~\w+)?\)/g, '\\$&');
}
