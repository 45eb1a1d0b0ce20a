// Light signs of hunks in the files' own editors: a bar at the lines, and the overview ruler. The review shows the lines.

import * as vscode from 'vscode';
import { keyOf, there, type Review, type Waiting } from './review';
import { chomp } from './text';

const color = (id: string): vscode.ThemeColor => new vscode.ThemeColor(id);

/** A bar at the left of the lines, and a sign in the ruler. */
function sign(bar: string, ruler: string): vscode.TextEditorDecorationType {
  return vscode.window.createTextEditorDecorationType({
    isWholeLine: true,
    borderStyle: 'solid',
    borderWidth: '0 0 0 3px',
    borderColor: color(bar),
    overviewRulerColor: color(ruler),
    overviewRulerLane: vscode.OverviewRulerLane.Full,
  });
}

/** The decorations. */
export class Draw implements vscode.Disposable {
  private readonly removed = sign('editorGutter.deletedBackground', 'editorOverviewRuler.deletedForeground');
  private readonly added = sign('editorGutter.addedBackground', 'editorOverviewRuler.addedForeground');
  private readonly changed = sign('editorGutter.modifiedBackground', 'editorOverviewRuler.modifiedForeground');
  private readonly types = [this.removed, this.added, this.changed];
  private readonly drawn = new WeakSet<vscode.TextEditor>();
  /** How long the last drawing of a file with hunks took, in milliseconds. */
  took = 0;

  constructor(private readonly review: Review) {}

  /** Draws every visible editor anew, or those of these files. */
  refresh(keys?: Set<string>): void {
    for (const editor of vscode.window.visibleTextEditors) {
      const { scheme, fsPath } = editor.document.uri;
      if (scheme === 'file' && (!keys || keys.has(keyOf(fsPath)))) this.draw(editor);
    }
  }

  dispose(): void {
    for (const type of this.types) type.dispose();
  }

  private draw(editor: vscode.TextEditor): void {
    const hunks = this.review.hunks(editor.document.uri);
    if (hunks.length === 0 && !this.drawn.has(editor)) return;
    const began = performance.now();
    const ranges = new Map<vscode.TextEditorDecorationType, vscode.Range[]>(this.types.map((type) => [type, []]));
    for (const hunk of hunks) ranges.get(this.typeOf(hunk))?.push(rangeOf(hunk));
    for (const [type, list] of ranges) editor.setDecorations(type, list);
    if (hunks.length > 0) {
      this.drawn.add(editor);
      this.took = performance.now() - began;
    } else {
      this.drawn.delete(editor);
    }
  }

  private typeOf(hunk: Waiting): vscode.TextEditorDecorationType {
    if (hunk.old.length === 0) return this.added;
    return hunk.new.length === 0 ? this.removed : this.changed;
  }
}

function rangeOf(hunk: Waiting): vscode.Range {
  return new vscode.Range(hunk.start, 0, hunk.start + Math.max(there(hunk).length - 1, 0), 0);
}

/** Whether the lines of a hunk stand in the text as they should. */
export function isInText(document: vscode.TextDocument, hunk: Waiting): boolean {
  return there(hunk).every((line, index) => hunk.start + index < document.lineCount && document.lineAt(hunk.start + index).text === chomp(line));
}
