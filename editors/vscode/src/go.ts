// Goes from hunk to hunk, and on into the next file.

import * as vscode from 'vscode';
import { remark, warn } from './notify';
import { entryAt, places, shown } from './preview';
import { keyOf, type Entry, type Review } from './review';
import { sentence } from './text';

type Step = 1 | -1;

/** Goes to the next hunk or the previous one, around the end; or to the first of a proposal. */
export async function go(review: Review, step: Step, proposal?: string): Promise<void> {
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

/** Opens a file at one of its hunks. */
export async function openAt(review: Review, entry: Entry, hunk: string): Promise<void> {
  const editor = await show(entry);
  const placed = editor && rowsById(review, editor.document).find((each) => each.id === hunk && each.proposal === entry.proposal.id);
  if (editor && placed) reveal(editor, placed.row);
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
  if (editor && row !== undefined) reveal(editor, row);
}

/** Shows a file, or what it will be where it is not there. */
async function show(entry: Entry): Promise<vscode.TextEditor | undefined> {
  try {
    return await vscode.window.showTextDocument(shown(entry), { preview: false });
  } catch (thrown) {
    warn(sentence(thrown));
    return undefined;
  }
}

function reveal(editor: vscode.TextEditor, row: number): void {
  const place = new vscode.Position(row, 0);
  editor.selection = new vscode.Selection(place, place);
  editor.revealRange(new vscode.Range(place, place), vscode.TextEditorRevealType.InCenterIfOutsideViewport);
}
