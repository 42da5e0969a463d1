// How often something may happen within a span of time. Knows no clock.

/** Returns a function that says whether one more event at `now` (milliseconds) stays within `limit` a `span`. */
export function allowance(limit: number, span: number): (now: number) => boolean {
  let events: number[] = [];
  return (now) => {
    events = events.filter((event) => now - event < span);
    events.push(now);
    return events.length <= limit;
  };
}
