// Which hunk a key means: the one at the cursor, else the nearest that the person sees. One that is not on the screen is
// never decided on.

import * as vscode from 'vscode';
import { entryAt, places } from './preview';
import { there, type Review, type Waiting } from './review';

/** A hunk, with the rows at which a document shows it; what has no line there counts on both rows that it goes between. */
export interface Placed {
  hunk: Waiting;
  /** The row that its cursor goes to, and that its lens stands above. */
  row: number;
  first: number;
  last: number;
  /** Whether lines of it stand in the document. */
  stands: boolean;
}

/** The hunks of a document, from top to bottom: those of a file, or those of one side of a diff. */
export function placed(review: Review, { uri, lineCount }: vscode.TextDocument): Placed[] {
  const entry = entryAt(review, uri);
  const all = entry ? places(entry, uri) : review.hunks(uri).map((hunk) => ({ hunk, row: hunk.start, rows: there(hunk).length }));
  const end = lineCount - 1;
  return all.map(({ hunk, row, rows }) => ({
    hunk,
    row: Math.min(row, end),
    first: Math.min(Math.max(rows > 0 ? row : row - 1, 0), end),
    last: Math.min(Math.max(row + rows - 1, row - (rows > 0 ? 1 : 0)), end),
    stands: rows > 0,
  }));
}

/** How many rows a hunk is away from a row. */
const away = ({ first, last }: Placed, row: number): number => Math.max(first - row, row - last, 0);

/** The hunk that is meant in an editor; nothing where none is on the screen. */
export function aimed(all: Placed[], { selection, visibleRanges }: Pick<vscode.TextEditor, 'selection' | 'visibleRanges'>): Waiting | undefined {
  const row = selection.active.line;
  const seen = all.filter(({ first, last }) => visibleRanges.some(({ start, end }) => first <= end.line && last >= start.line));
  // Of those that are as near, lines that stand come before a place between lines, and the upper one before the lower.
  return seen.sort((a, b) => away(a, row) - away(b, row) || Number(b.stands) - Number(a.stands) || a.first - b.first)[0]?.hunk;
}

/** Whether a hunk is on the screen, in whichever editor. */
export function isOnScreen(review: Review, hunk: Waiting): boolean {
  return vscode.window.visibleTextEditors.some(({ document, visibleRanges }) =>
    placed(review, document).some(({ hunk: each, first, last }) => each === hunk && visibleRanges.some(({ start, end }) => first <= end.line && last >= start.line)),
  );
}

/** The hunk to go to where none is on the screen: that at the cursor, or the next below it, around the end. */
export function ahead(all: Placed[], { selection }: Pick<vscode.TextEditor, 'selection'>): Placed | undefined {
  return all.find(({ last }) => last >= selection.active.line) ?? all[0];
}
