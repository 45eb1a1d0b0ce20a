// Goes from hunk to hunk, and on into the next file.

import * as vscode from 'vscode';
import { ahead, placed } from './aim';
import { remark, warn } from './notify';
import { entryAt, places, shown } from './preview';
import { keyOf, type Entry, type Review } from './review';
import { showDocument, soon } from './show';

type Step = 1 | -1;

/** The last way to a hunk, until its place is on the screen. */
let underWay: Promise<unknown> = Promise.resolve();

/** Waits until the last way to a hunk has come to its end: a key that follows it means what it led to. */
export async function settled(): Promise<void> {
  await underWay;
}

function begun<T>(way: Promise<T>): Promise<T> {
  underWay = way.catch(() => undefined);
  return way;
}

/** Goes to the next hunk or the previous one, around the end; or to the first of a proposal. */
export function go(review: Review, step: Step, proposal?: string): Promise<void> {
  return begun(along(review, step, proposal));
}

async function along(review: Review, step: Step, proposal?: string): Promise<void> {
  const named = proposal === undefined ? undefined : review.proposal(proposal)[0];
  if (named) return open(review, named, 1);
  const editor = vscode.window.activeTextEditor;
  if (editor) {
    const row = editor.selection.active.line;
    const rows = rowsOf(review, editor.document);
    const next = step > 0 ? rows.find((each) => each > row) : rows.findLast((each) => each < row);
    if (next !== undefined) return reveal(editor, next);
  }
  const entry = following(review, step, editor?.document.uri);
  if (!entry) return remark('nothing waits');
  await open(review, entry, step);
}

/** Goes to the hunk at the cursor or the next one, where none is on the screen. Says whether there is one. */
export async function goAhead(review: Review): Promise<boolean> {
  const editor = vscode.window.activeTextEditor;
  const found = editor && ahead(placed(review, editor.document), editor);
  if (found) await begun(reveal(editor, found.first));
  else await go(review, 1);
  return found !== undefined || review.entries().length > 0;
}

/** Opens a file at one of its hunks. */
export function openAt(review: Review, entry: Entry, hunk: string): Promise<void> {
  return begun(at(review, entry, hunk));
}

async function at(review: Review, entry: Entry, hunk: string): Promise<void> {
  const editor = await show(entry);
  const found = editor && rowsById(review, editor.document).find((each) => each.id === hunk && each.proposal === entry.proposal.id);
  if (editor && found) await reveal(editor, found.row);
}

function rowsById(review: Review, document: vscode.TextDocument): { id: string; proposal: string; row: number }[] {
  const entry = entryAt(review, document.uri);
  const placed = entry ? places(entry, document.uri) : review.hunks(document.uri).map((hunk) => ({ hunk, row: hunk.start }));
  return placed.map(({ hunk, row }) => ({ id: hunk.id, proposal: hunk.entry.proposal.id, row: Math.min(row, document.lineCount - 1) }));
}

function rowsOf(review: Review, document: vscode.TextDocument): number[] {
  return rowsById(review, document).map((each) => each.row);
}

/** The entry of another file that follows, around the end. */
function following(review: Review, step: Step, uri: vscode.Uri | undefined): Entry | undefined {
  const entries = review.entries();
  const virtual = uri && entryAt(review, uri);
  const key = virtual?.key ?? (uri?.scheme === 'file' ? keyOf(uri.fsPath) : '');
  if (step > 0) return entries.find((entry) => entry.key > key) ?? entries[0];
  return entries.findLast((entry) => entry.key < key) ?? entries.at(-1);
}

async function open(review: Review, entry: Entry, step: Step): Promise<void> {
  const editor = await show(entry);
  const row = editor && rowsOf(review, editor.document).at(step > 0 ? 0 : -1);
  if (editor && row !== undefined) await reveal(editor, row);
}

/** Shows a file, or what it will be where it is not there. */
async function show(entry: Entry): Promise<vscode.TextEditor | undefined> {
  const editor = await showDocument(shown(entry));
  if (!editor) warn(`${entry.file.path} cannot be shown`);
  return editor;
}

/** Puts the cursor on a row and the row on the screen. */
function reveal(editor: vscode.TextEditor, row: number): Promise<void> {
  const place = new vscode.Position(row, 0);
  editor.selection = new vscode.Selection(place, place);
  editor.revealRange(new vscode.Range(place, place), vscode.TextEditorRevealType.InCenterIfOutsideViewport);
  return soon(vscode.window.onDidChangeTextEditorVisibleRanges, () => editor.visibleRanges.some(({ start, end }) => start.line <= row && row <= end.line));
}
