// Whether the editor with the focus is on the screen. In a diff of several files VS Code keeps that editor when it is
// scrolled away, hidden, and goes on to tell its last visible ranges. What the other editors tell gives it away.

import * as vscode from 'vscode';
import { isSide } from './preview';

/** Changes that come so close to each other are of one scroll. */
const TOGETHER_MS = 40;

/** For so long after a way to a hunk the other editors still move. */
const MOVING_MS = 600;

/** What editors told, and when. */
export class OnScreen implements vscode.Disposable {
  private own = 0;
  private others = 0;
  private readonly listener = vscode.Disposable.from(
    vscode.window.onDidChangeTextEditorVisibleRanges(({ textEditor }) => this.heard(textEditor)),
    vscode.window.onDidChangeTextEditorSelection(({ textEditor }) => textEditor === vscode.window.activeTextEditor && this.heard(textEditor)),
    vscode.window.onDidChangeActiveTextEditor((editor) => editor && this.heard(editor)),
  );

  /** Whether the editor with the focus may be scrolled away. */
  get isInDoubt(): boolean {
    return this.others - this.own > TOGETHER_MS;
  }

  /** A way to a hunk ended, or a decision: the editor with the focus is on the screen. */
  arrived(): void {
    this.own = performance.now() + MOVING_MS;
  }

  dispose(): void {
    this.listener.dispose();
  }

  private heard(editor: vscode.TextEditor): void {
    if (editor === vscode.window.activeTextEditor) this.own = Math.max(this.own, performance.now());
    else if (isSide(editor.document.uri)) this.others = performance.now();
  }
}
