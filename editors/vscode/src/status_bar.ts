// The status bar's items and the context keys that commands and keys ask for.

import * as vscode from 'vscode';
import type { AppliedReview } from './review/applied_review';
import type { EditableSide } from './review/editable_side';
import type { OtherWindowHunks } from './review/other_window_hunks';
import type { ProposalStore } from './review/proposal_store';
import type { ServerClient } from './server/client';
import { isInReview } from './review/review_tabs';
import { formatCount, escapeMarkup, formatHunkCount } from './text';

/** Keeps both as things stand. */
export class StatusBar implements vscode.Disposable {
  private readonly item = vscode.window.createStatusBarItem('wherefore.status', vscode.StatusBarAlignment.Left, 50);
  private readonly unseen = vscode.window.createStatusBarItem('wherefore.applied', vscode.StatusBarAlignment.Left, 49);
  private readonly keys = vscode.window.createStatusBarItem('wherefore.keys', vscode.StatusBarAlignment.Left, 48);
  private readonly contextKeys = new Map<string, boolean>();

  constructor(
    private readonly store: ProposalStore,
    private readonly server: ServerClient,
    private readonly applied: AppliedReview,
    private readonly otherWindows: OtherWindowHunks,
    private readonly editableSide: EditableSide,
    private readonly hasHunksHere: () => boolean,
  ) {
    this.item.name = 'wherefore';
    this.unseen.name = 'wherefore: applied with nobody looking';
    this.keys.name = 'wherefore: the keys of the review';
    this.keys.tooltip = 'wherefore: R rejects with a reason, c says something to the agent, p goes back, l accepts the selected lines';
  }

  /** Calls ask so many questions. */
  setQuestions(questions: number): void {
    this.setContextKey('wherefore.asking', questions > 0);
  }

  refresh(): void {
    const { hunks, files } = this.store.countWaiting();
    const { isRunning: running, trouble } = this.server;
    this.setContextKey('wherefore.pending', hunks > 0 || this.applied.isOn);
    this.setContextKey('wherefore.elsewhere', this.otherWindows.hunks > 0);
    this.setContextKey('wherefore.applied', this.applied.isOn);
    this.setContextKey('wherefore.here', this.hasHunksHere());
    this.setContextKey('wherefore.reviewing', isInReview());
    const { isEdited, isEnding } = this.editableSide;
    this.setContextKey('wherefore.editing', isEdited);
    this.setContextKey('wherefore.editEnds', isEnding);
    this.setContextKey('wherefore.running', running);
    const [accept, reject] = this.applied.isOn ? ['keep', 'take back'] : ['accept', 'reject'];
    this.keys.text = `a ${accept} · r ${reject} · e edit · n next`;
    if (isInReview() && !isEdited) this.keys.show();
    else this.keys.hide();
    const warning = trouble !== undefined && !running;
    this.item.backgroundColor = warning ? new vscode.ThemeColor('statusBarItem.warningBackground') : undefined;
    if (warning) {
      this.item.text = '$(warning) wherefore';
      this.item.tooltip = escapeMarkup(`${trouble}. Press to restart it.`);
      this.item.command = 'wherefore.restart';
    } else {
      const otherHunks = this.otherWindows.hunks;
      const there = otherHunks > 0 ? `${formatCount(otherHunks, 'hunk')} in another window` : '';
      this.item.text = ['$(diff)', hunks > 0 ? formatHunkCount(hunks, files) : there].filter(Boolean).join(' ');
      const act = there ? `${there} on this folder: decide there; where that window is gone, press to take over here` : 'nothing waits';
      this.item.tooltip = `wherefore: ${hunks > 0 ? 'open the review' : act}`;
      this.item.command = hunks > 0 ? 'wherefore.review' : there ? 'wherefore.takeOver' : 'wherefore.calls.focus';
    }
    const label = hunks > 0 && !warning ? `wherefore: ${formatHunkCount(hunks, files)} wait` : String(this.item.tooltip);
    this.item.accessibilityInformation = { label };
    if (running || warning) this.item.show();
    else this.item.hide();
    this.showApplied(running);
  }

  /** Says how much was applied that nobody has looked at. */
  private showApplied(running: boolean): void {
    const { isOn, unseen } = this.applied;
    const { hunks, files } = this.store.countApplied();
    const subject = isOn ? `${formatHunkCount(hunks, files)} applied` : `${formatCount(unseen, 'hunk')} applied`;
    const act = isOn ? 'go to the next one' : 'look at what nobody has looked at';
    this.unseen.backgroundColor = isOn ? new vscode.ThemeColor('statusBarItem.warningBackground') : undefined;
    this.unseen.text = `$(history) ${subject}`;
    this.unseen.tooltip = `wherefore: ${act}`;
    this.unseen.command = isOn ? 'wherefore.next' : 'wherefore.reviewApplied';
    this.unseen.accessibilityInformation = { label: `wherefore: ${subject}: ${act}` };
    if (running && (isOn ? hunks : unseen) > 0) this.unseen.show();
    else this.unseen.hide();
  }

  dispose(): void {
    this.item.dispose();
    this.unseen.dispose();
    this.keys.dispose();
  }

  private setContextKey(key: string, value: boolean): void {
    if (this.contextKeys.get(key) === value) return;
    this.contextKeys.set(key, value);
    void vscode.commands.executeCommand('setContext', key, value);
  }
}
