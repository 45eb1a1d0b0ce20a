// The hunk that a key means: the one at the cursor, else the nearest that the person sees. One that is not on the screen is
// never decided on.

import * as vscode from 'vscode';
import { findEntry, listHunkRows } from './diff_sides';
import { listPresentLines, type ProposalStore, type ReviewHunk } from './proposal_store';

/** A hunk, with the rows at which a document shows it; what has no line there counts on both rows that it goes between. */
export interface PlacedHunk {
  hunk: ReviewHunk;
  /** The row that its cursor goes to, and that its lens stands above. */
  row: number;
  first: number;
  last: number;
  /** True if lines of it stand in the document. */
  hasLines: boolean;
}

/** The hunks of a document, from top to bottom: those of a file, or those of one side of a diff. */
export function placeHunks(store: ProposalStore, { uri, lineCount }: vscode.TextDocument): PlacedHunk[] {
  const entry = findEntry(store, uri);
  const all = entry ? listHunkRows(entry, uri) : store.listHunks(uri).map((hunk) => ({ hunk, row: hunk.start, rows: listPresentLines(hunk).length }));
  const end = lineCount - 1;
  return all.map(({ hunk, row, rows }) => ({
    hunk,
    row: Math.min(row, end),
    first: Math.min(Math.max(rows > 0 ? row : row - 1, 0), end),
    last: Math.min(Math.max(row + rows - 1, row - (rows > 0 ? 1 : 0)), end),
    hasLines: rows > 0,
  }));
}

/** Measures how many rows a hunk is away from a row. */
const measureDistance = ({ first, last }: PlacedHunk, row: number): number => Math.max(first - row, row - last, 0);

/** The hunk that is meant in an editor; nothing where none is on the screen. */
export function findTarget(all: PlacedHunk[], { selection, visibleRanges }: Pick<vscode.TextEditor, 'selection' | 'visibleRanges'>): ReviewHunk | undefined {
  const row = selection.active.line;
  const visible = all.filter(({ first, last }) => visibleRanges.some(({ start, end }) => first <= end.line && last >= start.line));
  // Of those that are as near, lines that stand come before a place between lines, and the upper one before the lower.
  return visible.sort((a, b) => measureDistance(a, row) - measureDistance(b, row) || Number(b.hasLines) - Number(a.hasLines) || a.first - b.first)[0]?.hunk;
}

/** True if a hunk is on the screen, in whichever editor. */
export function isOnScreen(store: ProposalStore, hunk: ReviewHunk): boolean {
  return vscode.window.visibleTextEditors.some(({ document, visibleRanges }) =>
    placeHunks(store, document).some(({ hunk: each, first, last }) => each === hunk && visibleRanges.some(({ start, end }) => first <= end.line && last >= start.line)),
  );
}

/** The hunk to go to where none is on the screen: that at the cursor, or the next below it, around the end. */
export function findNext(all: PlacedHunk[], { selection }: Pick<vscode.TextEditor, 'selection'>): PlacedHunk | undefined {
  return all.find(({ last }) => last >= selection.active.line) ?? all[0];
}
