// Tells the server which document the person looks at, since what is looked at matters; and, while an agent may stand in
// the slot, that they selected something else.

import * as vscode from 'vscode';
import type { Server } from './server';
import * as slot from './slot';

/** How long a document is looked at before that is told: one that is only passed by is not. */
const SETTLE_MS = 300;

/** How long a selection stands before it is told: one that still grows is not. */
const SELECTED_MS = 150;

/** What tells it. */
export class Focus implements vscode.Disposable {
  private timer: NodeJS.Timeout | undefined;
  private selecting: NodeJS.Timeout | undefined;
  private readonly listeners = [
    vscode.window.onDidChangeActiveTextEditor(() => {
      this.look();
      this.selected();
    }),
    vscode.window.onDidChangeTextEditorSelection(() => this.selected()),
  ];

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
    clearTimeout(this.selecting);
    for (const listener of this.listeners) listener.dispose();
  }

  /** Tells soon that something else is selected. */
  private selected(): void {
    clearTimeout(this.selecting);
    if (!slot.isOpen()) return;
    this.selecting = setTimeout(() => {
      const uri = slot.selection()?.uri;
      if (uri) void this.server().tell('didSelect', { uri });
    }, SELECTED_MS);
  }
}
