// Hits as the rows of a pick list. Pure.

import type { Hit } from './protocol';

const ICONS = { code: 'code', knowledge: 'book', memory: 'lightbulb' } as const satisfies Record<Hit['kind'], string>;
const WIDTH = 160;

/** One row: VS Code shows `label` first, `description` dimmed beside it, `detail` on a line of its own. */
export interface Row {
  readonly label: string;
  readonly description: string;
  readonly detail: string;
  readonly hit: Hit;
}

/** Makes the row of a hit: icon of its kind, place, score and first line; a memory's headline stands for its place. */
export function row(hit: Hit): Row {
  const first = firstLine(hit.text);
  const place = hit.path && `${hit.path}${hit.start_line ? `:${hit.start_line}` : ''}`;
  const isMemory = hit.kind === 'memory';
  const headline = isMemory ? hit.title || first : place;
  const about = isMemory ? [hit.type, hit.path] : [hit.symbol || hit.title];
  return {
    label: `$(${ICONS[hit.kind]}) ${literal(headline)}`,
    description: literal([...about.filter((part) => part), hit.score.toFixed(3)].join(' · ')),
    detail: first === headline ? '' : literal(first),
    hit,
  };
}

/** The first line of a text that says something, without its indentation, cut to a row's width. */
export function firstLine(text: string): string {
  const line = text.split(/\r?\n/).find((each) => each.trim()) ?? '';
  const trimmed = line.trim();
  return trimmed.length > WIDTH ? `${trimmed.slice(0, WIDTH - 1)}…` : trimmed;
}

/** A text that VS Code shows as it stands: `$(name)`, common in makefiles and shell, would become an icon. */
function literal(text: string): string {
  return text.replace(/\$\([\w-]+(~\w+)?\)/g, '\\$&');
}
