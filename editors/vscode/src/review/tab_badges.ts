// The tabs of the review say how many hunks wait in them, and whether they wait or were applied by their colour: VS Code takes no
// other title for a tab that is open.

import * as vscode from 'vscode';
import { findEntry, isSide } from './diff_sides';
import type { ProposalStore, ReviewHunk } from './proposal_store';
import { formatCount } from '../text';

/** The largest number that a badge has room for. */
const MOST = 99;

/** The badges. */
export class TabBadges implements vscode.FileDecorationProvider {
  private readonly changes = new vscode.EventEmitter<undefined>();
  readonly onDidChangeFileDecorations = this.changes.event;

  constructor(private readonly store: ProposalStore) {}

  register(): vscode.Disposable {
    return vscode.Disposable.from(this.changes, vscode.window.registerFileDecorationProvider(this), this.store.onChange(() => this.changes.fire(undefined)));
  }

  provideFileDecoration(uri: vscode.Uri): vscode.FileDecoration | undefined {
    const hunks = this.listHunks(uri);
    if (hunks.length === 0) return undefined;
    const isApplied = hunks.every((hunk) => hunk.applied);
    const badge = String(Math.min(hunks.length, MOST));
    const tooltip = `${formatCount(hunks.length, 'hunk')} ${isApplied ? 'applied' : hunks.length === 1 ? 'waits' : 'wait'}`;
    return new vscode.FileDecoration(badge, tooltip, new vscode.ThemeColor(isApplied ? 'charts.blue' : 'charts.orange'));
  }

  private listHunks(uri: vscode.Uri): ReviewHunk[] {
    if (uri.scheme === 'wherefore' && uri.authority === 'review') return this.store.listEntries().flatMap(({ hunks }) => hunks);
    return isSide(uri) ? (findEntry(this.store, uri)?.hunks ?? []) : [];
  }
}
