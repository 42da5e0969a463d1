// Memories as rows: grouped, with their state. Pure.

import { byline } from '../byline';
import { doubtsOf, placeOf, stateOf } from '../citations';
import { firstLine } from '../hits';
import { iconOf } from '../kinds';
import type { Citation, Memory } from '../protocol';
import { counted } from '../state';
import type { Node } from './node';

/** What memories can be grouped by. */
export const GROUPINGS = ['type', 'file', 'tag', 'task', 'none'] as const;
export type Grouping = (typeof GROUPINGS)[number];

/** The citations of memories, by the memories' ids. */
export type Citations = Readonly<Record<string, readonly Citation[]>>;

/** One memory: its headline and its state. */
export function memoryNode(memory: Memory, cites: readonly Citation[] = [], within = ''): Node {
  const title = headline(memory);
  return {
    key: `${within}/${memory.id}`,
    label: title,
    what: memory.type.replace('_', ' '),
    description: marks(memory, cites).join(' · '),
    tooltip: tooltip(memory, cites),
    ...(signOf(cites) ?? { icon: iconOf(memory.type) }),
    kind: memory.review === 'pending' ? 'memory.pending' : kindOf(cites),
    target: { to: 'memory', id: memory.id, title },
  };
}

/**
 * Memories in groups, the largest group first; those without what they are grouped by come last. `within` is the row
 * that they stand below, if any.
 */
export function memoryNodes(
  memories: readonly Memory[],
  cites: Citations,
  by: Grouping,
  total: number,
  within = '',
): Node[] {
  const rows = by === 'none' ? memories.map((each) => memoryNode(each, cites[each.id], within)) : grouped(memories, cites, by);
  const more = total - memories.length;
  if (more <= 0) return rows;
  const label = `${counted(more, 'older memory', 'older memories')} not listed`;
  return [...rows, { key: `${within}/more`, label, description: 'filter, or recall', icon: 'ellipsis' }];
}

/** The memories about a file in the order of its lines: first those about the whole file, then each at its first line. */
export function fileNodes(memories: readonly Memory[], cites: Citations, file: string, total: number): Node[] {
  const lines = new Map(memories.map((each) => [each.id, spanOf(cites[each.id] ?? [], file)]));
  const start = ({ id }: Memory): number => lines.get(id)?.start ?? 0;
  const ordered = [...memories].sort((one, other) => start(one) - start(other)); // stable: the newest first of each line
  return memoryNodes(ordered, cites, 'none', total).map((row) => {
    const span = row.target?.to === 'memory' ? lines.get(row.target.id) : undefined;
    const place = !span ? '' : span.start === span.end ? `line ${span.start}` : `lines ${span.start}-${span.end}`;
    return { ...row, description: joined(place, ...(row.description ?? '').split(' · ').filter((part) => part !== file)) };
  });
}

/** The memories about a file as a timeline, the newest first as the server gives them: who wrote each, and when. */
export function timelineNodes(memories: readonly Memory[], cites: Citations, total: number, now: Date): Node[] {
  const written = new Map(memories.map((each) => [each.id, byline(each, now)]));
  return memoryNodes(memories, cites, 'none', total).map((row) => {
    const by = row.target?.to === 'memory' ? written.get(row.target.id) : undefined;
    if (by === undefined || row.target?.to !== 'memory') return row;
    return { ...row, description: by, said: joined(by, ...doubtsOf(cites[row.target.id] ?? [])) }; // the icon shows the state
  });
}

/** The first lines of a file that are cited; undefined when none are, or the code is gone. */
function spanOf(cites: readonly Citation[], file: string): Citation | undefined {
  const here = cites.filter(({ path, start, state }) => path === file && start && state !== 'gone');
  return here.sort((one, other) => one.start - other.start)[0];
}

/** Rows with a sign at the memories that contradict another one, however deep they lie. */
export function withConflicts(rows: readonly Node[], conflicting: ReadonlySet<string>): Node[] {
  return rows.map((row) => {
    if (row.children) return { ...row, children: withConflicts(row.children, conflicting) };
    if (row.target?.to !== 'memory' || !conflicting.has(row.target.id)) return row;
    const said = row.said === undefined ? {} : { said: joined('in conflict', row.said) };
    return { ...row, ...said, description: joined('in conflict', row.description), icon: 'git-merge', colour: 'list.warningForeground' };
  });
}

function grouped(memories: readonly Memory[], cites: Citations, by: Exclude<Grouping, 'none'>): Node[] {
  const groups = new Map<string, Memory[]>();
  for (const memory of memories) {
    for (const name of namesOf(memory, by)) groups.set(name, [...(groups.get(name) ?? []), memory]);
  }
  return [...groups]
    .sort(([a, left], [b, right]) => Number(!a) - Number(!b) || right.length - left.length || a.localeCompare(b))
    .map(([name, members]) => ({
      key: `${by}:${name}`,
      label: name ? name.replace('_', ' ') : `no ${by}`,
      what: 'group',
      description: String(members.length),
      said: counted(members.length, 'memory', 'memories'),
      icon: by === 'type' ? iconOf(name) : by === 'file' ? 'file' : 'tag',
      children: members.map((each) => memoryNode(each, cites[each.id], `${by}:${name}`)),
    }));
}

function namesOf(memory: Memory, by: Exclude<Grouping, 'none'>): readonly string[] {
  const found = by === 'type' ? [memory.type] : by === 'file' ? memory.files : by === 'tag' ? memory.tags : [memory.task];
  const named = found.filter((name): name is string => !!name);
  return named.length ? named : [''];
}

/** Which menus the row of a memory has, by how its citations stand: what has gone can't be confirmed. */
export function kindOf(cites: readonly Citation[]): string {
  const states = cites.map(({ state }) => state);
  if (states.includes('gone')) return 'memory.gone';
  return states.includes('drifted') || states.includes('moved') ? 'memory.stale' : 'memory';
}

/** How a row shows that the code of its memory has changed or gone; undefined where it has not. */
export function signOf(cites: readonly Citation[]): Pick<Node, 'icon' | 'colour'> | undefined {
  const states = cites.map(({ state }) => state);
  if (states.includes('gone')) return { icon: 'error', colour: 'list.errorForeground' };
  return states.includes('drifted') ? { icon: 'warning', colour: 'list.warningForeground' } : undefined;
}

/** The headline of a memory on one line. */
export function headline(memory: Memory): string {
  return memory.title || firstLine(memory.text);
}

function marks(memory: Memory, cites: readonly Citation[]): string[] {
  return [
    ...doubtsOf(cites),
    ...(memory.review === 'pending' ? ['waits for approval'] : []),
    ...(memory.pinned ? ['pinned'] : []),
    ...(memory.private ? ['private'] : []),
    ...(memory.work ? [memory.work] : []),
    memory.files[0] ?? '',
  ].filter((mark) => mark);
}

function tooltip(memory: Memory, cites: readonly Citation[]): string {
  const who = `${memory.type.replace('_', ' ')} · ${byline(memory, new Date())}`;
  const places = cites.map((cite) => joined(placeOf(cite.path, cite.start, cite.end), stateOf(cite)));
  return [memory.text.trim(), who, ...places].join('\n\n');
}

function joined(...parts: readonly (string | undefined)[]): string {
  return parts.filter((part) => part).join(' · ');
}
