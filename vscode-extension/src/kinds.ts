// The types of memories. Pure.

const ICONS: Readonly<Record<string, string>> = {
  decision: 'law',
  constraint: 'lock',
  pattern: 'symbol-structure',
  attempt: 'beaker',
  bug_fix: 'bug',
  insight: 'lightbulb',
  configuration: 'gear',
  preference: 'heart',
  reference: 'link',
  entity: 'symbol-class',
  session_summary: 'history',
  context_hit: 'target',
};

/** The icon of a type. */
export function iconOf(type: string): string {
  return ICONS[type] ?? 'circle-small';
}
