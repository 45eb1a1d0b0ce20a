// Hints for a person who wants no CodeLens in a diff: the row of a hunk behind its first new line. It says the keys; its hover
// has the acts, since text behind a line cannot be pressed.

import * as vscode from 'vscode';
import { placeHunks } from './target_hunk';
import { summarizeHunk, chooseVerbs } from './hunk_lenses';
import { findEntry, explainReadOnly, EDIT_SCHEME } from './diff_sides';
import type { ProposalStore, ReviewHunk } from './proposal_store';

/** Signs of the why. */
const LONGEST = 80;

/** The text behind lines. */
export class InlineHints implements vscode.Disposable {
  private readonly decoration = vscode.window.createTextEditorDecorationType({});
  private readonly drawn = new WeakSet<vscode.TextEditor>();

  constructor(private readonly store: ProposalStore) {}

  register(): vscode.Disposable {
    return vscode.Disposable.from(
      this,
      this.store.onChange(() => this.refresh()),
      vscode.window.onDidChangeVisibleTextEditors(() => this.refresh()),
      vscode.window.onDidChangeActiveTextEditor(() => this.refresh()),
      vscode.workspace.onDidChangeTextDocument(({ document: { uri } }) => uri.scheme === EDIT_SCHEME && this.refresh()),
      vscode.workspace.onDidChangeConfiguration((event) => event.affectsConfiguration('diffEditor.codeLens') && this.refresh()),
    );
  }

  dispose(): void {
    this.decoration.dispose();
  }

  private refresh(): void {
    const isWanted = !vscode.workspace.getConfiguration('diffEditor').get('codeLens', true);
    for (const editor of vscode.window.visibleTextEditors) {
      const rows = isWanted && this.isEditableSide(editor) ? placeHunks(this.store, editor.document) : [];
      if (rows.length === 0 && !this.drawn.has(editor)) continue;
      editor.setDecorations(this.decoration, rows.map(({ hunk, row }) => makeHint(editor.document.lineAt(row).range.end, hunk)));
      if (rows.length > 0) this.drawn.add(editor);
      else this.drawn.delete(editor);
    }
  }

  /** True if an editor is the right side of the review. */
  private isEditableSide({ document: { uri } }: vscode.TextEditor): boolean {
    return uri.scheme === EDIT_SCHEME && findEntry(this.store, uri) !== undefined;
  }
}

function makeHint(end: vscode.Position, hunk: ReviewHunk): vscode.DecorationOptions {
  const { accept, reject } = chooseVerbs(hunk);
  const keys = [`a: ${accept}`, `r: ${reject}`, 'R: with reason', ...(explainReadOnly(hunk) ? [] : ['e: Edit'])];
  const contentText = `${keys.join(' | ')} | ${summarizeHunk(hunk, LONGEST)}`;
  return { range: new vscode.Range(end, end), renderOptions: { after: { contentText, color: new vscode.ThemeColor('editorCodeLens.foreground'), margin: '0 0 0 2em' } } };
}
