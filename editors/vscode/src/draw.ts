// Draws hunks in the editors, with decorations alone: the text stays the old one until the server applies. Of a hunk that
// was applied the new lines stand in the text, and the old ones are drawn.

import * as vscode from 'vscode';
import type { Near } from './near';
import { keyOf, other, there, type Review, type Waiting } from './review';
import { chomp, visible } from './text';

const color = (id: string): vscode.ThemeColor => new vscode.ThemeColor(id);

/** Columns up to which a changed line has its new text beside it. */
const BESIDE = 70;

/** Whether the lines that are not in the text stand beside those that are, on their rows; else they stand below. */
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
  private readonly kept = vscode.window.createTextEditorDecorationType({
    isWholeLine: true,
    backgroundColor: color('diffEditor.insertedLineBackground'),
    overviewRulerColor: color('editorOverviewRuler.addedForeground'),
    overviewRulerLane: vscode.OverviewRulerLane.Full,
  });
  private readonly gone = vscode.window.createTextEditorDecorationType({
    isWholeLine: true,
    overviewRulerColor: color('editorOverviewRuler.deletedForeground'),
    overviewRulerLane: vscode.OverviewRulerLane.Full,
  });
  /** Those of hunks, by what they say: `removed` and `gone` of removed lines, `struck` of each, `added` and `kept` of new ones. */
  private readonly inText = [this.removed, this.struck, this.added, this.changed, this.kept, this.gone];
  private readonly drawn = new WeakSet<vscode.TextEditor>();
  /** How long the last drawing of a file with hunks took, in milliseconds. */
  took = 0;

  constructor(
    private readonly review: Review,
    private readonly near: Near,
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
    for (const type of [...this.inText, this.whole]) type.dispose();
  }

  private draw(editor: vscode.TextEditor): void {
    const hunks = this.review.hunks(editor.document.uri);
    if (hunks.length === 0 && !this.drawn.has(editor)) return;
    const began = performance.now();
    const ranges = new Map<vscode.TextEditorDecorationType, vscode.DecorationOptions[]>(this.inText.map((type) => [type, []]));
    for (const hunk of hunks) for (const [type, option] of this.parts(editor, hunk)) ranges.get(type)?.push(option);
    for (const [type, options] of ranges) editor.setDecorations(type, options);
    if (hunks.length > 0) {
      this.drawn.add(editor);
      this.took = performance.now() - began;
    } else {
      this.drawn.delete(editor);
    }
  }

  /** What one hunk is drawn with. */
  private parts(editor: vscode.TextEditor, hunk: Waiting): [vscode.TextEditorDecorationType, vscode.DecorationOptions][] {
    const lines = standing(editor.document, hunk);
    const isNear = this.near.has(editor, hunk);
    const place = { range: new vscode.Range(hunk.start, 0, hunk.start + Math.max(lines.length - 1, 0), 0) };
    if (lines.length === 0) return [[hunk.applied ? this.gone : this.added, place]];
    if (hunk.applied && isNear && !isInText(editor.document, hunk)) return [[this.changed, place]];
    const whole = hunk.applied ? this.kept : isBeside(hunk) ? this.changed : this.removed;
    if (!isNear) return [[whole, place]];
    const each = lines.map(({ range }, index) => {
      const next = isBeside(hunk) ? other(hunk)[index] : undefined;
      return { range, ...(next === undefined ? {} : { renderOptions: beside(next, editor, hunk.applied) }) };
    });
    if (hunk.applied) return each.map((option) => [this.kept, option]);
    return [[whole, place], ...each.map((option): [vscode.TextEditorDecorationType, vscode.DecorationOptions] => [this.struck, option])];
  }

  /** A file that is not there yet: all of it is new. */
  private drawNew(editor: vscode.TextEditor): void {
    const { uri, lineCount } = editor.document;
    editor.setDecorations(this.whole, this.isNew(uri) ? [new vscode.Range(0, 0, lineCount - 1, 0)] : []);
  }
}

/** The rows of a hunk's lines in the text. */
function standing(document: vscode.TextDocument, hunk: Waiting): vscode.TextLine[] {
  const last = Math.min(hunk.start + there(hunk).length, document.lineCount);
  return Array.from({ length: Math.max(last - hunk.start, 0) }, (_, index) => document.lineAt(hunk.start + index));
}

/** Whether the lines of a hunk stand in the text as they should. */
export function isInText(document: vscode.TextDocument, hunk: Waiting): boolean {
  const lines = standing(document, hunk);
  return there(hunk).every((line, index) => lines[index]?.text === chomp(line));
}

function beside(line: string, editor: vscode.TextEditor, gone: boolean): vscode.DecorationInstanceRenderOptions {
  const tabSize = typeof editor.options.tabSize === 'number' ? editor.options.tabSize : 4;
  // A no-break space keeps an indent, and stands for an empty line.
  const text = visible(chomp(line), tabSize).replace(/ /g, '\u00a0') || '\u00a0';
  return {
    after: {
      contentText: text,
      margin: '0 0 0 2ch',
      color: color('editor.foreground'),
      backgroundColor: color(gone ? 'diffEditor.removedTextBackground' : 'diffEditor.insertedTextBackground'),
      ...(gone ? { textDecoration: 'line-through' } : {}),
    },
  };
}
