// Author and age of a memory in words. Pure.

interface Written {
  readonly author?: string;
  readonly actor?: string;
  readonly agent?: string | null;
  readonly ts: string;
}

const UNITS = [
  [86_400, 'day', 'days'],
  [3_600, 'h', 'h'],
  [60, 'min', 'min'],
] as const;
const HALF_A_YEAR = 180 * 86_400;

/** Who wrote: a name, `AGENT for NAME`, or without a name who acted: user, assistant or an agent. */
export function writer({ author = '', actor = '', agent = '' }: Omit<Written, 'ts'>): string {
  if (!author) return (agent ?? '') || actor;
  return actor === 'assistant' ? `${(agent ?? '') || actor} for ${author}` : author;
}

/** `NAME, 3 days ago`. */
export function byline(written: Written, now: Date): string {
  return [writer(written), age(written.ts, now)].filter((part) => part).join(', ');
}

/** How long ago a time was: `just now`, `5 min ago`, `3 days ago`; after half a year its day. */
export function age(ts: string, now: Date): string {
  const seconds = (now.getTime() - Date.parse(ts)) / 1_000;
  if (Number.isNaN(seconds) || Math.abs(seconds) > HALF_A_YEAR) return ts.slice(0, 10);
  const unit = UNITS.find(([size]) => seconds >= size);
  if (!unit) return 'just now';
  const number = Math.floor(seconds / unit[0]);
  return `${number} ${number === 1 ? unit[1] : unit[2]} ago`;
}
