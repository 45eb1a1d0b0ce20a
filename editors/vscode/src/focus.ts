// Tells the server which document the person looks at: what is looked at matters.

import * as vscode from 'vscode';
import type { Server } from './server';

/** How long a document is looked at before that is told: one that is only passed by is not. */
const SETTLE_MS = 300;

/** What tells it. */
export class Focus implements vscode.Disposable {
  private timer: NodeJS.Timeout | undefined;
  private readonly listener = vscode.window.onDidChangeActiveTextEditor(() => this.look());

  /** `passing` says whether documents are only passed by now. */
  constructor(
    private readonly server: () => Server,
    private readonly passing: () => boolean,
  ) {}

  /** Tells of the document that is looked at soon, unless it is another one by then. */
  look(): void {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => {
      const uri = vscode.window.activeTextEditor?.document.uri;
      if (!uri || this.passing() || uri.scheme !== 'file' || !vscode.workspace.getWorkspaceFolder(uri)) return;
      void this.server().tell('didFocus', { uri: uri.toString() });
    }, SETTLE_MS);
  }

  dispose(): void {
    clearTimeout(this.timer);
    this.listener.dispose();
  }
}
