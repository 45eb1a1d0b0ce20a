// Tells the server which document the person looks at, since what is looked at matters.

import * as vscode from 'vscode';
import type { ServerClient } from './client';

/** The time that a document is looked at before that is told: one that is only passed by is not. */
const SETTLE_MS = 300;

/** Reports the document that is looked at. */
export class FocusReporter implements vscode.Disposable {
  private timer: NodeJS.Timeout | undefined;
  private readonly listener = vscode.window.onDidChangeActiveTextEditor(() => this.reportSoon());

  /** `passing` says whether documents are only passed by now. */
  constructor(
    private readonly server: ServerClient,
    private readonly isPassing: () => boolean,
  ) {}

  /** Tells of the document that is looked at soon, unless it is another one by then. */
  reportSoon(): void {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => {
      const uri = vscode.window.activeTextEditor?.document.uri;
      if (!uri || this.isPassing() || uri.scheme !== 'file' || !vscode.workspace.getWorkspaceFolder(uri)) return;
      void this.server.notify('didFocus', { uri: uri.toString() });
    }, SETTLE_MS);
  }

  dispose(): void {
    clearTimeout(this.timer);
    this.listener.dispose();
  }
}
