// The hunks near to what a person sees: only those are drawn whole, so that hundreds of them in one file cost no more
// than a few. Of the others the overview ruler tells.

import * as vscode from 'vscode';
import { listPresentLines, type ReviewHunk } from './proposal_store';

/** Rows around what is seen in which hunks are drawn. */
const AROUND = 150;

/** Rows around what is seen that must be drawn already. */
const MARGIN = 40;

interface RowSpan {
  first: number;
  last: number;
}

/** The rows of each editor in which hunks are drawn. */
export class NearbyHunks {
  private readonly drawn = new WeakMap<vscode.TextEditor, RowSpan>();

  /** True if a hunk is drawn whole in an editor. */
  isNear(editor: vscode.TextEditor, hunk: ReviewHunk): boolean {
    const rows = this.drawn.get(editor) ?? this.drawAround(editor);
    return hunk.start <= rows.last && hunk.start + listPresentLines(hunk).length >= rows.first;
  }

  /** True if a hunk is drawn whole in any editor that shows the document; in all of them, where none does. */
  isNearAnywhere(document: vscode.TextDocument, hunk: ReviewHunk): boolean {
    const editors = vscode.window.visibleTextEditors.filter((editor) => editor.document === document);
    return editors.length === 0 || editors.some((editor) => this.isNear(editor, hunk));
  }

  /** True if other rows are to be drawn, now that other ones are seen. */
  followScroll(editor: vscode.TextEditor): boolean {
    const rows = this.drawn.get(editor);
    const now = findSeenRows(editor, MARGIN);
    if (!rows || (rows.first <= now.first && rows.last >= now.last)) return false;
    this.drawAround(editor);
    return true;
  }

  private drawAround(editor: vscode.TextEditor): RowSpan {
    const rows = findSeenRows(editor, AROUND);
    this.drawn.set(editor, rows);
    return rows;
  }
}

function findSeenRows({ visibleRanges, document }: vscode.TextEditor, around: number): RowSpan {
  const first = Math.min(...visibleRanges.map((range) => range.start.line), document.lineCount);
  const last = Math.max(...visibleRanges.map((range) => range.end.line), 0);
  return { first: Math.max(Math.min(first, last) - around, 0), last: Math.min(last + around, document.lineCount) };
}
