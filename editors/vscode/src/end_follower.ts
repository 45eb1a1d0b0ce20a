// Editors that go along with a text that grows at its end, for as long as the person stays there.

import * as vscode from 'vscode';

/** Rows that a cursor may go up by itself, where the lines around it are written anew. */
const NEAR = 5;

/** The editors of one text. */
export class EndFollower {
  /** The cursor of each when the text was about to grow. */
  private rows = new Map<vscode.TextEditor, number>();

  /** The text is about to grow: editors that `isAtEnd` go along. */
  prepare(uri: vscode.Uri, isAtEnd: (editor: vscode.TextEditor) => boolean): void {
    const there = vscode.window.visibleTextEditors.filter((editor) => editor.document.uri.toString() === uri.toString() && isAtEnd(editor));
    this.rows = new Map(there.map((editor) => [editor, editor.selection.active.line]));
  }

  /** The text grew. Whoever went up meanwhile stays there. */
  follow(document: vscode.TextDocument): void {
    const last = document.lineCount - 1;
    for (const [editor, row] of this.rows) {
      if (editor.selection.active.line < Math.min(row, last) - NEAR) continue;
      editor.selection = new vscode.Selection(last, 0, last, 0);
      editor.revealRange(new vscode.Range(last, 0, last, 0));
    }
  }
}
