// What the trees share: a provider whose items are gathered and told of at most so often.

import * as vscode from 'vscode';

/** How long changes are gathered. */
const GATHER_MS = 150;

/** A tree of items. */
export abstract class Tree<T> implements vscode.TreeDataProvider<T> {
  private readonly change = new vscode.EventEmitter<T | undefined>();
  private timer: NodeJS.Timeout | undefined;
  readonly onDidChangeTreeData = this.change.event;

  abstract getTreeItem(node: T): vscode.TreeItem;
  abstract getChildren(node?: T): T[] | Promise<T[]>;

  /** Soon, and once for many changes. */
  refresh(): void {
    this.timer ??= setTimeout(() => {
      this.timer = undefined;
      this.change.fire(undefined);
    }, GATHER_MS);
  }
}
