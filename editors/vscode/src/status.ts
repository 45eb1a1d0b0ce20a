// The status bar's items and the context keys that commands and keys ask for.

import * as vscode from 'vscode';
import type { Applied } from './applied';
import type { Elsewhere } from './elsewhere';
import type { Review } from './review';
import type { Server } from './server';
import { isInReview } from './tabs';
import { count, inert, waiting } from './text';

/** Keeps both as things stand. */
export class Status implements vscode.Disposable {
  private readonly item = vscode.window.createStatusBarItem('wherefore.status', vscode.StatusBarAlignment.Left, 50);
  private readonly unseen = vscode.window.createStatusBarItem('wherefore.applied', vscode.StatusBarAlignment.Left, 49);
  private readonly known = new Map<string, boolean>();

  constructor(
    private readonly review: Review,
    private readonly server: () => Server,
    private readonly applied: Applied,
    private readonly elsewhere: Elsewhere,
    private readonly here: () => boolean,
    private readonly edit: () => { isEdited: boolean; isEnding: boolean },
  ) {
    this.item.name = 'wherefore';
    this.unseen.name = 'wherefore: applied with nobody looking';
  }

  /** Calls ask so many questions. */
  asking(questions: number): void {
    this.set('wherefore.asking', questions > 0);
  }

  refresh(): void {
    const { hunks, files } = this.review.count();
    const { running, trouble } = this.server();
    this.set('wherefore.pending', hunks > 0 || this.applied.isOn);
    this.set('wherefore.applied', this.applied.isOn);
    this.set('wherefore.here', this.here());
    this.set('wherefore.reviewing', isInReview());
    const { isEdited, isEnding } = this.edit();
    this.set('wherefore.editing', isEdited);
    this.set('wherefore.editEnds', isEnding);
    this.set('wherefore.running', running);
    const warning = trouble !== undefined && !running;
    this.item.backgroundColor = warning ? new vscode.ThemeColor('statusBarItem.warningBackground') : undefined;
    if (warning) {
      this.item.text = '$(warning) wherefore';
      this.item.tooltip = inert(`${trouble}. Press to restart it.`);
      this.item.command = 'wherefore.restart';
    } else {
      const held = this.elsewhere.hunks;
      const there = held > 0 ? `${count(held, 'hunk')} in another window` : '';
      this.item.text = ['$(diff)', hunks > 0 ? waiting(hunks, files) : there].filter(Boolean).join(' ');
      const act = there ? `${there} on this folder: decide there, or by \`wherefore review\` in a terminal` : 'nothing waits';
      this.item.tooltip = `wherefore: ${hunks > 0 ? 'open the review' : act}`;
      this.item.command = hunks > 0 ? 'wherefore.review' : 'wherefore.calls.focus';
    }
    const label = hunks > 0 && !warning ? `wherefore: ${waiting(hunks, files)} wait` : String(this.item.tooltip);
    this.item.accessibilityInformation = { label };
    if (running || warning) this.item.show();
    else this.item.hide();
    this.ofApplied(running);
  }

  /** Says how much was applied that nobody has looked at. */
  private ofApplied(running: boolean): void {
    const { isOn, unseen } = this.applied;
    const { hunks, files } = this.review.applied();
    const what = isOn ? `${waiting(hunks, files)} applied` : `${count(unseen, 'hunk')} applied`;
    const act = isOn ? 'go to the next one' : 'look at what nobody has looked at';
    this.unseen.text = `$(history) ${what}`;
    this.unseen.tooltip = `wherefore: ${act}`;
    this.unseen.command = isOn ? 'wherefore.next' : 'wherefore.reviewApplied';
    this.unseen.accessibilityInformation = { label: `wherefore: ${what}: ${act}` };
    if (running && (isOn ? hunks : unseen) > 0) this.unseen.show();
    else this.unseen.hide();
  }

  dispose(): void {
    this.item.dispose();
    this.unseen.dispose();
  }

  private set(key: string, value: boolean): void {
    if (this.known.get(key) === value) return;
    this.known.set(key, value);
    void vscode.commands.executeCommand('setContext', key, value);
  }
}
