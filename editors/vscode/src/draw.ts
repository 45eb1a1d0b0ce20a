// Draws the hunks that wait in the editors, with decorations alone: the text stays the old one until the server applies.

import * as vscode from 'vscode';
import type { Review, Waiting } from './review';
import { keyOf } from './review';
import { chomp, visible } from './text';

const color = (id: string): vscode.ThemeColor => new vscode.ThemeColor(id);

/** Columns up to which a changed line has its new text beside it. */
const BESIDE = 70;

/** Whether the new lines stand beside the old ones, on their rows; else they stand below. */
export function isBeside(hunk: Waiting): boolean {
  return hunk.old.length === hunk.new.length && hunk.old.length <= 3 && [...hunk.old, ...hunk.new].every((line) => line.length <= BESIDE);
}

/** The decorations. */
export class Draw implements vscode.Disposable {
  private readonly removed = vscode.window.createTextEditorDecorationType({
    isWholeLine: true,
    backgroundColor: color('diffEditor.removedLineBackground'),
    overviewRulerColor: color('editorOverviewRuler.deletedForeground'),
    overviewRulerLane: vscode.OverviewRulerLane.Full,
  });
  private readonly struck = vscode.window.createTextEditorDecorationType({
    backgroundColor: color('diffEditor.removedTextBackground'),
    textDecoration: 'line-through',
  });
  private readonly added = vscode.window.createTextEditorDecorationType({
    isWholeLine: true,
    overviewRulerColor: color('editorOverviewRuler.addedForeground'),
    overviewRulerLane: vscode.OverviewRulerLane.Full,
  });
  private readonly changed = vscode.window.createTextEditorDecorationType({
    isWholeLine: true,
    overviewRulerColor: color('editorOverviewRuler.modifiedForeground'),
    overviewRulerLane: vscode.OverviewRulerLane.Full,
  });
  private readonly whole = vscode.window.createTextEditorDecorationType({
    isWholeLine: true,
    backgroundColor: color('diffEditor.insertedLineBackground'),
  });
  private readonly drawn = new WeakSet<vscode.TextEditor>();
  /** How long the last drawing of a file with hunks took, in milliseconds. */
  took = 0;

  constructor(
    private readonly review: Review,
    private readonly isNew: (uri: vscode.Uri) => boolean,
  ) {}

  /** Draws every visible editor anew, or those of these files. */
  refresh(keys?: Set<string>): void {
    for (const editor of vscode.window.visibleTextEditors) {
      const { scheme, fsPath } = editor.document.uri;
      if (scheme === 'wherefore') this.drawNew(editor);
      else if (scheme === 'file' && (!keys || keys.has(keyOf(fsPath)))) this.draw(editor);
    }
  }

  dispose(): void {
    for (const type of [this.removed, this.struck, this.added, this.changed, this.whole]) type.dispose();
  }

  private draw(editor: vscode.TextEditor): void {
    const hunks = this.review.hunks(editor.document.uri);
    if (hunks.length === 0 && !this.drawn.has(editor)) return;
    const began = performance.now();
    const removed: vscode.Range[] = [];
    const struck: vscode.DecorationOptions[] = [];
    const added: vscode.Range[] = [];
    const changed: vscode.Range[] = [];
    for (const hunk of hunks) {
      const lines = old(editor.document, hunk);
      const place = new vscode.Range(hunk.start, 0, hunk.start + Math.max(lines.length - 1, 0), 0);
      if (lines.length === 0) added.push(place);
      else if (isBeside(hunk)) changed.push(place);
      else removed.push(place);
      lines.forEach((line, index) => {
        const next = isBeside(hunk) ? hunk.new[index] : undefined;
        struck.push({ range: line.range, ...(next === undefined ? {} : { renderOptions: beside(next, editor) }) });
      });
    }
    editor.setDecorations(this.removed, removed);
    editor.setDecorations(this.struck, struck);
    editor.setDecorations(this.added, added);
    editor.setDecorations(this.changed, changed);
    if (hunks.length > 0) {
      this.drawn.add(editor);
      this.took = performance.now() - began;
    } else {
      this.drawn.delete(editor);
    }
  }

  /** A file that is not there yet: all of it is new. */
  private drawNew(editor: vscode.TextEditor): void {
    const { uri, lineCount } = editor.document;
    editor.setDecorations(this.whole, this.isNew(uri) ? [new vscode.Range(0, 0, lineCount - 1, 0)] : []);
  }
}

function old(document: vscode.TextDocument, hunk: Waiting): vscode.TextLine[] {
  const last = Math.min(hunk.start + hunk.old.length, document.lineCount);
  return Array.from({ length: Math.max(last - hunk.start, 0) }, (_, index) => document.lineAt(hunk.start + index));
}

function beside(line: string, editor: vscode.TextEditor): vscode.DecorationInstanceRenderOptions {
  const tabSize = typeof editor.options.tabSize === 'number' ? editor.options.tabSize : 4;
  // A no-break space keeps an indent, and stands for an empty line.
  const text = visible(chomp(line), tabSize).replace(/ /g, '\u00a0') || '\u00a0';
  return {
    after: {
      contentText: text,
      margin: '0 0 0 2ch',
      color: color('editor.foreground'),
      backgroundColor: color('diffEditor.insertedTextBackground'),
    },
  };
}
