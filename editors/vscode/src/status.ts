// The status bar's item and the context keys that commands and keys ask for.

import * as vscode from 'vscode';
import type { Review } from './review';
import type { Server } from './server';
import { waiting } from './text';

/** Keeps both as things stand. */
export class Status implements vscode.Disposable {
  private readonly item = vscode.window.createStatusBarItem('wherefore.status', vscode.StatusBarAlignment.Left, 50);
  private readonly known = new Map<string, boolean>();

  constructor(
    private readonly review: Review,
    private readonly server: () => Server,
    private readonly here: () => boolean,
  ) {
    this.item.name = 'wherefore';
  }

  /** Calls ask so many questions. */
  asking(questions: number): void {
    this.set('wherefore.asking', questions > 0);
  }

  refresh(): void {
    const { hunks, files } = this.review.count();
    const { running, trouble } = this.server();
    this.set('wherefore.pending', hunks > 0);
    this.set('wherefore.here', this.here());
    this.set('wherefore.running', running);
    const warning = trouble !== undefined && !running;
    this.item.backgroundColor = warning ? new vscode.ThemeColor('statusBarItem.warningBackground') : undefined;
    if (warning) {
      this.item.text = '$(warning) wherefore';
      this.item.tooltip = `${trouble}. Press to restart it.`;
      this.item.command = 'wherefore.restart';
    } else {
      this.item.text = hunks > 0 ? `$(diff) ${waiting(hunks, files)}` : '$(diff)';
      this.item.tooltip = hunks > 0 ? 'wherefore: go to the next hunk' : 'wherefore: nothing waits';
      this.item.command = hunks > 0 ? 'wherefore.next' : 'wherefore.calls.focus';
    }
    this.item.accessibilityInformation = { label: `wherefore: ${warning ? trouble : hunks > 0 ? `${waiting(hunks, files)} wait` : 'nothing waits'}` };
    if (running || warning) this.item.show();
    else this.item.hide();
  }

  dispose(): void {
    this.item.dispose();
  }

  private set(key: string, value: boolean): void {
    if (this.known.get(key) === value) return;
    this.known.set(key, value);
    void vscode.commands.executeCommand('setContext', key, value);
  }
}
