// Sessions, conflicts, stale memories and knowledge as rows. Pure.

import { writer } from '../byline';
import { placeOf, stateOf, statesOf } from '../citations';
import type { Citation, Conflict, VerifyResult, WorkSession } from '../protocol';
import { counted } from '../state';
import { headline, kindOf, memoryNode, signOf } from './memories';
import type { Node } from './node';

/** The contradictions that wait for a person, each with its two sides. */
export function conflictNodes(conflicts: readonly Conflict[]): Node[] {
  return conflicts.map((conflict) => ({
    key: conflict.id,
    label: headline(conflict.left),
    what: 'conflict',
    description: `or: ${headline(conflict.right)}`,
    tooltip: `${conflict.reason}\n\nLeft: ${conflict.left.text.trim()}\n\nRight: ${conflict.right.text.trim()}`,
    icon: 'git-merge',
    colour: 'list.warningForeground',
    kind: 'conflict',
    target: { to: 'conflict', id: conflict.id },
    children: [memoryNode(conflict.left, [], conflict.id), memoryNode(conflict.right, [], conflict.id)],
  }));
}

/** Working sessions, in the server's order; what one remembered is asked for when it is opened. */
export function sessionNodes(sessions: readonly WorkSession[]): Node[] {
  return sessions.map((one) => {
    const { session, title, state, begin, end, waiting, memories, branch, task } = one;
    const open = state === 'open';
    const span = `${begin.slice(0, 16)} to ${end.slice(0, 16)}`.replaceAll('T', ' ');
    const on = branch ? `branch ${branch}` : end.slice(0, 10);
    const left = `${counted(memories, 'memory', 'memories')}, ${counted(one.records, 'record', 'records')}`;
    return {
      key: session,
      label: title,
      what: 'session',
      description: [open ? `${waiting} not sealed` : `sealed, ${counted(memories, 'memory', 'memories')}`, branch || end.slice(0, 10)].join(' · '),
      said: open ? `${counted(waiting, 'record', 'records')} not sealed, ${on}` : `sealed, ${counted(memories, 'memory', 'memories')}, ${on}`,
      tooltip: [session, span, left, [branch, task, writer(one)].filter((part) => part).join(' · ')].join('\n\n'),
      icon: open ? 'circle-filled' : 'archive',
      kind: open ? 'session.open' : 'session',
      closed: memories > 0,
    };
  });
}

/** The memories whose code has changed, moved or is gone, by the file that they cite. */
export function staleNodes(found: VerifyResult['found']): Node[] {
  return found
    .map((one) => ({ one, cites: one.cites.filter(({ state }) => state !== 'fresh' && state !== 'unchecked') }))
    .filter(({ cites }) => cites.length)
    .map(({ one, cites }) => ({
      key: one.id,
      label: one.title,
      what: one.type.replace('_', ' '),
      description: statesOf(cites).join(', '),
      tooltip: [one.title, ...cites.map((cite) => `${placeOf(cite.path, cite.start, cite.end)} · ${stateOf(cite)}`)].join('\n\n'),
      ...(signOf(cites) ?? { icon: 'arrow-swap' }),
      kind: kindOf(cites),
      target: { to: 'memory' as const, id: one.id, title: one.title },
      children: cites.map((cite, number) => place(cite, `${one.id}/${number}`)),
    }));
}

function place(cite: Citation, key: string): Node {
  const row = { key, label: placeOf(cite.path, cite.start, cite.end), what: 'place', icon: 'go-to-file' };
  const description = [stateOf(cite), cite.symbol, cite.was && `was ${cite.was}`].filter((part) => part).join(' · ');
  if (cite.state === 'gone') return { ...row, description };
  return { ...row, description, target: { to: 'file', path: cite.path, line: cite.start } };
}

/** Files of knowledge as the folders that they lie in; `paths` are relative to the root, with slashes. */
export function knowledgeNodes(paths: readonly string[]): Node[] {
  const folders = new Map<string, string[]>();
  for (const path of [...paths].sort()) {
    const folder = path.slice(0, Math.max(0, path.lastIndexOf('/')));
    folders.set(folder, [...(folders.get(folder) ?? []), path]);
  }
  return [...folders].map(([folder, files]) => ({
    key: folder,
    label: folder.replace(/^\.muninn\//, '') || '.',
    what: 'folder',
    description: String(files.length),
    said: counted(files.length, 'page', 'pages'),
    icon: 'folder',
    open: folders.size === 1,
    children: files.map((path) => ({
      key: path,
      label: path.slice(path.lastIndexOf('/') + 1).replace(/\.md$/, ''),
      what: 'page',
      icon: 'book',
      kind: 'knowledge',
      target: { to: 'file' as const, path, line: 1 },
    })),
  }));
}
