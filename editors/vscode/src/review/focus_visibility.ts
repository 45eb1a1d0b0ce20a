// True if the editor with the focus is on the screen. In a diff of several files VS Code keeps that editor when it is
// scrolled away, hidden, and goes on to tell its last visible ranges. What the other editors tell gives it away.

import * as vscode from 'vscode';
import { isSide } from './diff_sides';

/** Changes that come so close to each other are of one scroll. */
const TOGETHER_MS = 40;

/** For so long after a way to a hunk the other editors still move. */
const MOVING_MS = 600;

/** For so long after a lens took a line's place it makes room for it again. */
const BACK_MS = 500;

/** The lines that an editor shows, with what it showed before that, and since when. */
interface ShownLines {
  ranges: string;
  before?: string;
  since: number;
}

/** Follows the lines that editors show. */
export class FocusVisibility implements vscode.Disposable {
  private ownUntil = 0;
  /** The lines that editors showed when the one with the focus was last known to be on the screen. */
  private readonly shownLines = new Map<vscode.TextEditor, ShownLines>();
  /** The other editors that show something else since. */
  private readonly movedEditors = new Set<vscode.TextEditor>();
  private readonly listener = vscode.Disposable.from(
    vscode.window.onDidChangeTextEditorVisibleRanges(({ textEditor }) => this.noteChange(textEditor)),
    vscode.window.onDidChangeTextEditorSelection(({ textEditor }) => textEditor === vscode.window.activeTextEditor && this.noteChange(textEditor)),
    vscode.window.onDidChangeActiveTextEditor((editor) => editor && this.noteChange(editor)),
  );

  /** True if the editor with the focus may be scrolled away. */
  get isInDoubt(): boolean {
    return this.movedEditors.size > 0;
  }

  /** A way to a hunk ended, or a decision: the editor with the focus is on the screen. */
  noteArrival(): void {
    this.markSeenUntil(performance.now() + MOVING_MS);
  }

  /** Something of ours comes or goes in an editor: where the one with the focus is on the screen, it stays there. */
  noteOwnChange(): void {
    if (!this.isInDoubt) this.noteArrival();
  }

  dispose(): void {
    this.listener.dispose();
  }

  private markSeenUntil(time: number): void {
    this.ownUntil = Math.max(this.ownUntil, time);
    this.movedEditors.clear();
    const visible = vscode.window.visibleTextEditors;
    for (const editor of this.shownLines.keys()) if (!visible.includes(editor)) this.shownLines.delete(editor);
    for (const editor of visible) this.remember(editor);
  }

  private remember(editor: vscode.TextEditor): void {
    const now = formatRanges(editor);
    const before = this.shownLines.get(editor)?.ranges;
    if (before !== now) this.shownLines.set(editor, { ranges: now, before, since: performance.now() });
  }

  private noteChange(editor: vscode.TextEditor): void {
    if (editor === vscode.window.activeTextEditor) this.markSeenUntil(performance.now());
    else if (isSide(editor.document.uri)) this.noteOtherChange(editor);
  }

  private noteOtherChange(editor: vscode.TextEditor): void {
    const now = performance.now();
    const isOwn = now - this.ownUntil <= TOGETHER_MS;
    const lines = this.shownLines.get(editor);
    // A lens that comes late takes a line's place and makes room for it again: that is no scroll.
    const isBack = lines?.before === formatRanges(editor) && now - lines.since <= BACK_MS;
    if (isOwn || isBack) this.remember(editor);
    if (this.shownLines.get(editor)?.ranges === formatRanges(editor)) this.movedEditors.delete(editor);
    else this.movedEditors.add(editor);
  }
}

/** The lines that an editor shows, to be compared. */
const formatRanges = ({ visibleRanges }: vscode.TextEditor): string => visibleRanges.map(({ start, end }) => `${start.line}-${end.line}`).join();
