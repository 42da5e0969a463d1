// Delays between restarts of a server that ended, and when to stop restarting.

/**
 * Returns a function from the time at which a server ended (milliseconds) to the pause before its next start: none after
 * the first end within a `span`, then `first` milliseconds, then twice as long each time; undefined after more than
 * `limit` of them.
 */
export function backoff(limit: number, span: number, first: number): (now: number) => number | undefined {
  let endings: number[] = [];
  return (now) => {
    endings = endings.filter((ending) => now - ending < span);
    endings.push(now);
    if (endings.length > limit) return undefined;
    return endings.length === 1 ? 0 : first * 2 ** (endings.length - 2);
  };
}
