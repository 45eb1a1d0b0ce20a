// Which hunks are near to what a person sees: only those are drawn whole, so that hundreds of them in one file cost no more
// than a few. Of the others the overview ruler tells.

import * as vscode from 'vscode';
import { there, type Waiting } from './review';

/** Rows around what is seen in which hunks are drawn. */
const AROUND = 150;

/** Rows around what is seen that must be drawn already. */
const MARGIN = 40;

interface Rows {
  first: number;
  last: number;
}

/** The rows of each editor in which hunks are drawn. */
export class Near {
  private readonly drawn = new WeakMap<vscode.TextEditor, Rows>();

  /** Whether a hunk is drawn whole in an editor. */
  has(editor: vscode.TextEditor, hunk: Waiting): boolean {
    const rows = this.drawn.get(editor) ?? this.set(editor);
    return hunk.start <= rows.last && hunk.start + there(hunk).length >= rows.first;
  }

  /** Whether a hunk is drawn whole in any editor that shows the document; in all of them, where none does. */
  shows(document: vscode.TextDocument, hunk: Waiting): boolean {
    const editors = vscode.window.visibleTextEditors.filter((editor) => editor.document === document);
    return editors.length === 0 || editors.some((editor) => this.has(editor, hunk));
  }

  /** Whether other rows are to be drawn, now that other ones are seen. */
  moved(editor: vscode.TextEditor): boolean {
    const rows = this.drawn.get(editor);
    const now = seen(editor, MARGIN);
    if (!rows || (rows.first <= now.first && rows.last >= now.last)) return false;
    this.set(editor);
    return true;
  }

  private set(editor: vscode.TextEditor): Rows {
    const rows = seen(editor, AROUND);
    this.drawn.set(editor, rows);
    return rows;
  }
}

function seen({ visibleRanges, document }: vscode.TextEditor, around: number): Rows {
  const first = Math.min(...visibleRanges.map((range) => range.start.line), document.lineCount);
  const last = Math.max(...visibleRanges.map((range) => range.end.line), 0);
  return { first: Math.max(Math.min(first, last) - around, 0), last: Math.min(last + around, document.lineCount) };
}
