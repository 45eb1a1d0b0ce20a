// The common part of the trees: a provider whose items are gathered and told of at most so often.

import * as vscode from 'vscode';
import { clip, escapeMarkup } from './text';

/** The time that changes are gathered. */
const GATHER_MS = 150;

/** Signs of a row's label, and of what stands behind it. */
const [LABEL, DESCRIPTION] = [200, 400];

/** A tree of items. */
export abstract class TreeProvider<T> implements vscode.TreeDataProvider<T> {
  private readonly change = new vscode.EventEmitter<T | undefined>();
  private timer: NodeJS.Timeout | undefined;
  readonly onDidChangeTreeData = this.change.event;

  /** The row of a node; the words of others in it may be as they came. */
  protected abstract makeItem(node: T): vscode.TreeItem;
  abstract getChildren(node?: T): T[] | Promise<T[]>;

  /** The row, its words made harmless. Where a tooltip is no string, whoever made it saw to that. */
  getTreeItem(node: T): vscode.TreeItem {
    const item = this.makeItem(node);
    if (typeof item.label === 'string') item.label = clip(item.label, LABEL);
    if (typeof item.description === 'string') item.description = clip(item.description, DESCRIPTION);
    // With none VS Code shows the path of the file, as it is.
    if (item.tooltip === undefined && item.resourceUri) item.tooltip = item.resourceUri.fsPath;
    if (typeof item.tooltip === 'string') item.tooltip = escapeMarkup(item.tooltip);
    const { accessibilityInformation: accessibility } = item;
    if (accessibility) item.accessibilityInformation = { ...accessibility, label: escapeMarkup(accessibility.label) };
    return item;
  }

  /** Soon, and once for many changes. */
  refresh(): void {
    this.timer ??= setTimeout(() => {
      this.timer = undefined;
      this.change.fire(undefined);
    }, GATHER_MS);
  }
}
