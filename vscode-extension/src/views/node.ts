// A row of a tree view. Pure.

/** The target of a click. */
export type Target =
  | { readonly to: 'memory'; readonly id: string; readonly title: string }
  | { readonly to: 'file'; readonly path: string; readonly line: number }
  | { readonly to: 'conflict'; readonly id: string };

/** One row. `key` is unique in its view, so that VS Code keeps which rows are open; `kind` selects the menus. */
export interface Node {
  readonly key: string;
  readonly label: string;
  /** The kind of the row in words, for a screen reader: its icon shows it. */
  readonly what?: string;
  readonly description?: string;
  /** What a screen reader gets in place of the description. */
  readonly said?: string;
  readonly tooltip?: string;
  readonly icon?: string;
  readonly colour?: string;
  readonly kind?: string;
  readonly target?: Target;
  readonly children?: readonly Node[];
  /** Its children are loaded when it is expanded. */
  readonly closed?: boolean;
  readonly open?: boolean;
  /** The key of its repository. */
  readonly repository?: string;
}

/** Rows and their descendants with their repository. */
export function rowsOf(repository: string, rows: readonly Node[]): Node[] {
  return rows.map((row) => ({ ...row, repository, ...(row.children ? { children: rowsOf(repository, row.children) } : {}) }));
}

/** The accessible label of a row, one sentence: what it is, its text and its state. */
export function spoken({ what = '', label, description = '', said = description }: Node): string {
  const name = label.replace(/\.$/, '');
  const state = said ? `; ${said.replaceAll(' · ', ', ')}` : '';
  return `${what && `${capital(what)}: `}${name}${state}.`;
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
