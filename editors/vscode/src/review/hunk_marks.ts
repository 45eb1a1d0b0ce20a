// Light signs of hunks in the files' own editors: a bar at the lines, and the overview ruler. The review shows the lines.

import * as vscode from 'vscode';
import { findRealPath, listPresentLines, type ProposalStore, type ReviewHunk } from './proposal_store';
import { chomp } from '../text';

const makeColor = (id: string): vscode.ThemeColor => new vscode.ThemeColor(id);

/** A bar at the left of the lines, and a sign in the ruler. */
function makeMark(bar: string, ruler: string): vscode.TextEditorDecorationType {
  return vscode.window.createTextEditorDecorationType({
    isWholeLine: true,
    borderStyle: 'solid',
    borderWidth: '0 0 0 3px',
    borderColor: makeColor(bar),
    overviewRulerColor: makeColor(ruler),
    overviewRulerLane: vscode.OverviewRulerLane.Full,
  });
}

/** The decorations. */
export class HunkMarks implements vscode.Disposable {
  private readonly removed = makeMark('editorGutter.deletedBackground', 'editorOverviewRuler.deletedForeground');
  private readonly added = makeMark('editorGutter.addedBackground', 'editorOverviewRuler.addedForeground');
  private readonly changed = makeMark('editorGutter.modifiedBackground', 'editorOverviewRuler.modifiedForeground');
  private readonly types = [this.removed, this.added, this.changed];
  private readonly drawn = new WeakSet<vscode.TextEditor>();
  /** The time that the last drawing of a file with hunks took, in milliseconds. */
  lastDrawMs = 0;

  constructor(private readonly store: ProposalStore) {}

  /** Draws every visible editor anew, or those of these files. */
  refresh(keys?: Set<string>): void {
    for (const editor of vscode.window.visibleTextEditors) {
      const { scheme, fsPath } = editor.document.uri;
      if (scheme === 'file' && (!keys || keys.has(findRealPath(fsPath)))) this.draw(editor);
    }
  }

  dispose(): void {
    for (const type of this.types) type.dispose();
  }

  private draw(editor: vscode.TextEditor): void {
    const hunks = this.store.listHunks(editor.document.uri);
    if (hunks.length === 0 && !this.drawn.has(editor)) return;
    const startedAt = performance.now();
    const ranges = new Map<vscode.TextEditorDecorationType, vscode.Range[]>(this.types.map((type) => [type, []]));
    for (const hunk of hunks) ranges.get(this.chooseMark(hunk))?.push(findRange(hunk));
    for (const [type, list] of ranges) editor.setDecorations(type, list);
    if (hunks.length > 0) {
      this.drawn.add(editor);
      this.lastDrawMs = performance.now() - startedAt;
    } else {
      this.drawn.delete(editor);
    }
  }

  private chooseMark(hunk: ReviewHunk): vscode.TextEditorDecorationType {
    if (hunk.old.length === 0) return this.added;
    return hunk.new.length === 0 ? this.removed : this.changed;
  }
}

function findRange(hunk: ReviewHunk): vscode.Range {
  return new vscode.Range(hunk.start, 0, hunk.start + Math.max(listPresentLines(hunk).length - 1, 0), 0);
}

/** True if the lines of a hunk stand in the text as they should, from a row on. */
export function isInText(document: vscode.TextDocument, hunk: ReviewHunk, row: number): boolean {
  return listPresentLines(hunk).every((line, index) => row + index < document.lineCount && document.lineAt(row + index).text === chomp(line));
}
