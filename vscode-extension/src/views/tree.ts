// A tree view that loads its rows when it becomes visible.

import * as vscode from 'vscode';
import { failureOf, sentence } from '../failure';
import { type Node, spoken } from './node';

/** Loads the rows of a view, or those of a closed row. What it throws is shown as the view's message. */
export type Load = (within?: Node) => Promise<readonly Node[]>;

/** One view. A hidden view requests nothing; after `refresh` it loads its rows when it becomes visible. */
export class Tree implements vscode.TreeDataProvider<Node>, vscode.Disposable {
  private readonly changed = new vscode.EventEmitter<undefined>();
  private readonly view: vscode.TreeView<Node>;

  readonly onDidChangeTreeData = this.changed.event;

  constructor(
    id: string,
    private readonly load: Load,
    private readonly empty: () => string,
    private readonly badge?: (rows: readonly Node[]) => vscode.ViewBadge | undefined,
  ) {
    this.view = vscode.window.createTreeView<Node>(id, { treeDataProvider: this, showCollapseAll: true });
  }

  /** Refreshes the view. */
  refresh(): void {
    this.changed.fire(undefined);
  }

  /** Sets the words beside the view's title. */
  describe(description: string): void {
    this.view.description = description;
  }

  /** The words beside the view's title. */
  get described(): string {
    return this.view.description ?? '';
  }

  /** The rows as they are now. Throws a Failure. */
  rows(within?: Node): Promise<readonly Node[]> {
    return this.load(within);
  }

  getTreeItem(node: Node): vscode.TreeItem {
    const { None, Collapsed, Expanded } = vscode.TreeItemCollapsibleState;
    const inside = node.closed || node.children?.length;
    const item = new vscode.TreeItem(node.label, inside ? (node.open ? Expanded : Collapsed) : None);
    item.id = `${node.repository ?? ''}/${node.key}`;
    if (node.description) item.description = node.description;
    if (node.tooltip) item.tooltip = node.tooltip;
    if (node.kind) item.contextValue = node.kind;
    const colour = node.colour ? new vscode.ThemeColor(node.colour) : undefined;
    if (node.icon) item.iconPath = new vscode.ThemeIcon(node.icon, colour);
    item.accessibilityInformation = { label: spoken(node) };
    if (node.target) item.command = { command: 'muninn.ui.open', title: 'Open', arguments: [node.target, node.repository] };
    return item;
  }

  async getChildren(node?: Node): Promise<Node[]> {
    if (node && !node.closed) return [...(node.children ?? [])];
    let rows: readonly Node[];
    try {
      rows = await this.rows(node);
    } catch (error) {
      const failure = failureOf(error);
      // Without memory or a folder, VS Code shows the view's welcome, which has a button.
      this.view.message = ['not_initialised', 'no_folder'].includes(failure.kind) ? '' : sentence(failure);
      return [];
    }
    if (node) return [...rows];
    this.view.message = rows.length ? '' : this.empty();
    this.view.badge = this.badge?.(rows);
    return [...rows];
  }

  dispose(): void {
    this.view.dispose();
    this.changed.dispose();
  }
}
