// The view of proposals: a row for each file, the oldest change first, its hunks folded below it.

import { basename, dirname } from 'node:path';
import * as vscode from 'vscode';
import { isReviewEntry, type DecisionRow } from './decision_target';
import { describeFileChange, describeHunk } from './diff_sides';
import type { ReviewEntry, ProposalStore, ReviewHunk } from './proposal_store';
import { chomp, clip, formatCount } from '../text';
import { TreeProvider } from '../tree_view';

/** The view. */
export class ProposalsView extends TreeProvider<DecisionRow> {
  constructor(private readonly store: ProposalStore) {
    super();
  }

  getChildren(node?: DecisionRow): DecisionRow[] {
    if (!node) return this.store.listByAge().map((entry) => ({ about: entry }));
    return isReviewEntry(node.about) ? node.about.hunks.map((hunk) => ({ about: hunk })) : [];
  }

  protected makeItem({ about }: DecisionRow): vscode.TreeItem {
    return isReviewEntry(about) ? makeFileItem(about) : makeHunkItem(about);
  }
}

function makeHunkItem(hunk: ReviewHunk): vscode.TreeItem {
  const item = new vscode.TreeItem(describeHunk(hunk));
  const line = hunk.new[0] ?? hunk.old[0] ?? '';
  item.id = `${hunk.entry.proposal.id} ${hunk.id}`;
  item.description = `${hunk.applied ? 'applied: ' : ''}${clip(chomp(line), 80)}`;
  item.iconPath = new vscode.ThemeIcon(hunk.old.length === 0 ? 'diff-added' : hunk.new.length === 0 ? 'diff-removed' : 'diff-modified');
  item.contextValue = hunk.applied ? 'applied' : 'hunk';
  item.tooltip = [...hunk.old.map((old) => `- ${chomp(old)}`), ...hunk.new.map((added) => `+ ${chomp(added)}`)].slice(0, 40).join('\n');
  item.accessibilityInformation = { label: `hunk ${describeHunk(hunk)}, line ${hunk.start + 1}: ${item.description}` };
  item.command = { title: 'Go to the hunk', command: 'wherefore.next', arguments: [hunk] };
  return item;
}

function makeFileItem(entry: ReviewEntry): vscode.TreeItem {
  const { proposal, file, hunks, uri } = entry;
  const item = new vscode.TreeItem(uri, vscode.TreeItemCollapsibleState.Collapsed);
  const size = describeSize(entry);
  // The file and its size are short: in a narrow view as much of the why is seen as there is room for.
  item.label = `${basename(file.path)}  ${size}`;
  item.id = `${proposal.id} ${file.path}`;
  item.description = [findFolderName(uri), proposal.why, describePlace(entry)].filter(Boolean).join(' · ');
  item.iconPath = vscode.ThemeIcon.File;
  item.contextValue = 'file';
  const agent = proposal.origin.agent ?? proposal.tool;
  item.tooltip = [proposal.why, `${file.path}: ${size}, ${formatCount(hunks.length, 'hunk')}`, `${agent}, ${proposal.id}`].join('\n');
  item.accessibilityInformation = { label: `${file.path}, ${size}, ${formatCount(hunks.length, 'hunk')}, ${proposal.why}, ${agent}` };
  item.command = { title: 'Show the file as a diff', command: 'wherefore.next', arguments: [entry] };
  return item;
}

/** Describes how many lines come and go, or what is done where that is no change of lines. */
function describeSize(entry: ReviewEntry): string {
  const change = describeFileChange(entry);
  const countLines = (lines: (hunk: ReviewHunk) => string[]): number => entry.hunks.reduce((all, hunk) => all + lines(hunk).length, 0);
  const [added, removed] = [countLines((hunk) => hunk.new), countLines((hunk) => hunk.old)];
  const lines = [added > 0 && `+${added}`, removed > 0 && `−${removed}`].filter(Boolean).join(' ');
  return [change, lines, entry.hunks.every((hunk) => hunk.applied) && 'applied'].filter(Boolean).join(' ');
}

/** The name of the folder, where there are several. */
function findFolderName(uri: vscode.Uri): string | undefined {
  const several = (vscode.workspace.workspaceFolders?.length ?? 0) > 1;
  return several ? vscode.workspace.getWorkspaceFolder(uri)?.name : undefined;
}

/** The file's own folder, and the first line. */
function describePlace({ file, hunks: [first] }: ReviewEntry): string {
  const folder = dirname(file.path);
  const line = first && file.kind === 'edit' ? `line ${first.start + 1}` : undefined;
  return [folder === '.' ? undefined : folder, line].filter(Boolean).join(' · ');
}
