// The rows of hunks in a document that is typed in: which typing is inside of one, and which rows each has afterwards.

import * as vscode from 'vscode';

/** The rows of a hunk. */
export interface HunkRegion {
  id: string;
  first: number;
  rows: number;
  /** The changes inside of it. */
  changes?: TextChange[];
}

export type TextChange = Pick<vscode.TextDocumentContentChangeEvent, 'range' | 'text'>;

/** The regions after changes; nothing where one of them is outside of the regions. `before` are the lines without their ends. */
export function moveRegions(regions: HunkRegion[], changes: readonly TextChange[], before: string[]): HunkRegion[] | undefined {
  const grown = new Map<string, number>();
  const within = new Map<string, TextChange[]>();
  for (const change of changes) {
    const inside = regions.find((region) => isInside(region, change, before));
    if (!inside) return undefined;
    within.set(inside.id, [...(within.get(inside.id) ?? []), change]);
    const { start, end } = change.range;
    grown.set(inside.id, (grown.get(inside.id) ?? 0) + change.text.split('\n').length - 1 - (end.line - start.line));
  }
  let moved = 0;
  return regions.map(({ id, first, rows }) => {
    const more = grown.get(id) ?? 0;
    const now = { id, first: first + moved, rows: rows + more, changes: within.get(id) ?? [] };
    moved += more;
    return now;
  });
}

/**
 * True if a change is where the cursor is, or in what is selected, before it or after it: VS Code does not tell extensions who
 * changes a document, and what a formatter or a clean-up on save does elsewhere is not the person's.
 */
export function isAtSelection(change: TextChange, selections: readonly vscode.Selection[]): boolean {
  const after = findRangeAfter(change);
  return selections.some((selection) => change.range.intersection(selection) ?? after.intersection(selection));
}

/** The range of what a change put in place. */
function findRangeAfter({ range: { start }, text }: TextChange): vscode.Range {
  const added = text.split('\n');
  const character = (added.length === 1 ? start.character : 0) + (added.at(-1) ?? '').length;
  return new vscode.Range(start, new vscode.Position(start.line + added.length - 1, character));
}

/** True if a change leaves every line outside of a region as it is. */
function isInside({ first, rows }: HunkRegion, { range: { start, end }, text }: TextChange, before: string[]): boolean {
  const next = first + rows;
  const isAtEnd = ({ line, character }: vscode.Position): boolean => line === first - 1 && character >= (before[line] ?? '').replace(/\r$/, '').length;
  if (start.line >= first && end.line < next) return true;
  // Whole lines, up to the start of the line below.
  if (start.line >= first && end.line === next && end.character === 0) return text === '' ? start.character === 0 : text.endsWith('\n');
  if (!isAtEnd(start)) return false;
  // New lines that begin behind the line above, and lines at the end that go with the line end before them.
  if (start.isEqual(end)) return /^\r?\n/.test(text);
  return text === '' && rows > 0 && end.line === next - 1 && end.character >= (before[end.line] ?? '').replace(/\r$/, '').length;
}

/** Gives a document a text back, however much is typed meanwhile. `left` gives the text, and nothing once it was there. */
export async function restoreText(document: vscode.TextDocument, readText: () => string | undefined): Promise<void> {
  for (let tries = 20; tries > 0; tries--) {
    const [now, text] = [document.getText(), readText()];
    if (text === undefined || now === text) return;
    let start = 0;
    while (start < Math.min(now.length, text.length) && now[start] === text[start]) start += 1;
    let end = 0;
    while (end < Math.min(now.length, text.length) - start && now.at(-1 - end) === text.at(-1 - end)) end += 1;
    const edit = new vscode.WorkspaceEdit();
    edit.replace(document.uri, new vscode.Range(document.positionAt(start), document.positionAt(now.length - end)), text.slice(start, text.length - end));
    await vscode.workspace.applyEdit(edit);
  }
}
