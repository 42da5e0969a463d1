// The note about a line and its text, and the number of memories about each file. Pure.

import { byline } from './byline';
import { firstLine } from './hits';
import type { AnnotateResult, Memory, Note } from './protocol';

const LENGTH = 80;
const TRIES = 3; // requests while citations are not checked yet; each checks more of them

/** The notes of a file in one state. Those of an incomplete answer, or of one that a change overtook, are not kept. */
export class KnownNotes {
  private known: { readonly of: string; readonly notes: readonly Note[] } | undefined;
  private changes = 0;

  /** The notes may differ now. */
  forget(): void {
    this.changes += 1;
    this.known = undefined;
  }

  /** The notes of the file and version that `of` names. */
  async of(of: string, request: () => Promise<Pick<AnnotateResult, 'notes' | 'pending'>>): Promise<readonly Note[]> {
    if (this.known?.of === of) return this.known.notes;
    const { changes } = this;
    let answer = await request();
    for (let tries = 1; answer.pending && tries < TRIES; tries += 1) answer = await request();
    if (!answer.pending && changes === this.changes) this.known = { of, notes: answer.notes };
    return answer.notes;
  }
}

/** The note about the fewest lines around a line (1-based); of equally near ones the newest. */
export function innermost(notes: readonly Note[], line: number): Note | undefined {
  const around = notes.filter(({ id, start, end, state }) => id && state !== 'gone' && start && start <= line && line <= end);
  return [...around].sort((a, b) => a.end - a.start - (b.end - b.start) || b.ts.localeCompare(a.ts))[0];
}

/** The text of the annotation. */
export function annotation(note: Note, now = new Date()): string {
  const title = firstLine(note.title);
  const short = title.length > LENGTH ? `${title.slice(0, LENGTH - 1).trimEnd()}…` : title;
  const doubt = note.state === 'drifted' ? ' (code changed since)' : '';
  return `${note.type.replace('_', ' ')}: ${short}${doubt} · ${byline({ author: note.author, ts: note.ts }, now)}`;
}

/** The number of memories of each file that some memory names or cites. */
export function countFiles(memories: readonly Pick<Memory, 'files' | 'cites'>[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const { files, cites } of memories) {
    for (const path of new Set([...files, ...cites.map(({ path }) => path)])) counts.set(path, (counts.get(path) ?? 0) + 1);
  }
  return counts;
}
