// What a new memory takes over from the one that it supersedes. Pure.

import type { Citation, Memory, RememberParams } from './protocol';

/**
 * Makes the parameters of `remember` that the successor of a memory begins with. `place` is where it was written, as
 * `path` or `path:START-END`, and comes first; "" for none.
 */
export function successorOf(before: Memory, citations: readonly Citation[], place: string): RememberParams {
  const path = place.replace(/:\d+-\d+$/, '');
  return {
    files: [...(place ? [place] : []), ...placesOf(before, citations).filter((each) => each !== place && each !== path)],
    questions: before.questions,
    tags: before.tags,
    entities: before.entities,
    importance: before.importance,
    pin: before.pinned,
    private: before.private,
    scope: before.scope,
    links: [{ relation: 'supersedes', target: before.id }],
  };
}

/** What a memory is about, as `remember` takes it: its cited lines where they are now, and its other files. */
function placesOf({ files }: Memory, citations: readonly Citation[]): string[] {
  const cited = citations.filter(({ start, state }) => start && state !== 'gone');
  const others = files.filter((file) => !cited.some(({ path }) => path === file));
  return [...cited.map(({ path, start, end }) => `${path}:${start}-${end}`), ...others];
}
