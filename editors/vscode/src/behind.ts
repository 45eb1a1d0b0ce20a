// Where a person wants no CodeLens in a diff: the row of a hunk behind its first new line. It says the keys, and its hover
// has the acts, since text behind a line cannot be pressed.

import * as vscode from 'vscode';
import { placed } from './aim';
import { saying, words } from './lenses';
import { entryAt, fixed, RIGHT } from './preview';
import type { Review, Waiting } from './review';
import { isInReview } from './tabs';

/** Signs of the why. */
const LONGEST = 80;

/** The text behind lines. */
export class Behind implements vscode.Disposable {
  private readonly type = vscode.window.createTextEditorDecorationType({});
  private readonly drawn = new WeakSet<vscode.TextEditor>();

  constructor(private readonly review: Review) {}

  register(): vscode.Disposable {
    return vscode.Disposable.from(
      this,
      this.review.onChange(() => this.refresh()),
      vscode.window.onDidChangeVisibleTextEditors(() => this.refresh()),
      vscode.window.onDidChangeActiveTextEditor(() => this.refresh()),
      vscode.workspace.onDidChangeTextDocument(({ document: { uri } }) => uri.scheme === RIGHT && this.refresh()),
      vscode.workspace.onDidChangeConfiguration((event) => event.affectsConfiguration('diffEditor.codeLens') && this.refresh()),
    );
  }

  dispose(): void {
    this.type.dispose();
  }

  private refresh(): void {
    const isWanted = !vscode.workspace.getConfiguration('diffEditor').get('codeLens', true);
    for (const editor of vscode.window.visibleTextEditors) {
      const rows = isWanted && this.isRight(editor) ? placed(this.review, editor.document) : [];
      if (rows.length === 0 && !this.drawn.has(editor)) continue;
      editor.setDecorations(this.type, rows.map(({ hunk, row }) => behind(editor.document.lineAt(row).range.end, hunk)));
      if (rows.length > 0) this.drawn.add(editor);
      else this.drawn.delete(editor);
    }
  }

  /** Whether an editor is the right side of the review; what was applied stands there in its own file. */
  private isRight(editor: vscode.TextEditor): boolean {
    const { uri } = editor.document;
    if (uri.scheme === RIGHT) return entryAt(this.review, uri) !== undefined;
    return uri.scheme === 'file' && isInReview() && editor === vscode.window.activeTextEditor;
  }
}

function behind(end: vscode.Position, hunk: Waiting): vscode.DecorationOptions {
  const { accept, reject } = words(hunk);
  const keys = [`a: ${accept}`, `r: ${reject}`, 'R: with reason', ...(fixed(hunk) ? [] : ['e: Edit'])];
  const contentText = `${keys.join(' | ')} | ${saying(hunk, LONGEST)}`;
  return { range: new vscode.Range(end, end), renderOptions: { after: { contentText, color: new vscode.ThemeColor('editorCodeLens.foreground'), margin: '0 0 0 2em' } } };
}
