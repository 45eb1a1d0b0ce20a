// Whether the editor with the focus is on the screen. In a diff of several files VS Code keeps that editor when it is
// scrolled away, hidden, and goes on to tell its last visible ranges. What the other editors tell gives it away.

import * as vscode from 'vscode';
import { isSide } from './preview';

/** Changes that come so close to each other are of one scroll. */
const TOGETHER_MS = 40;

/** For so long after a way to a hunk the other editors still move. */
const MOVING_MS = 600;

/** For so long after a lens took a line's place it makes room for it again. */
const BACK_MS = 500;

/** The lines that an editor shows, with what it showed before that, and since when. */
interface Shown {
  ranges: string;
  before?: string;
  since: number;
}

/** What editors told, and when. */
export class OnScreen implements vscode.Disposable {
  private own = 0;
  /** What the editors showed when the one with the focus was last known to be on the screen. */
  private readonly showed = new Map<vscode.TextEditor, Shown>();
  /** The other editors that show something else since. */
  private readonly moved = new Set<vscode.TextEditor>();
  private readonly listener = vscode.Disposable.from(
    vscode.window.onDidChangeTextEditorVisibleRanges(({ textEditor }) => this.heard(textEditor)),
    vscode.window.onDidChangeTextEditorSelection(({ textEditor }) => textEditor === vscode.window.activeTextEditor && this.heard(textEditor)),
    vscode.window.onDidChangeActiveTextEditor((editor) => editor && this.heard(editor)),
  );

  /** Whether the editor with the focus may be scrolled away. */
  get isInDoubt(): boolean {
    return this.moved.size > 0;
  }

  /** A way to a hunk ended, or a decision: the editor with the focus is on the screen. */
  arrived(): void {
    this.seenUntil(performance.now() + MOVING_MS);
  }

  dispose(): void {
    this.listener.dispose();
  }

  private seenUntil(time: number): void {
    this.own = Math.max(this.own, time);
    this.moved.clear();
    const visible = vscode.window.visibleTextEditors;
    for (const editor of this.showed.keys()) if (!visible.includes(editor)) this.showed.delete(editor);
    for (const editor of visible) this.remember(editor);
  }

  private remember(editor: vscode.TextEditor): void {
    const now = ranges(editor);
    const before = this.showed.get(editor)?.ranges;
    if (before !== now) this.showed.set(editor, { ranges: now, before, since: performance.now() });
  }

  private heard(editor: vscode.TextEditor): void {
    if (editor === vscode.window.activeTextEditor) this.seenUntil(performance.now());
    else if (isSide(editor.document.uri)) this.heardOther(editor);
  }

  private heardOther(editor: vscode.TextEditor): void {
    const now = performance.now();
    const isOwn = now - this.own <= TOGETHER_MS;
    const known = this.showed.get(editor);
    // A lens that comes late takes a line's place and makes room for it again: that is no scroll.
    const isBack = known?.before === ranges(editor) && now - known.since <= BACK_MS;
    if (isOwn || isBack) this.remember(editor);
    if (this.showed.get(editor)?.ranges === ranges(editor)) this.moved.delete(editor);
    else this.moved.add(editor);
  }
}

/** The lines that an editor shows, to be compared. */
const ranges = ({ visibleRanges }: vscode.TextEditor): string => visibleRanges.map(({ start, end }) => `${start.line}-${end.line}`).join();
