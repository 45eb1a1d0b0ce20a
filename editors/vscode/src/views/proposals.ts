// The view of proposals: a row for each file, the oldest change first, its hunks folded below it.

import { basename, dirname } from 'node:path';
import * as vscode from 'vscode';
import type { Pointing } from '../act';
import { doing, title } from '../preview';
import type { Entry, Review, Waiting } from '../review';
import { chomp, clip, count } from '../text';
import { Tree } from './tree';

/** A node, with what its buttons decide on. */
export interface Node extends Pointing {
  entry?: Entry;
  hunk?: Waiting;
}

/** The view. */
export class Proposals extends Tree<Node> {
  constructor(private readonly review: Review) {
    super();
  }

  getChildren(node?: Node): Node[] {
    if (!node) return this.review.queue().map((entry) => ({ entry, about: { proposal: entry.proposal.id, path: entry.file.path } }));
    return (node.entry?.hunks ?? []).map((hunk) => ({ hunk, about: { proposal: hunk.entry.proposal.id, hunks: [hunk.id] } }));
  }

  protected item({ entry, hunk, about }: Node): vscode.TreeItem {
    if (entry) return ofFile(entry);
    const item = new vscode.TreeItem(hunk ? title(hunk) : '');
    if (!hunk) return item;
    const line = hunk.new[0] ?? hunk.old[0] ?? '';
    item.id = `${about.proposal} ${hunk.id}`;
    item.description = `${hunk.applied ? 'applied: ' : ''}${clip(chomp(line), 80)}`;
    item.iconPath = new vscode.ThemeIcon(hunk.old.length === 0 ? 'diff-added' : hunk.new.length === 0 ? 'diff-removed' : 'diff-modified');
    item.contextValue = hunk.applied ? 'applied' : 'hunk';
    item.tooltip = [...hunk.old.map((old) => `- ${chomp(old)}`), ...hunk.new.map((added) => `+ ${chomp(added)}`)].slice(0, 40).join('\n');
    item.accessibilityInformation = { label: `hunk ${title(hunk)}, line ${hunk.start + 1}: ${item.description}` };
    item.command = { title: 'Go to the hunk', command: 'wherefore.next', arguments: [{ proposal: about.proposal, path: hunk.entry.file.path, hunk: hunk.id }] };
    return item;
  }
}

function ofFile(entry: Entry): vscode.TreeItem {
  const { proposal, file, hunks, uri } = entry;
  const item = new vscode.TreeItem(uri, vscode.TreeItemCollapsibleState.Collapsed);
  const size = sizeOf(entry);
  // The file and its size are short: in a narrow view as much of the why is seen as there is room for.
  item.label = `${basename(file.path)}  ${size}`;
  item.id = `${proposal.id} ${file.path}`;
  item.description = [rootOf(uri), proposal.why, placeOf(entry)].filter(Boolean).join(' · ');
  item.iconPath = vscode.ThemeIcon.File;
  item.contextValue = 'file';
  const agent = proposal.origin.agent ?? proposal.tool;
  item.tooltip = [proposal.why, `${file.path}: ${size}, ${count(hunks.length, 'hunk')}`, `${agent}, ${proposal.id}`].join('\n');
  item.accessibilityInformation = { label: `${file.path}, ${size}, ${count(hunks.length, 'hunk')}, ${proposal.why}, ${agent}` };
  item.command = { title: 'Show the file as a diff', command: 'wherefore.next', arguments: [{ proposal: proposal.id, path: file.path }] };
  return item;
}

/** How many lines come and go, or what is done where that is no change of lines. */
function sizeOf(entry: Entry): string {
  const what = doing(entry);
  const sum = (lines: (hunk: Waiting) => string[]): number => entry.hunks.reduce((all, hunk) => all + lines(hunk).length, 0);
  const [added, removed] = [sum((hunk) => hunk.new), sum((hunk) => hunk.old)];
  const lines = [added > 0 && `+${added}`, removed > 0 && `−${removed}`].filter(Boolean).join(' ');
  return [what, lines, entry.hunks.every((hunk) => hunk.applied) && 'applied'].filter(Boolean).join(' ');
}

/** The name of the folder, where there are several. */
function rootOf(uri: vscode.Uri): string | undefined {
  const several = (vscode.workspace.workspaceFolders?.length ?? 0) > 1;
  return several ? vscode.workspace.getWorkspaceFolder(uri)?.name : undefined;
}

/** The file's own folder, and the first line. */
function placeOf({ file, hunks: [first] }: Entry): string {
  const folder = dirname(file.path);
  const line = first && file.kind === 'edit' ? `line ${first.start + 1}` : undefined;
  return [folder === '.' ? undefined : folder, line].filter(Boolean).join(' · ');
}
