// The view of the working set: the files that matter now, the hottest first, and why each does.

import * as vscode from 'vscode';
import type { ProposalStore } from './review/proposal_store';
import type { ServerClient } from './server/client';
import { clip, formatCount, describeError } from './text';
import type { WorkingFile, WorkingSetAnswer } from './server/wire';
import { orderSteadily } from './working_set_order';
import { TreeProvider } from './tree_view';

/** A file of the set, in its folder. */
export interface WorkingSetRow {
  root: vscode.Uri;
  file: WorkingFile;
}

type WorkingSetNode = { folder: vscode.WorkspaceFolder } | WorkingSetRow | { reason: string } | { trouble: string };

/** True if it is a file of this view. */
export function isWorkingSetRow(node: unknown): node is WorkingSetRow {
  return typeof node === 'object' && node !== null && 'file' in node && 'root' in node;
}

/** The view. */
export class WorkingSetView extends TreeProvider<WorkingSetNode> implements vscode.Disposable {
  private readonly view = vscode.window.createTreeView<WorkingSetNode>('wherefore.workingSet', { treeDataProvider: this, showCollapseAll: true });
  private readonly answers = new Map<string, WorkingSetAnswer>();
  /** The paths of each folder, as they stand in the view. */
  private readonly orders = new Map<string, string[]>();
  private readonly parts: vscode.Disposable;

  constructor(
    private readonly server: ServerClient,
    private readonly store: ProposalStore,
  ) {
    super();
    // The server tells of all that it shows; where a press on a file leads is ours.
    this.parts = vscode.Disposable.from(this.view, store.onChange(() => this.refresh()));
  }

  async getChildren(node?: WorkingSetNode): Promise<WorkingSetNode[]> {
    if (node && isWorkingSetRow(node)) return node.file.reasons.map((reason) => ({ reason }));
    if (node) return 'folder' in node ? this.listFiles(node.folder) : [];
    const all = this.server.isRunning ? (vscode.workspace.workspaceFolders ?? []) : [];
    const folders = all.filter((folder) => folder.uri.scheme === 'file');
    for (const name of this.answers.keys()) if (!folders.some((folder) => folder.uri.toString() === name)) this.answers.delete(name);
    this.showBudget();
    const [only] = folders;
    return folders.length === 1 && only ? this.listFiles(only) : folders.map((folder) => ({ folder }));
  }

  protected makeItem(node: WorkingSetNode): vscode.TreeItem {
    if (isWorkingSetRow(node)) return this.makeFileItem(node);
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
  private showBudget(): void {
    this.view.message = describeBudget([...this.answers.values()]);
  }

  private async listFiles(folder: vscode.WorkspaceFolder): Promise<WorkingSetNode[]> {
    const name = folder.uri.toString();
    try {
      const answer = await this.server.request('workingSet', { root: folder.uri.fsPath });
      const files = orderSteadily(answer.files, this.orders.get(name) ?? []);
      this.orders.set(name, files.map(({ path }) => path));
      this.answers.set(name, answer);
      this.showBudget();
      const troubles = (answer.problems ?? []).map((trouble) => ({ trouble }));
      return [...troubles, ...files.map((file) => ({ root: folder.uri, file }))];
    } catch (thrown) {
      this.answers.delete(name);
      this.showBudget();
      return [{ trouble: describeError(thrown) }];
    }
  }

  private makeFileItem({ root, file }: WorkingSetRow): vscode.TreeItem {
    const uri = vscode.Uri.joinPath(root, file.path);
    const item = new vscode.TreeItem(uri, vscode.TreeItemCollapsibleState.Collapsed);
    const [heat, ...marks] = listMarks(file);
    const reasons = file.reasons.join('; ');
    item.label = file.path;
    item.id = uri.toString();
    // A pin with no why is its own reason.
    item.description = clip([heat, ...marks.filter((mark) => !file.reasons.includes(mark)), reasons].join(' · '), 160);
    item.tooltip = makeTooltip(file, [heat, ...marks].join(', '));
    item.iconPath = chooseIcon(file);
    item.accessibilityInformation = { label: `${file.path}, ${[heat, ...marks].join(', ')}: ${reasons}` };
    const words = {
      unpinned: !file.pinned,
      pinned: file.pinned,
      unheated: file.advice !== 'hot',
      uncooled: file.advice !== 'cold',
      hinted: Boolean(file.advice),
    };
    item.contextValue = Object.entries(words).filter(([, isSet]) => isSet).map(([word]) => word).join(' ');
    // One that is only proposed is no file yet, and one with hunks is best opened at the first.
    const [entry] = this.store.listOfFile(uri);
    const [hunk] = entry?.hunks ?? [];
    item.command =
      hunk
        ? { title: 'Go to the hunk', command: 'wherefore.next', arguments: [hunk] }
        : { title: 'Open', command: 'vscode.open', arguments: [uri] };
    return item;
  }
}

/** Lists how hot it is, and what a person or an agent said of it. */
function listMarks(file: WorkingFile): string[] {
  const marks = [file.pinned && 'pinned', file.advice && `marked ${file.advice}`].filter((mark) => typeof mark === 'string');
  return [`${Math.round(file.hotness * 100)}%`, ...marks];
}

/** Its colour tells the heat, its shape what was said of it. */
function chooseIcon(file: WorkingFile): vscode.ThemeIcon {
  const shape = file.pinned ? 'pinned' : file.advice === 'hot' ? 'flame' : file.advice === 'cold' ? 'arrow-down' : file.hotness >= 0.5 ? 'circle-filled' : 'circle-outline';
  const color = file.hotness >= 0.66 ? 'charts.red' : file.hotness >= 0.33 ? 'charts.orange' : 'charts.blue';
  return new vscode.ThemeIcon(shape, new vscode.ThemeColor(color));
}

/** Makes the tooltip of a file. A reason may quote others: it is shown as text. */
function makeTooltip(file: WorkingFile, marks: string): vscode.MarkdownString {
  const size = typeof file.tokens === 'number' ? `, about ${formatNumber(file.tokens)} tokens` : '';
  const text = new vscode.MarkdownString();
  text.appendText(clip(file.path, 400)).appendMarkdown('\n\n').appendText(`${marks}, ${file.role}${size}`).appendMarkdown('\n');
  for (const reason of file.reasons) text.appendMarkdown('\n- ').appendText(clip(reason, 400));
  return text;
}

/** Describes how much of the budget the files take. */
function describeBudget(answers: WorkingSetAnswer[]): string | undefined {
  const files = answers.reduce((sum, answer) => sum + answer.files.length, 0);
  // With a message there is no welcome, which says why the view is empty.
  if (files === 0) return undefined;
  const [tokens, room] = [answers.reduce((sum, answer) => sum + answer.tokens, 0), answers.reduce((sum, answer) => sum + answer.budget, 0)];
  return `${formatCount(files, 'file')}, about ${formatNumber(tokens)} of ${formatNumber(room)} tokens${tokens > room ? ': over the budget' : ''}`;
}

/** `12,300`. */
function formatNumber(value: number): string {
  return value.toLocaleString('en');
}
