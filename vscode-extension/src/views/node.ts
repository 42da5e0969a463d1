// A row of a tree, before VS Code knows of it. Pure.

/** Where a click leads. */
export type Target =
  | { readonly to: 'memory'; readonly id: string; readonly title: string }
  | { readonly to: 'file'; readonly path: string; readonly line: number }
  | { readonly to: 'conflict'; readonly id: string };

/** One row. `key` is unique among its siblings' trees, so that VS Code keeps what is open; `kind` chooses the menus. */
export interface Node {
  readonly key: string;
  readonly label: string;
  readonly description?: string;
  readonly tooltip?: string;
  readonly icon?: string;
  readonly colour?: string;
  readonly kind?: string;
  readonly target?: Target;
  readonly children?: readonly Node[];
  /** Its children are asked for when somebody opens it. */
  readonly closed?: boolean;
  readonly open?: boolean;
  /** What stands for the repository that it belongs to. */
  readonly repository?: string;
}

/** Rows with the repository that they belong to, all that is below them too. */
export function rowsOf(repository: string, rows: readonly Node[]): Node[] {
  return rows.map((row) => ({ ...row, repository, ...(row.children ? { children: rowsOf(repository, row.children) } : {}) }));
}

/** What a screen reader says of a row: all that can be seen of it, in the order in which it is read. */
export function spoken(node: Node): string {
  const inside = node.children?.length ? `${node.children.length} inside` : '';
  return [node.label, node.description, inside].filter((part) => part).join(', ');
}
