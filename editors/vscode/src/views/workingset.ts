// The view of the working set: the files that matter now, the hottest first, and why each does.

import * as vscode from 'vscode';
import type { Review } from '../review';
import type { Server } from '../server';
import { clip, count, sentence } from '../text';
import type { WorkingFile, WorkingSetAnswer } from '../wire';
import { steady } from './steady';
import { Tree } from './tree';

/** A file of the set, in its folder. */
export interface Placed {
  root: vscode.Uri;
  file: WorkingFile;
}

type Node = { folder: vscode.WorkspaceFolder } | Placed | { reason: string } | { trouble: string };

/** Whether it is a file of this view. */
export function isPlaced(node: unknown): node is Placed {
  return typeof node === 'object' && node !== null && 'file' in node && 'root' in node;
}

/** The view. */
export class WorkingSet extends Tree<Node> implements vscode.Disposable {
  private readonly view = vscode.window.createTreeView<Node>('wherefore.workingSet', { treeDataProvider: this, showCollapseAll: true });
  private readonly answers = new Map<string, WorkingSetAnswer>();
  /** The paths of each folder, as they stand in the view. */
  private readonly orders = new Map<string, string[]>();
  private readonly parts: vscode.Disposable;

  constructor(
    private readonly server: Server,
    private readonly review: Review,
  ) {
    super();
    // The server tells of all that it shows; where a press on a file leads is ours.
    this.parts = vscode.Disposable.from(this.view, review.onChange(() => this.refresh()));
  }

  async getChildren(node?: Node): Promise<Node[]> {
    if (node && isPlaced(node)) return node.file.reasons.map((reason) => ({ reason }));
    if (node) return 'folder' in node ? this.files(node.folder) : [];
    const all = this.server.running ? (vscode.workspace.workspaceFolders ?? []) : [];
    const folders = all.filter((folder) => folder.uri.scheme === 'file');
    for (const name of this.answers.keys()) if (!folders.some((folder) => folder.uri.toString() === name)) this.answers.delete(name);
    this.tell();
    const [only] = folders;
    return folders.length === 1 && only ? this.files(only) : folders.map((folder) => ({ folder }));
  }

  protected item(node: Node): vscode.TreeItem {
    if (isPlaced(node)) return this.ofFile(node);
    const [text, icon] = 'folder' in node ? [node.folder.name, 'root-folder'] : 'reason' in node ? [node.reason, 'info'] : [node.trouble, 'warning'];
    const item = new vscode.TreeItem(clip(text, 400), vscode.TreeItemCollapsibleState['folder' in node ? 'Expanded' : 'None']);
    item.iconPath = new vscode.ThemeIcon(icon);
    item.tooltip = text;
    return item;
  }

  dispose(): void {
    this.parts.dispose();
  }

  /** Says the budget. While an answer is waited for the old one stands: a line that goes and comes would move the rows. */
  private tell(): void {
    this.view.message = budget([...this.answers.values()]);
  }

  private async files(folder: vscode.WorkspaceFolder): Promise<Node[]> {
    const name = folder.uri.toString();
    try {
      const answer = await this.server.ask('workingSet', { root: folder.uri.fsPath });
      const files = steady(answer.files, this.orders.get(name) ?? []);
      this.orders.set(name, files.map(({ path }) => path));
      this.answers.set(name, answer);
      this.tell();
      const troubles = (answer.problems ?? []).map((trouble) => ({ trouble }));
      return [...troubles, ...files.map((file) => ({ root: folder.uri, file }))];
    } catch (thrown) {
      this.answers.delete(name);
      this.tell();
      return [{ trouble: sentence(thrown) }];
    }
  }

  private ofFile({ root, file }: Placed): vscode.TreeItem {
    const uri = vscode.Uri.joinPath(root, file.path);
    const item = new vscode.TreeItem(uri, vscode.TreeItemCollapsibleState.Collapsed);
    const [heat, ...marks] = marksOf(file);
    const reasons = file.reasons.join('; ');
    item.label = file.path;
    item.id = uri.toString();
    // A pin with no why is its own reason.
    item.description = clip([heat, ...marks.filter((mark) => !file.reasons.includes(mark)), reasons].join(' · '), 160);
    item.tooltip = tooltip(file, [heat, ...marks].join(', '));
    item.iconPath = icon(file);
    item.accessibilityInformation = { label: `${file.path}, ${[heat, ...marks].join(', ')}: ${reasons}` };
    const words = {
      unpinned: !file.pinned,
      pinned: file.pinned,
      unheated: file.advice !== 'hot',
      uncooled: file.advice !== 'cold',
      hinted: Boolean(file.advice),
    };
    item.contextValue = Object.entries(words).filter(([, is]) => is).map(([word]) => word).join(' ');
    // One that is only proposed is no file yet, and one with hunks is best opened at the first.
    const [entry] = this.review.of(uri);
    const [hunk] = entry?.hunks ?? [];
    item.command =
      entry && hunk
        ? { title: 'Go to the hunk', command: 'wherefore.next', arguments: [{ proposal: entry.proposal.id, path: entry.file.path, hunk: hunk.id }] }
        : { title: 'Open', command: 'vscode.open', arguments: [uri] };
    return item;
  }
}

/** How hot it is, and what a person or an agent said of it. */
function marksOf(file: WorkingFile): string[] {
  const marks = [file.pinned && 'pinned', file.advice && `marked ${file.advice}`].filter((mark) => typeof mark === 'string');
  return [`${Math.round(file.hotness * 100)}%`, ...marks];
}

/** Its colour tells the heat, its shape what was said of it. */
function icon(file: WorkingFile): vscode.ThemeIcon {
  const shape = file.pinned ? 'pinned' : file.advice === 'hot' ? 'flame' : file.advice === 'cold' ? 'arrow-down' : file.hotness >= 0.5 ? 'circle-filled' : 'circle-outline';
  const color = file.hotness >= 0.66 ? 'charts.red' : file.hotness >= 0.33 ? 'charts.orange' : 'charts.blue';
  return new vscode.ThemeIcon(shape, new vscode.ThemeColor(color));
}

/** What a reason quotes was written by others: it is shown as text. */
function tooltip(file: WorkingFile, marks: string): vscode.MarkdownString {
  const size = typeof file.tokens === 'number' ? `, about ${number(file.tokens)} tokens` : '';
  const text = new vscode.MarkdownString();
  text.appendText(clip(file.path, 400)).appendMarkdown('\n\n').appendText(`${marks}, ${file.role}${size}`).appendMarkdown('\n');
  for (const reason of file.reasons) text.appendMarkdown('\n- ').appendText(clip(reason, 400));
  return text;
}

/** How much of the budget the files take. */
function budget(answers: WorkingSetAnswer[]): string | undefined {
  const files = answers.reduce((sum, answer) => sum + answer.files.length, 0);
  // With a message there is no welcome, which says why the view is empty.
  if (files === 0) return undefined;
  const [tokens, room] = [answers.reduce((sum, answer) => sum + answer.tokens, 0), answers.reduce((sum, answer) => sum + answer.budget, 0)];
  return `${count(files, 'file')}, about ${number(tokens)} of ${number(room)} tokens${tokens > room ? ': over the budget' : ''}`;
}

/** `12,300`. */
function number(value: number): string {
  return value.toLocaleString('en');
}
