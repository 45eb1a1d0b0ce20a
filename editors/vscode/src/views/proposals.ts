// The view of proposals: each with its files and their hunks.

import * as vscode from 'vscode';
import type { Pointing } from '../act';
import { doing, title } from '../preview';
import type { Entry, Review, Waiting } from '../review';
import { chomp, clip, count } from '../text';
import type { Proposal } from '../wire';
import { Tree } from './tree';

/** A node, with what its buttons decide on. */
export interface Node extends Pointing {
  proposal?: Proposal;
  entry?: Entry;
  hunk?: Waiting;
}

/** The view. */
export class Proposals extends Tree<Node> {
  constructor(private readonly review: Review) {
    super();
  }

  getChildren(node?: Node): Node[] {
    if (!node) {
      const proposals = new Map(this.review.entries().map((entry) => [entry.proposal.id, entry.proposal]));
      const sorted = [...proposals.values()].sort((a, b) => a.created.localeCompare(b.created));
      return sorted.map((proposal) => ({ proposal, about: { proposal: proposal.id } }));
    }
    if (node.proposal) {
      const { id } = node.proposal;
      return this.review.proposal(id).map((entry) => ({ entry, about: { proposal: id, path: entry.file.path } }));
    }
    return (node.entry?.hunks ?? []).map((hunk) => ({ hunk, about: { proposal: hunk.entry.proposal.id, hunks: [hunk.id] } }));
  }

  protected item({ proposal, entry, hunk, about }: Node): vscode.TreeItem {
    if (proposal) return ofProposal(proposal, this.review.proposal(proposal.id));
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

function ofProposal(proposal: Proposal, entries: Entry[]): vscode.TreeItem {
  const hunks = entries.reduce((sum, entry) => sum + entry.hunks.length, 0);
  const item = new vscode.TreeItem(clip(proposal.why, 100), vscode.TreeItemCollapsibleState.Expanded);
  item.id = proposal.id;
  item.description = `${count(hunks, 'hunk')} · ${proposal.origin.agent ?? proposal.tool}`;
  item.iconPath = new vscode.ThemeIcon('git-pull-request');
  item.contextValue = 'proposal';
  item.tooltip = `${proposal.id} by ${proposal.tool}\n${proposal.why}`;
  item.accessibilityInformation = { label: `proposal, ${count(hunks, 'hunk')}: ${proposal.why}` };
  return item;
}

function ofFile(entry: Entry): vscode.TreeItem {
  const item = new vscode.TreeItem(entry.uri, vscode.TreeItemCollapsibleState.Expanded);
  item.label = entry.file.path;
  item.id = `${entry.proposal.id} ${entry.file.path}`;
  item.description = doing(entry) ?? count(entry.hunks.length, 'hunk');
  item.iconPath = vscode.ThemeIcon.File;
  item.contextValue = 'file';
  return item;
}
